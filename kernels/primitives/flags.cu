// Expands one bit per cell of a grid to one byte per cell: 1 if the bit is set, and 0 otherwise.
#include "primitives/block.cuh"

// Grid: any number of threads, which share the cells. Block: 256 threads. Shared memory: none.
//
// words  [n / 32], rounded up; cell k is bit k % 32 of word k / 32
// flags  [n]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) flags_of_bits(const u32* words, u64 n, u8* flags) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) flags[i] = words[i / 32] >> (i % 32) & 1;
}
