// Finds the neighbors of tiles in three ways: in the sorted list, as tile management does
// (kernels/tiles/neighbor_lookup.cuh), in a hash table of the keys, and in a two-level map. Only a
// benchmark and tests/devices compile this file.
//
// All three give the same results: the ids of neighbors across faces and edges, the directions
// without a neighbor, and one bit for each neighbor.
#include "tiles/neighbor_lookup.cuh"

// A hash table with open addressing and 2^bits slots; no key is 0.
struct Table {
    u64* keys;
    u32* values;
    u32 bits;

    DEVICE u32 first(u64 key) const { return (u32)(key * 0x9e3779b97f4a7c15ull >> (64 - bits)); }
    DEVICE u32 next(u32 at) const { return (at + 1) & ((1u << bits) - 1); }

    // Returns the slot of a key. Inserts the key if it is missing. Sets `is_new` to whether the key
    // was inserted.
    DEVICE u32 insert(u64 key, bool& is_new) const {
        for (u32 at = first(key);; at = next(at)) {
            const u64 found = atomicCAS(keys + at, (u64)0, key);
            is_new = found == 0;
            if (is_new || found == key) return at;
        }
    }

    // Returns the value of a key, or `none` if the key is missing.
    DEVICE u32 find(u64 key, u32 none) const {
        for (u32 at = first(key);; at = next(at)) {
            const u64 found = keys[at];
            if (found == key) return values[at];
            if (found == 0) return none;
        }
    }
};

const u32 NOWHERE = 0xffffffffu;

// Stores the neighbors of a tile. `find` returns the index of a key in the list, or NOWHERE if the
// key is missing.
template <class Find>
DEVICE void ask(const TileGrid& g, u32 p, const Find& find) {
    const u64 key = g.keys[0][p];
    const u32 border = g.borders[0][p];
    u32* near = g.near + (u64)p * NEAR_WORDS;
    u32 present = 0;
#pragma unroll
    for (u32 d = 0; d < DIRECTIONS; d++) {
        if (d == CENTER) continue;
        const i32 i = (i32)(d % 3) - 1, j = (i32)(d / 3 % 3) - 1, k = (i32)(d / 9) - 1;
        const u32 at = find(key + offset_of(d));
        if (at != NOWHERE) present |= 1u << d;
        if (i && j && k) continue;
        near[near_of(i, j, k)] = at != NOWHERE ? g.ids[0][at] : border >> d & 1 ? MISSING_INSIDE : MISSING_OUTSIDE;
    }
    near[NEAR_CENTER] = ALL & ~ACTIVE & ~present;
    g.present[p] = present;
}

// Grid: any; block: BLOCK; shared: static.
extern "C" __global__ void __launch_bounds__(BLOCK, 4) lookup_sorted(TileGrid g, u32 n) {
    __shared__ u64 room[BLOCK];
    const Pivots all(room, g.keys[0], n);
    __syncthreads();
    for (u32 group = blockIdx.x * WARPS + warp_of_thread(); group * WARP < n; group += gridDim.x * WARPS) {
        look_up(g, all, g.ids[0], g.borders[0], group * WARP);
    }
}

// Grid: one thread per tile; block: BLOCK; shared: none. The table must be empty.
extern "C" __global__ void lookup_hash_make(TileGrid g, u32 n, Table table) {
    const u32 p = blockIdx.x * BLOCK + threadIdx.x;
    if (p >= n) return;
    bool is_new;
    table.values[table.insert(g.keys[0][p], is_new)] = p;
}

// Grid and block: as for lookup_hash_make.
extern "C" __global__ void lookup_hash_ask(TileGrid g, u32 n, Table table) {
    const u32 p = blockIdx.x * BLOCK + threadIdx.x;
    if (p < n) ask(g, p, [&](u64 key) { return table.find(key, NOWHERE); });
}

// The two-level map: a hash table of blocks of 8^3 tiles, and for each tile of a block, its list
// index plus 1.
enum { BLOCK_BITS = 3, OF_BLOCK = 1 << (3 * BLOCK_BITS) };

DEVICE u64 block_of(u64 key) {
    const u64 low = (1u << BLOCK_BITS) - 1;
    return key & ~(low | low << KEY_BITS | low << (2 * KEY_BITS));
}

DEVICE u32 place_in_block(u64 key) {
    const u32 low = (1u << BLOCK_BITS) - 1;
    return (u32)(key & low) | (u32)(key >> KEY_BITS & low) << BLOCK_BITS | (u32)(key >> (2 * KEY_BITS) & low) << (2 * BLOCK_BITS);
}

// Gives each block of tiles an index, counted from 0. Grid and block: as for lookup_hash_make. The
// table must be empty, and the count 0.
extern "C" __global__ void lookup_levels_number(TileGrid g, u32 n, Table table, u32* count) {
    const u32 p = blockIdx.x * BLOCK + threadIdx.x;
    if (p >= n) return;
    bool is_new;
    const u32 at = table.insert(block_of(g.keys[0][p]), is_new);
    if (is_new) table.values[at] = atomicAdd(count, 1u);
}

// Grid and block: as for lookup_hash_make. `places` [blocks][OF_BLOCK] must be 0.
extern "C" __global__ void lookup_levels_make(TileGrid g, u32 n, Table table, u32* places) {
    const u32 p = blockIdx.x * BLOCK + threadIdx.x;
    if (p >= n) return;
    const u64 key = g.keys[0][p];
    places[(u64)table.find(block_of(key), 0) * OF_BLOCK + place_in_block(key)] = p + 1;
}

// Grid and block: as for lookup_hash_make.
extern "C" __global__ void lookup_levels_ask(TileGrid g, u32 n, Table table, const u32* places) {
    const u32 p = blockIdx.x * BLOCK + threadIdx.x;
    if (p >= n) return;
    const u64 own = block_of(g.keys[0][p]);
    const u32 own_block = table.find(own, NOWHERE);
    ask(g, p, [&](u64 key) {
        const u64 of = block_of(key);
        const u32 block = of == own ? own_block : table.find(of, NOWHERE);
        return block == NOWHERE ? NOWHERE : places[(u64)block * OF_BLOCK + place_in_block(key)] - 1;
    });
}
