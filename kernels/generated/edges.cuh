// Generated from src/reconstruct/directed/edges.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The distance of a vertex from the center of the samples on one side, along that side and in
// radii, beyond which the vertex lies beyond an edge of the side. For evenly spread samples
// that end at the vertex, the distance is 0.235 radii. With random samples, it deviates by
// about 0.09 radii.
#define BEYOND 0.2

// The smallest product of two unit normals on both sides of an edge. The sides of a thin plate
// have a product of -1.
#define OPPOSITE -0.8

// The largest number of sides that meet at a corner.
enum : u32 { SIDES = 3u };
