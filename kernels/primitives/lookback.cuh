// Decoupled look-back: finds the sum of all tiles before a tile while other blocks still process
// them (D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back",
// NVIDIA technical report NVR-2016-002).
//
// A block takes the index of its tile from a counter, so that every preceding tile belongs to a
// block that is already running. Waiting for these tiles is therefore safe, whatever the order of
// blocks.
#pragma once

#include "primitives/block.cuh"

// The state that a tile has published: nothing, its own sum, or the sum up to its end. The sum is
// in the lower half of the word, so that state and sum are written and read together.
const u64 NOTHING = 0;
const u64 SUM_OF_TILE = 1ull << 32;
const u64 SUM_TO_END = 2ull << 32;

// Returns the sum of all tiles before this one. The whole first warp must call it. Each step reads
// 32 tiles.
DEVICE u32 sum_before(const u64* told, u32 tile) {
    u32 sum = 0;
    // Lane k reads the tile that is k + 1 positions back.
    for (i32 last = (i32)tile - 1;; last -= WARP) {
        const i32 at = last - (i32)lane_of_thread();
        u64 word = SUM_TO_END;
        if (at >= 0) {
            while ((word = __ldcg(&told[at])) == NOTHING) __nanosleep(20);
        }
        // Add up the sums back to the nearest tile that has published the sum up to its end.
        const u32 ends = __ballot_sync(0xffffffffu, word >= SUM_TO_END);
        const u32 nearest = ends == 0 ? WARP : __ffs(ends) - 1;
        u32 part = lane_of_thread() <= nearest ? (u32)word : 0;
        for (u32 by = WARP / 2; by > 0; by /= 2) part += __shfl_down_sync(0xffffffffu, part, by);
        sum += __shfl_sync(0xffffffffu, part, 0);
        if (ends != 0) return sum;
    }
}

// Publishes the sum of a tile and returns the sum of the preceding tiles. The whole first warp must
// call it.
DEVICE u32 tell_and_look(u64* told, u32 tile, u32 sum_of_tile) {
    if (lane_of_thread() == 0 && tile > 0) __stcg(&told[tile], SUM_OF_TILE | sum_of_tile);
    const u32 before = tile > 0 ? sum_before(told, tile) : 0;
    if (lane_of_thread() == 0) __stcg(&told[tile], SUM_TO_END | (u32)(before + sum_of_tile));
    return before;
}
