// Local solvers: the arrival time at one vertex of a simplex, for a front that crosses the opposite
// face. The counterpart of src/levelset/eikonal/formulas.rs.
#pragma once

#include "common/vector.cuh"

// The smallest height that is used for a vertex whose foot lies inside the opposite face, relative
// to the longest edge of the face. formulas.rs gives the reason.
#define LEAST_HEIGHT R(0.03)

// Returns the height that is used for a vertex of this height. `inside` is the distance of its foot
// from the nearest vertex of the face, negative if the foot lies outside the face.
DEVICE real raised(real height, real longest, real inside) {
    return fmax(height, fmin(LEAST_HEIGHT * longest, inside));
}

// Returns the arrival time at c of a front that crosses the edge ab, or else moves along ac or bc,
// given the arrival times ua and ub and the slowness f. Sets `at` to the place on the edge from
// which the front comes: 0 at a, 1 at b.
DEVICE real triangle_foot(real ua, real ub, const Vec3 &a, const Vec3 &b, const Vec3 &c, real f, real &at) {
    Vec3 to_c = c - a;
    if (ua < INFINITY_R && ub < INFINITY_R) {
        Vec3 edge = b - a;
        real length2 = norm_squared(edge);
        real rise = ub - ua;
        // |p| < f with p = rise / length: the values rise more slowly along the edge than f allows.
        real w2 = f * f * length2 - rise * rise;
        if (w2 > R(0)) {
            real along = dot(to_c, edge);
            real across = raised(norm(cross(edge, to_c)), length2, fmin(along, length2 - along));
            real w = sqrt(w2);
            real sigma = along - across * rise / w;
            if (sigma > R(0) && sigma < length2) {
                real value = ua + (rise * along + across * w) / length2;
                at = sigma / length2;
                if (across > LEAST_HEIGHT * length2) return value;
                // The vertex may have been raised, so a front from an end of the edge may arrive
                // earlier.
                real over_a = ua + f * norm(to_c), over_b = ub + f * norm(c - b);
                if (fmin(over_a, over_b) < value) at = over_b < over_a ? R(1) : R(0);
                return fmin(value, fmin(over_a, over_b));
            }
        }
    }
    real over_a = ua + f * norm(to_c), over_b = ub + f * norm(c - b);
    at = over_b < over_a ? R(1) : R(0);
    return fmin(over_a, over_b);
}

// Returns the arrival time of triangle_foot.
DEVICE real triangle(real ua, real ub, const Vec3 &a, const Vec3 &b, const Vec3 &c, real f) {
    real at;
    return triangle_foot(ua, ub, a, b, c, f, at);
}

// Returns the arrival time at c of a circular front that comes from one point source across the
// edge ab, or else moves along ac or bc (docs/distances.md, section 5.5). If ua and ub are too
// early for a common source, the front is treated as plane.
DEVICE real circle(real ua, real ub, const Vec3 &a, const Vec3 &b, const Vec3 &c, real f) {
    Vec3 to_c = c - a;
    if (ua < INFINITY_R && ub < INFINITY_R) {
        Vec3 edge = b - a;
        real length2 = norm_squared(edge);
        real ra = ua / f;
        real rb = ub / f;
        real sum = ra + rb;
        real difference = ra - rb;
        // Heron's formula in factored form, which reduces cancellation: 16 area^2 = apart * slack.
        real apart = sum * sum - length2;
        real slack = length2 - difference * difference;
        if (apart < R(0)) {
            return triangle(ua, ub, a, b, c, f);
        }
        if (slack > R(0)) {
            // Coordinates of the source (along and behind the edge) and of c (along and in front of
            // it), all multiplied by the length of the edge.
            real source_along = R(0.5) * (length2 + difference * sum);
            real source_behind = R(0.5) * sqrt(apart * slack);
            real along = dot(to_c, edge);
            real before = norm(cross(edge, to_c));
            real height = before + source_behind;
            real crossing = source_along * before + along * source_behind;
            if (crossing >= R(0) && crossing <= length2 * height) {
                real aside = along - source_along;
                return f * sqrt((aside * aside + height * height) / length2);
            }
        }
    }
    return fmin(ua + f * norm(to_c), ub + f * norm(c - b));
}

