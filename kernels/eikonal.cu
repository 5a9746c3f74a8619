// The narrow-band fast iterative method (nbFIM) on the GPU: arrival times from given values
// (docs/distances.md, sections 5 and 6; Fu et al., section 3.2).
//
// There are two ways to schedule the same patch update:
// - eikonal_rounds: rounds with a grid barrier. Values written in a round are read only in the next
//   one (two buffers), so the results are bitwise identical in every run.
// - eikonal_queue: a queue of patches without a barrier. It is faster, but its values differ
//   between runs by rounding errors.
//
// Both update the patches with the earliest pending values first: a patch waits if its pending
// value is later than the earliest pending value of all patches by more than `near`. A given value
// is stored with its sign bit set, and nothing lowers it.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
// variants: QUEUED_SOLVE=0, CIRCULAR=0 | QUEUED_SOLVE=1, CIRCULAR=0
// variants: METRIC=0 | METRIC=1
#include "common/grid.cuh"
#if CELL_SIZE == 3
#include "eikonal/triangles.cuh"
#else
#include "eikonal/tetrahedra.cuh"
#endif
#include "eikonal/pending_values.cuh"

// A vertex of a patch, and another patch that reads it. A thread fetches its first entry before it
// is needed and keeps it in shared memory, because registers are scarce.
struct Reader {
    enum { MORE = 1u << 31, NONE = 0xffffffffu };
    u32 vertex;  // local index, with MORE if the thread has more entries
    u32 patch;
};

DEVICE Reader reader_at(const Eikonal& e, u32 at, u32 end) {
    if (at >= end) return Reader{0, Reader::NONE};
    return Reader{e.wake_vertices[at] | (at + blockDim.x < end ? (u32)Reader::MORE : 0), e.wake_readers[at]};
}

DEVICE Reader first_reader(const Patch& patch, const Eikonal& e) {
    return reader_at(e, e.wake_offsets[patch.p] + threadIdx.x, e.wake_offsets[patch.p + 1]);
}

// Calls `told(tells, reading patch, value)` for all pairs of a vertex of the patch and another
// patch that reads it. `tells` is true if the value has changed and is below `limit`. Pairs with
// the same reading patch are adjacent, and whole warps call `told`.
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

// Returns whether this thread records the update of a patch. The thread is not in the warp that
// prepares the next update.
DEVICE bool takes_notes() { return threadIdx.x == blockDim.x - 1; }

// ---- Rounds ---------------------------------------------------------------------------------

#if !QUEUED_SOLVE
// Solves by rounds. The first round visits the patches in lists[n_patches..], which have pending
// values. Leaves the values in both buffers.
//
// Grid: at most as many blocks as fit on the GPU at once, cooperative; block: a multiple of 32
// threads, ideally one per cell of a typical patch; shared: the arrays of local_of.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) eikonal_rounds(Patches m, Eikonal e) {
    DYN_SHARED(unsigned char, shared);
    __shared__ Reader readers[BLOCK];
    Local local = local_of(shared, e);
    u32 thread = threadIdx.x, threads = blockDim.x;
    if (!is_due(e)) return;
    u32 updates = 0;
    for (u32 round = 1;; round++) {
        const u32* list = e.lists + (round & 1) * e.n_patches;
        // Both loads are issued before either result is needed.
        u32 n = *(volatile u32*)&e.counts[round % 3];
        real cut = from_bits(*(volatile real_bits*)&e.first_news[round % 3]) + e.near;
        if (n == 0) {
            if (blockIdx.x == 0 && thread == 0) e.stats->rounds = round - 1;
            break;
        }
        if (round > e.most_rounds) {
            if (blockIdx.x == 0 && thread == 0) *e.error = FAILED_ENDLESS;
            break;
        }
        if (blockIdx.x == 0 && thread == 0) {
            // These entries belong to round + 2. The previous round used them last.
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
            // The barrier ensures that all threads have read the pending value before it is cleared
            // for the round after the next.
            const bool waits = !(first < INFINITY_R && first <= cut);
            __syncthreads();
            if (thread == 0) *news = to_bits(INFINITY_R);
            if (waits) {
                // The patch waits. The result of its previous round is copied to the other buffer.
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

// Raises the cut and queues the patches that waited for it. Block 0 calls this function at the
// start. Later, only the last block that is still working calls it.
//
// Visits all patches, because only their pending values show which of them wait. Sets `done` if
// none waits. Returns whether the function must be called again because all admitted patches are
// already done.
DEVICE bool admit(const Eikonal& e, real_bits* first, u32* admitted) {
    u32 thread = threadIdx.x, threads = blockDim.x;
    if (!is_ordered(e)) {
        // No patch waits.
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
    // The admitted patches are counted before any of them can be taken from the queue.
    if (thread == 0) {
        atomicAdd(&e.queue->outstanding, *admitted);
        __threadfence();
    }
    __syncthreads();
    for (u32 p = thread; p < e.n_patches; p += threads) {
        // Patches that were queued here may already be running and lowering the pending values of
        // others, so the current pending value and the state of each patch decide.
        if (from_bits(__ldcg(&e.news[p])) <= cut) mark_and_queue(e, p);
    }
    __syncthreads();
    // In the meantime, the count that was added above kept `outstanding` positive. The queued
    // patches are counted separately.
    int again = 0;
    if (thread == 0) again = atomicSub(&e.queue->outstanding, *admitted) == *admitted;
    return __syncthreads_or(again);
}

// Solves by a queue, starting from the pending values of patches and the values in the first
// buffer. Works only in the first buffer.
//
// Grid: as many blocks as fit on the GPU at once (fewer are possible); block and shared as in
// eikonal_rounds.
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
    u32 updates = 0, rounds = 0;
    real* u = e.u;
    if (blockIdx.x == 0) {
        if (is_ordered(e)) {
            // Nothing is queued yet, because all patches wait for the first cut.
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
                    atomicExch(e.error, (u32)FAILED_STALLED);
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
        // The shape is constant, so it is fetched while the state of the patch is updated.
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
                // Values that arrive after this point make the patch run again. All earlier ones
                // are in memory.
                __threadfence();
            }
            if (is_first) points.store(patch, local);
#if !HAS_POINTS
            // This thread may hold a cell other than its first.
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
            if (++rounds > e.most_rounds || !again) break;
        }
        if (rounds > e.most_rounds) {
            if (thread == 0) {
                atomicExch(e.error, (u32)FAILED_ENDLESS);
                atomicExch(&e.queue->done, 1u);
            }
            break;
        }
        if (thread == 0) {
            __threadfence();
            last = atomicSub(&e.queue->outstanding, 1u) == 1;
        }
        __syncthreads();
        // Nothing is queued and no other block is working. The waiting patches come next, or the
        // solve is done.
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

// Resets everything from the previous solve except the values.
//
// Grid: any; block: any; shared: none.
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

// Notifies every patch with values and the patches that read them.
//
// Grid: any; block: any multiple of 32; shared: [largest_owned] values.
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
// Computes the shape data of cells that solves need, once before the first solve.
//
// Grid: any; block: any; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) eikonal_shapes(Patches m, Eikonal e) {
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            Vec3 x[N];
#pragma unroll
            for (int i = 0; i < N; i++) x[i] = patch.at(patch.corner(t, i));
            to_metric(patch, e, t, x);
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
