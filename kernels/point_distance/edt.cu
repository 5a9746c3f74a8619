// The Euclidean distance transform of a volume, twin of src/point_distance/edt: exact, one pass for each axis.
//
// The order is edt_rows, edt_slabs, edt_volume. edt_rows finds the steps along x to the nearest voxel inside. The
// others take the lower envelope of the parabolas that a line has so far (P. Felzenszwalb and D. Huttenlocher,
// "Distance transforms of sampled functions"), a line along y or z for each thread: neighboring threads have
// neighboring lines along x, so that a warp reads and writes neighbors. What an envelope is made of stands where its
// voxels are, as a list from each parabola to the one before it (T.-T. Cao et al., "Parallel banding algorithm to compute
// exact distance transform with the GPU"): neighboring lines have like envelopes, whose parts then are neighbors, too.
//
// Lengths are in steps of the axis of the pass, squares in float: exact for cubes below 2^24.
#include "common/types.cuh"
#include "common/shared.cuh"

// Blocks that work on lines, on a multiprocessor; the compiler for later cards would spill with eight.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define LINES_RESIDENT 6
#else
#define LINES_RESIDENT 8
#endif

// No voxel in the row, none in the slab.
#define NO_STEP 0xffffu
#define NONE 0xffffffffu
#define FAR 3.0e38f
// No parabola before.
#define NOTHING_BEFORE 0xffffu
// Voxels that are read before the first of them is needed.
#define AHEAD 4

struct Edt {
    u32 nx, ny, nz;
    u32 words;         // of 32 voxels in a row, rounded up
    float ratio;       // spacing of x in that of y
    float rx, ry;      // spacings of x and y in that of z
    double spacing;    // of z
    u32 side;          // 0 measures to voxels inside; 1 to those outside, and writes -distance inside
};

#ifdef EDT_BYTES
static_assert(sizeof(Edt) == EDT_BYTES, "src/point_distance/edt/cuda.rs");
#endif

// Whole numbers below 2^23 as floats and back: conversions take four times as long as other instructions.
DEVICE float real_of(u32 k) { return __uint_as_float(0x4b000000u | k) - 8388608.0f; }
DEVICE u32 whole_of(float x) { return __float_as_uint(x + 8388608.0f) & 0x7fffffu; }

// 16 bytes that are loaded at once.
struct __align__(16) Quad {
    u32 words[4];
};

// And 8 that are stored.
struct __align__(8) Pair {
    u32 first, second;
};

// The voxels of a row that distances are measured to, as bits of words.
DEVICE void load_row(const Edt& edt, const u8* row, u32 lane, u32* bits) {
    const u32 flip = edt.side ? 0x01010101u : 0;
    if (edt.nx % 32 == 0) {
        u16* const halves = (u16*)bits;
        for (u32 k = lane; k < edt.nx / 16; k += 32) {
            const Quad quad = *(const Quad*)(row + 16 * k);
            u32 packed = 0;
#pragma unroll
            // The lowest bits of four bytes side by side.
            for (u32 j = 0; j < 4; j++) {
                packed |= (((quad.words[j] ^ flip) * 0x10204080u) >> 28) << (4 * j);
            }
            halves[k] = (u16)packed;
        }
    } else {
        for (u32 w = 0; w < edt.words; w++) {
            const u32 x = 32 * w + lane;
            const u32 word = __ballot_sync(0xffffffffu, x < edt.nx && (row[x] != 0) != (edt.side != 0));
            if (lane == 0) bits[w] = word;
        }
    }
}

