// The local solver of curved fronts: the arrival at a vertex over one face whose vertices carry
// values and directions. The counterpart of src/levelset/eikonal/quadratic/curved.rs.
#pragma once
#include "common/vector.cuh"

// The value of a distance at a vertex, and its gradient: the unit vector away from the interface.
struct Arrival {
    real value;
    Vec3 direction;
};

// curved.rs gives the reasons for these limits: how far beyond the edges of a face a foot may lie,
// the steepest rise of a straight front along a face, and the least squared height of a vertex.
#define BEYOND R(0.3)
#define STEEPEST2 R(0.95 * 0.95)
#define LOWEST R(1e-3)

// A face with N - 1 vertices and the vertex opposite to it.
struct Face {
    Vec3 to_c;    // from the first vertex of the face to the opposite vertex
    Vec3 e1, e2;  // from the first vertex to the others; the second is zero for triangles
    real g11, g12, g22;
};

// The foot of a straight front: the weights of the second and third vertex of the face, how far it
// lies outside the face, and the arrival time.
struct Foot {
    real weights[2];
    real outside, value;
};

// Returns vertex k of the face opposite to vertex i of a cell, as a vertex of the cell. The third
// vertex of an edge repeats the second.
DEVICE u32 other(u32 i, u32 k) {
    if (k > N - 2) k = N - 2;
    return k + (k >= i);
}

// Returns the face with the vertices a, b and c opposite to a vertex at x.
DEVICE Face face_of(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& x) {
    Face face;
    face.to_c = x - a;
    face.e1 = b - a;
    face.e2 = N == 4 ? c - a : Vec3{R(0), R(0), R(0)};
    face.g11 = norm_squared(face.e1);
    face.g12 = dot(face.e1, face.e2);
    face.g22 = norm_squared(face.e2);
    return face;
}

DEVICE Vec3 over(const Vec3& a, real length) { return Vec3{a.x / length, a.y / length, a.z / length}; }

// Limits the weight of a vertex to values near the face.
DEVICE real within(real weight) { return fmin(fmax(weight, R(-0.5)), R(1.5)); }

// Solves [[a, b], [b, c]] x = r, or a x = r1 if b and c are zero. Returns false if the matrix is
// not positive definite.
DEVICE bool solve_pair(real a, real b, real c, real r1, real r2, real (&x)[2]) {
    if (c == R(0) && b == R(0)) {
        x[0] = r1 / a;
        x[1] = R(0);
        return a > R(0);
    }
    real det = a * c - b * b;
    x[0] = (c * r1 - b * r2) / det;
    x[1] = (a * r2 - b * r1) / det;
    return a > R(0) && det > R(1e-6) * a * c;
}

// Finds the foot of the straight front with the values u, on the face or in its plane near it.
// Returns false if there is no such foot, or if the cell is too flat for one.
DEVICE bool find_foot(const Face& face, const real (&u)[3], Foot& foot) {
    real d1 = u[1] - u[0], d2 = N == 4 ? u[2] - u[0] : R(0);
    real r1 = dot(face.to_c, face.e1), r2 = dot(face.to_c, face.e2);
    real m[2], l[2];
    if (!solve_pair(face.g11, face.g12, face.g22, d1, d2, m)) return false;
    if (!solve_pair(face.g11, face.g12, face.g22, r1, r2, l)) return false;
    real slope2 = m[0] * d1 + m[1] * d2;
    real height2 = norm_squared(face.to_c) - (l[0] * r1 + l[1] * r2);
    real longest2 = N == 4 ? fmax(face.g11, face.g22) : face.g11;
    // This form of the condition also rejects NaN.
    if (!(slope2 < STEEPEST2 && height2 > LOWEST * longest2)) return false;
    real height = sqrt(height2), rise = sqrt(R(1) - slope2);
    foot.weights[0] = l[0] - m[0] * height / rise;
    foot.weights[1] = l[1] - m[1] * height / rise;
    real smallest = fmin(foot.weights[0], R(1) - foot.weights[0] - foot.weights[1]);
    if (N == 4) smallest = fmin(smallest, foot.weights[1]);
    foot.outside = fmax(-smallest, R(0));
    foot.value = u[0] + l[0] * d1 + l[1] * d2 + height * rise;
    return foot.outside <= BEYOND;
}

// Finds the arrival of the curved front: the smallest value of u(X) + |C - X| near the foot of the
// straight front. u is the quadratic polynomial on the face with the values of `from` at its
// vertices, whose bend along each side is the mean of what the directions at the two ends imply.
// Returns false if the front does not reach the vertex through this face.
DEVICE bool find_arrival(const Face& face, const Arrival (&from)[3], Arrival& found) {
    const real u[3] = {from[0].value, from[1].value, from[2].value};
    real c01 = dot(from[0].direction - from[1].direction, face.e1) * R(0.5), c02 = R(0), c12 = R(0);
    if (N == 4) {
        c02 = dot(from[0].direction - from[2].direction, face.e2) * R(0.5);
        c12 = dot(from[1].direction - from[2].direction, face.e2 - face.e1) * R(0.5);
    }
    real d1 = u[1] - u[0], d2 = N == 4 ? u[2] - u[0] : R(0);
    Foot foot;
    if (!find_foot(face, u, foot)) return false;
    real s = foot.weights[0], t = foot.weights[1];
    for (int step = 0; step < 2; step++) {
        Vec3 way = face.to_c - face.e1 * s - face.e2 * t;
        real length = norm(way);
        real w1 = dot(way, face.e1) / length, w2 = dot(way, face.e2) / length;
        real first = R(1) - s - t;
        real slope1 = d1 + c01 * (first - s) + (c12 - c02) * t - w1;
        real slope2 = d2 + c02 * (first - t) + (c12 - c01) * s - w2;
        real h11 = (face.g11 - w1 * w1) / length - R(2) * c01, h12 = R(0), h22 = R(0);
        if (N == 4) {
            h12 = (face.g12 - w1 * w2) / length + c12 - c01 - c02;
            h22 = (face.g22 - w2 * w2) / length - R(2) * c02;
        }
        // Without a clear minimum, the front stays straight here.
        real change[2];
        if (!(solve_pair(h11, h12, h22, slope1, slope2, change) && h11 > R(0.1) * face.g11 / length)) break;
        s = within(s - change[0]);
        t = N == 4 ? within(t - change[1]) : R(0);
    }
    Vec3 way = face.to_c - face.e1 * s - face.e2 * t;
    real length = norm(way);
    real first = R(1) - s - t;
    real bends = first * s * c01 + first * t * c02 + s * t * c12;
    found.value = u[0] + s * d1 + t * d2 + bends + length;
    found.direction = over(way, length);
    return true;
}

// Returns the direction of the straight front, or that from the first vertex of the face if the
// front has no foot near the face.
DEVICE Vec3 straight_direction(const Face& face, const real (&u)[3]) {
    Foot foot;
    bool is_near = find_foot(face, u, foot);
    real s = is_near ? foot.weights[0] : R(0), t = is_near ? foot.weights[1] : R(0);
    Vec3 way = face.to_c - face.e1 * s - face.e2 * t;
    return over(way, norm(way));
}
