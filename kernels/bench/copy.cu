// Copies an array, as a reference for the memory bandwidth. Only a benchmark and tests/devices
// compile this file.
#include "common/types.cuh"

// Grid: n / BLOCK blocks, rounded up; block: BLOCK; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK) copy(const uint4* from, uint4* into, u64 n) {
    u64 k = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (k < n) into[k] = from[k];
}
