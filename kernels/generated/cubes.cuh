// Generated from src/surface/cubes/cuda/state.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "tiles/storage.cuh"

// Counts that the host reads, zero at the start.
struct Found {
    // Vertices of the surface.
    u64 vertices;
    // Triangles of the surface.
    u64 triangles;
    // Whether phi changes sign between two missing tiles.
    u32 is_cut_off;
    // Zero.
    u32 padding;
};
static_assert(sizeof(Found) == 24, "size of Found");
ASSERT_OFFSET(Found, vertices, 0);
ASSERT_OFFSET(Found, triangles, 8);
ASSERT_OFFSET(Found, is_cut_off, 16);
ASSERT_OFFSET(Found, padding, 20);

// The surface of tiles.
struct TileSurface {
    // phi by tile id, in voxels, `[capacity][E^3]`.
    const stored *phi;
    // Record of the crossings of each tile, `[tiles][RECORD]`.
    u32 *records;
    // Number of vertices in each tile, `[tiles]`.
    u32 *vertices_of;
    // Number of triangles in each tile, `[tiles]`.
    u32 *triangles_of;
    // Index of the first vertex of each tile, then their number, `[tiles + 1]`.
    u32 *first_vertex;
    // Index of the first triangle of each tile, then their number, `[tiles + 1]`.
    u32 *first_triangle;
    // One element, zero at the start.
    Found *found;
    // Vertex positions in world units, `[n][3]`.
    double *vertices;
    // Normalized gradients of phi at the vertices, `[n][3]`, or null.
    double *normals;
    // Vertices of each triangle, `[n][3]`.
    u32 *triangles;
    // The value to which phi is clamped.
    double gamma;
    // Distance between voxels.
    double spacing;
    // Position of voxel (0, 0, 0).
    double origin[3];
};
static_assert(sizeof(TileSurface) == 120, "size of TileSurface");
ASSERT_OFFSET(TileSurface, phi, 0);
ASSERT_OFFSET(TileSurface, records, 8);
ASSERT_OFFSET(TileSurface, vertices_of, 16);
ASSERT_OFFSET(TileSurface, triangles_of, 24);
ASSERT_OFFSET(TileSurface, first_vertex, 32);
ASSERT_OFFSET(TileSurface, first_triangle, 40);
ASSERT_OFFSET(TileSurface, found, 48);
ASSERT_OFFSET(TileSurface, vertices, 56);
ASSERT_OFFSET(TileSurface, normals, 64);
ASSERT_OFFSET(TileSurface, triangles, 72);
ASSERT_OFFSET(TileSurface, gamma, 80);
ASSERT_OFFSET(TileSurface, spacing, 88);
ASSERT_OFFSET(TileSurface, origin, 96);
