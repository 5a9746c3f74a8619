// Update of the tile set for the next step (docs/tiles.md, section 8; Jalba et al., section 3.3.5).
//
// The counterpart of src/grid/manage.rs. Tiles and ids are identical.
//
// One cooperative kernel runs all passes, with grid barriers between them. It returns at once if
// the next step needs no missing tile, except in every 64th step. In such a step, it returns at
// once only if the requests of all tiles are unchanged. After the first pass, it returns if no tile
// is to be created or deleted.
//
//     count    find the tiles to delete, and the tiles that request missing neighbors
//     gather   list the tiles of both kinds, and count the kept tiles before each tile, both by
//              prefix sums
//     claim    assign each missing tile to the first tile that requests it, and list these pairs
//     scan     compute the prefix sums of the claims for each direction
//     index    compute the list positions of new tiles. In each direction, the claimed tiles have
//              the same order as the claiming tiles. The position of a new tile is therefore the
//              number of earlier claims, summed over all directions.
//     update   write the new list, the ids, and the values of new tiles
//     look up  find the neighbors of all tiles, and set the signs of missing neighbors of new tiles
//
// Block: 256 threads.
//
// variants: REAL=double | REAL=float
// variants: TILE_EDGE=4 | TILE_EDGE=8 | TILE_EDGE=4, STORAGE=16
#include "primitives/block.cuh"
#include "generated/tile_motion.cuh"
#include "tiles/grid.cuh"
#include "tiles/storage.cuh"
#include "tiles/neighbor_lookup.cuh"

const u32 DELETED = 1u << 31;
// Marks a new tile that is inside.
const u32 INSIDE_BIT = 1u << 31;

enum {
    // The number of values of one tile.
    TILE_VALUES = TILE_EDGE * TILE_EDGE * TILE_EDGE,
    // The number of threads that process a requesting tile. Claims are counted per group of tiles
    // that a block processes at a time.
    LANES = 16,
    COUNTED = BLOCK / LANES,
};

// The state of a pass over all tiles. Each block handles the same range in every pass, 256 tiles at
// a time.
struct Change {
    const TileGrid& g;
    TileControl& c;
    u32 list, n;
    u32 blocks;      // number that take part; low for few tiles, because blocks wait for each other
    u32 first, end;  // range of this block
    u32* scratch;    // see scratch_of

    DEVICE u64* keys() const { return g.keys[list]; }
    DEVICE u32* borders() const { return g.borders[list]; }
    DEVICE u32* activity() const { return g.activity[list]; }
    // The requesting tiles, stored in the other lists: keys, requested directions, signs, and
    // claims.
    DEVICE u64* asking() const { return g.keys[list ^ 1]; }
    DEVICE u32* wanted() const { return g.ids[list ^ 1]; }
    DEVICE u32* signs() const { return g.borders[list ^ 1]; }
    DEVICE u32* claims() const { return g.activity[list ^ 1]; }
    // The missing neighbors that a tile requests, or DELETED. Valid until claims are written.
    DEVICE u32* fate() const { return g.activity[list ^ 1]; }
    // Scratch arrays. The argument of `part` is an offset in words per tile of the capacity. The
    // first array holds the keys of new tiles.
    DEVICE u64* created() const { return (u64*)scratch; }
    // The number of kept tiles before a tile. The bit DELETED is set if the tile itself is deleted.
    DEVICE u32* kept_before() const { return part(2); }
    // The list positions of deleted tiles.
    DEVICE u32* deleted() const { return part(3); }
    // For each new tile, the index of the requesting tile that claims it.
    DEVICE u32* claimed() const { return part(4); }
    // For each group of 16 requesting tiles, the number of their claims for a direction. After
    // scan_claims, it is the number of claims by the tiles before the group.
    DEVICE u32* counts(u32 direction) const { return part(5) + (u64)direction * (g.capacity / COUNTED + 2); }
    DEVICE u32* part(u32 words) const { return scratch + (u64)words * g.capacity; }
    DEVICE void barrier() const { grid_barrier(&c.arrived, blocks); }
};

