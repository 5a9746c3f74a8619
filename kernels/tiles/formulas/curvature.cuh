// Central differences and motion by curvature: the counterpart of
// src/levelset/tiled/formulas/curvature.rs.
#pragma once
#include "common/division.cuh"

struct Central {
    real x, y, z;
    real xx, yy, zz;
    real xy, xz, yz;
};

// Returns unscaled differences, in voxel units: twice the first derivatives, the second
// derivatives, and four times the mixed derivatives. `at(dx, dy, dz)` gives the values around the
// voxel.
template <typename At>
DEVICE Central differences(const At& at) {
    Central d;
    const real center = at(0, 0, 0), twice = center + center;
    d.x = at(1, 0, 0) - at(-1, 0, 0);
    d.y = at(0, 1, 0) - at(0, -1, 0);
    d.z = at(0, 0, 1) - at(0, 0, -1);
    d.xx = at(-1, 0, 0) + at(1, 0, 0) - twice;
    d.yy = at(0, -1, 0) + at(0, 1, 0) - twice;
    d.zz = at(0, 0, -1) + at(0, 0, 1) - twice;
    d.xy = (at(-1, -1, 0) + at(1, 1, 0)) - (at(-1, 1, 0) + at(1, -1, 0));
    d.xz = (at(-1, 0, -1) + at(1, 0, 1)) - (at(-1, 0, 1) + at(1, 0, -1));
    d.yz = (at(0, -1, -1) + at(0, 1, 1)) - (at(0, -1, 1) + at(0, 1, -1));
    return d;
}

// Returns the first, second and mixed derivatives by central differences.
template <typename At>
DEVICE Central central(const At& at) {
    Central d = differences(at);
    d.x = R(0.5) * d.x;
    d.y = R(0.5) * d.y;
    d.z = R(0.5) * d.z;
    d.xy = R(0.25) * d.xy;
    d.xz = R(0.25) * d.xz;
    d.yz = R(0.25) * d.yz;
    return d;
}

// Returns kappa |grad phi|, with |kappa| clipped to the largest value that the grid can represent.
// The factors 1/2 and 1/4 of the derivatives are applied at the end. They are powers of two, so
// this does not affect rounding.
template <typename At>
DEVICE real curvature(const At& at) {
    const Central d = differences(at);
    // The next four values are 4, 4, 16 and 4 times the actual ones.
    const real square = (d.x * d.x + d.y * d.y) + d.z * d.z;
    const real straight = ((d.x * d.x) * (d.yy + d.zz) + (d.y * d.y) * (d.xx + d.zz)) + (d.z * d.z) * (d.xx + d.yy);
    const real crossed = ((d.x * d.y) * d.xy + (d.x * d.z) * d.xz) + (d.y * d.z) * d.yz;
    const real guarded = square + R(4) * R(1e-12);
    const real above = straight - R(0.5) * crossed;
#if QUICK && defined(__CUDA_ARCH__)
    const real inverse = inverse_root(guarded);
    const real kappa = (R(2) * above) * (inverse * inverse * inverse), norm = square * inverse;
#else
    const real kappa = R(2) * (above / (guarded * sqrt(guarded))), norm = sqrt(square);
#endif
    return larger(smaller(kappa, R(2)), R(-2)) * (R(0.5) * norm);
}
