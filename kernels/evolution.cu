// One explicit step of the evolution (docs/level-set.md, sections 2 and 3.1; docs/narrow-band.md,
// section 4; Fu et al., sections 3.3 and 3.4).
//
// A block computes a patch of the band. Cells write their contributions to shared memory. Vertices
// gather them in the fixed order of a CSR matrix and take the step. Terms without a coefficient are
// not compiled. The step reads one buffer of phi and writes the other.
//
// The blocks of a step leave their findings in a Trace. From it, every block of the next step
// determines whether that next step takes place, and its length (end_step in control.cuh). With
// second-order advection, one block of galerkin_residual does this for all blocks. Steps therefore
// follow each other without synchronization with the host. Before the previous step has ended, a
// block already fetches all data that steps do not change. evolution_settle updates the control
// block after the last step of a cycle.
//
// variants: REAL=double, CELL_SIZE=3, PAIRED=1, BLOCK=192, MIN_BLOCKS=1
//     | REAL=float, CELL_SIZE=3, PAIRED=1, BLOCK=192, MIN_BLOCKS=1
//     | REAL=double, CELL_SIZE=4, LANES=2, BLOCK=192, MIN_BLOCKS=1
//     | REAL=float, CELL_SIZE=4, LANES=2, BLOCK=192, MIN_BLOCKS=1
//     | REAL=double, CELL_SIZE=3, PLANAR=1, BLOCK=64, MIN_BLOCKS=8, LEAN=1
//     | REAL=float, CELL_SIZE=3, PLANAR=1, BLOCK=64, MIN_BLOCKS=16, LEAN=1, PAIRED=1, WHOLE=1
// variants: ADVECTION=1, NORMAL=1, CURVATURE=1
//     | ADVECTION=3, NORMAL=2, CURVATURE=2, CLIP=1 | ADVECTION=2, NORMAL=1, ONE_PASS=1, CHUNKED=1
// fused: always
#include "evolution/points.cuh"
#include "evolution/slots.cuh"
#include "evolution/step_end.cuh"

#if HAS_DRIFT
// Data of second-order advection at an owned vertex.
struct Drift {
    bool flows_in;
    real mass, residual;

    // Loads the data that steps do not change.
    DEVICE void load_standing(const Evolution& s, u32 vertex) {
        mass = s.mass[vertex];
    }

    // Loads the results of the previous kernels.
    DEVICE void load_left(const Evolution& s, u32 vertex) {
        flows_in = s.flows_in && s.flows_in[vertex];
        residual = __ldcg(s.residual + vertex);
    }

    // Returns the increment after the last correction. At vertices that use the
    // positive-coefficient scheme, the increment is final already, and the residual is infinite. At
    // inflow vertices, the increment is 0, because phi there does not follow from values inside the
    // mesh.
    DEVICE real corrected_last(real increment, const Sums& sums) const {
        if (residual == INFINITY_R) return increment;
        return flows_in ? R(0) : corrected(increment, residual, Divisor(mass), sums.num[OF_DRIFT]);
    }
};
#endif

