// Grids of up to three axes, x fastest.
#pragma once

#include "common/types.cuh"

// The number of cells along each axis, or the indices of a cell.
struct Shape {
    u32 x, y, z;
};

DEVICE u64 raster(Shape s, u32 x, u32 y, u32 z) { return x + (u64)s.x * (y + (u64)s.y * z); }
