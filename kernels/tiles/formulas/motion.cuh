// Upwind gradient norm, advection, and the term that restores a distance function.
//
// The counterpart of src/levelset/tiled/formulas/godunov.rs, advection.rs and reinitialize.rs.
#pragma once
#include "common/division.cuh"

// The one-sided derivatives along the axes.
struct OneSided {
    real minus[3], plus[3];
};

// Returns the contribution of an axis to |grad phi|^2 for a front with the given speed: the larger
// of the squares of max(a, 0) and min(b, 0). Here, a, b are `minus`, `plus` for a front that moves
// outward, and `plus`, `minus` otherwise.
DEVICE real godunov(real minus, real plus, real speed) {
    const bool outward = speed > R(0);
    const real a = outward ? minus : plus, b = outward ? plus : minus;
    const real steepest = larger(-b, larger(a, R(0)));
    return steepest * steepest;
}

DEVICE real godunov_square(const OneSided& d, real speed) {
    real x = godunov(d.minus[0], d.plus[0], speed), y = godunov(d.minus[1], d.plus[1], speed);
    return (x + y) + godunov(d.minus[2], d.plus[2], speed);
}

// Returns the same contribution with first-order differences, from the values before, at and after
// a voxel. If the front moves outward, the difference from the smaller neighbor is used, and
// otherwise the difference from the larger one.
DEVICE real upwind_godunov(real before, real own, real behind, bool outward) {
    const real steepest = outward ? own - smaller(before, behind) : larger(before, behind) - own;
    const real limited = larger(steepest, R(0));
    return limited * limited;
}

template <typename At>
DEVICE real upwind_godunov_square(const At& at, bool outward) {
    const real own = at(0, 0, 0);
    const real x = upwind_godunov(at(-1, 0, 0), own, at(1, 0, 0), outward);
    const real y = upwind_godunov(at(0, -1, 0), own, at(0, 1, 0), outward);
    return (x + y) + upwind_godunov(at(0, 0, -1), own, at(0, 0, 1), outward);
}

// Returns U . grad phi with upwind derivatives on each axis.
DEVICE real transport(const real (&u)[3], const OneSided& d) {
    real x = u[0] > R(0) ? d.minus[0] : d.plus[0];
    real y = u[1] > R(0) ? d.minus[1] : d.plus[1];
    real z = u[2] > R(0) ? d.minus[2] : d.plus[2];
    return (u[0] * x + u[1] * y) + u[2] * z;
}

// Returns S(phi0) (1 - |grad phi|), given the square of Godunov's gradient norm.
DEVICE real towards_distance(real phi0, real square) {
#if QUICK && defined(__CUDA_ARCH__)
    return phi0 * inverse_root(phi0 * phi0 + R(1)) * (R(1) - root(square));
#else
    return phi0 / sqrt(phi0 * phi0 + R(1)) * (R(1) - sqrt(square));
#endif
}
