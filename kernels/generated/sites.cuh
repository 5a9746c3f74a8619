// Generated from crates/cloud/src/point_distance/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// The number of threads per block.
#define THREADS 128u

// The number of sites per tile.
#define TILE 256u

// The arguments of every comparison of queries with sites. Coordinates have the type `stored`.
struct Sites {
    // The coordinates of the sites, at most `[n_sites * every]` per axis.
    const stored *axes[3];
    // The coordinates of the queries, `[n_queries][3]`.
    const stored *queries;
    // The results: the bitwise complement of key << 32 | site, `[n_queries]`, initially zero.
    // For 64-bit keys, the complements of key and site of each slice,
    // `[slices][n_queries][2]`.
    u64 *found;
    // The number of sites that are compared: sites 0, every, 2 every, ...
    u32 n_sites;
    u32 n_queries;
    // The number of sites per block, a multiple of TILE.
    u32 slice;
    // The number of blocks that share a slice.
    u32 groups;
    u32 every;
    // The index of the first site.
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

// The arguments of a comparison of all pairs. `C` has the size of `stored`.
struct Brute {
    Sites sites;
    // The origin of the coordinates, which keeps them small, for KEY_F32_ON_LATTICE.
    stored corner[3];
    // An upper bound on |q|^2 for all queries, for KEY_F32_ON_LATTICE. It makes keys positive,
    // so that they compare as integers.
    float shift;
};
static_assert(sizeof(Brute) == (sizeof(real) == 8 ? 96 : 80), "size of Brute");
ASSERT_OFFSET(Brute, sites, 0);
ASSERT_OFFSET(Brute, corner, 64);
ASSERT_OFFSET(Brute, shift, (sizeof(real) == 8 ? 88 : 76));

// The arguments of a comparison in cones, or in a norm of any order.
struct Selective {
    Sites sites;
    // The unit directions, `[n_directions][3]`.
    const double *directions;
    // The number of directions: one per query, or one for all.
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
