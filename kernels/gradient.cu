// Gradients of a function on a mesh at its vertices, the counterpart of
// src/levelset/eikonal/gradient.rs. They are computed in double precision.
//
// Defines: PHI, the number type of the function.
//
// variants: REAL=double
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: PHI=double | PHI=float
#include "common/simplex.cuh"

// Computes the mean of the gradients of the cells around each vertex, weighted by their measure.
// Cells with a value that is not finite are left out. Without a cell, the gradient is NaN.
//
// Grid and block: any number of threads, which share the vertices. Shared memory: none.
//
// places     coordinates of the vertices, [n][3]
// corners    vertices of the cells, [n_cells][N]
// offsets    first slot of each vertex, [n + 1]
// slots      indices into `corners`, ascending for each vertex
// phi        [n]
// gradients  [n][3]
extern "C" __global__ void gradient_vertices(
    const real* places, const u32* corners, const u32* offsets, const u32* slots, u32 n, const PHI* phi, real* gradients
) {
    const u64 threads = (u64)gridDim.x * blockDim.x;
    for (u64 v = (u64)blockIdx.x * blockDim.x + threadIdx.x; v < n; v += threads) {
        Vec3 sum = {R(0), R(0), R(0)};
        real weight = R(0);
        for (u32 at = offsets[v]; at < offsets[v + 1]; at++) {
            const u32* cell = corners + (u64)(slots[at] / N) * N;
            Vec3 x[N];
            real values[N];
            bool is_finite = true;
#pragma unroll
            for (int i = 0; i < N; i++) {
                const real* place = places + 3 * (u64)cell[i];
                x[i] = Vec3{place[0], place[1], place[2]};
                values[i] = (real)phi[cell[i]];
                is_finite = is_finite && values[i] - values[i] == R(0);
            }
            if (!is_finite) continue;
            const Simplex simplex = make_simplex(x);
            const Vec3 g = gradient(simplex, values);
            const real zero = (g.x - g.x) + (g.y - g.y) + (g.z - g.z);
            if (!(zero == R(0))) continue;
            sum = sum + g * simplex.meas;
            weight += simplex.meas;
        }
        gradients[3 * v] = sum.x / weight;
        gradients[3 * v + 1] = sum.y / weight;
        gradients[3 * v + 2] = sum.z / weight;
    }
}
