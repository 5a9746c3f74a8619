// Steps on tiles (docs/tiles.md, section 8): the counterpart of src/levelset/tiled/block.rs and
// motion.rs.
//
// A group of threads computes a tile, and each thread handles four voxels of a row. The tile and
// its halo are loaded into shared memory. With first-order differences, a thread then loads all
// values that its four voxels need into registers. WENO5 takes several hundred operations for a
// moving voxel and none for other voxels, so the moving voxels are listed and the threads of the
// block share the list. The pass that ends a step also clamps values, counts voxels and computes
// the requests of the tile. The neighbor ids of the next tile are loaded at the same time.
//
// RELAX: the kernel takes steps of the reinitialization equation and does not evaluate the terms.
// EULER: the step has one evaluation.
// AVERAGES: the kernel uses the means of coefficients. It runs instead of the kernel without
// AVERAGES if coefficients change so much during the step that their means are needed. One kernel
// for both would need too many registers.
//
// variants: REAL=float, TILE_EDGE=4, BLOCK=128
//     | REAL=float, TILE_EDGE=8, BLOCK=128 | REAL=float, TILE_EDGE=4, STORAGE=16, BLOCK=128
//     | REAL=double, TILE_EDGE=4, BLOCK=64 | REAL=double, TILE_EDGE=8, BLOCK=128
// variants: SCHEME=1, EULER=1, NORMAL=1
//     | SCHEME=1, EULER=1, NORMAL=1, CURVATURE=1
//     | SCHEME=1, VELOCITY=1, NORMAL=1, CURVATURE=1, RESCALING=1 | SCHEME=5, VELOCITY=1
//     | SCHEME=5, VELOCITY=1, NORMAL=1, CURVATURE=1, RESCALING=1
//     | SCHEME=1, EULER=1, VELOCITY=3, RESCALING=1
//     | SCHEME=1, EULER=1, VELOCITY=3, CURVATURE=1, RESCALING=1 | SCHEME=1, EULER=1, NORMAL=3
//     | SCHEME=1, VELOCITY=3, NORMAL=3, CURVATURE=3, RESCALING=1
//     | SCHEME=5, VELOCITY=3, NORMAL=3, CURVATURE=3, RESCALING=1 | SCHEME=5, NORMAL=2
//     | SCHEME=5, VELOCITY=3, NORMAL=2, CURVATURE=3, RESCALING=1
//     | SCHEME=1, VELOCITY=2, SAMPLED=3, NORMAL=3, CURVATURE=3
//     | SCHEME=5, VELOCITY=2, SAMPLED=3, NORMAL=3, CURVATURE=3 | SCHEME=1, RELAX=1
//     | SCHEME=5, RELAX=1 | SCHEME=5, NORMAL=2, AVERAGES=1
//     | SCHEME=5, VELOCITY=3, NORMAL=2, CURVATURE=3, RESCALING=1, AVERAGES=1
//     | SCHEME=1, VELOCITY=2, SAMPLED=3, NORMAL=3, CURVATURE=3, AVERAGES=1
// generated: coefficients
// fused: REAL=float
#include "common/shared.cuh"

#ifndef RELAX
#define RELAX 0
#endif
#ifndef EULER
#define EULER 0
#endif
#ifndef AVERAGES
#define AVERAGES 0
#endif
#define REACH (SCHEME == SCHEME_WENO5 ? 3 : 1)
#if CURVATURE && !RELAX
#define EDGES 1
#else
#define EDGES 0
#endif
#include "tiles/step_end.cuh"

// The time step of the reinitialization equation.
#define RELAX_STEP 0.3

// The number of threads that must fit on a multiprocessor. With more tiles in flight, threads wait
// less for loads. However, the terms must fit in the registers that this number leaves to each
// thread. Higher numbers would cause registers to spill.
#if AVERAGES
enum { THREADS = 256 };
#elif SAMPLED || (KEPT && (VARIES || (EDGES && SCHEME == SCHEME_WENO5)))
enum { THREADS = sizeof(real) == 8 ? 256 : 384 };
#elif VARIES
enum { THREADS = sizeof(real) == 8 ? (SCHEME == SCHEME_WENO5 ? 256 : 384) : 512 };
#elif EDGES && (VELOCITY || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000))
enum { THREADS = sizeof(real) == 8 ? 256 : 512 };
#elif !HAS_NEAR && (EDGES || SCHEME != SCHEME_WENO5)
enum { THREADS = sizeof(real) == 8 ? 256 : 512 };
#elif STORAGE == STORAGE_FIXED16 || SCHEME == SCHEME_WENO5
enum { THREADS = sizeof(real) == 8 ? 384 : 640 };
#elif EDGES
enum { THREADS = sizeof(real) == 8 ? (TILE_EDGE == 8 ? 384 : 256) : TILE_EDGE == 8 ? 512 : 640 };
#elif RELAX || VELOCITY || KEPT || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000)
enum { THREADS = sizeof(real) == 8 ? 384 : 768 };
#else
enum { THREADS = sizeof(real) == 8 ? 384 : 1024 };
#endif
enum { MIN_BLOCKS = THREADS / BLOCK };

