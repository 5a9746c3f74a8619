// Printed from src/levelset/tiled/cuda/volumes.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "volume.cuh"

// Threads of a block that takes values of volumes.
#define VOLUMES_BLOCK 64u

// One number of a coefficient, in voxels.
struct TileComponent {
    // Without numbers where it is the same everywhere.
    SampledVolume volume;
    // Of its values, for lengths in voxels.
    double scale;
    // What is the same everywhere.
    double number;
};
static_assert(sizeof(TileComponent) == 160, "size of TileComponent");
ASSERT_OFFSET(TileComponent, volume, 0);
ASSERT_OFFSET(TileComponent, scale, 144);
ASSERT_OFFSET(TileComponent, number, 152);

// Where values are taken.
struct Components {
    // `[n]`
    const TileComponent *of;
    // Where voxel (0, 0, 0) lies: voxel v at `origin + dx v`.
    double origin[3];
    // Edge of a voxel.
    double dx;
    // How many there are.
    u32 n;
    // Nothing.
    u32 padding;
};
static_assert(sizeof(Components) == 48, "size of Components");
ASSERT_OFFSET(Components, of, 0);
ASSERT_OFFSET(Components, origin, 8);
ASSERT_OFFSET(Components, dx, 32);
ASSERT_OFFSET(Components, n, 40);
ASSERT_OFFSET(Components, padding, 44);
