// The numbers of set flags of a bit each, ascending, by all blocks at once.
//
// Every block counts the flags of its part, tells the count, and sums what all blocks before it have told: one wait, where
// looking back goes from tile to tile. Then it reads its part again, which the cache still holds. It takes the number of its
// part from a counter, so that every part before it is that of a block that runs.
#include "primitives/compact.cuh"

enum {
    // Loads of a lane at once, of four words each.
    QUADS = 2,
    STEP = WARP * 4 * QUADS,
};

// Four words from `at` on, of those before `end`; flags from `n` on are not set.
DEVICE Quad load_quad(const u32* words, u64 at, u64 end, u64 n) {
    Quad quad = {{0, 0, 0, 0}};
    if (at + 4 <= end) {
        quad = *(const Quad*)(words + at);
    } else {
        for (u32 k = 0; k < 4; k++) {
            if (at + k < end) quad.words[k] = words[at + k];
        }
    }
    if (32 * (at + 4) > n) {
        for (u32 k = 0; k < 4; k++) {
            const u64 begin = 32 * (at + k);
            if (begin < n && n - begin < 32) quad.words[k] &= (1u << (n - begin)) - 1;
        }
    }
    return quad;
}

DEVICE u32 count_of(const Quad& quad) {
    return __popc(quad.words[0]) + __popc(quad.words[1]) + __popc(quad.words[2]) + __popc(quad.words[3]);
}

// Sum over a warp, in all lanes.
DEVICE u32 sum_of_warp(u32 value) {
    for (u32 by = WARP / 2; by > 0; by /= 2) value += __shfl_xor_sync(0xffffffffu, value, by);
    return value;
}

// The flags of a warp one after the other, where few are set: each lane writes those of its words.
DEVICE void write_few(const u32* words, u64 first, u64 end, u64 n, u32 at, u32* list, u32 capacity) {
    const u32 lane = lane_of_thread();
    for (u64 from = first; from < end; from += STEP) {
        Quad quads[QUADS];
#pragma unroll
        for (u32 q = 0; q < QUADS; q++) quads[q] = load_quad(words, from + (q * WARP + lane) * 4, end, n);
#pragma unroll
        for (u32 q = 0; q < QUADS; q++) {
            const u32 own = count_of(quads[q]), upto = inclusive_scan_of_warp(own);
            u32 place = at + upto - own;
            if (own > 0) {
#pragma unroll
                for (u32 w = 0; w < 4; w++) {
                    const u32 number = (u32)(from + (q * WARP + lane) * 4 + w) * 32 - 1;
                    for (u32 left = quads[q].words[w]; left != 0; left &= left - 1) {
                        if (place < capacity) list[place] = number + __ffs(left);
                        place++;
                    }
                }
            }
            at += __shfl_sync(0xffffffffu, upto, WARP - 1);
        }
    }
}

// list[k] = number of the k-th flag that is set, total = how many there are.
//
// Grid: one block per 8 `words_of_warp` words, at least one. Block: 256 threads. Shared memory: 16 KB.
//
// words     [n / 32], rounded up; aligned to 16 bytes
// words_of_warp  a multiple of 64
// list      [capacity]; numbers beyond are not written
// told      zero at the start and at the end, [blocks]
// taken     numbers of parts taken and of those that have summed; zero at the start and at the end, [2]
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(8))
compact_bits_list(const u32* words, u64 n, u32 words_of_warp, u32* list, u32 capacity, u32* total, u64* told, u32* taken) {
    __shared__ u16 all_staged[WARPS][ROUND];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 part_of_block, before_part;
    const u32 warp = warp_of_thread(), lane = lane_of_thread();
    if (threadIdx.x == 0) {
        part_of_block = atomicAdd(taken, 1u);
        before_part = 0;
    }
    __syncthreads();
    const u32 part = part_of_block;
    const u64 n_words = (n + 31) / 32, first = ((u64)part * WARPS + warp) * words_of_warp;
    const u64 end = first + words_of_warp < n_words ? first + words_of_warp : n_words;
    u32 count = 0;
    for (u64 from = first; from < end; from += STEP) {
        Quad quads[QUADS];
#pragma unroll
        for (u32 q = 0; q < QUADS; q++) quads[q] = load_quad(words, from + (q * WARP + lane) * 4, end, n);
#pragma unroll
        for (u32 q = 0; q < QUADS; q++) count += count_of(quads[q]);
    }
    count = sum_of_warp(count);
    if (lane == 0) warp_sums[warp] = count;
    __syncthreads();
    u32 at = 0, sum_of_part = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp) at += warp_sums[w];
        sum_of_part += warp_sums[w];
    }
    if (threadIdx.x == 0) __stcg(&told[part], SUM_OF_TILE | sum_of_part);
    u32 before = 0;
    for (u32 p = threadIdx.x; p < part; p += BLOCK) {
        u64 word;
        while ((word = __ldcg(&told[p])) == NOTHING) __nanosleep(20);
        before += (u32)word;
    }
    before = sum_of_warp(before);
    if (lane == 0 && before > 0) atomicAdd(&before_part, before);
    __syncthreads();
    at += before_part;
    if (warp == 0) {
        if (lane == 0 && part == gridDim.x - 1) *total = before_part + sum_of_part;
        // When all have summed, all is made ready for the next launch.
        const u32 summed = lane == 0 ? count_arrival(&taken[1]) : 0;
        if (__shfl_sync(0xffffffffu, summed, 0) == gridDim.x - 1) {
            for (u32 p = lane; p < gridDim.x; p += WARP) told[p] = NOTHING;
            if (lane < 2) taken[lane] = 0;
        }
    }
    if (count < words_of_warp * 32 / SPARSE) {
        write_few(words, first, end, n, at, list, capacity);
        return;
    }
    for (u64 from = first; from < end; from += 2 * WARP) {
        u32 of_round[2];
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            const u64 w = from + k * WARP + lane;
            of_round[k] = w < end ? words[w] : 0;
            if (32 * w < n && n - 32 * w < 32) of_round[k] &= (1u << (n - 32 * w)) - 1;
        }
        at += write_rounds(of_round, (u32)from * 32, at, list, capacity, all_staged[warp]);
    }
}
