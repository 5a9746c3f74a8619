// The octree of a cloud, bitwise identical to src/reconstruct/potential/octree.rs.
//
//   keys      the Morton key of the cell of each point, by which the host sorts
//   samples   positions in the order of the keys, and a bit for the first sample of each cell
//   sums      sums of the positions before each sample, as integers in units of 1 / PARTS voxel,
//             so that the sum of a node is exactly the difference of two sums
//   counts    the number of nodes that begin at each cell, which the host sums
//   nodes     the nodes of each cell, then their centroids
//   cubes     the number of cubes in a level that contain samples
//
// Block: 256 threads.
#include "common/types.cuh"
#include "primitives/block.cuh"
#include "generated/potential.cuh"
#include "reconstruct/octree_nodes.cuh"

// Sums are integers in units of 1 / PARTS voxel.
#define PARTS 262144.0

// The number of samples that a thread sums. SUMMED is the number for a block.
enum { EACH = SUMMED / BLOCK };

// Sums of the three coordinates, modulo 2^64.
struct Places {
    u64 at[3];

    DEVICE void add(const Places& other) {
#pragma unroll
        for (u32 k = 0; k < 3; k++) at[k] += other.at[k];
    }
};

// Converts a coordinate to an offset from the center of the cube, in voxels of the finest level.
DEVICE double voxel_of(const Frame& frame, double x, u32 axis) { return (x - frame.middle[axis]) / frame.voxel; }

// Spreads the lowest 21 bits, with two zero bits between neighbors.
DEVICE u64 spread(u32 axis) {
    u64 x = axis & 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

// Computes the Morton key of the cell of each point.
//
// Grid: any number of blocks, which share the points.
//
// points  [n][3]
// keys    [n]
extern "C" __global__ void __launch_bounds__(BLOCK) octree_keys(const double* points, u32 n, Frame frame, u64* keys) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        u64 key = 0;
        for (u32 k = 0; k < 3; k++) {
            const double cell = floor(voxel_of(frame, points[3 * i + k], k) + frame.half);
            const u32 at = cell >= frame.most ? frame.most : cell > 0.0 ? (u32)cell : 0;
            key |= spread(at) << k;
        }
        keys[i] = key;
    }
}

// Converts the points, in the order of the keys, to voxels of the finest level, and marks the first
// sample of each cell.
//
// Grid: any number of blocks, which share the points.
//
// points   [n][3]
// keys     ascending, [n]
// order    index of the point of each key, [n]
// samples  [n][3]
// firsts   one bit per sample, [(n + 31) / 32]
extern "C" __global__ void __launch_bounds__(BLOCK)
octree_samples(const double* points, u32 n, Frame frame, const u64* keys, const u32* order, float* samples,
               u32* firsts) {
    const u64 threads = (u64)gridDim.x * BLOCK, all = ((u64)n + WARP - 1) / WARP * WARP;
    for (u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x; i < all; i += threads) {
        bool is_first = false;
        if (i < n) {
            const u64 point = order[i];
            for (u32 k = 0; k < 3; k++) {
                const double at = voxel_of(frame, points[3 * point + k], k);
                samples[3 * i + k] = (float)(floor(at * PARTS + 0.5) / PARTS);
            }
            is_first = i == 0 || keys[i] != keys[i - 1];
        }
        const u32 votes = __ballot_sync(0xffffffffu, is_first);
        if (lane_of_thread() == 0) firsts[i / WARP] = votes;
    }
}

// Returns the sum of the positions of the samples of a thread, which start at index `first`.
DEVICE Places sum_of_thread(const float* samples, u32 n, u64 first) {
    Places sum = {{0, 0, 0}};
    for (u64 i = first; i < first + EACH && i < n; i++) {
        for (u32 k = 0; k < 3; k++) {
            sum.at[k] += (u64)(i64)floor((double)samples[3 * i + k] * PARTS + 0.5);
        }
    }
    return sum;
}

