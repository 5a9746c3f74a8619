// Kernels that read the values of a dense volume: bits of its voxels, and vertices of its surface.
// The counterpart of src/surface/isosurface/{masks,generate,gradient}.rs, with bitwise identical
// results.
//
// Defines: STORED, the type of stored values. IS_WHOLE, 1 if all values of the type are finite.
// NORMALS, 1 to compute normals.
//
// variants: STORED=float, IS_WHOLE=0
//     | STORED=double, IS_WHOLE=0 | STORED=unsigned char, IS_WHOLE=1 | STORED=short, IS_WHOLE=1
//     | STORED=long long, IS_WHOLE=1
// variants: NORMALS=0 | NORMALS=1
#define BLOCK_THREADS 128
#include "surface/bit_rows.cuh"

typedef STORED stored;

// The number of blocks that should be resident on a multiprocessor.
#define VERTEX_BLOCKS (NORMALS ? 4 : 7)

enum {
    // The number of words that a warp loads at the same time.
    UNDER_WAY = 8,
    // The number of crossings that a warp lists at a time.
    LISTED = 512,
};

DEVICE stored number_of(u64 bits) { return *(const stored*)&bits; }

// Computes, for the 32 words that start at `first`, the bits of the voxels that are inside and the
// bits of those without a finite value. Each lane gets one word. `load` loads the voxel of this
// lane in a word, and returns whether the voxel exists. The whole warp must call this function.
template <typename Load>
DEVICE void find_bits(const Surface& s, u64 first, const Load& load) {
    const stored low = number_of(s.range[0]), high = number_of(s.range[1]);
    const u32 full = 0xffffffffu, lane = lane_of_thread();
    const u64 n_words = (u64)s.words * s.size[1] * s.size[2];
    u32 inside = 0, missing = 0;
    for (u32 begin = 0; begin < 32; begin += UNDER_WAY) {
        stored v[UNDER_WAY];
        u32 is_there = 0;
        bool is_bad = false;
#pragma unroll
        for (u32 k = 0; k < UNDER_WAY; k++) is_there |= (u32)load(begin + k, v[k]) << k;
#pragma unroll
        for (u32 k = 0; k < UNDER_WAY; k++) {
            const u32 bits = __ballot_sync(full, (is_there >> k & 1) && v[k] >= low && v[k] <= high);
            if (lane == begin + k) inside = bits;
            is_bad = is_bad || (!IS_WHOLE && !(v[k] - v[k] == (stored)0));
        }
#if !IS_WHOLE
        if (!__any_sync(full, is_bad)) continue;
#pragma unroll
        for (u32 k = 0; k < UNDER_WAY; k++) {
            const u32 bits = __ballot_sync(full, (is_there >> k & 1) && !(v[k] - v[k] == (stored)0));
            if (lane == begin + k) missing = bits;
        }
#endif
    }
    if (first + lane >= n_words) return;
    s.inside[first + lane] = inside;
    if (IS_WHOLE) return;
    s.missing[first + lane] = missing;
    if (missing) atomicOr(&s.totals->has_missing, 1u);
}

// Finds the voxels that are inside, and those without a finite value.
//
// Grid: any. Block: 128 threads.
extern "C" __global__ void __launch_bounds__(BLOCK) surface_masks(Surface s) {
    const stored* values = (const stored*)s.values;
    const u32 lane = lane_of_thread();
    const u64 n_words = (u64)s.words * s.size[1] * s.size[2], n_warps = (u64)gridDim.x * WARPS;
    const bool is_even = s.layers == 0 && s.shape[0] % 32 == 0;
    for (u64 first = ((u64)blockIdx.x * WARPS + warp_of_thread()) * 32; first < n_words; first += n_warps * 32) {
        if (is_even && first + 32 <= n_words) {
            // Words are stored in the same order as voxels.
            const stored* from = values + first * 32 + lane;
            find_bits(s, first, [&](u32 k, stored& v) {
                v = from[k * 32];
                return true;
            });
            continue;
        }
        const u32 row = (u32)(first / s.words);
        u32 w = (u32)(first % s.words), y = row % s.size[1], z = row / s.size[1];
        find_bits(s, first, [&](u32, stored& v) {
            // An index below 0 wraps around, so it is also beyond the end.
            const u32 x_in = w * 32 + lane - s.layers, y_in = y - s.layers, z_in = z - s.layers;
            const bool is = x_in < s.shape[0] && y_in < s.shape[1] && z_in < s.shape[2];
            v = 0;
            if (is) v = values[((u64)z_in * s.shape[1] + y_in) * s.shape[0] + x_in];
            if (++w == s.words) {
                w = 0;
                if (++y == s.size[1]) {
                    y = 0;
                    z++;
                }
            }
            return is;
        });
    }
}