#include "tiles/rate.cuh"

// The shared memory of a block.
struct Shared {
#if SCHEME == SCHEME_WENO5
    __align__(16) real padded[TILES][PADDED];
    // The values of the evaluation, and the moving voxels, stored as tile * TILE_VALUES + voxel.
    __align__(16) real fresh[TILES][TILE_VALUES];
    u16 moving[TILES * TILE_VALUES];
    u32 n_moving;
    Near near[2];  // for the tiles of this turn and those of the next turn
#else
    // The tiles of this turn, and those of the next turn, whose values are being copied.
    __align__(16) real padded[2][TILES][PADDED];
#endif
#if VARIES
    u64 keys[TILES];
#if AVERAGES
    Sampling means;
#endif
#endif
    u32 bits[TILES];
    Parts parts;
};

// Synchronizes the threads of a tile. A warp barrier suffices if one warp holds all of them.
DEVICE void tile_barrier() {
    if (IS_OF_WARP && SCHEME != SCHEME_WENO5) __syncwarp();
    else __syncthreads();
}

// Returns the result of one evaluation at one moving voxel: the voxel's value plus dt times its
// rate of change.
template <typename At>
DEVICE real advanced(const Shared& shared, const TileMotion& m, const StationaryQuad& kept, const At& at, u32 slot,
                     u32 voxel, double t, real dt, real phi0, real square) {
    Coefficients k(m);
#if !RELAX
    k.take(kept, voxel % QUAD);
#if AVERAGES
    k.sample(m, shared.keys[slot], voxel, shared.means);
#elif VARIES
    k.evaluate(m, shared.parts, slot, shared.keys[slot], voxel, t);
#endif
#endif
    return at(0, 0, 0) + dt * rate_of(m, k, at, phi0, square);
}

#if SCHEME == SCHEME_WENO5

// Sets the new values of four voxels as if none moved, and lists those that move. advance_listed
// then overwrites the values of the listed voxels. Bit i of the result is set if voxel i moves.
DEVICE u32 list_moving(Shared& shared, const TileMotion& m, u32 slot, u32 voxel, bool is_here) {
    u32 moving = 0;
    if (is_here) {
        const real* here = shared.padded[slot] + place_of(voxel);
        Four still;
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            const Around at = {here + i};
            moving |= is_moving(at, m.core) ? 1u << i : 0u;
            still.v[i] = R(0) > at(0, 0, 0) ? -m.gamma : m.gamma;
        }
        *(Four*)(shared.fresh[slot] + voxel) = still;
    }
    // Voxels of lower lanes come first.
    const u32 lane = threadIdx.x % 32;
    u32 before = 0, sum = 0;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        const u32 votes = __ballot_sync(0xffffffffu, moving >> i & 1);
        before += __popc(votes & ((1u << lane) - 1));
        sum += __popc(votes);
    }
    u32 start = 0;
    if (lane == 0 && sum != 0) start = atomicAdd(&shared.n_moving, sum);
    u32 at = __shfl_sync(0xffffffffu, start, 0) + before;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        if (moving >> i & 1) shared.moving[at++] = (u16)(slot * TILE_VALUES + voxel + i);
    }
    return moving;
}

// Computes the new values of the listed voxels.
DEVICE void advance_listed(Shared& shared, const TileMotion& m, const Near& near, const stored* phi0, double t,
                           real dt) {
    for (u32 n = threadIdx.x; n < shared.n_moving; n += BLOCK) {
        const u32 which = shared.moving[n], slot = which / TILE_VALUES, voxel = which % TILE_VALUES;
        const Around at = {shared.padded[slot] + place_of(voxel)};
        const u32 id = near.ids[slot][NEAR_CENTER];
        real sign = at(0, 0, 0);
        if (RELAX && phi0) sign = load_value(phi0[(u64)id * TILE_VALUES + voxel], m.gamma);
        const StationaryQuad kept(m, id, voxel);
        shared.fresh[slot][voxel] = advanced(shared, m, kept, at, slot, voxel, t, dt, sign, R(0));
    }
}

#else

