// The card's clock, and the time of a motion.
#pragma once
#include "common/real.cuh"

// Nanoseconds since some moment, the same for all multiprocessors; 0 on the host.
DEVICE u64 nanoseconds() {
#ifdef __CUDA_ARCH__
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return 0;
#endif
}

// A step, or all the rest to what is due if the step would leave less than a millionth of it: the twin of up_to in
// src/levelset/evolution/stretch.rs.
DEVICE double up_to(double dt, double rest) { return dt < rest * (1.0 - 1e-6) ? dt : rest; }
