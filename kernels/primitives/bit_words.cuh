// Words that hold one bit for each of 64 cells, in the order of the keys. A bit is set if the
// discriminator accepts the cell.
//
// Defines: those of primitives/discriminator.cuh and of primitives/histopyramid/records.cuh.
#pragma once

#include "primitives/bytes.cuh"
#include "primitives/discriminator.cuh"
#include "primitives/histopyramid/records.cuh"

#if DISCRIMINATOR == DISCRIMINATOR_BYTES
// Returns the word of the 64 cells of a row that start at index `first`. Bits of cells with an
// index of `n` or above are 0. `cells` is aligned to 16 bytes, and `first` is a multiple of 16.
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

// Moves each bit of a word to a new position: the old position with its binary digits `a` and `b`
// exchanged, where a < b.
DEVICE u64 swap_digits(u64 word, u32 a, u32 b) {
    // Positions with digit a set and digit b clear increase by `shift`.
    const u64 set_a = ~0ull / ((1ull << (1u << a)) + 1) << (1u << a), set_b = ~0ull / ((1ull << (1u << b)) + 1) << (1u << b);
    const u32 shift = (1u << b) - (1u << a);
    const u64 change = (word ^ word >> shift) & set_a & ~set_b;
    return word ^ change ^ change << shift;
}

// Reorders the bits of a word from x fastest, then y, then z, to the order of the keys.
DEVICE u64 ordered(u64 word) {
    if (FAN == 4) return swap_digits(swap_digits(swap_digits(word, 2, 3), 1, 2), 3, 4);
    return swap_digits(swap_digits(swap_digits(word, 1, 2), 3, 4), 2, 3);
}

// Returns the word of a block of 8 x 8 or 4 x 4 x 4 cells. If rows begin at multiples of four
// bytes, four cells are loaded at once.
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

// Returns the word of a slot of the records. If all rows count as one line, the word covers 64
// cells that start at cell 64 times the slot.
DEVICE u64 word_of_slot(const Discriminator& asked, Shape records, u64 slot) {
    const Shape shape = asked.shape;
    return LINES ? word_of_row(asked.values, raster(shape, 0, 0, shape.z), slot * 64, asked.low)
                 : word_of_block(asked.values, shape, cell_of_slot(records, slot), asked.low);
}
#else
// The number of cells that a thread tests before the warp combines the results. Simple tests mostly
// wait for memory, so several of them overlap.
enum {
    AT_ONCE = DISCRIMINATOR == DISCRIMINATOR_WITHIN || DISCRIMINATOR == DISCRIMINATOR_BITS ? 8
              : DISCRIMINATOR == DISCRIMINATOR_EDGE                                    ? 2
                                                                                       : 1
};

// Returns true if the cell of a bit of a word is active. `first` is 64 times the slot of the word.
DEVICE bool is_bit_set(const Discriminator& asked, Shape word, u64 first, u32 bit) {
    const Shape shape = asked.shape;
    if (LINES) {
        const u64 n = first + bit;
        if (n >= raster(shape, 0, 0, shape.z)) return false;
        const u32 row = (u32)n / shape.x;
        return is_active(asked, n, {(u32)n % shape.x, row % shape.y, row / shape.y});
    }
    const Shape cell = cell_of_word(word, bit);
    if (cell.x >= shape.x || cell.y >= shape.y || cell.z >= shape.z) return false;
    return is_active(asked, raster(shape, cell.x, cell.y, cell.z), cell);
}

// Returns the word of the slot of each thread, where the slots of neighboring threads are
// consecutive. If all rows count as one line, the word covers 64 cells that start at cell 64 times
// the slot. A warp processes its words one after another, with one cell per thread, so that
// neighboring threads read neighboring cells. Every thread of the warp must call this function.
DEVICE u64 word_of_slot(const Discriminator& asked, Shape records, u64 slot) {
    const u32 lane = lane_of_thread();
    Shape own = {0, 0, 0};
    if (!LINES) own = cell_of_slot(records, slot);
    u64 word = 0;
    // The loop runs over halves of words.
#pragma unroll 1
    for (u32 k = 0; k < 2 * WARP; k += AT_ONCE) {
        bool found[AT_ONCE];
#pragma unroll
        for (u32 a = 0; a < AT_ONCE; a++) {
            const u32 turn = (k + a) / 2;
            Shape at = own;
            if (!LINES) {
                at = {__shfl_sync(0xffffffffu, own.x, turn), __shfl_sync(0xffffffffu, own.y, turn),
                      __shfl_sync(0xffffffffu, own.z, turn)};
            }
            found[a] = is_bit_set(asked, at, (slot - lane + turn) * 64, (k + a) % 2 * WARP + lane);
        }
#pragma unroll
        for (u32 a = 0; a < AT_ONCE; a++) {
            const u64 half = __ballot_sync(0xffffffffu, found[a]);
            if ((k + a) / 2 == lane) word |= half << ((k + a) % 2 * WARP);
        }
    }
    return word;
}
#endif
