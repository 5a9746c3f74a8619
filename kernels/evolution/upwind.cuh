// First-order terms by the positive-coefficient scheme (docs/level-set.md, section 2.2); the
// counterpart of src/levelset/evolution/formulas/upwind.rs.
#pragma once

#include "common/simplex.cuh"

// The contributions of a cell to a first-order term: vertex i gathers m_i h as numerator and m_i
// times the measure of the cell as denominator. (Fractions that include the measure would exceed
// the range of floats on small meshes.)
struct Shares {
    real m[N];
    real h;
};

DEVICE Shares no_shares() {
    Shares shares;
#pragma unroll
    for (int i = 0; i < N; i++) {
        shares.m[i] = R(0);
    }
    shares.h = R(0);
    return shares;
}

// Computes the differences between phi and its first value, so that a large offset does not cost
// accuracy. Returns the sum of their absolute values.
DEVICE real rises(const real (&phi)[N], real (&rise)[N]) {
    rise[0] = R(0);
    rise[1] = phi[1] - phi[0];
    real range = fabs(rise[1]);
#pragma unroll
    for (int i = 2; i < N; i++) {
        rise[i] = phi[i] - phi[0];
        range += fabs(rise[i]);
    }
    return range;
}

// Computes k_i = b . grad N_i, the flux of the wind b for a cell of measure 1. The fluxes add up to
// zero.
DEVICE void flux(const Simplex &s, const Vec3 &b, real (&k)[N]) {
    k[1] = dot(b, s.grads[1]);
    real sum = k[1];
#pragma unroll
    for (int i = 2; i < N; i++) {
        k[i] = dot(b, s.grads[i]);
        sum += k[i];
    }
    k[0] = -sum;
}

#if PLANAR && QUICK
// Computes the flux in a plane, from the edges that leave vertex 0.
DEVICE void planar_flux(const Vec3 &e1, const Vec3 &e2, const Vec3 &b, real (&k)[N]) {
    const real scale = inverse(e1.x * e2.y - e1.y * e2.x);
    k[1] = (b.x * e2.y - b.y * e2.x) * scale;
    k[2] = (b.y * e1.x - b.x * e1.y) * scale;
    k[0] = -(k[1] + k[2]);
}
#endif

// Computes the positive fluxes, which flow to a vertex, and returns their sum. Sets `size` to the
// sum of |k_i|. A flux within rounding of zero counts as zero. Otherwise, a vertex that receives
// only a rounding error would move.
DEVICE real outflows(const real (&k)[N], real (&out)[N], real &size) {
    size = fabs(k[0]);
#pragma unroll
    for (int i = 1; i < N; i++) {
        size += fabs(k[i]);
    }
    real limit = ZERO_TEST * size;
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        out[i] = k[i] > limit ? k[i] : R(0);
        sum = i == 0 ? out[i] : sum + out[i];
    }
    return sum;
}

// Computes the weights m_i = out_i (phi_i - phi_in), up to a common factor, and returns their sum.
// A weight is zero if it does not have the sign of `sign` or is within rounding of zero. The
// fractions do not depend on the common factor, so the division by the sum of out_i is omitted.
DEVICE real shares_of(const real (&rise)[N], real range, const real (&k)[N], const real (&out)[N],
                      real outflow, real sign, real (&m)[N]) {
    // The part of the sum of k_i rise_i that comes from inflow.
    real carried = (k[1] - out[1]) * rise[1];
#pragma unroll
    for (int i = 2; i < N; i++) {
        carried += (k[i] - out[i]) * rise[i];
    }
    real limit = ZERO_TEST * outflow * range;
    outflow *= sign;
    carried *= sign;
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        real ahead = i == 0 ? carried : rise[i] * outflow + carried;
        m[i] = ahead > limit ? out[i] * ahead : R(0);
        sum = i == 0 ? m[i] : sum + m[i];
    }
    return sum;
}

// Returns the contributions to advection from the flux k of the velocity of a cell with measure
// meas.
DEVICE Shares advection_by(real meas, const real (&phi)[N], const real (&k)[N]) {
    real rise[N], out[N], size;
    real range = rises(phi, rise);
    real outflow = outflows(k, out, size);
    real h = k[1] * rise[1];
#pragma unroll
    for (int i = 2; i < N; i++) {
        h += k[i] * rise[i];
    }
    Shares shares;
    real m[N];
    real sum = shares_of(rise, range, k, out, outflow, h > R(0) ? R(1) : R(-1), m);
    bool counts = !(fabs(h) <= ZERO_TEST * size * range) && sum > LEAST;
    // If the integral over the cell (H_T) is 0, the cell still counts in the denominator, weighted
    // by its outflow.
    real all = counts ? sum : outflow;
    real scale = all > LEAST ? inverse(all) : R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        shares.m[i] = (counts ? m[i] : out[i]) * scale;
    }
    shares.h = counts ? meas * h : R(0);
    return shares;
}

// Returns the contributions to advection by the velocity a of the cell.
DEVICE Shares advection(const Simplex &s, const real (&phi)[N], const Vec3 &a) {
    real k[N];
    flux(s, a, k);
    return advection_by(s.meas, phi, k);
}

// Returns the contributions to motion along the normal with the speed eps of the cell. slope is the
// flux of the gradient of phi, and length is the length of that gradient.
DEVICE Shares normal_speed(real meas, const real (&phi)[N], const real (&slope)[N], real length,
                           real eps) {
    // The fractions do not depend on the length of the wind, so the wind need not be a unit vector.
    // If the inside shrinks, the scheme is applied to -phi.
    real sign = eps > R(0) ? R(1) : R(-1);
    real k[N], rise[N], out[N], m[N], size;
    real range = rises(phi, rise);
#pragma unroll
    for (int i = 0; i < N; i++) {
        k[i] = sign * slope[i];
    }
    real outflow = outflows(k, out, size);
    real sum = shares_of(rise, range, k, out, outflow, sign, m);
    bool counts = sum > LEAST && eps != R(0);
    real scale = inverse(counts ? sum : R(1));
    Shares shares;
#pragma unroll
    for (int i = 0; i < N; i++) {
        // If the cell is degenerate in this precision, its weights may be infinite or NaN. Zero is
        // therefore selected, not computed as a product.
        shares.m[i] = counts ? m[i] * scale : R(0);
    }
    shares.h = counts ? eps * meas * length : R(0);
    return shares;
}
