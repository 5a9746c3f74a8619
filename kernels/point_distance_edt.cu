// The Euclidean distance transform of a volume, twin of src/point_distance/edt: exact, in two passes
// of lines over a tile of 32 neighboring lines in shared memory.
//
// The order is edt_pack, edt_first, edt_last. edt_first finds the nearest voxel inside in rows, from
// packed bits, and of those the nearest in a slab; edt_last the nearest of all. What is nearest to a
// voxel of a line does not go back along the line: where it is known for every 32nd voxel, only what
// lies between those two can be nearest for those between, and so on for every 8th, every other and
// all.
//
// Lengths are in steps of the axis of the pass, squares in float: exact for cubes below 2^24.
#include "common/types.cuh"
#include "common/shared.cuh"

// Neighboring lines of a tile: a warp has one voxel of each.
#define LINES 32
// Floats of a row of the tile: one more than lines, so that a warp can also read along a line.
#define PITCH (LINES + 1)
// Voxels of a range that every thread looks through by itself.
#define SHORT 6u
// No voxel.
#define NONE 0xffffffffu
#define FAR 3.0e38f

// Voxels between those that are looked for first.
#define COARSE 32

struct Edt {
    u32 nx, ny, nz;
    u32 words;         // of a row of bits
    float ratio;       // spacing of x in that of y
    float rx, ry;      // spacings of x and y in that of z
    double spacing;    // of z
    u32 side;          // 0 measures to voxels inside; 1 to those outside, and writes -distance inside
};

#ifdef EDT_BYTES
static_assert(sizeof(Edt) == EDT_BYTES, "src/point_distance/edt/cuda.rs");
#endif

// Bits of rows, of the voxels that distances are measured to. One thread for each word.
// Grid: ceil(words ny nz / 256) blocks of 256 threads.
extern "C" __global__ void edt_pack(Edt edt, const u8* inside, u32* bits) {
    const u64 word = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (word >= (u64)edt.words * edt.ny * edt.nz) return;
    const u32 first = (u32)(word % edt.words) * 32;
    const u8* row = inside + word / edt.words * edt.nx;
    const u32 flip = edt.side ? 0x01010101u : 0;
    u32 packed = 0;
    if (edt.nx % 16 == 0 && first + 32 <= edt.nx) {
        const uint4* quads = (const uint4*)(row + first);
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            const uint4 quad = quads[k];
            const u32 four[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
            // The lowest bits of four bytes side by side.
            for (u32 j = 0; j < 4; j++) {
                packed |= (((four[j] ^ flip) * 0x10204080u) >> 28) << (16 * k + 4 * j);
            }
        }
    } else {
        for (u32 k = 0; k < 32 && first + k < edt.nx; k++) {
            packed |= (u32)((row[first + k] != 0) != (edt.side != 0)) << k;
        }
    }
    bits[word] = packed;
}

// The nearest voxel to voxel i of those of a line from low to high.
DEVICE u32 nearest_between(const float* height, u32 i, u32 low, u32 high) {
    float best = FAR, d = (float)i - (float)low;
    u32 at = low;
    for (u32 k = low; k <= high; k++, d -= 1.0f) {
        const float value = __fmaf_rn(d, d, height[k * PITCH]);
        if (value < best) {
            best = value;
            at = k;
        }
    }
    return at;
}

// The same for a warp, of whose threads each has a line. Where a few ranges are long, the whole warp
// looks through them one after another.
DEVICE u32 nearest_in_warp(const float* tile, u32 i, u32 low, u32 high) {
    const u32 lane = threadIdx.x % 32, all = 0xffffffffu, range = high - low;
    u32 most = range;
#pragma unroll
    for (u32 by = 16; by > 0; by /= 2) most = max(most, __shfl_xor_sync(all, most, by));
    u32 longer = __ballot_sync(all, range > SHORT);
    if (5 * __popc(longer) >= most) return nearest_between(tile + lane, i, low, high);
    u32 at = range > SHORT ? low : nearest_between(tile + lane, i, low, high);
    while (longer) {
        const u32 line = __ffs((int)longer) - 1;
        longer &= longer - 1;
        const u32 begin = __shfl_sync(all, low, line), end = __shfl_sync(all, high, line);
        u32 best = __float_as_int(FAR), found = begin;
        for (u32 k = begin + lane; k <= end; k += 32) {
            const float d = (float)i - (float)k;
            const u32 value = __float_as_int(__fmaf_rn(d, d, tile[k * PITCH + line]));
            if (value < best) {
                best = value;
                found = k;
            }
        }
        // Of floats from 0 on the bits have the same order.
#pragma unroll
        for (u32 by = 16; by > 0; by /= 2) {
            const u32 other = __shfl_xor_sync(all, best, by), place = __shfl_xor_sync(all, found, by);
            if (other < best || (other == best && place < found)) {
                best = other;
                found = place;
            }
        }
        if (lane == line) at = found;
    }
    return at;
}

// The nearest voxel of a line of n to voxel i, from there outwards as far as one can be nearer.
DEVICE u32 nearest_around(const float* height, u32 i, u32 n) {
    float best = height[i * PITCH];
    u32 at = i;
    const u32 most = max(i, n - 1 - i);
    for (u32 k = 1; k <= most; k++) {
        const float square = (float)k * (float)k;
        if (square >= best) break;
        if (i >= k) {
            const float value = height[(i - k) * PITCH] + square;
            if (value < best) {
                best = value;
                at = i - k;
            }
        }
        if (i + k < n) {
            const float value = height[(i + k) * PITCH] + square;
            if (value < best) {
                best = value;
                at = i + k;
            }
        }
    }
    return at;
}

