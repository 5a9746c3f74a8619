// Coefficients of a motion on tiles. src/levelset/tiled/cuda/state.rs defines the argument.
//
// Kernels are compiled for the active terms. VELOCITY, NORMAL and CURVATURE have values from
// generated/tile_terms.cuh. SAMPLED has a bit for each component of a varying velocity that is
// sampled from a volume. RESCALING is 1 if the rescaling term is active. SCHEME has a value from
// generated/tile_motion.cuh.
#pragma once
#include "generated/tile_motion.cuh"
#include "generated/tile_terms.cuh"
#include "tiles/grid.cuh"

#if VELOCITY == TERM_VARIES || NORMAL == TERM_VARIES || CURVATURE == TERM_VARIES
#define VARIES 1
#include "coefficients_generated.cuh"
#include "sampling.cuh"
#endif
#if VELOCITY == TERM_STATIONARY || NORMAL == TERM_STATIONARY || CURVATURE == TERM_STATIONARY
#define KEPT 1
#endif
#ifndef SAMPLED
#define SAMPLED 0
#endif

DEVICE stored* array_of(const TileMotion& m, const TileControl& c, u32 role) {
    const u32 at = c.at[role];
    return at == 0 ? m.values[0] : at == 1 ? m.values[1] : m.values[2];
}

// The number of tiles that a block computes at a time. Each thread handles four voxels.
enum { TILES_OF_BLOCK = 4 * BLOCK / (TILE_EDGE * TILE_EDGE * TILE_EDGE) };

// Parts of expressions that the voxels of a tile share (crates/core/src/expression/hoisting.rs).
struct Parts {
#if VARIES
    double of_time[N_TIME_PARTS];
    double of_axis[TILES_OF_BLOCK][3][TILE_EDGE][N_AXIS_PARTS];

    // Computes the parts that depend only on time. Called by one thread before a barrier.
    DEVICE void begin(double t) { time_parts(t, of_time); }

    // Computes the parts for the tile `slot` of the block. The tile has `group` threads, and
    // `thread` is the index of this thread. A barrier must follow.
    DEVICE void find(const TileMotion& m, u32 slot, u64 key, u32 thread, u32 group, double t) {
        for (u32 k = thread; k < 3 * TILE_EDGE; k += group) {
            const u32 axis = k / TILE_EDGE, n = k % TILE_EDGE;
            axis_parts(axis, place_along(m, key, axis, n), t, of_time, of_axis[slot][axis][n]);
        }
    }

    // Returns the position of voxel n of a tile along an axis.
    DEVICE static double place_along(const TileMotion& m, u64 key, u32 axis, u32 n) {
        return m.origin[axis] + m.dx * (coordinate_of(key, axis) * TILE_EDGE + (i32)n);
    }
#endif
};

// A stored coefficient of K components at four voxels of a tile.
template <u32 K>
struct StationaryRows {
    struct __align__(8) Row {
        short v[QUAD];
    };
    Row rows[K];
    real unit;

    DEVICE void load(const StationaryValues& kept, u32 id, u32 voxel) {
        const u32 size = TILE_EDGE * TILE_EDGE * TILE_EDGE;
        const short* values = kept.values + (u64)id * K * size + voxel / QUAD * QUAD;
#pragma unroll
        for (u32 k = 0; k < K; k++) rows[k] = *(const Row*)(values + k * size);
        unit = extreme_of(kept, id, KEPT_UNIT);
    }

    // Returns a component at one of the voxels.
    DEVICE real at(u32 k, u32 i) const { return (real)rows[k].v[i] * unit; }
};

// All stored coefficients at four voxels of a tile.
struct StationaryQuad {
#if VELOCITY == TERM_STATIONARY
    StationaryRows<3> velocity;
#endif
#if NORMAL == TERM_STATIONARY
    StationaryRows<1> normal_speed;
#endif
#if CURVATURE == TERM_STATIONARY
    StationaryRows<1> curvature;
#endif

    DEVICE StationaryQuad(const TileMotion& m, u32 id, u32 voxel) {
#if VELOCITY == TERM_STATIONARY
        velocity.load(m.kept[0], id, voxel);
#endif
#if NORMAL == TERM_STATIONARY
        normal_speed.load(m.kept[1], id, voxel);
#endif
#if CURVATURE == TERM_STATIONARY
        curvature.load(m.kept[2], id, voxel);
#endif
    }
};

