// The zero set in a cut cell; the counterpart of src/surface/measures.rs. Results are equal up to
// rounding. Only differences of coordinates are used.
#pragma once
#include "common/simplex.cuh"

// The size of the zero set in a cell, and the part of the cell where phi < 0.
struct Cut {
    real interface;  // length or area of the zero set
    real share;      // inside fraction of the area or volume
};

// Returns the fraction of an edge between its first end and the zero of phi, given the values a and
// b of phi at its ends.
DEVICE real crossing(real a, real b) { return a / (a - b); }

DEVICE real area(const Vec3& a, const Vec3& b) { return R(0.5) * norm(cross(a, b)); }

DEVICE void swap(real& a, real& b) {
    real old = a;
    a = b;
    b = old;
}

DEVICE void swap(Vec3& a, Vec3& b) {
    swap(a.x, b.x);
    swap(a.y, b.y);
    swap(a.z, b.z);
}

// Reorders the vertices so that those inside come first. Indices are compile-time constants,
// because otherwise the arrays would be placed in local memory.
DEVICE void inside_first(Vec3 (&x)[N], real (&phi)[N]) {
#pragma unroll
    for (int last = N - 1; last > 0; last--) {
#pragma unroll
        for (int i = 0; i < last; i++) {
            if (!(phi[i] < R(0)) && phi[i + 1] < R(0)) {
                swap(phi[i], phi[i + 1]);
                swap(x[i], x[i + 1]);
            }
        }
    }
}

DEVICE Cut cut_at_corner(const Vec3 (&x)[3], const real (&phi)[3]) {
    real s = crossing(phi[0], phi[1]);
    real t = crossing(phi[0], phi[2]);
    return Cut{norm((x[2] - x[0]) * t - (x[1] - x[0]) * s), s * t};
}

DEVICE Cut cut_at_corner(const Vec3 (&x)[4], const real (&phi)[4]) {
    real r = crossing(phi[0], phi[1]);
    real s = crossing(phi[0], phi[2]);
    real t = crossing(phi[0], phi[3]);
    Vec3 a = (x[1] - x[0]) * r;
    return Cut{area((x[2] - x[0]) * s - a, (x[3] - x[0]) * t - a), r * s * t};
}

// Cuts a tetrahedron whose first two vertices are inside.
DEVICE Cut cut_between_edges(const Vec3 (&x)[4], const real (&phi)[4]) {
    real p = crossing(phi[0], phi[2]);
    real q = crossing(phi[0], phi[3]);
    real r = crossing(phi[1], phi[2]);
    real s = crossing(phi[1], phi[3]);
    // These vectors are relative to x[0].
    Vec3 ac = (x[2] - x[0]) * p;
    Vec3 ad = (x[3] - x[0]) * q;
    Vec3 b = x[1] - x[0];
    Vec3 bc = b + (x[2] - x[1]) * r;
    Vec3 bd = b + (x[3] - x[1]) * s;
    real interface = area(ad - ac, bd - ac) + area(bd - ac, bc - ac);
    return Cut{interface, p * q + p * s * (R(1) - q) + r * s * (R(1) - p)};
}

DEVICE Cut cut_between_edges(const Vec3 (&)[3], const real (&)[3]) { return Cut{R(0), R(0)}; }

// Cuts a cell that has vertices both inside and outside. Reorders x and phi.
DEVICE Cut cut_cell(Vec3 (&x)[N], real (&phi)[N], int n_inside) {
    inside_first(x, phi);
    if (n_inside == 1) return cut_at_corner(x, phi);
    if (n_inside < N - 1) return cut_between_edges(x, phi);
    swap(x[0], x[N - 1]);
    swap(phi[0], phi[N - 1]);
    Cut outside = cut_at_corner(x, phi);
    return Cut{outside.interface, R(1) - outside.share};
}
