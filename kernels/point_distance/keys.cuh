// Coordinates of sites and queries, and keys: what is compared, which grows with the distance. Not those of brute.cu, which
// expands squares.
//
// KEY: 0 for real coordinates in single precision, 2 for whole ones in u32, 3 for real ones in double precision. NORM: 1, 2,
// or 3 for the largest difference.
#pragma once
#include "common/real.cuh"

#if KEY == 2
typedef int number;
typedef u32 key;
#define FAR 0xffffffffu
#else
typedef real number;
typedef real key;
#define FAR INFINITY_R
#endif

DEVICE key exact_key(const number (&d)[3]) {
#if KEY == 2
    const u32 x = (u32)abs(d[0]), y = (u32)abs(d[1]), z = (u32)abs(d[2]);
    return NORM == 2 ? x * x + y * y + z * z : NORM == 1 ? x + y + z : max(max(x, y), z);
#else
    const key x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    // Rounded as on the processor: nothing is fused in what includes this.
    return NORM == 2 ? x * x + y * y + z * z : NORM == 1 ? x + y + z : larger(larger(x, y), z);
#endif
}