// Returns whether a neighbor needs tile `p`, which contains no part of the band. All loads are
// issued before their results are used.
DEVICE bool is_needed(const Change& z, u32 p, u32 mask, u32 present) {
    bool is = false;
#pragma unroll
    for (u32 row = 0; row < TILE_ROWS; row++) {
        const u32 at = row_of(z.g, row, p, present), bits = bits_of_row(present, row);
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const u32 d = 3 * row + k;
            if (d == CENTER || !(bits >> k & 1)) continue;
            const u32 neighbor = z.activity()[at + __popc(bits & ((1u << k) - 1))];
            const bool across = !(neighbor & ACTIVE) && (neighbor ^ mask) & INSIDE;
            is = is || neighbor >> opposite(d) & 1 || across;
        }
    }
    return is;
}

// Returns the missing neighbors that a tile requests, or DELETED if it is deleted.
DEVICE u32 fate_of(const Change& z, u32 p) {
    const u32 mask = z.activity()[p], present = z.g.present[p];
    const u32 missing = ALL & ~ACTIVE & ~present;
    if (mask & ACTIVE) return mask & missing;
    // The tile has one sign. If a missing neighbor has the other sign, the interface lies between
    // them.
    const u32 border = z.borders()[p];
    const u32 other = missing & (mask & INSIDE ? ~border : border);
    return other != 0 || is_needed(z, p, mask, present) ? other : DELETED;
}

DEVICE void count(const Change& z) {
    u32 deleted = 0, asking = 0;
    for (u32 start = z.first; start < z.end; start += BLOCK) {
        const u32 p = start + threadIdx.x;
        const u32 fate = p < z.end ? fate_of(z, p) : 0;
        if (p < z.end) z.fate()[p] = fate;
        deleted += __syncthreads_count(fate & DELETED);
        asking += __syncthreads_count(fate & ~DELETED);
    }
    if (threadIdx.x != 0) return;
    z.g.block_counts[blockIdx.x] = deleted;
    z.g.block_counts[z.blocks + blockIdx.x] = asking;
}

// Sums of the block counts over the blocks before this one and over all blocks. The whole block
// must take part.
struct Sums {
    u32 deleted_before, asking_before, deleted, asking;

    DEVICE Sums(const u32* counts, u32 blocks) {
        __shared__ u32 sums[4];
        if (threadIdx.x < 4) sums[threadIdx.x] = 0;
        __syncthreads();
        u32 mine[4] = {0, 0, 0, 0};
        for (u32 b = threadIdx.x; b < blocks; b += BLOCK) {
            const u32 deleted = counts[b], asking = counts[blocks + b];
            mine[0] += b < blockIdx.x ? deleted : 0;
            mine[1] += b < blockIdx.x ? asking : 0;
            mine[2] += deleted;
            mine[3] += asking;
        }
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
#pragma unroll
            for (u32 by = WARP / 2; by > 0; by /= 2) mine[k] += __shfl_xor_sync(0xffffffffu, mine[k], by);
            if (lane_of_thread() == 0 && mine[k]) atomicAdd(&sums[k], mine[k]);
        }
        __syncthreads();
        deleted_before = sums[0];
        asking_before = sums[1];
        deleted = sums[2];
        asking = sums[3];
    }
};

DEVICE void gather(const Change& z, u32 deleted_before, u32 asking_before) {
    __shared__ u32 warp_sums[WARPS];
    for (u32 start = z.first; start < z.end; start += BLOCK) {
        const u32 p = start + threadIdx.x;
        const u32 fate = p < z.end ? z.fate()[p] : 0;
        const u32 goes = fate >> 31, asks = (fate & ~DELETED) != 0;
        // Both counts fit in one word, because each is at most 256.
        u32 sum;
        const u32 before = exclusive_scan_of_block(goes | asks << 16, warp_sums, sum);
        const u32 gone = deleted_before + (before & 0xffff), at = asking_before + (before >> 16);
        if (p < z.end) z.kept_before()[p] = (p - gone) | (fate & DELETED);
        if (goes) z.deleted()[gone] = p;
        if (asks) {
            z.asking()[at] = z.keys()[p];
            z.wanted()[at] = fate;
            z.signs()[at] = z.borders()[p];
        }
        deleted_before += sum & 0xffff;
        asking_before += sum >> 16;
        __syncthreads();
    }
}

