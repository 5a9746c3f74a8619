// The numbers of set flags, ascending, in one pass over the flags: a tile per block, and look-back for
// how many stand before it.
//
// A warp has a stretch of its tile, 1024 flags in a round: each lane has 32 of them as the bits of a
// word. PACKED is 1 for flags of a bit, 0 for bytes, of which those of `low` or more are set.
#include "primitives/lookback.cuh"

enum {
    // A word of 32 flags is 4 bytes or 32: rounds of bits are cheap, and a tile has more of them.
    ROUNDS = PACKED ? 8 : 4,
    ROUND = WARP * 32,
    TILE = WARPS * ROUNDS * ROUND,
    // So few numbers of a round are written as they are found; more go through shared memory, so
    // that neighbors write to neighbors.
    FEW = 64,
};

// 16 bytes that are loaded at once.
struct __align__(16) Quad {
    u32 words[4];
};

// One bit for each of four bytes that is `low` or more; `low` is from 1 to 255.
DEVICE u32 bits_of_bytes(u32 bytes, u32 low) {
    const u32 high = 0x80808080u;
    const u32 all_low = low * 0x01010101u;
    // The highest bit of each byte says whether its lower seven bits are those of `low` or more.
    const u32 lower = (bytes | high) - (all_low & ~high);
    const u32 set = (bytes & lower) | ((bytes | lower) & ~all_low);
    return ((set & high) >> 7) * 0x10204080u >> 28;
}

// The flags of a lane in each round, as the bits of words; those from `n` on are not set.
DEVICE void load_words(const u8* flags, u64 n, u32 low, u64 first, u32 (&words)[ROUNDS]) {
    const u32 lane = lane_of_thread();
#if PACKED
    const u32* const packed = (const u32*)flags;
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        const u64 at = first + r * ROUND + lane * 32;
        words[r] = at < n ? packed[at / 32] : 0;
        if (at < n && n - at < 32) words[r] &= (1u << (n - at)) - 1;
    }
#else
    Quad quads[2 * ROUNDS];
    const Quad none = {{0, 0, 0, 0}};
    const bool whole = first + ROUNDS * ROUND <= n;
#pragma unroll
    for (u32 q = 0; q < 2 * ROUNDS; q++) {
        const u64 at = first + q * (ROUND / 2) + lane * 16;
        quads[q] = none;
        if (whole) {
            quads[q] = *(const Quad*)(flags + at);
        } else {
            for (u32 b = 0; b < 16; b++) {
                if (at + b < n) quads[q].words[b / 4] |= (u32)flags[at + b] << (8 * (b % 4));
            }
        }
    }
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        // 16 bits of the first half of the round, and 16 of the second.
        u32 halves = 0;
#pragma unroll
        for (u32 w = 0; w < 8; w++) {
            halves |= bits_of_bytes(quads[2 * r + w / 4].words[w % 4], low) << (4 * w);
        }
        // Lane k gets what lanes 2 k and 2 k + 1 have of the first half, lane 16 + k of the second.
        const u32 even = __shfl_sync(0xffffffffu, halves, lane % 16 * 2);
        const u32 odd = __shfl_sync(0xffffffffu, halves, lane % 16 * 2 + 1);
        const u32 shift = lane / 16 * 16;
        words[r] = (even >> shift & 0xffff) | (odd >> shift & 0xffff) << 16;
    }
#endif
}

// list[k] = number of the k-th flag that is set, total = how many there are.
//
// Grid: one block per TILE flags, at least one. Block: 256 threads. Shared memory: 16 KB.
//
// flags     [n] bytes, or [n / 32] words of bits, rounded up; aligned to 16 bytes
// low       smallest byte that is set, from 1 to 255; not used for bits
// list      [capacity]; numbers beyond are not written
// told      zero at the start, [tiles]
// taken     number of tiles taken; zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
compact_flags(const u8* flags, u64 n, u32 low, u32* list, u32 capacity, u32* total, u64* told,
              u32* taken) {
    __shared__ u16 staged[WARPS][ROUND];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block, before_tile;
    if (threadIdx.x == 0) tile_of_block = atomicAdd(taken, 1u);
    __syncthreads();
    const u32 tile = tile_of_block, warp = warp_of_thread(), lane = lane_of_thread();
    const u64 first = (u64)tile * TILE + warp * (ROUNDS * ROUND);

    u32 words[ROUNDS];
    load_words(flags, n, low, first, words);

    // Sums over the lanes, two rounds in one word: a round has 1024 flags at most.
    u32 upto[ROUNDS / 2];
    u32 sum_of_warp = 0;
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r += 2) {
        upto[r / 2] = inclusive_scan_of_warp(__popc(words[r]) | __popc(words[r + 1]) << 16);
        const u32 last = __shfl_sync(0xffffffffu, upto[r / 2], WARP - 1);
        sum_of_warp += (last & 0xffff) + (last >> 16);
    }
    if (lane == 0) warp_sums[warp] = sum_of_warp;
    __syncthreads();
    u32 at = 0, sum_of_tile = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp) at += warp_sums[w];
        sum_of_tile += warp_sums[w];
    }
    if (warp == 0) {
        const u32 before = tell_and_look(told, tile, sum_of_tile);
        if (lane == 0) {
            before_tile = before;
            if ((u64)(tile + 1) * TILE >= n) *total = before + sum_of_tile;
        }
    }
    __syncthreads();
    at += before_tile;

#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        const u32 inclusive = upto[r / 2] >> (16 * (r % 2)) & 0xffff;
        const u32 count = __shfl_sync(0xffffffffu, inclusive, WARP - 1);
        const u32 first_of_round = (u32)(first + r * ROUND);
        u32 place = inclusive - __popc(words[r]);
        if (count <= FEW) {
            for (u32 left = words[r]; left != 0; left &= left - 1) {
                if (at + place < capacity) {
                    list[at + place] = first_of_round + lane * 32 + __ffs(left) - 1;
                }
                place++;
            }
        } else {
            for (u32 left = words[r]; left != 0; left &= left - 1) {
                staged[warp][place++] = (u16)(lane * 32 + __ffs(left) - 1);
            }
            __syncwarp();
            for (u32 k = lane; k < count; k += WARP) {
                if (at + k < capacity) list[at + k] = first_of_round + staged[warp][k];
            }
            __syncwarp();
        }
        at += count;
    }
}
