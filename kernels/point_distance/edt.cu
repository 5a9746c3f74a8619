// The Euclidean distance transform of a volume, the counterpart of
// crates/cloud/src/point_distance/edt. It is exact, with one pass per axis.
//
// The kernels run in the order edt_rows, edt_choose_slabs, edt_slabs, edt_near_slabs,
// edt_choose_volume, edt_volume, edt_near_volume, and edt_indices if the nearest voxels themselves
// are wanted. edt_rows counts the steps along x to the nearest
// voxel to which distances are measured. A pass along y or z has two kernels, and the kernel before
// them decides which of the two processes a line. If the distances that the previous pass found are
// small, each voxel is compared with its neighbors on the line, up to the distance beyond which no
// voxel can be nearer. Otherwise, a thread computes the lower envelope of the parabolas of a line
// (P. Felzenszwalb and D. Huttenlocher, "Distance transforms of sampled functions"). Neighboring
// threads process lines that are neighbors along x, so that the accesses of a warp are adjacent in
// memory. The parabolas of an envelope are stored at their voxels, as a list in which each parabola
// refers to the previous one (T.-T. Cao et al., "Parallel banding algorithm to compute exact
// distance transform with the GPU"). Neighboring lines have similar envelopes, so the entries that
// a warp accesses are adjacent, too.
//
// Distances are in units of the voxel spacing along the axis of the pass. Squared distances are
// floats. If voxels are cubes, squared distances below 2^24 are exact.
//
// variants: REAL=float
#include "generated/edt.cuh"
#include "common/shared.cuh"

// The number of resident blocks per multiprocessor for kernels with one thread per line. With
// eight, the compiler would spill registers on GPUs of capability 10.0 and later.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define LINES_RESIDENT 6
#else
#define LINES_RESIDENT 8
#endif

// The step count in a row without voxels to which distances are measured.
#define NO_STEP 0xffffu
// The squared distance in a slab or line without voxels to which distances are measured.
#define FAR __uint_as_float(0x7f800000u)
// The index that stands for the predecessor of the first parabola.
#define NOTHING_BEFORE 0xffffu
// The number of voxels that are read ahead.
#define AHEAD 4

// Parameters for lines with near voxels: the number of voxels read at once, the largest distance at
// which neighbors are kept in registers, and the number of resident blocks per multiprocessor.
#define BATCH 8
#define REACH 8
#define NEAR_RESIDENT 4
// Parameters for recognizing lines with near voxels: the sampling interval of the voxels, and the
// limits on the mean distance of the samples, in steps along the line.
#define SAMPLED 16
#define NEAR_SLAB 40.0f
#define NEAR_VOLUME 20.0f

// Conversion of integers below 2^23 to floats and back, without the GPU's conversion instructions,
// which take four times as long as other instructions.
DEVICE float real_of(u32 k) { return __uint_as_float(0x4b000000u | k) - 8388608.0f; }
DEVICE u32 whole_of(float x) { return __float_as_uint(x + 8388608.0f) & 0x7fffffu; }

// The unit of a 16-byte load.
struct __align__(16) Quad {
    u32 words[4];
};

// The unit of an 8-byte store.
struct __align__(8) Pair {
    u32 first, second;
};

// Loads the bits of a row that mark the voxels to which distances are measured.
DEVICE void load_row(const Edt& edt, const u8* row, u32 lane, u32* bits) {
    const u32 side = edt.side ^ edt.to_zeros, flip = side ? 0x01010101u : 0;
    if (edt.shape[0] % 32 == 0) {
        u16* const halves = (u16*)bits;
        for (u32 k = lane; k < edt.shape[0] / 16; k += 32) {
            const Quad quad = *(const Quad*)(row + 16 * k);
            u32 packed = 0;
#pragma unroll
            // Packs the lowest bits of four bytes.
            for (u32 j = 0; j < 4; j++) {
                packed |= (((quad.words[j] ^ flip) * 0x10204080u) >> 28) << (4 * j);
            }
            halves[k] = (u16)packed;
        }
    } else {
        for (u32 w = 0; w < edt.words; w++) {
            const u32 x = 32 * w + lane;
            const u32 word = __ballot_sync(0xffffffffu, x < edt.shape[0] && (row[x] != 0) != (side != 0));
            if (lane == 0) bits[w] = word;
        }
    }
}