// Returns the bits of the directions whose step along an axis, plus `by`, is -1, 0 or 1.
DEVICE u32 staying(u32 axis, i32 by) {
    const u32 steps = by < 0 ? 7u << -by & 7 : 7u >> by;
    if (axis == 0) return steps * 0x1249249u;               // every third bit
    const u32 rows = (steps & 1 ? 7u : 0) | (steps & 2 ? 7u << 3 : 0) | (steps & 4 ? 7u << 6 : 0);
    if (axis == 1) return rows | rows << 9 | rows << 18;
    return (steps & 1 ? 0x1ffu : 0) | (steps & 2 ? 0x1ffu << 9 : 0) | (steps & 4 ? 0x1ffu << 18 : 0);
}

// Returns the requests of a tile at an offset (i, j, k) from this tile, as directions from this
// tile.
DEVICE u32 seen_from_here(u32 wanted, i32 i, i32 j, i32 k) {
    const u32 kept = wanted & staying(0, i) & staying(1, j) & staying(2, k);
    const i32 by = i + 3 * j + 9 * k;
    return by < 0 ? kept >> -by : kept << by;
}

// Returns the requests in one row of tiles: the requests of those requesting tiles before tile `n`
// that are at most two tiles away along each axis. There are 13 rows, one for each step along z and
// y up to the row of the tile itself, which is the last one.
DEVICE u32 asked_in_row(const Change& z, const Pivots& asking, u32 n, u64 key, u32 row) {
    const i32 j = (i32)(row % 5) - 2, k = (i32)(row / 5) - 2;
    const u64 middle = key + ((u64)(i64)j << KEY_BITS) + ((u64)(i64)k << (2 * KEY_BITS));
    const u64* keys = z.asking();
    u32 all = 0;
    for (u32 at = asking.find(middle - 2); at < n && keys[at] <= middle + 2; at++) {
        all |= seen_from_here(z.wanted()[at], (i32)(i64)(keys[at] - middle), j, k);
    }
    return all;
}

// Assigns each missing tile to the first tile that requests it.
DEVICE void claim(const Change& z, u32 n_asking) {
    __shared__ u32 of_tile[COUNTED];
    __shared__ u32 start;
    __shared__ u64 room[BLOCK];
    const Pivots asking(room, z.asking(), n_asking);
    __syncthreads();
    const u32 lane = threadIdx.x % LANES, slot = threadIdx.x / LANES;
    for (u32 group = blockIdx.x; group * COUNTED < n_asking; group += z.blocks) {
        const u32 n = group * COUNTED + slot;
        const u64 key = n < n_asking ? z.asking()[n] : 0;
        u32 asked = n < n_asking && lane < 13 ? asked_in_row(z, asking, n, key, lane) : 0;
#pragma unroll
        for (u32 by = LANES / 2; by > 0; by /= 2) asked |= __shfl_xor_sync(0xffffffffu, asked, by);
        const u32 claims = n < n_asking ? z.wanted()[n] & ~asked : 0;
        for (u32 d = lane; d < DIRECTIONS; d += LANES) {
            if (claims >> d & 1 && !is_in_range(key + offset_of(d))) atomicOr(&z.c.out_of_range, 1u);
        }
        if (lane == 0) of_tile[slot] = claims;
        __syncthreads();
        u32 before = 0, count = 0;
        for (u32 k = 0; k < COUNTED; k++) {
            if (k < slot) before += __popc(of_tile[k]);
            count += threadIdx.x < DIRECTIONS ? of_tile[k] >> threadIdx.x & 1 : __popc(of_tile[k]);
        }
        if (threadIdx.x < DIRECTIONS) z.counts(threadIdx.x)[group] = count;
        // The list of claims is not ordered, and the result does not depend on its order.
        if (threadIdx.x == BLOCK - 1) start = atomicAdd(&z.c.claims, count);
        __syncthreads();
        // A claim is identified by its position among the claims of its tile. Claims beyond the
        // capacity are not stored.
        const u32 n_claims = __popc(claims);
        for (u32 k = lane; k < n_claims; k += LANES) {
            const u32 at = start + before + k;
            if (at < z.g.capacity) z.claimed()[at] = n;
        }
        if (n < n_asking && lane == 0) z.claims()[n] = claims;
        __syncthreads();
    }
}

