// What the last pass of a step leaves: clamped values, what tiles ask for, what the voxels are. The last
// block ends the step.
#pragma once
#include "common/block.cuh"
#include "common/time.cuh"
#include "tiles/motion.cuh"
#include "tiles/padded.cuh"

// Bits of the voxels of a tile beside those of the directions.
const u32 HAS_INSIDE = 1u << 28, HAS_OUTSIDE = 1u << 29;

// What a thread saw of its voxels.
struct Outcome {
    u32 active, inside, not_a_number, stirred;
    real change;

    // Four voxels of the new phi, as they were computed.
    DEVICE void count(const Four& four, real core) {
        u32 band = 0, negative = 0;
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            band |= core > fabs(four.v[i]) ? 1u << i : 0u;
            negative |= R(0) > four.v[i] ? 1u << i : 0u;
        }
        active += __popc(band);
        inside += __popc(negative);
    }

    // Four voxels before they are clamped, which in f32 hides what is not a number.
    DEVICE void look_for_flaws(const Four& four) {
        const real sum = (four.v[0] + four.v[1]) + (four.v[2] + four.v[3]);
        if (sum == sum) return;
        for (int i = 0; i < QUAD; i++) not_a_number += four.v[i] != four.v[i];
    }

    // How far phi went in a step where it was next to the interface.
    DEVICE void compare(real old, real value, real gamma) {
        const real by = fabs(value - old);
        if (fabs(old) < gamma * R(0.5) && by > change) change = by;
    }
};

DEVICE double clamped(double v, double gamma) {
    v = v > gamma ? gamma : v;
    return -gamma > v ? -gamma : v;
}
DEVICE float clamped(float v, float gamma) { return larger(smaller(v, gamma), -gamma); }

