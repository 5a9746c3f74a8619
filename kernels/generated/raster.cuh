// Generated from crates/view/src/picture/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// A mesh to draw.
struct Drawing {
    // The points, `[n_points][3]`.
    const double *points;
    // The vertices of the triangles, `[n_triangles][3]`.
    const u32 *triangles;
    // The value of each point, `[n_points]`.
    const double *values;
    // The normals, `[n_triangles][3][3]`, or null if no lighting is needed.
    const float *normals;
    // The colors of the map, `[MAP_STEPS][3]`.
    const float *map;
    // The sRGB curve, `[SCREEN_STEPS + 2]`.
    const float *screen;
    // The value at the lower end of the map.
    double low;
    // The value at the upper end of the map.
    double high;
    // The color of triangles without values.
    float solid[3];
    // The color of values that are not finite.
    float no_value[3];
    u32 n_points;
    u32 n_triangles;
    // The number of colored triangles. All later triangles have a single color.
    u32 n_colored;
    // Whether colored triangles that face the viewer are omitted.
    u32 open;
    u32 transparent;
    u32 padding;
};
static_assert(sizeof(Drawing) == 112, "size of Drawing");
ASSERT_OFFSET(Drawing, points, 0);
ASSERT_OFFSET(Drawing, triangles, 8);
ASSERT_OFFSET(Drawing, values, 16);
ASSERT_OFFSET(Drawing, normals, 24);
ASSERT_OFFSET(Drawing, map, 32);
ASSERT_OFFSET(Drawing, screen, 40);
ASSERT_OFFSET(Drawing, low, 48);
ASSERT_OFFSET(Drawing, high, 56);
ASSERT_OFFSET(Drawing, solid, 64);
ASSERT_OFFSET(Drawing, no_value, 76);
ASSERT_OFFSET(Drawing, n_points, 88);
ASSERT_OFFSET(Drawing, n_triangles, 92);
ASSERT_OFFSET(Drawing, n_colored, 96);
ASSERT_OFFSET(Drawing, open, 100);
ASSERT_OFFSET(Drawing, transparent, 104);
ASSERT_OFFSET(Drawing, padding, 108);
