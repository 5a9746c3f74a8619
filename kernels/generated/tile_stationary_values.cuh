// Generated from src/levelset/tiled/cuda/stationary_coefficients.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// The integer that represents the largest absolute value of a component in a tile.
enum { KEPT_MOST = 32767 };

// Index of the quantization step of the 16-bit numbers among the extremes of a tile.
enum { KEPT_UNIT = 0 };

// Index of the largest sum of the absolute values of all components at a voxel.
enum { KEPT_LARGEST = 1 };

// Index of the smallest component, or of the number 0 if none is negative. It is used only for
// coefficients with one component.
enum { KEPT_LEAST = 2 };

// The number of extremes of a tile.
enum { KEPT_EXTREMES = 3 };

// A coefficient stored with the tiles, by tile id.
struct StationaryValues {
    // `[capacity][components][E^3]` values.
    short *values;
    // `[capacity][KEPT_EXTREMES]` extremes, NaN if a value is not finite.
    real *extremes;
};
static_assert(sizeof(StationaryValues) == 16, "size of StationaryValues");
ASSERT_OFFSET(StationaryValues, values, 0);
ASSERT_OFFSET(StationaryValues, extremes, 8);