// Returns the sum over the threads before this one. Sets `all` to the sum over the block. Every
// thread must call this function, and a barrier must follow before the next call.
DEVICE Places sum_before(const Places& own, Places* of_warps, Places& all) {
    Places sum = own;
    for (u32 by = 1; by < WARP; by *= 2) {
        for (u32 k = 0; k < 3; k++) {
            const u64 other = __shfl_up_sync(0xffffffffu, sum.at[k], by);
            if (lane_of_thread() >= by) sum.at[k] += other;
        }
    }
    if (lane_of_thread() == WARP - 1) of_warps[warp_of_thread()] = sum;
    __syncthreads();
    all = Places{{0, 0, 0}};
    for (u32 k = 0; k < 3; k++) sum.at[k] -= own.at[k];
    for (u32 w = 0; w < WARPS; w++) {
        if (w < warp_of_thread()) sum.add(of_warps[w]);
        all.add(of_warps[w]);
    }
    return sum;
}

// Computes the sum of the positions of each group of 2,048 samples.
//
// Grid: one block per group.
//
// samples  [n][3]
// totals   [grid]
extern "C" __global__ void __launch_bounds__(BLOCK) octree_totals(const float* samples, u32 n, Places* totals) {
    __shared__ Places of_warps[WARPS];
    Places all;
    sum_before(sum_of_thread(samples, n, ((u64)blockIdx.x * BLOCK + threadIdx.x) * EACH), of_warps, all);
    if (threadIdx.x == 0) totals[blockIdx.x] = all;
}

// Replaces each total by the sum of the totals before it.
//
// Grid: one block.
extern "C" __global__ void __launch_bounds__(BLOCK) octree_starts(Places* totals, u32 n) {
    __shared__ Places of_warps[WARPS];
    Places before = {{0, 0, 0}};
    for (u32 first = 0; first < n; first += BLOCK) {
        const u32 i = first + threadIdx.x;
        const Places own = i < n ? totals[i] : Places{{0, 0, 0}};
        Places all;
        Places sum = sum_before(own, of_warps, all);
        sum.add(before);
        before.add(all);
        if (i < n) totals[i] = sum;
        __syncthreads();
    }
}

// Writes, for each sample, the sum of the positions of all earlier samples, followed by the sum
// over all samples.
//
// Grid: the same as for `octree_totals`.
//
// sums  [n + 1]
extern "C" __global__ void __launch_bounds__(BLOCK)
octree_sums(const float* samples, u32 n, const Places* totals, Places* sums) {
    __shared__ Places of_warps[WARPS];
    Places all;
    const u64 first = ((u64)blockIdx.x * BLOCK + threadIdx.x) * EACH;
    Places sum = sum_before(sum_of_thread(samples, n, first), of_warps, all);
    sum.add(totals[blockIdx.x]);
    for (u64 i = first; i < first + EACH && i < n; i++) {
        sums[i] = sum;
        for (u32 k = 0; k < 3; k++) {
            sum.at[k] += (u64)(i64)floor((double)samples[3 * i + k] * PARTS + 0.5);
        }
        if (i + 1 == n) sums[n] = sum;
    }
}

DEVICE u64 key_of(const Cells& cells, u32 cell) { return cells.keys[cells.starts[cell]]; }
DEVICE u32 first_sample(const Cells& cells, u32 cell) { return cell < cells.n ? cells.starts[cell] : cells.samples; }

// Returns the deepest level on which a cell is in the same node as the next cell, or -1 if there is
// no next cell.
DEVICE i32 common(const Cells& cells, u32 cell) {
    if (cell + 1 >= cells.n) return -1;
    const u64 differs = key_of(cells, cell) ^ key_of(cells, cell + 1);
    const u32 high = (u32)(differs >> 32);
    const u32 zeros = high ? __clz((i32)high) : 32 + __clz((i32)(u32)differs);
    return (i32)(cells.depth - 1 - (63 - zeros) / 3);
}

// Returns the deepest level on which a cell is in the same node as the previous cell, or -1 if
// there is no previous cell.
DEVICE i32 common_before(const Cells& cells, u32 cell) { return cell == 0 ? -1 : common(cells, cell - 1); }

