// Stable radix sort of keys with values by 8-bit digits, the lowest digit first, with one pass over
// the data per digit (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix
// sort for GPUs", 2022, arXiv:2206.01784).
//
// KEY is u32 or u64. TOLD is the type of the counts that tiles publish: u32 for fewer than 2^30
// keys, otherwise u64. sort_count counts all digits of all keys, sort_places converts the counts to
// the first position of each digit, and sort_pass sorts keys and values by one digit. As in
// scan.cu, a block takes the index of its tile from a counter and looks back at the preceding
// tiles.
//
// variants: KEY=u32 | KEY=u64
// variants: TOLD=u32 | TOLD=u64
#include "generated/blocks.cuh"
#define BLOCK_THREADS SORT_BLOCK
#include "primitives/block.cuh"

typedef KEY key;
typedef TOLD told_count;

enum {
    DIGITS = 256,
    // Items per thread. The larger key type has fewer items per thread, so that a tile of either
    // type fits in registers and in shared memory.
    ITEMS = sizeof(key) == 4 ? 14 : 8,
    // The number of tiles that a look-back reads at once.
    LOOKS = 4,
    TILE = BLOCK * ITEMS,
};
static_assert(TILE == (sizeof(key) == 4 ? SORT_TILE_U32 : SORT_TILE_U64), "must match the size that the host assumes");

// The state that a tile has published about a digit: nothing, the count of the tile, or the count
// of all tiles up to its end. The highest two bits hold the state.
const told_count NOTHING = 0;
const told_count COUNT_OF_TILE = (told_count)1 << (8 * sizeof(told_count) - 2);
const told_count COUNT_TO_END = 2 * COUNT_OF_TILE;
const told_count COUNT = COUNT_OF_TILE - 1;

DEVICE u32 digit_of(key k, u32 pass) { return (u32)(k >> (8 * pass)) & 0xff; }

// 16 bytes of keys that are loaded at once.
struct __align__(16) Keys {
    key keys[16 / sizeof(key)];
};

DEVICE void count_digits(u32 (&found)[sizeof(key)][DIGITS], const Keys& many, u32 n_passes) {
#pragma unroll
    for (u32 pass = 0; pass < sizeof(key); pass++) {
        if (pass >= n_passes) return;
#pragma unroll
        for (u32 k = 0; k < 16 / sizeof(key); k++) atomicAdd(&found[pass][digit_of(many.keys[k], pass)], 1u);
    }
}

// Counts how often each digit occurs in each pass.
//
// Grid: any number of blocks, which share the keys. Block: 512 threads. Shared memory: 4 KB (KEY =
// u32), 8 KB (u64).
//
// keys    [n], aligned to 16 bytes
// counts  zero at the start, [n_passes][256]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
sort_count(const key* keys, u32 n, u32 n_passes, u32* counts) {
    __shared__ u32 found[sizeof(key)][DIGITS];
    for (u32 k = threadIdx.x; k < n_passes * DIGITS; k += BLOCK) (&found[0][0])[k] = 0;
    __syncthreads();
    const u32 each = 16 / sizeof(key), groups = n / each;
    const u64 threads = (u64)gridDim.x * BLOCK, thread = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const Keys* const many = (const Keys*)keys;
    // Process two groups at once.
    for (u64 i = thread; i < groups; i += 2 * threads) {
        const bool are_two = i + threads < groups;
        const Keys one = many[i], other = many[are_two ? i + threads : i];
        count_digits(found, one, n_passes);
        if (are_two) count_digits(found, other, n_passes);
    }
    const u64 rest = (u64)groups * each + thread;
    if (rest < n) {
        for (u32 pass = 0; pass < n_passes; pass++) atomicAdd(&found[pass][digit_of(keys[rest], pass)], 1u);
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < n_passes * DIGITS; k += BLOCK) {
        const u32 count = (&found[0][0])[k];
        if (count > 0) atomicAdd(&counts[k], count);
    }
}

// Converts the digit counts of each pass to prefix sums.
//
// Grid: n_passes blocks. Block: 512 threads. Shared memory: 64 bytes.
//
// counts  [n_passes][256]
extern "C" __global__ void __launch_bounds__(BLOCK, 1) sort_places(u32* counts) {
    __shared__ u32 warp_sums[WARPS];
    u32* const of_pass = counts + blockIdx.x * DIGITS;
    u32 sum;
    const u32 mine = threadIdx.x < DIGITS ? of_pass[threadIdx.x] : 0;
    const u32 place = exclusive_scan_of_block(mine, warp_sums, sum);
    if (threadIdx.x < DIGITS) of_pass[threadIdx.x] = place;
}

// Returns the number of occurrences of a digit in the preceding tiles.
DEVICE u32 count_before(const told_count* told, u32 tile, u32 digit) {
    u32 count = 0;
    for (i32 last = (i32)tile - 1;; last -= LOOKS) {
        told_count words[LOOKS];
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
            count += (u32)(words[k] & COUNT);
            if (words[k] >= COUNT_TO_END) return count;
        }
    }
}

