// Reduction of many values to one: their sum, minimum or maximum. The order of operations is fixed
// by the tiles and depends neither on the GPU nor on the run. The counterpart,
// crates/core/src/primitives/reduce.rs, adds floating-point numbers in a different order.
//
// Defines: VALUE, the type of the numbers. NaN values are ignored by the minimum and the maximum.
//
// variants: VALUE=u32 | VALUE=u64 | VALUE=float | VALUE=double
#include "primitives/block.cuh"

// A thread loads LANES values (16 bytes) at once, LOADS times.
enum { LANES = 16 / sizeof(VALUE), LOADS = 8, TILE = BLOCK * LANES * LOADS };
static_assert(TILE * sizeof(VALUE) == REDUCE_BYTES, "must match the size that the host assumes");

// Values that are loaded at once.
struct __align__(16) Pack {
    VALUE values[LANES];
};

struct Sum {
    static DEVICE VALUE of(VALUE a, VALUE b) { return a + b; }
};

struct Least {
    static DEVICE VALUE of(VALUE a, VALUE b) { return b < a ? b : a; }
};

struct Largest {
    static DEVICE VALUE of(VALUE a, VALUE b) { return b > a ? b : a; }
};

// Reduces a tile to one value. `identity` must be the neutral element of `Combine`.
template <typename Combine>
DEVICE void reduce_tile(const VALUE* values, u64 n, VALUE identity, VALUE* of_tiles, VALUE* of_warps) {
    const u64 first = (u64)blockIdx.x * TILE;
    VALUE all = identity;
    if (first + TILE <= n) {
        Pack packs[LOADS];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) packs[k] = ((const Pack*)(values + first))[k * BLOCK + threadIdx.x];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
#pragma unroll
            for (u32 i = 0; i < LANES; i++) all = Combine::of(all, packs[k].values[i]);
        }
    } else {
        // In an incomplete tile, use the same order for the values that exist.
        for (u32 k = 0; k < LOADS; k++) {
            for (u32 i = 0; i < LANES; i++) {
                const u64 at = first + (k * BLOCK + threadIdx.x) * LANES + i;
                if (at < n) all = Combine::of(all, values[at]);
            }
        }
    }
    for (u32 by = WARP / 2; by > 0; by /= 2) all = Combine::of(all, __shfl_down_sync(0xffffffffu, all, by));
    if (lane_of_thread() == 0) of_warps[warp_of_thread()] = all;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 w = 1; w < WARPS; w++) all = Combine::of(all, of_warps[w]);
        of_tiles[blockIdx.x] = all;
    }
}

// Computes of_tiles[t] = sum of the values of tile t. Integers wrap around.
//
// Grid: one block per TILE values. Block: 256 threads. Shared memory: 8 values.
//
// values    [n], aligned to 16 bytes
// of_tiles  [tiles]
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
reduce_sum(const VALUE* values, u64 n, VALUE identity, VALUE* of_tiles) {
    __shared__ VALUE of_warps[WARPS];
    reduce_tile<Sum>(values, n, identity, of_tiles, of_warps);
}

// Computes the minimum of the values of each tile. The arguments are those of reduce_sum.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
reduce_least(const VALUE* values, u64 n, VALUE identity, VALUE* of_tiles) {
    __shared__ VALUE of_warps[WARPS];
    reduce_tile<Least>(values, n, identity, of_tiles, of_warps);
}

// Computes the maximum of the values of each tile, with the arguments of reduce_sum.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
reduce_largest(const VALUE* values, u64 n, VALUE identity, VALUE* of_tiles) {
    __shared__ VALUE of_warps[WARPS];
    reduce_tile<Largest>(values, n, identity, of_tiles, of_warps);
}