// Steps along x from each voxel to the nearest of those that distances are measured to.
//
// Grid: any number of blocks, whose warps share the rows. Block: whole warps. Shared memory: 12 bytes a word and warp.
//
// inside  [nz][ny][nx], 0 or 1
// steps   the same; NO_STEP where the row has none
extern "C" __global__ void __launch_bounds__(256, 6)
edt_rows(Edt edt, const u8* inside, u16* steps) {
    DYN_SHARED(u32, shared);
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const i32 far = 1 << 20;
    u32* const bits = shared + 3 * edt.words * warp;
    i32* const left = (i32*)(bits + edt.words);
    i32* const right = left + edt.words;
    const u32 rows = edt.ny * edt.nz;
    for (u32 row = blockIdx.x * warps + warp; row < rows; row += gridDim.x * warps) {
        load_row(edt, inside + (u64)row * edt.nx, lane, bits);
        __syncwarp();
        // The last voxel in the words before, and the first one in those behind.
        i32 last = -far;
        for (u32 from = 0; from < edt.words; from += 32) {
            const u32 w = from + lane;
            const u32 word = w < edt.words ? bits[w] : 0;
            i32 here = word ? (i32)(32 * w) + 31 - __clz((i32)word) : -far;
            for (u32 by = 1; by < 32; by *= 2) {
                const i32 other = __shfl_up_sync(0xffffffffu, here, by);
                if (lane >= by) here = max(here, other);
            }
            const i32 before = __shfl_up_sync(0xffffffffu, here, 1);
            if (w < edt.words) left[w] = lane == 0 ? last : max(last, before);
            last = max(last, __shfl_sync(0xffffffffu, here, 31));
        }
        i32 next = far;
        for (u32 from = (edt.words - 1) / 32 * 32 + 32; from > 0; from -= 32) {
            const u32 w = from - 32 + lane;
            const u32 word = w < edt.words ? bits[w] : 0;
            i32 here = word ? (i32)(32 * w) + __ffs((i32)word) - 1 : far;
            for (u32 by = 1; by < 32; by *= 2) {
                const i32 other = __shfl_down_sync(0xffffffffu, here, by);
                if (lane + by < 32) here = min(here, other);
            }
            const i32 behind = __shfl_down_sync(0xffffffffu, here, 1);
            if (w < edt.words) right[w] = lane == 31 ? next : min(next, behind);
            next = min(next, __shfl_sync(0xffffffffu, here, 0));
        }
        __syncwarp();
        const u64 out = (u64)row * edt.nx;
        // Four neighbors in each lane.
        for (u32 start = 4 * lane; start < edt.nx; start += 128) {
            const i32 x = (i32)start;
            const u32 w = start / 32, bit = start % 32, own = bits[w];
            const u32 below = own << (31 - bit), four = own >> bit, above = four >> 4;
            i32 before[4], behind[4];
            before[0] = below ? x - __clz((i32)below) : left[w];
            behind[3] = above ? x + 3 + __ffs((i32)above) : right[w];
#pragma unroll
            for (i32 k = 1; k < 4; k++) {
                before[k] = four >> k & 1 ? x + k : before[k - 1];
                behind[3 - k] = four >> (4 - k) & 1 ? x + 4 - k : behind[4 - k];
            }
            u32 found[4];
#pragma unroll
            // What is far is beyond 16 bits.
            for (i32 k = 0; k < 4; k++) found[k] = min((u32)min(x + k - before[k], behind[k] - x - k), NO_STEP);
            if (edt.nx % 4 == 0) {
                Pair pair = {found[1] << 16 | found[0], found[3] << 16 | found[2]};
                *(Pair*)(steps + out + start) = pair;
            } else {
                for (u32 k = 0; k < 4 && start + k < edt.nx; k++) steps[out + start + k] = (u16)found[k];
            }
        }
        __syncwarp();
    }
}

// A parabola of an envelope: its voxel, its height there, from which voxel on it is the lowest, and the voxel of the one
// that is the lowest before.
struct Parabola {
    float place, height, from;
    u32 before;
};

DEVICE float value_at(float x, float place, float height) {
    const float d = x - place;
    return __fmaf_rn(d, d, height);
}

// The parabola of a voxel.
template <class Line>
DEVICE Parabola parabola_of(u32 voxel, const u32* list, u64 stride, const Line& line) {
    const u32 word = list[voxel * stride];
    return {real_of(voxel), line.height(voxel), real_of(word >> 16), word & 0xffff};
}

// The last parabola of the lower envelope of a line of n voxels; its height is FAR if there is none. In `list`, a word
// for each voxel, stand those before it: where a parabola begins to be the lowest, and the voxel of the one before.
template <class Line>
DEVICE Parabola envelope(const Line& line, u32* list, u64 stride, u32 n) {
    const float end = real_of(n);
    // The one before the last, while it is known without a look into the list.
    Parabola top = {0, FAR, 0, NOTHING_BEFORE}, below = top;
    float x = 0;
    for (u32 start = 0; start < n; start += AHEAD) {
        float ahead[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) ahead[k] = start + k < n ? line.height(start + k) : FAR;
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++, x += 1.0f) {
            const float height = ahead[k];
            if (height >= FAR) continue;
            // What is lower where another parabola begins to be the lowest is lower from there on.
            float from = 0;
            u32 before = NOTHING_BEFORE;
            for (;;) {
                if (value_at(top.from, x, height) > value_at(top.from, top.place, top.height)) {
                    // Where both are equal, rounded to a voxel; the first where this one is lower.
                    from = 0.5f * (__fdividef(height - top.height, x - top.place) + (x + top.place));
                    from = fminf(from, end) + 8388608.0f - 8388608.0f;
                    if (value_at(from, x, height) > value_at(from, top.place, top.height)) from += 1.0f;
                    before = whole_of(top.place);
                    break;
                }
                if (top.before == NOTHING_BEFORE) break;
                top = below.height < FAR ? below : parabola_of(top.before, list, stride, line);
                below.height = FAR;
            }
            if (from < end) {
                below = top;
                if (before == NOTHING_BEFORE) below.height = FAR;
                list[(start + k) * stride] = whole_of(from) << 16 | before;
                top = {x, height, from, before};
            }
        }
    }
    return top;
}