// Computes exclusive sums of the claims of each direction, followed by the total.
DEVICE void scan_claims(const Change& z, u32 n_asking) {
    __shared__ u32 warp_sums[WARPS];
    const u32 groups = (n_asking + COUNTED - 1) / COUNTED;
    for (u32 d = blockIdx.x; d < DIRECTIONS; d += z.blocks) {
        u32* counts = z.counts(d);
        u32 before = 0;
        for (u32 start = 0; start < groups; start += BLOCK) {
            const u32 k = start + threadIdx.x;
            u32 sum;
            const u32 mine = exclusive_scan_of_block(k < groups ? counts[k] : 0, warp_sums, sum);
            if (k < groups) counts[k] = before + mine;
            before += sum;
            __syncthreads();
        }
        if (threadIdx.x == 0) counts[groups] = before;
    }
}

// Returns the number of claimed tiles with a smaller key, counted over the three directions of a
// row. For each direction, it counts the claims of the requesting tiles before the one that would
// claim this tile in that direction.
DEVICE u32 rank_in_row(const Change& z, const Pivots& asking, u64 key, u32 row) {
    const u64 start = key + offset_of(3 * row);
    const u64* keys = asking.list;
    u32 at = asking.find(start);
    const u32 group = at / COUNTED;
    // Tiles of this row claim the tile in the directions `last` - 2 to `last`. Add the claims of
    // complete groups first, and then those of the remaining tiles.
    const u32 last = opposite(3 * row);
    u32 rank = 0;
    for (u32 k = 0; k < 3; k++) rank += z.counts(last - k)[group];
    for (u32 n = group * COUNTED; n < at; n++) rank += __popc(z.claims()[n] >> (last - 2) & 7);
    // A tile of the row itself counts only in the directions that lead to smaller keys.
    for (u32 k = 0; k < 2; k++) {
        if (at >= asking.n || keys[at] != start + k) continue;
        const u32 claims = z.claims()[at++] >> (last - 2) & 7;
        rank += __popc(claims & (k == 0 ? 3 : 1));
    }
    return rank;
}

// Records in the neighbors of a deleted tile that the deleted tile is inside.
DEVICE void set_borders(const Change& z, u32 p) {
    const u32 present = z.g.present[p];
    for (u32 row = 0; row < TILE_ROWS; row++) {
        u32 at = row_of(z.g, row, p, present);
        const u32 bits = bits_of_row(present, row);
        for (u32 k = 0; k < 3; k++) {
            const u32 d = 3 * row + k;
            if (!(bits >> k & 1)) continue;
            if (d != CENTER) atomicOr(&z.borders()[at], 1u << opposite(d));
            at++;
        }
    }
}

