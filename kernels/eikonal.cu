// nbFIM on the GPU: arrival times from given values (numerics 5 and 6; Fu et al., section 3.2).
//
// Two organizations of the same patch update:
// - eikonal_rounds: rounds with a barrier of the grid. Values written in a round are read in the
//   next one only (two buffers), so the bits are the same in every run.
// - eikonal_queue: a queue of patches without a barrier. Faster; values differ between runs by
//   rounding.
// Both take near patches first: those whose news are later than the first by more than `near` wait.
// A given value is stored with its sign bit set, and nothing lowers it.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
// variants: QUEUED_SOLVE=0, CIRCULAR=0 | QUEUED_SOLVE=1, CIRCULAR=0
#include "common/grid.cuh"
#if CELL_SIZE == 3
#include "eikonal/triangles.cuh"
#else
#include "eikonal/tetrahedra.cuh"
#endif
#include "eikonal/news.cuh"

// A vertex of a patch and a patch that reads it: the first entry of this thread, fetched before it is
// needed and kept in shared memory, as registers are few.
struct Reader {
    enum { MORE = 1u << 31, NONE = 0xffffffffu };
    u32 vertex;  // local, with MORE if the thread has other entries
    u32 patch;
};

DEVICE Reader reader_at(const Eikonal& e, u32 at, u32 end) {
    if (at >= end) return Reader{0, Reader::NONE};
    return Reader{e.wake_vertices[at] | (at + blockDim.x < end ? (u32)Reader::MORE : 0), e.wake_readers[at]};
}

DEVICE Reader first_reader(const Patch& patch, const Eikonal& e) {
    return reader_at(e, e.wake_offsets[patch.p] + threadIdx.x, e.wake_offsets[patch.p + 1]);
}

// Calls `told(tells, patch, value)` for all entries; those tell whose values have changed and matter. Entries of
// the same patch follow each other, and whole warps call.
template <class Told>
DEVICE void tell_readers(const Patch& patch, const Eikonal& e, const Local& local, Reader reader, real limit,
                         Told told) {
    for (u32 at = threadIdx.x; __any_sync(0xffffffffu, reader.patch != Reader::NONE);) {
        const bool is_there = reader.patch != Reader::NONE;
        const u32 v = is_there ? reader.vertex & ~(u32)Reader::MORE : 0;
        const real value = local.u[v];
        told(is_there && local.changed[v] && value < limit, reader.patch, value);
        at += blockDim.x;
        const bool has_more = is_there && reader.vertex & Reader::MORE;
        reader = has_more ? reader_at(e, e.wake_offsets[patch.p] + at, e.wake_offsets[patch.p + 1])
                          : Reader{0, Reader::NONE};
    }
}

// The thread that notes what was updated: of another warp than the one that settles what comes next.
DEVICE bool takes_notes() { return threadIdx.x == blockDim.x - 1; }

// ---- Rounds ---------------------------------------------------------------------------------

#if !QUEUED_SOLVE
// Grid: at most as many blocks as are on the GPU at once, cooperative; block: a multiple of 32
// threads, best one per cell of a typical patch; shared: local_of. Starts from the patches in
// lists[n_patches..], the list of round 1, with their news; leaves values in both buffers.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) eikonal_rounds(Patches m, Eikonal e) {
    DYN_SHARED(unsigned char, shared);
    __shared__ Reader readers[BLOCK];
    Local local = local_of(shared, e);
    u32 thread = threadIdx.x, threads = blockDim.x;
    if (!is_due(e)) return;
    u32 updates = 0;
    for (u32 round = 1;; round++) {
        const u32* list = e.lists + (round & 1) * e.n_patches;
        // All asked for at once.
        u32 n = *(volatile u32*)&e.counts[round % 3];
        real cut = from_bits(*(volatile real_bits*)&e.first_news[round % 3]) + e.near;
        if (n == 0) {
            if (blockIdx.x == 0 && thread == 0) e.stats->rounds = round - 1;
            break;
        }
        if (blockIdx.x == 0 && thread == 0) {
            // Used in round + 2 for the first time, and not any more in this one.
            e.counts[(round + 2) % 3] = 0;
            e.first_news[(round + 2) % 3] = to_bits(INFINITY_R);
        }
        const real* from = e.u + (u64)(round & 1) * e.n_vertices;
        real* into = e.u + (u64)((round + 1) & 1) * e.n_vertices;
        for (u32 k = blockIdx.x; k < n; k += gridDim.x) {
            u32 p = __ldcg(&list[k]);
            real_bits* news = &e.news[(round & 1) * e.n_patches + p];
            real first = from_bits(__ldcg(news));
            Patch patch = patch_of(m, p);
            PointsAhead points;
            points.load(patch);
            Reader reader = first_reader(patch, e);
#if !HAS_POINTS
            Held held = hold(patch, e, local);
#endif
            points.store(patch, local);
            readers[thread] = reader;
            // All have read the news before they are cleared for the round after the next.
            const bool waits = !(first < INFINITY_R && first <= cut);
            __syncthreads();
            if (thread == 0) *news = to_bits(INFINITY_R);
            if (waits) {
                // It waits, and what it did in the round before goes into the other buffer.
                for (u32 v = thread; v < patch.n_owned; v += threads) {
                    into[patch.first + v] = load_value(&from[patch.first + v]);
                }
                tell(e, round + 1, thread == 0 && first < INFINITY_R, p, first);
                continue;
            }
#if HAS_POINTS
            Held held = hold(patch, e, local);
#endif
            real limit = e.width + e.reach[p];
            bool lively = update(patch, e, local, held, from, limit);
            real earliest = INFINITY_R;
            for (u32 v = thread; v < patch.n_owned; v += threads) {
                into[patch.first + v] = local.u[v];
                if (local.changed[v]) earliest = fmin(earliest, local.u[v]);
            }
            const bool any = earliest < INFINITY_R;
            if (lively) tell(e, round + 1, any, p, earliest);
            else if (is_first_to_tell(any, p)) list_patch(e, round + 1, p);
            tell_readers(patch, e, local, readers[thread], limit,
                         [&](bool tells, u32 q, real value) { tell(e, round + 1, tells, q, value); });
            if (takes_notes()) {
                updates++;
                visit(e, p);
            }
            __syncthreads();
        }
        grid_barrier(e.arrived);
    }
    if (updates) atomicAdd(&e.stats->patch_updates, updates);
}

