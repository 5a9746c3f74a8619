// The choice of the next time step from the speeds in the band. This file is part of step.cu and
// uses its division of the tiles among blocks.
#pragma once
#include "common/step_search.cuh"
#include "tiles/motion.cuh"
#include "tiles/step_end.cuh"

// Sets `halt` if blocks have found an invalid coefficient, and records the time `t` for the
// error message. Called by one thread.
DEVICE void halt_for_flaws(TileControl& c, double t) {
    if (!c.flaws) return;
    c.halt = c.flaws & NOT_FINITE ? BAD_COEFFICIENT : NEGATIVE;
    c.bad_time = t;
    c.flaws = 0;
}

#if VARIES && !RELAX && !AVERAGES

// The largest speed, the largest product of change and duration, and the flaws that a thread has
// found.
struct Fastest {
    real most;
    double change;
    u32 flaws;
};

// Examines the coefficients at a voxel of a tile that contains a part of the band.
DEVICE void look_at(Fastest& fastest, const TileMotion& m, const StationaryQuad& kept, const Parts& parts, u32 slot, u64 key,
                    u32 voxel, real phi, const Sampling& s) {
    const bool is_near = m.core > fabs(phi);
#if CURVATURE < TERM_VARIES
    if (!is_near) return;
#endif
    Coefficients k(m);
    k.take(kept, voxel % QUAD);
    if (s.quantity == VALUE) {
        k.evaluate(m, parts, slot, key, voxel, s.at);
    } else {
        fastest.change = fmax(fastest.change, k.sample(m, key, voxel, s));
    }
    // All voxels of the tile are checked, so a negative value may also lie outside the band, but
    // close to it.
    if (k.alpha < R(0)) fastest.flaws |= BELOW_ZERO;
    if (!is_near) return;
    real sum = (fabs(k.u[0]) + fabs(k.u[1])) + fabs(k.u[2]);
    sum = sum + fabs(k.speed) * R(1.7320508075688772) + k.alpha * R(6);
    if (!(sum - sum == R(0))) fastest.flaws |= NOT_FINITE;
    if (sum > fastest.most) fastest.most = sum;
}

// Returns the largest speed in the band, or infinity for invalid coefficients. `change` becomes the
// largest product of change and duration in voxels. All blocks of a cooperative kernel must take
// part, and all get the same results. `pass` counts up from 0.
DEVICE double largest_speed(const TileGrid& g, const TileMotion& m, TileControl& c, const Sampling& s, u32 pass,
                            double& change) {
    __shared__ u64 most, most_change;
    __shared__ Parts parts;
    const u32 list = c.list, n = c.n_tiles;
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    const stored* phi = array_of(m, c, 0);
    Fastest fastest = {R(0), 0.0, 0};
    if (threadIdx.x == 0) {
        most = most_change = 0;
        parts.begin(s.at);
    }
    __syncthreads();
    for (u32 first = blockIdx.x * TILES; first < n; first += gridDim.x * TILES) {
        const u32 p = first + slot;
        const bool is_near = p < n && g.activity[list][p] & ACTIVE;
        const u64 key = is_near ? g.keys[list][p] : 0;
        if (is_near) parts.find(m, slot, key, thread, GROUP, s.at);
        __syncthreads();
        if (is_near) {
            const u32 id = g.ids[list][p];
            const Quad q = *(const Quad*)(phi + (u64)id * TILE_VALUES + voxel);
            const StationaryQuad kept(m, id, voxel);
            for (int i = 0; i < QUAD; i++) {
                look_at(fastest, m, kept, parts, slot, key, voxel + i, load_value(q.v[i], m.gamma), s);
            }
        }
        __syncthreads();
    }
    if (fastest.most > R(0)) atomic_max_bits(&most, to_bits((double)fastest.most));
    if (fastest.change > 0.0) atomic_max_bits(&most_change, to_bits(fastest.change));
    if (fastest.flaws) {
        atomicOr(&c.flaws, fastest.flaws);
        atomic_max_bits(&most, to_bits(Precision<double>::infinity()));
    }
    __syncthreads();
    // Each pass uses one of three words. The word of the previous pass is cleared while no block
    // reads it.
    if (threadIdx.x == 0 && most) atomic_max_bits(&c.speeds[pass % 3], most);
    if (threadIdx.x == 0 && most_change) atomic_max_bits(&c.variations[pass % 3], most_change);
    grid_barrier(&c.arrived);
    const double speed = c.uniform_speed + from_bits(*(volatile u64*)&c.speeds[pass % 3]);
    change = from_bits(*(volatile u64*)&c.variations[pass % 3]);
    if (blockIdx.x == 0 && threadIdx.x == 0) c.speeds[(pass + 2) % 3] = c.variations[(pass + 2) % 3] = 0;
    return speed;
}