// Every NEXT-th voxel between every STRIDE-th one.
template <u32 STRIDE, u32 NEXT>
DEVICE void refine(const float* height, u16* at, u32 n) {
    const u32 lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const u32 between = STRIDE / NEXT - 1;
    const u32 count = (n + STRIDE - 1) / STRIDE * between;
    for (u32 k = threadIdx.x / 32; k < count; k += warps) {
        const u32 start = k / between * STRIDE, i = start + (k % between + 1) * NEXT;
        if (i >= n) continue;
        const u32 end = start + STRIDE;
        const u32 a = at[start * LINES + lane], b = end < n ? at[end * LINES + lane] : n - 1;
        at[i * LINES + lane] = (u16)nearest_in_warp(height, i, min(a, b), max(a, b));
    }
    __syncthreads();
}

// For every voxel of a tile's lines the place of the nearest one in its line.
DEVICE void nearest_in_lines(const float* height, u16* at, u32 n) {
    const u32 lane = threadIdx.x % 32, warps = blockDim.x / 32;
    __syncthreads();
    for (u32 i = threadIdx.x / 32 * COARSE; i < n; i += warps * COARSE) {
        at[i * LINES + lane] = (u16)nearest_around(height + lane, i, n);
    }
    __syncthreads();
    refine<COARSE, 8>(height, at, n);
    refine<8, 2>(height, at, n);
    refine<2, 1>(height, at, n);
}

// First pass: steps (x, y) to the nearest voxel in the slab, y << 16 | x.
// Grid: words nz blocks. Shared memory: ny (33 float + 32 u16 + 2 int).
extern "C" __global__ void edt_first(Edt edt, const u32* bits, u32* steps) {
    DYN_SHARED(float, height);
    const u32 n = edt.ny, word = blockIdx.x % edt.words, z = blockIdx.x / edt.words;
    const u32 lane = threadIdx.x % 32, warps = blockDim.x / 32;
    u16* at = (u16*)(height + n * PITCH);
    int* left = (int*)(at + n * LINES);
    int* right = left + n;
    const u32* slab = bits + (u64)z * n * edt.words;
    const int far = 1 << 20;
    bool any = false;
    // The last voxel left of the tile and the first one right of it.
    for (u32 y = threadIdx.x; y < n; y += blockDim.x) {
        const u32* row = slab + (u64)y * edt.words;
        int k = (int)word - 1;
        while (k >= 0 && row[k] == 0) k--;
        left[y] = k >= 0 ? 32 * k + 31 - __clz((int)row[k]) : -far;
        k = (int)word + 1;
        while (k < (int)edt.words && row[k] == 0) k++;
        right[y] = k < (int)edt.words ? 32 * k + __ffs((int)row[k]) - 1 : far;
        any |= left[y] >= 0 || right[y] < far || row[word] != 0;
    }
    const int x = (int)(32 * word + lane);
    u32* out = steps + (u64)z * n * edt.nx + x;
    if (!__syncthreads_or(any)) {
        if (x >= (int)edt.nx) return;
        for (u32 y = threadIdx.x / 32; y < n; y += warps) out[(u64)y * edt.nx] = NONE;
        return;
    }
    for (u32 y = threadIdx.x / 32; y < n; y += warps) {
        const u32 own = slab[(u64)y * edt.words + word];
        const u32 below = own << (31 - lane), above = own >> lane;
        const int before = below ? x - __clz((int)below) : left[y];
        const int behind = above ? x + __ffs((int)above) - 1 : right[y];
        const int d = min(x - before, behind - x);
        const float length = (float)d * edt.ratio;
        height[y * PITCH + lane] = d < far / 2 ? length * length : FAR;
    }
    nearest_in_lines(height, at, n);
    if (x >= (int)edt.nx) return;
    const float inverse = 1.0f / edt.ratio;
    for (u32 y = threadIdx.x / 32; y < n; y += warps) {
        const u32 k = at[y * LINES + lane];
        const float h = height[k * PITCH + lane];
        const u32 dx = (u32)(sqrtf(h) * inverse + 0.5f), dy = y < k ? k - y : y - k;
        out[(u64)y * edt.nx] = h < FAR ? dy << 16 | dx : NONE;
    }
}

// Last pass: distances in the place of steps; of side 1 in `distances`, for voxels inside alone.
// Grid: ceil(nx ny / 32) blocks. Shared memory: nz (33 float + 32 u16).
extern "C" __global__ void edt_last(Edt edt, const u32* steps, const u8* inside, float* distances) {
    DYN_SHARED(float, height);
    const u32 n = edt.nz, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    u16* at = (u16*)(height + n * PITCH);
    const u64 plane = (u64)edt.nx * edt.ny, first = (u64)blockIdx.x * LINES + lane;
    for (u32 z = threadIdx.x / 32; z < n; z += warps) {
        const u32 pair = first < plane ? steps[z * plane + first] : NONE;
        const float x = (float)(pair & 0xffff) * edt.rx, y = (float)(pair >> 16) * edt.ry;
        height[z * PITCH + lane] = pair != NONE ? x * x + y * y : FAR;
    }
    nearest_in_lines(height, at, n);
    if (first >= plane) return;
    for (u32 z = threadIdx.x / 32; z < n; z += warps) {
        const u32 k = at[z * LINES + lane];
        const float d = (float)k - (float)z, h = height[k * PITCH + lane];
        const float length = (float)(edt.spacing * sqrt((double)(h + d * d)));
        const u64 voxel = z * plane + first;
        const float found = h < FAR ? length : __int_as_float(0x7f800000);
        if (!edt.side) {
            distances[voxel] = found;
        } else if (inside[voxel]) {
            distances[voxel] = -found;
        }
    }
}
