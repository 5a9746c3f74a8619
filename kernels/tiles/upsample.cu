// Refinement of a tiled grid to the next finer grid.
//
// The counterpart of src/grid/upsample.rs. Tiles and values are bitwise identical.
//
//     children  the keys of the eight children of each coarse tile, which are then sorted
//     look      the requests of each of these tiles, from its values, which are not stored
//     decide    which tiles stay, and which requested tiles are missing. If any are missing, look
//               and decide run again with them.
//     take      the list of the tiles that stay
//     fill      their values
//
// variants: REAL=double | REAL=float
// variants: TILE_EDGE=4 | TILE_EDGE=8 | TILE_EDGE=4, STORAGE=16
#define BLOCK_THREADS 256
#include "primitives/block.cuh"
#include "tiles/grid.cuh"
#include "common/real.cuh"
#include "generated/tile_upsample.cuh"

enum {
    E = TILE_EDGE,
    VOXELS = E * E * E,
    // The number of coarse voxels along the edge of a fine tile, including both ends.
    COARSE = E / 2 + 1,
    COARSE_VOXELS = COARSE * COARSE * COARSE,
};

// The shared memory of a warp.
struct Room {
    real coarse[COARSE_VOXELS];
    u32 ids[8];  // of the coarse tiles that contain the voxels; MISSING_* for missing tiles
};

// Returns the id of a coarse tile or, if it is missing, MISSING_INSIDE or MISSING_OUTSIDE. The sign
// of a missing tile is that of the missing tiles next to the last tile before it along x or, if
// there is none, next to the first tile after it. These tiles have recorded it. If the row has no
// tiles, the sign is that of the background.
DEVICE u32 find_tile(const TileGrid& g, u64 key) {
    const u32 list = g.control->list, n = g.control->n_tiles;
    const u64* keys = g.keys[list];
    const u32 at = lower_bound(keys, 0u, n, key);
    if (at < n && keys[at] == key) return g.ids[list][at];
    bool inside = g.control->background;
    if (at > 0 && keys[at - 1] >> KEY_BITS == key >> KEY_BITS) inside = g.borders[list][at - 1] >> (CENTER + 1) & 1;
    else if (at < n && keys[at] >> KEY_BITS == key >> KEY_BITS) inside = g.borders[list][at] >> (CENTER - 1) & 1;
    return inside ? MISSING_INSIDE : MISSING_OUTSIDE;
}

// Reads the coarse voxels of a fine tile. The whole warp must take part.
DEVICE void read(const TileGrid& g, const Upsample& u, Room& room, u64 key) {
    const u32 lane = lane_of_thread();
    // Half of each coordinate, rounded down, and the remainder, which is converted to coarse
    // voxels. Coordinates in keys are offset by 2^20.
    u64 coarse = 0;
    u32 offset[3];
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const i32 c = coordinate_of(key, k);
        coarse |= (u64)((c >> 1) + (1 << (KEY_BITS - 1))) << (k * KEY_BITS);
        offset[k] = (c & 1) * (E / 2);
    }
    if (lane < 8) {
        const u64 step = (lane & 1) | (u64)(lane >> 1 & 1) << KEY_BITS | (u64)(lane >> 2) << (2 * KEY_BITS);
        room.ids[lane] = find_tile(g, coarse + step);
    }
    __syncwarp();
    for (u32 n = lane; n < COARSE_VOXELS; n += WARP) {
        const u32 x = n % COARSE + offset[0], y = n / COARSE % COARSE + offset[1], z = n / (COARSE * COARSE) + offset[2];
        const u32 id = room.ids[x / E | (y / E) << 1 | (z / E) << 2];
        real value = R(u.gamma[0]);
        if (id < MISSING_INSIDE) {
            value = load_value(u.phi[(u64)id * VOXELS + x % E + E * (y % E + E * (z % E))], value);
        } else if (id == MISSING_INSIDE) {
            value = -value;
        }
        room.coarse[n] = value;
    }
    __syncwarp();
}

