// Cubes over a cloud and lists of their keys, twins of src/reconstruct/directed/lattice.rs and seeds.rs.
//
// Places are in double: the same operations in the same order as on the CPU give the same bits.
#pragma once

// A block has a thread for each vertex of a tile.
#define BLOCK_THREADS 512
#include "generated/directed.cuh"
#include "primitives/block.cuh"

enum : u32 {
    // Cubes along an edge of a tile, and vertices of it.
    EDGE = 8,
    VERTICES = EDGE * EDGE * EDGE,
    // Stands for no tile and no sample.
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

// Lattice units of a point of the cloud.
DEVICE Vector inside(const Lattice& lattice, const double* world) {
    return {inside(world[0], lattice.center[0], lattice.cube, lattice.size[0]),
            inside(world[1], lattice.center[1], lattice.cube, lattice.size[1]),
            inside(world[2], lattice.center[2], lattice.cube, lattice.size[2])};
}

DEVICE double in_world(double x, double center, double cube, u32 size) { return center + cube * (x - 0.5 * (double)size); }

DEVICE u64 tile_key(const Lattice& lattice, const Place& tile) {
    return (u64)tile.x | (u64)tile.y << lattice.bits[0] | (u64)tile.z << (lattice.bits[0] + lattice.bits[1]);
}

// The tile of a key, in tiles.
DEVICE Place tile_of(const Lattice& lattice, u64 key) {
    const u32 x = (1u << lattice.bits[0]) - 1, y = (1u << lattice.bits[1]) - 1;
    return {(i32)((u32)key & x), (i32)((u32)(key >> lattice.bits[0]) & y),
            (i32)(key >> (lattice.bits[0] + lattice.bits[1]))};
}

// Key of a cube: that of its tile above its place there.
DEVICE u64 cube_key(const Lattice& lattice, const Place& cube) {
    const Place tile = {cube.x / (i32)EDGE, cube.y / (i32)EDGE, cube.z / (i32)EDGE};
    const u32 x = cube.x % EDGE, y = cube.y % EDGE, z = cube.z % EDGE;
    return tile_key(lattice, tile) << 9 | (x | y << 3 | z << 6);
}

// Where a vertex or a cube lies in its tile.
DEVICE Place within(u32 v) { return {(i32)(v % EDGE), (i32)(v / EDGE % EDGE), (i32)(v / (EDGE * EDGE))}; }

// Step d of 27 to a neighbor: -1 to 1 along x, then y, then z.
DEVICE Place step(u32 d) { return {(i32)(d % 3) - 1, (i32)(d / 3 % 3) - 1, (i32)(d / 9) - 1}; }

// The tile beside one; one below zero has a negative number.
DEVICE Place beside(const Place& tile, const Place& by) { return {tile.x + by.x, tile.y + by.y, tile.z + by.z}; }

DEVICE bool is_below_zero(const Place& at) { return at.x < 0 || at.y < 0 || at.z < 0; }

// The first of n ascending keys that is not below `key`.
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

// Where a key stands among n ascending ones; NONE if it does not.
DEVICE u32 position_of(const u64* keys, u32 n, u64 key) {
    const u32 at = first_from(keys, n, key);
    return at < n && keys[at] == key ? at : NONE;
}

// The unit normal of a sample; zero where the cloud has none there.
DEVICE Vector normal_of(const float* normals, u32 number) {
    const float* n = normals + 3 * (u64)number;
    const double x = n[0], y = n[1], z = n[2];
    const double length = sqrt(x * x + y * y + z * z);
    // Neither infinite nor no number.
    if (length > 0.0 && length - length == 0.0) return {x / length, y / length, z / length};
    return {0.0, 0.0, 0.0};
}

DEVICE bool is_nan(float x) { return x != x; }

// Places of a vertex and those around it: a tile with a border of one on the sides that are asked for.
struct Neighbor {
    u32 tile, vertex;
};

// The vertex at a place from -1 to 8 along each axis of a tile; `around` are its 27 tiles.
DEVICE Neighbor vertex_at(const u32* around, const Place& at) {
    const i32 dx = (at.x + 8) / 8 - 1, dy = (at.y + 8) / 8 - 1, dz = (at.z + 8) / 8 - 1;
    const u32 x = (u32)(at.x & 7), y = (u32)(at.y & 7), z = (u32)(at.z & 7);
    return {around[13 + dx + 3 * dy + 9 * dz], x + EDGE * (y + EDGE * z)};
}

// Its number among the vertices of all tiles.
DEVICE u32 number_of(const Neighbor& at) { return at.tile * VERTICES + at.vertex; }
