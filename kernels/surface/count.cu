// Counts the crossings and triangles of each row of voxels of a dense volume, and sums them over
// all earlier rows. The counterpart of src/surface/isosurface/rows.rs.
#define BLOCK_THREADS 256
#include "surface/bit_rows.cuh"
#include "primitives/lookback.cuh"

// Counts and scans the rows in one pass: one tile of rows per block, with look-back for earlier
// tiles.
//
// Grid: one block per BLOCK rows. Block: 256 threads. Shared memory: static.
//
// cases   number of triangles of each case in the four highest bits, [256]
extern "C" __global__ void __launch_bounds__(BLOCK)
surface_count(Surface s, const u64* cases) {
    __shared__ u8 triangles_of[256];
    __shared__ u32 crossings[BLOCK], triangles[BLOCK];
    __shared__ u32 warp_sums[2][WARPS];
    __shared__ u32 tile_of_block, before_tile[2];
    if (threadIdx.x == 0) tile_of_block = atomicAdd(&s.totals->taken, 1u);
    triangles_of[threadIdx.x] = (u8)(cases[threadIdx.x] >> 60);
    __syncthreads();
    const u32 tile = tile_of_block, n_rows = s.size[1] * s.size[2];
    const bool has_missing = s.missing && s.totals->has_missing;
    // The number of lanes that share a row, and the number of rows that the block processes at a
    // time.
    const u32 lanes = s.lanes, at_a_time = BLOCK / lanes, lane = threadIdx.x % lanes;
    for (u32 first = 0; first < BLOCK; first += at_a_time) {
        const u32 slot = first + threadIdx.x / lanes;
        const u64 row = (u64)tile * BLOCK + slot;
        u32 x = 0, y = 0, z = 0, n = 0;
        if (row < n_rows) {
            const Rows rows(s, (u32)row, (u32)row % s.size[1], (u32)row / s.size[1]);
            for (u32 w = lane; w < s.words; w += lanes) {
                const Word word = rows.word(s, w, has_missing);
                x += __popc(word.along_x[0]);
                y += __popc(word.along_y[0]);
                z += __popc(word.along_z[0]);
                for (u32 cut = word.cut; cut != 0; cut &= cut - 1) {
                    n += triangles_of[case_at(word.inside, word.along_x, __ffs(cut) - 1)];
                }
            }
        }
        for (u32 by = lanes / 2; by > 0; by /= 2) {
            x += __shfl_xor_sync(0xffffffffu, x, by);
            y += __shfl_xor_sync(0xffffffffu, y, by);
            z += __shfl_xor_sync(0xffffffffu, z, by);
            n += __shfl_xor_sync(0xffffffffu, n, by);
        }
        if (lane != 0) continue;
        crossings[slot] = x + y + z;
        triangles[slot] = n;
        if (row < n_rows) {
            s.along[2 * row] = x;
            s.along[2 * row + 1] = x + y;
        }
    }
    __syncthreads();
    u32 sums[2];
    const u32 vertex = exclusive_scan_of_block(crossings[threadIdx.x], warp_sums[0], sums[0]);
    const u32 triangle = exclusive_scan_of_block(triangles[threadIdx.x], warp_sums[1], sums[1]);
    if (warp_of_thread() == 0) {
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            const u32 before = tell_and_look(s.told + (u64)k * gridDim.x, tile, sums[k]);
            if (threadIdx.x == 0) before_tile[k] = before;
        }
        if (threadIdx.x == 0) {
            // The totals may need more than 32 bits. In that case, the host rejects the surface.
            atomicAdd(&s.totals->vertices, (u64)sums[0]);
            atomicAdd(&s.totals->triangles, (u64)sums[1]);
        }
    }
    __syncthreads();
    const u64 row = (u64)tile * BLOCK + threadIdx.x;
    if (row >= n_rows) return;
    s.first_vertex[row] = before_tile[0] + vertex;
    s.first_triangle[row] = before_tile[1] + triangle;
}
