// Lists the indices of set flags, one bit each, in ascending order, in one pass. Each block
// processes a tile, which stays in shared memory until the list is written.
//
// The tiles form groups. Every block publishes the number of set flags of its tile; the last tile
// of a group publishes the sum of all tiles up to its end instead. Instead of looking back from
// tile to tile, a block then adds up, in one step, the sum of the previous groups and the counts of
// the preceding tiles in its own group. A block takes the index of its tile from a counter, so that
// every preceding tile belongs to a block that is already running.
#include "primitives/compact.cuh"

enum {
    // The number of loads per lane, each of four words, and the number of words per warp and per
    // block.
    QUADS = 8,
    WORDS = WARP * 4 * QUADS,
    TILE = WARPS * WORDS,
    // The number of tiles in a group. It is limited by the number of tiles that each thread reads
    // at once.
    LOOKS = 4,
    GROUP = LOOKS * BLOCK,
    // If fewer than one in this many flags of a warp is set, each lane writes the indices of the
    // set flags in its own words.
    FEW = 256,
    // Otherwise, the list is written in PARTS parts. The indices of a part pass through the shared
    // memory that held its words, which has room for ROOM indices.
    PARTS = 2,
    ROUNDS = WORDS / WARP / PARTS,
    ROOM = WORDS / PARTS * 4 / sizeof(u16),
};
static_assert(TILE == COMPACT_WORDS, "must match the size that the host assumes");

// The minimum number of blocks per multiprocessor. On GPUs of capability 9.0, it is the number of
// blocks that fit in shared memory. On other GPUs, fewer blocks fit, or six blocks would make
// registers spill.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
#define MIN_BLOCKS 6
#else
#define MIN_BLOCKS 2
#endif

// Starts copying 16 bytes to shared memory. The copy is complete after `await_copies`.
DEVICE void copy_quad(Quad* to, const Quad* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
    *to = *from;
#endif
}

// Waits for the copies of this thread.
DEVICE void await_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Returns the four words that start at index `at`. Flags with an index of `n` or above are not set.
DEVICE Quad load_quad(const u32* words, u64 at, u64 n) {
    Quad quad = {{0, 0, 0, 0}};
    for (u32 k = 0; k < 4; k++) {
        const u64 begin = 32 * (at + k);
        if (begin < n) quad.words[k] = words[at + k];
        if (begin < n && n - begin < 32) quad.words[k] &= (1u << (n - begin)) - 1;
    }
    return quad;
}

// Returns the position at which a quad of a warp is stored. Quads that lanes copy together, and
// quads that they read together, are in different banks.
DEVICE u32 place_of(u32 quad) { return (quad & ~7u) | ((quad ^ quad >> 3) & 7); }

// Returns the sum over a warp, in all lanes.
DEVICE u32 sum_of_warp(u32 value) {
    for (u32 by = WARP / 2; by > 0; by /= 2) value += __shfl_xor_sync(0xffffffffu, value, by);
    return value;
}

// Waits until the preceding tiles that this thread reads have published their counts in this
// launch. Returns the sum of these counts.
DEVICE u32 look_back(const u64* told, u32 tile, u32 launch) {
    const u32 group = tile / GROUP * GROUP, first = group > 0 ? group - 1 : 0;
    u64 words[LOOKS];
#pragma unroll
    for (u32 k = 0; k < LOOKS; k++) {
        const u32 at = first + k * BLOCK + threadIdx.x;
        words[k] = at < tile ? __ldcg(&told[at]) : (u64)launch << 32;
    }
    u32 sum = 0;
#pragma unroll
    for (u32 k = 0; k < LOOKS; k++) {
        while ((u32)(words[k] >> 32) != launch) {
            __nanosleep(20);
            words[k] = __ldcg(&told[first + k * BLOCK + threadIdx.x]);
        }
        sum += (u32)words[k];
    }
    return sum;
}

// Writes the indices of the set flags of one part of a warp's words to the list, starting at
// position `at`. Returns their number. `first` is the index of the first flag of the part. The
// words of the part are overwritten.
DEVICE u32 write_part(Quad* quads, u32 part, u32 first, u32 at, u32* list, u32 capacity) {
    const u32 lane = lane_of_thread(), begin = part * ROUNDS * WARP / 4;
    u16* const staged = (u16*)(quads + begin);
    u32 words[ROUNDS], own = 0;
#pragma unroll
    for (u32 q = 0; q < ROUNDS / 4; q++) {
        const Quad quad = quads[place_of(begin + lane * (ROUNDS / 4) + q)];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            words[4 * q + k] = quad.words[k];
            own += __popc(quad.words[k]);
        }
    }
    const u32 upto = inclusive_scan_of_warp(own), count = __shfl_sync(0xffffffffu, upto, WARP - 1);
    if (count <= ROOM) {
        // Store the indices of the set flags of this lane at their positions in the list.
        __syncwarp();
        u32 place = upto - own;
#pragma unroll
        for (u32 w = 0; w < ROUNDS; w++) {
            for (u32 left = words[w]; left != 0; left &= left - 1) {
                staged[place++] = (u16)((lane * ROUNDS + w) * 32 + __ffs(left) - 1);
            }
        }
        __syncwarp();
        for (u32 i = lane; i < count; i += WARP) {
            if (at + i < capacity) list[at + i] = first + staged[i];
        }
        return count;
    }
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r++) {
        const u32 word = r * WARP + lane;
        words[r] = quads[place_of(begin + word / 4)].words[word % 4];
    }
    __syncwarp();
    u32 written = 0;
