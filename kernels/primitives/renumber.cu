// Rows of numbers in the order of a caller, converted to another order and number type and back.
//
// Defines: REAL, the number type in the other order. The caller's numbers are doubles.
//
// variants: REAL=double | REAL=float
#include "common/types.cuh"

// Examines rows of numbers. Each result is the lowest index of a row in which a number is not
// finite, is negative, is not negative, or is not zero, or 2^32 - 1 if there is none. Also finds
// the largest magnitude of finite numbers.
//
// Grid and block: any number of threads, which share the numbers. Shared memory: none.
//
// from   rows of `width` numbers; row rows[i] is examined for each i
// rows   [n]
// found  2^32 - 1 before the call, [4]
// scale  bits of a double, 0 before the call
extern "C" __global__ void renumber_examine(
    const double* from, const u32* rows, u32 n, u32 width, u32* found, u64* scale
) {
    double largest = 0.0;
    const u64 threads = (u64)gridDim.x * blockDim.x, count = (u64)n * width;
    u32 first[4] = {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu};
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const u32 row = rows[i / width];
        const double x = from[(u64)row * width + i % width];
        const bool is[4] = {!(x - x == 0.0), x < 0.0, x >= 0.0, x != 0.0};
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            if (is[k] && row < first[k]) first[k] = row;
        }
        const double size = fabs(x);
        if (!is[0] && size > largest) largest = size;
    }
    // The bits of numbers that are not negative have the order of the numbers.
    if (largest > 0.0) atomicMax(scale, (u64)__double_as_longlong(largest));
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        if (first[k] != 0xffffffffu) atomicMin(&found[k], first[k]);
    }
}

// Finds the lowest index of a row of the caller that differs from the row that represents it by
// more than rounding.
//
// Grid and block: any number of threads, which share the numbers. Shared memory: none.
//
// from      rows of `width` numbers
// rows      the row of the other order for each row of the caller, or 2^32 - 1 for rows without
//           one, [n]
// of_other  the row of the caller for each row of the other order
// scale     bits of the largest magnitude, as renumber_examine finds them
// found     2^32 - 1 before the call, [1]
extern "C" __global__ void renumber_compare(
    const double* from, const u32* rows, const u32* of_other, u32 n, u32 width, const u64* scale, u32* found
) {
    const u64 threads = (u64)gridDim.x * blockDim.x, count = (u64)n * width;
    const double tolerance = 1e-6 * __longlong_as_double((i64)*scale);
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const u32 row = (u32)(i / width), other = rows[row];
        if (other == 0xffffffffu || of_other[other] == row) continue;
        const double x = from[(u64)of_other[other] * width + i % width];
        if (!(fabs(from[i] - x) <= tolerance)) atomicMin(found, row);
    }
}

// Copies rows of the caller to the other order.
//
// Grid and block: any number of threads, which share the numbers. Shared memory: none.
//
// from  rows of `width` numbers
// rows  the row of the caller for each row of `to`, [n]
// to    [n][width]
extern "C" __global__ void renumber_read(const double* from, const u32* rows, u32 n, u32 width, REAL* to) {
    const u64 threads = (u64)gridDim.x * blockDim.x, count = (u64)n * width;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        to[i] = (REAL)from[(u64)rows[i / width] * width + i % width];
    }
}

// Copies rows to the order of the caller.
//
// Grid and block: any number of threads, which share the numbers. Shared memory: none.
//
// from  rows of `width` numbers
// rows  the row of `from` for each row of the caller, or 2^32 - 1 for rows that become NaN, [n]
// to    [n][width]
extern "C" __global__ void renumber_write(const REAL* from, const u32* rows, u32 n, u32 width, double* to) {
    const u64 threads = (u64)gridDim.x * blockDim.x, count = (u64)n * width;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const u32 row = rows[i / width];
        to[i] = row == 0xffffffffu ? __longlong_as_double(0x7ff8000000000000ll)
                                   : (double)from[(u64)row * width + i % width];
    }
}
