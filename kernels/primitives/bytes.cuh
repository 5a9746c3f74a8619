// Thresholds on bytes, four at a time.
#pragma once

#include "common/types.cuh"

// Returns one bit for each of four bytes, set if the byte is at least `low`, which is at most 255.
DEVICE u32 bits_of_bytes(u32 bytes, u32 low) {
    const u32 high = 0x80808080u;
    const u32 all_low = low * 0x01010101u;
    // The highest bit of each byte is set if its lower seven bits are at least those of `low`.
    const u32 lower = (bytes | high) - (all_low & ~high);
    const u32 set = (bytes & lower) | ((bytes | lower) & ~all_low);
    return ((set & high) >> 7) * 0x10204080u >> 28;
}
