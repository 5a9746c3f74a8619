// Printed from src/levelset/tiled/cuda/stationary_coefficients.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// What stands for the largest component of a tile.
enum { KEPT_MOST = 32767 };

// What is known of the values of a tile: what one step of the 16 bits is worth, ...
enum { KEPT_UNIT = 0 };

// ... the largest sum of the sizes of all components at a voxel, ...
enum { KEPT_LARGEST = 1 };

// ... and the smallest component, 0 at most, which is asked of single numbers only.
enum { KEPT_LEAST = 2 };

// How many numbers that are.
enum { KEPT_EXTREMES = 3 };

// A coefficient kept with the tiles, by their ids.
struct StationaryValues {
    // `[capacity][components][E^3]`
    short *values;
    // `[capacity][KEPT_EXTREMES]`, not numbers where a value is none.
    real *extremes;
};
static_assert(sizeof(StationaryValues) == 16, "size of StationaryValues");
ASSERT_OFFSET(StationaryValues, values, 0);
ASSERT_OFFSET(StationaryValues, extremes, 8);
