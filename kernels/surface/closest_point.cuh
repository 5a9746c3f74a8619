// The point of a triangle closest to another point. The counterpart of `Facet` in
// crates/core/src/geometry/simplex.rs.
#pragma once

#include "common/simplex.cuh"

// Returns the point with the given index of a list.
DEVICE Vec3 vertex(const double* vertices, u64 v) {
    const double* x = vertices + 3 * v;
    return {x[0], x[1], x[2]};
}

DEVICE Vec3 closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 e = b - a;
    const double length2 = norm_squared(e);
    if (length2 == 0.0) return a;
    double along = dot(p - a, e) / length2;
    along = along < 0.0 ? 0.0 : along;
    return a + e * (along > 1.0 ? 1.0 : along);
}

DEVICE Vec3 nearer(const Vec3& p, const Vec3& a, const Vec3& b) { return norm_squared(b - p) < norm_squared(a - p) ? b : a; }

// Returns the point of a triangle closest to p.
DEVICE Vec3 closest_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const SimplexOf<3> s = simplex_of(b - a, c - a);
    const double l1 = dot(s.grads[1], p - a), l2 = dot(s.grads[2], p - a);
    const bool is_over = l1 >= 0.0 && l2 >= 0.0 && l1 + l2 <= 1.0;
    // In a sliver, these coordinates consist mostly of rounding errors, and the result from its
    // sides is more accurate.
    const bool is_sliver = 4.0 * s.meas * s.meas <= 1e-12 * norm_squared(b - a) * norm_squared(c - a);
    const Vec3 inner = a + (b - a) * l1 + (c - a) * l2;
    if (is_over && !is_sliver) return inner;
    const Vec3 sides = nearer(p, nearer(p, closest_on_segment(p, a, b), closest_on_segment(p, b, c)), closest_on_segment(p, c, a));
    return is_over ? nearer(p, sides, inner) : sides;
}
