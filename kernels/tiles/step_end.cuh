// The end of a step: the last pass clamps values, computes requests and counts voxels. The last
// block ends the step or the reinitialization, and chooses the next step.
#pragma once
#include "common/block.cuh"
#include "common/clock.cuh"
#include "common/step_target.cuh"
#include "tiles/motion.cuh"
#include "tiles/padded_tile.cuh"

// Bits that describe the voxels of a tile. They are combined with the bits of the directions.
const u32 HAS_INSIDE = 1u << 28, HAS_OUTSIDE = 1u << 29;

// The counts of a thread over its voxels.
struct Outcome {
    u32 active, inside, not_a_number, stirred;
    real change;

    // Counts four voxels of the new phi. Bit i of the arguments describes voxel i.
    DEVICE void count(u32 band, u32 negative) {
        active += __popc(band);
        inside += __popc(negative);
    }

    // Counts the NaN values of four voxels. Must run before clamping, which hides NaN in f32.
    DEVICE void look_for_flaws(const Four& four) {
        const real sum = (four.v[0] + four.v[1]) + (four.v[2] + four.v[3]);
        if (sum == sum) return;
        for (int i = 0; i < QUAD; i++) not_a_number += four.v[i] != four.v[i];
    }

    // Updates the largest change in phi in a step, over voxels with |phi| < gamma / 2 before the
    // step.
    DEVICE void compare(real old, real value, real gamma) {
        const real by = gamma * R(0.5) > fabs(old) ? fabs(value - old) : R(0);
        change = larger(by, change);
    }
};

DEVICE double clamped(double v, double gamma) {
    v = v > gamma ? gamma : v;
    return -gamma > v ? -gamma : v;
}
DEVICE float clamped(float v, float gamma) { return larger(smaller(v, gamma), -gamma); }

// Two properties of four voxels in a row, with one bit per voxel: whether it is in the band, and
// whether it is negative.
struct QuadBits {
    u32 band, negative;

    // Computes the bits from stored values.
    DEVICE QuadBits(const Quad& q, real core) : band(0), negative(0) {
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            band |= is_active(q.v[i], core) ? 1u << i : 0u;
            negative |= is_inside(q.v[i]) ? 1u << i : 0u;
        }
    }

    // Computes the bits from the values before they are stored. Counts use these bits if storing
    // rounds the values to 16 bits.
    DEVICE QuadBits(const Four& four, real core) : band(0), negative(0) {
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            band |= core > fabs(four.v[i]) ? 1u << i : 0u;
            negative |= R(0) > four.v[i] ? 1u << i : 0u;
        }
    }
};

// The neighbors that lie within a number of layers of the four voxels of a thread. They are the
// same for all tiles.
struct Asking {
    u32 middle;     // directions without a step along x
    u32 low, high;  // bits of the voxels within these layers of the faces along x

    DEVICE Asking(u32 voxel, u32 layers) {
        const u32 x = voxel % E, y = voxel / E % E, z = voxel / (E * E), all = (1u << layers) - 1;
        low = all >> x;
        high = all << (E - layers) >> x;
        const u32 column = (y < layers ? 2u : 0u) | 2u << 3 | (y + layers >= E ? 2u << 6 : 0u);
        middle = (z < layers ? column : 0u) | column << 9 | (z + layers >= E ? column << 18 : 0u);
    }

    // Returns the directions that voxels of the band request, including the tile itself.
    DEVICE u32 of(u32 band) const {
        const u32 sides = (band & low ? middle >> 1 : 0u) | (band & high ? middle << 1 : 0u);
        return band ? middle | sides : 0u;
    }
};

// The directions that a thread of a tile examines at the end of a step.
struct Watch {
    Asking kept, needed;  // tiles to keep, and tiles that the next step needs

    DEVICE Watch(u32 voxel, const TileMotion& m) : kept(voxel, m.keep), needed(voxel, m.need) {}

