// A velocity kept with the tiles in 16 bits: the twin of src/levelset/tiled/steady.rs. A kernel of its own makes
// the values of tiles that come; src/levelset/tiled/cuda/kept.rs lays them out.
#pragma once
#include "tiles/grid.cuh"

// What stands for the largest component of a tile.
#define KEPT_MOST 32767

struct Kept {
    short* values;    // [capacity][3][E^3]
    float* extremes;  // [capacity][2] what one step of the 16 bits is worth, and the largest sum of three components
};

// Where the tile with this number among those that came with the last change stands in the list.
DEVICE u32 position_of_created(const TileGrid& g, u32 n) { return g.created_at[n] & ~(1u << 31); }

// A value in 16 bits, from parts of the largest one.
DEVICE short kept_from(float parts) {
    if (parts != parts) return 0;
    const double rounded = (double)parts + (parts < 0 ? -0.5 : 0.5);
    return (short)(rounded > KEPT_MOST ? KEPT_MOST : rounded < -KEPT_MOST ? -KEPT_MOST : (i32)rounded);
}
