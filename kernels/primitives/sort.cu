// Stable sort of keys with values by their digits of 8 bits, lowest first, each digit in one pass
// over the data (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix sort
// for GPUs", 2022, arXiv:2206.01784).
//
// KEY is u32 or u64. sort_count counts all digits of all keys, sort_places turns the counts into
// where each digit starts, sort_pass moves keys and values by one digit. As in scan.cu, a block
// takes the number of its tile from a counter, and looks back at the tiles before it.
#include "primitives/block.cuh"

typedef KEY key;

enum {
    DIGITS = 256,
    // Fewer of the larger keys, so that a tile of either fits the registers and shared memory.
#ifndef ITEMS32
#define ITEMS32 16
#endif
    ITEMS = sizeof(key) == 4 ? ITEMS32 : 10,
    // Tiles that a look back asks for at once.
#ifndef LOOKS
#define LOOKS 4
#endif
#ifndef SORT_BLOCKS
#define SORT_BLOCKS 4
#endif
#ifndef EARLY
#define EARLY 1
#endif
#ifndef MATCH
#define MATCH 0
#endif
    TILE = BLOCK * ITEMS,
};

// What a tile has told of a digit: nothing, how often it has it, or how often all tiles up to its
// end have. The count has 30 bits, so at most 2^30 - 1 keys are sorted.
const u32 NOTHING = 0;
const u32 COUNT_OF_TILE = 1u << 30;
const u32 COUNT_TO_END = 2u << 30;
const u32 COUNT = COUNT_OF_TILE - 1;

DEVICE u32 digit_of(key k, u32 pass) { return (u32)(k >> (8 * pass)) & 0xff; }

// How often each digit occurs in each of the passes.
//
// Grid: any number of blocks, which share the keys. Block: 256 threads. Shared memory: 8 KB.
//
// keys    [n]
// counts  zero at the start, [n_passes][256]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
sort_count(const key* keys, u32 n, u32 n_passes, u32* counts) {
    __shared__ u32 found[sizeof(key)][DIGITS];
    for (u32 pass = 0; pass < n_passes; pass++) found[pass][threadIdx.x] = 0;
    __syncthreads();
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (u64)gridDim.x * BLOCK) {
        const key k = keys[i];
        for (u32 pass = 0; pass < n_passes; pass++) atomicAdd(&found[pass][digit_of(k, pass)], 1u);
    }
    __syncthreads();
    for (u32 pass = 0; pass < n_passes; pass++) {
        const u32 count = found[pass][threadIdx.x];
        if (count > 0) atomicAdd(&counts[pass * DIGITS + threadIdx.x], count);
    }
}

// Counts of the digits of each pass become the sums of those before.
//
// Grid: n_passes blocks. Block: 256 threads. Shared memory: 32 bytes.
//
// counts  [n_passes][256]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) sort_places(u32* counts) {
    __shared__ u32 warp_sums[WARPS];
    u32* const of_pass = counts + blockIdx.x * DIGITS;
    u32 sum;
    of_pass[threadIdx.x] = exclusive_scan_of_block(of_pass[threadIdx.x], warp_sums, sum);
}

// Lanes of the warp that have the same digit.
DEVICE u32 lanes_with(u32 digit) {
    u32 lanes = 0xffffffffu;
    for (u32 bit = 0; bit < 8; bit++) {
        const bool set = digit >> bit & 1;
        const u32 those = __ballot_sync(0xffffffffu, set);
        lanes &= set ? those : ~those;
    }
    return lanes;
}

// How often the tiles before this one have a digit.
DEVICE u32 count_before(const u32* told, u32 tile, u32 digit) {
    u32 count = 0;
    for (i32 last = (i32)tile - 1;; last -= LOOKS) {
        u32 words[LOOKS];
#pragma unroll
        for (i32 k = 0; k < LOOKS; k++) {
            words[k] = last >= k ? __ldcg(&told[(u64)(last - k) * DIGITS + digit]) : COUNT_TO_END;
        }
#pragma unroll
        for (i32 k = 0; k < LOOKS; k++) {
            while (words[k] == NOTHING) {
                __nanosleep(20);
                words[k] = __ldcg(&told[(u64)(last - k) * DIGITS + digit]);
            }
            count += words[k] & COUNT;
            if (words[k] >= COUNT_TO_END) return count;
        }
    }
}