// Counts the steps along x from each voxel to the nearest voxel to which distances are measured.
//
// Grid: any number of blocks, whose warps share the rows. Block: whole warps. Shared memory: 12
// bytes per word and warp.
//
// inside  [nz][ny][nx], 0 or 1
// steps   same shape as inside; NO_STEP if the row has no such voxel
extern "C" __global__ void __launch_bounds__(256, 6)
edt_rows(Edt edt, const u8* inside, u16* steps) {
    DYN_SHARED(u32, shared);
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const i32 far = 1 << 20;
    u32* const bits = shared + 3 * edt.words * warp;
    i32* const left = (i32*)(bits + edt.words);
    i32* const right = left + edt.words;
    const u32 rows = edt.shape[1] * edt.shape[2];
    for (u32 row = blockIdx.x * warps + warp; row < rows; row += gridDim.x * warps) {
        load_row(edt, inside + (u64)row * edt.shape[0], lane, bits);
        __syncwarp();
        // For each word, find the last marked voxel in the previous words (`left`) and the first
        // one in the following words (`right`).
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
        const u64 out = (u64)row * edt.shape[0];
        // Each lane processes four adjacent voxels.
        for (u32 start = 4 * lane; start < edt.shape[0]; start += 128) {
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
            // A count that does not fit in 16 bits becomes NO_STEP: the row has no such voxel.
            for (i32 k = 0; k < 4; k++) found[k] = min((u32)min(x + k - before[k], behind[k] - x - k), NO_STEP);
            if (edt.shape[0] % 4 == 0) {
                Pair pair = {found[1] << 16 | found[0], found[3] << 16 | found[2]};
                *(Pair*)(steps + out + start) = pair;
            } else {
                for (u32 k = 0; k < 4 && start + k < edt.shape[0]; k++) steps[out + start + k] = (u16)found[k];
            }
        }
        __syncwarp();
    }
}

// A parabola of an envelope: its voxel, its height there, the first voxel at which it is the
// lowest, and the voxel of the previous parabola of the envelope.
struct Parabola {
    float place, height, from;
    u32 before;
};

DEVICE float value_at(float x, float place, float height) {
    const float d = x - place;
    return __fmaf_rn(d, d, height);
}

// Returns the parabola at a voxel.
template <class Line>
DEVICE Parabola parabola_of(u32 voxel, const u32* list, u64 stride, const Line& line) {
    const u32 word = list[voxel * stride];
    return {real_of(voxel), line.height(voxel), real_of(word >> 16), word & 0xffff};
}

