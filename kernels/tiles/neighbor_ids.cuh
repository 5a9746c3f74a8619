// The ids of the neighbors of a tile across faces and edges, and the directions without a neighbor.
//
// Passes over values need these ids. They are stored side by side for each tile (TileGrid::near),
// in 76 bytes. For tiles of 4^3 values in 16 bits, that would be more than half the size of their
// values. The ids of such tiles are not stored. They are found through the rows of the tile, which
// tile management computes anyway, each time they are needed. src/grid/cuda/grid.rs uses the same
// rule.
#pragma once
#include "tiles/grid.cuh"
#include "generated/tile_storage.cuh"

#if STORAGE == STORAGE_FIXED16 && TILE_EDGE == 4
#define HAS_NEAR 0
#else
#define HAS_NEAR 1
#endif

#if HAS_NEAR

// The directions without a neighbor are stored at the index of the tile itself.
enum { NEAR_WORDS = 19, NEAR_CENTER = 9 };

// Returns the index of a neighbor in this array. `i` must be 0 if neither `j` nor `k` is 0.
DEVICE constexpr u32 near_of(i32 i, i32 j, i32 k) {
    return k == 0 ? NEAR_CENTER + i + 3 * j : (k < 0 ? 2 : 16) + i + 2 * j;
}

typedef const u32* NearList;
typedef const u32* NearWords;

DEVICE NearList near_list(const TileGrid& g, u32) { return g.near; }
DEVICE NearWords words_of(NearList list, u32 p) { return list + (u64)p * NEAR_WORDS; }
DEVICE u32 missing_of(const TileGrid& g, u32 p) { return g.near[(u64)p * NEAR_WORDS + NEAR_CENTER]; }

#else

// The index of a neighbor is its direction.
enum { NEAR_WORDS = DIRECTIONS, NEAR_CENTER = CENTER };

DEVICE constexpr u32 near_of(i32 i, i32 j, i32 k) { return NEAR_CENTER + i + 3 * j + 9 * k; }

DEVICE u32 missing_of(const TileGrid& g, u32 p) { return ALL & ~ACTIVE & ~g.present[p]; }

struct NearList {
    const TileGrid& g;
    u32 list;
};

// An accessor that computes the words of a tile when they are read.
struct NearWords {
    const TileGrid& g;
    const u32* ids;
    u32 p, present, border, first;

    DEVICE u32 operator[](i32 word) const {
        const u32 d = first + word;
        if (d == NEAR_CENTER) return ALL & ~ACTIVE & ~present;
        if (!(present >> d & 1)) return border >> d & 1 ? MISSING_INSIDE : MISSING_OUTSIDE;
        const u32 row = d / 3, before = bits_of_row(present, row) & ((1u << d % 3) - 1);
        return ids[row_of(g, row, p, present) + __popc(before)];
    }
    DEVICE void operator+=(u32 words) { first += words; }
};

DEVICE NearList near_list(const TileGrid& g, u32 list) { return {g, list}; }
DEVICE NearWords words_of(NearList of, u32 p) {
    return {of.g, of.g.ids[of.list], p, of.g.present[p], of.g.borders[of.list][p], 0};
}

#endif
