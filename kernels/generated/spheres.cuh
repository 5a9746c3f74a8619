// Generated from src/reconstruct/directed/spheres.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The smallest product of two unit normals on the same side of a surface.
#define SAME_SIDE 0.2

// The largest distance of a vertex from the tangent plane of its nearest sample, in cubes, at
// which a sphere is fitted. Beyond it, the surface is far away, and only the sign matters.
#define FITTED 3.0

// The smallest weighted mean square distance of samples from their center, in squared cubes,
// at which they determine a sphere.
#define SPREAD 1e-6

// The smallest length of the gradient of a fitted sphere.
#define SHORTEST_GRADIENT 1e-9
