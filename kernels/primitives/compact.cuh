// Shared parts of the compaction kernels: words of bits, and functions that write indices.
#pragma once

#include "primitives/lookback.cuh"
#include "common/grid.cuh"

enum {
    // The number of flags of a warp in a round: one word per lane.
    ROUND = WARP * 32,
    // If fewer than one in this many flags of a range is set, each lane writes the indices of the
    // set flags in its own words. Otherwise, indices are written through shared memory, so that
    // neighboring threads write neighboring indices.
    SPARSE = 64,
};

// 16 bytes that are loaded at once.
struct __align__(16) Quad {
    u32 words[4];
};

// Writes the indices of the set flags of two rounds to the list, starting at position `at`, through
// shared memory. Returns their number. Each lane has one word of each round, and `first` is the
// index of the first flag of the first round.
DEVICE u32 write_rounds(const u32 (&of_round)[2], u32 first, u32 at, u32* list, u32 capacity, u16* staged) {
    const u32 lane = lane_of_thread();
    // The sums over the lanes of both rounds share one word, because a round has at most 1024
    // flags.
    const u32 upto = inclusive_scan_of_warp(__popc(of_round[0]) | __popc(of_round[1]) << 16);
    const u32 counts = __shfl_sync(0xffffffffu, upto, WARP - 1);
    u32 written = 0;
#pragma unroll
    for (u32 k = 0; k < 2; k++) {
        const u32 count_of_round = counts >> (16 * k) & 0xffff;
        u32 place = (upto >> (16 * k) & 0xffff) - __popc(of_round[k]);
        for (u32 left = of_round[k]; left != 0; left &= left - 1) {
            staged[place++] = (u16)(lane * 32 + __ffs(left) - 1);
        }
        __syncwarp();
        for (u32 i = lane; i < count_of_round; i += WARP) {
            if (at + written + i < capacity) list[at + written + i] = first + k * ROUND + staged[i];
        }
        __syncwarp();
        written += count_of_round;
    }
    return written;
}
