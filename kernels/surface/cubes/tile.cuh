// A tile with the values around it: its inside voxels and its rows of cubes.
#pragma once
#include "primitives/block.cuh"
#include "tiles/grid.cuh"
#include "common/real.cuh"
#include "generated/cubes.cuh"

enum {
    E = TILE_EDGE,
    VOXELS = E * E * E,
    // Rows of voxels along x in a tile with one layer around it, and rows of cubes. Bit x + 1 of a
    // row stands for voxel x.
    SIDE = E + 2,
    ROWS = SIDE * SIDE,
    CUBE_SIDE = E + 1,
    CUBE_ROWS = CUBE_SIDE * CUBE_SIDE,
    // The record of the crossings of a tile: bits of its voxels for each axis, the number of
    // crossings before each of their words, bits of the crossings that enter from missing tiles for
    // each axis, and the number of all other crossings.
    WORDS = VOXELS / 32,
    FACE_WORDS = (E * E + 31) / 32,
    BEFORE = 3 * WORDS,
    COMING = 4 * WORDS,
    INNER = COMING + 3 * FACE_WORDS,
    RECORD = INNER + 1,
};

// Returns phi as the surface extraction uses it. If its absolute value is below ON_SURFACE in
// src/surface/cubes/tiles.rs, it is set to 0.
DEVICE real level_of(stored value, real gamma) {
    const real phi = load_value(value, gamma);
    return fabs(phi) < R(1.0 / 512.0) ? R(0) : phi;
}

// Shared memory of a warp.
struct Room {
    u32 near[DIRECTIONS], ids[DIRECTIONS];  // list positions and ids of the tiles; or MISSING_*
    u32 record[RECORD];
    u16 inside[ROWS], gaps[ROWS];
};

// A tile and its surroundings.
struct Block {
    const TileSurface& s;
    Room& room;
    u32 list, p;
    u32 present;  // includes the tile itself
    real gamma;

    // Looks up the tiles around tile `p`. The whole warp must call this.
    DEVICE Block(const TileGrid& g, const TileSurface& s, Room& room, u32 p)
        : s(s), room(room), list(g.control->list), p(p), present(g.present[p] | ACTIVE), gamma(R(s.gamma)) {
        const u32 row = lane_of_thread();
        if (row < TILE_ROWS) {
            const u32 border = g.borders[list][p], bits = bits_of_row(present, row);
            const u32 begin = row_of(g, row, p, present);
#pragma unroll
            for (u32 k = 0; k < 3; k++) {
                const u32 d = 3 * row + k;
                u32 at = border >> d & 1 ? MISSING_INSIDE : MISSING_OUTSIDE, id = at;
                if (bits >> k & 1) {
                    at = begin + __popc(bits & ((1u << k) - 1));
                    id = g.ids[list][at];
                }
                room.near[d] = at;
                room.ids[d] = id;
            }
        }
        __syncwarp();
    }

    // Returns phi at a position at most two voxels beyond the tile.
    DEVICE real at(const i32 (&place)[3]) const {
        u32 d = CENTER, k = 0;
#pragma unroll
        for (i32 axis = 2; axis >= 0; axis--) {
            const i32 c = place[axis], step = axis == 0 ? 1 : axis == 1 ? 3 : 9;
            d += c < 0 ? -step : c >= E ? step : 0;
            k = k * E + (u32)(c & (E - 1));
        }
        const u32 id = room.ids[d];
        if (id >= MISSING_INSIDE) return id == MISSING_INSIDE ? -gamma : gamma;
        return level_of(s.phi[(u64)id * VOXELS + k], gamma);
    }

