// A pyramid over cubes, the counterpart of crates/view/src/render/occupancy_pyramid.rs. Each node
// states whether any of the 2 x 2 x 2 nodes below it is occupied.
#include "common/types.cuh"

// Computes one level from the level below.
//
// Grid and block: any number of threads, which share the nodes of the new level. Shared memory:
// none.
//
// below  [bz][by][bx]
// above  [bz / 2][by / 2][bx / 2], rounded up
extern "C" __global__ void pyramid_level(const u8* below, u32 bx, u32 by, u32 bz, u8* above) {
    const u32 nx = (bx + 1) / 2, ny = (by + 1) / 2, nz = (bz + 1) / 2;
    const u64 n = (u64)nx * ny * nz, threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const u32 x = 2 * (u32)(i % nx), y = 2 * (u32)(i / nx % ny), z = 2 * (u32)(i / nx / ny);
        u32 any = 0;
        for (u32 k = 0; k < 8; k++) {
            const u32 cx = x + (k & 1), cy = y + (k >> 1 & 1), cz = z + (k >> 2);
            if (cx < bx && cy < by && cz < bz) any |= below[cx + (u64)bx * (cy + (u64)by * cz)];
        }
        above[i] = any ? 1 : 0;
    }
}
