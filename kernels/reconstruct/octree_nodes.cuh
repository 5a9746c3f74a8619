// Nodes of the octree in traversal order. src/reconstruct/potential/cuda/octree.rs defines the
// layout.
#pragma once
#include "common/types.cuh"

// The centroid of the samples of a node, relative to the center of the cube and in voxels of the
// finest level, and the number of samples.
struct __align__(16) Center {
    float at[3];
    float count;
};

// The first node after the subtree of a node, and the level of the node.
struct __align__(8) Link {
    u32 next, level;
};