// Returns the first cell, from `low` on, that is not in the same node as cell `low` - 1, or the
// number of cells if there is none. The keys of the cells of a node are equal except for the lowest
// `bits` bits. The search starts near `low`.
DEVICE u32 end_of(const Cells& cells, u32 low, u32 bits) {
    const u64 prefix = key_of(cells, low - 1) >> bits;
    u64 from = low, step = 1;
    while (from + step < cells.n && key_of(cells, (u32)(from + step)) >> bits == prefix) {
        from += step;
        step *= 2;
    }
    u64 to = from + step < cells.n ? from + step : cells.n;
    while (from < to) {
        const u64 middle = from + (to - from) / 2;
        if (key_of(cells, (u32)middle) >> bits != prefix) to = middle;
        else from = middle + 1;
    }
    return (u32)from;
}

// Counts the nodes that begin at each cell.
//
// Grid: any number of blocks, which share the cells.
//
// counts  [cells]
extern "C" __global__ void __launch_bounds__(BLOCK) octree_counts(Cells cells, u32* counts) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 cell = (u64)blockIdx.x * BLOCK + threadIdx.x; cell < cells.n; cell += threads) {
        const i32 more = common(cells, (u32)cell) - common_before(cells, (u32)cell);
        counts[cell] = 1 + (more > 0 ? more : 0);
    }
}

// The samples of a node: from `first` up to, but not including, `end`.
struct __align__(8) Span {
    u32 first, end;
};

// Writes the links and the sample ranges of the nodes.
//
// Grid: any number of blocks, which share the cells.
//
// offsets  number of nodes that begin before each cell, [cells + 1]
// links    [offsets[cells]]
// spans    [offsets[cells]]
extern "C" __global__ void __launch_bounds__(BLOCK)
octree_nodes(Cells cells, const u32* offsets, Link* links, Span* spans) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 at = (u64)blockIdx.x * BLOCK + threadIdx.x; at < cells.n; at += threads) {
        const u32 cell = (u32)at, first = offsets[cell], behind = offsets[cell + 1];
        const u32 begin = first_sample(cells, cell);
        u32 level = (u32)(common_before(cells, cell) + 1);
        for (u32 node = first; node < behind; node++, level++) {
            const u32 end = node + 1 == behind ? cell + 1 : end_of(cells, cell + 1, 3 * (cells.depth - level));
            links[node] = Link{offsets[end], level};
            spans[node] = Span{begin, first_sample(cells, end)};
        }
    }
}

// Computes the centroids of the nodes.
//
// Grid: any number of blocks, which share the nodes.
//
// sums     [samples + 1]
// spans    [n]
// centers  [n]
extern "C" __global__ void __launch_bounds__(BLOCK)
octree_centers(const Places* sums, const Span* spans, u32 n, Center* centers) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 node = (u64)blockIdx.x * BLOCK + threadIdx.x; node < n; node += threads) {
        const Span span = spans[node];
        const double count = (double)(span.end - span.first);
        Center center;
        for (u32 k = 0; k < 3; k++) {
            const i64 sum = (i64)(sums[span.end].at[k] - sums[span.first].at[k]);
            center.at[k] = (float)((double)sum / PARTS / count);
        }
        center.count = (float)count;
        centers[node] = center;
    }
}

// Counts the nodes of a level and the leaves above it.
//
// Grid: any number of blocks, which share the nodes.
//
// count  zero at the start
extern "C" __global__ void __launch_bounds__(BLOCK) octree_cubes(const Link* links, u32 n, u32 level, u32* count) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    u32 sum = 0;
    for (u64 at = (u64)blockIdx.x * BLOCK + threadIdx.x; at < n; at += threads) {
        const Link link = links[at];
        sum += link.level == level || (link.level < level && link.next == at + 1);
    }
    for (u32 by = WARP / 2; by > 0; by /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, by);
    if (lane_of_thread() == 0 && sum) atomicAdd(count, sum);
}
