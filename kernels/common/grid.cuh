// A barrier of the blocks of a cooperative launch.
#pragma once
#include "common/types.cuh"

// Stands in loops that wait for another thread; host tests let that one go on.
#ifndef SPIN
#define SPIN()
#endif

// Waits until so many blocks are here, always the same. `arrived` is 0 at the start of the kernel
// and used for nothing else; it counts up, so one number serves 2^32 arrivals.
DEVICE void grid_barrier(u32* arrived, u32 blocks) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        u32 ticket = atomicAdd(arrived, 1u);
        u32 target = (ticket / blocks + 1) * blocks;
        // The difference as a signed number, so that the count may pass 2^32.
        while ((i32)(*(volatile u32*)arrived - target) < 0) {
            SPIN();
        }
        __threadfence();
    }
    __syncthreads();
}

// The same for all blocks of the grid.
DEVICE void grid_barrier(u32* arrived) { grid_barrier(arrived, gridDim.x); }

// Counts up and returns the number before. What the block wrote before a barrier ahead of this is
// visible to who counts later; cheaper than a fence on both sides.
DEVICE u32 count_arrival(u32* count) {
#ifdef __CUDA_ARCH__
    u32 before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
    return before;
#else
    __threadfence();
    return atomicAdd(count, 1u);
#endif
}

// Two kernels of which the second is launched to overlap the first: the first lets the second begin
// once all its blocks have come here or left.
DEVICE void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until the kernel before has ended; what it wrote is then visible. Every thread must come,
// or a kernel after this one could begin before that one has ended.
DEVICE void await_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
