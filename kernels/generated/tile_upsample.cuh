// Generated from src/grid/cuda/upsample.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "tiles/storage.cuh"

// Flaw: a value is NaN.
enum : u32 { NOT_A_NUMBER = 1u };

// Flaw: a tile is out of range.
enum : u32 { BEYOND = 2u };

// Flaw: phi jumps. Ignored until the tile set is complete.
enum : u32 { JUMPS = 4u };

// The result that the host reads.
struct Status {
    // The number of missing tiles that are requested. A tile counts once per request.
    u32 asked;
    // Bits: `NOT_A_NUMBER`, `BEYOND`, `JUMPS`.
    u32 flaws;
};
static_assert(sizeof(Status) == 8, "size of Status");
ASSERT_OFFSET(Status, asked, 0);
ASSERT_OFFSET(Status, flaws, 4);

// The candidate tiles of the finer grid and their properties.
struct Upsample {
    // phi of the coarse tiles, by id.
    const stored *phi;
    // phi of the fine tiles, by list position.
    stored *fine;
    // `[n]` keys of the candidates in ascending order.
    u64 *keys;
    // `[n]` request masks.
    u32 *activity;
    // `[n]` signs of the neighbors as if they were missing.
    u32 *borders;
    // `[n]` neighbors to add to the next generation.
    u32 *wanted;
    // `[room]` keys of requested tiles that are missing.
    u64 *asked;
    // `[n]` 1 if the tile stays.
    u32 *keeps;
    // The status, zero at the start.
    Status *status;
    // The half widths of the bands of the coarse and the fine grid.
    double gamma[2];
    // The number of layers within which active voxels request neighbors.
    u32 reach;
    // The number of candidates.
    u32 n;
    // The number of keys that `asked` can hold.
    u32 room;
    // Padding, zero.
    u32 padding;
};
static_assert(sizeof(Upsample) == 104, "size of Upsample");
ASSERT_OFFSET(Upsample, phi, 0);
ASSERT_OFFSET(Upsample, fine, 8);
ASSERT_OFFSET(Upsample, keys, 16);
ASSERT_OFFSET(Upsample, activity, 24);
ASSERT_OFFSET(Upsample, borders, 32);
ASSERT_OFFSET(Upsample, wanted, 40);
ASSERT_OFFSET(Upsample, asked, 48);
ASSERT_OFFSET(Upsample, keeps, 56);
ASSERT_OFFSET(Upsample, status, 64);
ASSERT_OFFSET(Upsample, gamma, 72);
ASSERT_OFFSET(Upsample, reach, 88);
ASSERT_OFFSET(Upsample, n, 92);
ASSERT_OFFSET(Upsample, room, 96);
ASSERT_OFFSET(Upsample, padding, 100);
