// Which cells of a grid are active, a byte for each: twins of those of src/primitives/discriminator.rs, in double and in the order
// of the processor.
//
// Define: VALUE, the type of the numbers.
#include "primitives/block.cuh"
#include "primitives/shape.cuh"

// 1 where a value lies between `low` and `high`; what is no number does not.
//
// Grid: any number of threads, which share the cells. Block: 256 threads. Shared memory: none.
//
// values  [n]
// marks   [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
discriminator_within(const VALUE* values, u64 n, double low, double high, u8* marks) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const double value = (double)values[i];
        marks[i] = value >= low && value <= high;
    }
}

// Change of the values along an axis per step, of central differences, one-sided at the border; 0 on an axis of one cell.
DEVICE double change_along(const VALUE* values, u64 cell, u32 at, u32 size, u64 stride, u32& steps) {
    const u32 back = at > 0 ? 1 : 0, on = at + 1 < size ? 1 : 0;
    steps = back + on;
    return (double)values[cell + on * stride] - (double)values[cell - back * stride];
}

// 1 where the size of the gradient is `low` or more.
//
// Grid, block and shared memory: as above.
//
// values  of a grid of `shape`, x fastest
// spacing_x, spacing_y, spacing_z  distance of cells
// marks   [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
discriminator_edge(const VALUE* values, Shape shape, double low, double spacing_x, double spacing_y, double spacing_z, u8* marks) {
    const u64 threads = (u64)gridDim.x * BLOCK, plane = (u64)shape.x * shape.y, n = plane * shape.z;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const u64 row = i / shape.x;
        const u32 x = (u32)(i % shape.x), y = (u32)(row % shape.y), z = (u32)(row / shape.y);
        double sum = 0.0;
        u32 steps;
        const double along_y = change_along(values, i, y, shape.y, shape.x, steps);
        if (steps > 0) {
            const double slope = along_y * (1.0 / ((double)steps * spacing_y));
            sum += slope * slope;
        }
        const double along_z = change_along(values, i, z, shape.z, plane, steps);
        if (steps > 0) {
            const double slope = along_z * (1.0 / ((double)steps * spacing_z));
            sum += slope * slope;
        }
        const double along_x = change_along(values, i, x, shape.x, 1, steps);
        if (steps > 0) {
            const double slope = along_x / ((double)steps * spacing_x);
            sum += slope * slope;
        }
        marks[i] = sqrt(sum) >= low;
    }
}

// 1 where a template fits: the sum of absolute differences is `most` or less. Its middle, along an even axis the upper of the two,
// lies on the cell; where it reaches beyond the border it does not fit.
//
// Grid, block and shared memory: as above.
//
// values    of a grid of `shape`, x fastest
// wanted    of a grid of `size`, x fastest
// marks     [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
discriminator_template(const VALUE* values, Shape shape, const double* wanted, Shape size, double most, u8* marks) {
    const u64 threads = (u64)gridDim.x * BLOCK, plane = (u64)shape.x * shape.y, n = plane * shape.z;
    const bool is_empty = size.x == 0 || size.y == 0 || size.z == 0;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const u64 row = i / shape.x;
        const u32 x = (u32)(i % shape.x), y = (u32)(row % shape.y), z = (u32)(row / shape.y);
        const bool is_behind = x >= size.x / 2 && y >= size.y / 2 && z >= size.z / 2;
        const bool fits = is_behind && x - size.x / 2 + (u64)size.x <= shape.x && y - size.y / 2 + (u64)size.y <= shape.y &&
                          z - size.z / 2 + (u64)size.z <= shape.z;
        bool is_like = false;
        if (fits && !is_empty) {
            const u64 first = i - size.x / 2 - size.y / 2 * (u64)shape.x - size.z / 2 * plane;
            const double* next = wanted;
            double sum = 0.0;
            for (u32 dz = 0; dz < size.z; dz++) {
                for (u32 dy = 0; dy < size.y; dy++) {
                    const VALUE* const along = values + first + dz * plane + dy * (u64)shape.x;
                    for (u32 dx = 0; dx < size.x; dx++) sum += fabs((double)along[dx] - *next++);
                }
            }
            is_like = sum <= most;
        }
        marks[i] = is_like;
    }
}
