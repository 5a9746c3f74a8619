// Lists the indices of set flags in ascending order, in one pass over the flags. Each flag is one
// byte. Each block processes a tile and finds the number of set flags before the tile by look-back.
// See compact_bits.cu for flags of one bit each.
//
// Each warp processes a range of its tile, 1024 flags per round. It first stores the flags as bits
// of words in shared memory.
#include "primitives/bytes.cuh"
#include "primitives/compact.cuh"
#include "common/shared.cuh"

// The number of rounds that a warp loads together.
enum { BATCH = COMPACT_BATCH };
static_assert(WARPS * ROUND == COMPACT_ROUND, "must match the size that the host assumes");

// Returns the position at which a word of a range is stored. Neighboring words are in different
// memory banks, and so are the words at which the lanes start.
DEVICE u32 place_of(u32 word) { return word + word / WARP; }

// Stores the flags of BATCH rounds that start at index `first` as words. Flags with an index of `n`
// or above count as not set. Returns the number of set flags that this lane loaded.
DEVICE u32 load_words(const u8* flags, u64 n, u32 low, u64 first, u32* words, u32 round) {
    const u32 lane = lane_of_thread();
    u32 count = 0;
    Quad quads[2 * BATCH];
    const Quad none = {{0, 0, 0, 0}};
    const bool whole = first + BATCH * ROUND <= n;
#pragma unroll
    for (u32 q = 0; q < 2 * BATCH; q++) {
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
    u16* const halves = (u16*)words;
#pragma unroll
    for (u32 q = 0; q < 2 * BATCH; q++) {
        u32 half = 0;
#pragma unroll
        for (u32 w = 0; w < 4; w++) half |= bits_of_bytes(quads[q].words[w], low) << (4 * w);
        halves[2 * place_of(round * WARP + q * (WARP / 2) + lane / 2) + lane % 2] = (u16)half;
        count += __popc(half);
    }
    return count;
}

// Writes list[k] = index of the k-th set flag, and total = number of set flags.
//
// Grid: one block per 8192 * `rounds` flags, at least one. Block: 256 threads. Shared memory: 16 KB
// and 1056 bytes for each round.
//
// flags     [n] bytes; aligned to 16 bytes
// low       smallest byte that counts as set, from 1 to 255
// rounds    number of rounds of a warp, a multiple of 4
// list      [capacity]; further indices are not written
// told      zero at the start and at the end, [tiles]
// taken     number of tiles taken and of tiles that have looked back; zero at the
//           start and at the end, [2]
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
compact_flags(const u8* flags, u64 n, u32 low, u32 rounds, u32* list, u32 capacity, u32* total, u64* told,
              u32* taken) {
    DYN_SHARED(u32, all_words);
    __shared__ u16 all_staged[WARPS][ROUND];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block, before_tile;
    if (threadIdx.x == 0) tile_of_block = atomicAdd(taken, 1u);
    __syncthreads();
    const u32 tile = tile_of_block, warp = warp_of_thread(), lane = lane_of_thread();
    u32* const words = all_words + warp * place_of(rounds * WARP);
    const u64 first = ((u64)tile * WARPS + warp) * rounds * ROUND;

    u32 count = 0;
    for (u32 r = 0; r < rounds; r += BATCH) {
        count += load_words(flags, n, low, first + (u64)r * ROUND, words, r);
    }
    const u32 sum_of_warp = __shfl_sync(0xffffffffu, inclusive_scan_of_warp(count), WARP - 1);
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
            if ((u64)(tile + 1) * WARPS * rounds * ROUND >= n) *total = before + sum_of_tile;
        }
        // After all tiles have looked back, reset the state for the next launch.
        const u32 looked = lane == 0 ? count_arrival(&taken[1]) : 0;
        if (__shfl_sync(0xffffffffu, looked, 0) == gridDim.x - 1) {
            for (u32 t = lane; t < gridDim.x; t += WARP) told[t] = NOTHING;
            if (lane < 2) taken[lane] = 0;
        }
    }
    __syncthreads();
    at += before_tile;

    if (sum_of_warp < rounds * ROUND / SPARSE) {
        // Each lane processes as many consecutive words as there are rounds.
        u32 own = 0;
        for (u32 w = lane * rounds; w < (lane + 1) * rounds; w++) own += __popc(words[place_of(w)]);
        u32 place = at + inclusive_scan_of_warp(own) - own;
        for (u32 w = lane * rounds; w < (lane + 1) * rounds; w++) {
            for (u32 left = words[place_of(w)]; left != 0; left &= left - 1) {
                if (place < capacity) list[place] = (u32)first + w * 32 + __ffs(left) - 1;
                place++;
            }
        }
        return;
    }
    for (u32 r = 0; r < rounds; r += 2) {
        const u32 of_round[2] = {words[place_of(r * WARP + lane)], words[place_of(r * WARP + WARP + lane)]};
        at += write_rounds(of_round, (u32)first + r * ROUND, at, list, capacity, all_staged[warp]);
    }
}
