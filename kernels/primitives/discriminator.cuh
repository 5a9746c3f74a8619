// Discriminators on the GPU: the counterparts of crates/core/src/primitives/discriminator.rs and
// crates/core/src/volume/condition.rs, in double precision and with the same order of operations as
// on the CPU.
//
// `Discriminator` is the kernel argument, and `is_active` decides whether a cell is active.
// primitives/bit_words.cuh packs the decisions into words.
//
// Defines: DISCRIMINATOR, whose values are named in generated/discriminator.cuh; VALUE, the type of
// the values, except for the discriminators BYTES and BITS.
#pragma once

#include "primitives/grid_axes.cuh"
// VALUE is also defined for discriminators that do not use it.
#ifndef VALUE
#define VALUE u8
#endif
#include "generated/condition.cuh"
#include "generated/discriminator.cuh"

#if DISCRIMINATOR == DISCRIMINATOR_BYTES
typedef Bytes Discriminator;
#elif DISCRIMINATOR == DISCRIMINATOR_WITHIN
typedef Within Discriminator;
#elif DISCRIMINATOR == DISCRIMINATOR_EDGE
typedef Edge Discriminator;
#elif DISCRIMINATOR == DISCRIMINATOR_TEMPLATE
typedef Template Discriminator;
#elif DISCRIMINATOR == DISCRIMINATOR_CONDITION
typedef Condition Discriminator;
#elif DISCRIMINATOR == DISCRIMINATOR_BITS
typedef Bits Discriminator;
#endif

#if DISCRIMINATOR == DISCRIMINATOR_CONDITION
#include "predicate_generated.cuh"
#endif

#if DISCRIMINATOR == DISCRIMINATOR_WITHIN
DEVICE bool is_active(const Discriminator& asked, u64 n, Shape) {
    const double value = (double)asked.values[n];
    return value >= asked.low && value <= asked.high;
}
#elif DISCRIMINATOR == DISCRIMINATOR_EDGE
// Returns the change in the values along an axis, by central differences that are one-sided at the
// boundary. Sets `steps` to the number of steps of the difference, which is 0 on an axis of one
// cell.
DEVICE double change_along(const VALUE* values, u64 cell, u32 at, u32 size, u64 stride, u32& steps) {
    const u32 back = at > 0 ? 1 : 0, on = at + 1 < size ? 1 : 0;
    steps = back + on;
    return (double)values[cell + on * stride] - (double)values[cell - back * stride];
}

DEVICE bool is_active(const Discriminator& asked, u64 n, Shape cell) {
    const Shape shape = asked.shape;
    double sum = 0.0;
    u32 steps;
    const double along_y = change_along(asked.values, n, cell.y, shape.y, shape.x, steps);
    if (steps > 0) {
        const double slope = along_y * (1.0 / ((double)steps * asked.spacing[1]));
        sum += slope * slope;
    }
    const double along_z = change_along(asked.values, n, cell.z, shape.z, (u64)shape.x * shape.y, steps);
    if (steps > 0) {
        const double slope = along_z * (1.0 / ((double)steps * asked.spacing[2]));
        sum += slope * slope;
    }
    const double along_x = change_along(asked.values, n, cell.x, shape.x, 1, steps);
    if (steps > 0) {
        const double slope = along_x / ((double)steps * asked.spacing[0]);
        sum += slope * slope;
    }
    return sqrt(sum) >= asked.low;
}
#elif DISCRIMINATOR == DISCRIMINATOR_TEMPLATE
// Returns true if a template of `size` cells that begins `size / 2` before the cell lies inside the
// grid along an axis.
DEVICE bool is_inside_along(u32 at, u32 size, u32 shape) {
    return size > 0 && at >= size / 2 && at - size / 2 + (u64)size <= shape;
}

DEVICE bool is_active(const Discriminator& asked, u64, Shape cell) {
    const Shape shape = asked.shape, size = asked.size;
    if (!is_inside_along(cell.x, size.x, shape.x) || !is_inside_along(cell.y, size.y, shape.y) ||
        !is_inside_along(cell.z, size.z, shape.z)) {
        return false;
    }
    const u64 first = raster(shape, cell.x - size.x / 2, cell.y - size.y / 2, cell.z - size.z / 2);
    const double* next = asked.wanted;
    double sum = 0.0;
    for (u32 dz = 0; dz < size.z; dz++) {
        for (u32 dy = 0; dy < size.y; dy++) {
            const VALUE* const along = asked.values + first + raster(shape, 0, dy, dz);
            for (u32 dx = 0; dx < size.x; dx++) sum += fabs((double)along[dx] - *next++);
        }
    }
    return sum <= asked.most;
}
#elif DISCRIMINATOR == DISCRIMINATOR_CONDITION
DEVICE bool is_active(const Discriminator& asked, u64 n, Shape cell) {
    using namespace expression;
    const double index[3] = {(double)cell.x, (double)cell.y, (double)cell.z};
    double point[3];
    // The operations have the same order and the same rounding as on the CPU.
    for (u32 k = 0; k < 3; k++) {
        point[k] = asked.origin[k];
        for (u32 axis = 0; axis < 3; axis++) point[k] += multiply(index[axis], asked.steps[axis][k]);
    }
    double v = USES_V ? (double)asked.values[n] : 0.0;
    if (asked.slope != 1.0 || asked.intercept != 0.0) v = multiply(asked.slope, v) + asked.intercept;
    return holds(point[0], point[1], point[2], v, index[0], index[1], index[2]);
}
#elif DISCRIMINATOR == DISCRIMINATOR_BITS
DEVICE bool is_active(const Discriminator& asked, u64 n, Shape) { return asked.words[n / 32] >> (n % 32) & 1; }
#endif
