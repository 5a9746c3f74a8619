// Numbers of a volume in the type of its file, and values between them: the twin of crates/core/src/volume/mod.rs, in double
// whatever the precision of the rest.
#pragma once
#include "common/types.cuh"

// Types that volumes are stored in: crates/core/src/volume/cuda.rs.
enum Stored {
    STORED_U8 = 0,
    STORED_I8 = 1,
    STORED_U16 = 2,
    STORED_I16 = 3,
    STORED_U32 = 4,
    STORED_I32 = 5,
    STORED_U64 = 6,
    STORED_I64 = 7,
    STORED_F32 = 8,
    STORED_F64 = 9,
};

// Number n of those of a type.
DEVICE double stored_number(const void* numbers, u32 stored, u64 n) {
    switch (stored) {
        case STORED_U8: return (double)((const u8*)numbers)[n];
        case STORED_I8: return (double)((const i8*)numbers)[n];
        case STORED_U16: return (double)((const u16*)numbers)[n];
        case STORED_I16: return (double)((const i16*)numbers)[n];
        case STORED_U32: return (double)((const u32*)numbers)[n];
        case STORED_I32: return (double)((const i32*)numbers)[n];
        case STORED_U64: return (double)((const u64*)numbers)[n];
        case STORED_I64: return (double)((const i64*)numbers)[n];
        case STORED_F32: return (double)((const float*)numbers)[n];
        default: return ((const double*)numbers)[n];
    }
}

// A volume with its place in the world: crates/core/src/volume/cuda.rs lays it out.
struct SampledVolume {
    const void* numbers;     // as stored, x fastest
    double origin[3];        // of the first one in the world
    double inverse[3][3];    // rows give the change of each index with world coordinates
    double slope, intercept; // of values
    u32 shape[3];
    u32 stored;              // their type
    u32 scaled;              // values are slope * stored + intercept
    u32 padding;

    DEVICE double value(u64 n) const {
        const double x = stored_number(numbers, stored, n);
        return scaled ? slope * x + intercept : x;
    }

    // Value at a place in the world: trilinear between voxels, beyond the border that of the nearest place on it
    // along the axes of the volume.
    DEVICE double at(const double (&x)[3]) const {
        const double offset[3] = {x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]};
        u32 low[3];
        double part[3];
#pragma unroll
        for (u32 k = 0; k < 3; k++) {
            const double last = (double)(shape[k] - 1);
            double index = (inverse[k][0] * offset[0] + inverse[k][1] * offset[1]) + inverse[k][2] * offset[2];
            if (index != index) return index;
            if (index < 0.0) index = 0.0;
            if (index > last) index = last;
            const u32 highest = shape[k] < 2 ? 0 : shape[k] - 2, below = (u32)index;
            low[k] = below < highest ? below : highest;
            part[k] = index - (double)low[k];
        }
        double sum = 0.0;
        // One after the other: a case for each type is code enough.
#pragma unroll 1
        for (u32 corner = 0; corner < 8; corner++) {
            const u32 i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
            const double along_x = i ? part[0] : 1.0 - part[0], along_y = j ? part[1] : 1.0 - part[1];
            const double weight = along_x * along_y * (k ? part[2] : 1.0 - part[2]);
            // A number without weight does not count, and may not be there.
            if (weight == 0.0) continue;
            sum += weight * value((low[0] + i) + shape[0] * ((low[1] + j) + (u64)shape[1] * (low[2] + k)));
        }
        return sum;
    }
};

#ifdef SAMPLED_VOLUME_BYTES
static_assert(sizeof(SampledVolume) == SAMPLED_VOLUME_BYTES, "the host lays out the same");
#endif
