// Coefficients that are expressions, brought up to a time; the twin of Term::refresh in
// src/levelset/evolution/coefficients.rs.
//
// coefficients_generated.cuh is printed for each case by src/expression/cuda.rs: N_FIELDS fields,
// fields_at, which gives all of them at one row, and term_of, which says what fields make up a term.
// They compute in double; REAL is the scalar of the solver.
#include "coefficients_generated.cuh"

namespace {

// False for infinities and what is not a number.
DEVICE bool is_finite(REAL value) { return value - value == REAL(0); }

// Evaluates all fields at a vertex, stores them and notes values that may not be.
DEVICE void evaluate_vertex(
    u32 vertex, u32 n_vertices, const double* places, double t, const double* const* arrays,
    u32 nonnegative, REAL* values, u32* broken) {
    double value[N_FIELDS];
    const double* place = places + 3 * (u64)vertex;
    fields_at(place[0], place[1], place[2], t, arrays, vertex, value);
#pragma unroll
    for (u32 k = 0; k < N_FIELDS; k++) {
        u32 first, size;
        term_of(k, first, size);
        const REAL rounded = static_cast<REAL>(value[k]);
        values[(u64)first * n_vertices + (u64)size * vertex + (k - first)] = rounded;
        if (!is_finite(rounded)) atomicMin(&broken[k], vertex);
        if (nonnegative >> k & 1 && rounded < REAL(0)) atomicMin(&broken[N_FIELDS + k], vertex);
    }
}

}  // namespace

// All fields at the owned vertices of listed patches.
//
// Grid: any number of blocks, which share the list. Block: any number of threads; 64, the size of
// a patch, keeps all of them busy. Shared memory: none.
//
// list            patches, [*n_list]
// vertex_offsets  first vertex of each patch, [n_patches + 1]
// places          coordinates of the vertices in patch order, [n_vertices][3]
// time            one number
// arrays          data arrays in patch order, each [n_vertices]
// nonnegative     bit k is set if field k must not be negative
// values          written at the vertices of the patches: one term after the other, each
//                 [n_vertices][fields of the term]
// broken          lowered to the first vertex where field k is not finite, [0][k], or negative
//                 though it must not be, [1][k]; [2][N_FIELDS], 0xffffffff at the start
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

// All fields at listed vertices, as at the boundary.
//
// Grid and block: any number of threads, which share the list. Shared memory: none.
//
// list            vertices in patch order, [*n_list]; the rest is as above
extern "C" __global__ void coefficients_evaluate_vertices(
    const u32* list, const u32* n_list, u32 n_vertices, const double* places, const double* time,
    const double* const* arrays, u32 nonnegative, REAL* values, u32* broken) {
    const double t = *time;
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < *n_list; k += gridDim.x * blockDim.x) {
        evaluate_vertex(list[k], n_vertices, places, t, arrays, nonnegative, values, broken);
    }
}