// A line along y of a slab: heights by the steps along x.
struct SlabLine {
    const u16* steps;
    u32 stride;
    float ratio;

    DEVICE float height(u32 y) const {
        const u32 k = steps[(u64)y * stride];
        const float length = real_of(k) * ratio;
        return k == NO_STEP ? FAR : length * length;
    }
};

// Steps (x, y) to the nearest voxel in the slab, y << 16 | x.
//
// Grid: a thread for each line along y, rounded up. Block: 256 threads. Shared memory: none.
//
// steps  [nz][ny][nx], of edt_rows
// list   [nz][ny][nx]
// pairs  [nz][ny][nx]; NONE where the slab has no voxel
extern "C" __global__ void __launch_bounds__(256, LINES_RESIDENT)
edt_slabs(Edt edt, const u16* steps, u32* list, u32* pairs) {
    const u64 thread = (u64)blockIdx.x * 256 + threadIdx.x;
    if (thread >= (u64)edt.nx * edt.nz) return;
    const u64 first = thread % edt.nx + thread / edt.nx * edt.nx * edt.ny;
    const SlabLine line = {steps + first, edt.nx, edt.ratio};
    list += first;
    pairs += first;
    Parabola top = envelope(line, list, edt.nx, edt.ny);
    const bool any = top.height < FAR;
    u32 place = whole_of(top.place), from = whole_of(top.from), before = top.before;
    u32 along = line.steps[(u64)place * edt.nx];
    // Back along the line.
    for (u32 y = edt.ny; y-- > 0;) {
        pairs[(u64)y * edt.nx] = any ? (u32)abs((i32)(y - place)) << 16 | along : NONE;
        if (y == from && before != NOTHING_BEFORE) {
            place = before;
            const u32 word = list[(u64)place * edt.nx];
            from = word >> 16;
            before = word & 0xffff;
            along = line.steps[(u64)place * edt.nx];
        }
    }
}

// A line along z: heights by the steps along x and y.
struct VolumeLine {
    const u32* pairs;
    u64 stride;
    float rx, ry;

    DEVICE float height(u32 z) const {
        const u32 pair = pairs[z * stride];
        const float x = real_of(pair & 0xffff) * rx, y = real_of(pair >> 16) * ry;
        return pair == NONE ? FAR : x * x + y * y;
    }
};

// Distances; those of side 1 for voxels inside alone.
//
// Grid: a thread for each line along z, rounded up. Block: 256 threads. Shared memory: none.
//
// pairs      [nz][ny][nx], of edt_slabs
// inside     [nz][ny][nx], 0 or 1
// list       [nz][ny][nx]
// distances  [nz][ny][nx]
extern "C" __global__ void __launch_bounds__(256, LINES_RESIDENT)
edt_volume(Edt edt, const u32* pairs, const u8* inside, u32* list, float* distances) {
    const u64 plane = (u64)edt.nx * edt.ny, first = (u64)blockIdx.x * 256 + threadIdx.x;
    if (first >= plane) return;
    const VolumeLine line = {pairs + first, plane, edt.rx, edt.ry};
    list += first;
    Parabola top = envelope(line, list, plane, edt.nz);
    float z = real_of(edt.nz);
    for (u32 k = edt.nz; k-- > 0;) {
        z -= 1.0f;
        const u64 voxel = k * plane + first;
        const float square = value_at(z, top.place, top.height);
        // Rounded once, as on the processor: the root of a float through double is that in float.
        const float length = edt.spacing == 1.0 ? sqrtf(square) : (float)(edt.spacing * sqrt((double)square));
        const float found = top.height < FAR ? length : __uint_as_float(0x7f800000u);
        if (!edt.side) {
            distances[voxel] = found;
        } else if (inside[voxel]) {
            distances[voxel] = -found;
        }
        if (z == top.from && top.before != NOTHING_BEFORE) top = parabola_of(top.before, list, plane, line);
    }
}
