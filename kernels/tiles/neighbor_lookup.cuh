// Computation of the neighbor look-up (grid.cuh) from the list. Each warp handles 32 tiles at a
// time.
#pragma once
#include "primitives/block.cuh"
#include "tiles/neighbor_ids.cuh"

// Evenly spaced keys of an ascending list, in shared memory. Searches begin there, so that their
// first steps do not wait for global memory.
struct Pivots {
    const u64* list;
    u32 n, step;
    const u64* pivots;

    // Loads the keys. The whole block must take part, and a barrier must follow. `room` is shared
    // memory for BLOCK keys.
    DEVICE Pivots(u64* room, const u64* list, u32 n) : list(list), n(n), step((n + BLOCK - 1) / BLOCK), pivots(room) {
        const u32 at = threadIdx.x * step;
        room[threadIdx.x] = step && at < n ? list[at] : ~(u64)0;
    }

    // Returns the first position whose key is not less than `key`, or n if there is none.
    DEVICE u32 find(u64 key) const {
        const u32 k = lower_bound(pivots, 0u, (u32)BLOCK, key);
        if (k == 0) return 0;
        return lower_bound(list, (k - 1) * step + 1, k * step < n ? k * step : n, key);
    }
};

// Finds the neighbors of a warp's tiles, which begin at `first`. The whole warp must take part. The
// rows of the first and the last tile are searched for in the whole list. The rows of the other
// tiles lie between them, because the neighbors of ascending tiles are also in ascending order.
DEVICE void look_up(const TileGrid& g, const Pivots& all, const u32* ids, u32* borders, u32 first) {
    const u64* keys = all.list;
    const u32 n = all.n;
    const u32 full = 0xffffffffu;
    const u32 lane = lane_of_thread(), p = first + lane;
    const u32 last = first + WARP < n ? first + WARP - 1 : n - 1;
    const u64 key = keys[p < n ? p : last];
    // Lanes 2 r and 2 r + 1 search row r of the first and of the last tile.
    u32 end = 0;
    if (lane < 2 * TILE_ROWS) {
        end = all.find(keys[lane % 2 ? last : first] + offset_of(lane / 2 * 3));
    }
    const u32 border = p < n ? borders[p] : 0;
    // Tile sets that are only used to look up neighbors have no ids.
    u32* near = HAS_NEAR && p < n && g.near ? g.near + (u64)p * NEAR_WORDS : nullptr;
    u32 present = 0;
    for (u32 row = 0; row < TILE_ROWS; row++) {
        const i32 j = (i32)(row % 3) - 1, k = (i32)(row / 3) - 1;
        const u32 low = __shfl_sync(full, end, 2 * row), high = __shfl_sync(full, end, 2 * row + 1);
        const u64 start = key + offset_of(3 * row);
        const u32 begin = lower_bound(keys, low, high, start);
        u32 at = begin;
        for (i32 i = -1; i <= 1; i++) {
            const u32 d = 3 * row + i + 1;
            u32 id = border >> d & 1 ? MISSING_INSIDE : MISSING_OUTSIDE;
            if (at < n && keys[at] == start + (i + 1)) {
                present |= 1u << d;
                if (HAS_NEAR && g.near) id = ids[at];
                at++;
            }
            const bool is_corner = i && j && k;
            if (near && !is_corner && d != CENTER) near[near_of(i, j, k)] = id;
        }
        if (p < n && row != TILE_ROWS / 2) g.rows[row_at(g, row, p)] = begin;
    }
    if (p >= n) return;
    present &= ~ACTIVE;
    const u32 missing = ALL & ~ACTIVE & ~present;
    g.present[p] = present;
    if (near) near[NEAR_CENTER] = missing;
    // New tiles initially have signs for all neighbors. Only those of missing neighbors are kept.
    borders[p] = border & missing;
}
