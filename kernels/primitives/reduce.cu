// One value of many: the sum, the least or the largest, by tiles whose order neither the GPU nor the run changes; twin of
// crates/core/src/primitives/reduce.rs, which adds numbers with rounding in another order.
//
// Define: VALUE, the type of the numbers. Values that are no number are neither least nor largest.
//
// variants: VALUE=u32 | VALUE=u64 | VALUE=float | VALUE=double
#include "primitives/block.cuh"

// Loads of a thread, of 16 bytes each.
enum { LANES = 16 / sizeof(VALUE), LOADS = 8, TILE = BLOCK * LANES * LOADS };
static_assert(TILE * sizeof(VALUE) == REDUCE_BYTES, "as many as the program counts on");

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

// The value of a tile; `identity` changes nothing.
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
        // The same order, as far as there are values.
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

// of_tiles[t] = sum of the values of tile t; whole numbers wrap around.
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

// The same with the least value.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
reduce_least(const VALUE* values, u64 n, VALUE identity, VALUE* of_tiles) {
    __shared__ VALUE of_warps[WARPS];
    reduce_tile<Least>(values, n, identity, of_tiles, of_warps);
}

// The same with the largest value.
extern "C" __global__ void __launch_bounds__(BLOCK, 2)
reduce_largest(const VALUE* values, u64 n, VALUE identity, VALUE* of_tiles) {
    __shared__ VALUE of_warps[WARPS];
    reduce_tile<Largest>(values, n, identity, of_tiles, of_warps);
}
