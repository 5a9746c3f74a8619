// What is asked of the cells of a grid: twins of crates/core/src/primitives/discriminator.rs and crates/core/src/volume/condition.rs, in double and in
// the order of the processor. `Discriminator` is what a kernel is told, `is_active` decides on a cell; who makes words of bits of
// it is primitives/words.cuh.
//
// Defines: DISCRIMINATOR, 0 for a threshold of bytes, 1 for a range, 2 for the gradient, 3 for a template, 4 for an expression, 5
// for bits that were made before; VALUE, the type of the values of all but the first and the last.
#pragma once

#include "primitives/shape.cuh"
#if DISCRIMINATOR == 4
#include "predicate_generated.cuh"
#endif

#if DISCRIMINATOR == 0
// Bytes of `low` or more.
struct Discriminator {
    const u8* values;       // of a grid of `shape`, x fastest, here and below; aligned to 16 bytes
    Shape shape;
    u32 low;                // at most 255
};
#elif DISCRIMINATOR == 1
// Values between `low` and `high`; what is no number is not.
struct Discriminator {
    const VALUE* values;
    Shape shape;
    double low, high;
};
#elif DISCRIMINATOR == 2
// A gradient of size `low` or more.
struct Discriminator {
    const VALUE* values;
    Shape shape;
    double low;
    double spacing[3];      // distance of cells along each axis
};
#elif DISCRIMINATOR == 3
// A sum of absolute differences from a template of `most` or less. The middle of the template, along an even axis the upper of
// the two, lies on the cell; where it reaches beyond the border it does not fit.
struct Discriminator {
    const VALUE* values;
    Shape shape;
    const double* wanted;   // of a grid of `size`, x fastest
    Shape size;
    double most;
};
#elif DISCRIMINATOR == 4
// An expression that is neither 0 nor no number, with code printed for it (crates/core/src/expression/cuda.rs).
struct Discriminator {
    const VALUE* values;              // null if the expression has no value
    Shape shape;
    double origin[3], steps[3][3];    // center of the first voxel, and from one to the next along each axis
    double slope, intercept;          // values are slope stored + intercept
};
#else
// Bits that are set.
struct Discriminator {
    const u32* words;       // a bit for each cell of a grid of `shape`, x fastest
    Shape shape;
};
#endif

#ifdef DISCRIMINATOR_BYTES
static_assert(sizeof(Discriminator) == DISCRIMINATOR_BYTES, "crates/gpu/src/primitives/discriminator/layout.rs, crates/core/src/points/cuda/layout.rs");
#endif

#if DISCRIMINATOR == 1
DEVICE bool is_active(const Discriminator& asked, u64 n, Shape) {
    const double value = (double)asked.values[n];
    return value >= asked.low && value <= asked.high;
}
#elif DISCRIMINATOR == 2
// Change of the values along an axis, of central differences, one-sided at the border; over so many `steps`, 0 on an axis of one
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
#elif DISCRIMINATOR == 3
// Whether a template of `size` cells lies inside along an axis, from `size / 2` before the cell on.
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
#elif DISCRIMINATOR == 4
DEVICE bool is_active(const Discriminator& asked, u64 n, Shape cell) {
    using namespace expression;
    const double index[3] = {(double)cell.x, (double)cell.y, (double)cell.z};
    double point[3];
    // In the order and with the roundings of the processor.
    for (u32 k = 0; k < 3; k++) {
        point[k] = asked.origin[k];
        for (u32 axis = 0; axis < 3; axis++) point[k] += multiply(index[axis], asked.steps[axis][k]);
    }
    double v = USES_V ? (double)asked.values[n] : 0.0;
    if (asked.slope != 1.0 || asked.intercept != 0.0) v = multiply(asked.slope, v) + asked.intercept;
    return holds(point[0], point[1], point[2], v, index[0], index[1], index[2]);
}
#elif DISCRIMINATOR == 5
DEVICE bool is_active(const Discriminator& asked, u64 n, Shape) { return asked.words[n / 32] >> (n % 32) & 1; }
#endif