// Bits of a quad for what its tile asks for.
DEVICE u32 bits_of_quad(const Quad& q, u32 voxel, real core, u32 keep) {
    const u32 x = voxel % E, y = voxel / E % E, z = voxel / (E * E);
    u32 band = 0, negative = 0;
#pragma unroll
    for (int i = 0; i < QUAD; i++) {
        band |= is_active(q.v[i], core) ? 1u << i : 0u;
        negative |= is_inside(q.v[i]) ? 1u << i : 0u;
    }
    const u32 bits = (negative ? HAS_INSIDE : 0) | (negative != 15 ? HAS_OUTSIDE : 0);
    if (!band) return bits;
    band <<= x;
    const u32 low = (1u << keep) - 1, high = low << (E - keep);
    u32 near = (band & low ? 1u : 0u) | 2u | (band & high ? 4u : 0u);
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

// Notes what a tile asks for now, and whether that is something else than before: one thread.
DEVICE bool note(Outcome& outcome, u32& activity, u32 bits) {
    const u32 mask = activity_of(bits);
    if (mask == activity) return false;
    activity = mask;
    outcome.stirred = 1;
    return true;
}

DEVICE bool is_finite(double x) { return fabs(x) < __longlong_as_double(0x7ff0000000000000); }

// The step that a speed allows.
DEVICE double bound_by(const TileControl& c, double speed) {
    const double rest = c.target - c.clock;
    return speed > 0.0 ? up_to(c.nu / speed, rest) : rest;
}

// Stops where nothing bounds the next step, or where it is too short to change the time.
DEVICE void look_at_step(TileControl& c) {
    if (c.halt != RUNNING) return;
    if (!is_finite(c.dt)) c.halt = AT_REST;
    else if (c.time + c.dt == c.time && c.dt < c.target - c.clock) c.halt = LOST;
}

// Length of the next step where coefficients are the same everywhere: one thread. Others: tiles_length.
DEVICE void choose_step(TileControl& c) {
#if !VARIES && VELOCITY != 3
    c.speed = c.uniform_speed;
    c.dt = bound_by(c, c.speed);
    look_at_step(c);
#endif
}

DEVICE bool has_interface(const TileControl& c) {
    return c.inside > 0 && c.inside < (u64)c.n_tiles * TILE_VALUES;
}

// Takes over what a pass has seen of phi: one thread, after all blocks.
DEVICE void take_over(TileControl& c) {
    c.active = c.next_active;
    c.inside = c.next_inside;
    c.not_a_number = c.next_not_a_number;
    c.next_active = c.next_inside = c.next_not_a_number = 0;
    if (c.not_a_number) c.halt = BROKEN;
}

DEVICE void swap_arrays(TileControl& c, u32 role) {
    const u32 phi = c.at[0];
    c.at[0] = c.at[role];
    c.at[role] = phi;
}

// Ends a step: one thread, after all values of it are there. One that is broken is as if it had not been:
// phi from before stands where it stood.
DEVICE void end_step(TileControl& c, u32 out) {
    const double dt = c.dt, rest = c.target - c.clock;
    c.rate = dt > 0.0 ? from_bits(c.next_change) / dt : 0.0;
    c.next_change = 0;
    if (c.not_a_number) return;
    swap_arrays(c, out);
    c.time += dt;
    c.dt_done = dt;
    c.step++;
    c.steps_left--;
    c.tile_steps += c.n_tiles;
    const bool landed = is_finite(c.target) && dt >= rest;
    c.clock = landed ? c.target : c.clock + dt;
    c.due = c.every != 0 && c.step % c.every == 0;
    if (!c.due) c.voxel_steps += c.active;
    if (!has_interface(c)) c.halt = GONE;
    else if (landed || c.steps_left == 0) c.halt = ARRIVED;
    else if (c.rate <= c.steady) c.halt = STEADY;
    // The card's clock is slow to read: not after every step.
    if (c.halt || c.step % 16 == 0) c.elapsed = nanoseconds() - c.began;
    if (!c.due) choose_step(c);
}

// Ends the reinitialization: one thread.
DEVICE void end_reinitialization(TileControl& c, u32 out) {
    c.due = 0;
    if (c.not_a_number) return;
    swap_arrays(c, out);
    c.reinitializations++;
    c.voxel_steps += c.active;
    if (!has_interface(c)) c.halt = GONE;
    if (c.halt) c.elapsed = nanoseconds() - c.began;
    choose_step(c);
}

// Joins what the threads of the grid have seen; true for one thread of the last block.
DEVICE bool join(TileControl& c, const Outcome& mine) {
    __shared__ u32 sums[4];
    __shared__ u64 change;
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    if (threadIdx.x == 0) change = 0;
    __syncthreads();
    if (mine.active) atomicAdd(&sums[0], mine.active);
    if (mine.inside) atomicAdd(&sums[1], mine.inside);
    if (mine.not_a_number) atomicAdd(&sums[2], mine.not_a_number);
    if (mine.stirred) atomicOr(&sums[3], 1u);
    if (mine.change > R(0)) atomic_max_bits(&change, to_bits((double)mine.change));
    __syncthreads();
    if (threadIdx.x == 0) {
        if (sums[0]) atomicAdd(&c.next_active, (u64)sums[0]);
        if (sums[1]) atomicAdd(&c.next_inside, (u64)sums[1]);
        if (sums[2]) atomicAdd(&c.next_not_a_number, (u64)sums[2]);
        if (sums[3]) atomicOr(&c.stirred, 1u);
        if (change) atomic_max_bits(&c.next_change, change);
    }
    return is_last_block(c) && threadIdx.x == 0;
}

// Looks at phi as it stands in an array: counts, and finds what tiles ask for. `bits_of_tile` is shared memory with
// a zero for each tile of the block, and is left so; a barrier lies before and behind.
DEVICE void look_at_all(const TileGrid& g, const TileMotion& m, u32 list, u32 n, const stored* phi, u32* bits_of_tile,
                        Outcome& outcome) {
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    for (u32 first = blockIdx.x * TILES; first < n; first += gridDim.x * TILES) {
        const u32 p = first + slot;
        u32 bits = 0;
        if (p < n) {
            const Quad q = *(const Quad*)(phi + (u64)g.ids[list][p] * TILE_VALUES + voxel);
            Four values;
#pragma unroll
            for (int i = 0; i < QUAD; i++) values.v[i] = load_value(q.v[i], m.gamma);
            outcome.look_for_flaws(values);
            outcome.count(values, m.core);
            bits = bits_of_quad(q, voxel, m.core, m.keep);
        }
        join_bits(&bits_of_tile[slot], bits);
        __syncthreads();
        if (thread == 0) {
            if (p < n) note(outcome, g.activity[list][p], bits_of_tile[slot]);
            bits_of_tile[slot] = 0;
        }
        __syncthreads();
    }
}
