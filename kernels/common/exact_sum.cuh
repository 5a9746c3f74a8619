// Sums that do not depend on the order of their terms. They are fixed-point numbers that cover the
// range of all doubles.
//
// A sum consists of LIMBS signed words and a count of terms that are not finite. Word k has the
// weight 2^(32 k - 1074). Terms are added as integers, which is exact and commutative. A sum holds
// up to 2^31 terms.
#pragma once
#include "common/real.cuh"

enum { LIMBS = 66, SUM_WORDS = LIMBS + 1 };

// Adds a term to a sum in shared or global memory.
DEVICE void add_exact(u64* sum, double term) {
    u64 bits = to_bits(term);
    u64 digits = bits & 0xfffffffffffffull;
    u32 exponent = (u32)(bits >> 52) & 0x7ff;
    if (exponent == 0x7ff) {
        atomicAdd(&sum[LIMBS], 1ull);
        return;
    }
    if (exponent > 0) {
        digits |= 1ull << 52;
        exponent--;
    }
    u32 shift = exponent & 31;
    u64 parts[3] = {(digits << shift) & 0xffffffffull, (digits >> (32 - shift)) & 0xffffffffull,
                    (digits >> 1) >> (63 - shift)};
    bool negative = bits >> 63;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        if (parts[k]) atomicAdd(&sum[(exponent >> 5) + k], negative ? 0 - parts[k] : parts[k]);
    }
}

// Returns the weight of word k; the first two weights are subnormal.
DEVICE double weight_of_word(u32 k) {
    return __longlong_as_double((i64)(k < 2 ? 1ull << 32 * k : (u64)(32 * k - 51) << 52));
}

// Returns the sum, converted to double in a fixed order, in the first lane of a warp, or NaN if a
// term was not finite. The whole warp must call it.
DEVICE double exact_total(const u64* sum) {
    double total = 0.0;
    for (u32 k = threadIdx.x & 31; k < LIMBS; k += 32) {
        total += (double)(i64)sum[k] * weight_of_word(k);
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) total += __shfl_down_sync(~0u, total, offset);
    return sum[LIMBS] ? __longlong_as_double(0x7ff8000000000000) : total;
}
