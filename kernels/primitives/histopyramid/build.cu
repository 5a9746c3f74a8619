// Levels of a HistoPyramid from bytes: the twin of src/primitives/histopyramid.
//
// Along an axis of odd length records have empty places, which count 0.
#include "primitives/bytes.cuh"
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
            for (u32 k = 0; k < 4; k++) word |= (u64)bits_of_bytes(quad.sums[k], low) << (16 * q + 4 * k);
        }
    } else {
        for (u32 b = 0; first + b < n; b++) word |= (u64)(cells[first + b] >= low) << b;
    }
    return word;
}

// Moves each bit of a word to the place whose number has binary digits `a < b` exchanged.
DEVICE u64 swap_digits(u64 word, u32 a, u32 b) {
    // Places with digit a set and b not set go up by `shift`.
    const u64 set_a = ~0ull / ((1ull << (1u << a)) + 1) << (1u << a), set_b = ~0ull / ((1ull << (1u << b)) + 1) << (1u << b);
    const u32 shift = (1u << b) - (1u << a);
    const u64 change = (word ^ word >> shift) & set_a & ~set_b;
    return word ^ change ^ change << shift;
}

// The bits of a word from x fastest, then y, then z, into the order of keys.
DEVICE u64 ordered(u64 word) {
    if (FAN == 4) return swap_digits(swap_digits(swap_digits(word, 2, 3), 1, 2), 3, 4);
    return swap_digits(swap_digits(swap_digits(word, 1, 2), 3, 4), 2, 3);
}

// The word of 8 x 8 or 4 x 4 x 4 cells. Where rows begin at multiples of four bytes, four cells are loaded at once.
DEVICE u64 word_of_block(const u8* cells, Shape shape, Shape at, u32 low) {
    u64 word = 0;
    const u32 x0 = at.x * EDGE, y0 = at.y * EDGE, z0 = at.z * (FAN == 8 ? EDGE : 1);
    const bool is_even = shape.x % 4 == 0;
#pragma unroll
    for (u32 k = 0; k < 16; k++) {
        // Four cells of the word.
        const u32 x = x0 + k * 4 % EDGE, y = y0 + k * 4 / EDGE % EDGE, z = z0 + k * 4 / (EDGE * EDGE);
        if (x >= shape.x || y >= shape.y || z >= shape.z) continue;
        const u8* const row = cells + raster(shape, x, y, z);
        u32 bits = 0;
        if (is_even) {
            bits = bits_of_bytes(*(const u32*)row, low);
        } else {
            for (u32 b = 0; b < 4 && x + b < shape.x; b++) bits |= (u32)(row[b] >= low) << b;
        }
        word |= (u64)bits << (4 * k);
    }
    return ordered(word);
}

// The words of all cells and the sums of their records: cells of `low` or more are active.
//
// Grid: a thread per slot, rounded up. Block: 256 threads. Shared memory: none.
//
// cells    bytes of a grid of `shape`, x fastest; aligned to 16 bytes
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
