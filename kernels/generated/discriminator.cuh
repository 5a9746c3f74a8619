// Generated from crates/gpu/src/primitives/discriminator/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "primitives/grid_axes.cuh"

// The kind of discriminator.
// A threshold on bytes.
#define DISCRIMINATOR_BYTES 0
// A range of values.
#define DISCRIMINATOR_WITHIN 1
// The magnitude of the gradient.
#define DISCRIMINATOR_EDGE 2
// The difference from a template.
#define DISCRIMINATOR_TEMPLATE 3
// An expression.
#define DISCRIMINATOR_CONDITION 4
// Bits computed before.
#define DISCRIMINATOR_BITS 5

// Marks bytes of at least `low`.
struct Bytes {
    // The values, aligned to 16 bytes.
    const u8 *values;
    Shape shape;
    // The threshold, at most 255.
    u32 low;
};
static_assert(sizeof(Bytes) == 24, "size of Bytes");
ASSERT_OFFSET(Bytes, values, 0);
ASSERT_OFFSET(Bytes, shape, 8);
ASSERT_OFFSET(Bytes, low, 20);

// Marks values between `low` and `high`, both included. NaN is not marked.
struct Within {
    const VALUE *values;
    Shape shape;
    double low;
    double high;
};
static_assert(sizeof(Within) == 40, "size of Within");
ASSERT_OFFSET(Within, values, 0);
ASSERT_OFFSET(Within, shape, 8);
ASSERT_OFFSET(Within, low, 24);
ASSERT_OFFSET(Within, high, 32);

// Marks cells where the magnitude of the gradient is at least `low`.
struct Edge {
    const VALUE *values;
    Shape shape;
    double low;
    // The distance between cells along each axis.
    double spacing[3];
};
static_assert(sizeof(Edge) == 56, "size of Edge");
ASSERT_OFFSET(Edge, values, 0);
ASSERT_OFFSET(Edge, shape, 8);
ASSERT_OFFSET(Edge, low, 24);
ASSERT_OFFSET(Edge, spacing, 32);

// Marks cells where the sum of absolute differences from a template is at most `most`. The
// middle of the template lies on the cell. Along an axis of even size, it is the upper of the
// two middle cells. Cells where the template reaches beyond the grid are not marked.
struct Template {
    const VALUE *values;
    Shape shape;
    // The values of the template, a grid of `size`.
    const double *wanted;
    Shape size;
    double most;
};
static_assert(sizeof(Template) == 56, "size of Template");
ASSERT_OFFSET(Template, values, 0);
ASSERT_OFFSET(Template, shape, 8);
ASSERT_OFFSET(Template, wanted, 24);
ASSERT_OFFSET(Template, size, 32);
ASSERT_OFFSET(Template, most, 48);

// Marks cells whose bits are set.
struct Bits {
    // One bit per cell.
    const u32 *words;
    Shape shape;
};
static_assert(sizeof(Bits) == 24, "size of Bits");
ASSERT_OFFSET(Bits, words, 0);
ASSERT_OFFSET(Bits, shape, 8);
