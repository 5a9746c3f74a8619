// Central differences and motion by curvature: the twin of src/levelset/tiled/formulas/curvature.rs.
#pragma once
#include "common/division.cuh"

struct Central {
    real x, y, z;
    real xx, yy, zz;
    real xy, xz, yz;
};

// Half the difference of the values on both sides.
DEVICE real first_of(real low, real high) { return R(0.5) * (high - low); }

// Mixed difference: `low` and `high` lie along the diagonal, `left` and `right` across.
DEVICE real mixed_of(real low, real high, real left, real right) {
    return R(0.25) * ((low + high) - (left + right));
}

// `at(dx, dy, dz)` gives the values around the voxel.
template <typename At>
DEVICE Central central(const At& at) {
    Central d;
    real center = at(0, 0, 0), twice = center + center;
    d.x = first_of(at(-1, 0, 0), at(1, 0, 0));
    d.y = first_of(at(0, -1, 0), at(0, 1, 0));
    d.z = first_of(at(0, 0, -1), at(0, 0, 1));
    d.xx = at(-1, 0, 0) + at(1, 0, 0) - twice;
    d.yy = at(0, -1, 0) + at(0, 1, 0) - twice;
    d.zz = at(0, 0, -1) + at(0, 0, 1) - twice;
    d.xy = mixed_of(at(-1, -1, 0), at(1, 1, 0), at(-1, 1, 0), at(1, -1, 0));
    d.xz = mixed_of(at(-1, 0, -1), at(1, 0, 1), at(-1, 0, 1), at(1, 0, -1));
    d.yz = mixed_of(at(0, -1, -1), at(0, 1, 1), at(0, -1, 1), at(0, 1, -1));
    return d;
}

// kappa |grad phi|, |kappa| clipped to what the grid can show. Without the halves and quarters of the
// derivatives, in powers of two, by which nothing is rounded otherwise.
template <typename At>
DEVICE real curvature(const At& at) {
    const real center = at(0, 0, 0), twice = center + center;
    const real x = at(1, 0, 0) - at(-1, 0, 0), y = at(0, 1, 0) - at(0, -1, 0), z = at(0, 0, 1) - at(0, 0, -1);
    const real xx = at(-1, 0, 0) + at(1, 0, 0) - twice;
    const real yy = at(0, -1, 0) + at(0, 1, 0) - twice;
    const real zz = at(0, 0, -1) + at(0, 0, 1) - twice;
    const real xy = (at(-1, -1, 0) + at(1, 1, 0)) - (at(-1, 1, 0) + at(1, -1, 0));
    const real xz = (at(-1, 0, -1) + at(1, 0, 1)) - (at(-1, 0, 1) + at(1, 0, -1));
    const real yz = (at(0, -1, -1) + at(0, 1, 1)) - (at(0, -1, 1) + at(0, 1, -1));
    // 4, 4, 16 and 4 times what they stand for.
    const real square = (x * x + y * y) + z * z;
    const real straight = ((x * x) * (yy + zz) + (y * y) * (xx + zz)) + (z * z) * (xx + yy);
    const real crossed = ((x * y) * xy + (x * z) * xz) + (y * z) * yz;
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