// Computes phi at a voxel. Its indices include the layers that are added around the volume. Returns
// false in such a layer.
DEVICE bool phi_at(const Surface& s, u32 x, u32 y, u32 z, double& phi) {
    const u32 x_in = x - s.layers, y_in = y - s.layers, z_in = z - s.layers;
    phi = 0.0;
    if (!(x_in < s.shape[0] && y_in < s.shape[1] && z_in < s.shape[2])) return false;
    const stored v = ((const stored*)s.values)[((u64)z_in * s.shape[1] + y_in) * s.shape[0] + x_in];
    const double value = s.is_scaled ? s.slope * (double)v + s.intercept : (double)v;
    phi = s.level - value;
    return true;
}

#if NORMALS
// Computes the gradient of phi at a voxel, in units of phi per voxel. Returns false in an added
// layer.
DEVICE bool gradient_at(const Surface& s, const u32 (&at)[3], double (&gradient)[3]) {
    double own;
    if (!phi_at(s, at[0], at[1], at[2], own)) return false;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        double above, below;
        const bool is_above = phi_at(s, at[0] + (k == 0), at[1] + (k == 1), at[2] + (k == 2), above);
        const bool is_below = phi_at(s, at[0] - (k == 0), at[1] - (k == 1), at[2] - (k == 2), below);
        const double spans = is_above && is_below ? 2.0 : 1.0;
        gradient[k] = ((is_above ? above : own) - (is_below ? below : own)) / spans;
    }
    return true;
}

// Computes the normalized gradient, in world coordinates, at the fraction t of the edge between two
// voxels. If one of them is in an added layer, uses the gradient at the other.
DEVICE void normal_between(const Surface& s, const u32 (&low)[3], const u32 (&high)[3], double t, double (&out)[3]) {
    double g[3] = {0.0, 0.0, 0.0}, h[3] = {0.0, 0.0, 0.0}, sum = 0.0;
    const bool is_low = gradient_at(s, low, g), is_high = gradient_at(s, high, h);
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        if (is_low && is_high) g[k] = g[k] * (1.0 - t) + h[k] * t;
        else if (!is_low) g[k] = h[k];
    }
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        out[k] = s.inverse[0][k] * g[0] + s.inverse[1][k] * g[1] + s.inverse[2][k] * g[2];
        sum = sum + out[k] * out[k];
    }
    const double length = sqrt(sum);
#pragma unroll
    for (u32 k = 0; k < 3; k++) out[k] = out[k] / length;
}
#endif

// Shared memory of a warp.
struct Room {
    double staged[3 * WARP];
    u16 list[LISTED];
};

// Writes a point (three adjacent numbers) for each of the first n lanes. `at` is the index at which
// the lane's point is stored. The whole warp must call this.
DEVICE void write_points(double* staged, double* to, const double (&point)[3], u32 at, u32 n) {
    const u32 lane = lane_of_thread();
#pragma unroll
    for (u32 k = 0; k < 3; k++) staged[3 * lane + k] = point[k];
    __syncwarp();
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const u32 j = k * WARP + lane, of = j / 3;
        const u32 first = __shfl_sync(0xffffffffu, at, of);
        if (of < n) to[3 * (u64)first + j % 3] = staged[j];
    }
    __syncwarp();
}

