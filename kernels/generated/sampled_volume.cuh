// Printed from crates/gpu/src/volume.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Types that volumes are stored in.
enum Stored {
    // `u8`
    STORED_U8 = 0,
    // `i8`
    STORED_I8 = 1,
    // `u16`
    STORED_U16 = 2,
    // `i16`
    STORED_I16 = 3,
    // `u32`
    STORED_U32 = 4,
    // `i32`
    STORED_I32 = 5,
    // `u64`
    STORED_U64 = 6,
    // `i64`
    STORED_I64 = 7,
    // `f32`
    STORED_F32 = 8,
    // `f64`
    STORED_F64 = 9,
};

// A volume with its place in the world.
struct SampledVolume {
    // The stored numbers, x fastest; null without any.
    const void *numbers;
    // Where the first one lies in the world.
    double origin[3];
    // Rows give the change of each index with world coordinates.
    double inverse[3][3];
    // Values are `slope * stored + intercept`.
    double slope;
    // See `slope`.
    double intercept;
    // Numbers along the axes.
    u32 shape[3];
    // Their type, a number of `Stored`.
    u32 stored;
    // Whether there is a slope or an intercept.
    u32 scaled;
    // Nothing.
    u32 padding;
};
static_assert(sizeof(SampledVolume) == 144, "size of SampledVolume");
ASSERT_OFFSET(SampledVolume, numbers, 0);
ASSERT_OFFSET(SampledVolume, origin, 8);
ASSERT_OFFSET(SampledVolume, inverse, 32);
ASSERT_OFFSET(SampledVolume, slope, 104);
ASSERT_OFFSET(SampledVolume, intercept, 112);
ASSERT_OFFSET(SampledVolume, shape, 120);
ASSERT_OFFSET(SampledVolume, stored, 132);
ASSERT_OFFSET(SampledVolume, scaled, 136);
ASSERT_OFFSET(SampledVolume, padding, 140);