// Chooses the next time step. The bounds of the coefficients over the step limit its length.
// Grid: cooperative. Block: BLOCK threads. Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) tiles_length(TileGrid g, TileMotion m) {
    TileControl& c = *g.control;
    if (is_paused(c)) return;
    u32 pass = 0;
    double change = 0.0;
    // No step can be longer than the one that the coefficients at its start allow.
    Sampling s = {VALUE, c.time, c.time, c.time, c.max_step};
    double speed = largest_speed(g, m, c, s, pass, change);
    double dt = fmin(bound_by(c, speed), up_to(c.max_step, c.target - c.clock));
    if (is_finite(dt) && is_finite(speed)) {
        s.quantity = BOUND;
        StepSearch search(dt);
        for (bool found = false; !found;) {
            pass++;
            s.end = c.time + search.trial;
            speed = largest_speed(g, m, c, s, pass, change);
            if (!is_finite(speed)) break;
            found = search.learn(speed > 0.0 ? c.nu / speed : expression::infinity());
        }
        dt = search.allowed;
    }
    if (!is_last_block(c) || threadIdx.x != 0) return;
    for (u32 k = 0; k < 3; k++) c.speeds[k] = c.variations[k] = 0;
    c.speed = speed;
    c.dt = dt;
    // The last span examined contains the step.
    c.averages = change > SLACK;
    halt_for_flaws(c, s.end);
    look_at_step(c);
}
#elif KEPT && !VARIES && !RELAX

// Returns a bound on the speed over all voxels of a tile: a weighted sum of the largest values of
// its stored coefficients.
DEVICE double kept_speed(const TileMotion& m, u32 id) {
    double most = 0.0;
#if NORMAL == TERM_STATIONARY
    most = most + 1.7320508075688772 * (double)extreme_of(m.kept[1], id, KEPT_LARGEST);
#endif
#if VELOCITY == TERM_STATIONARY
    most = most + (double)extreme_of(m.kept[0], id, KEPT_LARGEST);
#endif
#if CURVATURE == TERM_STATIONARY
    most = most + 6.0 * (double)extreme_of(m.kept[2], id, KEPT_LARGEST);
#endif
    return most;
}

// Chooses the next time step from the largest speed of all tiles.
// Grid: any. Block: BLOCK threads. Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) tiles_length(TileGrid g, TileMotion m) {
    __shared__ u64 most;
    __shared__ u32 flaws;
    TileControl& c = *g.control;
    if (is_paused(c)) return;
    if (threadIdx.x == 0) {
        most = 0;
        flaws = 0;
    }
    __syncthreads();
    const u32 list = c.list, n = c.n_tiles;
    double mine = 0;
    u32 flawed = 0;
    for (u32 p = blockIdx.x * BLOCK + threadIdx.x; p < n; p += gridDim.x * BLOCK) {
        const u32 id = g.ids[list][p];
        const double of_tile = kept_speed(m, id);
        if (!is_finite(of_tile)) flawed |= NOT_FINITE;
#if CURVATURE == TERM_STATIONARY
        if (extreme_of(m.kept[2], id, KEPT_LEAST) < R(0)) flawed |= BELOW_ZERO;
#endif
        mine = of_tile > mine ? of_tile : mine;
    }
    if (mine > 0) atomic_max_bits(&most, to_bits(mine));
    if (flawed) atomicOr(&flaws, flawed);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (most) atomic_max_bits(&c.speeds[0], most);
        if (flaws) atomicOr(&c.flaws, flaws);
    }
    if (!is_last_block(c) || threadIdx.x != 0) return;
    c.speed = c.uniform_speed + from_bits(c.speeds[0]);
    c.dt = bound_by(c, c.speed);
    halt_for_flaws(c, c.time);
    c.speeds[0] = 0;
    look_at_step(c);
}
#endif
