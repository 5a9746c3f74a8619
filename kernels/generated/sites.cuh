// Printed from crates/cloud/src/point_distance/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// Threads of a block that compares.
#define THREADS 128u

// Sites of a tile.
#define TILE 256u

// What every comparison of queries with sites takes; coordinates are of the type `stored`.
struct Sites {
    // `[n_sites every]`
    const stored *axes[3];
    // `[n_queries][3]`
    const stored *queries;
    // `[n_queries]` all bits of key << 32 | site turned round; zero before. Of keys of 64 bits
    // `[slices][n_queries][2]`, key and site of each slice, turned round.
    u64 *found;
    // Sites are 0, every, 2 every, ...
    u32 n_sites;
    u32 n_queries;
    // Sites of a block, a multiple of TILE.
    u32 slice;
    // Blocks that share a slice.
    u32 groups;
    u32 every;
    // Number of site 0.
    u32 first;
};
static_assert(sizeof(Sites) == 64, "size of Sites");
ASSERT_OFFSET(Sites, axes, 0);
ASSERT_OFFSET(Sites, queries, 24);
ASSERT_OFFSET(Sites, found, 32);
ASSERT_OFFSET(Sites, n_sites, 40);
ASSERT_OFFSET(Sites, n_queries, 44);
ASSERT_OFFSET(Sites, slice, 48);
ASSERT_OFFSET(Sites, groups, 52);
ASSERT_OFFSET(Sites, every, 56);
ASSERT_OFFSET(Sites, first, 60);

// What a comparison of all takes; `C` has the bytes of `stored`.
struct Brute {
    Sites sites;
    // KEY_F32_ON_LATTICE: what coordinates are taken from, so that they are small.
    stored corner[3];
    // KEY_F32_ON_LATTICE: at least |q|^2 of any query; positive keys compare as whole numbers.
    float shift;
};
static_assert(sizeof(Brute) == (sizeof(real) == 8 ? 96 : 80), "size of Brute");
ASSERT_OFFSET(Brute, sites, 0);
ASSERT_OFFSET(Brute, corner, 64);
ASSERT_OFFSET(Brute, shift, (sizeof(real) == 8 ? 88 : 76));

// What a comparison in cones, or in a norm of any order, takes.
struct Selective {
    Sites sites;
    // `[n_directions][3]` of length 1.
    const double *directions;
    // One for each query, or one for all.
    u32 n_directions;
    u32 has_cylinder;
    double order;
    double cosine;
    double radius;
};
static_assert(sizeof(Selective) == 104, "size of Selective");
ASSERT_OFFSET(Selective, sites, 0);
ASSERT_OFFSET(Selective, directions, 64);
ASSERT_OFFSET(Selective, n_directions, 72);
ASSERT_OFFSET(Selective, has_cylinder, 76);
ASSERT_OFFSET(Selective, order, 80);
ASSERT_OFFSET(Selective, cosine, 88);
ASSERT_OFFSET(Selective, radius, 96);
