// Scans inside a warp and a block of 256 threads, or of BLOCK_THREADS.
#pragma once

#include "generated/blocks.cuh"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS DEFAULT_BLOCK
#endif

// Of blocks that are to be on a multiprocessor, the compiler for later GPUs spares registers for two less: it would spill.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define RESIDENT(blocks) ((blocks) > 2 ? (blocks)-2 : 1)
#else
#define RESIDENT(blocks) (blocks)
#endif

enum { BLOCK = BLOCK_THREADS, WARPS = BLOCK / WARP };

DEVICE u32 lane_of_thread() { return threadIdx.x % WARP; }
DEVICE u32 warp_of_thread() { return threadIdx.x / WARP; }

// Sum of `value` over this lane and those before it.
DEVICE u32 inclusive_scan_of_warp(u32 value) {
    for (u32 by = 1; by < WARP; by *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, value, by);
        if (lane_of_thread() >= by) value += other;
    }
    return value;
}

// Sum of `value` over the threads before this one; `sum` becomes that of all. Every thread calls it;
// `warp_sums` is shared memory that nobody uses before the next barrier of the caller.
DEVICE u32 exclusive_scan_of_block(u32 value, u32 (&warp_sums)[WARPS], u32& sum) {
    const u32 inclusive = inclusive_scan_of_warp(value);
    if (lane_of_thread() == WARP - 1) warp_sums[warp_of_thread()] = inclusive;
    __syncthreads();
    u32 before = 0;
    sum = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp_of_thread()) before += warp_sums[w];
        sum += warp_sums[w];
    }
    return before + inclusive - value;
}
