// Renumbering of items by a permutation.
#include "common/types.cuh"

// Computes the position of each item in an order.
//
// Grid and block: any number of threads, which share the items. Shared memory: none.
//
// order   a permutation of 0 .. n - 1, [n]
// places  [n]
extern "C" __global__ void permute_invert(const u32* order, u32 n, u32* places) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        places[order[i]] = (u32)i;
    }
}

// Replaces each item by its entry in `places`.
//
// Grid and block: any number of threads, which share the items. Shared memory: none.
//
// items   [n]; each is an index into `places`
// places  any length
extern "C" __global__ void permute_rename(u32* items, u64 n, const u32* places) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        items[i] = places[items[i]];
    }
}
