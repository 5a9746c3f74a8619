// First-order terms by the positive-coefficient scheme (numerics 2.2). The twin of
// src/levelset/evolution/formulas/upwind.rs.
#pragma once

#include "common/simplex.cuh"

// What each vertex gathers of a first-order term: alpha_i h as numerator and alpha_i meas as
// denominator.
struct Shares {
    real alpha[N];
    real h;
};

DEVICE Shares no_shares() {
    Shares shares;
#pragma unroll
    for (int i = 0; i < N; i++) {
        shares.alpha[i] = R(0);
    }
    shares.h = R(0);
    return shares;
}

// k_i = meas b . grad N_i, the flux of the wind b.
DEVICE void flux(const Simplex &s, const Vec3 &b, real (&k)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        k[i] = s.meas * dot(b, s.grads[i]);
    }
}

// The scheme (numerics 2.2, steps 2 to 5). Returns whether H_T vanishes to rounding; there are no
// shares then.
DEVICE bool upwind(const Simplex &s, const real (&phi)[N], const real (&k)[N], Shares &shares) {
    shares = no_shares();
    // Differences to one vertex: a large offset of phi must not cost accuracy.
    real rise[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        rise[i] = phi[i] - phi[0];
    }
    real h = R(0);
    real outflow = R(0);
    real carried = R(0);
    real size = R(0);
    real low = rise[0];
    real high = rise[0];
#pragma unroll
    for (int i = 0; i < N; i++) {
        h += k[i] * rise[i];
        size += fabs(k[i]);
        real negative = fmin(k[i], R(0));
        outflow += negative;
        carried += negative * rise[i];
        low = fmin(low, rise[i]);
        high = fmax(high, rise[i]);
    }
    // "Not larger" instead of "smaller", so that no wind at all vanishes too.
    if (fabs(h) <= ZERO_TEST * size * (high - low) || outflow == R(0)) {
        return true;
    }
    real phi_in = carried / outflow;
    real sign = h > R(0) ? R(1) : R(-1);
    real m[N];
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        m[i] = fmax(sign * fmax(k[i], R(0)) * (rise[i] - phi_in), R(0));
        sum += m[i];
    }
    if (sum == R(0)) {
        return true;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        shares.alpha[i] = m[i] / sum;
    }
    shares.h = h;
    return false;
}

// Advection by the velocity a of the cell.
DEVICE Shares advection(const Simplex &s, const real (&phi)[N], const Vec3 &a) {
    real k[N];
    flux(s, a, k);
    Shares shares;
    if (upwind(s, phi, k, shares)) {
        // H_T = 0, yet the cell counts in the denominator, by its inflow shares.
        real inflow = R(0);
#pragma unroll
        for (int i = 0; i < N; i++) {
            inflow += fmax(k[i], R(0));
        }
        if (inflow > R(0)) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                shares.alpha[i] = fmax(k[i], R(0)) / inflow;
            }
        }
    }
    return shares;
}

// Motion along the normal with the speed eps of the cell; g is the gradient of phi.
DEVICE Shares normal_speed(const Simplex &s, const real (&phi)[N], const Vec3 &g, real eps) {
    real length = norm(g);
    if (length < R(1e-30)) {
        return no_shares();
    }
    real k[N];
    flux(s, g * (eps / length), k);
    Shares shares;
    upwind(s, phi, k, shares);
    return shares;
}
