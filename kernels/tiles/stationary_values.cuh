// A coefficient kept with the tiles in 16 bits: the twin of src/levelset/tiled/steady.rs. A kernel of its own makes
// the values of tiles that come; src/levelset/tiled/cuda/kept.rs lays them out.
#pragma once
#include "generated/tile_stationary_values.cuh"
#include "tiles/grid.cuh"

DEVICE real& extreme_of(const StationaryValues& kept, u32 id, u32 which) { return kept.extremes[KEPT_EXTREMES * (u64)id + which]; }

// Where the tile with this number among those that came with the last change stands in the list.
DEVICE u32 position_of_created(const TileGrid& g, u32 n) { return g.created_at[n] & ~(1u << 31); }

// A value in 16 bits, from parts of the largest one.
DEVICE short kept_from(real parts) {
    if (parts != parts) return 0;
    const double rounded = (double)parts + (parts < 0 ? -0.5 : 0.5);
    return (short)(rounded > KEPT_MOST ? KEPT_MOST : rounded < -KEPT_MOST ? -KEPT_MOST : (i32)rounded);
}
