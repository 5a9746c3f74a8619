// Strictly monotone forms of the first-order terms (docs/level-set.md, section 2.6); the
// counterpart of src/levelset/evolution/formulas/monotone.rs.
#pragma once

#include "evolution/upwind.cuh"

// Returns the advection contributions of a cell if all of its flux goes to a single vertex, and
// zero otherwise. At a vertex, only the cell from which the wind comes counts, with its full
// measure.
DEVICE Shares cone(const Simplex &s, const real (&phi)[N], const Vec3 &a) {
    real k[N], out[N], size;
    flux(s, a, k);
    outflows(k, out, size);
    int targets = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        targets += out[i] > R(0);
    }
    Shares shares = no_shares();
    if (targets == 1) {
        real h = R(0);
#pragma unroll
        for (int j = 1; j < N; j++) {
            h += k[j] * (phi[j] - phi[0]);
        }
        shares.h = s.meas * h;
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (out[i] > R(0)) {
                shares.m[i] = R(1);
            }
        }
    }
    return shares;
}

// Computes |g| for each vertex from which -g points into the simplex, and 0 for the other vertices;
// g is the gradient of phi.
template <int M>
DEVICE void from_below(const SimplexOf<M> &s, const real (&phi)[M], real (&offers)[M]) {
    Vec3 g = gradient(s, phi);
    real length = norm(g);
    bool leads[M];
#pragma unroll
    for (int j = 0; j < M; j++) {
        leads[j] = dot(g, s.grads[j]) <= R(0);
    }
#pragma unroll
    for (int i = 0; i < M; i++) {
        bool all = true;
#pragma unroll
        for (int j = 0; j < M; j++) {
            all = all && (j == i || leads[j]);
        }
        offers[i] = all ? length : R(0);
    }
}

// Raises `slope` to the slopes on the faces of a tetrahedron. Does nothing for a triangle: its
// sides are edges, whose slopes are already included.
DEVICE void face_slopes(const Vec3 (&)[3], const real (&)[3], real (&)[3]) {}

DEVICE void face_slopes(const Vec3 (&x)[4], const real (&phi)[4], real (&slope)[4]) {
#pragma unroll
    for (int apex = 0; apex < 4; apex++) {
        Vec3 corners[3];
        real values[3];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            corners[k] = x[k + (k >= apex)];
            values[k] = phi[k + (k >= apex)];
        }
        real offers[3];
        from_below(make_simplex(corners), values, offers);
#pragma unroll
        for (int k = 0; k < 3; k++) {
            slope[k + (k >= apex)] = fmax(slope[k + (k >= apex)], offers[k]);
        }
    }
}

// Computes the value of |grad phi| that a cell with vertices x offers to each vertex by the
// Hopf-Lax formula.
DEVICE void hopf_lax(const Vec3 (&x)[N], const Simplex &s, const real (&phi)[N],
                     real (&slope)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        slope[i] = R(0);
#pragma unroll
        for (int j = 0; j < N; j++) {
            if (j != i) {
                slope[i] = fmax(slope[i], (phi[i] - phi[j]) / norm(x[i] - x[j]));
            }
        }
    }
    face_slopes(x, phi, slope);
    real offers[N];
    from_below(s, phi, offers);
#pragma unroll
    for (int i = 0; i < N; i++) {
        slope[i] = fmax(slope[i], offers[i]);
    }
}
