// Runs of equal items in a sorted list: a bit at the beginning of each run, and the item of each
// run. This file is the counterpart of crates/core/src/primitives/unique.rs. compact_bits.cu lists
// the bits.
//
// Defines: VALUE, the type of the items.
//
// variants: VALUE=u32 | VALUE=u64 | VALUE=float | VALUE=double
#include "primitives/block.cuh"

// The number of words of a warp.
enum { WORDS = 8 };
static_assert(WARPS * WORDS * 32 == UNIQUE_ITEMS, "must match the size that the host assumes");

// Sets a bit for each item that differs from the previous one. The first bit is always set.
//
// Grid: one warp per WORDS words, rounded up. Block: 256 threads. Shared memory: none.
//
// items   [n]
// begins  [n / 32], rounded up
extern "C" __global__ void __launch_bounds__(BLOCK, 1) unique_mark(const VALUE* items, u64 n, u32* begins) {
    const u64 first = ((u64)blockIdx.x * WARPS + warp_of_thread()) * WORDS;
#pragma unroll
    for (u32 w = 0; w < WORDS; w++) {
        const u64 at = (first + w) * WARP + lane_of_thread();
        const bool is_first = at < n && (at == 0 || items[at] != items[at - 1]);
        const u32 word = __ballot_sync(0xffffffffu, is_first);
        if (lane_of_thread() == 0 && (first + w) * WARP < n) begins[first + w] = word;
    }
}

// Writes the item of each run and the end of the last run.
//
// Grid: any number of threads, which share the runs. Block: 256 threads. Shared memory: none.
//
// items    [n]
// offsets  index of the first item of each run, [n_runs + 1]; only the last entry is written
// found    [n_runs]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
unique_items(const VALUE* items, u64 n, u32* offsets, u64 n_runs, VALUE* found) {
    const u64 threads = (u64)gridDim.x * BLOCK, thread = (u64)blockIdx.x * BLOCK + threadIdx.x;
    for (u64 run = thread; run < n_runs; run += threads) found[run] = items[offsets[run]];
    if (thread == 0) offsets[n_runs] = (u32)n;
}