// Computes the list positions of new tiles, and records which deleted tiles are inside. Each claim
// is processed by a warp, whose lanes search for the rows around the new tile.
DEVICE void index(const Change& z, u32 n_asking, u32 n_created, u32 n_deleted) {
    __shared__ u64 rooms[2][BLOCK];
    const u32 full = 0xffffffffu;
    const Pivots asking(rooms[0], z.asking(), n_asking), keys(rooms[1], z.keys(), z.n);
    __syncthreads();
    const u32 threads = z.blocks * BLOCK, thread = blockIdx.x * BLOCK + threadIdx.x;
    const u32 lane = lane_of_thread();
    for (u32 m = thread / WARP; m < n_created; m += threads / WARP) {
        const u32 n = z.claimed()[m];
        // The claims of one tile are adjacent.
        u32 skip = 0;
        while (skip < m && z.claimed()[m - 1 - skip] == n) skip++;
        u32 left = z.claims()[n];
        for (; skip > 0; skip--) left &= left - 1;
        const u32 d = __ffs(left) - 1;
        const u64 key = z.asking()[n] + offset_of(d);
        u32 rank = lane < TILE_ROWS ? rank_in_row(z, asking, key, lane) : 0;
#pragma unroll
        for (u32 by = WARP / 2; by > 0; by /= 2) rank += __shfl_xor_sync(full, rank, by);
        const u32 before = lane == TILE_ROWS ? keys.find(key) : 0;
        if (lane != TILE_ROWS) continue;
        const u32 kept = before < z.n ? z.kept_before()[before] & ~DELETED : z.n - n_deleted;
        z.created()[rank] = key;
        z.g.created_at[rank] = (kept + rank) | (z.signs()[n] >> d & 1 ? INSIDE_BIT : 0);
    }
    for (u32 n = thread; n < n_deleted; n += threads) {
        const u32 p = z.deleted()[n];
        if (z.activity()[p] & INSIDE) set_borders(z, p);
    }
}

// Returns the id of new tile `n`. Ids of tiles that this change deletes are used first, then ids of
// previously deleted tiles, then ids that have never been assigned.
DEVICE u32 id_of(const Change& z, u32 n, u32 n_deleted) {
    if (n < n_deleted) return z.g.ids[z.list][z.deleted()[n]];
    const u32 more = n - n_deleted;
    return more < z.c.n_free ? z.g.free[z.c.n_free - 1 - more] : z.c.next_id + (more - z.c.n_free);
}

DEVICE void update(const Change& z, u32 n_created, u32 n_deleted, stored* phi, real gamma) {
    __shared__ u64 room[BLOCK];
    const Pivots created(room, z.created(), n_created);
    __syncthreads();
    const u32 other = z.list ^ 1;
    const u64* keys = z.keys();
    for (u32 start = z.first; start < z.end; start += BLOCK) {
        const u32 p = start + threadIdx.x;
        const u32 kept = p < z.end ? z.kept_before()[p] : DELETED;
        if (kept & DELETED) continue;
        const u64 key = keys[p];
        const u32 to = kept + created.find(key);
        z.g.keys[other][to] = key;
        z.g.ids[other][to] = z.g.ids[z.list][p];
        z.g.borders[other][to] = z.borders()[p];
        z.g.activity[other][to] = z.activity()[p];
    }
    const u32 threads = z.blocks * BLOCK, thread = blockIdx.x * BLOCK + threadIdx.x;
    for (u32 n = n_created + thread; n < n_deleted; n += threads) {
        z.g.free[z.c.n_free + n - n_created] = z.g.ids[z.list][z.deleted()[n]];
    }
    // Each new tile is processed by a warp.
    for (u32 n = thread / WARP; n < n_created; n += threads / WARP) {
        const u32 at = z.g.created_at[n], to = at & ~INSIDE_BIT, id = id_of(z, n, n_deleted);
        const bool inside = at & INSIDE_BIT;
        const stored value = store_value(inside ? -gamma : gamma, gamma);
        stored* values = phi + (u64)id * TILE_VALUES;
        for (u32 k = lane_of_thread(); k < TILE_VALUES; k += WARP) values[k] = value;
        if (lane_of_thread() != 0) continue;
        z.g.keys[other][to] = z.created()[n];
        z.g.ids[other][to] = id;
        z.g.borders[other][to] = inside ? ALL : 0;
        z.g.activity[other][to] = 0;
        z.g.born[id] = z.c.updates + 1;
    }
}

DEVICE void look_up_all(const TileGrid& g, u32 list, u32 n, u32 blocks) {
    __shared__ u64 room[BLOCK];
    const Pivots all(room, g.keys[list], n);
    __syncthreads();
    const u32 warps = blocks * WARPS;
    for (u32 group = blockIdx.x * WARPS + warp_of_thread(); group * WARP < n; group += warps) {
        look_up(g, all, g.ids[list], g.borders[list], group * WARP);
    }
}

