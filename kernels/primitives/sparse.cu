// Conversion of dense matrices to sparse ones, which keep the entries that are not 0. This file is
// the counterpart of crates/core/src/primitives/sparse.rs.
//
// Defines: VALUE, the type of the entries.
//
// variants: VALUE=u8 | VALUE=double
#include "primitives/block.cuh"

// Marks the entries to keep with 1: those that are not 0, including NaN.
//
// Grid: any number of threads, which share the entries. Block: 256 threads. Shared memory: none.
//
// dense  [n]
// kept   [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) sparse_mark(const VALUE* dense, u64 n, u8* kept) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) kept[i] = !(dense[i] == (VALUE)0);
}

// Writes the row, column and value of each entry that is kept.
//
// Grid and block: as for sparse_mark.
//
// numbers  indices of the entries in the dense matrix, ascending, [n]
// rows     [n], or null
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
sparse_entries(const VALUE* dense, const u32* numbers, u32 n, u32 n_columns, u32* rows, u32* columns, VALUE* values) {
    const u32 threads = gridDim.x * BLOCK;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        const u32 number = numbers[i];
        if (rows) rows[i] = number / n_columns;
        columns[i] = number % n_columns;
        values[i] = dense[number];
    }
}

// Finds the first entry of each row, followed by the number of entries.
//
// Grid: any number of threads, which share the rows and one more entry. Block: as for sparse_mark.
//
// offsets  [n_rows + 1]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
sparse_offsets(const u32* numbers, u32 n, u32 n_rows, u32 n_columns, u32* offsets) {
    const u32 threads = gridDim.x * BLOCK;
    for (u64 row = (u64)blockIdx.x * BLOCK + threadIdx.x; row <= n_rows; row += threads) {
        const u64 first = row * n_columns;
        u32 low = 0, high = n;
        while (low < high) {
            const u32 middle = low + (high - low) / 2;
            if (numbers[middle] < first) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        offsets[row] = low;
    }
}
