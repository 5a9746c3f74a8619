// Measure and gradients of a triangle or tetrahedron; the counterpart of
// crates/core/src/geometry/simplex.rs.
//
// M is the number of vertices. Functions are templates over M because the faces of a tetrahedron
// are triangles. The cells of a kernel have the type Simplex.
#pragma once

#include "common/division.cuh"
#include "common/vector.cuh"

template <int M>
struct SimplexOf {
    // Area (M = 3) or volume (M = 4), never negative.
    real meas;
    // Gradients of the basis functions, tangential to the simplex; their sum is zero.
    Vec3 grads[M];
};

typedef SimplexOf<N> Simplex;

// Returns the geometry of a triangle from the edges that leave vertex 0, in any orientation.
DEVICE SimplexOf<3> simplex_of(const Vec3 &e1, const Vec3 &e2) {
    SimplexOf<3> s;
#if PLANAR && QUICK
    // In the plane, the normal has only one component, so a division by this component is enough.
    real up = e1.x * e2.y - e1.y * e2.x, scale = inverse(up);
    s.meas = fabs(up) * R(0.5);
    s.grads[1] = Vec3{e2.y, -e2.x, R(0)} * scale;
    s.grads[2] = Vec3{-e1.y, e1.x, R(0)} * scale;
#elif PLANAR
    // In the plane, the normal has only one component. The result is bitwise identical to that of
    // the general case.
    real up = e1.x * e2.y - e1.y * e2.x;
    s.meas = fabs(up) * R(0.5);
    real scale = inverse(up * up);
    s.grads[1] = Vec3{e2.y * up, -(e2.x * up), R(0)} * scale;
    s.grads[2] = Vec3{-(up * e1.y), up * e1.x, R(0)} * scale;
#else
    Vec3 normal = cross(e1, e2);
    real det = norm_squared(normal);
    s.meas = root(det) * R(0.5);
    real scale = inverse(det);
    s.grads[1] = cross(e2, normal) * scale;
    s.grads[2] = cross(normal, e1) * scale;
#endif
    s.grads[0] = -(s.grads[1] + s.grads[2]);
    return s;
}

DEVICE SimplexOf<3> make_simplex(const Vec3 (&x)[3]) { return simplex_of(x[1] - x[0], x[2] - x[0]); }

DEVICE SimplexOf<4> make_simplex(const Vec3 (&x)[4]) {
    SimplexOf<4> s;
    Vec3 e1 = x[1] - x[0];
    Vec3 e2 = x[2] - x[0];
    Vec3 e3 = x[3] - x[0];
    Vec3 normal = cross(e1, e2);
    real det = dot(normal, e3);
    s.meas = fabs(det) * R(1.0 / 6.0);
    real scale = inverse(det);
    s.grads[1] = cross(e2, e3) * scale;
    s.grads[2] = cross(e3, e1) * scale;
    s.grads[3] = normal * scale;
    s.grads[0] = -(s.grads[1] + s.grads[2] + s.grads[3]);
    return s;
}

// Returns the gradient of the linear function with vertex values phi.
template <int M>
DEVICE Vec3 gradient(const SimplexOf<M> &s, const real (&phi)[M]) {
    Vec3 g = s.grads[1] * (phi[1] - phi[0]);
#pragma unroll
    for (int i = 2; i < M; i++) {
        g = g + s.grads[i] * (phi[i] - phi[0]);
    }
    return g;
}

// Returns the radius of the inscribed circle or sphere.
template <int M>
DEVICE real inradius(const SimplexOf<M> &s) {
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < M; i++) {
        sum += norm(s.grads[i]);
    }
    return R(1) / sum;
}

// Returns the length of the longest edge.
template <int M>
DEVICE real longest_edge(const Vec3 (&x)[M]) {
    real longest = R(0);
#pragma unroll
    for (int i = 0; i < M; i++) {
#pragma unroll
        for (int j = 0; j < i; j++) {
            longest = fmax(longest, norm(x[i] - x[j]));
        }
    }
    return longest;
}
