// HistoPyramid on a card: the twin of src/primitives/histopyramid, block by block, with partial sums.
//
// FAN is 4 for pictures (2 x 2 cells are joined) and 8 for volumes (2 x 2 x 2). A word has the bits of
// 8 x 8 or 4 x 4 x 4 cells in the order of keys. All children of a cell stand side by side, as one record
// of FAN running sums; along an axis of odd length records have empty places.
#include "primitives/pyramid.cuh"

enum { AXIS_BITS = FAN == 4 ? 3 : 2, EDGE = 1 << AXIS_BITS };

// Bits that are set.
DEVICE u32 count_bits(u64 word) { return __popc((u32)word) + __popc((u32)(word >> 32)); }

// Running sum over the slots of a record; every thread of the warp calls it.
DEVICE u32 sum_in_record(u32 value) {
    for (u32 by = 1; by < FAN; by *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, value, by);
        if (lane_of_thread() % FAN >= by) value += other;
    }
    return value;
}

// Bit of a cell of a word.
DEVICE u32 bit_of_cell(u32 x, u32 y, u32 z) {
    u32 bit = 0;
    for (u32 k = 0; k < AXIS_BITS; k++) {
        if (FAN == 4) {
            bit |= (x >> k & 1) << (2 * k) | (y >> k & 1) << (2 * k + 1);
        } else {
            bit |= (x >> k & 1) << (3 * k) | (y >> k & 1) << (3 * k + 1) | (z >> k & 1) << (3 * k + 2);
        }
    }
    return bit;
}

// The words of all cells and the running sums of their records: cells of `low` or more are active.
//
// Grid: a thread per slot, rounded up. Block: 256 threads. Shared memory: none.
//
// cells    bytes of a grid of `shape`, x fastest
// words    [records][FAN]
// sums     [records][FAN]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_base(const u8* cells, Shape shape, u32 low, Shape records, u64* words, u32* sums) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 n_slots = raster(records, 0, 0, records.z) * FAN;
    u64 word = 0;
    if (slot < n_slots) {
        const Shape at = cell_of_slot(records, slot);
        const u32 x0 = at.x * EDGE, y0 = at.y * EDGE, z0 = at.z * (FAN == 8 ? EDGE : 1);
        for (u32 z = 0; z < (FAN == 8 ? EDGE : 1) && z0 + z < shape.z; z++) {
            for (u32 y = 0; y < EDGE && y0 + y < shape.y; y++) {
                const u8* const row = cells + raster(shape, 0, y0 + y, z0 + z);
                for (u32 x = 0; x < EDGE && x0 + x < shape.x; x++) {
                    const u64 is_active = row[x0 + x] >= low;
                    word |= is_active << bit_of_cell(x, y, z);
                }
            }
        }
    }
    const u32 sum = sum_in_record(count_bits(word));
    if (slot < n_slots) {
        words[slot] = word;
        sums[slot] = sum;
    }
}

// A level from the one below: the sum of each record below is that of one cell here.
//
// Grid: a thread per slot of this level, rounded up. Block: 256 threads. Shared memory: none.
//
// below    [cells][FAN], `cells` being the shape of the records below
// sums     [records][FAN]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_level(const u32* below, Shape cells, Shape records, u32* sums) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 n_slots = raster(records, 0, 0, records.z) * FAN;
    u32 sum = 0;
    if (slot < n_slots) {
        const Shape at = cell_of_slot(records, slot);
        if (at.x < cells.x && at.y < cells.y && at.z < cells.z) {
            sum = below[raster(cells, at.x, at.y, at.z) * FAN + FAN - 1];
        }
    }
    sum = sum_in_record(sum);
    if (slot < n_slots) sums[slot] = sum;
}

// All levels, the lowest first; the last has one record.
struct Pyramid {
    const u64* words;
    const u32* sums[MOST_LEVELS];
    Shape records[MOST_LEVELS];
    u32 n_levels;
};

// Place of the bit with `n` set bits below it.
DEVICE u32 nth_bit(u64 word, u32 n) {
    u32 at = 0;
    for (u32 width = 32; width > 0; width /= 2) {
        const u32 here = count_bits(word >> at & ((1ull << width) - 1));
        if (n >= here) {
            n -= here;
            at += width;
        }
    }
    return at;
}

// The cells of keys `first`, `first + 1` and so on, `copies` entries for each key in succession.
//
// Grid: any number of threads, which share the entries. Block: 256 threads. Shared memory: none.
//
// list     entries x, y, z, [n][3]; all keys must be below the sum of all
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_cells(Pyramid pyramid, u64 first, u64 n, u32 copies, u32* list) {
    const u64 threads = (u64)gridDim.x * BLOCK;
    for (u64 entry = (u64)blockIdx.x * BLOCK + threadIdx.x; entry < n; entry += threads) {
        u32 key = (u32)((first + entry) / copies);
        Shape cell = {0, 0, 0};
        u64 slot = 0;
        for (u32 level = pyramid.n_levels; level-- > 0;) {
            const u64 record = raster(pyramid.records[level], cell.x, cell.y, cell.z);
            const u32* const sums = pyramid.sums[level] + record * FAN;
            u32 child = 0, before = 0;
#pragma unroll
            for (u32 c = 0; c + 1 < FAN; c++) {
                const u32 end = sums[c];
                if (end <= key) {
                    child = c + 1;
                    before = end;
                }
            }
            key -= before;
            cell.x = cell.x * 2 + child % 2;
            cell.y = cell.y * 2 + child / 2 % 2;
            if (FAN == 8) cell.z = cell.z * 2 + child / 4;
            slot = record * FAN + child;
        }
        const u32 bit = nth_bit(pyramid.words[slot], key);
        u32 x = 0, y = 0, z = 0;
        for (u32 k = 0; k < AXIS_BITS; k++) {
            const u32 step = FAN == 4 ? 2 : 3;
            x |= (bit >> (step * k) & 1) << k;
            y |= (bit >> (step * k + 1) & 1) << k;
            if (FAN == 8) z |= (bit >> (step * k + 2) & 1) << k;
        }
        list[3 * entry] = cell.x * EDGE + x;
        list[3 * entry + 1] = cell.y * EDGE + y;
        list[3 * entry + 2] = cell.z * (FAN == 8 ? EDGE : 1) + z;
    }
}