// The number itself, of which the compiler does not know that: what is made of it is made anew, instead of being kept in
// registers from one use to the next.
DEVICE u32 anew(u32 x) {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

// Sorts keys and values by one digit, those with the same digit in the order they have.
//
// Grid: one block per TILE keys. Block: 256 threads. Shared memory: 26 KB (KEY = u32), 30 KB (u64).
//
// keys, values          [n]; without `values`, a key's value is its number
// keys_out, values_out  [n]
// places                where each digit of this pass starts, [256]
// told                  zero at the start, [tiles][256]
// taken                 number of tiles taken; zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK, SORT_BLOCKS)
sort_pass(const key* keys, const u32* values, key* keys_out, u32* values_out, u32 n, u32 pass,
          const u32* places, u32* told, u32* taken) {
    __shared__ key sorted[TILE];
    __shared__ u32 counts[WARPS][DIGITS];
#if EARLY
    __shared__ u32 counts_of_tile[DIGITS];
#endif
    __shared__ u32 place_of_digit[DIGITS];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block;
    const u32 warp = warp_of_thread(), lane = lane_of_thread(), thread = threadIdx.x;
    if (thread == 0) tile_of_block = atomicAdd(taken, 1u);
    for (u32 w = 0; w < WARPS; w++) counts[w][thread] = 0;
#if EARLY
    counts_of_tile[thread] = 0;
#endif
#if MATCH
    u32 (&masks)[WARPS][DIGITS] = *(u32 (*)[WARPS][DIGITS])sorted;
    for (u32 w = 0; w < WARPS; w++) masks[w][thread] = 0;
#endif
    __syncthreads();
    const u32 tile = tile_of_block;
    const u64 first = (u64)tile * TILE;
    const u32 n_here = n - first < TILE ? (u32)(n - first) : TILE;

    // A warp has a stretch of the tile, 32 neighbors at a time. What is missing at the end of the
    // last tile counts as the largest key, so it stands behind all others whatever the digit.
    key mine[ITEMS];
    const u32 start = warp * (WARP * ITEMS) + lane;
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = start + i * WARP;
        mine[i] = at < n_here ? keys[first + at] : ~(key)0;
    }

#if EARLY
    // What the tiles behind wait for is told as early as can be. From here on a thread stands for a digit, too.
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) atomicAdd(&counts_of_tile[digit_of(mine[i], pass)], 1u);
    __syncthreads();
    u32* const told_here = &told[(u64)tile * DIGITS + thread];
    const u32 count_of_tile = counts_of_tile[thread];
    __stcg(told_here, (tile == 0 ? COUNT_TO_END : COUNT_OF_TILE) | count_of_tile);
#endif

    // Place of each key among those of the warp with the same digit.
    pass = anew(pass);
    u32 rank[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 digit = digit_of(mine[i], pass);
#if MATCH
        atomicOr(&masks[warp][digit], 1u << lane);
        __syncwarp();
        const u32 same = masks[warp][digit];
        const u32 before = __popc(same & ((1u << lane) - 1));
        const u32 count = counts[warp][digit];
        __syncwarp();
        if (before == 0) {
            counts[warp][digit] = count + __popc(same);
            masks[warp][digit] = 0;
        }
        __syncwarp();
        rank[i] = count + before;
#else
        const u32 same = lanes_with(digit);
        const u32 before = __popc(same & ((1u << lane) - 1));
        const u32 count = counts[warp][digit];
        __syncwarp();
        if (before == 0) counts[warp][digit] = count + __popc(same);
        __syncwarp();
        rank[i] = count + before;
#endif
    }
    __syncthreads();

#if !EARLY
    u32 count_of_tile = 0;
    for (u32 w = 0; w < WARPS; w++) count_of_tile += counts[w][thread];
    u32* const told_here = &told[(u64)tile * DIGITS + thread];
    __stcg(told_here, (tile == 0 ? COUNT_TO_END : COUNT_OF_TILE) | count_of_tile);
#endif
    u32 all;
    const u32 place_in_tile = exclusive_scan_of_block(count_of_tile, warp_sums, all);
    // Its counts become the places of the warps' first keys.
    u32 place_of_warp = place_in_tile;
    for (u32 w = 0; w < WARPS; w++) {
        const u32 count = counts[w][thread];
        counts[w][thread] = place_of_warp;
        place_of_warp += count;
    }
    if (tile > 0) {
        const u32 before = count_before(told, tile, thread);
        __stcg(told_here, COUNT_TO_END | (before + count_of_tile));
        place_of_digit[thread] = places[thread] + before - place_in_tile;
    } else {
        place_of_digit[thread] = places[thread] - place_in_tile;
    }
    __syncthreads();

    // Through shared memory, so that neighbors write to neighbors.
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (i % 4 == 0) pass = anew(pass);
        rank[i] += counts[warp][digit_of(mine[i], pass)];
        sorted[rank[i]] = mine[i];
    }
    __syncthreads();
    // Four digits in a word.
    u32 digits[(ITEMS + 3) / 4] = {};
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = i * BLOCK + thread;
        const key k = sorted[at];
        const u32 digit = digit_of(k, pass);
        digits[i / 4] |= digit << (8 * (i % 4));
        if (at < n_here) keys_out[place_of_digit[digit] + at] = k;
    }
    __syncthreads();
    u32* const sorted_values = (u32*)sorted;
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = start + i * WARP;
        if (at < n_here) sorted_values[rank[i]] = values ? values[first + at] : (u32)(first + at);
    }
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = i * BLOCK + thread;
        const u32 digit = digits[i / 4] >> (8 * (i % 4)) & 0xff;
        if (at < n_here) values_out[place_of_digit[digit] + at] = sorted_values[at];
    }
}
