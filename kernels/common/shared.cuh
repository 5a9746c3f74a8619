// Shared memory whose size the launch gives. Of each block, 16 bytes aligned, not cleared.
#pragma once

#include "common/types.cuh"

#ifndef DYN_SHARED
// Declares `T *name` at its start; once per kernel.
#define DYN_SHARED(T, name)                         \
    extern __shared__ __align__(16) u8 zs_shared[]; \
    T *name = (T *)zs_shared
#endif