// The sides of a face, one bit each.
enum { SIDE_01 = 1, SIDE_12 = 2, SIDE_20 = 4 };

// Returns the height that is used for a vertex above a face with the Gram matrix g11, g12, g22 and
// its determinant det. Its foot has the weights l1 and l2 at the second and third vertex of the
// face.
DEVICE real raised_over_face(real height, real l1, real l2, real g11, real g12, real g22, real det) {
    real g33 = g11 + g22 - R(2) * g12;
    real longest2 = fmax(fmax(g11, g22), g33);
    real height2 = height * height;
    if (height2 >= LEAST_HEIGHT * LEAST_HEIGHT * longest2) return height;
    // The foot may lie outside a side by at most the height. Otherwise, a front could still run
    // along a side that the vertex almost touches.
    real l0 = R(1) - l1 - l2;
    if (l0 < R(0) && l0 * l0 * det > height2 * g33) return height;
    if (l1 < R(0) && l1 * l1 * det > height2 * g22) return height;
    if (l2 < R(0) && l2 * l2 * det > height2 * g11) return height;
    // The squared distance of the foot from the nearest vertex of the face.
    real m1 = l1 - R(1), m2 = l2 - R(1);
    real inside2 = l1 * l1 * g11 + R(2) * l1 * l2 * g12 + l2 * l2 * g22;
    inside2 = fmin(inside2, m1 * m1 * g11 + R(2) * m1 * l2 * g12 + l2 * l2 * g22);
    inside2 = fmin(inside2, l1 * l1 * g11 + R(2) * l1 * m2 * g12 + m2 * m2 * g22);
    return raised(height, sqrt(longest2), sqrt(fmax(inside2, R(0))));
}

// Finds the point of a face through which a front first arrives at d. Sets `value` to the arrival
// time if that point is found in the face, and to infinity otherwise. If it is found, sets `s1` and
// `s2` to its weights at x1 and x2. Returns the sides on which an earlier point may be: 0 if there
// is none.
//
// The arrival time is a convex function of the point. If its minimum in the plane of the face lies
// outside the face, the minimum over the face is on a side that separates that point from the face.
// If the face is thin, rounding could select the wrong side, so all sides are returned.
DEVICE u32 over_face(const real (&u)[3], const Vec3 &x0, const Vec3 &x1, const Vec3 &x2,
                     const Vec3 &d, real f, real &value, real &s1, real &s2) {
    const u32 any = SIDE_01 | SIDE_12 | SIDE_20;
    value = INFINITY_R;
    if (!(u[0] < INFINITY_R && u[1] < INFINITY_R && u[2] < INFINITY_R)) {
        return any;
    }
    Vec3 e1 = x1 - x0;
    Vec3 e2 = x2 - x0;
    Vec3 q = d - x0;
    real g11 = norm_squared(e1);
    real g12 = dot(e1, e2);
    real g22 = norm_squared(e2);
    Vec3 normal = cross(e1, e2);
    real det = norm_squared(normal);
    if (!(det > R(1e-14) * g11 * g22)) {
        return any;
    }
    real d1 = u[1] - u[0];
    real d2 = u[2] - u[0];
    real r1 = dot(q, e1);
    real r2 = dot(q, e2);
    real inverse = R(1) / det;
    real mu1 = (g22 * d1 - g12 * d2) * inverse;
    real mu2 = (g11 * d2 - g12 * d1) * inverse;
    real w2 = f * f - (d1 * mu1 + d2 * mu2);
    if (!(w2 > R(0))) {
        return any;
    }
    // The foot of d in the face, and the height of d above the face.
    real l1 = (g22 * r1 - g12 * r2) * inverse;
    real l2 = (g11 * r2 - g12 * r1) * inverse;
    real given = fabs(dot(q, normal)) * sqrt(inverse);
    real height = raised_over_face(given, l1, l2, g11, g12, g22, det);
    real w = sqrt(w2);
    real back = height / w;
    s1 = l1 - mu1 * back;
    s2 = l2 - mu2 * back;
    if (s1 >= R(0) && s2 >= R(0) && s1 + s2 <= R(1)) {
        value = u[0] + l1 * d1 + l2 * d2 + height * w;
        // If the vertex was raised, a front through a side may arrive earlier.
        return height > given ? any : 0;
    }
    if (height > given) return any;
    u32 sides = (s2 < R(0) ? SIDE_01 : 0) | (s1 + s2 > R(1) ? SIDE_12 : 0) | (s1 < R(0) ? SIDE_20 : 0);
    return det > R(1e-3) * g11 * g22 && sides != 0 ? sides : any;
}

