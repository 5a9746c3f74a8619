// Second-order advection by a Taylor-Galerkin step (docs/level-set.md, section 2.5); the
// counterpart of src/levelset/evolution/formulas/galerkin.rs.
#pragma once

#include "common/division.cuh"
#include "common/simplex.cuh"

// Computes the right-hand side of the step for each vertex. `a` is the velocity of the cell, either
// at the middle of the step or averaged over the step, and `divergence` is the divergence of the
// linear interpolant of the velocity.
DEVICE void residual(const Simplex &s, const Vec3 &g, const Vec3 &a, real divergence, real dt,
                     real (&right)[N]) {
    const real share = R(1) / R(N);
    real half_step = dt * R(0.5);
    real rate = -dt * s.meas * dot(a, g);
#pragma unroll
    for (int i = 0; i < N; i++) {
        right[i] = rate * (share + half_step * (dot(a, s.grads[i]) + divergence * share));
    }
}

// Computes the product of the consistent mass matrix of a cell with x.
DEVICE void mass_product(real meas, const real (&x)[N], real (&product)[N]) {
    real scale = meas * (R(1) / R(N * (N + 1)));
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        sum += x[i];
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        product[i] = scale * (x[i] + sum);
    }
}

// Returns x after a Jacobi step toward the solution of the system with the consistent mass matrix,
// `x += (R - M x) / m` (docs/level-set.md, section 2.5).
DEVICE real corrected(real x, real residual, const Divisor& mass, real product) { return x + mass.of(residual - product); }
