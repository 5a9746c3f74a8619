// The test that `zeroset devices` runs on every GPU: a vector update, and a sum per block in a
// fixed order, so that the host can require bitwise identical results.
//
// Defines: REAL (double or float).
//
// variants: REAL=double | REAL=float

#include "generated/blocks.cuh"

// Computes y = a x + y, and sets block_sums[b] to the sum of the new values of y in block b.
//
// Grid: ceil(n / 256) blocks of 256 threads. Shared memory: 256 REAL.
extern "C" __global__ void self_test_saxpy_sum(REAL a, const REAL* x, REAL* y, REAL* block_sums,
                                               unsigned int n) {
    __shared__ REAL partial[DEFAULT_BLOCK];
    const unsigned int i = blockIdx.x * DEFAULT_BLOCK + threadIdx.x;
    REAL value = 0;
    if (i < n) {
        value = a * x[i] + y[i];
        y[i] = value;
    }
    partial[threadIdx.x] = value;
    __syncthreads();
    for (unsigned int half = DEFAULT_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        block_sums[blockIdx.x] = partial[0];
    }
}
