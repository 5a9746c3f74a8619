// The set of cubes in a volume that rays can hit, the counterpart of
// crates/view/src/render/solid_cubes.rs. If LEVEL is 1, each cube lies between eight voxels, and
// rays hit the isosurface in it. If LEVEL is 0, the voxels themselves are the cubes.
#pragma once
#include "render/grid_traversal.cuh"
#include "render/projection.cuh"
#include "render/level_crossing.cuh"
#include "volume.cuh"

DEVICE u64 number_of(const Solid& solid, i32 x, i32 y, i32 z) {
    return (u64)x + (u64)solid.shape[0] * ((u64)y + (u64)solid.shape[1] * (u64)z);
}

DEVICE Triple turned(const Solid& solid, const Triple& x) {
    return Triple{dot(solid.inverse[0], x), dot(solid.inverse[1], x), dot(solid.inverse[2], x)};
}

// Starts the traversal of a ray through the box of all occupied cubes. Returns false if the ray
// misses the box.
DEVICE bool course_of(const Solid& solid, const Ray& ray, GridTraversal& course) {
    if (!solid.holds) return false;
    Triple from = turned(solid, ray.from - solid.origin);
#pragma unroll
    for (u32 k = 0; k < 3; k++) from.at[k] = from.at[k] - solid.offset;
    return course.through(from, turned(solid, ray.along), solid.low, solid.high);
}

// Returns the value of voxel n.
DEVICE double value_of(const Solid& solid, u64 n) {
    const double x = stored_number(solid.values, solid.stored, n);
    return solid.scaled ? solid.slope * x + solid.intercept : x;
}

// Returns the index of a voxel if LEVEL is 1. The volume then has one more voxel than cubes along
// each axis.
DEVICE u64 voxel_of(const Solid& solid, u32 x, u32 y, u32 z) {
    return (u64)x + (u64)(solid.shape[0] + 1) * ((u64)y + (u64)(solid.shape[1] + 1) * (u64)z);
}

// Returns the t at which the ray hits something in a cube, or NaN if it hits nothing. The ray is
// inside the cube from `enter` to `leave`.
DEVICE double meets(const Solid& solid, const GridTraversal& course, const i32* cube, double enter, double leave) {
    if (!solid.inside[number_of(solid, cube[0], cube[1], cube[2])]) return not_a_number();
#if LEVEL
    double values[8];
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        values[k] = value_of(solid, voxel_of(solid, cube[0] + (k & 1), cube[1] + (k >> 1 & 1), cube[2] + (k >> 2)));
    }
    const Triple middle = {(double)cube[0] - 0.5, (double)cube[1] - 0.5, (double)cube[2] - 0.5};
    const Cubic along = cubic_of(values, course.at(enter) - middle, course.along);
    return enter + first_crossing(along, solid.level, leave - enter);
#else
    return enter;
#endif
}
