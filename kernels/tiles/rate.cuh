// The rate of change at a voxel, for the terms and the scheme of a compilation unit. This file is
// part of step.cu.
#pragma once
#include "tiles/formulas/curvature.cuh"
#include "tiles/formulas/motion.cuh"
#include "tiles/formulas/weno.cuh"
#include "tiles/motion.cuh"

#if SCHEME == SCHEME_WENO5
enum { POINTS = 7 };
#define BOTH weno_both
#define FROM weno_from
#else
enum { POINTS = 3 };
#define BOTH upwind_both
#define FROM upwind_from
#endif

template <typename At>
DEVICE void points(const At& at, u32 axis, real (&p)[POINTS]) {
#pragma unroll
    for (int k = 0; k < POINTS; k++) {
        const i32 by = k - POINTS / 2;
        p[k] = at(axis == 0 ? by : 0, axis == 1 ? by : 0, axis == 2 ? by : 0);
    }
}

// Whether the front moves in the same direction everywhere. |grad phi|^2 is then computed
// beforehand and passed to rate_of.
#if SCHEME == SCHEME_FIRST_ORDER && NORMAL == TERM_UNIFORM && !RELAX
#define ONE_WAY 1
#else
#define ONE_WAY 0
#endif

// |grad phi|^2 for a front with the given speed.
#if SCHEME == SCHEME_FIRST_ORDER
#define GODUNOV_SQUARE(speed) upwind_godunov_square(at, (speed) > R(0))
#else
#define GODUNOV_SQUARE(speed) godunov_square(d, speed)
#endif

// Returns the rate of change at a voxel. `phi0` determines the direction and the strength of the
// term that restores a distance function. `square` is |grad phi|^2 if ONE_WAY is 1, and is not used
// otherwise.
template <typename At>
DEVICE real rate_of(const TileMotion& m, const Coefficients& k, const At& at, real phi0, real square) {
    real rate = R(0);
#if CURVATURE && !RELAX
    rate = k.alpha * curvature(at);
#endif
    real p[POINTS];
#if NORMAL || RESCALING || RELAX
    OneSided d;
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        points(at, axis, p);
        BOTH(p, d.minus[axis], d.plus[axis]);
    }
#if VELOCITY && !RELAX
    rate = rate - transport(k.u, d);
#endif
#if NORMAL && !RELAX
    rate = rate - k.speed * root(ONE_WAY ? square : GODUNOV_SQUARE(k.speed));
#endif
#if RELAX
    rate = rate + R(1) * towards_distance(phi0, GODUNOV_SQUARE(phi0));
#elif RESCALING
    rate = rate + m.rescaling * towards_distance(phi0, GODUNOV_SQUARE(phi0));
#endif
#elif VELOCITY
    real derivative[3];
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        points(at, axis, p);
        derivative[axis] = FROM(p, k.u[axis]);
    }
    rate = rate - ((k.u[0] * derivative[0] + k.u[1] * derivative[1]) + k.u[2] * derivative[2]);
#endif
    return rate;
}
