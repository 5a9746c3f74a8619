// Printed from crates/gpu/src/primitives/discriminator/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "primitives/shape.cuh"

// What tells active cells.
// A threshold of bytes.
#define DISCRIMINATOR_BYTES 0
// A range.
#define DISCRIMINATOR_WITHIN 1
// The gradient.
#define DISCRIMINATOR_EDGE 2
// A template.
#define DISCRIMINATOR_TEMPLATE 3
// An expression.
#define DISCRIMINATOR_CONDITION 4
// Bits that were made before.
#define DISCRIMINATOR_BITS 5

// Bytes of `low` or more.
struct Bytes {
    // Aligned to 16 bytes.
    const u8 *values;
    Shape shape;
    // At most 255.
    u32 low;
};
static_assert(sizeof(Bytes) == 24, "size of Bytes");
ASSERT_OFFSET(Bytes, values, 0);
ASSERT_OFFSET(Bytes, shape, 8);
ASSERT_OFFSET(Bytes, low, 20);

// Values between `low` and `high`; what is no number is not.
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

// A gradient of size `low` or more.
struct Edge {
    const VALUE *values;
    Shape shape;
    double low;
    // Distance of cells along each axis.
    double spacing[3];
};
static_assert(sizeof(Edge) == 56, "size of Edge");
ASSERT_OFFSET(Edge, values, 0);
ASSERT_OFFSET(Edge, shape, 8);
ASSERT_OFFSET(Edge, low, 24);
ASSERT_OFFSET(Edge, spacing, 32);

// A sum of absolute differences from a template of `most` or less. The middle of the template, along an even axis the
// upper of the two, lies on the cell; where it reaches beyond the border it does not fit.
struct Template {
    const VALUE *values;
    Shape shape;
    // Of a grid of `size`.
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

// Bits that are set.
struct Bits {
    // A bit for each cell.
    const u32 *words;
    Shape shape;
};
static_assert(sizeof(Bits) == 24, "size of Bits");
ASSERT_OFFSET(Bits, words, 0);
ASSERT_OFFSET(Bits, shape, 8);