#else
// ---- Queue ----------------------------------------------------------------------------------

// Called by the only block that works: raises the cut and queues what waits before it. The patches
// walked are all, as only news say which of them wait. Returns whether it must be called again,
// because all that was admitted is done already.
DEVICE bool admit(const Eikonal& e, real_bits* first, u32* admitted) {
    u32 thread = threadIdx.x, threads = blockDim.x;
    if (!is_ordered(e)) {
        // Nothing waits.
        if (thread == 0) atomicExch(&e.queue->done, 1u);
        return false;
    }
    if (thread == 0) {
        *first = to_bits(INFINITY_R);
        *admitted = 0;
    }
    __syncthreads();
    real_bits mine = to_bits(INFINITY_R);
#pragma unroll 8
    for (u32 p = thread; p < e.n_patches; p += threads) {
        real_bits news = __ldcg(&e.news[p]);
        mine = news < mine ? news : mine;
    }
    atomic_min_bits(first, mine);
    __syncthreads();
    real cut = from_bits(*first) + e.near;
    if (!(from_bits(*first) < INFINITY_R)) {
        if (thread == 0) atomicExch(&e.queue->done, 1u);
        return false;
    }
    if (thread == 0) *(volatile real_bits*)&e.queue->cut = to_bits(cut);
    u32 mine_admitted = 0;
#pragma unroll 8
    for (u32 p = thread; p < e.n_patches; p += threads) mine_admitted += from_bits(__ldcg(&e.news[p])) <= cut;
    atomicAdd(admitted, mine_admitted);
    __syncthreads();
    // Counted before any of them can be taken.
    if (thread == 0) {
        atomicAdd(&e.queue->outstanding, *admitted);
        __threadfence();
    }
    __syncthreads();
    for (u32 p = thread; p < e.n_patches; p += threads) {
        // Those queued here may run already, which lowers news of others: the state decides.
        if (from_bits(__ldcg(&e.news[p])) <= cut) mark_and_queue(e, p);
    }
    __syncthreads();
    // The count of before held the queue open; what was pushed has its own.
    int again = 0;
    if (thread == 0) again = atomicSub(&e.queue->outstanding, *admitted) == *admitted;
    return __syncthreads_or(again);
}

