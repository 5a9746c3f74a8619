// Distances of samples to their nearest neighbors, bitwise identical to
// crates/cloud/src/cloud/clean.rs.
//
// spacing_work estimates the amount of work. spacing_places and spacing_about do the search.
// spacing_far marks the samples whose mean distance to their nearest neighbors is above a limit.
#include "reconstruct/directed/lattice.cuh"

enum : u32 { COUNT = 8 };
// The largest search distance for neighbors, in cubes along each axis.
enum : i32 { REACH = 3 };

// Computes the sum of the squared number of samples over all cubes.
//
// Grid and block: any number of threads, which share the cubes. Shared memory: none.
//
// work  the sum is added to it
extern "C" __global__ void spacing_work(Runs cubes, u64* work) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    u64 sum = 0;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < cubes.n; i += threads) {
        const u64 n = cubes.starts[i + 1] - cubes.starts[i];
        sum += n * n;
    }
    if (sum > 0) atomicAdd(work, sum);
}

// Copies the positions of the cloud in the order of `numbers`.
//
// Grid and block: any number of threads, which share the samples. Shared memory: none.
//
// points   points of the cloud, [n][3]
// numbers  index in the cloud of each copied point, [n]
// places   [n][3]
extern "C" __global__ void spacing_places(const double* points, const u32* numbers, u32 n, double* places) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        const double* point = points + 3 * (u64)numbers[i];
        for (u32 a = 0; a < 3; a++) places[3 * i + a] = point[a];
    }
}

// The smallest squared distances found so far, ascending.
struct Nearest {
    double squares[COUNT];

    DEVICE void clear() {
#pragma unroll
        for (u32 k = 0; k < COUNT; k++) squares[k] = __longlong_as_double(0x7ff0000000000000ll);
    }

    DEVICE void offer(double square) {
        if (!(square < squares[COUNT - 1])) return;
        squares[COUNT - 1] = square;
#pragma unroll
        for (u32 k = COUNT - 1; k > 0; k--) {
            const double a = squares[k - 1], b = squares[k];
            squares[k - 1] = b < a ? b : a;
            squares[k] = b < a ? a : b;
        }
    }
};

// Computes the distance from each sample to the nearest other sample, and the mean distance to the
// nearest eight, both stored as the bits of doubles.
//
// Grid and block: one thread for each of n samples. Shared memory: none.
//
// points   points of the cloud, [n_all][3]
// places   the same points sorted by cube, [n_all][3]
// numbers  indices of the sorted points in the cloud, [n_all]
// which    indices of the samples, [n], or null for all samples in sorted order
// nearest  [n_all]; not written for waiting samples
// means    [n_all]; not written for waiting samples
// waiting  1 if the nearest eight may lie in cubes too far away, else 0, [n_all]
extern "C" __global__ void __launch_bounds__(256, 1)
spacing_about(Lattice lattice, const double* points, const double* places, const u32* numbers, Runs cubes, const u32* which,
              u32 n, u64* nearest, u64* means, u8* waiting) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const u32 own = which ? which[i] : numbers[i];
    const double* place = points + 3 * (u64)own;
    const double x = place[0], y = place[1], z = place[2];
    const Vector at = inside(lattice, place);
    const Place cube = {(i32)at.x, (i32)at.y, (i32)at.z};
    const i32 nx = lattice.size[0], ny = lattice.size[1], nz = lattice.size[2];
    Nearest near;
    bool is_done = false;
    for (i32 reach = 1; reach <= REACH && !is_done; reach++) {
        near.clear();
        for (i32 cz = max(cube.z - reach, 0); cz <= min(cube.z + reach, nz - 1); cz++) {
            for (i32 cy = max(cube.y - reach, 0); cy <= min(cube.y + reach, ny - 1); cy++) {
                const i32 end = min(cube.x + reach, nx - 1);
                // Cubes that are adjacent along x in the same tile have consecutive keys.
                for (i32 cx = max(cube.x - reach, 0); cx <= end; cx = (cx | 7) + 1) {
                    const u64 last = cube_key(lattice, {min(end, cx | 7), cy, cz});
                    u32 run = first_from(cubes.keys, (u32)cubes.n, cube_key(lattice, {cx, cy, cz}));
                    for (; run < cubes.n && cubes.keys[run] <= last; run++) {
                        const u32 behind = cubes.starts[run + 1];
                        for (u32 k = cubes.starts[run]; k < behind && near.squares[COUNT - 1] > 0.0; k++) {
                            const double* other = places + 3 * (u64)k;
                            const double dx = other[0] - x, dy = other[1] - y, dz = other[2] - z;
                            const double square = dx * dx + dy * dy + dz * dz;
                            if (square < near.squares[COUNT - 1] && numbers[k] != own) near.offer(square);
                        }
                    }
                }
            }
        }
        // Samples in more distant cubes are at least this far away, except for rounding.
        const double limit = (double)reach * lattice.cube;
        is_done = near.squares[COUNT - 1] <= limit * limit * 0.999999 ||
                  (cube.x - reach <= 0 && cube.y - reach <= 0 && cube.z - reach <= 0 && cube.x + reach >= nx - 1 &&
                   cube.y + reach >= ny - 1 && cube.z + reach >= nz - 1);
    }
    waiting[own] = !is_done;
    if (!is_done) return;
    double sum = 0.0;
    u32 count = 0;
#pragma unroll
    for (u32 k = 0; k < COUNT; k++) {
        // There may be fewer than eight other samples.
        if (near.squares[k] < __longlong_as_double(0x7ff0000000000000ll)) {
            sum += sqrt(near.squares[k]);
            count++;
        }
    }
    nearest[own] = (u64)__double_as_longlong(count > 0 ? sqrt(near.squares[0]) : 0.0);
    means[own] = (u64)__double_as_longlong(sum / (double)max(count, 1u));
}

// Marks the samples whose mean distance to the nearest eight is above a limit.
//
// Grid and block: any number of threads, which share the samples. Shared memory: none.
//
// means  [n]
// far    [n]
extern "C" __global__ void spacing_far(const u64* means, u32 n, double limit, u8* far) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        far[i] = __longlong_as_double((i64)means[i]) > limit;
    }
}
