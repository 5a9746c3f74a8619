// Samples sorted by cube, and runs of equal keys. The counterpart of
// src/reconstruct/directed/seeds.rs.
//
// The order is seeds_keys, a sort, seeds_places. Then, once for cubes and once for their tiles:
// seeds_heads, a compaction, seeds_runs.
#include "reconstruct/directed/lattice.cuh"

// Computes the key of the cube of each point.
//
// Grid and block: any number of threads, which share the points. Shared memory: none.
//
// points  points of the cloud, [n][3]
// keys    [n]
extern "C" __global__ void seeds_keys(Lattice lattice, const double* points, u32 n, u64* keys) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const Vector at = inside(lattice, points + 3 * i);
        keys[i] = cube_key(lattice, {(i32)at.x, (i32)at.y, (i32)at.z});
    }
}

// Computes the positions of the samples in lattice units, in the order of `numbers`.
//
// Grid and block: any number of threads, which share the samples. Shared memory: none.
//
// points   points of the cloud, [n][3]
// numbers  index of each sample in the cloud, [n]
// places   [n][3]
extern "C" __global__ void seeds_places(Lattice lattice, const double* points, const u32* numbers, u32 n, double* places) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const Vector at = inside(lattice, points + 3 * (u64)numbers[i]);
        places[3 * i] = at.x;
        places[3 * i + 1] = at.y;
        places[3 * i + 2] = at.z;
    }
}

// Marks the first key and all keys that differ from their predecessor when the lowest `shift` bits
// are ignored.
//
// Grid and block: any number of threads, which share the keys. Shared memory: none.
//
// keys   ascending, [n]
// heads  [n]
extern "C" __global__ void seeds_heads(const u64* keys, u32 n, u32 shift, u8* heads) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        heads[i] = i == 0 || keys[i] >> shift != keys[i - 1] >> shift;
    }
}

// Writes the key of each run, and the length of the list as the end of the last run.
//
// Grid and block: any number of threads, which share the runs. Shared memory: none.
//
// keys    keys of the list, [n]
// starts  first index of each run, [n_runs], with room for the end
// items   [n_runs]
extern "C" __global__ void seeds_runs(const u64* keys, u32 n, u32 shift, u32* starts, u32 n_runs, u64* items) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i <= n_runs; i += threads) {
        if (i == n_runs) {
            starts[i] = n;
        } else {
            items[i] = keys[starts[i]] >> shift;
        }
    }
}
