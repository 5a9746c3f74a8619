// The GPU's clock.
#pragma once
#include "common/real.cuh"

// Returns the number of nanoseconds since a fixed instant that is the same on all multiprocessors.
// Returns 0 on the host.
DEVICE u64 nanoseconds() {
#ifdef __CUDA_ARCH__
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return 0;
#endif
}
