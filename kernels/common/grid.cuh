// Barriers for the blocks of a cooperative launch, and functions for kernels that overlap.
#pragma once
#include "common/types.cuh"

// Called in loops that wait for another thread. Host tests define it to let the other thread run.
#ifndef SPIN
#define SPIN()
#endif

// Waits until `blocks` blocks have arrived. All calls during a kernel launch must pass the same
// `blocks`. `arrived` is 0 at the start of the kernel and must not be used for anything else. It is
// never reset, so there may be at most 2^32 arrivals during a launch.
DEVICE void grid_barrier(u32* arrived, u32 blocks) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        u32 ticket = atomicAdd(arrived, 1u);
        u32 target = (ticket / blocks + 1) * blocks;
        // The signed difference is correct even if the target wraps around.
        while ((i32)(*(volatile u32*)arrived - target) < 0) {
            SPIN();
        }
        __threadfence();
    }
    __syncthreads();
}

// Waits until all blocks of the grid have arrived.
DEVICE void grid_barrier(u32* arrived) { grid_barrier(arrived, gridDim.x); }

// Increments a count and returns its previous value. Writes that the block made before a barrier
// that precedes this call are visible to blocks that count later. This is cheaper than fences
// before and after a relaxed atomic operation.
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

// Lets the next kernel, if it is launched to overlap this one, start once all blocks of this kernel
// have called this function or ended.
DEVICE void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits until the previous kernel has ended and its writes are visible. Every thread must call it.
// Otherwise, a later kernel could start before the previous one has ended.
DEVICE void await_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
