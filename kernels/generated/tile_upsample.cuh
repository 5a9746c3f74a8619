// Printed from src/grid/cuda/upsample.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "tiles/storage.cuh"

// Flaw: a value is not a number.
enum : u32 { NOT_A_NUMBER = 1u };

// Flaw: tiles are out of range.
enum : u32 { BEYOND = 2u };

// Flaw of a set that may still grow: phi jumps.
enum : u32 { JUMPS = 4u };

// What the program looks at.
struct Status {
    // Tiles that are asked for and not there, each as often as it is.
    u32 asked;
    // Bits: `NOT_A_NUMBER`, `BEYOND`, `JUMPS`.
    u32 flaws;
};
static_assert(sizeof(Status) == 8, "size of Status");
ASSERT_OFFSET(Status, asked, 0);
ASSERT_OFFSET(Status, flaws, 4);

// Tiles that may stand in the finer lattice, and what is known of them.
struct Upsample {
    // phi of the coarse tiles, by id.
    const stored *phi;
    // phi of the fine ones, by their place in the list.
    stored *fine;
    // `[n]` of the tiles that are looked at, ascending.
    u64 *keys;
    // `[n]` what they ask for.
    u32 *activity;
    // `[n]` signs that missing neighbors would have.
    u32 *borders;
    // `[n]` neighbors that the next generation holds.
    u32 *wanted;
    // `[room]` keys of missing tiles that are asked for.
    u64 *asked;
    // `[n]` 1 where a tile stays.
    u32 *keeps;
    // One, zero at the start.
    Status *status;
    // Half width of the band of the coarse and of the fine lattice.
    double gamma[2];
    // Layers within which active voxels ask for neighbors.
    u32 reach;
    // Tiles that are looked at.
    u32 n;
    // Keys there is room for among those asked for.
    u32 room;
    // Zero.
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
