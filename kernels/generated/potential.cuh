// Generated from src/reconstruct/potential/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// Number of samples that a block sums.
enum { SUMMED = 2048 };

// The cube around a cloud.
struct Frame {
    double middle[3];
    double voxel;
    // Half the number of cells along an axis.
    double half;
    // Largest index of a cell along an axis.
    u32 most;
    u32 depth;
};
static_assert(sizeof(Frame) == 48, "size of Frame");
ASSERT_OFFSET(Frame, middle, 0);
ASSERT_OFFSET(Frame, voxel, 24);
ASSERT_OFFSET(Frame, half, 32);
ASSERT_OFFSET(Frame, most, 40);
ASSERT_OFFSET(Frame, depth, 44);

// Cells of the finest level that contain samples.
struct Cells {
    // Ascending keys of the samples, `[samples]`.
    const u64 *keys;
    // First sample of each cell, `[n]`.
    const u32 *starts;
    u32 n;
    u32 depth;
    u32 samples;
    u32 padding;
};
static_assert(sizeof(Cells) == 32, "size of Cells");
ASSERT_OFFSET(Cells, keys, 0);
ASSERT_OFFSET(Cells, starts, 8);
ASSERT_OFFSET(Cells, n, 16);
ASSERT_OFFSET(Cells, depth, 20);
ASSERT_OFFSET(Cells, samples, 24);
ASSERT_OFFSET(Cells, padding, 28);

// The octree and the parameters of the sums.
struct Field {
    const struct Center *centers;
    const struct Link *links;
    u32 nodes;
    u32 level;
    // Voxels of the level per finest voxel.
    float scale;
    float theta;
    // Square of the softening, in voxels of the level.
    float square;
    // (p - 1) / (p + 1)
    float share;
    // Apparent distance of the samples at which a hull stops.
    float stop;
    u32 padding;
};
static_assert(sizeof(Field) == 48, "size of Field");
ASSERT_OFFSET(Field, centers, 0);
ASSERT_OFFSET(Field, links, 8);
ASSERT_OFFSET(Field, nodes, 16);
ASSERT_OFFSET(Field, level, 20);
ASSERT_OFFSET(Field, scale, 24);
ASSERT_OFFSET(Field, theta, 28);
ASSERT_OFFSET(Field, square, 32);
ASSERT_OFFSET(Field, share, 36);
ASSERT_OFFSET(Field, stop, 40);
ASSERT_OFFSET(Field, padding, 44);