// Prefetches the 128 bytes that contain an element.
DEVICE void prefetch(const u32* array, u32 at, u32 n) {
#ifdef __CUDA_ARCH__
    if (at < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(array + at));
#endif
}

// Returns its argument, but hides its value from the compiler. Values derived from it are then
// recomputed instead of being kept in registers from one use to the next.
DEVICE u32 anew(u32 x) {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(x));
#endif
    return x;
}

// Sorts keys and values by one digit. Keys with the same digit keep their order.
//
// Grid: one block per TILE keys. Block: 512 threads. Shared memory: 39 KB (KEY = u32), 43 KB (u64).
//
// keys, values          [n]; without `values`, the value of a key is its index
// keys_out, values_out  [n]
// places                first position of each digit of this pass, [256]
// told                  zero at the start, [tiles][256]
// taken                 number of tiles taken; zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(2))
sort_pass(const key* keys, const u32* values, key* keys_out, u32* values_out, u32 n, u32 pass,
          const u32* places, told_count* told, u32* taken) {
    __shared__ key sorted[TILE];
    __shared__ __align__(4) u16 counts[WARPS][DIGITS];
    __shared__ u32 counts_of_tile[DIGITS];
    __shared__ u32 place_of_digit[DIGITS];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block;
    const u32 warp = warp_of_thread(), lane = lane_of_thread(), thread = threadIdx.x;
    if (thread == 0) tile_of_block = atomicAdd(taken, 1u);
    for (u32 k = thread; k < WARPS * DIGITS / 2; k += BLOCK) ((u32*)&counts[0][0])[k] = 0;
    // For each warp and digit, the mask of the lanes whose key has that digit. The masks use memory
    // in which the keys are stored later.
    u32 (&lanes)[WARPS][DIGITS] = *(u32 (*)[WARPS][DIGITS])sorted;
    for (u32 k = thread; k < WARPS * DIGITS; k += BLOCK) (&lanes[0][0])[k] = 0;
    const bool is_digit = thread < DIGITS;
    if (is_digit) counts_of_tile[thread] = 0;
    __syncthreads();
    const u32 tile = tile_of_block;
    const u64 first = (u64)tile * TILE;
    const u32 n_here = n - first < TILE ? (u32)(n - first) : TILE;
    if (values && lane < ITEMS) prefetch(values + first, warp * (WARP * ITEMS) + lane * WARP, n_here);

    // A warp processes a range of the tile, 32 neighbors at a time. Missing keys at the end of the
    // last tile count as the largest key, so that they come last for every digit.
    key mine[ITEMS];
    const u32 start = warp * (WARP * ITEMS) + lane;
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 at = start + i * WARP;
        mine[i] = at < n_here ? keys[first + at] : ~(key)0;
    }

    // Publish the counts as early as possible, because later tiles wait for them. Half of the
    // threads represent one digit each.
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) atomicAdd(&counts_of_tile[digit_of(mine[i], pass)], 1u);
    __syncthreads();
    told_count* const told_here = &told[(u64)tile * DIGITS + thread];
    const u32 count_of_tile = is_digit ? counts_of_tile[thread] : 0;
    if (is_digit) __stcg(told_here, (tile == 0 ? COUNT_TO_END : COUNT_OF_TILE) | count_of_tile);

    // Find the position of each key among the keys of the warp with the same digit.
    pass = anew(pass);
    u32 rank[ITEMS];
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 digit = digit_of(mine[i], pass);
        atomicOr(&lanes[warp][digit], 1u << lane);
        __syncwarp();
        const u32 same = lanes[warp][digit];
        const u32 before = __popc(same & ((1u << lane) - 1));
        const u32 count = counts[warp][digit];
        __syncwarp();
        if (before == 0) {
            counts[warp][digit] = (u16)(count + __popc(same));
            lanes[warp][digit] = 0;
        }
        __syncwarp();
        rank[i] = count + before;
    }
    __syncthreads();

    u32 all;
    const u32 place_in_tile = exclusive_scan_of_block(count_of_tile, warp_sums, all);
    if (is_digit) {
        // Replace the count of each warp by the position, in the sorted tile, of its first key with
        // this digit.
        u32 place_of_warp = place_in_tile;
#pragma unroll 4
        for (u32 w = 0; w < WARPS; w++) {
            const u32 count = counts[w][thread];
            counts[w][thread] = (u16)place_of_warp;
            place_of_warp += count;
        }
        const u32 before = tile > 0 ? count_before(told, tile, thread) : 0;
        if (tile > 0) __stcg(told_here, COUNT_TO_END | (before + count_of_tile));
        place_of_digit[thread] = places[thread] + before - place_in_tile;
    }
    __syncthreads();

    // Go through shared memory, so that neighboring threads write neighboring keys.
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (i % 4 == 0) pass = anew(pass);
        rank[i] += counts[warp][digit_of(mine[i], pass)];
        sorted[rank[i]] = mine[i];
    }
    __syncthreads();
    // Four digits per word.
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
