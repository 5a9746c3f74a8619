// The clock of the GPU.
#pragma once
#include "common/real.cuh"

// Returns the nanoseconds since a fixed time, which is the same for all multiprocessors; 0 on the
// host.
DEVICE u64 nanoseconds() {
#ifdef __CUDA_ARCH__
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return 0;
#endif
}
