// Evaluates time-dependent coefficients and finds the step length that they allow, before each
// step; the counterpart of Window::choose_step in src/levelset/evolution/time_step.rs.
//
// The bounds of the coefficients over a step limit its length. The step then uses the coefficients
// at its middle or, where they change noticeably, their means over the step. One cooperative kernel
// evaluates them as often as needed, so nothing returns to the host.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1, VARIES=1
// variants: ADVECTION=1, NORMAL=1, CURVATURE=1, VELOCITY_ROWS=1, SPEED_ROWS=1, CURVATURE_ROWS=1
//     | ADVECTION=3, VELOCITY_ROWS=1
// generated: coefficients
#include "coefficients.cuh"
#include "common/grid.cuh"
#include "common/step_search.cuh"
#include "common/step_target.cuh"
#include "time_step_limits.cuh"

// Indices of `counts`: blocks that arrived at barriers, blocks that left, patches on the list
// (these three are 0 between launches), and lists made so far.
enum { ARRIVED_BLOCKS, LEFT_BLOCKS, N_READING, N_LISTS };

// The data of a block during the search.
struct Search {
    const Patches& m;
    const Evolution& s;
    const Varying& q;
    const u32* active;
    u32 n_active;
    bool waits;  // no patch is active, so the patches of the boundary limit the step
    u32 blocks;  // number of blocks that take part
    u32 turn;    // index of the limits of this evaluation
};

// Lists in `reading` the active patches, the patches at a boundary with given inflow, and the
// neighbors of both.
DEVICE void list_patches(const Search& z) {
    const Varying& q = z.q;
    const u32 list = q.counts[N_LISTS] + 1;
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < z.n_active + q.n_boundary; k += z.blocks * blockDim.x) {
        const u32 p = k < z.n_active ? z.active[k] : q.boundary[k - z.n_active];
        const u32 first = q.neighbor_offsets[p], last = q.neighbor_offsets[p + 1];
        // The patch itself, then its neighbors.
        for (u32 at = first; at <= last; at++) {
            const u32 read = at == last ? p : q.neighbors[at];
            if (atomicExch(&q.seen[read], list) != list) q.reading[atomicAdd(&q.counts[N_READING], 1u)] = read;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        q.limits[0] = no_limits();
        // Forget invalid values that stopped a previous launch. This launch searches for them
        // again.
        for (u32 k = 0; k < 2 * N_FIELDS; k++) q.broken[k] = 0xffffffffu;
    }
    grid_barrier(&q.counts[ARRIVED_BLOCKS], z.blocks);
}

// Computes what `sampling` specifies for the coefficients of the listed patches. Returns false if a
// value is invalid.
DEVICE bool evaluate(const Search& z, const Sampling& sampling) {
    const Varying& q = z.q;
    const u32 n_reading = *(volatile u32*)&q.counts[N_READING];
    for (u32 k = blockIdx.x; k < n_reading; k += z.blocks) {
        const u32 p = q.reading[k], last = z.m.starts[p + 1].vertex;
        for (u32 v = z.m.starts[p].vertex + threadIdx.x; v < last; v += blockDim.x) {
            sample_vertex(v, z.m.n_vertices, q.places, sampling, q.edges[v], q.arrays, q.nonnegative, q.values, q.broken);
        }
    }
    grid_barrier(&q.counts[ARRIVED_BLOCKS], z.blocks);
    bool good = true;
    for (u32 k = 0; k < 2 * N_FIELDS; k++) good = good && *(volatile u32*)&q.broken[k] == 0xffffffffu;
    return good;
}

// Returns the limits of the band with the current coefficients; all blocks that take part must call
// it. Two sets of limits are used in turn: the other one is cleared here, when no block reads it
// anymore.
DEVICE Limits find_limits(Search& z) {
    __shared__ Limits block_limits;
    Limits* all = &z.q.limits[z.turn];
    z.turn ^= 1;
    if (blockIdx.x == 0 && threadIdx.x == 0) z.q.limits[z.turn] = no_limits();
    Limits limits = no_limits();
    if (threadIdx.x == 0) block_limits = limits;
    const u32* list = z.waits ? z.q.boundary : z.active;
    const u32 n_listed = z.waits ? z.q.n_boundary : z.n_active;
    for (u32 k = blockIdx.x; k < n_listed; k += z.blocks) {
        Patch patch = patch_of(z.m, list[k]);
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            u32 corner[N];
            bool active = z.waits;
#pragma unroll
            for (int i = 0; i < N; i++) {
                corner[i] = patch.corner(t, i);
                active = active || z.s.inside[patch.vertex(corner[i])];
            }
            if (active) limit(patch, z.s, corner, limits);
        }
    }
    __syncthreads();
    join(block_limits, limits);
    __syncthreads();
    if (threadIdx.x == 0) join(*all, block_limits);
    grid_barrier(&z.q.counts[ARRIVED_BLOCKS], z.blocks);
    const volatile Limits* found = all;
    limits.first_order = found->first_order;
    limits.curvature = found->curvature;
    limits.speed = found->speed;
    limits.inradius = found->inradius;
    limits.beta = found->beta;
    return limits;
}

// Chooses the length of the next step, and evaluates the coefficients that the step uses.
//
// Grid: as many blocks as can be resident at once, cooperative; block: any multiple of 32; shared:
// none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) varying_search(Patches m, Evolution s, Varying q) {
    __shared__ u32 is_last;
    Control& c = *s.control;
    const u32 n_active = c.n_active;
    const bool waits = n_active == 0;
    const u32 n_listed = waits ? q.n_boundary : n_active;
    const u32 blocks = gridDim.x < n_listed ? gridDim.x : n_listed;
    if (is_paused(c) || blockIdx.x >= blocks) return;
    Search z = {m, s, q, active_list(s, c), n_active, waits, blocks, 0};
    list_patches(z);

    const double start = c.progress.time;
    Limits limits = no_limits();
    // No step can be longer than the one that the coefficients at its start allow.
    Sampling sampling = {VALUE, start, start, start, q.max_step};
    bool good = evaluate(z, sampling);
    double dt = up_to(q.max_step, c.target - c.progress.clock);
    if (good) {
        limits = find_limits(z);
        dt = fmin(dt, allowed_step(c, limits));
    }
    if (good && dt < expression::infinity()) {
        sampling.quantity = BOUND;
        StepSearch search(dt);
        for (bool found = false; good && !found;) {
            sampling.end = start + search.trial;
            good = evaluate(z, sampling);
            if (good) found = search.learn(allowed_step(c, find_limits(z)));
        }
        dt = search.allowed;
    }
    if (good && dt < expression::infinity()) {
        sampling = {MEAN, start, start + dt, start + 0.5 * dt, q.max_step};
        good = evaluate(z, sampling);
        if (good) limits = find_limits(z);
    }

    if (blockIdx.x == 0 && threadIdx.x == 0) {
        if (good) {
            set_limits(c, limits);
            c.progress.dt = dt;
            look_at_step(c, c.progress);
        } else {
            c.bad_time = sampling.quantity == VALUE ? sampling.start : sampling.end;
            c.progress.halt = BAD_COEFFICIENT;
        }
    }
    // The last block to leave prepares the next launch.
    if (threadIdx.x == 0) is_last = atomicAdd(&q.counts[LEFT_BLOCKS], 1u) == blocks - 1;
    __syncthreads();
    if (!is_last || threadIdx.x != 0) return;
    q.counts[ARRIVED_BLOCKS] = q.counts[LEFT_BLOCKS] = q.counts[N_READING] = 0;
    q.counts[N_LISTS]++;
}
