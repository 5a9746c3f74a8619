// A coefficient stored with the tiles in 16 bits: the counterpart of
// src/levelset/tiled/stationary_coefficients.rs.
//
// Separate kernels compute the values of new tiles.
// src/levelset/tiled/cuda/stationary_coefficients.rs defines the layout.
#pragma once
#include "generated/tile_stationary_values.cuh"
#include "tiles/grid.cuh"

DEVICE real& extreme_of(const StationaryValues& kept, u32 id, u32 which) { return kept.extremes[KEPT_EXTREMES * (u64)id + which]; }

// Returns the list position of the `n`-th tile that the last change created.
DEVICE u32 position_of_created(const TileGrid& g, u32 n) { return g.created_at[n] & ~(1u << 31); }

// Rounds a value to 16 bits. The value is in units of the largest absolute value in the tile
// divided by KEPT_MOST. NaN becomes 0.
DEVICE short kept_from(real parts) {
    if (parts != parts) return 0;
    const double rounded = (double)parts + (parts < 0 ? -0.5 : 0.5);
    return (short)(rounded > KEPT_MOST ? KEPT_MOST : rounded < -KEPT_MOST ? -KEPT_MOST : (i32)rounded);
}
