// Marching cubes over the tiles of a sparse grid. The counterpart of
// src/surface/cubes/{block_cubes,extract}.rs, with the same vertices and triangles in the same
// order. A warp processes a tile.
//
// A cube belongs to the first tile that contains one of its corners. A crossing belongs to the tile
// that contains the lower end of its edge. If that tile is missing, the crossing belongs to the
// tile that contains the upper end.
//
// variants: REAL=double | REAL=float
// variants: TILE_EDGE=4 | TILE_EDGE=8 | TILE_EDGE=4, STORAGE=16
#define BLOCK_THREADS 128
#include "surface/cubes/crossings.cuh"
#include "surface/cubes/tile.cuh"
#include "surface/cubes/write.cuh"

// Counts the vertices and triangles of each tile.
//
// Grid: any. Block: 128 threads.
//
// cases   edge of each triangle corner, 4 bits; number of triangles in the 4 highest bits, [256]
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(4)) cubes_count(TileGrid g, TileSurface s, const u64* cases) {
    __shared__ Room rooms[WARPS];
    __shared__ u8 triangles_of[256];
    for (u32 k = threadIdx.x; k < 256; k += BLOCK) triangles_of[k] = (u8)(cases[k] >> 60);
    __syncthreads();
    const u32 n_tiles = g.control->n_tiles, n_warps = gridDim.x * WARPS;
    u64 all_vertices = 0, all_triangles = 0;
    bool is_cut_off = false;
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < n_tiles; p += n_warps) {
        const Block b(g, s, rooms[warp_of_thread()], p);
        u32 vertices = 0, triangles = 0;
        if (b.read()) {
            vertices = mark_crossings(b);
            for (u32 k = lane_of_thread(); k < RECORD; k += WARP) s.records[(u64)p * RECORD + k] = b.room.record[k];
            for (u32 row = lane_of_thread(); row < CUBE_ROWS; row += WARP) {
                const Cubes cubes(b, row);
                for (u32 cut = cubes.cut; cut != 0; cut &= cut - 1) {
                    triangles += triangles_of[cubes.case_at(__ffs(cut) - 1)];
                }
                is_cut_off = is_cut_off || cubes.cut_off != 0;
            }
            __syncwarp();
            for (u32 by = WARP / 2; by > 0; by /= 2) triangles += __shfl_xor_sync(0xffffffffu, triangles, by);
        }
        if (lane_of_thread() == 0) {
            s.vertices_of[p] = vertices;
            s.triangles_of[p] = triangles;
        }
        all_vertices += vertices;
        all_triangles += triangles;
    }
    if (is_cut_off) atomicOr(&s.found->is_cut_off, 1u);
    if (lane_of_thread() == 0 && all_vertices + all_triangles > 0) {
        atomicAdd(&s.found->vertices, all_vertices);
        atomicAdd(&s.found->triangles, all_triangles);
    }
}

// Writes the vertices and triangles of each tile.
//
// Grid: any. Block: 128 threads.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(4)) cubes_generate(TileGrid g, TileSurface s, const u64* cases) {
    __shared__ Room rooms[WARPS];
    __shared__ u64 all_cases[256];
    for (u32 k = threadIdx.x; k < 256; k += BLOCK) all_cases[k] = cases[k];
    __syncthreads();
    const u32 n_tiles = g.control->n_tiles, n_warps = gridDim.x * WARPS;
    for (u32 p = blockIdx.x * WARPS + warp_of_thread(); p < n_tiles; p += n_warps) {
        const bool has_vertices = s.first_vertex[p + 1] != s.first_vertex[p];
        if (!has_vertices && s.first_triangle[p + 1] == s.first_triangle[p]) continue;
        const Block b(g, s, rooms[warp_of_thread()], p);
        b.read();
        for (u32 k = lane_of_thread(); k < RECORD; k += WARP) b.room.record[k] = s.records[(u64)p * RECORD + k];
        __syncwarp();
        if (has_vertices) write_vertices(b, g.keys[b.list][p]);
        write_triangles(b, all_cases);
        __syncwarp();
    }
}
