// Exclusive prefix sums of an array in one pass: each block processes a tile and finds the sum
// before it by look-back.
#include "primitives/lookback.cuh"

// A warp processes QUADS rounds of ROUND values each.
enum { QUADS = 8, ROUND = 4 * WARP, TILE = WARPS * QUADS * ROUND };
static_assert(TILE == SCAN_TILE, "must match the size that the host assumes");

// Four values that are loaded at once.
struct __align__(16) Quad {
    u32 x, y, z, w;
};

// Computes sums[i] = values[0] + ... + values[i - 1] for i in 0..=n, modulo 2^32. `sums` may be
// `values`.
//
// Grid: one block per TILE values, at least one. Block: 256 threads. Shared memory: 40 bytes.
//
// values  [n], aligned to 16 bytes, as are the sums
// sums    [n + 1]
// told    zero at the start, [tiles]
// taken   number of tiles taken; zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(4))
scan_exclusive(const u32* values, u32* sums, u32 n, u64* told, u32* taken) {
    __shared__ u32 warp_sums[WARPS];
    __shared__ u32 tile_of_block, before_tile;
    if (threadIdx.x == 0) tile_of_block = atomicAdd(taken, 1u);
    __syncthreads();
    const u32 tile = tile_of_block;
    // A warp processes a range of its tile, with four neighboring values per lane in each round.
    const u64 first = (u64)tile * TILE + warp_of_thread() * (QUADS * ROUND) + 4 * lane_of_thread();

    Quad quads[QUADS];
#pragma unroll
    for (u32 q = 0; q < QUADS; q++) {
        const u64 at = first + q * ROUND;
        if (at + 4 <= n) {
            quads[q] = *(const Quad*)(values + at);
        } else {
            quads[q] = {at < n ? values[at] : 0, at + 1 < n ? values[at + 1] : 0, at + 2 < n ? values[at + 2] : 0, 0};
        }
    }
    // Sums before each group of four in the range.
    u32 before[QUADS], sum_of_warp = 0;
#pragma unroll
    for (u32 q = 0; q < QUADS; q++) {
        const u32 sum = quads[q].x + quads[q].y + quads[q].z + quads[q].w;
        const u32 upto = inclusive_scan_of_warp(sum);
        before[q] = sum_of_warp + upto - sum;
        sum_of_warp += __shfl_sync(0xffffffffu, upto, WARP - 1);
    }
    if (lane_of_thread() == 0) warp_sums[warp_of_thread()] = sum_of_warp;
    __syncthreads();
    u32 before_warp = 0, sum_of_tile = 0;
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp_of_thread()) before_warp += warp_sums[w];
        sum_of_tile += warp_sums[w];
    }
    if (warp_of_thread() == 0) {
        const u32 before_all = tell_and_look(told, tile, sum_of_tile);
        if (lane_of_thread() == 0) {
            before_tile = before_all;
            if ((u64)(tile + 1) * TILE >= n) sums[n] = before_all + sum_of_tile;
        }
    }
    __syncthreads();
#pragma unroll
    for (u32 q = 0; q < QUADS; q++) {
        const u64 at = first + q * ROUND;
        const u32 x = before_tile + before_warp + before[q];
        const u32 y = x + quads[q].x, z = y + quads[q].y, w = z + quads[q].z;
        if (at + 4 <= n) {
            *(Quad*)(sums + at) = {x, y, z, w};
        } else {
            if (at < n) sums[at] = x;
            if (at + 1 < n) sums[at + 1] = y;
            if (at + 2 < n) sums[at + 2] = z;
        }
    }
}
