// Lighting at the points that rays hit, the counterpart of `normal` in
// crates/view/src/render/solid_cubes.rs and of crates/view/src/render/light.rs.
//
// variants: LEVEL=0 | LEVEL=1
#include "render/light.cuh"
#include "render/solid_cubes.cuh"

// The largest distance, in voxels, from a hit to the voxels that contribute to its normal.
#define REACH 3.0

// Returns the position of a hit in voxel coordinates.
DEVICE Triple index_of(const Solid& solid, const Ray& ray, double t, u32 number) {
    Triple index = turned(solid, ray.from + ray.along * t - solid.origin);
    const u32 nx = solid.shape[0], ny = solid.shape[1];
    const u32 cube[3] = {number % nx, number / nx % ny, number / nx / ny};
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        // Rounding must not move the position out of the cube.
        const double middle = (double)cube[k] + solid.offset, low = middle - 0.5, high = middle + 0.5;
        const double x = index.at[k];
        index.at[k] = x < low ? low : x > high ? high : x;
    }
    return index;
}

#if LEVEL
// Interpolates the value at a position between voxels.
DEVICE double sampled(const Solid& solid, const Triple& index) {
    u32 low[3];
    double part[3];
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const double last = (double)solid.shape[k];
        const double x = index.at[k] < 0.0 ? 0.0 : index.at[k] > last ? last : index.at[k];
        low[k] = (u32)x < solid.shape[k] - 1 ? (u32)x : solid.shape[k] - 1;
        part[k] = x - (double)low[k];
    }
    double sum = 0.0;
#pragma unroll 1
    for (u32 corner = 0; corner < 8; corner++) {
        const u32 bx = corner & 1, by = corner >> 1 & 1, bz = corner >> 2;
        const double weight = (bx ? part[0] : 1.0 - part[0]) * (by ? part[1] : 1.0 - part[1]) *
                              (bz ? part[2] : 1.0 - part[2]);
        if (weight != 0.0) sum = sum + weight * value_of(solid, voxel_of(solid, low[0] + bx, low[1] + by, low[2] + bz));
    }
    return sum;
}

// Returns the gradient by central differences over two voxels. Values that are not finite are
// replaced by the value at the position.
DEVICE Triple gradient_at(const Solid& solid, const Triple& at) {
    const double center = sampled(solid, at);
    const double here = is_finite(center) ? center : 0.0;
    Triple slope;
    for (u32 k = 0; k < 3; k++) {
        const double last = (double)solid.shape[k];
        double x[2], value[2];
        for (u32 side = 0; side < 2; side++) {
            Triple beside = at;
            const double moved = at.at[k] + (side ? 1.0 : -1.0);
            beside.at[k] = moved < 0.0 ? 0.0 : moved > last ? last : moved;
            const double found = sampled(solid, beside);
            const bool known = is_finite(found);
            x[side] = known ? beside.at[k] : at.at[k];
            value[side] = known ? found : here;
        }
        slope.at[k] = x[1] > x[0] ? (value[1] - value[0]) / (x[1] - x[0]) : 0.0;
    }
    return slope;
}
#else
// Returns a vector that points toward fewer occupied voxels.
DEVICE Triple gradient_at(const Solid& solid, const Triple& at) {
    i32 low[3], high[3];
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        const double first = ceil(at.at[k] - REACH), last = floor(at.at[k] + REACH);
        low[k] = first > 0.0 ? (i32)first : 0;
        high[k] = last < (double)(solid.shape[k] - 1) ? (i32)last : (i32)solid.shape[k] - 1;
    }
    Triple sum = {0.0, 0.0, 0.0};
    for (i32 z = low[2]; z <= high[2]; z++) {
        for (i32 y = low[1]; y <= high[1]; y++) {
            const u64 row = number_of(solid, 0, y, z);
            for (i32 x = low[0]; x <= high[0]; x++) {
                if (!solid.inside[row + x]) continue;
                const Triple away = at - Triple{(double)x, (double)y, (double)z};
                const double left = 1.0 - dot(away, away) / (REACH * REACH);
                const double rest = left > 0.0 ? left : 0.0;
                sum = sum + away * (rest * rest);
            }
        }
    }
    return sum;
}
#endif

// Computes the color factor and the gloss of each hit.
//
// Grid: the picture in rectangles of RAYS_WIDE x RAYS_TALL rays. Block: 128. Shared memory: none.
//
// t, cubes  [tall][wide] hits from march_rays
// strength  [tall][wide]; undefined if nothing was hit
// gloss     [tall][wide]; undefined if nothing was hit
extern "C" __global__ void __launch_bounds__(128, 4)
    shade_hits(Solid solid, Frame frame, const double* t, const u32* cubes, float* strength, float* gloss) {
    u32 column, row;
    if (!place_of(frame, column, row)) return;
    const u64 n = (u64)row * frame.wide + column;
    if (!(t[n] < infinity())) return;
    const Ray ray = ray_of(frame, column, row);
    const Triple slope = gradient_at(solid, index_of(solid, ray, t[n], cubes[n]));
    // Convert the gradient from voxel coordinates to world coordinates.
    Triple normal;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        double sum = 0.0;
        for (u32 axis = 0; axis < 3; axis++) sum = sum + solid.inverse[axis].at[k] * slope.at[axis];
        normal.at[k] = sum;
    }
    const double size = sqrt(dot(normal, normal));
    normal = size > 0.0 && size < infinity() ? normal * (1.0 / size) : ray.along * -1.0;
    const Shade shade = shade_of(normal, frame, frame.perspective ? ray.along * -1.0 : frame.toward);
    strength[n] = shade.strength;
    gloss[n] = shade.gloss;
}