// Returns the arrival time at d of a front that crosses the triangle x0 x1 x2, given the arrival
// times u. Sets `is_inside` to whether the front comes through the inside of the triangle.
DEVICE real tetrahedron_foot(const real (&u)[3], const Vec3 &x0, const Vec3 &x1, const Vec3 &x2,
                             const Vec3 &d, real f, bool &is_inside) {
    real least, s1, s2;
    u32 sides = over_face(u, x0, x1, x2, d, f, least, s1, s2);
    is_inside = least < INFINITY_R && R(1) - s1 - s2 > R(0) && s1 > R(0) && s2 > R(0);
    // Process one side after another. A warp then runs the formula only as many times as the thread
    // with the most sides needs.
    while (sides != 0) {
        u32 side = sides & (0u - sides);
        sides ^= side;
        bool from_0 = side == SIDE_01, from_1 = side == SIDE_12;
        const Vec3 &a = from_0 ? x0 : from_1 ? x1 : x2;
        const Vec3 &b = from_0 ? x1 : from_1 ? x2 : x0;
        real ua = from_0 ? u[0] : from_1 ? u[1] : u[2];
        real ub = from_0 ? u[1] : from_1 ? u[2] : u[0];
        real value = triangle(ua, ub, a, b, d, f);
        if (value < least) is_inside = false;
        least = fmin(least, value);
    }
    return least;
}

// Returns the arrival time of tetrahedron_foot.
DEVICE real tetrahedron(const real (&u)[3], const Vec3 &x0, const Vec3 &x1, const Vec3 &x2,
                        const Vec3 &d, real f) {
    bool is_inside;
    return tetrahedron_foot(u, x0, x1, x2, d, f, is_inside);
}

// Returns whether the angle of a triangle at vertex i is obtuse. Only at an obtuse angle can a
// circular front arrive before it reaches the other vertices.
template <int M>
DEVICE bool is_obtuse(const Vec3 (&x)[M], int i) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    return dot(x[j] - x[i], x[k] - x[i]) < R(0);
}

// Returns the arrival time at vertex i of a simplex, for a front that crosses the opposite face. i
// must be known at compile time (in an unrolled loop). Otherwise, u and x are placed in slow local
// memory.
DEVICE real arrival(const real (&u)[3], const Vec3 (&x)[3], int i, real f) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    return triangle(u[j], u[k], x[j], x[k], x[i], f);
}

DEVICE real arrival(const real (&u)[4], const Vec3 (&x)[4], int i, real f) {
    int j = (i + 1) % 4;
    int k = (i + 2) % 4;
    int l = (i + 3) % 4;
    const real face[3] = {u[j], u[k], u[l]};
    return tetrahedron(face, x[j], x[k], x[l], x[i], f);
}

// Lower bounds on the heights of a tetrahedron: entry i is for the height of corner i above the
// opposite face.
struct __align__(16) Heights {
    float of[4];
};

