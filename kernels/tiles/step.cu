// Steps on tiles (numerics 8): the twin of src/levelset/tiled/block.rs and motion.rs.
//
// A group of threads computes a tile, each of them four voxels of a row: tile and halo come to
// shared memory, the rate of change is added up term by term, and the pass that ends a step also
// clamps, counts, and finds what the tile asks for and how fast the next step may be. Ids of the
// neighbors of the next tile are on their way meanwhile.
//
// RELAX: steps of the reinitialization equation instead of the terms.
#include "common/shared.cuh"
#include "tiles/formulas/curvature.cuh"
#include "tiles/formulas/motion.cuh"
#include "tiles/formulas/weno.cuh"

#ifndef RELAX
#define RELAX 0
#endif
#define REACH (SCHEME == 5 ? 3 : 1)
#if CURVATURE && !RELAX
#define EDGES 1
#endif
#include "tiles/outcome.cuh"

// Length of a step of the reinitialization equation.
#define RELAX_STEP 0.3

// Blocks that must fit a multiprocessor: what is read is waited for less where more tiles are on
// their way, and the terms keep to the registers that this leaves.
#if VARIES
enum { MIN_BLOCKS = (sizeof(real) == 8 ? 384 : 512) / BLOCK };
#else
enum { MIN_BLOCKS = (sizeof(real) == 8 ? 384 : SCHEME == 5 || STORAGE == 16 ? 640 : 1024) / BLOCK };
#endif

DEVICE real along(const Around& at, u32 axis, i32 by) {
    return at(axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0);
}

#if SCHEME == 5
enum { POINTS = 7 };
#define BOTH weno_both
#define FROM weno_from
#else
enum { POINTS = 3 };
#define BOTH upwind_both
#define FROM upwind_from
#endif

DEVICE void points(const Around& at, u32 axis, real (&p)[POINTS]) {
#pragma unroll
    for (int k = 0; k < POINTS; k++) p[k] = along(at, axis, k - POINTS / 2);
}

// Rate of change at a voxel; `phi0` gives the sign of the way towards a distance.
DEVICE real rate_of(const TileMotion& m, const Coefficients& k, const Around& at, real phi0) {
    real rate = R(0);
#if CURVATURE && !RELAX
    rate = k.alpha * curvature(central(at));
#endif
    real p[POINTS];
#if NORMAL || RESCALING || RELAX
    OneSided d;
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        points(at, axis, p);
        BOTH(p, d.minus[axis], d.plus[axis]);
    }
#if VELOCITY && !RELAX
    rate = rate - transport(k.u, d);
#endif
#if NORMAL && !RELAX
    rate = rate - k.speed * sqrt(godunov_square(d, k.speed));
#endif
#if RELAX
    rate = rate + R(1) * towards_distance(phi0, godunov_square(d, phi0));
#elif RESCALING
    rate = rate + m.rescaling * towards_distance(phi0, godunov_square(d, phi0));
#endif
#elif VELOCITY
    real derivative[3];
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        points(at, axis, p);
        derivative[axis] = FROM(p, k.u[axis]);
    }
    rate = rate - ((k.u[0] * derivative[0] + k.u[1] * derivative[1]) + k.u[2] * derivative[2]);
#endif
    return rate;
}

// New values of four voxels.
DEVICE Quad evaluate(const TileMotion& m, const TileStage& s, const real* padded, const stored* base,
                     u64 key, u32 voxel, double t, real dt) {
    const u32 x = voxel % E, y = voxel / E % E, z = voxel / (E * E);
    const real* here = padded + ((z + REACH) * SIDE + y + REACH) * SIDE + x + REACH;
    const Quad old = s.mixes || RELAX ? *(const Quad*)(base + voxel) : Quad{};
    Quad fresh;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        const Around at = {here + i};
        const real own = at(0, 0, 0);
        real rate = R(0);
        if (is_moving(at, m.gamma)) {
            Coefficients k(m);
            const i32 first_x = coordinate_of(key, 0) * E, first_y = coordinate_of(key, 1) * E;
            k.evaluate(m, first_x + (i32)x + i, first_y + (i32)y, coordinate_of(key, 2) * E + (i32)z, t);
            rate = rate_of(m, k, at, RELAX ? load_value(old.v[i], m.gamma) : own);
        }
        real value = own + dt * rate;
        if (s.mixes) value = s.old_share * load_value(old.v[i], m.gamma) + s.new_share * value;
        fresh.v[i] = store_value(value, m.gamma);
    }
    return fresh;
}