    // Counts four voxels from their computed and stored values, and returns their requests.
    DEVICE u32 look(Outcome& outcome, const Four& four, const Quad& q, real core, u32 missing) const {
        const QuadBits bits(q, core);
#if STORAGE == STORAGE_FIXED16
        const QuadBits counted(four, core);
#else
        const QuadBits& counted = bits;
#endif
        outcome.count(counted.band, counted.negative);
        outcome.stirred |= needed.of(bits.band) & missing ? PRESSING_NOW : 0;
        const u32 signs = (bits.negative ? HAS_INSIDE : 0) | (bits.negative != 15 ? HAS_OUTSIDE : 0);
        return signs | kept.of(bits.band);
    }
};

// Returns the request mask of a tile from the bits of all its voxels.
DEVICE u32 activity_of(u32 bits) {
    if (bits & ALL) return bits & ALL;
    if (!(bits & HAS_INSIDE)) return 0;
    return bits & HAS_OUTSIDE ? ALL : INSIDE;
}

// Whether one warp holds all threads of a tile.
enum { IS_OF_WARP = GROUP <= 32 };

// Returns the union of the bits of those threads of a warp that belong to the same tile.
DEVICE u32 join_in_warp(u32 bits) {
    const u32 full = 0xffffffffu;
    constexpr u32 LANES = IS_OF_WARP ? GROUP : 32;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (LANES == 32) return __reduce_or_sync(full, bits);
    if (LANES == 16) {
        const bool is_low = threadIdx.x % 32 < 16;
        const u32 low = __reduce_or_sync(full, is_low ? bits : 0), high = __reduce_or_sync(full, is_low ? 0 : bits);
        return is_low ? low : high;
    }
#endif
    for (u32 by = LANES / 2; by > 0; by /= 2) bits |= __shfl_xor_sync(full, bits, by);
    return bits;
}

// Combines the bits of the threads of each tile. Every thread must take part. If a tile has several
// warps, the result is in a word of shared memory. The word must be zero before the call, and a
// barrier must follow. Otherwise, all threads of the tile get the result.
DEVICE u32 join_bits(u32* of_tile, u32 bits) {
    bits = join_in_warp(bits);
    if (!IS_OF_WARP && threadIdx.x % 32 == 0 && bits) atomicOr(of_tile, bits);
    return bits;
}

// Stores the request mask of a tile. Called by one thread. If `is_new` is set, missing neighbors
// are checked even if the mask has not changed.
DEVICE void note(Outcome& outcome, const TileGrid& g, u32 list, u32 p, u32 asked, u32 bits, u32 missing, bool is_new) {
    const u32 mask = activity_of(bits);
    if (mask == asked && !is_new) return;
    if (mask != asked) {
        g.activity[list][p] = mask;
        outcome.stirred |= STIRRED;
    }
    // A tile without a part of the band requests neighbors of the other sign, or all neighbors if
    // it has both signs.
    u32 other = missing;
    if (bits & ACTIVE) return;
    if (mask != ALL) other &= mask & INSIDE ? ~g.borders[list][p] : g.borders[list][p];
    if (other) outcome.stirred |= PRESSING_NOW;
}

DEVICE bool is_finite(double x) { return fabs(x) < __longlong_as_double(0x7ff0000000000000); }

// Returns the time step that a speed allows, at most the time left to the target.
DEVICE double bound_by(const TileControl& c, double speed) {
    const double rest = c.target - c.clock;
    return speed > 0.0 ? up_to(c.nu / speed, rest) : rest;
}

// Sets `halt` if nothing bounds the next step, or if the step does not reach the target and is too
// short to change the time.
DEVICE void look_at_step(TileControl& c) {
    if (c.halt != RUNNING) return;
    if (!is_finite(c.dt)) c.halt = AT_REST;
    else if (c.time + c.dt == c.time && c.dt < c.target - c.clock) c.halt = LOST;
}

// Chooses the next time step if the coefficients are uniform. Otherwise, tiles_length chooses it.
// Called by one thread.
DEVICE void choose_step(TileControl& c) {
#if !VARIES && !KEPT
    c.speed = c.uniform_speed;
    c.dt = bound_by(c, c.speed);
    look_at_step(c);
#endif
}

DEVICE bool has_interface(const TileControl& c) {
    return c.inside > 0 && c.inside < (u64)c.n_tiles * TILE_VALUES;
}

