// Printed from crates/view/src/picture/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// A mesh as it is drawn.
struct Drawing {
    // `[n_points][3]`
    const double *points;
    // `[n_triangles][3]`
    const u32 *triangles;
    // `[n_points]`
    const double *values;
    // `[n_triangles][3][3]`; null for what needs no light.
    const float *normals;
    // `[MAP_STEPS][3]` colors of values.
    const float *map;
    // `[SCREEN_STEPS + 2]`
    const float *screen;
    // Value at the lower end of the map.
    double low;
    // Value at the upper end.
    double high;
    // Color of triangles without values.
    float solid[3];
    // Color of what has no value.
    float no_value[3];
    u32 n_points;
    u32 n_triangles;
    // Triangles from this one on have one color.
    u32 n_colored;
    // Colored triangles that face the viewer are left out.
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