// Grid: as many blocks as are on the GPU at once (fewer do as well); block and shared as in
// eikonal_rounds. Starts from news of patches, values in the first buffer; works there only.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) eikonal_queue(Patches m, Eikonal e) {
    DYN_SHARED(unsigned char, shared);
    __shared__ u32 ticket;
    __shared__ u32 taken;
    __shared__ u32 again;
    __shared__ u32 last;
    __shared__ u32 admitted;
    __shared__ real_bits first;
    __shared__ Reader readers[BLOCK];
    Local local = local_of(shared, e);
    u32 thread = threadIdx.x, threads = blockDim.x;
    if (!is_due(e)) return;
    u32 updates = 0;
    real* u = e.u;
    if (blockIdx.x == 0) {
        if (is_ordered(e)) {
            // Nothing is queued yet: news wait for the first cut.
            while (admit(e, &first, &admitted)) {
            }
        } else if (thread == 0 && *(volatile u32*)&e.queue->tail == 0) {
            atomicExch(&e.queue->done, 1u);
        }
        __syncthreads();
    }
    for (;;) {
        if (thread == 0) {
            ticket = atomicAdd(&e.queue->head, 1u) & e.ring_mask;
            u32 found = 0;
            long long start = clock64();
            for (;;) {
                found = *(volatile u32*)&e.ring[ticket];
                if (found || *(volatile u32*)&e.queue->done) break;
                SPIN();
                if (clock64() - start > e.patience) {
                    atomicExch(e.error, 1u);
                    atomicExch(&e.queue->done, 1u);
                    break;
                }
            }
            if (found) e.ring[ticket] = 0;
            taken = found;
        }
        __syncthreads();
        if (taken == 0) break;
        u32 p = taken - 1;
        Patch patch = patch_of(m, p);
        real limit = e.width + e.reach[p];
        // The shape does not change: it is fetched while the state of the patch is settled.
        PointsAhead points;
        points.load(patch);
        Reader reader = first_reader(patch, e);
#if !HAS_POINTS
        Held held = hold(patch, e, local);
#endif
        readers[thread] = reader;
        for (bool is_first = true;; is_first = false) {
            if (thread == 0) {
                atomicAnd(&e.states[p], ~(u32)DIRTY);
                if (is_ordered(e)) atomicExch(&e.news[p], to_bits(INFINITY_R));
                // News told from here on run the patch again; all told before are in memory.
                __threadfence();
            }
            if (is_first) points.store(patch, local);
#if !HAS_POINTS
            // Another cell than the first of this thread may be at hand.
            else if (patch.n_cells > threads) held = hold(patch, e, local);
#endif
            __syncthreads();
#if HAS_POINTS
            Held held = hold(patch, e, local);
#endif
            bool lively = update(patch, e, local, held, u, limit);
            int any = 0;
            for (u32 v = thread; v < patch.n_owned; v += threads) {
                if (local.changed[v]) {
                    __stcg(&u[patch.first + v], local.u[v]);
                    any = 1;
                }
            }
            __threadfence();
            any = __syncthreads_or(any);
            if (any) {
                tell_readers(patch, e, local, readers[thread], limit,
                             [&](bool tells, u32 q, real value) { tell(e, tells, q, value); });
            }
            __syncthreads();
            if (takes_notes()) {
                updates++;
                visit(e, p);
            }
            if (thread == 0) {
                again = lively || atomicCAS(&e.states[p], (u32)QUEUED, 0u) != QUEUED;
            }
            __syncthreads();
            if (!again) break;
        }
        if (thread == 0) {
            __threadfence();
            last = atomicSub(&e.queue->outstanding, 1u) == 1;
        }
        __syncthreads();
        // Nothing is queued and nobody else works: what waits comes next, or all is done.
        if (last) {
            while (admit(e, &first, &admitted)) {
            }
        }
        __syncthreads();
    }
    if (updates) atomicAdd(&e.stats->patch_updates, updates);
}

#endif
// ---- Before a solve -------------------------------------------------------------------------

// Forgets all of the solve before but values. Grid: any; block: any; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) eikonal_reset(Patches m, Eikonal e) {
    u32 threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 p = blockIdx.x; p < e.n_patches; p += gridDim.x) forget_patch(patch_of(m, p), e);
    for (u32 k = thread; k <= e.ring_mask; k += threads) e.ring[k] = 0;
    if (thread == 0) {
        e.stats->rounds = e.stats->patch_updates = e.stats->n_visited = 0;
        *e.error = 0;
        reset_solve(e);
    }
}

// Tells every patch with values, and those that read them. Grid: any; block: any multiple of 32; shared:
// [largest_owned] values.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) eikonal_seed(Patches m, Eikonal e) {
    DYN_SHARED(unsigned char, shared);
    real* u = (real*)shared;
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) u[v] = e.u[patch.first + v];
        __syncthreads();
        seed_patch(patch, e, u);
    }
}

#if !CIRCULAR
// Finds what solves need of the shapes of cells, once before the first.
// Grid: any; block: any; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) eikonal_shapes(Patches m, Eikonal e) {
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            Vec3 x[N];
#pragma unroll
            for (int i = 0; i < N; i++) x[i] = patch.at(patch.corner(t, i));
#if CELL_SIZE == 4
            e.shapes[patch.cells + t] = heights_of(x);
#else
            TriangleShape shape = triangle_shape(x);
            real* to = e.shapes + SHAPE_SIZE * (u64)patch.cells + t;
#pragma unroll
            for (int i = 0; i < N; i++) {
                to[i * patch.n_cells] = shape.length[i];
                to[(3 + i) * patch.n_cells] = shape.along[i];
                to[(6 + i) * patch.n_cells] = shape.height[i];
            }
#endif
        }
    }
}
#endif