// Stores the results of a pass over phi. Called by one thread after all blocks have finished.
DEVICE void take_over(TileControl& c) {
    c.active = c.next_active;
    c.inside = c.next_inside;
    c.not_a_number = c.next_not_a_number;
    c.next_active = c.next_inside = c.next_not_a_number = 0;
    c.stirred = (c.stirred & STIRRED) | (c.stirred & PRESSING_NOW ? PRESSING : 0);
    if (c.not_a_number) c.halt = BROKEN;
}

DEVICE void swap_arrays(TileControl& c, u32 role) {
    const u32 phi = c.at[0];
    c.at[0] = c.at[role];
    c.at[role] = phi;
}

// Ends a step. Called by one thread after all values of the step are written. A failed step has no
// effect: the previous phi stays in place.
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
    // Reset the counts of the last tile update, which tell kernels which tiles are new.
    c.created = c.deleted = 0;
    c.tile_steps += c.n_tiles;
    const bool landed = is_finite(c.target) && dt >= rest;
    c.clock = landed ? c.target : c.clock + dt;
    c.due = c.every != 0 && c.step % c.every == 0;
    if (!c.due) c.voxel_steps += c.active;
    if (!has_interface(c)) c.halt = GONE;
    else if (landed || c.steps_left == 0) c.halt = ARRIVED;
    else if (c.rate <= c.steady) c.halt = STEADY;
    // The GPU's clock is slow to read, so it is not read after every step.
    if (c.halt || c.step % 16 == 0) c.elapsed = nanoseconds() - c.began;
    if (!c.due) choose_step(c);
}

// Ends a reinitialization. Called by one thread.
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

// Combines the counts of all threads of the grid. Returns true for one thread of the last block.
DEVICE bool join(TileControl& c, const Outcome& mine) {
    __shared__ u32 sums[4];
    __shared__ u64 change;
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    if (threadIdx.x == 0) change = 0;
    __syncthreads();
    if (mine.active) atomicAdd(&sums[0], mine.active);
    if (mine.inside) atomicAdd(&sums[1], mine.inside);
    if (mine.not_a_number) atomicAdd(&sums[2], mine.not_a_number);
    if (mine.stirred) atomicOr(&sums[3], mine.stirred);
    if (mine.change > R(0)) atomic_max_bits(&change, to_bits((double)mine.change));
    __syncthreads();
    if (threadIdx.x == 0) {
        if (sums[0]) atomicAdd(&c.next_active, (u64)sums[0]);
        if (sums[1]) atomicAdd(&c.next_inside, (u64)sums[1]);
        if (sums[2]) atomicAdd(&c.next_not_a_number, (u64)sums[2]);
        if (sums[3]) atomicOr(&c.stirred, sums[3]);
        if (change) atomic_max_bits(&c.next_change, change);
    }
    return is_last_block(c) && threadIdx.x == 0;
}

// Examines phi in an array: counts voxels and computes the requests of tiles. `bits_of_tile` is
// shared memory with one word for each tile of the block. The words must be zero before the call
// and are zero after it. There must be a barrier before and after the call.
DEVICE void look_at_all(const TileGrid& g, const TileMotion& m, u32 list, u32 n, const stored* phi, u32* bits_of_tile,
                        Outcome& outcome) {
    const u32 thread = threadIdx.x % GROUP, slot = threadIdx.x / GROUP, voxel = QUAD * thread;
    const Watch watch(voxel, m);
    for (u32 first = blockIdx.x * TILES; first < n; first += gridDim.x * TILES) {
        const u32 p = first + slot;
        u32 bits = 0, missing = 0;
        if (p < n) {
            missing = missing_of(g, p);
            const Quad q = *(const Quad*)(phi + (u64)g.ids[list][p] * TILE_VALUES + voxel);
            Four values;
#pragma unroll
            for (int i = 0; i < QUAD; i++) values.v[i] = load_value(q.v[i], m.gamma);
            outcome.look_for_flaws(values);
            bits = watch.look(outcome, values, q, m.core, missing);
        }
        bits = join_bits(&bits_of_tile[slot], bits);
        __syncthreads();
        if (thread == 0) {
            if (!IS_OF_WARP) bits = bits_of_tile[slot];
            if (p < n) note(outcome, g, list, p, g.activity[list][p], bits, missing, true);
            bits_of_tile[slot] = 0;
        }
        __syncthreads();
    }
}
