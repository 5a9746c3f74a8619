// Exclusive sums of an array in one pass: a tile per block, and decoupled look-back for what stands
// before it (D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back",
// NVIDIA technical report NVR-2016-002).
//
// A block takes the number of its tile from a counter, so that every tile before it has been taken
// by a block that runs: waiting for those is safe, whatever the order of blocks.
#include "primitives/block.cuh"

enum { ITEMS = 16, TILE = BLOCK * ITEMS };

// What a tile has told: nothing, its own sum, or the sum up to its end; the sum stands in the lower
// half of a word, so that both are written and read at once.
const u64 NOTHING = 0;
const u64 SUM_OF_TILE = 1ull << 32;
const u64 SUM_TO_END = 2ull << 32;

// Sum of all tiles before this one, by the first warp: each look takes in 32 of them.
DEVICE u32 sum_before(const u64* told, u32 tile) {
    u32 sum = 0;
    // Lane k looks at the tile k + 1 places back.
    for (i32 last = (i32)tile - 1;; last -= WARP) {
        const i32 at = last - (i32)lane_of_thread();
        u64 word = SUM_TO_END;
        if (at >= 0) {
            while ((word = __ldcg(&told[at])) == NOTHING) __nanosleep(20);
        }
        // Up to the nearest tile that knows the sum to its end.
        const u32 ends = __ballot_sync(0xffffffffu, word >= SUM_TO_END);
        const u32 nearest = ends == 0 ? WARP : __ffs(ends) - 1;
        u32 part = lane_of_thread() <= nearest ? (u32)word : 0;
        for (u32 by = WARP / 2; by > 0; by /= 2) part += __shfl_down_sync(0xffffffffu, part, by);
        sum += __shfl_sync(0xffffffffu, part, 0);
        if (ends != 0) return sum;
    }
}

// sums[i] = values[0] + ... + values[i - 1] for i in 0..=n, modulo 2^32; `sums` may be `values`.
//
// Grid: one block per TILE values, at least one. Block: 256 threads. Shared memory: 16.5 KB.
//
// values  [n]
// sums    [n + 1]
// told    zero at the start, [tiles]
// taken   number of tiles taken; zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
scan_exclusive(const u32* values, u32* sums, u32 n, u64* told, u32* taken) {
    // One more place per 32: threads that walk their own items use different banks.
    __shared__ u32 items[TILE + TILE / 32];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block, before_tile;
    if (threadIdx.x == 0) tile_of_block = atomicAdd(taken, 1u);
    __syncthreads();
    const u32 tile = tile_of_block;
    const u64 first = (u64)tile * TILE;

    for (u32 k = threadIdx.x; k < TILE; k += BLOCK) {
        items[k + k / 32] = first + k < n ? values[first + k] : 0;
    }
    __syncthreads();
    u32 sum = 0;
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 k = threadIdx.x * ITEMS + i;
        const u32 value = items[k + k / 32];
        items[k + k / 32] = sum;
        sum += value;
    }
    u32 sum_of_tile;
    const u32 before_thread = exclusive_scan_of_block(sum, warp_sums, sum_of_tile);

    if (warp_of_thread() == 0) {
        if (lane_of_thread() == 0 && tile > 0) __stcg(&told[tile], SUM_OF_TILE | sum_of_tile);
        const u32 before = tile > 0 ? sum_before(told, tile) : 0;
        if (lane_of_thread() == 0) {
            __stcg(&told[tile], SUM_TO_END | (u32)(before + sum_of_tile));
            before_tile = before;
            if (first + TILE >= n) sums[n] = before + sum_of_tile;
        }
    }
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 k = threadIdx.x * ITEMS + i;
        items[k + k / 32] += before_thread;
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < TILE; k += BLOCK) {
        if (first + k < n) sums[first + k] = before_tile + items[k + k / 32];
    }
}
