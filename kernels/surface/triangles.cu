// Writes the triangles of the surface of a dense volume, using only the bits of its voxels. The
// counterpart of src/surface/isosurface/generate.rs, with the same triangles in the same order.
#define BLOCK_THREADS 128
#include "surface/bit_rows.cuh"

enum {
    // The number of cubes that a warp lists at a time.
    LISTED = 512,
    // The number of vertex indices stored per cube. This is one more than a cube has edges, so that
    // lanes use different banks.
    KEPT = 13,
    // The largest number of corners of the triangles of a cube.
    MOST_CORNERS = 15,
    // The number of blocks that should be resident on a multiprocessor.
    TRIANGLE_BLOCKS = 6,
};

// Shared memory of a warp.
struct Room {
    u32 corners[MOST_CORNERS * WARP];
    u32 on_edge[KEPT * WARP];
    u16 list[LISTED];
};

// Writes the triangles of the words of a warp, starting at index `at`, and returns how many there
// are. `xs`, `ys` and `zs` are the indices of the first vertices in the words of each lane.
DEVICE u32 write_triangles(const Surface& s, Room& room, const u64* cases, const Word& word, const u32 (&xs)[4],
                           const u32 (&ys)[2], const u32 (&zs)[2], u32 at) {
    const u32 full = 0xffffffffu, lane = lane_of_thread(), start = at;
    const u32 own = __popc(word.cut), upto = inclusive_scan_of_warp(own);
    const u32 n = __shfl_sync(full, upto, WARP - 1);
    u32* on_edge = room.on_edge + KEPT * lane;
    for (u32 begin = 0; begin < n; begin += LISTED) {
        u32 place = upto - own - begin;
        for (u32 cut = word.cut; cut != 0; cut &= cut - 1, place++) {
            if (place < LISTED) room.list[place] = (u16)(lane << 5 | (__ffs(cut) - 1));
        }
        __syncwarp();
        const u32 end = n - begin < LISTED ? n - begin : LISTED;
        for (u32 k = 0; k < end; k += WARP) {
            const u32 entry = k + lane < end ? room.list[k + lane] : room.list[k];
            const u32 from = entry >> 5, bit = entry & 31;
            const u32 before = (1u << bit) - 1, with = before << 1 | 1;
            u32 inside[4], along_x[4];
            // Edges are in the order of their numbers: along x at (y, z), along y at (z, x), along
            // z at (x, y).
#pragma unroll
            for (u32 r = 0; r < 4; r++) {
                inside[r] = __shfl_sync(full, word.inside[r], from);
                along_x[r] = __shfl_sync(full, word.along_x[r], from);
                on_edge[r] = __shfl_sync(full, xs[r], from) + __popc(along_x[r] & before);
            }
#pragma unroll
            for (u32 r = 0; r < 2; r++) {
                const u32 along_y = __shfl_sync(full, word.along_y[r], from), y = __shfl_sync(full, ys[r], from);
                const u32 along_z = __shfl_sync(full, word.along_z[r], from), z = __shfl_sync(full, zs[r], from);
                on_edge[4 + r] = y + __popc(along_y & before);
                on_edge[6 + r] = y + __popc(along_y & with);
                on_edge[8 + 2 * r] = z + __popc(along_z & before);
                on_edge[9 + 2 * r] = z + __popc(along_z & with);
            }
            u64 edges = cases[case_at(inside, along_x, bit)];
            const u32 count = k + lane < end ? 3 * (u32)(edges >> 60) : 0;
            const u32 after = inclusive_scan_of_warp(count);
            for (u32 c = after - count; c < after; c++, edges >>= 4) room.corners[c] = on_edge[edges & 15];
            __syncwarp();
            const u32 total = __shfl_sync(full, after, WARP - 1);
            for (u32 c = lane; c < total; c += WARP) s.triangles[3 * (u64)at + c] = room.corners[c];
            at += total / 3;
            __syncwarp();
        }
    }
    return at - start;
}

// Writes the triangles of all rows if there is room for the surface.
//
// Grid: any. Block: 128 threads.
//
// cases   edge of each triangle corner, 4 bits; number of triangles in the 4 highest bits, [256]
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(TRIANGLE_BLOCKS))
surface_triangles(Surface s, const u64* cases) {
    __shared__ Room rooms[WARPS];
    __shared__ u64 all_cases[256];
    if (!has_room(s)) return;
    for (u32 k = threadIdx.x; k < 256; k += BLOCK) all_cases[k] = cases[k];
    __syncthreads();
    Room& room = rooms[warp_of_thread()];
    const bool has_missing = s.missing && s.totals->has_missing;
    const u32 lanes = s.lanes, n_groups = groups_of(s), n_warps = gridDim.x * WARPS;
    for (u32 group = blockIdx.x * WARPS + warp_of_thread(); group < n_groups; group += n_warps) {
        Place place(s, group);
        const Rows rows(s, place.row, place.y, place.z);
        // Indices of the first vertices of four rows along x, of two rows along y, and of two along
        // z.
        u32 xs[4], ys[2], zs[2];
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            const bool is = place.is_in && rows.is_in >> k & 1;
            xs[k] = is ? s.first_vertex[rows.row[k]] : 0;
            if (k % 2 == 0) ys[k / 2] = xs[k] + (is ? s.along[2 * (u64)rows.row[k]] : 0);
            if (k < 2) zs[k] = xs[k] + (is ? s.along[2 * (u64)rows.row[k] + 1] : 0);
        }
        u32 triangle = s.first_triangle[group * (WARP / lanes)];
        for (; place.first_w < s.words; place.first_w += lanes) {
            const Word word = rows.word(s, place.word(s), has_missing);
            // The numbers of crossings of this lane, packed in pairs.
            const u32 counts[4] = {
                (u32)__popc(word.along_x[0]) | (u32)__popc(word.along_x[1]) << 16,
                (u32)__popc(word.along_x[2]) | (u32)__popc(word.along_x[3]) << 16,
                (u32)__popc(word.along_y[0]) | (u32)__popc(word.along_y[1]) << 16,
                (u32)__popc(word.along_z[0]) | (u32)__popc(word.along_z[1]) << 16,
            };
            u32 after[4];
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                const u32 before = sum_before(counts[k], lanes, after[k]);
                after[k] -= before;
                u32& low = k < 2 ? xs[2 * k] : k == 2 ? ys[0] : zs[0];
                u32& high = k < 2 ? xs[2 * k + 1] : k == 2 ? ys[1] : zs[1];
                low += before & 0xffff;
                high += before >> 16;
            }
            triangle += write_triangles(s, room, all_cases, word, xs, ys, zs, triangle);
            // Advance to the next words of the rows.
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                u32& low = k < 2 ? xs[2 * k] : k == 2 ? ys[0] : zs[0];
                u32& high = k < 2 ? xs[2 * k + 1] : k == 2 ? ys[1] : zs[1];
                low += after[k] & 0xffff;
                high += after[k] >> 16;
            }
        }
    }
}
