// What every comparison of queries with sites takes: crates/cloud/src/point_distance/cuda/layout.rs lays it out.
#pragma once
#include "common/types.cuh"

template <typename T>
struct Sites {
    const T* axes[3];       // [n_sites every]
    const T* queries;       // [n_queries, 3]
    u64* found;             // [n_queries] all bits of key << 32 | site turned round; zero before. Of keys of 64 bits
                            // [slices, n_queries, 2], key and site of each slice, turned round
    u32 n_sites, n_queries; // sites are 0, every, 2 every, ...
    u32 slice;              // sites of a block, a multiple of TILE
    u32 groups;             // blocks that share a slice
    u32 every;
    u32 first;              // number of site 0
};
