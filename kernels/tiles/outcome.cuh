// What the last pass of a step leaves: clamped values, what tiles ask for, how fast the next step may
// be. The last block ends the step.
#pragma once
#include "common/block.cuh"
#include "common/time.cuh"
#include "tiles/motion.cuh"
#include "tiles/padded.cuh"

// Bits of the voxels of a tile beside those of the directions.
const u32 HAS_INSIDE = 1u << 28, HAS_OUTSIDE = 1u << 29;

// What a thread saw of its voxels.
struct Outcome {
    u32 active, not_a_number, flaws, stirred;
    double speed;
};

// Bits of a voxel for what its tile asks for.
DEVICE u32 bits_of_voxel(stored value, u32 x, u32 y, u32 z, real gamma, u32 keep) {
    u32 bits = is_inside(value) ? HAS_INSIDE : HAS_OUTSIDE;
    if (!is_active(value, gamma)) return bits;
    u32 near = (x < keep ? 1u : 0u) | 2u | (x + keep >= E ? 4u : 0u);
    near = (y < keep ? near : 0) | near << 3 | (y + keep >= E ? near << 6 : 0);
    return bits | (z < keep ? near : 0) | near << 9 | (z + keep >= E ? near << 18 : 0);
}

// What a tile asks for, from the bits of all its voxels.
DEVICE u32 activity_of(u32 bits) {
    if (bits & ALL) return bits & ALL;
    if (!(bits & HAS_INSIDE)) return 0;
    return bits & HAS_OUTSIDE ? ALL : INSIDE;
}

// Joins the bits of the threads of each tile; every thread comes, and a barrier follows.
DEVICE void join_bits(u32* of_tile, u32 bits) {
    constexpr u32 LANES = GROUP < 32 ? GROUP : 32;
#pragma unroll
    for (u32 by = LANES / 2; by > 0; by /= 2) bits |= __shfl_xor_sync(0xffffffffu, bits, by);
    if (threadIdx.x % LANES == 0 && bits) atomicOr(of_tile, bits);
}

// Looks at the values of a quad and clamps them.
DEVICE u32 look_at(Outcome& outcome, const TileMotion& m, Quad& q, u64 key, u32 voxel, double t) {
    const u32 x = voxel % E, y = voxel / E % E, z = voxel / (E * E);
    u32 bits = 0;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        real v = load_value(q.v[i], m.gamma);
        v = v > m.gamma ? m.gamma : v;
        v = v < -m.gamma ? -m.gamma : v;
        q.v[i] = store_value(v, m.gamma);
        outcome.active += fabs(v) < m.gamma;
        outcome.not_a_number += !(v <= m.gamma);
        bits |= bits_of_voxel(q.v[i], x + i, y, z, m.gamma, m.keep);
#if VARIES
        if (!is_active(q.v[i], m.gamma)) continue;
        Coefficients k(m);
        const i32 first_x = coordinate_of(key, 0) * E, first_y = coordinate_of(key, 1) * E;
        k.evaluate(m, first_x + (i32)x + i, first_y + (i32)y, coordinate_of(key, 2) * E + (i32)z, t);
        double sum = fabs((double)k.u[0]) + fabs((double)k.u[1]) + fabs((double)k.u[2]);
        sum = sum + fabs((double)k.speed) * sqrt(3.0) + 6.0 * (double)k.alpha;
        if (k.alpha < R(0)) outcome.flaws |= 2;
        if (!(sum - sum == 0.0)) outcome.flaws |= 1;
        if (sum > outcome.speed) outcome.speed = sum;
#endif
    }
    return bits;
}

// Notes what a tile asks for now: one thread.
DEVICE void note(Outcome& outcome, u32& activity, u32 bits) {
    const u32 mask = activity_of(bits);
    if (mask == activity) return;
    activity = mask;
    outcome.stirred = 1;
}

// Length of the next step: one thread.
DEVICE void choose_step(TileControl& c) {
    const double rest = c.target - c.clock;
    c.dt = c.speed > 0.0 ? fmin(c.nu / c.speed, rest) : rest;
    if (c.halt != RUNNING) return;
    if (c.next_flaws & 1) c.halt = BAD_COEFFICIENT;
    else if (c.next_flaws & 2) c.halt = NEGATIVE;
    else if (!(c.dt < __longlong_as_double(0x7ff0000000000000))) c.halt = AT_REST;
    else if (c.time + c.dt == c.time && c.dt < rest) c.halt = LOST;
}

// Takes over what a pass has seen of phi: one thread, after all blocks.
DEVICE void take_over(TileControl& c) {
    c.active = c.next_active;
    c.not_a_number = c.next_not_a_number;
    c.speed = c.uniform_speed + from_bits(c.next_speed);
    c.next_active = c.next_not_a_number = c.next_speed = 0;
    if (c.not_a_number) c.halt = BROKEN;
}

// Ends a step: one thread, after all values of it are there.
DEVICE void end_step(TileControl& c, u32 out) {
    const double dt = c.dt, rest = c.target - c.clock;
    const u32 phi = c.at[0];
    c.at[0] = c.at[out];
    c.at[out] = phi;
    c.time += dt;
    c.dt_done = dt;
    c.step++;
    c.steps_left--;
    c.tile_steps += c.n_tiles;
    const bool landed = c.target < __longlong_as_double(0x7ff0000000000000) && dt >= rest * (1.0 - 1e-12);
    c.clock = landed ? c.target : c.clock + dt;
    c.due = c.every != 0 && c.step % c.every == 0 && !c.not_a_number;
    if (c.halt == RUNNING && c.active == 0) c.halt = GONE;
    if (c.halt == RUNNING && (landed || c.steps_left == 0)) c.halt = ARRIVED;
    // The card's clock is slow to read: not after every step.
    if (c.halt || c.step % 16 == 0) c.elapsed = nanoseconds() - c.began;
    if (!c.due) choose_step(c);
}

// Ends a pass of the reinitialization: one thread.
DEVICE void end_reinitialization(TileControl& c, u32 out) {
    const u32 phi = c.at[0];
    c.at[0] = c.at[out];
    c.at[out] = phi;
    c.due = 0;
    c.reinitializations++;
    if (c.halt) c.elapsed = nanoseconds() - c.began;
    choose_step(c);
}

// Joins what the threads of the grid have seen; true for one thread of the last block.
DEVICE bool join(TileControl& c, const Outcome& mine) {
    __shared__ u32 sums[4];
    __shared__ u64 speed;
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    if (threadIdx.x == 0) speed = 0;
    __syncthreads();
    if (mine.active) atomicAdd(&sums[0], mine.active);
    if (mine.not_a_number) atomicAdd(&sums[1], mine.not_a_number);
    if (mine.flaws) atomicOr(&sums[2], mine.flaws);
    if (mine.stirred) atomicOr(&sums[3], 1u);
    if (mine.speed > 0.0) atomic_max_bits(&speed, to_bits(mine.speed));
    __syncthreads();
    if (threadIdx.x == 0) {
        if (sums[0]) atomicAdd(&c.next_active, (u64)sums[0]);
        if (sums[1]) atomicAdd(&c.next_not_a_number, (u64)sums[1]);
        if (sums[2]) atomicOr(&c.next_flaws, sums[2]);
        if (sums[3]) atomicOr(&c.stirred, 1u);
        if (speed) atomic_max_bits(&c.next_speed, speed);
    }
    return is_last_block(c) && threadIdx.x == 0;
}