// One evaluation at all tiles.
// Grid: any, best as many blocks as are resident at once; block: BLOCK threads; shared: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
tiles_stage(TileGrid g, TileMotion m, TileStage s) {
    __shared__ __align__(16) real padded[TILES][PADDED];
    __shared__ u32 near[2][TILES][DIRECTIONS];
    __shared__ u32 bits_of_tile[TILES];
    TileControl& c = *g.control;
#if RELAX
    if (!c.due) return;
#else
    if (is_paused(c)) return;
#endif
    const u32 list = c.list, n = c.n_tiles, stride = gridDim.x * TILES;
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    const stored* from = array_of(m, c, s.from);
    const stored* base = array_of(m, c, s.base);
    stored* out = array_of(m, c, s.out);
    const real dt = RELAX ? R(RELAX_STEP) : (real)c.dt;
    const double t = c.time + s.part * c.dt;
    Outcome outcome = {0, 0, 0, 0, 0.0};
    u32 p = blockIdx.x * TILES + slot;
    NearRow row;
    row.find(g, list, thread, p, n);
    row.read(g, list, thread, p, n);
    row.keep(near[0][slot], thread);
    if (thread == 0) bits_of_tile[slot] = 0;
    __syncthreads();
    u32 turn = 0;
    for (u32 first = blockIdx.x * TILES; first < n; first += stride, p += stride, turn ^= 1) {
        const bool is_here = p < n;
        const u64 key = is_here ? g.keys[list][p] : 0;
        const u32* of_tile = near[turn][slot];
        const u64 at = (u64)of_tile[CENTER] * TILE_VALUES;
        row.find(g, list, thread, p + stride, n);
        if (is_here) pad(padded[slot], of_tile, from, m.gamma, thread);
        row.read(g, list, thread, p + stride, n);
        __syncthreads();
        u32 bits = 0;
        if (is_here) {
            Quad fresh = evaluate(m, s, padded[slot], base + at, key, voxel, t, dt);
#if RELAX
            // Every step of it is clamped.
            bits = look_at(outcome, m, fresh, key, voxel, c.time);
#else
            if (s.is_last) bits = look_at(outcome, m, fresh, key, voxel, c.time + c.dt);
#endif
            *(Quad*)(out + at + voxel) = fresh;
        }
        if (s.is_last) join_bits(&bits_of_tile[slot], bits);
        row.keep(near[turn ^ 1][slot], thread);
        __syncthreads();
        if (!s.is_last || thread != 0) continue;
        if (is_here) note(outcome, g.activity[list][p], bits_of_tile[slot]);
        bits_of_tile[slot] = 0;
    }
    if (!s.is_last || !join(c, outcome)) return;
    take_over(c);
#if RELAX
    end_reinitialization(c, s.out);
#else
    end_step(c, s.out);
#endif
}

#if !RELAX
// Looks at phi as it was handed over or made by others: clamps, counts, and finds what tiles ask for.
// Grid and block: any multiple of GROUP threads; shared: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) tiles_look(TileGrid g, TileMotion m) {
    __shared__ u32 bits_of_tile[TILES];
    TileControl& c = *g.control;
    const u32 list = c.list, n = c.n_tiles;
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    stored* phi = array_of(m, c, 0);
    Outcome outcome = {0, 0, 0, 0, 0.0};
    if (thread == 0) bits_of_tile[slot] = 0;
    __syncthreads();
    for (u32 first = blockIdx.x * TILES; first < n; first += gridDim.x * TILES) {
        const u32 p = first + slot;
        u32 bits = 0;
        if (p < n) {
            Quad* values = (Quad*)(phi + (u64)g.ids[list][p] * TILE_VALUES + voxel);
            Quad q = *values;
            bits = look_at(outcome, m, q, g.keys[list][p], voxel, c.time);
            *values = q;
        }
        join_bits(&bits_of_tile[slot], bits);
        __syncthreads();
        if (thread == 0) {
            if (p < n) note(outcome, g.activity[list][p], bits_of_tile[slot]);
            bits_of_tile[slot] = 0;
        }
        __syncthreads();
    }
    if (join(c, outcome)) take_over(c);
}

// Begins a stretch of steps: one thread.
extern "C" __global__ void tiles_begin(TileGrid g, double clock, double target, u64 steps) {
    TileControl& c = *g.control;
    c.clock = clock;
    c.target = target;
    c.steps_left = steps;
    c.halt = c.not_a_number ? BROKEN : c.active == 0 ? GONE : RUNNING;
    c.began = nanoseconds();
    c.elapsed = 0;
    choose_step(c);
}
#endif
