// Fifth-order and first-order derivatives along an axis: the counterpart of
// src/levelset/tiled/formulas/weno.rs and upwind.rs.
#pragma once
#include "common/real.cuh"

// The scale factor of the smoothness. An additional factor of 12 removes the fractions from the
// definition of the smoothness.
#define WENO_SCALE 4096.0

// Returns the scaled sum of `e` and the smoothness `S` of three consecutive differences.
DEVICE real smoothness(real second, real slope, real floor) {
    return (R(13.0 * WENO_SCALE) * (second * second) + R(3.0 * WENO_SCALE) * (slope * slope)) + floor;
}

// Returns the scaled `e`, from the largest square of the five differences.
DEVICE real weno_floor(real largest) {
    return R(12.0 * WENO_SCALE * 1e-6) * largest + R(12.0 * WENO_SCALE / 70368744177664.0);
}

// Returns a - 2 b + c.
DEVICE real second_of(real a, real b, real c) { return (a + c) - (b + b); }

// Returns a - 4 b + 3 c.
DEVICE real slope_of(real a, real b, real c) { return (a + R(3) * c) - R(4) * b; }

// Returns the weighted mean of the three candidates with smoothness s1, s2 and s3.
DEVICE real weighted(real v0, real v1, real v2, real v3, real v4, real s1, real s2, real s3) {
    real a = s2 * s3, b = s1 * s3, c = s1 * s2;
    real a1 = a * a, a2 = R(6) * (b * b), a3 = R(3) * (c * c);
    real c1 = (R(2) * v0 - R(7) * v1) + R(11) * v2;
    real c2 = (R(5) * v2 - v1) + R(2) * v3;
    real c3 = (R(2) * v2 + R(5) * v3) - v4;
    return ((a1 * c1 + a2 * c2) + a3 * c3) / (R(6) * ((a1 + a2) + a3));
}

// Returns phi_x from differences ordered from upwind to downwind.
DEVICE real weno(real v0, real v1, real v2, real v3, real v4) {
    real inner = larger(larger(v1 * v1, v2 * v2), v3 * v3);
    real e = weno_floor(larger(inner, larger(v0 * v0, v4 * v4)));
    real s1 = smoothness(second_of(v0, v1, v2), slope_of(v0, v1, v2), e);
    real s2 = smoothness(second_of(v1, v2, v3), v1 - v3, e);
    real s3 = smoothness(second_of(v2, v3, v4), slope_of(v4, v3, v2), e);
    return weighted(v0, v1, v2, v3, v4, s1, s2, s3);
}

// Computes phi_x^- and phi_x^+ from the values at i-3 .. i+3.
DEVICE void weno_both(const real (&p)[7], real& minus, real& plus) {
    real d0 = p[1] - p[0], d1 = p[2] - p[1], d2 = p[3] - p[2], d3 = p[4] - p[3], d4 = p[5] - p[4],
         d5 = p[6] - p[5];
    real inner = larger(larger(d1 * d1, d2 * d2), larger(d3 * d3, d4 * d4));
    real left = weno_floor(larger(inner, d0 * d0)), right = weno_floor(larger(inner, d5 * d5));
    real q1 = second_of(d0, d1, d2), q2 = second_of(d1, d2, d3);
    real q3 = second_of(d2, d3, d4), q4 = second_of(d3, d4, d5);
    real s1 = smoothness(q1, slope_of(d0, d1, d2), left);
    real s2 = smoothness(q2, d1 - d3, left);
    real s3 = smoothness(q3, slope_of(d4, d3, d2), left);
    minus = weighted(d0, d1, d2, d3, d4, s1, s2, s3);
    s1 = smoothness(q4, slope_of(d5, d4, d3), right);
    s2 = smoothness(q3, d4 - d2, right);
    s3 = smoothness(q2, slope_of(d1, d2, d3), right);
    plus = weighted(d5, d4, d3, d2, d1, s1, s2, s3);
}

// Returns the upwind derivative: phi_x^- if `wind` is positive, otherwise phi_x^+.
DEVICE real weno_from(const real (&p)[7], real wind) {
    real d0 = p[1] - p[0], d1 = p[2] - p[1], d2 = p[3] - p[2], d3 = p[4] - p[3], d4 = p[5] - p[4],
         d5 = p[6] - p[5];
    bool left = wind > R(0);
    return weno(left ? d0 : d5, left ? d1 : d4, left ? d2 : d3, left ? d3 : d2, left ? d4 : d1);
}

// Computes phi_x^- and phi_x^+ to first order, from the values at i-1 .. i+1.
DEVICE void upwind_both(const real (&p)[3], real& minus, real& plus) {
    minus = p[1] - p[0];
    plus = p[2] - p[1];
}

DEVICE real upwind_from(const real (&p)[3], real wind) {
    return wind > R(0) ? p[1] - p[0] : p[2] - p[1];
}