// Returns |grad phi|^2 at four voxels for a front that moves in one direction.
DEVICE Four upwind_squares(const AroundQuad& around, bool outward) {
    Four squares;
#pragma unroll
    for (int i = 0; i < QUAD; i++) squares.v[i] = upwind_godunov_square(AroundOne{around, i}, outward);
    return squares;
}

// Computes the new values of four voxels. `signs` holds phi0, or is null if phi0 is the evaluated
// phi itself. Bit i of the result is set if voxel i moved.
DEVICE u32 advance_quad(const Shared& shared, const TileMotion& m, const real* own, u32 id, u32 slot, u32 voxel,
                        double t, real dt, const Quad* signs, Four& fresh) {
    const StationaryQuad kept(m, id, voxel);
    const AroundQuad around(own, EDGES);
    u32 moving = 0;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        const AroundOne at = {around, i};
        moving |= is_moving(at, m.core) ? 1u << i : 0u;
        fresh.v[i] = copysign(m.gamma, at(0, 0, 0));
    }
    if (!moving) return 0;
    Four squares = {R(0), R(0), R(0), R(0)};
#if ONE_WAY
    // All threads take the same branch, which avoids a selection at every voxel.
    if (m.normal_speed > R(0)) squares = upwind_squares(around, true);
    else squares = upwind_squares(around, false);
#endif
    // All four voxels are computed, so that they share differences and their latencies overlap.
    // Expressions can be expensive, so they are evaluated only at moving voxels.
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
#if VARIES && !RELAX
        if (!(moving >> i & 1)) continue;
#endif
        const AroundOne at = {around, i};
        const real sign = signs ? load_value(signs->v[i], m.gamma) : at(0, 0, 0);
        const real value = advanced(shared, m, kept, at, slot, voxel + i, t, dt, sign, squares.v[i]);
        fresh.v[i] = moving >> i & 1 ? value : fresh.v[i];
    }
    return moving;
}

#endif

