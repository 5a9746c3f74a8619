// Coefficients sampled from volumes and stored with the tiles.
//
// The counterpart of StationaryValues::evaluate in src/levelset/tiled/stationary_coefficients.rs.
// Products and sums are not fused in any precision, so the stored values are bitwise identical to
// those of the CPU.
//
// variants: REAL=double | REAL=float
// variants: TILE_EDGE=4 | TILE_EDGE=8
#include "generated/tile_components.cuh"
#define BLOCK_THREADS VOLUMES_BLOCK
#include "primitives/block.cuh"
#include "tiles/components.cuh"
#include "tiles/grid.cuh"
#include "tiles/stationary_values.cuh"

enum { E = TILE_EDGE, TILE_VALUES = E * E * E, MOST_COMPONENTS = 3 };

// The number of blocks for which a multiprocessor must have enough registers. Without this limit,
// the compiler assumes more blocks and spills registers.
enum { BLOCKS = 8 };

// The largest |value| of any component, the largest sum of |values| over the components of a voxel,
// and the smallest value, or 0 if all values are positive.
struct Extremes {
    real largest, most, least;
    real wrong;  // NaN if a value is not finite

    DEVICE void join(real largest2, real most2, real least2, real wrong2) {
        largest = larger(largest2, largest);
        most = larger(most2, most);
        least = smaller(least2, least);
        wrong = wrong + wrong2;
    }
};

// Returns the extremes over all threads of the block.
DEVICE Extremes joined(Extremes mine) {
    __shared__ Extremes of_warps[WARPS];
    const u32 all = 0xffffffffu;
    for (u32 by = WARP / 2; by > 0; by /= 2) {
        const real largest = __shfl_xor_sync(all, mine.largest, by), most = __shfl_xor_sync(all, mine.most, by);
        const real least = __shfl_xor_sync(all, mine.least, by), wrong = __shfl_xor_sync(all, mine.wrong, by);
        mine.join(largest, most, least, wrong);
    }
    // All threads must have read the extremes of the previous tile before they are overwritten.
    __syncthreads();
    if (lane_of_thread() == 0) of_warps[warp_of_thread()] = mine;
    __syncthreads();
    Extremes found = of_warps[0];
    for (u32 k = 1; k < WARPS; k++) {
        found.join(of_warps[k].largest, of_warps[k].most, of_warps[k].least, of_warps[k].wrong);
    }
    return found;
}

// Computes a coefficient on the tiles that the last change to the tile set created, or on all
// tiles.
// Grid: any number of blocks, each of which processes one tile at a time. Block: BLOCK threads.
// Shared memory: static.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
tiles_volumes(TileGrid g, StationaryValues kept, Components components, u32 of_all) {
    // Each thread accesses only the values of its own voxels.
    __shared__ real values[MOST_COMPONENTS * TILE_VALUES];
    const TileControl& c = *g.control;
    if (is_paused(c) && !of_all) return;
    const u32 list = c.list, n = of_all ? c.n_tiles : c.created;
    for (u32 tile = blockIdx.x; tile < n; tile += gridDim.x) {
        const u32 p = of_all ? tile : position_of_created(g, tile);
        const u64 key = g.keys[list][p];
        const u32 id = g.ids[list][p];
        Extremes mine = {R(0), R(0), R(0), R(0)};
        for (u32 voxel = threadIdx.x; voxel < TILE_VALUES; voxel += BLOCK) {
            const u32 place[3] = {voxel % E, voxel / E % E, voxel / (E * E)};
            double x[3];
            for (u32 k = 0; k < 3; k++) {
                x[k] = components.origin[k] + components.dx * (double)(coordinate_of(key, k) * E + (i32)place[k]);
            }
            real sum = R(0);
            for (u32 k = 0; k < components.n; k++) {
                const real value = component_at(components.of[k], x);
                values[k * TILE_VALUES + voxel] = value;
                sum = sum + fabs(value);
                mine.join(fabs(value), R(0), value, value * R(0));
            }
            mine.most = larger(sum, mine.most);
        }
        const Extremes found = joined(mine);
        const real up = found.largest > R(0) ? R(KEPT_MOST) / found.largest : R(0);
        short* out = kept.values + (u64)id * components.n * TILE_VALUES;
        for (u32 voxel = threadIdx.x; voxel < TILE_VALUES; voxel += BLOCK) {
            for (u32 k = 0; k < components.n; k++) {
                const u32 at = k * TILE_VALUES + voxel;
                out[at] = kept_from(values[at] * up);
            }
        }
        if (threadIdx.x != 0) continue;
        extreme_of(kept, id, KEPT_UNIT) = found.largest / R(KEPT_MOST) + found.wrong;
        extreme_of(kept, id, KEPT_LARGEST) = found.most + found.wrong;
        extreme_of(kept, id, KEPT_LEAST) = found.least + found.wrong;
    }
}
