// Words of cells and records of sums of a HistoPyramid: the counterparts of base_words.rs and
// levels.rs of crates/core/src/primitives/histopyramid.
//
// Defines: FAN and LINES (primitives/pyramid.cuh); PARTIAL, 1 if a record holds prefix sums over
// its children, 0 if it holds the sum of each child.
#pragma once

#include "primitives/pyramid.cuh"

// A word has one bit for each of 64 cells, in the order of their keys: 64 cells of a row, 8 x 8
// cells, or 4 x 4 x 4 cells.
enum { AXES = FAN == 4 ? 2 : 3, AXIS_BITS = FAN == 4 ? 3 : 2, EDGE = 1 << AXIS_BITS };

// Returns the number of set bits.
DEVICE u32 count_bits(u64 word) { return __popc((u32)word) + __popc((u32)(word >> 32)); }

// Returns the bit of a cell in a word of 8 x 8 or 4 x 4 x 4 cells.
DEVICE u32 bit_of_cell(u32 x, u32 y, u32 z) {
    u32 bit = 0;
    for (u32 k = 0; k < AXIS_BITS; k++) {
        bit |= (x >> k & 1) << (AXES * k) | (y >> k & 1) << (AXES * k + 1);
        if (FAN == 8) bit |= (z >> k & 1) << (AXES * k + 2);
    }
    return bit;
}

// Returns the cell of a bit in a word of 8 x 8 or 4 x 4 x 4 cells.
DEVICE Shape cell_of_word(Shape word, u32 bit) {
    u32 x = 0, y = 0, z = 0;
    for (u32 k = 0; k < AXIS_BITS; k++) {
        x |= (bit >> (AXES * k) & 1) << k;
        y |= (bit >> (AXES * k + 1) & 1) << k;
        if (FAN == 8) z |= (bit >> (AXES * k + 2) & 1) << k;
    }
    return {word.x * EDGE + x, word.y * EDGE + y, FAN == 8 ? word.z * EDGE + z : word.z};
}

// 16 bytes that are loaded at once.
struct __align__(16) Quad {
    u32 sums[4];
};

// The sums of the children of a cell.
struct Record {
    u32 sums[FAN];
};

// Returns the prefix sums of a record: for each child, the number of active cells up to its end.
DEVICE Record ends_of_record(const u32* sums, u64 record) {
    Record ends;
#pragma unroll
    for (u32 q = 0; q < FAN / 4; q++) {
        const Quad quad = ((const Quad*)sums)[record * (FAN / 4) + q];
#pragma unroll
        for (u32 k = 0; k < 4; k++) ends.sums[4 * q + k] = quad.sums[k];
    }
    if (!PARTIAL) {
#pragma unroll
        for (u32 c = 1; c < FAN; c++) ends.sums[c] += ends.sums[c - 1];
    }
    return ends;
}

// Returns the number to store in the slot of this thread, given the number of active cells below
// the slot. It is that number or, with PARTIAL, the prefix sum within the record. Every thread of
// the warp must call this function.
DEVICE u32 stored_sum(u32 sum) {
    if (PARTIAL) {
        for (u32 by = 1; by < FAN; by *= 2) {
            const u32 other = __shfl_up_sync(0xffffffffu, sum, by);
            if (lane_of_thread() % FAN >= by) sum += other;
        }
    }
    return sum;
}
