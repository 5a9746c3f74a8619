// Upwind gradient norm, transport, and the way towards a distance: twins of
// src/levelset/tiled/formulas/godunov.rs, advection.rs and reinitialize.rs.
#pragma once
#include "common/real.cuh"

// One-sided derivatives along the axes.
struct OneSided {
    real minus[3], plus[3];
};

// What an axis adds to |grad phi|^2 for a front of this speed.
DEVICE real godunov(real minus, real plus, real speed) {
    bool outward = speed > R(0);
    real a = larger(outward ? minus : plus, R(0));
    real b = smaller(outward ? plus : minus, R(0));
    return larger(a * a, b * b);
}

DEVICE real godunov_square(const OneSided& d, real speed) {
    real x = godunov(d.minus[0], d.plus[0], speed), y = godunov(d.minus[1], d.plus[1], speed);
    return (x + y) + godunov(d.minus[2], d.plus[2], speed);
}

// U . grad phi, each axis from the side the wind comes from.
DEVICE real transport(const real (&u)[3], const OneSided& d) {
    real x = u[0] > R(0) ? d.minus[0] : d.plus[0];
    real y = u[1] > R(0) ? d.minus[1] : d.plus[1];
    real z = u[2] > R(0) ? d.minus[2] : d.plus[2];
    return (u[0] * x + u[1] * y) + u[2] * z;
}

// S(phi0) (1 - |grad phi|) from the square of Godunov's gradient.
DEVICE real towards_distance(real phi0, real square) {
    return phi0 / sqrt(phi0 * phi0 + R(1)) * (R(1) - sqrt(square));
}
