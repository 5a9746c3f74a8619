// Making the look-up of neighbors (grid.cuh) from the list, by a warp for 32 tiles.
#pragma once
#include "primitives/block.cuh"
#include "tiles/grid.cuh"

// Finds the neighbors of the tiles from `first` on: the whole warp comes. Rows of the first and the
// last tile are looked for in the whole list, those of the others between them: neighbors of
// ascending tiles ascend.
DEVICE void look_up(const TileGrid& g, const u64* keys, u32* borders, u32 first, u32 n) {
    const u32 full = 0xffffffffu;
    const u32 lane = lane_of_thread(), p = first + lane;
    const u32 last = first + WARP < n ? first + WARP - 1 : n - 1;
    const u64 key = keys[p < n ? p : last];
    // Lanes 2 r and 2 r + 1: row r of the first tile, and of the last one.
    u32 end = 0;
    if (lane < 2 * TILE_ROWS) {
        end = lower_bound(keys, 0u, n, keys[lane % 2 ? last : first] + offset_of(lane / 2 * 3));
    }
    u32 present = 0;
    for (u32 row = 0; row < TILE_ROWS; row++) {
        const u32 low = __shfl_sync(full, end, 2 * row), high = __shfl_sync(full, end, 2 * row + 1);
        const u64 start = key + offset_of(3 * row);
        const u32 begin = lower_bound(keys, low, high, start);
        u32 at = begin;
        for (u32 k = 0; k < 3; k++) {
            if (at < n && keys[at] == start + k) {
                present |= 1u << (3 * row + k);
                at++;
            }
        }
        if (p < n && row != TILE_ROWS / 2) g.rows[row_at(g, row, p)] = begin;
    }
    if (p >= n) return;
    present &= ~ACTIVE;
    g.present[p] = present;
    // New tiles come with flags for all neighbors.
    borders[p] &= ALL & ~ACTIVE & ~present;
}
