// Exclusive sums of an array in one pass: a tile per block, and look-back for what stands before it.
#include "primitives/lookback.cuh"

enum { ITEMS = 16, TILE = BLOCK * ITEMS };

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
        const u32 before = tell_and_look(told, tile, sum_of_tile);
        if (lane_of_thread() == 0) {
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