#pragma unroll
    for (u32 r = 0; r < ROUNDS; r += 2) {
        const u32 of_rounds[2] = {words[r], words[r + 1]};
        written += write_rounds(of_rounds, first + r * ROUND, at + written, list, capacity, staged);
    }
    return written;
}

// Writes list[k] = index of the k-th set flag, and total = number of set flags.
//
// Grid: one block per TILE words, at least one. Block: 256 threads. Shared memory: 33 KB.
//
// words     [n / 32], rounded up; aligned to 16 bytes
// list      [capacity]; further indices are not written
// told      zero before the first launch, then left as it is for the next launch, [blocks]
// taken     number of tiles taken in all launches; zero before the first launch
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
compact_bits_list(const u32* words, u64 n, u32* list, u32 capacity, u32* total, u64* told, u64* taken) {
    __shared__ Quad all_quads[WARPS][WARP * QUADS];
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block, launch_of_block, before_tile;
    const u32 warp = warp_of_thread(), lane = lane_of_thread();
    if (threadIdx.x == 0) {
        const u64 ticket = atomicAdd(taken, 1ull);
        tile_of_block = (u32)(ticket % gridDim.x);
        // This number differs from that of the previous launch and from the initial zero.
        launch_of_block = (u32)(ticket / gridDim.x % 0x7fffffff) + 1;
        before_tile = 0;
    }
    __syncthreads();
    const u32 tile = tile_of_block, launch = launch_of_block;
    const u64 begin = (u64)tile * TILE + warp * WORDS;
    Quad* const quads = all_quads[warp];
    const bool is_whole = 32 * ((u64)tile + 1) * TILE <= n;
#pragma unroll
    for (u32 q = 0; q < QUADS; q++) {
        const u32 quad = q * WARP + lane;
        if (is_whole) {
            copy_quad(&quads[place_of(quad)], (const Quad*)(words + begin) + quad);
        } else {
            quads[place_of(quad)] = load_quad(words, begin + 4 * quad, n);
        }
    }
    await_copies();
    __syncwarp();
    // `own` is the number of set flags in the consecutive words of the lane. `some` marks the words
    // that are not zero.
    u32 own = 0, some = 0;
#pragma unroll
    for (u32 q = 0; q < QUADS; q++) {
        const Quad quad = quads[place_of(lane * QUADS + q)];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            own += __popc(quad.words[k]);
            some |= (quad.words[k] != 0) << (4 * q + k);
        }
    }
    const u32 upto = inclusive_scan_of_warp(own), count = __shfl_sync(0xffffffffu, upto, WARP - 1);
    if (lane == 0) warp_sums[warp] = count;
    __syncthreads();
    u32 at = 0, sum_of_tile = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp) at += warp_sums[w];
        sum_of_tile += warp_sums[w];
    }
    const bool is_end = tile % GROUP == GROUP - 1;
    if (threadIdx.x == 0 && !is_end) __stcg(&told[tile], (u64)launch << 32 | sum_of_tile);
    const u32 before = sum_of_warp(look_back(told, tile, launch));
    if (lane == 0 && before > 0) atomicAdd(&before_tile, before);
    __syncthreads();
    at += before_tile;
    if (threadIdx.x == 0) {
        const u32 to_end = before_tile + sum_of_tile;
        if (is_end) __stcg(&told[tile], (u64)launch << 32 | to_end);
        if (tile == gridDim.x - 1) *total = to_end;
    }
    const u32 first = (u32)begin * 32;
    if (count < WORDS * 32 / FEW) {
        u32 place = at + upto - own, left = 0, number = 0;
        for (u32 i = 0; i < own; i++) {
            if (left == 0) {
                const u32 word = __ffs(some) - 1;
                some &= some - 1;
                left = quads[place_of(lane * QUADS + word / 4)].words[word % 4];
                number = first + (lane * QUADS * 4 + word) * 32 - 1;
            }
            if (place < capacity) list[place] = number + __ffs(left);
            place++;
            left &= left - 1;
        }
        return;
    }
    for (u32 part = 0; part < PARTS; part++) {
        at += write_part(quads, part, first + part * ROUNDS * ROUND, at, list, capacity);
    }
}
