// The curvature term, explicit (docs/level-set.md, section 3.1) and semi-implicit (section 3.2);
// the counterpart of src/levelset/evolution/formulas/curvature.rs.
#pragma once

#include "common/simplex.cuh"

// The number of vertex pairs of a cell.
enum { PAIRS = N * (N - 1) / 2 };

// Returns 1 / |g|, with |g| replaced by sqrt(|g|^2 + 1e-6), or by `least` if this is larger. |g| is
// usually about 1, because phi is kept close to a signed distance function.
DEVICE real inverse_norm(real norm_squared, real least) {
    return inverse_root(fmax(norm_squared + R(1e-3 * 1e-3), least * least));
}

// Computes the curvature residual, meas grad N_i . g / |g| per vertex. Returns the lumped mass meas
// / ((d+1) |g|).
DEVICE real curvature(real meas, real norm_squared, real least, const real (&slope)[N], real (&residual)[N]) {
    real weight = meas * inverse_norm(norm_squared, least);
#pragma unroll
    for (int i = 0; i < N; i++) {
        residual[i] = weight * slope[i];
    }
    return weight * (R(1) / R(N));
}

// Computes the stiffness of a cell, meas grad N_i . grad N_j / |g| for each pair i < j. Returns the
// lumped mass, as curvature does.
DEVICE real stiffness(const Simplex &s, const Vec3 &g, real least, real (&pairs)[PAIRS]) {
    real weight = s.meas * inverse_norm(norm_squared(g), least);
    int k = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int j = i + 1; j < N; j++) {
            pairs[k] = weight * dot(s.grads[i], s.grads[j]);
            k++;
        }
    }
    return weight * (R(1) / R(N));
}
