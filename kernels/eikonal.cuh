// Local solvers: arrival time at one vertex of a simplex over the opposite face. The twin of
// src/levelset/eikonal/formulas.rs.
#pragma once

#include "common/vector.cuh"

// Arrival at c over the edge ab with arrival times ua, ub and slowness f.
DEVICE real triangle(real ua, real ub, const Vec3 &a, const Vec3 &b, const Vec3 &c, real f) {
    Vec3 to_c = c - a;
    if (ua < INFINITY_R && ub < INFINITY_R) {
        Vec3 edge = b - a;
        real length2 = norm_squared(edge);
        real rise = ub - ua;
        // |p| < f with p = rise / length: the front moves along the edge slower than it may.
        real w2 = f * f * length2 - rise * rise;
        if (w2 > R(0)) {
            real along = dot(to_c, edge);
            real across = norm(cross(edge, to_c));
            real w = sqrt(w2);
            real sigma = along - across * rise / w;
            if (sigma > R(0) && sigma < length2) {
                return ua + (rise * along + across * w) / length2;
            }
        }
    }
    return fmin(ua + f * norm(to_c), ub + f * norm(c - b));
}

// Arrival at c over the edge ab of a circular front from one point source (numerics 5.5).
DEVICE real circle(real ua, real ub, const Vec3 &a, const Vec3 &b, const Vec3 &c, real f) {
    Vec3 to_c = c - a;
    if (ua < INFINITY_R && ub < INFINITY_R) {
        Vec3 edge = b - a;
        real length2 = norm_squared(edge);
        real ra = ua / f;
        real rb = ub / f;
        real sum = ra + rb;
        real difference = ra - rb;
        // Heron's formula in factors that do not cancel: 16 area^2 = apart * slack.
        real apart = sum * sum - length2;
        real slack = length2 - difference * difference;
        if (apart < R(0)) {
            return triangle(ua, ub, a, b, c, f);
        }
        if (slack > R(0)) {
            // The source along and behind the edge, c along and before it, all times the length.
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

// The least inside the face x, away from its sides; whether there is one.
DEVICE bool inside_face(const real (&u)[3], const Vec3 &x0, const Vec3 &x1, const Vec3 &x2,
                        const Vec3 &d, real f, real &value) {
    if (!(u[0] < INFINITY_R && u[1] < INFINITY_R && u[2] < INFINITY_R)) {
        return false;
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
        return false;
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
        return false;
    }
    // Foot of d in the face and height over it.
    real l1 = (g22 * r1 - g12 * r2) * inverse;
    real l2 = (g11 * r2 - g12 * r1) * inverse;
    real height = fabs(dot(q, normal)) * sqrt(inverse);
    real w = sqrt(w2);
    real back = height / w;
    real s1 = l1 - mu1 * back;
    real s2 = l2 - mu2 * back;
    value = u[0] + l1 * d1 + l2 * d2 + height * w;
    return s1 >= R(0) && s2 >= R(0) && s1 + s2 <= R(1);
}

// Arrival at d over the triangle x0 x1 x2 with arrival times u.
DEVICE real tetrahedron(const real (&u)[3], const Vec3 &x0, const Vec3 &x1, const Vec3 &x2,
                        const Vec3 &d, real f) {
    real value;
    if (inside_face(u, x0, x1, x2, d, f, value)) {
        return value;
    }
    return fmin(fmin(triangle(u[0], u[1], x0, x1, d, f), triangle(u[1], u[2], x1, x2, d, f)),
                triangle(u[2], u[0], x2, x0, d, f));
}

// Whether the angle of a triangle at vertex i is obtuse: only there may a circular front arrive
// before it is at the other vertices.
template <int M>
DEVICE bool is_obtuse(const Vec3 (&x)[M], int i) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    return dot(x[j] - x[i], x[k] - x[i]) < R(0);
}

// Arrival at vertex i of a simplex over the opposite face. Call it with an i that is known when
// compiled (an unrolled loop): with another one, u and x go to slow memory.
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

// What the solver of a triangle needs of its shape, in fewer numbers than its vertices have; edge i
// is the one opposite to vertex i, from vertex i + 1 to vertex i + 2.
struct TriangleShape {
    real length[3];  // of the edges
    real length2[3];
    real along[3];   // of vertex i from the start of edge i, times its length
    real across;     // twice the area
};

DEVICE TriangleShape triangle_shape(const Vec3 (&x)[3]) {
    TriangleShape shape;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        Vec3 edge = x[(i + 2) % 3] - x[(i + 1) % 3];
        shape.length2[i] = norm_squared(edge);
        shape.length[i] = sqrt(shape.length2[i]);
        shape.along[i] = dot(x[i] - x[(i + 1) % 3], edge);
    }
    shape.across = norm(cross(x[1] - x[0], x[2] - x[0]));
    return shape;
}

// Arrival at vertex i; the same as triangle() but for rounding, with a division less.
DEVICE real arrival(const real (&u)[3], const TriangleShape &shape, int i, real f) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    if (u[j] < INFINITY_R && u[k] < INFINITY_R) {
        real length2 = shape.length2[i];
        real rise = u[k] - u[j];
        real w2 = f * f * length2 - rise * rise;
        if (w2 > R(0)) {
            real w = sqrt(w2);
            real sigma = shape.along[i] * w - shape.across * rise;
            if (sigma > R(0) && sigma < length2 * w) {
                return u[j] + (rise * shape.along[i] + shape.across * w) / length2;
            }
        }
    }
    return fmin(u[j] + f * shape.length[k], u[k] + f * shape.length[j]);
}
