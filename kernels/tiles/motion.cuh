// The motion on tiles: src/levelset/tiled/cuda/state.rs lays it out.
//
// Units are compiled for the terms that act: VELOCITY, NORMAL, CURVATURE are 0 for none, 1 for one
// value, 2 for an expression; RESCALING 1 with the rescaling term; SCHEME 1 or 5 is the order of the
// differences.
#pragma once
#include "tiles/grid.cuh"
#include "tiles/storage.cuh"

#if VELOCITY == 2 || NORMAL == 2 || CURVATURE == 2
#define VARIES 1
#include "coefficients_generated.cuh"
#endif

struct TileMotion {
    stored* values[3];      // [capacity][TILE_VALUES] each: phi and stages, as the control block says
    double origin[3], dx;   // voxel v lies at origin + dx v
    real gamma;
    real core;              // a voxel moves if it or a neighbor has a smaller |phi|
    real rescaling;         // factor of the rescaling term
    real velocity[3];       // voxels per time
    real normal_speed;
    real curvature;         // voxels squared per time
    real per_voxel[2];      // 1 / dx and its square
    u32 keep;               // layers round an active voxel within which tiles are kept
};

#ifdef TILE_MOTION_BYTES
static_assert(sizeof(TileMotion) == TILE_MOTION_BYTES, "the host lays out the same");
#endif

// One evaluation: out = old base + fresh (from + dt L(from)).
struct TileStage {
    double part;            // of the step at which coefficients are taken
    real old_share, new_share;
    u32 from, out, base;    // 0 phi, 1 and 2 the stages
    u32 mixes;              // whether the base has a share
    u32 is_last;
};

#ifdef TILE_STAGE_BYTES
static_assert(sizeof(TileStage) == TILE_STAGE_BYTES, "the host lays out the same");
#endif

DEVICE stored* array_of(const TileMotion& m, const TileControl& c, u32 role) {
    const u32 at = c.at[role];
    return at == 0 ? m.values[0] : at == 1 ? m.values[1] : m.values[2];
}

// Coefficients at a voxel.
struct Coefficients {
    real u[3];
    real speed, alpha;

    // The values that are the same everywhere.
    DEVICE explicit Coefficients(const TileMotion& m)
        : u{m.velocity[0], m.velocity[1], m.velocity[2]}, speed(m.normal_speed), alpha(m.curvature) {}

    // Those of a voxel of a tile and the time. Expressions speak of lengths, terms of voxels.
    DEVICE void evaluate(const TileMotion& m, u64 key, u32 voxel, double t) {
#if VARIES
        const i32 x = coordinate_of(key, 0) * TILE_EDGE + (i32)(voxel % TILE_EDGE);
        const i32 y = coordinate_of(key, 1) * TILE_EDGE + (i32)(voxel / TILE_EDGE % TILE_EDGE);
        const i32 z = coordinate_of(key, 2) * TILE_EDGE + (i32)(voxel / (TILE_EDGE * TILE_EDGE));
        double value[N_FIELDS];
        fields_at(m.origin[0] + m.dx * x, m.origin[1] + m.dx * y, m.origin[2] + m.dx * z, t, nullptr, 0, value);
        u32 next = 0;
#if VELOCITY == 2
        for (int k = 0; k < 3; k++) u[k] = (real)value[next++] * m.per_voxel[0];
#endif
#if NORMAL == 2
        speed = (real)value[next++] * m.per_voxel[0];
#endif
#if CURVATURE == 2
        alpha = (real)value[next++] * m.per_voxel[1];
#endif
#endif
    }
};
