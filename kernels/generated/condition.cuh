// Printed from crates/gpu/src/points/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "primitives/shape.cuh"

// An expression over a volume that is neither 0 nor no number, with code printed for it (src/expression/cuda.rs).
struct Condition {
    // Null if the expression has no value.
    const VALUE *values;
    Shape shape;
    // Center of the first voxel.
    double origin[3];
    // From one to the next along each axis.
    double steps[3][3];
    // Values are `slope * stored + intercept`.
    double slope;
    // See `slope`.
    double intercept;
};
static_assert(sizeof(Condition) == 136, "size of Condition");
ASSERT_OFFSET(Condition, values, 0);
ASSERT_OFFSET(Condition, shape, 8);
ASSERT_OFFSET(Condition, origin, 24);
ASSERT_OFFSET(Condition, steps, 48);
ASSERT_OFFSET(Condition, slope, 120);
ASSERT_OFFSET(Condition, intercept, 128);
