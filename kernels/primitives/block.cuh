// Scans within a warp and within a block of 256 threads, or of BLOCK_THREADS threads if it is
// defined.
#pragma once

#include "generated/blocks.cuh"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS DEFAULT_BLOCK
#endif

// The number of blocks for which the compiler reserves registers on a multiprocessor. For GPUs of
// capability 10.0 and later, it is reduced by two, but not below one. Otherwise, the compiler would
// spill registers.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define RESIDENT(blocks) ((blocks) > 2 ? (blocks)-2 : 1)
#else
#define RESIDENT(blocks) (blocks)
#endif

enum { BLOCK = BLOCK_THREADS, WARPS = BLOCK / WARP };

DEVICE u32 lane_of_thread() { return threadIdx.x % WARP; }
DEVICE u32 warp_of_thread() { return threadIdx.x / WARP; }

// Returns the sum of `value` over this lane and those before it.
DEVICE u32 inclusive_scan_of_warp(u32 value) {
    for (u32 by = 1; by < WARP; by *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, value, by);
        if (lane_of_thread() >= by) value += other;
    }
    return value;
}

// Returns the sum of `value` over the threads before this one and sets `sum` to the sum over all
// threads. Every thread must call this function. `warp_sums` is shared memory that the caller must
// not use before its next barrier.
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