    // Finds the voxels that are inside, and those with NaN. Returns false if all are on one side.
    // The whole warp must call this.
    DEVICE bool read() const {
        bool some_in = false, some_out = false;
        for (u32 r = lane_of_thread(); r < ROWS; r += WARP) {
            const i32 y = (i32)(r % SIDE) - 1, z = (i32)(r / SIDE) - 1;
            const u32 d = CENTER + (y < 0 ? -3 : y >= E ? 3 : 0) + (z < 0 ? -9 : z >= E ? 9 : 0);
            const u32 from = E * ((y & (E - 1)) + E * (z & (E - 1)));
            u32 inside = 0, gaps = 0;
            const auto note = [&](stored value, u32 bit) {
                const real phi = level_of(value, gamma);
                inside |= (u32)(phi < R(0)) << bit;
                gaps |= (u32)(phi != phi) << bit;
            };
#pragma unroll
            for (u32 k = 0; k < 3; k++) {
                const u32 id = room.ids[d + k - 1];
                const u32 bits = k == 0 ? 1 : k == 1 ? ((1u << E) - 1) << 1 : 1u << (E + 1);
                const stored* values = s.phi + (u64)id * VOXELS + from;
                if (id >= MISSING_INSIDE) {
                    inside |= id == MISSING_INSIDE ? bits : 0;
                } else if (k == 1) {
#pragma unroll
                    for (u32 q = 0; q < E / QUAD; q++) {
                        const Quad quad = ((const Quad*)values)[q];
#pragma unroll
                        for (u32 i = 0; i < QUAD; i++) note(quad.v[i], 1 + QUAD * q + i);
                    }
                } else {
                    note(values[k == 0 ? E - 1 : 0], k == 0 ? 0 : E + 1);
                }
            }
            room.inside[r] = (u16)inside;
            room.gaps[r] = (u16)gaps;
            some_in = some_in || inside != 0;
            some_out = some_out || inside != (1u << (E + 2)) - 1;
        }
        __syncwarp();
        return __any_sync(0xffffffffu, some_in) && __any_sync(0xffffffffu, some_out);
    }

    // Returns the bits of the voxels of a row that are in missing tiles.
    DEVICE u32 absent(u32 row) const {
        const i32 y = (i32)(row % SIDE) - 1, z = (i32)(row / SIDE) - 1;
        const u32 d = CENTER + (y < 0 ? -3 : y >= E ? 3 : 0) + (z < 0 ? -9 : z >= E ? 9 : 0);
        const u32 there = present >> (d - 1);
        return (there & 1 ? 0 : 1) | (there & 2 ? 0 : ((1u << E) - 1) << 1) | (there & 4 ? 0 : 1u << (E + 1));
    }
};

// A row of cubes along x. Bit x + 1 stands for the cube whose lowest corner is voxel x.
struct Cubes {
    i32 y, z;
    u32 inside[4];  // voxels at (y, z), (y + 1, z), (y, z + 1) and (y + 1, z + 1)
    u32 cut;        // cut cubes that belong to the tile and have no NaN at a corner
    u32 cut_off;    // cut cubes with a crossing between two missing tiles

    DEVICE Cubes(const Block& b, u32 row) : y((i32)(row % CUBE_SIDE) - 1), z((i32)(row / CUBE_SIDE) - 1), cut(0), cut_off(0) {
        if (row >= CUBE_ROWS) return;
        const u32 first = SIDE * (z + 1) + y + 1;
        u32 any = 0, every = ~0u, gaps = 0, absent[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            const u32 r = first + (k & 1) + SIDE * (k >> 1);
            inside[k] = b.room.inside[r];
            any |= inside[k] | inside[k] >> 1;
            every &= inside[k] & inside[k] >> 1;
            gaps |= b.room.gaps[r] | b.room.gaps[r] >> 1;
        }
        cut = any & ~every & ~gaps & ((1u << CUBE_SIDE) - 1);
        if (cut == 0) return;
        // Neighbors that contain corners of these cubes. Only neighbors before this tile in the
        // list count. Products of the bits of steps along y and z select the neighbors.
        const u32 ys = (y < 0 ? 1u : 0) | 1u << 3 | (y == E - 1 ? 1u << 6 : 0);
        const u32 zs = (z < 0 ? 1u : 0) | 1u << 9 | (z == E - 1 ? 1u << 18 : 0);
        const u32 before = present_before(b);
        if (3 * ys * zs & before) cut &= ~1u;
        if (2 * ys * zs & before) cut &= ~(((1u << (E - 1)) - 1) << 1);
        if (6 * ys * zs & before) cut &= ~(1u << E);
        if (cut == 0 || (y >= 0 && y < E - 1 && z >= 0 && z < E - 1 && (b.present >> (CENTER - 1) & 5) == 5)) return;
        u32 bad = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            absent[k] = b.absent(first + (k & 1) + SIDE * (k >> 1));
            bad |= (inside[k] ^ inside[k] >> 1) & absent[k] & absent[k] >> 1;
        }
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            const u32 along_y = (inside[2 * k] ^ inside[2 * k + 1]) & absent[2 * k] & absent[2 * k + 1];
            const u32 along_z = (inside[k] ^ inside[k + 2]) & absent[k] & absent[k + 2];
            bad |= along_y | along_y >> 1 | along_z | along_z >> 1;
        }
        cut_off = bad & cut;
    }

    DEVICE static u32 present_before(const Block& b) { return b.present & ((1u << CENTER) - 1); }

    DEVICE u32 case_at(u32 bit) const {
        u32 found = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) found |= (inside[k] >> bit & 3) << (2 * k);
        return found;
    }
};
