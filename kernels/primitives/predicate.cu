// Which voxels of a volume fulfill an expression: the twin of src/volume/condition.rs, with code printed for it
// (src/expression/cuda.rs).
//
// Define: SAMPLE, the type of what is stored.
#include "common/types.cuh"
#include "predicate_generated.cuh"

struct Volume {
    const SAMPLE* samples;            // [nz][ny][nx]; null if the expression has no value
    u32 nx, ny;
    u64 n;
    double origin[3], steps[3][3];    // center of the first voxel, and from one to the next along each axis
    double slope, intercept;          // values are slope stored + intercept
};

#ifdef VOLUME_BYTES
static_assert(sizeof(Volume) == VOLUME_BYTES, "src/points/cuda.rs");
#endif

// 1 for voxels where the expression is neither 0 nor no number, 0 for others.
//
// Grid: any number of threads, which share the voxels. Block: any number. Shared memory: none.
//
// marks  [n]
extern "C" __global__ void __launch_bounds__(256, 1) predicate_mark(Volume volume, u8* marks) {
    using namespace expression;
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 n = (u64)blockIdx.x * blockDim.x + threadIdx.x; n < volume.n; n += threads) {
        const u64 row = n / volume.nx;
        const double index[3] = {(double)(n % volume.nx), (double)(row % volume.ny), (double)(row / volume.ny)};
        double point[3];
        // In the order and with the roundings of the processor.
        for (u32 k = 0; k < 3; k++) {
            point[k] = volume.origin[k];
            for (u32 axis = 0; axis < 3; axis++) point[k] += multiply(index[axis], volume.steps[axis][k]);
        }
        double v = USES_V ? (double)volume.samples[n] : 0.0;
        if (volume.slope != 1.0 || volume.intercept != 0.0) v = multiply(volume.slope, v) + volume.intercept;
        marks[n] = holds(point[0], point[1], point[2], v, index[0], index[1], index[2]);
    }
}