// Writes the n vertices of the words of a warp. For each lane, `first` holds the indices of its
// first vertices along x, y and z. Vertex v is at position v - shift[axis] of the list.
DEVICE void write_vertices(const Surface& s, Room& room, const Place& place, const Word& word,
                           const u32 (&first)[3], const u32 (&shift)[3], u32 n) {
    const u32 lane = lane_of_thread();
    for (u32 begin = 0; begin < n; begin += LISTED) {
#pragma unroll
        for (u32 axis = 0; axis < 3; axis++) {
            u32 bits = axis == 0 ? word.along_x[0] : axis == 1 ? word.along_y[0] : word.along_z[0];
            for (u32 at = first[axis] - shift[axis] - begin; bits != 0; bits &= bits - 1, at++) {
                if (at < LISTED) room.list[at] = (u16)(axis << 10 | lane << 5 | (__ffs(bits) - 1));
            }
        }
        __syncwarp();
        const u32 end = n - begin < LISTED ? n - begin : LISTED;
        for (u32 k = 0; k < end; k += WARP) {
            const u32 entry = k + lane < end ? room.list[k + lane] : room.list[k];
            const u32 axis = entry >> 10, from = entry >> 5 & 31;
            const u32 y = __shfl_sync(0xffffffffu, place.y, from), z = __shfl_sync(0xffffffffu, place.z, from);
            const u32 low[3] = {(place.first_w + from % s.lanes) * 32 + (entry & 31), y, z};
            const u32 high[3] = {low[0] + (axis == 0), low[1] + (axis == 1), low[2] + (axis == 2)};
            double a, b, t = 0.5;
            const bool is_low = phi_at(s, low[0], low[1], low[2], a);
            if (phi_at(s, high[0], high[1], high[2], b) && is_low) t = a / (a - b);
            double at[3], point[3];
#pragma unroll
            for (u32 c = 0; c < 3; c++) at[c] = axis == c ? (double)low[c] + t : (double)low[c];
#pragma unroll
            for (u32 c = 0; c < 3; c++) {
                point[c] = s.origin[c] + at[0] * s.steps[0][c] + at[1] * s.steps[1][c] + at[2] * s.steps[2][c];
            }
            const u32 number = begin + k + lane + (axis == 0 ? shift[0] : axis == 1 ? shift[1] : shift[2]);
            write_points(room.staged, s.vertices, point, number, end - k);
#if NORMALS
            normal_between(s, low, high, t, point);
            write_points(room.staged, s.normals, point, number, end - k);
#endif
        }
        __syncwarp();
    }
}

// Writes the vertices of all rows if there is room for the surface.
//
// Grid: any. Block: 128 threads.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT(VERTEX_BLOCKS)) surface_vertices(Surface s) {
    __shared__ Room rooms[WARPS];
    if (!has_room(s)) return;
    Room& room = rooms[warp_of_thread()];
    const bool has_missing = !IS_WHOLE && s.totals->has_missing;
    const u32 lanes = s.lanes, n_groups = groups_of(s), n_warps = gridDim.x * WARPS;
    for (u32 group = blockIdx.x * WARPS + warp_of_thread(); group < n_groups; group += n_warps) {
        Place place(s, group);
        const Rows rows(s, place.row, place.y, place.z);
        // Indices of the first vertices of the row along x, y and z.
        u32 first[3] = {0, 0, 0};
        if (place.is_in) {
            first[0] = s.first_vertex[place.row];
            first[1] = first[0] + s.along[2 * (u64)place.row];
            first[2] = first[0] + s.along[2 * (u64)place.row + 1];
        }
        const u32 first_of_warp = __shfl_sync(0xffffffffu, first[0], 0);
        for (; place.first_w < s.words; place.first_w += lanes) {
            const Word word = rows.word(s, place.word(s), has_missing);
            // A warp has several complete rows, in order, or a part of one row.
            u32 sums[3], n = 0, shift[3];
#pragma unroll
            for (u32 k = 0; k < 3; k++) {
                const u32 bits = k == 0 ? word.along_x[0] : k == 1 ? word.along_y[0] : word.along_z[0];
                const u32 before = sum_before(__popc(bits), lanes, sums[k]);
                shift[k] = lanes == WARP ? first[k] - n : first_of_warp;
                n += sums[k];
                first[k] += before;
                sums[k] -= before;
            }
            write_vertices(s, room, place, word, first, shift, sum_of_rows(n, lanes));
#pragma unroll
            for (u32 k = 0; k < 3; k++) first[k] += sums[k];
        }
    }
}
