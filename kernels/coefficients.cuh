// Values of expressions at a vertex; the twin of Term::refresh in
// src/levelset/evolution/coefficients.rs.
//
// coefficients_generated.cuh is printed for each case by crates/core/src/expression/cuda.rs: N_FIELDS fields,
// fields_at, which gives all of them at one row, and term_of, which says what fields make up a term.
// They compute in double; REAL is the scalar of the solver.
#pragma once
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
