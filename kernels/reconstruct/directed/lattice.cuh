// The lattice cubes that cover a cloud, and lists of their keys. The counterpart of
// src/reconstruct/directed/lattice.rs and seeds.rs.
//
// Positions are in double precision. The operations are the same as on the CPU, in the same order,
// so results are bitwise identical.
#pragma once

// A block has one thread per vertex of a tile.
#define BLOCK_THREADS 512
#include "generated/directed.cuh"
#include "primitives/block.cuh"

enum : u32 {
    // Cubes along an edge of a tile, and vertices per tile.
    EDGE = 8,
    VERTICES = EDGE * EDGE * EDGE,
    // Marks the absence of a tile or a sample.
    NONE = 0xffffffffu,
};

struct Vector {
    double x, y, z;
};

struct Place {
    i32 x, y, z;
};

DEVICE double inside(double world, double center, double cube, u32 size) {
    return (world - center) / cube + 0.5 * (double)size;
}

// Converts a point of the cloud to lattice units.
DEVICE Vector inside(const Lattice& lattice, const double* world) {
    return {inside(world[0], lattice.center[0], lattice.cube, lattice.size[0]),
            inside(world[1], lattice.center[1], lattice.cube, lattice.size[1]),
            inside(world[2], lattice.center[2], lattice.cube, lattice.size[2])};
}

DEVICE double in_world(double x, double center, double cube, u32 size) { return center + cube * (x - 0.5 * (double)size); }

DEVICE u64 tile_key(const Lattice& lattice, const Place& tile) {
    return (u64)tile.x | (u64)tile.y << lattice.bits[0] | (u64)tile.z << (lattice.bits[0] + lattice.bits[1]);
}

// Returns the coordinates of the tile that a key belongs to, in units of tiles.
DEVICE Place tile_of(const Lattice& lattice, u64 key) {
    const u32 x = (1u << lattice.bits[0]) - 1, y = (1u << lattice.bits[1]) - 1;
    return {(i32)((u32)key & x), (i32)((u32)(key >> lattice.bits[0]) & y),
            (i32)(key >> (lattice.bits[0] + lattice.bits[1]))};
}

// Returns the key of a cube. The high bits are the key of its tile, and the low nine bits are the
// position of the cube in the tile.
DEVICE u64 cube_key(const Lattice& lattice, const Place& cube) {
    const Place tile = {cube.x / (i32)EDGE, cube.y / (i32)EDGE, cube.z / (i32)EDGE};
    const u32 x = cube.x % EDGE, y = cube.y % EDGE, z = cube.z % EDGE;
    return tile_key(lattice, tile) << 9 | (x | y << 3 | z << 6);
}

// Returns the position of vertex or cube `v` in its tile.
DEVICE Place within(u32 v) { return {(i32)(v % EDGE), (i32)(v / EDGE % EDGE), (i32)(v / (EDGE * EDGE))}; }

// Returns step d of the 27 steps by -1, 0 or 1 along each axis, x fastest.
DEVICE Place step(u32 d) { return {(i32)(d % 3) - 1, (i32)(d / 3 % 3) - 1, (i32)(d / 9) - 1}; }

// Returns the tile, or the vertex, at offset `by` from the given one. Its coordinates can be
// negative.
DEVICE Place beside(const Place& tile, const Place& by) { return {tile.x + by.x, tile.y + by.y, tile.z + by.z}; }

DEVICE bool is_below_zero(const Place& at) { return at.x < 0 || at.y < 0 || at.z < 0; }

// Returns the index of the first of n ascending keys that is not below `key`.
DEVICE u32 first_from(const u64* keys, u32 n, u64 key) {
    u32 low = 0;
    while (n > 0) {
        const u32 half = n / 2;
        if (keys[low + half] < key) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

// Returns the index of a key among n ascending keys, or NONE if it is missing.
DEVICE u32 position_of(const u64* keys, u32 n, u64 key) {
    const u32 at = first_from(keys, n, key);
    return at < n && keys[at] == key ? at : NONE;
}

// Returns the unit normal of a sample, or zero if the length of its normal is 0 or not finite.
DEVICE Vector normal_of(const float* normals, u32 number) {
    const float* n = normals + 3 * (u64)number;
    const double x = n[0], y = n[1], z = n[2];
    const double length = sqrt(x * x + y * y + z * z);
    // The second condition holds only for a finite length.
    if (length > 0.0 && length - length == 0.0) return {x / length, y / length, z / length};
    return {0.0, 0.0, 0.0};
}

DEVICE bool is_nan(float x) { return x != x; }

// A vertex of a tile, or of a tile next to it.
struct Neighbor {
    u32 tile, vertex;
};

// Returns the vertex at a position from -1 to 8 along each axis of a tile. `around` lists the 27
// tiles around it, including the tile itself.
DEVICE Neighbor vertex_at(const u32* around, const Place& at) {
    const i32 dx = (at.x + 8) / 8 - 1, dy = (at.y + 8) / 8 - 1, dz = (at.z + 8) / 8 - 1;
    const u32 x = (u32)(at.x & 7), y = (u32)(at.y & 7), z = (u32)(at.z & 7);
    return {around[13 + dx + 3 * dy + 9 * dz], x + EDGE * (y + EDGE * z)};
}

// Returns the index of a vertex among the vertices of all tiles.
DEVICE u32 number_of(const Neighbor& at) { return at.tile * VERTICES + at.vertex; }
