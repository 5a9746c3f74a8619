// Nodes of the octree as they are walked through: src/reconstruct/potential/cuda/octree.rs lays them out.
#pragma once
#include "common/types.cuh"

// Centroid of the samples of a node, finest voxels from the middle of the cube, and their number.
struct __align__(16) Center {
    float at[3];
    float count;
};

// The first node behind all that a node holds, and its level.
struct __align__(8) Link {
    u32 next, level;
};