// Returns twice the interpolated value at a fine voxel.
DEVICE real doubled(const Room& room, u32 x, u32 y, u32 z) {
    real sum = R(0), count = R(0);
    for (u32 k = z / 2; k <= z / 2 + z % 2; k++) {
        for (u32 j = y / 2; j <= y / 2 + y % 2; j++) {
            for (u32 i = x / 2; i <= x / 2 + x % 2; i++) {
                sum += room.coarse[(k * COARSE + j) * COARSE + i];
                count += R(1);
            }
        }
    }
    return (sum + sum) / count;
}

// Returns phi clamped to the band, in its storage format.
DEVICE stored kept(const Upsample& u, real value) {
    const real gamma = R(u.gamma[1]);
    return store_value(value >= gamma ? gamma : value <= -gamma ? -gamma : value, gamma);
}

// Returns the directions in which a voxel lies within `reach` layers of the boundary of its tile.
DEVICE u32 directions_near(u32 x, u32 y, u32 z, u32 reach) {
    const auto near = [&](u32 c, u32 shift) {
        return (c < reach ? 1u : 0) | 1u << shift | (c + reach >= E ? 1u << (2 * shift) : 0);
    };
    // In the product of the steps, no two terms share a bit.
    return near(x, 1) * near(y, 3) * near(z, 9);
}

DEVICE u32 or_of_warp(u32 bits) {
    for (u32 by = WARP / 2; by > 0; by /= 2) bits |= __shfl_xor_sync(0xffffffffu, bits, by);
    return bits;
}

// Writes the keys of the children of all coarse tiles.
// Grid: any. Block: 256 threads.
extern "C" __global__ void __launch_bounds__(BLOCK) upsample_children(TileGrid g, Upsample u) {
    const u32 n = g.control->n_tiles;
    const u64* keys = g.keys[g.control->list];
    for (u64 m = (u64)blockIdx.x * BLOCK + threadIdx.x; m < 8 * (u64)n; m += (u64)gridDim.x * BLOCK) {
        u64 key = 0;
        bool is_in = true;
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const i32 c = 2 * coordinate_of(keys[m / 8], k) + (i32)(m >> k & 1), limit = (1 << (KEY_BITS - 1)) - 2;
            is_in = is_in && c <= limit && c >= -limit;
            key |= (u64)(c + (1 << (KEY_BITS - 1)) & ((1 << KEY_BITS) - 1)) << (k * KEY_BITS);
        }
        u.keys[m] = key;
        if (!is_in) atomicOr(&u.status->flaws, BEYOND);
    }
}

// Computes the requests of the candidates. Each tile is processed by a warp.
// Grid: any. Block: 256 threads.
extern "C" __global__ void __launch_bounds__(BLOCK) upsample_look(TileGrid g, Upsample u) {
    __shared__ Room rooms[WARPS];
    Room& room = rooms[warp_of_thread()];
    const u32 lane = lane_of_thread(), n_warps = gridDim.x * WARPS;
    const real gamma = R(u.gamma[1]);
    for (u32 n = blockIdx.x * WARPS + warp_of_thread(); n < u.n; n += n_warps) {
        read(g, u, room, u.keys[n]);
        u32 active = 0, inside = 0, outside = 0;
        bool is_bad = false;
        for (u32 v = lane; v < VOXELS; v += WARP) {
            const u32 x = v % E, y = v / E % E, z = v / (E * E);
            const real value = doubled(room, x, y, z);
            is_bad = is_bad || value != value;
            const stored kept_value = kept(u, value);
            if (is_active(kept_value, gamma)) active |= directions_near(x, y, z, u.reach);
            const u32 near = directions_near(x, y, z, 1);
            if (is_inside(kept_value)) inside |= near;
            else outside |= near;
        }
        active = or_of_warp(active);
        inside = or_of_warp(inside);
        outside = or_of_warp(outside);
        if (is_bad) atomicOr(&u.status->flaws, NOT_A_NUMBER);
        __syncwarp();
        if (lane != 0) continue;
        // Every voxel sets a bit for the tile itself.
        const u32 all_in = !(outside & ACTIVE), all_out = !(inside & ACTIVE);
        const u32 asks = active ? active : all_out ? 0 : all_in ? INSIDE : ALL;
        u.activity[n] = asks;
        u.borders[n] = !(asks & (ACTIVE | INSIDE)) ? 0 : (asks & (ACTIVE | INSIDE)) == INSIDE ? ALL & ~ACTIVE : inside & ~ACTIVE;
        u.wanted[n] = asks & ACTIVE ? (asks | (inside & outside)) & ALL & ~ACTIVE : 0;
    }
}

