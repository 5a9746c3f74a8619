// Test kernels for exact sums: all threads of all blocks add terms to one sum, and another kernel
// rounds the sum.
#include "common/exact_sum.cuh"

extern "C" __global__ void add(const double *terms, u32 n, u64 *sum) {
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        add_exact(sum, terms[k]);
    }
}

extern "C" __global__ void total(const u64 *sum, double *out) {
    double found = exact_total(sum);
    if (threadIdx.x == 0) *out = found;
}
