// The smallest and the largest phi of all tiles, and the number of voxels in the band.
//
// Block: 256 threads. Each tile is processed by a warp.
//
// variants: REAL=double | REAL=float
// variants: TILE_EDGE=4 | TILE_EDGE=8 | TILE_EDGE=4, STORAGE=16
#include "primitives/block.cuh"
#include "generated/tile_range.cuh"
#include "tiles/grid.cuh"
#include "tiles/storage.cuh"

enum { E = TILE_EDGE, TILE_VALUES = E * E * E };

// Computes the range for each warp. Voxels with |phi| below `gamma` are in the band. 16-bit values
// are relative to `gamma`. `found` has one entry per warp of the grid.
// Grid: any number of blocks, whose warps share the tiles.
extern "C" __global__ void __launch_bounds__(BLOCK) tiles_range(TileGrid g, const stored* phi, double gamma, Range* found) {
    const TileControl& c = *g.control;
    const u32 warp = blockIdx.x * WARPS + warp_of_thread(), lane = lane_of_thread();
    const real most = (real)gamma;
    Range range = {INFINITY_R, -INFINITY_R, 0};
    for (u32 p = warp; p < c.n_tiles; p += gridDim.x * WARPS) {
        const stored* values = phi + (u64)g.ids[c.list][p] * TILE_VALUES;
        for (u32 n = lane; n < TILE_VALUES; n += WARP) {
            const real value = load_value(values[n], most);
            // NaN is neither smaller nor larger, so it is ignored.
            if (value < range.low) range.low = value;
            if (value > range.high) range.high = value;
            range.active += fabs(value) < most;
        }
    }
    for (u32 by = WARP / 2; by > 0; by /= 2) {
        const real low = __shfl_xor_sync(0xffffffffu, range.low, by);
        const real high = __shfl_xor_sync(0xffffffffu, range.high, by);
        if (low < range.low) range.low = low;
        if (high > range.high) range.high = high;
        range.active += __shfl_xor_sync(0xffffffffu, range.active, by);
    }
    if (lane == 0) found[warp] = range;
}