// Returns the change in phi at an owned vertex from its gathered sums. `change` is the contribution
// of second-order advection.
DEVICE real change_of(const Patch& patch, const Evolution& s, real dt, u32 local, const Points& points,
                      const Sums& sums, real change) {
#if HAS_WIND
    change -= dt * rate_of(OF_WIND, sums);
#endif
#if HAS_SPEED
    change -= dt * rate_of(OF_SPEED, sums);
#endif
#if CLIP
    // Limit phi to the range of its old values in the cells around the vertex (docs/level-set.md,
    // section 2.6).
    real old = points.phi(local), low = old, high = old;
    for (u32 at = patch.row(local); at < patch.row(local + 1); at++) {
        u32 t = patch.column(at) >> 2;
#pragma unroll
        for (int i = 0; i < N; i++) {
            real value = points.phi(patch.corner(t, i));
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    change = fmin(fmax(old + change, low), high) - old;
#endif
#if HAS_CURVATURE
#if CURVATURE == CURVATURE_WEIGHTED
    real beta = R(1);
#else
    real beta = curvature_at(patch, s, local);
#endif
    change -= dt * beta * rate_of(OF_CURVATURE, sums);
#endif
    return change;
}

#ifndef CHUNKED
#define CHUNKED 0
#endif
#ifndef WHOLE
#define WHOLE 0
#endif

// The number of vertices whose values a thread requests at once. With many patches (LEAN), blocks
// are smaller, so each thread has more vertices.
#if LEAN
enum { AT_ONCE = 3 };
#if HAS_DRIFT || (defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1000))
// Steps with increments need more registers, and so does any code for GPUs of capability 8.9, or of
// capability 10.0 and later.
#define STEP_BLOCKS (MIN_BLOCKS * 3 / 4)
#endif
#else
enum { AT_ONCE = 2 };
#endif
#ifndef STEP_BLOCKS
#define STEP_BLOCKS MIN_BLOCKS
#endif

// Computes step `turn` of a cycle, counted from 0.
//
// Grid: the blocks that work on patches, and one more. The additional block passes on the progress
// of the steps; with second-order advection, it does nothing. Block: BLOCK threads, a multiple of
// 32. Shared: the slots of a chunk; [largest_local] points; with second-order advection,
// [largest_local] increments; unless WHOLE, [largest_local] bytes; [largest_columns] rows and
// columns; if CHUNKED also [largest_owned * LANES] sums.
extern "C" __global__ void __launch_bounds__(BLOCK, STEP_BLOCKS) evolution_step(Patches m, Evolution s, u32 turn) {
    DYN_SHARED(unsigned char, shared);
#if !HAS_DRIFT
    __shared__ Ahead ahead;
#endif
    __shared__ double dt;
    __shared__ bool goes;
    __shared__ Start upcoming[2];
    // The control block is constant during a cycle.
    const Control& c = *s.control;
    u32 thread = threadIdx.x, threads = BLOCK, workers = gridDim.x - 1;
    // Both lists of active patches are read, because the control block, which states which list is
    // current, is still being loaded.
    bool may_work = blockIdx.x < m.n_patches;
    u32 even = may_work ? s.active[blockIdx.x] : 0;
    u32 odd = may_work ? s.active[m.n_patches + blockIdx.x] : 0;
    u32 n_active = is_paused(c) ? 0 : c.n_active;
    let_next_begin();
    if (blockIdx.x >= n_active || blockIdx.x == workers) {
        await_kernel_before();
#if !HAS_DRIFT
        if (blockIdx.x == workers) hand_on(s, *s.control, turn, ahead);
#endif
        return;
    }
    SharedParts parts = {shared};
    real* planes = parts.take<real>(PLANES * N * s.chunk);
    Slots slots = {planes, parts.take<Common>(N_COMMON > 0 ? s.chunk : 0), s.chunk};
    Points points = {parts.take<Group>(Points::GROUPS * s.largest_local), s.largest_local};
#if HAS_DRIFT
    real* increments = parts.take<real>(s.largest_local);
#endif
    u8* moving = parts.take<u8>(WHOLE ? 0 : s.largest_local);
    Columns* staged = parts.take<Columns>(column_words(s.largest_columns));
    const local_index* columns = (const local_index*)staged;
#if CHUNKED
    Sums* partial = parts.take<Sums>(LANES * s.largest_owned);
#endif
    // The parity is correct if all previous steps were taken. If not, this step is not taken
    // either.
    u32 parity = c.progress.parity ^ (turn & 1);
    const real* from = pinned(s.phi + (u64)parity * m.n_vertices);
    real* into = pinned(s.phi + (u64)(parity ^ 1) * m.n_vertices);
    const u32* active = active_list(s, c);
    Outcome outcome = {R(0), 0xffffffffu};
    bool is_cut = false;
    u32 p = c.list ? odd : even;
    Start begin = m.starts[p], after = m.starts[p + 1];
    for (u32 k = blockIdx.x; k < n_active; k += workers) {
        const Patch patch = patch_between(m, p, begin, after);
        const bool has_next = k + workers < n_active;
        const u32 next = has_next ? active[k + workers] : 0;
        // All loads are issued before the first value is needed.
        Asked<AT_ONCE> asked;
        asked.find(patch);
#if !WHOLE
        u8 moves[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            u32 v = thread + i * threads;
            moves[i] = v < patch.n_owned ? s.moving[patch.first + v] : 0;
        }
#endif
        // The corners of the next two cells of this thread, starting at `at_hand`; with chunks,
        // only those of the next cell.
        u32 at_hand = thread;
        Corners corners = {}, later = {};
        if (thread < patch.n_cells) corners = patch.corners(thread);
        if (!CHUNKED && thread + threads < patch.n_cells) later = patch.corners(thread + threads);
#if HAS_DRIFT
        Drift drift = {};
        if (thread < LANES * patch.n_owned) drift.load_standing(s, patch.first + thread / LANES);
        real measure = R(0);
        if (thread < patch.n_cells) measure = s.measures[patch.cells + thread];
#endif
        const real* x = pinned(patch.coordinates());
        const Columns* columns_of_patch = pinned(patch.columns());
        for_each_of<AT_ONCE>(patch.n_local, [&](u32 v) { points.fetch_place(v, x, patch.n_local); });
        for_each_of<2>(patch.n_column_words, [&](u32 at) { copy_async(staged + at, columns_of_patch + at); });
#if !WHOLE
        for (u32 v = thread + AT_ONCE * threads; v < patch.n_local; v += threads) {
            moving[v] = v < patch.n_owned ? s.moving[patch.first + v] : 0;
        }
#endif
        await_kernel_before();
        asked.load(from, patch.n_local);
#if HAS_DRIFT
        if (thread < LANES * patch.n_owned) drift.load_left(s, patch.first + thread / LANES);
        Asked<AT_ONCE> asked_increments = asked;
        asked_increments.load(s.increment + m.n_vertices, patch.n_local);
        // galerkin_residual has determined whether the step takes place.
        if (k == blockIdx.x && thread == threads - 1) {
            const Progress* now = progress_ahead(s, turn + 1);
            dt = __ldcg(&now->dt);
            goes = !(__ldcg(&now->halt) | __ldcg(&now->due));
        }
#else
        // The warp with the fewest cells also determines whether the step takes place.
        u32 finder = threads - 1 - thread;
        if (k == blockIdx.x && finder < 32) look_ahead(s, turn, finder, ahead);
#endif
#if !WHOLE
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            u32 v = thread + i * threads;
            if (v < patch.n_local) moving[v] = moves[i];
        }
#endif
        asked.put(patch, from, [&](u32 v) -> real& { return points.phi(v); });
#if HAS_DRIFT
        asked_increments.put(patch, s.increment + m.n_vertices, [&](u32 v) -> real& { return increments[v]; });
#endif
        await_copies();
        __syncthreads();
        // The start and the end of the next patch are loaded while the cells are computed.
        if (has_next && thread < 2) copy_async(upcoming + thread, m.starts + next + thread);
#if !HAS_DRIFT
        if (k == blockIdx.x && finder == 0) {
            Progress progress = progress_after(c, ahead, turn);
            dt = progress.dt;
            goes = !is_paused(progress);
        }
#endif
        u32 start = 0;
        do {
            const u32 end = CHUNKED && start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + thread; t < end; t += threads) {
                if (CHUNKED && t != at_hand) corners = patch.corners(t);
                u32 corner[N];
#pragma unroll
                for (int i = 0; i < N; i++) corner[i] = corners.of(i);
                at_hand = t + threads;
                Corners& farthest = CHUNKED ? corners : later;
                const u32 at_last = CHUNKED ? at_hand : at_hand + threads;
                corners = later;
                if (at_last < patch.n_cells) farthest = patch.corners(at_last);
#if !WHOLE
                u32 moves = 0;
#pragma unroll
                for (int i = 0; i < N; i++) moves |= moving[corner[i]];
                if (!moves) continue;
#endif
                real values[N];
                Vec3 x[N];
#pragma unroll
                for (int i = 0; i < N; i++) {
                    points.get(corner[i], x[i], values[i]);
                    is_cut |= (values[i] < R(0)) != (values[0] < R(0));
                }
#if HAS_DRIFT
                if (t != thread) measure = s.measures[patch.cells + t];
                contribute_drift(slots, t - start, measure, corner, increments);
#endif
                contribute(patch, s, slots, t - start, corner, x, values);
            }
            await_copies();
            is_cut = __syncthreads_or(is_cut);
            if (!goes) return;
            if (start == 0 && has_next && thread == 0) prefetch(m, upcoming[0], upcoming[1], from);
            const real step = (real)dt;
            const u32 n_lanes = LANES * patch.n_owned;
            // The lanes of a vertex combine their sums, which needs whole warps.
            for (u32 lane = thread; lane < (LANES > 1 ? (n_lanes + 31) & ~31u : n_lanes); lane += threads) {
                const u32 v = lane / LANES;
                const bool moves = lane < n_lanes && (WHOLE || moving[v]);
                Sums sums = no_sums(0);
                if (moves) {
#if CHUNKED
                    if (start > 0) sums = partial[lane];
                    else
#endif
                    sums.at = columns[v] + lane % LANES;
                    gather(columns, slots, start, end, columns[v + 1], sums);
                }
#if CHUNKED
                if (end < patch.n_cells) {
                    if (moves) partial[lane] = sums;
                    continue;
                }
#endif
                join_lanes(sums);
                if (lane % LANES || lane >= n_lanes) continue;
                real old = points.phi(v), fresh = old;
                if (moves) {
                    real change = R(0);
#if HAS_DRIFT
                    if (lane != thread) {
                        drift.load_standing(s, patch.first + v);
                        drift.load_left(s, patch.first + v);
                    }
                    change = drift.corrected_last(increments[v], sums);
#endif
                    fresh += change_of(patch, s, step, v, points, sums, change);
#if !IMPLICIT && !INFLOW
                    account(outcome, s, patch.first + v, old, fresh);
#endif
                }
                into[patch.first + v] = fresh;
            }
            // Wait until no thread reads the shared memory that is overwritten next.
            if (end < patch.n_cells || has_next) __syncthreads();
#if CHUNKED
            start = end;
#endif
        } while (CHUNKED && start < patch.n_cells);
        if (!has_next) break;
        p = next;
        begin = upcoming[0];
        after = upcoming[1];
    }
    leave(s.traces[turn % 3], outcome, is_cut);
}

