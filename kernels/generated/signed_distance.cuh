// Generated from src/surface/signed_distance/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// A box counts as distant if its center is farther away than this multiple of its radius.
#define FAR 3.0

// A point is on a triangle if the terms of its solid angle are below this fraction of the
// product of the distances from the corners.
#define ON_TRIANGLE 1e-13

// The smallest absolute value of winding numbers that do not tell inside from outside.
#define UNDECIDED_FROM 0.2

// The end of the range of these absolute values.
#define UNDECIDED_TO 0.8

// A node of a tree of triangles.
struct TreeNode {
    double low[3];
    double high[3];
    // The range of its triangles, in tree order.
    u32 begin;
    u32 end;
    // The second child, or 0 for a leaf. The first child follows the node.
    u32 second;
    // Unused.
    u32 padding;
};
static_assert(sizeof(TreeNode) == 64, "size of TreeNode");
ASSERT_OFFSET(TreeNode, low, 0);
ASSERT_OFFSET(TreeNode, high, 24);
ASSERT_OFFSET(TreeNode, begin, 48);
ASSERT_OFFSET(TreeNode, end, 52);
ASSERT_OFFSET(TreeNode, second, 56);
ASSERT_OFFSET(TreeNode, padding, 60);

// The expansion that replaces the triangles of a distant node.
struct NodeDipole {
    double center[3];
    double normal[3];
    // Rows of the first moment.
    double moment[3][3];
    double radius;
};
static_assert(sizeof(NodeDipole) == 128, "size of NodeDipole");
ASSERT_OFFSET(NodeDipole, center, 0);
ASSERT_OFFSET(NodeDipole, normal, 24);
ASSERT_OFFSET(NodeDipole, moment, 48);
ASSERT_OFFSET(NodeDipole, radius, 120);

// A surface prepared for signed distances.
struct SignedSurface {
    // The tree of the triangles to which distances are measured.
    const TreeNode *nodes;
    // `[n][3][3]`, in tree order
    const double *corners;
    // Unit normals, `[n][3]`, in tree order
    const double *normals;
    // Indices in the mesh, `[n]`, in tree order
    const u32 *names;
    // The tree of the whole surface, which determines winding numbers.
    const TreeNode *whole_nodes;
    // `[n_whole][3][3]`, in tree order
    const double *whole_corners;
    const NodeDipole *dipoles;
    // The largest distance of a corner of the box from the origin.
    double reach;
    // The distance, relative to the largest coordinate, up to which points are on the surface.
    double rounding;
    // The distance up to which the side of a point does not matter.
    double on;
};
static_assert(sizeof(SignedSurface) == 80, "size of SignedSurface");
ASSERT_OFFSET(SignedSurface, nodes, 0);
ASSERT_OFFSET(SignedSurface, corners, 8);
ASSERT_OFFSET(SignedSurface, normals, 16);
ASSERT_OFFSET(SignedSurface, names, 24);
ASSERT_OFFSET(SignedSurface, whole_nodes, 32);
ASSERT_OFFSET(SignedSurface, whole_corners, 40);
ASSERT_OFFSET(SignedSurface, dipoles, 48);
ASSERT_OFFSET(SignedSurface, reach, 56);
ASSERT_OFFSET(SignedSurface, rounding, 64);
ASSERT_OFFSET(SignedSurface, on, 72);