// Returns the heights, reduced by possible rounding errors. They are 0 for degenerate cells and for
// heights that a float cannot represent.
DEVICE Heights heights_of(const Vec3 (&x)[4]) {
    Vec3 a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
    real volume = fabs(dot(cross(a, b), c)) - R(32) * ROUNDING * norm(a) * norm(b) * norm(c);
    Heights heights;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        Vec3 to_b = x[(i + 2) % 4] - x[(i + 1) % 4], to_c = x[(i + 3) % 4] - x[(i + 1) % 4];
        real across = norm(cross(to_b, to_c)) + R(8) * ROUNDING * norm(to_b) * norm(to_c);
        real height = volume / across * R(0.9999);
        heights.of[i] = height > R(1e-30) && height < R(1e30) ? (float)height : 0.0f;
    }
    return heights;
}

// The shape data that the solver needs for a triangle. Edge i is opposite vertex i and leads from
// vertex i + 1 to vertex i + 2.
struct TriangleShape {
    real length[3];  // lengths of the edges
    real along[3];   // position of the foot of vertex i on edge i: 0 at its start, 1 at its end
    real height[3];  // height of vertex i above edge i that counts, divided by the length of edge i
};

// The number of values in a TriangleShape.
enum { SHAPE_SIZE = 9 };

DEVICE TriangleShape triangle_shape(const Vec3 (&x)[3]) {
    TriangleShape shape;
    real across = norm(cross(x[1] - x[0], x[2] - x[0]));
#pragma unroll
    for (int i = 0; i < 3; i++) {
        Vec3 edge = x[(i + 2) % 3] - x[(i + 1) % 3];
        real length2 = norm_squared(edge);
        shape.length[i] = sqrt(length2);
        shape.along[i] = dot(x[i] - x[(i + 1) % 3], edge) / length2;
        shape.height[i] = raised(across / length2, R(1), fmin(shape.along[i], R(1) - shape.along[i]));
    }
    return shape;
}

// Returns an entry whose index is not known at compile time, without using local memory.
template <class T>
DEVICE T pick(const T (&of)[3], int i) {
    return i == 0 ? of[0] : i == 1 ? of[1] : of[2];
}

// Returns the arrival time at vertex i; equal to triangle() up to rounding, but without a division.
DEVICE real arrival(const real (&u)[3], const TriangleShape &shape, int i, real f) {
    int j = i == 2 ? 0 : i + 1;
    int k = i == 0 ? 2 : i - 1;
    real uj = pick(u, j), uk = pick(u, k), value = INFINITY_R;
    if (uj < INFINITY_R && uk < INFINITY_R) {
        real longest = f * pick(shape.length, i);
        real rise = uk - uj;
        real w2 = longest * longest - rise * rise;
        if (w2 > R(0)) {
            real w = sqrt(w2);
            real along = pick(shape.along, i), height = pick(shape.height, i);
            real sigma = along * w - height * rise;
            if (sigma > R(0) && sigma < w) {
                value = uj + (rise * along + height * w);
                if (height > LEAST_HEIGHT) return value;
                // The vertex may have been raised, so a front from an end of the edge may arrive
                // earlier.
            }
        }
    }
    return fmin(value, fmin(uj + f * pick(shape.length, k), uk + f * pick(shape.length, j)));
}

// Returns the vertices, one bit each, whose values the triangle may lower. An arrival time is at
// least the earlier value of the other two vertices plus the travel time along the height. If this
// earlier value is `limit` or more, the vertex is left out.
DEVICE u32 hopeful(const real (&u)[3], const TriangleShape &shape, real f, real limit) {
    u32 found = 0;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        real first = smaller(u[(i + 1) % 3], u[(i + 2) % 3]);
        real way = f * R(0.9999) * (shape.height[i] * shape.length[i]);
        found |= (u32)(first < limit && first + way < u[i]) << i;
    }
    return found;
}