// Runs one evaluation on all tiles.
// Grid: any size, ideally as many blocks as can be resident at once. Block: BLOCK threads. Shared
// memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
tiles_stage(TileGrid g, TileMotion m, TileStage s) {
    __shared__ Shared shared;
    TileControl& c = *g.control;
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    const Watch watch(voxel, m);
#if SCHEME != SCHEME_WENO5
    const Part part(thread);
#endif
    await_kernel_before();
    const u32 list = c.list, n = c.n_tiles, stride = gridDim.x * TILES;
    if ((RELAX ? !c.due : is_paused(c)) || n == 0) return;
#if VARIES && !RELAX
    if (c.averages != AVERAGES) return;
#endif
    const stored* from = array_of(m, c, s.from);
    const stored* base = array_of(m, c, s.base);
    stored* out = array_of(m, c, s.out);
    const real dt = RELAX ? R(RELAX_STEP) : (real)c.dt;
    const double t = c.time + s.part * c.dt;
    const bool mixes = !EULER && !RELAX && s.mixes, is_last = (EULER && !RELAX) || s.is_last;
    Outcome outcome = {0, 0, 0, 0, R(0)};
    u32 p = blockIdx.x * TILES + slot, turn = 0;
    const u32* activity = list ? g.activity[1] : g.activity[0];
    NearPart next;
    if (thread == 0) shared.bits[slot] = 0;
#if AVERAGES
    if (threadIdx.x == 0) shared.means = {MEAN, c.time, c.time + c.dt, t, c.max_step};
#elif VARIES && !RELAX
    if (threadIdx.x == 0) shared.parts.begin(t);
#endif
#if SCHEME == SCHEME_WENO5
    if (threadIdx.x == 0) shared.n_moving = 0;
    next.read(g, list, thread, p, n);
    if (p < n) next.keep(shared.near[0], slot, thread);
#else
    const u32* ids = list ? g.ids[1] : g.ids[0];
    const NearList near = near_list(g, list);
    next.read(ids, near, part, p, n);
    next.copy(part, shared.padded[0][slot], from, m.gamma);
    u32 next_id = next.own, next_missing = next.missing;
    next.read(ids, near, part, p + stride, n);
    await_copies();
#endif
    __syncthreads();
    for (u32 first = blockIdx.x * TILES; first < n; first += stride, p += stride, turn ^= 1) {
        const bool is_here = p < n;
        // The result of this load is not needed until the end of the turn.
        const u32 asked = is_last ? activity[is_here ? p : n - 1] : 0;
#if VARIES && !RELAX
        const u64 key = is_here ? g.keys[list][p] : 0;
        if (thread == 0) shared.keys[slot] = key;
#if !AVERAGES
        if (is_here) shared.parts.find(m, slot, key, thread, GROUP, t);
#endif
#endif
#if SCHEME == SCHEME_WENO5
        const Near& near = shared.near[turn];
        const u32 id = near.ids[slot][NEAR_CENTER], missing = near.missing[slot];
        next.read(g, list, thread, p + stride, n);
        if (is_here) copy_padded(shared.padded[slot], near.ids[slot], from, m.gamma, thread);
#else
        const u32 id = next_id, missing = next_missing;
        // No thread reads this buffer anymore.
        next.copy(part, shared.padded[turn ^ 1][slot], from, m.gamma);
        next_id = next.own;
        next_missing = next.missing;
        next.read(ids, near, part, p + 2 * stride, n);
#endif
        const u64 at = (u64)id * TILE_VALUES;
        const Quad old = is_here && mixes ? *(const Quad*)(base + at + voxel) : Quad{};
        u32 moving = 0;
        Four fresh;
#if SCHEME == SCHEME_WENO5
        __syncthreads();
        const real* own = shared.padded[slot] + place_of(voxel);
        moving = list_moving(shared, m, slot, voxel, is_here);
        if (p + stride < n) next.keep(shared.near[turn ^ 1], slot, thread);
        __syncthreads();
        advance_listed(shared, m, near, s.from == s.base ? nullptr : base, t, dt);
        __syncthreads();
        if (threadIdx.x == 0) shared.n_moving = 0;
        if (is_here) fresh = *(const Four*)(shared.fresh[slot] + voxel);
#else
#if VARIES && !RELAX
        tile_barrier();
#endif
        const real* own = shared.padded[turn][slot] + place_of(voxel);
        if (is_here) {
            const bool is_other = RELAX && s.from != s.base;
            const Quad signs = is_other ? *(const Quad*)(base + at + voxel) : Quad{};
            moving = advance_quad(shared, m, own, id, slot, voxel, t, dt, is_other ? &signs : nullptr, fresh);
        }
#endif
        u32 bits = 0;
        if (is_here) {
            Quad q;
            real before[QUAD];
#pragma unroll
            for (int i = 0; i < QUAD; i++) {
                // The first evaluation of a step does not mix. It reads the old phi, so the voxel's
                // own value is the old one.
                before[i] = mixes ? load_value(old.v[i], m.gamma) : own[i];
                real& value = fresh.v[i];
                if (mixes && moving >> i & 1) value = s.shares[0] * before[i] + s.shares[1] * value;
            }
            if (is_last) outcome.look_for_flaws(fresh);
#pragma unroll
            for (int i = 0; i < QUAD; i++) {
                real& value = fresh.v[i];
                // The result of every step of the reinitialization equation is clamped.
                if (RELAX || is_last) value = clamped(value, m.gamma);
                if (!RELAX && is_last) outcome.compare(before[i], value, m.gamma);
                q.v[i] = store_value(value, m.gamma);
            }
            if (is_last) bits = watch.look(outcome, fresh, q, m.core, missing);
            *(Quad*)(out + at + voxel) = q;
        }
        if (is_last) bits = join_bits(&shared.bits[slot], bits);
        await_copies();
        tile_barrier();
        if (!is_last || thread != 0) continue;
        if (!IS_OF_WARP) {
            bits = shared.bits[slot];
            shared.bits[slot] = 0;
        }
        if (is_here) note(outcome, g, list, p, asked, bits, missing, false);
    }
    if (!is_last || !join(c, outcome)) return;
    take_over(c);
#if RELAX
    end_reinitialization(c, s.out);
#else
    end_step(c, s.out);
#endif
}

#if !RELAX && !AVERAGES
// Examines phi that was uploaded or computed elsewhere: counts voxels and computes the requests of
// tiles. Grid: any. Block: BLOCK threads. Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) tiles_look(TileGrid g, TileMotion m) {
    __shared__ u32 bits_of_tile[TILES];
    TileControl& c = *g.control;
    const u32 list = c.list, n = c.n_tiles;
    const stored* phi = array_of(m, c, 0);
    Outcome outcome = {0, 0, 0, 0, R(0)};
    if (threadIdx.x < TILES) bits_of_tile[threadIdx.x] = 0;
    __syncthreads();
    look_at_all(g, m, list, n, phi, bits_of_tile, outcome);
    if (join(c, outcome)) take_over(c);
}

// Starts a series of steps. Launched with one thread.
extern "C" __global__ void tiles_begin(TileGrid g, double clock, double target, double steady, u64 steps) {
    TileControl& c = *g.control;
    c.clock = clock;
    c.target = target;
    c.steady = steady;
    c.steps_left = steps;
    c.halt = c.not_a_number ? BROKEN : has_interface(c) ? RUNNING : GONE;
    c.began = nanoseconds();
    c.elapsed = 0;
    choose_step(c);
}
#endif

#include "tiles/time_step.cuh"
