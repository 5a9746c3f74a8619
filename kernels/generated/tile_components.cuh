// Generated from src/levelset/tiled/cuda/volumes.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "volume.cuh"

// The number of threads of a block that samples volumes.
#define VOLUMES_BLOCK 64u

// One component of a coefficient, in voxels.
struct TileComponent {
    // The volume, without values if the component is uniform.
    SampledVolume volume;
    // The factor that converts values of the volume to lengths in voxels.
    double scale;
    // The uniform value.
    double number;
};
static_assert(sizeof(TileComponent) == 160, "size of TileComponent");
ASSERT_OFFSET(TileComponent, volume, 0);
ASSERT_OFFSET(TileComponent, scale, 144);
ASSERT_OFFSET(TileComponent, number, 152);

// The components of a coefficient and the positions of the voxels.
struct Components {
    // `[n]` components.
    const TileComponent *of;
    // The position of voxel (0, 0, 0). Voxel v lies at `origin + dx v`.
    double origin[3];
    // The edge of a voxel.
    double dx;
    // The number of components.
    u32 n;
    // Padding.
    u32 padding;
};
static_assert(sizeof(Components) == 48, "size of Components");
ASSERT_OFFSET(Components, of, 0);
ASSERT_OFFSET(Components, origin, 8);
ASSERT_OFFSET(Components, dx, 32);
ASSERT_OFFSET(Components, n, 40);
ASSERT_OFFSET(Components, padding, 44);
