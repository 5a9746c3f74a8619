// Time-dependent coefficients, and the step that they allow, before each step; the counterpart of
// Window::choose_step in src/levelset/evolution/time_step.rs.
//
// A coefficient that is small now may be large later in a long step. The limits must therefore
// allow the step at several times within it. The middle is evaluated last, because the step uses
// the coefficients at that time. One cooperative kernel evaluates them as often as needed, so
// nothing returns to the host.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1, VARIES=1
// variants: ADVECTION=1, NORMAL=1, CURVATURE=1, VELOCITY_ROWS=1, SPEED_ROWS=1, CURVATURE_ROWS=1
//     | ADVECTION=3, VELOCITY_ROWS=1
// generated: coefficients
#include "coefficients.cuh"
#include "common/grid.cuh"
#include "time_step_limits.cuh"

// Indices of `counts`: blocks that arrived at barriers, blocks that left, patches on the list (all
// 0 between launches), and lists so far.
enum { ARRIVED_BLOCKS, LEFT_BLOCKS, N_READING, N_LISTS };

// The data of a block during the search.
struct Search {
    const Patches& m;
    const Evolution& s;
    const Varying& q;
    const u32* active;
    u32 n_active;
    u32 blocks;  // number of blocks that take part
    u32 turn;    // index of the limits of this evaluation
};

// Lists the active patches, the patches at a boundary with given inflow, and the neighbors of both.
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
        // If a previous call stopped because of invalid values, they are searched for again.
        for (u32 k = 0; k < 2 * N_FIELDS; k++) q.broken[k] = 0xffffffffu;
    }
    grid_barrier(&q.counts[ARRIVED_BLOCKS], z.blocks);
}

// Evaluates the coefficients of the listed patches at time t. Returns false if a value is invalid.
DEVICE bool evaluate(const Search& z, double t) {
    const Varying& q = z.q;
    const u32 n_reading = *(volatile u32*)&q.counts[N_READING];
    for (u32 k = blockIdx.x; k < n_reading; k += z.blocks) {
        const u32 p = q.reading[k], last = z.m.starts[p + 1].vertex;
        for (u32 v = z.m.starts[p].vertex + threadIdx.x; v < last; v += blockDim.x) {
            evaluate_vertex(v, z.m.n_vertices, q.places, t, q.arrays, q.nonnegative, q.values, q.broken);
        }
    }
    grid_barrier(&q.counts[ARRIVED_BLOCKS], z.blocks);
    bool good = true;
    for (u32 k = 0; k < 2 * N_FIELDS; k++) good = good && *(volatile u32*)&q.broken[k] == 0xffffffffu;
    return good;
}

// Returns the limits of the band with the current coefficients; the whole grid must call it. Two
// sets of limits are used in turn: the next one is cleared when no block reads it anymore.
DEVICE Limits find_limits(Search& z) {
    __shared__ Limits block_limits;
    Limits* all = &z.q.limits[z.turn];
    z.turn ^= 1;
    if (blockIdx.x == 0 && threadIdx.x == 0) z.q.limits[z.turn] = no_limits();
    Limits limits = no_limits();
    if (threadIdx.x == 0) block_limits = limits;
    for (u32 k = blockIdx.x; k < z.n_active; k += z.blocks) {
        Patch patch = patch_of(z.m, z.active[k]);
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            u32 corner[N];
            bool active = false;
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
    return limits;
}

// Chooses the time step, and evaluates the coefficients at its middle.
//
// Grid: as many blocks as are resident at once, cooperative; block: any multiple of 32; shared:
// none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) varying_search(Patches m, Evolution s, Varying q) {
    __shared__ u32 is_last;
    Control& c = *s.control;
    const u32 n_active = c.n_active;
    const u32 blocks = gridDim.x < n_active ? gridDim.x : n_active;
    if (is_paused(c) || blockIdx.x >= blocks) return;
    Search z = {m, s, q, active_list(s, c), n_active, blocks, 0};
    list_patches(z);

    const double start = c.progress.time;
    double dt = c.target - c.progress.clock, whole = 0.0, t = start;
    Limits limits = no_limits();
    real_bits speed = 0;
    bool good = true;
    // Evaluation 0 is at the start. Evaluations 1 to 3 are inside a step of length `whole`.
    for (u32 look = 0;;) {
        good = evaluate(z, t);
        if (!good) break;
        limits = find_limits(z);
        speed = speed > limits.speed ? speed : limits.speed;
        dt = fmin(dt, allowed_step(c, limits));
        if (look == 0 && !(dt < (double)INFINITY_R)) break;
        // The tolerance ends the search despite rounding.
        if (look == 3 && dt >= 0.999 * whole) {
            dt = whole;
            break;
        }
        look = look % 3 + 1;
        if (look == 1) whole = dt;
        t = start + (look == 1 ? 1.0 : look == 2 ? 0.382 : 0.5) * whole;
    }

    if (blockIdx.x == 0 && threadIdx.x == 0) {
        if (good) {
            limits.speed = speed;
            set_limits(c, limits);
            c.progress.dt = dt;
            look_at_step(c, c.progress);
        } else {
            c.bad_time = t;
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
