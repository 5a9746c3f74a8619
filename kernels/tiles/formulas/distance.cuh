// Distances of voxels to the interface: from phi for voxels next to it, and from the neighbors for
// all others.
//
// The counterpart of src/levelset/tiled/formulas/nearest.rs and eikonal.rs.
#pragma once
#include "tiles/formulas/curvature.cuh"

// The number of iterations toward the nearest point.
enum { NEAREST_STEPS = 5 };

// Raises the derivatives along an axis to fourth order, using the values two voxels away.
DEVICE void refine(real& gradient, real& pure, real center, real low, real high) {
    const real wide = R(0.25) * (high - low);
    gradient = (R(4) * gradient - wide) * R(1.0 / 3.0);
    const real outer = (low + high) - (center + center);
    pure = (R(16) * pure - outer) * R(1.0 / 12.0);
}

DEVICE real dot_of(real ax, real ay, real az, real bx, real by, real bz) {
    return (ax * bx + ay * by) + az * bz;
}

// Returns the distance to the zero set of `value + g . x + x^T H x / 2`, or a value above 2 if the
// zero set is not found.
DEVICE real to_quadric(real value, const Central& d) {
    real x = R(0), y = R(0), z = R(0), left = value;
    for (int k = 0; k < NEAREST_STEPS; k++) {
        const real bx = (d.xx * x + d.xy * y) + d.xz * z;
        const real by = (d.xy * x + d.yy * y) + d.yz * z;
        const real bz = (d.xz * x + d.yz * y) + d.zz * z;
        left = value + (dot_of(d.x, d.y, d.z, x, y, z) + R(0.5) * dot_of(bx, by, bz, x, y, z));
        const real nx = d.x + bx, ny = d.y + by, nz = d.z + bz;
        const real square = dot_of(nx, ny, nz, nx, ny, nz) + R(1e-12);
        // Project the point onto the line through the voxel along the normal. Then move it along
        // this line to the zero set.
        const real along = (dot_of(x, y, z, nx, ny, nz) - left) / square;
        x = along * nx;
        y = along * ny;
        z = along * nz;
    }
    const real distance = sqrt(dot_of(x, y, z, x, y, z));
    const real size = sqrt(dot_of(d.x, d.y, d.z, d.x, d.y, d.z));
    return R(1e-4) * (size * size) > left * left ? distance : R(4);
}

// Returns the slope `-value / s` for a crossing at the distance s, in voxels, between two values,
// or zero if there is no crossing.
DEVICE real crossing_slope(real value, real other) {
    const real slope = other - value;
    const bool beyond = R(0) > other;
    return R(0) > value ? (beyond ? R(0) : slope) : (beyond ? slope : R(0));
}

// The contribution of an axis to `|grad u|^2`: `weight (u - from)^2` where `u > from`.
struct Axis {
    real from, weight;
};

// Returns the contribution of an axis from its values at -2, -1, 1, 2.
DEVICE Axis axis_of(real v0, real v1, real v2, real v3) {
    const bool left = v2 > v1;
    const real first = left ? v1 : v2, second = left ? v0 : v3;
    const bool falls = first > second;
    const real extrapolated = first + (first - second) * R(1.0 / 3.0);
    return Axis{falls ? extrapolated : first, falls ? R(2.25) : R(1)};
}

DEVICE void sort_axes(Axis& a, Axis& b) {
    const bool swapped = a.from > b.from;
    const Axis first = swapped ? b : a, second = swapped ? a : b;
    a = first;
    b = second;
}

DEVICE real positive_root(real x) { return sqrt(larger(x, R(0))); }

// Returns u with `sum_k weight_k max(u - from_k, 0)^2 = 1`.
DEVICE real solve(Axis a, Axis b, Axis c) {
    sort_axes(a, b);
    sort_axes(b, c);
    sort_axes(a, b);
    const real p = b.from - a.from, q = c.from - a.from;
    const real one = a.weight > R(1) ? R(2.0 / 3.0) : R(1);
    real sum = a.weight + b.weight;
    real linear = b.weight * p;
    const real two = (linear + positive_root(sum - a.weight * linear * p)) / sum;
    const real x = one > p ? two : one;
    sum = sum + c.weight;
    const real constant = (linear * p + c.weight * q * q) - R(1);
    linear = linear + c.weight * q;
    const real three = (linear + positive_root(linear * linear - sum * constant)) / sum;
    return a.from + (x > q ? three : x);
}
