// Detection of the steady state: the counterpart of src/levelset/tiled/steady_state.rs.
//
// Block: 256 threads. Each tile is processed by a warp.
//
// variants: REAL=double | REAL=float
// variants: TILE_EDGE=4 | TILE_EDGE=8 | TILE_EDGE=4, STORAGE=16
#include "primitives/block.cuh"
#include "tiles/grid.cuh"
#include "generated/tile_steady_state.cuh"
#include "generated/tile_still.cuh"

enum { E = TILE_EDGE, TILE_VALUES = E * E * E };

// The values of a tile at the previous check and now.
struct Tile {
    const stored* before;
    const stored* now;
    real gamma;

    DEVICE double at(u32 which, u32 n) const { return (double)load_value(which ? now[n] : before[n], gamma); }

    // Returns whether the interface has moved by at most STILL voxels, both across voxel n and
    // along the edges from it to the next voxels of the tile.
    DEVICE bool stands_still_at(u32 n) const {
        const double own[2] = {at(0, n), at(1, n)};
        if ((own[0] < 0.0) != (own[1] < 0.0) && fabs(own[0] - own[1]) > STILL) return false;
        bool is = true;
        u32 step = 1;
#pragma unroll 1
        for (u32 axis = 0; axis < 3; axis++, step *= E) {
            if (n / step % E + 1 == E) continue;
            const double next[2] = {at(0, n + step), at(1, n + step)};
            if ((own[0] < 0.0) == (next[0] < 0.0) || (own[1] < 0.0) == (next[1] < 0.0)) continue;
            double crossing[2];
#pragma unroll 1
            for (u32 k = 0; k < 2; k++) crossing[k] = own[k] / (own[k] - next[k]);
            // Movement along the normal, assuming that phi is close to a signed distance function.
            const double slope = fabs(own[1] - next[1]);
            is = is && fabs(crossing[0] - crossing[1]) * (slope < 1.0 ? slope : 1.0) <= STILL;
        }
        return is;
    }
};

// Returns whether a tile has both signs. The whole warp must take part.
DEVICE bool is_crossed(const stored* values, u32 lane) {
    bool has[2] = {false, false};
    for (u32 n = lane; n < TILE_VALUES; n += WARP) has[is_inside(values[n])] = true;
    return __any_sync(0xffffffffu, has[0]) && __any_sync(0xffffffffu, has[1]);
}

// Counts the tiles that the interface crosses, and the tiles among these in which it has moved by
// at most STILL voxels since the previous check. `counts` has two entries, initially zero.
// Grid: any number of blocks, whose warps share the tiles.
extern "C" __global__ void __launch_bounds__(BLOCK)
tiles_rest(TileGrid g, const stored* phi, double gamma, Before before, u32* counts) {
    const TileControl& c = *g.control;
    const u32 list = c.list, n = c.n_tiles, lane = lane_of_thread();
    u32 crossed = 0, old = 0;
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < n; p += gridDim.x * WARPS) {
        const stored* now = phi + (u64)g.ids[list][p] * TILE_VALUES;
        if (!is_crossed(now, lane)) continue;
        crossed++;
        const u64 key = g.keys[list][p];
        const u32 at = lower_bound((const u64*)before.keys, 0u, before.n, key);
        if (at == before.n || before.keys[at] != key) continue;
        const Tile tile = {before.values + (u64)at * TILE_VALUES, now, (real)gamma};
        if (!is_crossed(tile.before, lane)) continue;
        bool is_old = true;
        for (u32 k = lane; k < TILE_VALUES; k += WARP) is_old = is_old && tile.stands_still_at(k);
        old += __all_sync(0xffffffffu, is_old);
    }
    if (lane != 0) return;
    if (crossed) atomicAdd(&counts[0], crossed);
    if (old) atomicAdd(&counts[1], old);
}

// Copies all tiles to `before` for the next check. `before` must have room for them. Grid: any
// number of blocks, whose warps share the tiles.
extern "C" __global__ void __launch_bounds__(BLOCK) tiles_keep(TileGrid g, const stored* phi, Before before) {
    const TileControl& c = *g.control;
    const u32 list = c.list, lane = lane_of_thread();
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < c.n_tiles; p += gridDim.x * WARPS) {
        const Quad* now = (const Quad*)(phi + (u64)g.ids[list][p] * TILE_VALUES);
        Quad* kept = (Quad*)(before.values + (u64)p * TILE_VALUES);
        for (u32 k = lane; k < TILE_VALUES / QUAD; k += WARP) kept[k] = now[k];
        if (lane == 0) before.keys[p] = g.keys[list][p];
    }
}
