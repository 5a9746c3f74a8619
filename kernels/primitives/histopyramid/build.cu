// Levels of a HistoPyramid from bytes: the twin of src/primitives/histopyramid.
//
// Along an axis of odd length records have empty places, which count 0.
#include "primitives/histopyramid/records.cuh"

// What a slot of a record holds of the sums of its children; every thread of the warp calls it.
DEVICE u32 stored_sum(u32 sum) {
    if (PARTIAL) {
        for (u32 by = 1; by < FAN; by *= 2) {
            const u32 other = __shfl_up_sync(0xffffffffu, sum, by);
            if (lane_of_thread() % FAN >= by) sum += other;
        }
    }
    return sum;
}

// The word of 64 cells of a row, of those before `n`; cells are aligned to 16 bytes.
DEVICE u64 word_of_row(const u8* cells, u64 n, u64 first, u32 low) {
    u64 word = 0;
    if (first + 64 <= n) {
#pragma unroll
        for (u32 q = 0; q < 4; q++) {
            const Quad quad = ((const Quad*)(cells + first))[q];
#pragma unroll
            for (u32 b = 0; b < 16; b++) {
                const u64 is_active = (quad.sums[b / 4] >> (8 * (b % 4)) & 0xff) >= low;
                word |= is_active << (16 * q + b);
            }
        }
    } else {
        for (u32 b = 0; first + b < n; b++) word |= (u64)(cells[first + b] >= low) << b;
    }
    return word;
}

// The word of 8 x 8 or 4 x 4 x 4 cells.
DEVICE u64 word_of_block(const u8* cells, Shape shape, Shape at, u32 low) {
    u64 word = 0;
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
    return word;
}

// The words of all cells and the sums of their records: cells of `low` or more are active.
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
        word = LINES ? word_of_row(cells, raster(shape, 0, 0, shape.z), slot * 64, low)
                     : word_of_block(cells, shape, cell_of_slot(records, slot), low);
    }
    const u32 sum = stored_sum(count_bits(word));
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
            sum = ends_of_record(below, raster(cells, at.x, at.y, at.z)).sums[FAN - 1];
        }
    }
    sum = stored_sum(sum);
    if (slot < n_slots) sums[slot] = sum;
}
