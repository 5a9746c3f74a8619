// Generated from src/surface/isosurface/cuda/state.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// Counts that the host reads, zero at the start.
struct Totals {
    // Vertices of the surface.
    u64 vertices;
    // Triangles of the surface.
    u64 triangles;
    // Whether a value is not finite.
    u32 has_missing;
    // Number of tiles of rows that have been started.
    u32 taken;
};
static_assert(sizeof(Totals) == 24, "size of Totals");
ASSERT_OFFSET(Totals, vertices, 0);
ASSERT_OFFSET(Totals, triangles, 8);
ASSERT_OFFSET(Totals, has_missing, 16);
ASSERT_OFFSET(Totals, taken, 20);

// A dense volume and its surface.
struct Surface {
    // Address of the stored numbers, `[shape[2]][shape[1]][shape[0]]`.
    u64 values;
    // Bits of the smallest and the largest number that is inside.
    u64 range[2];
    // One bit per voxel, set if it is inside, `[rows][words]`.
    u32 *inside;
    // One bit per voxel, set if its value is not finite, `[rows][words]`, or null.
    u32 *missing;
    // Index of the first vertex of each row of voxels, `[rows]`.
    u32 *first_vertex;
    // Index of the first triangle of each row of voxels, `[rows]`.
    u32 *first_triangle;
    // Number of crossings in each row along x, and along x or y, `[rows][2]`.
    u32 *along;
    // Vertex and triangle sums that tiles of rows share, `[2][tiles]`, zero at the start.
    u64 *told;
    // One element, zero at the start.
    Totals *totals;
    // Vertex positions in world units, `[n][3]`.
    double *vertices;
    // Normalized gradients of phi at the vertices, `[n][3]`, or null.
    double *normals;
    // Vertices of each triangle, `[n][3]`.
    u32 *triangles;
    // Capacity in vertices and triangles.
    u64 room[2];
    // The level of the surface.
    double level;
    // Values are `slope * stored + intercept`.
    double slope;
    // See `slope`.
    double intercept;
    // Position of voxel (0, 0, 0), counted with the layers.
    double origin[3];
    // Steps from voxel to voxel.
    double steps[3][3];
    // Derivatives of the index with respect to world coordinates.
    double inverse[3][3];
    // Number of voxels with values.
    u32 shape[3];
    // Number of voxels including the layers around them.
    u32 size[3];
    // Number of layers: 0 or 1.
    u32 layers;
    // Words per row.
    u32 words;
    // Lanes of a warp that share a row, a power of two.
    u32 lanes;
    // Whether a slope or an intercept applies.
    u32 is_scaled;
};
static_assert(sizeof(Surface) == 352, "size of Surface");
ASSERT_OFFSET(Surface, values, 0);
ASSERT_OFFSET(Surface, range, 8);
ASSERT_OFFSET(Surface, inside, 24);
ASSERT_OFFSET(Surface, missing, 32);
ASSERT_OFFSET(Surface, first_vertex, 40);
ASSERT_OFFSET(Surface, first_triangle, 48);
ASSERT_OFFSET(Surface, along, 56);
ASSERT_OFFSET(Surface, told, 64);
ASSERT_OFFSET(Surface, totals, 72);
ASSERT_OFFSET(Surface, vertices, 80);
ASSERT_OFFSET(Surface, normals, 88);
ASSERT_OFFSET(Surface, triangles, 96);
ASSERT_OFFSET(Surface, room, 104);
ASSERT_OFFSET(Surface, level, 120);
ASSERT_OFFSET(Surface, slope, 128);
ASSERT_OFFSET(Surface, intercept, 136);
ASSERT_OFFSET(Surface, origin, 144);
ASSERT_OFFSET(Surface, steps, 168);
ASSERT_OFFSET(Surface, inverse, 240);
ASSERT_OFFSET(Surface, shape, 312);
ASSERT_OFFSET(Surface, size, 324);
ASSERT_OFFSET(Surface, layers, 336);
ASSERT_OFFSET(Surface, words, 340);
ASSERT_OFFSET(Surface, lanes, 344);
ASSERT_OFFSET(Surface, is_scaled, 348);
