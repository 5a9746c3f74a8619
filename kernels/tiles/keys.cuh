// Keys of tiles and directions to their neighbors: the counterpart of src/grid/keys.rs.
//
// A key is x | y << 21 | z << 42, where 2^20 is added to each coordinate. The direction (i, j, k),
// with entries -1, 0 or 1, has the index (i + 1) + 3 (j + 1) + 9 (k + 1). Three consecutive
// directions form a row.
#pragma once
#include "common/types.cuh"

enum { KEY_BITS = 21, DIRECTIONS = 27, CENTER = 13, TILE_ROWS = 9 };

// Bits of the request masks, as in src/grid/activity.rs.
const u32 ACTIVE = 1u << CENTER;
const u32 INSIDE = 1u << DIRECTIONS;
const u32 ALL = (1u << DIRECTIONS) - 1;

DEVICE u32 opposite(u32 direction) { return DIRECTIONS - 1 - direction; }

// Returns the number to add to a key to obtain the key of the neighbor in a direction.
DEVICE u64 offset_of(u32 direction) {
    const i64 i = (i32)(direction % 3) - 1, j = (i32)(direction / 3 % 3) - 1, k = (i32)(direction / 9) - 1;
    return (u64)(i + j * (1ll << KEY_BITS) + k * (1ll << (2 * KEY_BITS)));
}

// Returns the coordinate of a tile along an axis.
DEVICE i32 coordinate_of(u64 key, u32 axis) {
    return (i32)(key >> (axis * KEY_BITS) & ((1u << KEY_BITS) - 1)) - (1 << (KEY_BITS - 1));
}

// Returns whether all neighbors of a tile have keys.
DEVICE bool is_in_range(u64 key) {
    const i32 limit = (1 << (KEY_BITS - 1)) - 2;
    bool is = true;
    for (u32 axis = 0; axis < 3; axis++) {
        const i32 c = coordinate_of(key, axis);
        is = is && c <= limit && c >= -limit;
    }
    return is;
}

// Returns the first position in [low, high) of an ascending list whose entry is at least `key`, or
// `high` if there is none.
template <typename T>
DEVICE u32 lower_bound(const T* list, u32 low, u32 high, T key) {
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (list[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}
