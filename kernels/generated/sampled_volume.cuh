// Generated from crates/gpu/src/volume.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The number type in which a volume is stored.
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

// A volume and its position in space.
struct SampledVolume {
    // The stored numbers, x fastest, or null if there are none.
    const void *numbers;
    // The world coordinates of the first number.
    double origin[3];
    // The derivative of the indices with respect to world coordinates, one row per index.
    double inverse[3][3];
    // The slope of the scaling: values are `slope * stored + intercept`.
    double slope;
    // The intercept of the scaling.
    double intercept;
    // The numbers of voxels along the axes.
    u32 shape[3];
    // The number type, as a value of `Stored`.
    u32 stored;
    // Whether a slope or an intercept is set.
    u32 scaled;
    // Unused.
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
