// Rows of bits of a dense volume, with 32 voxels per word. The counterpart of
// src/surface/isosurface/{masks,rows}.rs.
#pragma once
#include "generated/isosurface.cuh"
#include "primitives/block.cuh"

DEVICE u32 lowest_bits(u32 n) { return n >= 32 ? ~0u : (1u << n) - 1; }

// Words of bits for the four rows of voxels at (y, z), (y + 1, z), (y, z + 1) and (y + 1, z + 1).
struct Word {
    u32 inside[4];   // voxels inside
    u32 along_x[4];  // crossed edges along x from the voxels of each row
    u32 along_y[2];  // crossed edges along y from the rows at z and z + 1
    u32 along_z[2];  // crossed edges along z from the rows at y and y + 1
    u32 cut;         // cut cubes between the rows, without a missing value at a corner
};

// A row and the next rows along y, along z and along both. `is_in` marks the rows that are in the
// volume.
struct Rows {
    u32 row[4];
    u32 is_in;  // bit k: row k is in the volume

    DEVICE Rows(const Surface& s, u32 own, u32 y, u32 z) {
        const u32 ny = s.size[1], up = y + 1 < ny, back = z + 1 < s.size[2];
#pragma unroll
        for (u32 k = 0; k < 4; k++) row[k] = own + (k & 1) + (k >> 1) * ny;
        is_in = 1 | up << 1 | back << 2 | (up & back) << 3;
    }

    DEVICE u32 get(const Surface& s, const u32* bits, u32 k, u32 w) const {
        return (is_in >> k & 1) && w < s.words ? bits[(u64)row[k] * s.words + w] : 0;
    }

    // Computes the bits of word `w`. They are zero beyond the end of the row.
    DEVICE Word word(const Surface& s, u32 w, bool has_missing) const {
        Word word;
        u32 next[4];
        const u32 left = w < s.words ? s.size[0] - w * 32 : 1;
        const u32 here = w < s.words ? lowest_bits(left) : 0, pairs = lowest_bits(left - 1);
        u32 any = 0, every = ~0u;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            word.inside[k] = get(s, s.inside, k, w);
            next[k] = word.inside[k] >> 1 | get(s, s.inside, k, w + 1) << 31;
            word.along_x[k] = (word.inside[k] ^ next[k]) & pairs;
            any |= word.inside[k] | next[k];
            every &= word.inside[k] & next[k];
        }
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            const u32 up = is_in >> (2 * k + 1) & 1, back = is_in >> (k + 2) & 1;
            word.along_y[k] = up ? (word.inside[2 * k] ^ word.inside[2 * k + 1]) & here : 0;
            word.along_z[k] = back ? (word.inside[k] ^ word.inside[k + 2]) & here : 0;
        }
        word.cut = is_in >> 3 ? any & ~every & pairs : 0;
        if (has_missing) leave_out(s, w, word);
        return word;
    }

    // Clears edges and cubes next to a voxel without a value.
    DEVICE void leave_out(const Surface& s, u32 w, Word& word) const {
        u32 gap[4], all = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            gap[k] = get(s, s.missing, k, w);
            const u32 next = gap[k] >> 1 | get(s, s.missing, k, w + 1) << 31;
            word.along_x[k] &= ~(gap[k] | next);
            all |= gap[k] | next;
        }
#pragma unroll
        for (u32 k = 0; k < 2; k++) {
            word.along_y[k] &= ~(gap[2 * k] | gap[2 * k + 1]);
            word.along_z[k] &= ~(gap[k] | gap[k + 2]);
        }
        word.cut &= ~all;
    }
};

// Returns the case of a cut cube, given the bits of its word.
DEVICE u32 case_at(const u32 (&inside)[4], const u32 (&along_x)[4], u32 bit) {
    u32 found = 0;
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        found |= (inside[k] >> bit & 1) << (2 * k) | ((inside[k] ^ along_x[k]) >> bit & 1) << (2 * k + 1);
    }
    return found;
}

// The rows that a warp processes: WARP / lanes consecutive rows, or a part of one row.
struct Place {
    u32 row, y, z;  // of this lane
    u32 first_w;    // index of the word that the row's first lane processes
    bool is_in;     // whether the row is in the volume

    DEVICE Place(const Surface& s, u32 group) {
        row = group * (WARP / s.lanes) + lane_of_thread() / s.lanes;
        y = row % s.size[1];
        z = row / s.size[1];
        first_w = 0;
        is_in = z < s.size[2];
    }

    // Returns the word of this lane, or a word beyond the row if there is none.
    DEVICE u32 word(const Surface& s) const { return is_in ? first_w + lane_of_thread() % s.lanes : s.words; }
};

// Returns the number of warps that are needed to process all rows.
DEVICE u32 groups_of(const Surface& s) {
    const u32 n_rows = s.size[1] * s.size[2], rows = WARP / s.lanes;
    return (n_rows + rows - 1) / rows;
}

// Returns the sum over the preceding lanes that share the row of this lane. Sets `sum` to the sum
// over all lanes of the row.
DEVICE u32 sum_before(u32 value, u32 lanes, u32& sum) {
    const u32 lane = lane_of_thread();
    u32 upto = value;
    for (u32 by = 1; by < lanes; by *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, upto, by);
        if (lane % lanes >= by) upto += other;
    }
    sum = __shfl_sync(0xffffffffu, upto, lane | (lanes - 1));
    return upto - value;
}

// Sums a value over the rows of a warp. The lanes of a row must have the same value.
DEVICE u32 sum_of_rows(u32 value, u32 lanes) {
    for (u32 by = lanes; by < WARP; by *= 2) value += __shfl_xor_sync(0xffffffffu, value, by);
    return value;
}

// Returns whether the surface fits into the allocated memory.
DEVICE bool has_room(const Surface& s) {
    return s.totals->vertices <= s.room[0] && s.totals->triangles <= s.room[1];
}
