// The types of coordinates and keys. A key increases with the distance and is compared in its
// place. brute.cu has its own keys, because it expands squares.
//
// KEY and NORM have values from generated/distance_keys.cuh.
#pragma once
#include "common/real.cuh"
#include "generated/distance_keys.cuh"

#if KEY == KEY_U32
typedef int number;
typedef u32 key;
#define FAR 0xffffffffu
#else
typedef real number;
typedef real key;
#define FAR INFINITY_R
#endif

DEVICE key exact_key(const number (&d)[3]) {
#if KEY == KEY_U32
    const u32 x = (u32)abs(d[0]), y = (u32)abs(d[1]), z = (u32)abs(d[2]);
    return NORM == NORM_L2 ? x * x + y * y + z * z : NORM == NORM_L1 ? x + y + z : max(max(x, y), z);
#else
    const key x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    // The result is rounded as on the CPU: files that include this header do not fuse operations.
    return NORM == NORM_L2 ? x * x + y * y + z * z : NORM == NORM_L1 ? x + y + z : larger(larger(x, y), z);
#endif
}
