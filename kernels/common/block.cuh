// Helpers for the threads of a block: parts of the shared memory, atomic extremes and copies.
#pragma once
#include "common/real.cuh"
#include "common/shared.cuh"

// Hands out parts of the dynamic shared memory, each aligned to 16 bytes.
struct SharedParts {
    unsigned char* next;
    template <class T> DEVICE T* take(u32 n) {
        T* part = (T*)next;
        next += (n * sizeof(T) + 15) / 16 * 16;
        return part;
    }
};

// Atomic minimum and maximum of reals, which compare bits. They are correct for reals whose sign
// bit is not set.
DEVICE void atomic_min_bits(u32* at, u32 bits) { atomicMin(at, bits); }
DEVICE void atomic_min_bits(u64* at, u64 bits) { atomicMin(at, bits); }
DEVICE void atomic_max_bits(u32* at, u32 bits) { atomicMax(at, bits); }
DEVICE void atomic_max_bits(u64* at, u64 bits) { atomicMax(at, bits); }

// A copy from global to shared memory in two phases: `load` reads the first K values of each thread
// into registers, and `store` writes them. `store` also copies the remaining values, one by one.
template <class T, int K>
struct Fetch {
    T values[K];

    DEVICE void load(const T* from, u32 n) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            u32 at = threadIdx.x + k * blockDim.x;
            if (at < n) values[k] = from[at];
        }
    }

    DEVICE void store(T* into, const T* from, u32 n) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            u32 at = threadIdx.x + k * blockDim.x;
            if (at < n) into[at] = values[k];
        }
        for (u32 at = threadIdx.x + K * blockDim.x; at < n; at += blockDim.x) into[at] = from[at];
    }
};
