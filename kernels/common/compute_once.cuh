// Makes the compiler compute a value once and keep it, instead of recomputing it at every use.
#pragma once
#include "common/types.cuh"

DEVICE void pin(u32& number) {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(number));
#else
    (void)number;
#endif
}

template <class T>
DEVICE T* pinned(T* address) {
#ifdef __CUDA_ARCH__
    asm("" : "+l"(address));
#endif
    return address;
}
