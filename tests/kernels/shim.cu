// Test kernels for the shim. Some of them are wrong on purpose.
#include "common/block.cuh"
#include "common/grid.cuh"

// Adds up the values of each block by repeated halving. The block size is a power of two.
DEVICE void sum_by_halves(const real *x, real *out, real *values, bool with_barriers) {
    u32 t = threadIdx.x;
    values[t] = x[blockIdx.x * blockDim.x + t];
    if (with_barriers) __syncthreads();
    for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) values[t] += values[t + half];
        if (with_barriers) __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = values[0];
}

// The block size is a power of two and at most 256, with one real of shared memory per thread.
extern "C" __global__ void sum_static(const real *x, real *out) {
    __shared__ real values[256];
    sum_by_halves(x, out, values, true);
}

extern "C" __global__ void sum_dynamic(const real *x, real *out) {
    DYN_SHARED(real, values);
    sum_by_halves(x, out, values, true);
}

extern "C" __global__ void sum_without_barrier(const real *x, real *out) {
    DYN_SHARED(real, values);
    sum_by_halves(x, out, values, false);
}

// Half of the threads wait at one barrier, and the others wait at another.
extern "C" __global__ void two_barriers(u32 *out) {
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        out[threadIdx.x] = 1;
        __syncthreads();
    }
}

// Half of a warp waits for the other half, which waits for the other warp at a barrier.
extern "C" __global__ void half_a_warp(u32 *out) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
    }
    __syncthreads();
}

// Records the results of the operations of a warp and a block, one number per operation and thread.
extern "C" __global__ void words(u32 *out) {
    u32 t = threadIdx.x;
    u32 n = blockDim.x;
    const u32 full = 0xffffffffu;
    out[0 * n + t] = __ballot_sync(full, t % 3 == 0);
    out[1 * n + t] = __shfl_sync(full, t, 5);
    out[2 * n + t] = __shfl_up_sync(full, t, 2);
    out[3 * n + t] = __shfl_down_sync(full, t, 3);
    out[4 * n + t] = __shfl_xor_sync(full, t, 8);
    out[5 * n + t] = __any_sync(full, t == 33);
    out[6 * n + t] = __all_sync(full, t < 32);
    out[7 * n + t] = __syncthreads_count(t < 40);
    out[8 * n + t] = __syncthreads_or(t == 63);
    out[9 * n + t] = __syncthreads_and(t != 63);
    // There are groups of eight lanes. The last group of the second warp has ended.
    if (t >= 56) return;
    const u32 eight = 0xffu << t % 32 / 8 * 8;
    out[10 * n + t] = __shfl_xor_sync(eight, t, 4);
    out[11 * n + t] = __ballot_sync(eight, t % 2);
}

// Most lanes pass a mask that does not contain them.
extern "C" __global__ void foreign_mask(u32 *out) { out[threadIdx.x] = __ballot_sync(0xffu, 1); }

// Applies every atomic operation to the indices of all threads: sum, minimum, maximum and
// compare-and-swap.
extern "C" __global__ void atomics(u32 *sum, real *real_sum, u64 *least, u32 *most, u32 *swapped) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, i);
    atomicAdd(real_sum, R(0.5));
    atomicMin(least, (u64)i + 7);
    atomicMax(most, i);
    u32 old = *swapped;
    for (;;) {
        u32 seen = atomicCAS(swapped, old, old + 2);
        if (seen == old) break;
        old = seen;
    }
}

// Each block adds to a total, waits until all blocks have done so, and then reads it. All blocks
// must be resident at the same time.
extern "C" __global__ void total_of_blocks(u32 *arrived, u32 *total, u32 *out) {
    __shared__ u32 mine;
    if (threadIdx.x == 0) {
        mine = blockIdx.x + 1;
        atomicAdd(total, mine);
    }
    grid_barrier(arrived);
    out[blockIdx.x * blockDim.x + threadIdx.x] = __ldcg(total) * 100 + mine;
}

// Writes one value beyond its shared memory.
extern "C" __global__ void beyond(u32 *out) {
    DYN_SHARED(u32, values);
    values[threadIdx.x + 1] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

// Waits for a flag that is never set.
extern "C" __global__ void endless(u32 *flag) {
    while (__ldcg(flag) == 0) __nanosleep(20);
}
