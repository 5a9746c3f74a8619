// Evaluates coefficients that are given by expressions, in listed patches or at listed vertices.
//
// variants: REAL=double | REAL=float
// generated: coefficients
#include "coefficients.cuh"

// Evaluates all fields at the owned vertices of the listed patches.
//
// Grid: any number of blocks, which share the list. Block: any number of threads; 64, the default
// size of a patch, keeps all of them busy. Shared memory: none.
//
//     list            patches, [*n_list]
//     vertex_offsets  first vertex of each patch, [n_patches + 1]
//     places          coordinates of the vertices in patch order, [n_vertices][3]
//     time            the time, one value
//     arrays          data arrays in patch order, each [n_vertices]
//     nonnegative     bit k is set if field k must not be negative
//     values          written at the vertices of the patches: one term after the other, each
//                     [n_vertices][fields of the term]
//     broken          lowered to the lowest vertex where field k is not finite, [0][k], or negative
//                     although it must not be, [1][k]; [2][N_FIELDS], 0xffffffff at the start
extern "C" __global__ void coefficients_evaluate(
    const u32* list, const u32* n_list, const u32* vertex_offsets, u32 n_vertices,
    const double* places, const double* time, const double* const* arrays, u32 nonnegative,
    REAL* values, u32* broken) {
    const double t = *time;
    for (u32 k = blockIdx.x; k < *n_list; k += gridDim.x) {
        const u32 end = vertex_offsets[list[k] + 1];
        for (u32 v = vertex_offsets[list[k]] + threadIdx.x; v < end; v += blockDim.x) {
            evaluate_vertex(v, n_vertices, places, t, arrays, nonnegative, values, broken);
        }
    }
}

// Evaluates all fields at listed vertices, for example on the boundary.
//
// Grid and block: any number of threads, which share the list. Shared memory: none.
//
//     list            vertex indices in patch order, [*n_list]; the other arguments are as above
extern "C" __global__ void coefficients_evaluate_vertices(
    const u32* list, const u32* n_list, u32 n_vertices, const double* places, const double* time,
    const double* const* arrays, u32 nonnegative, REAL* values, u32* broken) {
    const double t = *time;
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < *n_list; k += gridDim.x * blockDim.x) {
        evaluate_vertex(list[k], n_vertices, places, t, arrays, nonnegative, values, broken);
    }
}