#if VARIES
// The bounds or means of all expressions, and the largest product of change and duration, in
// voxels.
struct FieldSamples {
    double value[N_FIELDS];
    double change;
};

// Computes the bounds or means of the expressions at a point. `per_length` and `per_area` convert
// lengths and areas to voxels.
DEVICE_CALL FieldSamples sample_fields(double x, double y, double z, double per_length, double per_area, Sampling s) {
    FieldSamples samples;
    samples.change = 0.0;
#pragma unroll 1
    for (u32 k = 0; k < N_FIELDS; k++) {
        const FieldAtRow field = {k, x, y, z, nullptr, 0};
        double per = per_length;
#if CURVATURE == TERM_VARIES
        // The curvature coefficient is the last field.
        if (k == N_FIELDS - 1) per = per_area;
#endif
        double change = 0.0;
        samples.value[k] = sample(field, s, SLACK / per, change);
        samples.change = fmax(samples.change, change * per);
    }
    return samples;
}
#endif

// The coefficients at a voxel.
struct Coefficients {
    real u[3];
    real speed, alpha;

    // Sets all coefficients to their uniform values.
    DEVICE explicit Coefficients(const TileMotion& m)
        : u{m.velocity[0], m.velocity[1], m.velocity[2]}, speed(m.normal_speed), alpha(m.curvature) {}

    // Sets the coefficients that are stored per voxel to those of voxel `i` of the quad.
    DEVICE void take(const StationaryQuad& kept, u32 i) {
#if VELOCITY == TERM_STATIONARY
#pragma unroll
        for (u32 k = 0; k < 3; k++) u[k] = kept.velocity.at(k, i);
#endif
#if NORMAL == TERM_STATIONARY
        speed = kept.normal_speed.at(0, i);
#endif
#if CURVATURE == TERM_STATIONARY
        alpha = kept.curvature.at(0, i);
#endif
    }

    // Evaluates the expressions at a voxel of a tile, at time `t`. Expressions use world lengths,
    // and terms use voxels.
    DEVICE void evaluate(const TileMotion& m, const Parts& parts, u32 slot, u64 key, u32 voxel, double t) {
#if VARIES
        double at[3], value[N_FIELDS];
        u32 n[3];
        find_place(m, key, voxel, n, at);
        const auto& of = parts.of_axis[slot];
        fields_of_parts(at[0], at[1], at[2], t, parts.of_time, of[0][n[0]], of[1][n[1]], of[2][n[2]], value);
        set(m, at, value);
#endif
    }

#if VARIES
    // Finds the coordinates of a voxel in its tile and in space.
    DEVICE static void find_place(const TileMotion& m, u64 key, u32 voxel, u32 (&n)[3], double (&at)[3]) {
        n[0] = voxel % TILE_EDGE;
        n[1] = voxel / TILE_EDGE % TILE_EDGE;
        n[2] = voxel / (TILE_EDGE * TILE_EDGE);
        for (u32 axis = 0; axis < 3; axis++) at[axis] = Parts::place_along(m, key, axis, n[axis]);
    }

    // Sets the coefficients at a voxel of a tile to the bounds or means of the expressions. Returns
    // the largest product of change and duration in voxels.
    DEVICE double sample(const TileMotion& m, u64 key, u32 voxel, const Sampling& s) {
        double at[3];
        u32 n[3];
        find_place(m, key, voxel, n, at);
        const FieldSamples samples = sample_fields(at[0], at[1], at[2], m.per_voxel[0], m.per_voxel[1], s);
        set(m, at, samples.value);
        return samples.change;
    }

    // Sets the coefficients at a point from the values of the expressions, or from a volume for
    // sampled components.
    DEVICE void set(const TileMotion& m, const double (&at)[3], const double (&value)[N_FIELDS]) {
        u32 next = 0;
#if VELOCITY == TERM_VARIES
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            u[k] = SAMPLED >> k & 1 ? component_at(m.components[k], at) : (real)value[next++] * m.per_voxel[0];
        }
#endif
#if NORMAL == TERM_VARIES
        speed = (real)value[next++] * m.per_voxel[0];
#endif
#if CURVATURE == TERM_VARIES
        alpha = (real)value[next++] * m.per_voxel[1];
#endif
    }
#endif
};
