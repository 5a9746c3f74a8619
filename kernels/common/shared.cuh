// Dynamic shared memory, whose size the launch determines. It belongs to one block, is aligned to
// 16 bytes and is not cleared.
#pragma once

#include "common/types.cuh"

// Starts copying a word of 4, 8 or 16 bytes, or several words of 16 bytes, to shared memory. On
// GPUs that support it (sm_80 and later), the copy bypasses the registers. After await_copies, it
// is complete for this thread, and after a subsequent barrier for the block.
template <class T>
DEVICE void copy_async(T *into, const T *from) {
#if __CUDA_ARCH__ >= 800
    constexpr u32 WORD = sizeof(T) < 16 ? sizeof(T) : 16;
#pragma unroll
    for (u32 at = 0; at < sizeof(T); at += WORD) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((u32)__cvta_generic_to_shared(into) + at),
                     "l"((const u8 *)from + at), "n"((int)WORD)
                     : "memory");
    }
#else
    *into = *from;
#endif
}

// Waits for all copies that this thread has started.
DEVICE void await_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Prefetches n items into the L2 cache, on GPUs that support it (sm_90 and later).
template <class T>
DEVICE void prefetch_range(const T *from, u32 n) {
#if __CUDA_ARCH__ >= 900
    // The range is extended to whole words of 16 bytes. Prefetching the additional bytes is
    // harmless.
    const u64 begin = (u64)from & ~(u64)15, end = ((u64)(from + n) + 15) & ~(u64)15;
    if (end > begin) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"((u32)(end - begin)) : "memory");
    }
#endif
}

#ifndef DYN_SHARED
// Declares `T *name` at the start of the shared memory. Use it once per kernel.
#define DYN_SHARED(T, name)                         \
    extern __shared__ __align__(16) u8 zs_shared[]; \
    T *name = (T *)zs_shared
#endif
