// First-order terms by the positive-coefficient scheme (numerics 2.2). The twin of
// src/levelset/evolution/formulas/upwind.rs.
#pragma once

#include "common/simplex.cuh"

// What each vertex gathers of a first-order term: m_i h as numerator and m_i meas as denominator.
struct Shares {
    real m[N];
    real h;
    real meas;
};

DEVICE Shares no_shares() {
    Shares shares;
#pragma unroll
    for (int i = 0; i < N; i++) {
        shares.m[i] = R(0);
    }
    shares.h = R(0);
    shares.meas = R(0);
    return shares;
}

// k_i = meas b . grad N_i, the flux of the wind b.
DEVICE void flux(const Simplex &s, const Vec3 &b, real (&k)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        k[i] = s.meas * dot(b, s.grads[i]);
    }
}

// Both branches of a choice cost less than the jumps between them: what follows has none.

// num / den, phi where the flux comes from; anything where none does. Zero over something takes the long way of the
// card's division, and is common here.
DEVICE real inflow_value(real num, real den) {
    bool is_plain = num != R(0) && den != R(0);
    real ratio = (is_plain ? num : R(1)) / (is_plain ? den : R(1));
    return is_plain ? ratio : R(0);
}

// The scheme (numerics 2.2, steps 2 to 5): shares m_i / sum, and h = sum k_i phi_i. Returns whether
// that does not vanish to rounding; there are no shares if it does.
DEVICE bool upwind(const real (&phi)[N], const real (&k)[N], real (&m)[N], real &sum, real &h) {
    // Differences to one vertex: a large offset of phi must not cost accuracy.
    real rise[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        rise[i] = phi[i] - phi[0];
    }
    h = R(0);
    real outflow = R(0);
    real carried = R(0);
    real size = R(0);
    real low = rise[0];
    real high = rise[0];
#pragma unroll
    for (int i = 0; i < N; i++) {
        h += k[i] * rise[i];
        size += fabs(k[i]);
        real negative = smaller(k[i], R(0));
        outflow += negative;
        carried += negative * rise[i];
        low = smaller(low, rise[i]);
        high = larger(high, rise[i]);
    }
    // "Not larger" instead of "smaller", so that no wind at all vanishes too.
    bool vanishes = fabs(h) <= ZERO_TEST * size * (high - low) || outflow == R(0);
    real phi_in = inflow_value(carried, outflow);
    real sign = h > R(0) ? R(1) : R(-1);
    sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        m[i] = larger(sign * larger(k[i], R(0)) * (rise[i] - phi_in), R(0));
        sum += m[i];
    }
    return !vanishes && sum != R(0);
}

// Advection by the flux k of the velocity of a cell of measure meas.
DEVICE Shares advection_by(real meas, const real (&phi)[N], const real (&k)[N]) {
    Shares shares;
    real m[N], sum, h;
    bool counts = upwind(phi, k, m, sum, h);
    // H_T = 0 where not, yet the cell counts in the denominator, by its inflow shares.
    real inflow = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        real share = larger(k[i], R(0));
        inflow += share;
        shares.m[i] = counts ? m[i] : share;
    }
    real all = counts ? sum : inflow;
    real scale = all > R(0) ? R(1) / (all > R(0) ? all : R(1)) : R(0);
    shares.h = counts ? h * scale : R(0);
    shares.meas = meas * scale;
    return shares;
}

// Advection by the velocity a of the cell.
DEVICE Shares advection(const Simplex &s, const real (&phi)[N], const Vec3 &a) {
    real k[N];
    flux(s, a, k);
    return advection_by(s.meas, phi, k);
}

// slope_i = grad N_i . g, which the terms that follow the gradient g of phi share.
DEVICE void slopes_of(const Simplex &s, const Vec3 &g, real (&slope)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        slope[i] = dot(s.grads[i], g);
    }
}

// Motion along the normal with the speed eps of the cell; length is that of the gradient of phi.
DEVICE Shares normal_speed(real meas, const real (&phi)[N], const real (&slope)[N], real length,
                           real eps) {
    // Shares do not depend on the length of the wind, so it need not be a unit vector.
    real k[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        k[i] = eps > R(0) ? slope[i] : -slope[i];
    }
    Shares shares;
    real m[N], sum, h;
    bool counts = upwind(phi, k, m, sum, h) && !(length < R(1e-30)) && eps != R(0);
    real scale = R(1) / (counts ? sum : R(1));
#pragma unroll
    for (int i = 0; i < N; i++) {
        shares.m[i] = counts ? m[i] : R(0);
    }
    shares.h = counts ? eps * meas * length * scale : R(0);
    shares.meas = counts ? meas * scale : R(0);
    return shares;
}
