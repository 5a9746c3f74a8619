// Central differences and motion by curvature: the twin of src/levelset/tiled/formulas/curvature.rs.
#pragma once
#include "common/real.cuh"

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

// kappa |grad phi|, |kappa| clipped to what the grid can show.
DEVICE real curvature(const Central& d) {
    real square = (d.x * d.x + d.y * d.y) + d.z * d.z;
    real straight = ((d.x * d.x) * (d.yy + d.zz) + (d.y * d.y) * (d.xx + d.zz)) + (d.z * d.z) * (d.xx + d.yy);
    real crossed = ((d.x * d.y) * d.xy + (d.x * d.z) * d.xz) + (d.y * d.z) * d.yz;
    real guarded = square + R(1e-12);
    real norm = sqrt(square);
    real kappa = (straight - R(2) * crossed) / (guarded * sqrt(guarded));
    return larger(smaller(kappa, R(2)), R(-2)) * norm;
}
