// Generated from src/levelset/tiled/cuda/state.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "tiles/components.cuh"
#include "tiles/stationary_values.cuh"
#include "tiles/storage.cuh"

// The differences that steps use.
// First order.
#define SCHEME_FIRST_ORDER 1
// Fifth-order WENO.
#define SCHEME_WENO5 5

// A motion on tiles.
struct TileMotion {
    // Three pools of `E^3` values for each id: phi and the stages, in the roles that the
    // control block assigns. The values of missing tiles precede them, at the ids -2 (inside)
    // and -1 (outside). If no scheme needs the third pool, it holds only these values.
    stored *values[3];
    // The position of voxel (0, 0, 0). Voxel v lies at `origin + dx v`.
    double origin[3];
    // The edge of a voxel.
    double dx;
    // The half width of the band, in voxels.
    real gamma;
    // A voxel moves if its |phi| or that of a neighbor is smaller than this.
    real core;
    // The factor of the rescaling term.
    real rescaling;
    // U, voxels per time, if it is the same everywhere.
    real velocity[3];
    // F, voxels per time, if it is the same everywhere.
    real normal_speed;
    // alpha, voxels squared per time, if it is the same everywhere.
    real curvature;
    // 1 / dx and its square, for expressions.
    real per_voxel[2];
    // The number of layers of voxels around an active voxel within which tiles are kept.
    u32 keep;
    // The number of layers of voxels around an active voxel within which a step needs tiles.
    u32 need;
    // Three `StationaryArgument`: the velocity, normal speed and curvature of each tile, if
    // they are stored. They are in separate memory because with a longer argument, the
    // compiler produces slower code for steps without stored coefficients.
    const StationaryValues *kept;
    // The address of the components of the velocity, if some are volumes and others
    // expressions.
    const TileComponent *components;
};
static_assert(sizeof(TileMotion) == (sizeof(real) == 8 ? 160 : 120), "size of TileMotion");
ASSERT_OFFSET(TileMotion, values, 0);
ASSERT_OFFSET(TileMotion, origin, 24);
ASSERT_OFFSET(TileMotion, dx, 48);
ASSERT_OFFSET(TileMotion, gamma, 56);
ASSERT_OFFSET(TileMotion, core, (sizeof(real) == 8 ? 64 : 60));
ASSERT_OFFSET(TileMotion, rescaling, (sizeof(real) == 8 ? 72 : 64));
ASSERT_OFFSET(TileMotion, velocity, (sizeof(real) == 8 ? 80 : 68));
ASSERT_OFFSET(TileMotion, normal_speed, (sizeof(real) == 8 ? 104 : 80));
ASSERT_OFFSET(TileMotion, curvature, (sizeof(real) == 8 ? 112 : 84));
ASSERT_OFFSET(TileMotion, per_voxel, (sizeof(real) == 8 ? 120 : 88));
ASSERT_OFFSET(TileMotion, keep, (sizeof(real) == 8 ? 136 : 96));
ASSERT_OFFSET(TileMotion, need, (sizeof(real) == 8 ? 140 : 100));
ASSERT_OFFSET(TileMotion, kept, (sizeof(real) == 8 ? 144 : 104));
ASSERT_OFFSET(TileMotion, components, (sizeof(real) == 8 ? 152 : 112));

// The part of a motion that tile management needs.
struct TileValues {
    // See `MotionArgument`.
    stored *values[3];
    // See `MotionArgument`.
    real gamma;
};
static_assert(sizeof(TileValues) == 32, "size of TileValues");
ASSERT_OFFSET(TileValues, values, 0);
ASSERT_OFFSET(TileValues, gamma, 24);

// One evaluation, `out = shares[0] base + shares[1] (from + dt L(from))`.
struct TileStage {
    // The fraction of the step at which coefficients are evaluated.
    double part;
    // The weights of the old base and of the new value.
    real shares[2];
    // 0 for phi, 1 and 2 for the stages.
    u32 from;
    // Like `from`.
    u32 out;
    // Like `from`.
    u32 base;
    // Whether the base has a nonzero weight.
    u32 mixes;
    // Whether this is the last evaluation of the step.
    u32 is_last;
};
static_assert(sizeof(TileStage) == (sizeof(real) == 8 ? 48 : 40), "size of TileStage");
ASSERT_OFFSET(TileStage, part, 0);
ASSERT_OFFSET(TileStage, shares, 8);
ASSERT_OFFSET(TileStage, from, (sizeof(real) == 8 ? 24 : 16));
ASSERT_OFFSET(TileStage, out, (sizeof(real) == 8 ? 28 : 20));
ASSERT_OFFSET(TileStage, base, (sizeof(real) == 8 ? 32 : 24));
ASSERT_OFFSET(TileStage, mixes, (sizeof(real) == 8 ? 36 : 28));
ASSERT_OFFSET(TileStage, is_last, (sizeof(real) == 8 ? 40 : 32));
