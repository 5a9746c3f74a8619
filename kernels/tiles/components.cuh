// Components of coefficients that are values of volumes: src/levelset/tiled/cuda/volumes.rs lays them out.
#pragma once
#include "common/real.cuh"
#include "volume.cuh"

// One number of a coefficient, in voxels.
struct TileComponent {
    SampledVolume volume;  // without numbers where it is the same everywhere
    double scale;          // of its values, for lengths in voxels
    double number;         // what is the same everywhere

    // That at a place in the world.
    DEVICE real at(const double (&x)[3]) const {
        return volume.numbers ? (real)(volume.at(x) * scale) : (real)number;
    }
};

#ifdef TILE_COMPONENT_BYTES
static_assert(sizeof(TileComponent) == TILE_COMPONENT_BYTES, "the host lays out the same");
#endif
