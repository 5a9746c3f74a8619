// Values of expressions at a vertex; the counterpart of Term::refresh in
// src/levelset/evolution/coefficients.rs.
//
// crates/core/src/expression/cuda.rs generates coefficients_generated.cuh for each case. It
// contains N_FIELDS (the number of fields), fields_at (the values of all fields at one vertex) and
// term_of (the range of fields that belong to the term of a field). Fields are computed in double
// precision; REAL is the scalar type of the solver.
#pragma once
#include "coefficients_generated.cuh"
#include "sampling.cuh"

namespace {

// Returns false for infinities and NaN.
DEVICE bool is_finite(REAL value) { return value - value == REAL(0); }

// Stores the value of field k at a vertex, and records the vertex if the value is invalid.
DEVICE void store_field(
    u32 k, double value, u32 vertex, u32 n_vertices, u32 nonnegative, REAL* values, u32* broken) {
    u32 first, size;
    term_of(k, first, size);
    const REAL rounded = static_cast<REAL>(value);
    values[(u64)first * n_vertices + (u64)size * vertex + (k - first)] = rounded;
    if (!is_finite(rounded)) atomicMin(&broken[k], vertex);
    if (nonnegative >> k & 1 && rounded < REAL(0)) atomicMin(&broken[N_FIELDS + k], vertex);
}

// Evaluates all fields at a vertex, stores them and records invalid values.
DEVICE void evaluate_vertex(
    u32 vertex, u32 n_vertices, const double* places, double t, const double* const* arrays,
    u32 nonnegative, REAL* values, u32* broken) {
    double value[N_FIELDS];
    const double* place = places + 3 * (u64)vertex;
    fields_at(place[0], place[1], place[2], t, arrays, vertex, value);
#pragma unroll
    for (u32 k = 0; k < N_FIELDS; k++) store_field(k, value[k], vertex, n_vertices, nonnegative, values, broken);
}

// Stores the values of all fields at a vertex, or their bounds or means over a span of time, and
// records invalid results. `edge` is the length of the shortest edge at the vertex.
DEVICE void sample_vertex(
    u32 vertex, u32 n_vertices, const double* places, const Sampling& sampling, double edge,
    const double* const* arrays, u32 nonnegative, REAL* values, u32* broken) {
    const double* place = places + 3 * (u64)vertex;
#pragma unroll
    for (u32 k = 0; k < N_FIELDS; k++) {
        const FieldAtRow field = {k, place[0], place[1], place[2], arrays, vertex};
        // Only the coefficient of curvature must not be negative. Its unit is length squared per
        // time, so its slack contains the squared edge length.
        const double slack = SLACK * (nonnegative >> k & 1 ? edge * edge : edge);
        double change = 0.0;
        const double value = sample(field, sampling, slack, change);
        store_field(k, value, vertex, n_vertices, nonnegative, values, broken);
    }
}

}  // namespace
