// Coordinates of sites and queries, and keys: what is compared, which grows with the distance. Not those of brute.cu, which
// expands squares.
//
// KEY: 0 for real coordinates in single precision, 2 for whole ones in u32. NORM: 1, 2, or 3 for the largest difference.
#pragma once
#include "common/types.cuh"

#if KEY == 2
typedef int number;
typedef u32 key;
#define FAR 0xffffffffu
#else
typedef float number;
typedef float key;
#define FAR __uint_as_float(0x7f800000u)
#endif

DEVICE key exact_key(const number (&d)[3]) {
#if KEY == 2
    const u32 x = (u32)abs(d[0]), y = (u32)abs(d[1]), z = (u32)abs(d[2]);
    return NORM == 2 ? x * x + y * y + z * z : NORM == 1 ? x + y + z : max(max(x, y), z);
#else
    const float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
    // Rounded as on the processor: nothing is fused in what includes this.
    return NORM == 2 ? x * x + y * y + z * z : NORM == 1 ? x + y + z : fmaxf(fmaxf(x, y), z);
#endif
}
