// Directed distances at the vertices around seed cubes. The counterpart of
// src/reconstruct/directed/field.rs.
//
// The order is field_reached, a sort, the search for runs (seeds.cu), field_around, field_values.
#include "reconstruct/directed/lattice.cuh"

// The number of cubes, along one axis, whose rings contain vertices of a tile. They start two cubes
// below the tile and end one cube above it.
enum : u32 { REACHED = EDGE + 3 };

// Writes the keys of the tiles that contain vertices of the rings of the seed cubes of a tile.
// Unused entries repeat the key of the tile itself.
//
// Grid: one warp per tile with seeds. Block: 512 threads. Shared memory: none.
//
// keys  [tiles.n][27]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
field_reached(Lattice lattice, Runs cubes, Runs tiles, u64* keys) {
    const u32 lane = lane_of_thread();
    const u64 t = (u64)blockIdx.x * WARPS + warp_of_thread();
    if (t >= tiles.n) return;
    u32 reached = 0;
    for (u32 k = tiles.starts[t] + lane; k < tiles.starts[t + 1]; k += WARP) {
        const Place at = within((u32)cubes.keys[k] % VERTICES);
        // Bit s + 1 stands for the tile at offset s along an axis. The vertices of the ring of cube
        // i have the indices i - 1 to i + 2 along this axis.
        const u32 x = at.x == 0 ? 3 : at.x >= 6 ? 6 : 2;
        const u32 y = at.y == 0 ? 3 : at.y >= 6 ? 6 : 2;
        const u32 z = at.z == 0 ? 3 : at.z >= 6 ? 6 : 2;
        for (u32 d = 0; d < 27; d++) reached |= (x >> d % 3 & y >> d / 3 % 3 & z >> d / 9 & 1) << d;
    }
    for (u32 by = WARP / 2; by > 0; by /= 2) reached |= __shfl_xor_sync(0xffffffffu, reached, by);
    const u64 own = tiles.keys[t];
    if (lane < 27) {
        const Place tile = beside(tile_of(lattice, own), step(lane));
        keys[27 * t + lane] = reached >> lane & 1 ? tile_key(lattice, tile) : own;
    }
}

// Finds the tiles around each tile, including the tile itself.
//
// Grid and block: any number of threads, which share the neighbors. Shared memory: none.
//
// keys    keys of all tiles, ascending, [n]
// around  [n][27]
extern "C" __global__ void field_around(Lattice lattice, const u64* keys, u32 n, u32* around) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < 27 * (u64)n; i += threads) {
        const u32 t = (u32)(i / 27), d = (u32)(i % 27);
        const Place tile = beside(tile_of(lattice, keys[t]), step(d));
        around[i] = is_below_zero(tile) ? NONE : position_of(keys, n, tile_key(lattice, tile));
    }
}

// Finds the sample nearest to each vertex, and the signed distance of the vertex from the tangent
// plane of that sample, positive on the side of its normal. If several samples are equally near,
// the first one in the cloud is used.
//
// Grid: one block per tile. Block: 512 threads. Shared memory: 11 KB.
//
// keys     keys of the tiles, [n]
// values   NaN far from all samples, [n][512]
// nearest  indices into the sorted samples, [n][512]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
field_values(Lattice lattice, Samples samples, Runs cubes, Runs tiles, const u64* keys, float* values, u32* nearest) {
    // The index range of the samples of each cube.
    __shared__ u32 begin[REACHED * REACHED * REACHED];
    __shared__ u32 end[REACHED * REACHED * REACHED];
    for (u32 k = threadIdx.x; k < REACHED * REACHED * REACHED; k += BLOCK) begin[k] = end[k] = 0;
    const Place tile = tile_of(lattice, keys[blockIdx.x]);
    __syncthreads();
    for (u32 d = warp_of_thread(); d < 27; d += WARPS) {
        const Place by = step(d);
        const Place other = beside(tile, by);
        if (is_below_zero(other)) continue;
        const u32 t = position_of(tiles.keys, (u32)tiles.n, tile_key(lattice, other));
        if (t == NONE) continue;
        const u32 last = tiles.starts[t + 1];
        for (u32 k = tiles.starts[t] + lane_of_thread(); k < last; k += WARP) {
            const Place at = within((u32)cubes.keys[k] % VERTICES);
            // Coordinates start two cubes below the tile.
            const u32 x = (u32)(at.x + 8 * by.x + 2), y = (u32)(at.y + 8 * by.y + 2), z = (u32)(at.z + 8 * by.z + 2);
            if (x >= REACHED || y >= REACHED || z >= REACHED) continue;
            const u32 cube = x + REACHED * (y + REACHED * z);
            begin[cube] = cubes.starts[k];
            end[cube] = cubes.starts[k + 1];
        }
    }
    __syncthreads();

    const Place at = within(threadIdx.x);
    const double ox = (double)(tile.x * (i32)EDGE), oy = (double)(tile.y * (i32)EDGE), oz = (double)(tile.z * (i32)EDGE);
    const double x = (double)at.x, y = (double)at.y, z = (double)at.z;
    double least = __longlong_as_double(0x7ff0000000000000ll);
    u32 found = NONE;
    // The rings of these cubes contain the vertex: from two cubes below it to one cube above it.
    for (u32 ring = 0; ring < 64; ring++) {
        const u32 cube = (at.x + ring % 4) + REACHED * ((at.y + ring / 4 % 4) + REACHED * (at.z + ring / 16));
        const u32 last = end[cube];
        for (u32 k = begin[cube]; k < last; k++) {
            const double* point = samples.places + 3 * (u64)k;
            const double dx = x - (point[0] - ox), dy = y - (point[1] - oy), dz = z - (point[2] - oz);
            const double distance2 = (dz * dz + dy * dy) + dx * dx;
            if (distance2 < least || (distance2 == least && samples.numbers[k] < samples.numbers[found])) {
                least = distance2;
                found = k;
            }
        }
    }
    float value = __uint_as_float(0x7fc00000u);
    if (found != NONE) {
        const Vector normal = normal_of(samples.normals, samples.numbers[found]);
        const double* point = samples.places + 3 * (u64)found;
        const double along_x = (ox + x - point[0]) * normal.x, along_y = (oy + y - point[1]) * normal.y;
        value = (float)((along_x + along_y) + (oz + z - point[2]) * normal.z);
    }
    const u64 vertex = (u64)blockIdx.x * VERTICES + threadIdx.x;
    values[vertex] = value;
    nearest[vertex] = found;
}