// Decides which tiles stay and lists requested tiles that are missing. `g` holds the look-up of all
// candidates.
// Grid: any. Block: 256 threads.
extern "C" __global__ void __launch_bounds__(BLOCK) upsample_decide(TileGrid g, Upsample u) {
    for (u32 p = blockIdx.x * BLOCK + threadIdx.x; p < u.n; p += gridDim.x * BLOCK) {
        const u32 mask = u.activity[p], present = g.present[p], missing = ALL & ~ACTIVE & ~present;
        const u64 key = u.keys[p];
        u32 asks = u.wanted[p] & missing;
        bool keeps = mask & ACTIVE;
        if (!keeps) {
            // The tile has one sign. phi jumps if a missing neighbor has the other sign.
            const u32 other = missing & (mask & INSIDE ? ~u.borders[p] : u.borders[p]);
            if (other) atomicOr(&u.status->flaws, JUMPS);
            for (u32 row = 0; row < TILE_ROWS; row++) {
                u32 at = row_of(g, row, p, present);
                const u32 bits = bits_of_row(present, row);
                for (u32 k = 0; k < 3; k++) {
                    const u32 d = 3 * row + k;
                    if (!(bits >> k & 1)) continue;
                    const u32 neighbor = u.activity[at++];
                    if (d == CENTER) continue;
                    const bool across = !(neighbor & ACTIVE) && (neighbor ^ mask) & INSIDE;
                    keeps = keeps || neighbor >> opposite(d) & 1 || across;
                }
            }
        }
        u.keeps[p] = keeps;
        if (asks && !is_in_range(key)) atomicOr(&u.status->flaws, BEYOND);
        for (; asks != 0; asks &= asks - 1) {
            const u64 wanted = key + offset_of(__ffs(asks) - 1);
            if (!is_in_range(wanted)) atomicOr(&u.status->flaws, BEYOND);
            const u32 at = atomicAdd(&u.status->asked, 1u);
            if (at < u.room) u.asked[at] = wanted;
        }
    }
}

// Writes the list of the tiles that stay, at the positions `place`. Each tile records the signs of
// neighboring candidates that do not stay.
// Grid: any. Block: 256 threads.
extern "C" __global__ void __launch_bounds__(BLOCK)
upsample_take(TileGrid g, Upsample u, TileGrid fine, const u32* place, u32 update) {
    for (u32 p = blockIdx.x * BLOCK + threadIdx.x; p < u.n; p += gridDim.x * BLOCK) {
        if (!u.keeps[p]) continue;
        const u32 present = g.present[p], to = place[p];
        u32 border = u.borders[p];
        for (u32 row = 0; row < TILE_ROWS; row++) {
            u32 at = row_of(g, row, p, present);
            const u32 bits = bits_of_row(present, row);
            for (u32 k = 0; k < 3; k++) {
                if (!(bits >> k & 1)) continue;
                const u32 q = at++, d = 3 * row + k;
                if (d != CENTER && !u.keeps[q] && u.activity[q] & INSIDE) border |= 1u << d;
            }
        }
        fine.keys[0][to] = u.keys[p];
        fine.ids[0][to] = to;
        fine.borders[0][to] = border;
        fine.activity[0][to] = u.activity[p];
        fine.born[to] = update;
    }
}

// Writes the values of `n` fine tiles. Each tile is processed by a warp.
// Grid: any. Block: 256 threads.
extern "C" __global__ void __launch_bounds__(BLOCK) upsample_fill(TileGrid g, Upsample u, TileGrid fine, u32 n) {
    __shared__ Room rooms[WARPS];
    Room& room = rooms[warp_of_thread()];
    const u32 n_warps = gridDim.x * WARPS;
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < n; p += n_warps) {
        read(g, u, room, fine.keys[0][p]);
        for (u32 v = lane_of_thread(); v < VOXELS; v += WARP) {
            u.fine[(u64)p * VOXELS + v] = kept(u, doubled(room, v % E, v / E % E, v / (E * E)));
        }
        __syncwarp();
    }
}
