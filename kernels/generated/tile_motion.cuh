// Printed from src/levelset/tiled/cuda/state.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "tiles/components.cuh"
#include "tiles/stationary_values.cuh"
#include "tiles/storage.cuh"

// The differences that steps are made of.
// Of first order.
#define SCHEME_FIRST_ORDER 1
// WENO of fifth order.
#define SCHEME_WENO5 5

// A motion on tiles.
struct TileMotion {
    // Three pools of `E^3` values for each id: phi and stages, as the control block says. Before them stand the values of
    // missing tiles, inside and outside, where their ids -2 and -1 point to. The third has no more where no scheme needs it.
    stored *values[3];
    // Where voxel (0, 0, 0) lies: voxel v at `origin + dx v`.
    double origin[3];
    // Edge of a voxel.
    double dx;
    // Half width of the band, in voxels.
    real gamma;
    // A voxel moves if it or a neighbor has a smaller |phi|.
    real core;
    // Factor of the rescaling term.
    real rescaling;
    // U, voxels per time, where it is the same everywhere.
    real velocity[3];
    // F, voxels per time, where it is the same everywhere.
    real normal_speed;
    // alpha, voxels squared per time, where it is the same everywhere.
    real curvature;
    // 1 / dx and its square, for expressions.
    real per_voxel[2];
    // Layers of voxels round an active one within which tiles are kept.
    u32 keep;
    // The same, within which they are needed for a step.
    u32 need;
    // Three `StationaryArgument`: velocity, normal speed and curvature of each tile, where
    // they are kept with them. (They stand apart: with a longer argument the compiler makes other code of
    // steps that keep nothing, and a slower one.)
    const StationaryValues *kept;
    // Address of the components of the velocity, where some are volumes and others expressions.
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

// What the management of tiles is told of a motion.
struct TileValues {
    // As in `MotionArgument`.
    stored *values[3];
    // As in `MotionArgument`.
    real gamma;
};
static_assert(sizeof(TileValues) == 32, "size of TileValues");
ASSERT_OFFSET(TileValues, values, 0);
ASSERT_OFFSET(TileValues, gamma, 24);

// One evaluation, `out = old base + fresh (from + dt L(from))`.
struct TileStage {
    // Of the step at which coefficients are taken.
    double part;
    // Of the old base, and of what is new.
    real shares[2];
    // 0 for phi, 1 and 2 for the stages.
    u32 from;
    // As `from`.
    u32 out;
    // As `from`.
    u32 base;
    // Whether the base has a share.
    u32 mixes;
    // Whether no other evaluation follows in the step.
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
