// Finds and numbers the crossings of a tile.
#pragma once
#include "surface/cubes/tile.cuh"

// Marks the crossings that belong to the tile, and returns their number. The whole warp must call
// this.
DEVICE u32 mark_crossings(const Block& b) {
    Room& room = b.room;
    const u32 lane = lane_of_thread(), full = (1u << E) - 1;
    for (u32 k = lane; k < RECORD; k += WARP) room.record[k] = 0;
    __syncwarp();
    for (u32 n = lane; n < E * E; n += WARP) {
        const u32 y = n % E, z = n / E, r = SIDE * (z + 1) + y + 1;
        const u32 in = room.inside[r], gap = room.gaps[r];
        const u32 place = E * (y + E * z), word = place / 32, shift = place % 32;
        const auto crossed = [&](u32 other, u32 by) {
            return ((in ^ room.inside[other] >> by) & ~(gap | room.gaps[other] >> by)) >> 1 & full;
        };
        const u32 along[3] = {crossed(r, 1), crossed(r + 1, 0), crossed(r + SIDE, 0)};
#pragma unroll
        for (u32 a = 0; a < 3; a++) {
            if (along[a]) atomicOr(&room.record[a * WORDS + word], along[a] << shift);
        }
        // Crossings from missing tiles below. Those along x enter this row, and those along y and z
        // enter the first rows.
        u32* coming = room.record + COMING;
        if (!(b.present >> (CENTER - 1) & 1) && ((in ^ in >> 1) & ~(gap | gap >> 1) & 1)) {
            const u32 at = y + E * z;
            atomicOr(&coming[at / 32], 1u << at % 32);
        }
        if (y == 0 && !(b.present >> (CENTER - 3) & 1)) {
            for (u32 bits = crossed(r - 1, 0); bits != 0; bits &= bits - 1) {
                const u32 at = z + E * (__ffs(bits) - 1);
                atomicOr(&coming[FACE_WORDS + at / 32], 1u << at % 32);
            }
        }
        if (z == 0 && !(b.present >> (CENTER - 9) & 1)) {
            const u32 at = E * y;
            atomicOr(&coming[2 * FACE_WORDS + at / 32], crossed(r - SIDE, 0) << at % 32);
        }
    }
    __syncwarp();
    u32 n = 0;
    if (lane < WORDS) {
        for (u32 a = 0; a < 3; a++) n += __popc(room.record[a * WORDS + lane]);
    }
    const u32 upto = inclusive_scan_of_warp(n);
    if (lane < WORDS) room.record[BEFORE + lane] = upto - n;
    const u32 inner = __shfl_sync(0xffffffffu, upto, WARP - 1);
    if (lane == 0) room.record[INNER] = inner;
    __syncwarp();
    u32 all = inner;
    for (u32 k = 0; k < 3 * FACE_WORDS; k++) all += __popc(room.record[COMING + k]);
    return all;
}

// Returns the index of a crossing among the crossings of its tile. The crossing lies on the edge
// that starts at a voxel of the tile and runs along axis `a`.
DEVICE u32 rank_of(const u32* record, u32 voxel, u32 a) {
    const u32 word = voxel / 32, bit = voxel % 32, below = (1u << bit) - 1;
    const u32 x = record[word], y = record[WORDS + word], z = record[2 * WORDS + word];
    const u32 before = record[BEFORE + word] + __popc(x & below) + __popc(y & below) + __popc(z & below);
    return before + (a > 0 ? x >> bit & 1 : 0) + (a > 1 ? y >> bit & 1 : 0);
}

// Returns the index of a crossing that enters the tile along axis `a` at position `place` of the
// face.
DEVICE u32 rank_of_coming(const u32* record, u32 place, u32 a) {
    u32 rank = record[INNER];
    for (u32 k = 0; k < a * FACE_WORDS + place / 32; k++) rank += __popc(record[COMING + k]);
    return rank + __popc(record[COMING + a * FACE_WORDS + place / 32] & ((1u << place % 32) - 1));
}