// Returns the last parabola of the lower envelope of a line of n voxels. Its height is FAR if the
// line has no parabola. For the earlier parabolas, `list` stores one word at the voxel of each: the
// first voxel at which the parabola is the lowest, and the voxel of the previous parabola.
template <class Line>
DEVICE Parabola envelope(const Line& line, u32* list, u64 stride, u32 n) {
    const float end = real_of(n);
    // `below` is the second-to-last parabola if it is known without reading the list. Otherwise,
    // its height is FAR.
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
            // If the new parabola is not higher at the first voxel at which the last one is the
            // lowest, it is lower at all later voxels. Then the last one leaves the envelope.
            float from = 0;
            u32 before = NOTHING_BEFORE;
            for (;;) {
                if (value_at(top.from, x, height) > value_at(top.from, top.place, top.height)) {
                    // The position of equal height is rounded to a voxel and then moved to the
                    // first voxel at which the new parabola is not higher.
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

// A line along y in a slab. Its heights are computed from the steps along x.
struct SlabLine {
    const u16* steps;
    u64 stride;
    float across;

    DEVICE float height(u32 y) const {
        const u32 k = steps[y * stride];
        const float length = real_of(k);
        return k == NO_STEP ? FAR : length * length * across;
    }
};

// Returns the index of the first voxel of line `line` along y.
DEVICE u64 slab_line(const Edt& edt, u32 line) {
    return line % edt.shape[0] + (u64)(line / edt.shape[0]) * edt.shape[0] * edt.shape[1];
}

// A line along z. Its heights are the squared distances in the slabs.
struct VolumeLine {
    const float* squares;
    u64 stride;
    float along;

    DEVICE float height(u32 z) const { return squares[z * stride] * along; }
};

// Writes distances. For side 1, writes only the distances of voxels inside, with a negative sign.
struct Distances {
    const u8* inside;
    float* distances;
    u64 stride;
    double spacing;
    u32 side;

    DEVICE void write(u32 z, float square) const {
        // The result is rounded once, as on the CPU. A square root computed in double and then
        // rounded to float equals the square root computed in float.
        const float length = spacing == 1.0 ? sqrtf(square) : (float)(spacing * sqrt((double)square));
        if (!side) {
            distances[z * stride] = length;
        } else if (inside[z * stride]) {
            distances[z * stride] = -length;
        }
    }
};

// Returns true if the mean distance found by the previous pass is less than `limit` on every line
// of a warp. The mean is taken over every SAMPLED-th of the n voxels of a line, with distances
// capped at four times the limit.
template <class Line>
DEVICE bool is_near(const Line& line, bool is_line, u32 n, float limit) {
    float sum = 0, samples = 0;
    for (u32 k = SAMPLED / 2 < n ? SAMPLED / 2 : 0; k < n; k += SAMPLED, samples += 1.0f) {
        sum += is_line ? fminf(sqrtf(line.height(k)), 4.0f * limit) : 0;
    }
    return __all_sync(0xffffffffu, sum < limit * samples);
}

// Selects the lines along y that have near voxels. Writes one byte per 32 lines.
//
// Grid: one thread per line, rounded up. Block: 256 threads. Shared memory: none.
extern "C" __global__ void __launch_bounds__(256, 8) edt_choose_slabs(Edt edt, const u16* steps, u8* near) {
    const u32 thread = blockIdx.x * 256 + threadIdx.x;
    const bool is_line = thread < edt.shape[0] * edt.shape[2];
    const SlabLine line = {steps + slab_line(edt, is_line ? thread : 0), edt.shape[0], edt.across};
    const bool found = is_near(line, is_line, edt.shape[1], NEAR_SLAB);
    if (thread % 32 == 0) near[thread / 32] = found;
}

// Selects the lines along z that have near voxels, as edt_choose_slabs does along y.
extern "C" __global__ void __launch_bounds__(256, 8) edt_choose_volume(Edt edt, const float* squares, u8* near) {
    const u32 thread = blockIdx.x * 256 + threadIdx.x, plane = edt.shape[0] * edt.shape[1];
    const bool is_line = thread < plane;
    const VolumeLine line = {squares + (is_line ? thread : 0), plane, edt.along};
    const bool found = is_near(line, is_line, edt.shape[2], NEAR_VOLUME);
    if (thread % 32 == 0) near[thread / 32] = found;
}

// Finds the smallest squared distance for each voxel of a line of n voxels from `start` up to, but
// not including, `end`.
template <class Line, class Write>
DEVICE void look_around(const Line& line, u32 start, u32 end, u32 n, Write write) {
    // The heights of a batch of voxels and of REACH voxels before and after it.
    float heights[BATCH + 2 * REACH];
#pragma unroll
    for (u32 k = 0; k < 2 * REACH; k++) {
        const u32 at = start + k - REACH;
        heights[BATCH + k] = at < n ? line.height(at) : FAR;
    }
    for (u32 from = start; from < end; from += BATCH) {
#pragma unroll
        for (u32 k = 0; k < 2 * REACH; k++) heights[k] = heights[BATCH + k];
#pragma unroll
        for (u32 k = 0; k < BATCH; k++) {
            const u32 at = from + REACH + k;
            heights[2 * REACH + k] = at < n ? line.height(at) : FAR;
        }
#pragma unroll
        for (u32 k = 0; k < BATCH; k++) {
            float least = heights[REACH + k];
#pragma unroll
            for (u32 away = 1; away <= REACH; away++) {
                const float both = fminf(heights[REACH + k - away], heights[REACH + k + away]);
                least = fminf(least, both + (float)(away * away));
            }
            const u32 at = from + k;
            if (at >= end) break;
            if (least > (float)((REACH + 1) * (REACH + 1))) {
                // Continue beyond the neighbors that are in registers.
                const u32 most = max(at, n - 1 - at);
                float square = (REACH + 1) * (REACH + 1), odd = 2 * REACH + 3;
                for (u32 away = REACH + 1; away <= most && square < least; away++, square += odd, odd += 2.0f) {
                    const float before = away <= at ? line.height(at - away) : FAR;
                    const float behind = at + away < n ? line.height(at + away) : FAR;
                    least = fminf(least, fminf(before, behind) + square);
                }
            }
            write(at, least);
        }
    }
}

// Computes the squared distances to the nearest voxels within slabs, in steps along y, for lines
// without near voxels.
//
// Grid: one thread per line along y, rounded up. Block: 256 threads. Shared memory: none.
//
// steps    [nz][ny][nx], from edt_rows
// near     from edt_choose_slabs
// list     [nz][ny][nx]
// squares  [nz][ny][nx]; FAR if the slab has no voxel to which distances are measured
extern "C" __global__ void __launch_bounds__(256, LINES_RESIDENT)
edt_slabs(Edt edt, const u16* steps, const u8* near, u32* list, float* squares) {
    const u32 thread = blockIdx.x * 256 + threadIdx.x;
    if (thread >= edt.shape[0] * edt.shape[2] || near[thread / 32]) return;
    const u64 first = slab_line(edt, thread);
    const SlabLine line = {steps + first, edt.shape[0], edt.across};
    list += first;
    squares += first;
    Parabola top = envelope(line, list, edt.shape[0], edt.shape[1]);
    float y = real_of(edt.shape[1]);
    // Walk back along the line, from the last parabola of the envelope to the first.
    for (u32 k = edt.shape[1]; k-- > 0;) {
        y -= 1.0f;
        squares[(u64)k * edt.shape[0]] = value_at(y, top.place, top.height);
        if (y == top.from && top.before != NOTHING_BEFORE) top = parabola_of(top.before, list, edt.shape[0], line);
    }
}

// Computes the squared distances within slabs for lines that have near voxels.
//
// Grid: one thread per PIECE voxels of a line, rounded up. Block: 256 threads. Shared memory:
// none.
extern "C" __global__ void __launch_bounds__(256, NEAR_RESIDENT)
edt_near_slabs(Edt edt, const u16* steps, const u8* near, float* squares) {
    const u32 pieces = (edt.shape[1] + PIECE - 1) / PIECE, piece = blockIdx.x % pieces;
    const u32 thread = blockIdx.x / pieces * 256 + threadIdx.x;
    if (thread >= edt.shape[0] * edt.shape[2] || !near[thread / 32]) return;
    const u64 first = slab_line(edt, thread), stride = edt.shape[0];
    const SlabLine line = {steps + first, stride, edt.across};
    squares += first;
    look_around(line, piece * PIECE, min((piece + 1) * PIECE, edt.shape[1]), edt.shape[1],
                [&](u32 y, float square) { squares[y * stride] = square; });
}

// Computes the distances for lines along z without near voxels.
//
// Grid: one thread per line along z, rounded up. Block: 256 threads. Shared memory: none.
//
// squares    [nz][ny][nx], within the slabs
// near       from edt_choose_volume
// inside     [nz][ny][nx], 0 or 1
// list       [nz][ny][nx]
// distances  [nz][ny][nx]
extern "C" __global__ void __launch_bounds__(256, LINES_RESIDENT)
edt_volume(Edt edt, const float* squares, const u8* near, const u8* inside, u32* list, float* distances) {
    const u32 plane = edt.shape[0] * edt.shape[1], first = blockIdx.x * 256 + threadIdx.x;
    if (first >= plane || near[first / 32]) return;
    const VolumeLine line = {squares + first, plane, edt.along};
    const Distances out = {inside + first, distances + first, plane, edt.spacing, edt.side};
    list += first;
    Parabola top = envelope(line, list, plane, edt.shape[2]);
    float z = real_of(edt.shape[2]);
    for (u32 k = edt.shape[2]; k-- > 0;) {
        z -= 1.0f;
        out.write(k, value_at(z, top.place, top.height));
        if (z == top.from && top.before != NOTHING_BEFORE) top = parabola_of(top.before, list, plane, line);
    }
}

// Computes the distances for lines along z that have near voxels.
//
// Grid: one thread per PIECE voxels of a line, rounded up. Block: 256 threads. Shared memory:
// none.
extern "C" __global__ void __launch_bounds__(256, NEAR_RESIDENT)
edt_near_volume(Edt edt, const float* squares, const u8* near, const u8* inside, float* distances) {
    const u32 pieces = (edt.shape[2] + PIECE - 1) / PIECE, piece = blockIdx.x % pieces;
    const u32 plane = edt.shape[0] * edt.shape[1], first = blockIdx.x / pieces * 256 + threadIdx.x;
    if (first >= plane || !near[first / 32]) return;
    const VolumeLine line = {squares + first, plane, edt.along};
    const Distances out = {inside + first, distances + first, plane, edt.spacing, edt.side};
    look_around(line, piece * PIECE, min((piece + 1) * PIECE, edt.shape[2]), edt.shape[2],
                [&](u32 z, float square) { out.write(z, square); });
}

// Returns the voxel of a line of n voxels whose parabola is the lowest at voxel `at`. Of several,
// it is the nearest one, and of two at the same distance the one before.
template <class Line>
DEVICE u32 lowest_of(const Line& line, u32 at, u32 n) {
    float least = line.height(at), square = 1.0f, odd = 3.0f;
    u32 found = at;
    const u32 most = max(at, n - 1 - at);
    for (u32 away = 1; away <= most && square < least; away++, square += odd, odd += 2.0f) {
        const float before = away <= at ? line.height(at - away) : FAR;
        const float behind = at + away < n ? line.height(at + away) : FAR;
        if (before + square < least) {
            least = before + square;
            found = at - away;
        }
        if (behind + square < least) {
            least = behind + square;
            found = at + away;
        }
    }
    return found;
}

// Finds the nearest voxel to which distances are measured, by a search along each axis outward from
// each voxel. Without such a voxel, the indices are those of the voxel itself.
//
// Grid: any number of blocks. Block: any number of threads. Shared memory: none.
//
// inside   [nz][ny][nx], 0 or 1
// steps    [nz][ny][nx], from edt_rows
// squares  [nz][ny][nx], within the slabs
// indices  [3][nz][ny][nx], along z, y and x
extern "C" __global__ void edt_indices(Edt edt, const u8* inside, const u16* steps, const float* squares, u64* indices) {
    const u64 row = edt.shape[0], plane = row * edt.shape[1], n = plane * edt.shape[2];
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const u32 x = (u32)(i % row), y = (u32)(i % plane / row);
        const VolumeLine across = {squares + i % plane, plane, edt.along};
        const u32 z = lowest_of(across, (u32)(i / plane), edt.shape[2]);
        const SlabLine along = {steps + z * plane + x, row, edt.across};
        const u32 to = lowest_of(along, y, edt.shape[1]);
        const u64 first = z * plane + to * row;
        const u32 by = steps[first + x];
        const bool has_any = by != NO_STEP;
        indices[i] = has_any ? z : i / plane;
        indices[n + i] = has_any ? to : y;
        indices[2 * n + i] = !has_any ? x : by <= x && inside[first + x - by] != edt.to_zeros ? x - by : x + by;
    }
}