// Returns scratch memory for a change, about 27 bytes per tile of the capacity. It is the memory of
// the neighbor ids, which are recomputed afterwards. If these ids are not stored, it is the memory
// of a stage, whose values are not needed between steps.
DEVICE u32* scratch_of(const TileGrid& g, const TileValues& v, const TileControl& c) {
#if HAS_NEAR
    return g.near;
#else
    return (u32*)(c.at[1] == 0 ? v.values[0] : c.at[1] == 1 ? v.values[1] : v.values[2]);
#endif
}

// Updates the tile set to the current band and writes phi of new tiles.
// Grid: cooperative. Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
tiles_manage(TileGrid g, TileValues v) {
    TileControl& c = *g.control;
    if (is_paused(c)) return;
    const u32 list = c.list, n = c.n_tiles, stirred = c.stirred;
    const bool is_due = c.step % TIDY_EVERY == 0;
    if (!(is_due || stirred & PRESSING)) return;
    if (!stirred || n == 0) {
        if (is_last_block(c) && threadIdx.x == 0) {
            c.updates++;
            c.created = c.deleted = 0;
        }
        return;
    }
    const u32 chunks = (n + BLOCK - 1) / BLOCK, some = 2 * chunks + 8;
    const u32 blocks = some < gridDim.x ? some : gridDim.x;
    if (blockIdx.x >= blocks) return;
    const u32 each = (chunks + blocks - 1) / blocks * BLOCK;
    const u32 first = blockIdx.x * each < n ? blockIdx.x * each : n;
    const Change z = {g, c, list, n, blocks, first, first + each < n ? first + each : n,
                      scratch_of(g, v, c)};
    count(z);
    z.barrier();
    const Sums sums(g.block_counts, blocks);
    const u32 n_deleted = sums.deleted, n_asking = sums.asking;
    u32 n_created = 0, fresh = 0;
    if (n_deleted + n_asking > 0) {
        gather(z, sums.deleted_before, sums.asking_before);
        z.barrier();
        claim(z, n_asking);
        z.barrier();
        n_created = *(volatile u32*)&c.claims;
        const u32 at_hand = c.n_free + n_deleted;
        fresh = n_created > at_hand ? n_created - at_hand : 0;
        const bool fits = fresh <= g.capacity - c.next_id;
        if (c.out_of_range || !fits) {
            // The tile set has not changed so far.
            if (is_last_block(c, blocks) && threadIdx.x == 0) {
                c.halt = c.out_of_range ? OUT_OF_RANGE : NO_ROOM;
                c.needed = c.next_id + fresh;
                c.out_of_range = c.claims = 0;
            }
            return;
        }
        scan_claims(z, n_asking);
        z.barrier();
        index(z, n_asking, n_created, n_deleted);
        z.barrier();
        stored* phi = c.at[0] == 0 ? v.values[0] : c.at[0] == 1 ? v.values[1] : v.values[2];
        update(z, n_created, n_deleted, phi, v.gamma);
        z.barrier();
        look_up_all(g, list ^ 1, n - n_deleted + n_created, blocks);
    }
    if (!is_last_block(c, blocks) || threadIdx.x != 0) return;
    const bool has_changed = n_deleted + n_created > 0;
    c.updates++;
    c.claims = 0;
    c.created = n_created;
    c.deleted = n_deleted;
    c.stirred = has_changed ? STIRRED : 0;
    if (!has_changed) return;
    c.changes++;
    c.list = list ^ 1;
    c.n_tiles = n - n_deleted + n_created;
    c.next_id += fresh;
    const u32 free = c.n_free + n_deleted;
    c.n_free = free > n_created ? free - n_created : 0;
    // No active tile lies before the first tile, so all of the half space before it has one sign.
    if (c.n_tiles > 0) c.background = g.borders[list ^ 1][0] >> (CENTER - 9) & 1;
}

// Computes the look-up of an uploaded tile set and clears the signs of neighbors that are present.
// Grid: any. Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, 4) tiles_look_up(TileGrid g) {
    look_up_all(g, g.control->list, g.control->n_tiles, gridDim.x);
}
