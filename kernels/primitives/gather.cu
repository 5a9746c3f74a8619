// Builds the gathering matrix from sorted rows: the counterpart of GatherMatrix::new in
// crates/core/src/primitives/gather.rs, which sorts slots by their rows.
#include "common/types.cuh"

// Converts the rows of slots to sort keys. Rows that are left out (n_rows and above) all get the
// same key, so that keys have no more digits than needed.
//
// Grid and block: any number of threads, which share the slots. Shared memory: none.
//
// rows, keys  [n]
extern "C" __global__ void gather_keys(const u32* rows, u32 n, u32 n_rows, u32* keys) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        keys[i] = rows[i] < n_rows ? rows[i] : n_rows;
    }
}

// Finds the index of the first sorted key of each row, and the number of keys that are not left
// out.
//
// Grid and block: any number of threads, which share the keys. Shared memory: none.
//
// keys     ascending, none above n_rows, [n]
// offsets  [n_rows + 1]
extern "C" __global__ void gather_offsets(const u32* keys, u32 n, u32 n_rows, u32* offsets) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    // All rows above key i - 1, up to key i, begin at index i. All rows above the last key begin at
    // n, and offsets[n_rows] is the number of keys below n_rows.
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += threads) {
        const u32 from = i == 0 ? 0 : keys[i - 1] + 1;
        const u32 to = i == n ? n_rows : keys[i];
        for (u32 row = from; row <= to; row++) offsets[row] = (u32)i;
    }
}