// Checks the result of a step that is followed by other kernels (semi-implicit curvature, inflow).
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) evolution_outcome(Patches m, Evolution s) {
    const Control& c = *s.control;
    if (is_paused(c)) return;
    const real* from = s.phi + (u64)c.progress.parity * m.n_vertices;
    const real* next = s.phi + (u64)(c.progress.parity ^ 1) * m.n_vertices;
    const u32* active = active_list(s, c);
    Outcome outcome = {R(0), 0xffffffffu};
    u32 n_active = c.n_active;
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        u32 p = active[k];
        for (u32 v = m.starts[p].vertex + threadIdx.x; v < m.starts[p + 1].vertex; v += blockDim.x) {
            account(outcome, s, v, from[v], next[v]);
        }
    }
    leave(s.traces[0], outcome, 0);
}

// Updates the control block after a cycle of `steps` steps. Launched with one warp.
extern "C" __global__ void evolution_settle(Evolution s, u32 steps) {
    __shared__ Ahead ahead;
    Control& c = *s.control;
    await_kernel_before();
    look_ahead(s, steps, threadIdx.x, ahead);
    __syncthreads();
    if (threadIdx.x < 3) s.traces[threadIdx.x] = Trace{0, 0, 0};
    if (threadIdx.x != 0) return;
    bool was_paused = is_paused(c);
    c.progress = progress_after(c, ahead, steps);
    // Reading the GPU's clock is slow, so it is not read after every step.
    if (!was_paused && (steps > 1 || is_paused(c) || c.progress.step % 16 == 0)) count_time(c, c.evolve_time);
}

// Sets the target of the next series of steps. Launched with one thread.
extern "C" __global__ void evolution_begin(Evolution s, double clock, double target, double steady, u64 steps) {
    Control& c = *s.control;
    c.progress.clock = clock;
    c.target = target;
    c.steady = steady;
    c.progress.steps_left = steps;
    c.progress.halt = c.n_active == 0 && !c.may_enter ? GONE : RUNNING;
    c.progress.rate = 0.0;
    c.progress.place = 0xffffffffu;
    c.last_time = nanoseconds();
    choose_step(c, c.progress);
}
