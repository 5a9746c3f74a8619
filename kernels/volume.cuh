// The numbers of a volume, stored in the type of its file, and interpolation between them: the
// counterpart of crates/core/src/volume/mod.rs, always in double precision.
#pragma once
#include "generated/sampled_volume.cuh"

// Returns element n of an array whose elements have the type `stored`.
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

// Returns the value of voxel n: its stored number, scaled if the volume has a scaling.
DEVICE double value_of(const SampledVolume& volume, u64 n) {
    const double x = stored_number(volume.numbers, volume.stored, n);
    return volume.scaled ? volume.slope * x + volume.intercept : x;
}

// Returns the value at a point in the world, by trilinear interpolation between voxels. Outside
// the grid, each index is clamped to the grid. Returns NaN if an index is NaN.
DEVICE double sampled(const SampledVolume& volume, const double (&x)[3]) {
    const double offset[3] = {x[0] - volume.origin[0], x[1] - volume.origin[1], x[2] - volume.origin[2]};
    u32 low[3];
    double part[3];
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const double last = (double)(volume.shape[k] - 1);
        double index = (volume.inverse[k][0] * offset[0] + volume.inverse[k][1] * offset[1]) + volume.inverse[k][2] * offset[2];
        if (index != index) return index;
        if (index < 0.0) index = 0.0;
        if (index > last) index = last;
        const u32 highest = volume.shape[k] < 2 ? 0 : volume.shape[k] - 2, below = (u32)index;
        low[k] = below < highest ? below : highest;
        part[k] = index - (double)low[k];
    }
    double sum = 0.0;
    // Do not unroll: the switch over the types is long, and one copy of it is enough.
#pragma unroll 1
    for (u32 corner = 0; corner < 8; corner++) {
        const u32 i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        const double along_x = i ? part[0] : 1.0 - part[0], along_y = j ? part[1] : 1.0 - part[1];
        const double weight = along_x * along_y * (k ? part[2] : 1.0 - part[2]);
        // A voxel with weight zero does not matter, and need not exist.
        if (weight == 0.0) continue;
        sum += weight * value_of(volume, (low[0] + i) + volume.shape[0] * ((low[1] + j) + (u64)volume.shape[1] * (low[2] + k)));
    }
    return sum;
}
