// Vectors in R^3, with the operations of nalgebra in the same order: dot products add x, y, z from
// the left. In planar meshes (PLANAR), the third component is zero, and sums and dot products omit
// it.
#pragma once

#ifndef PLANAR
#define PLANAR 0
#endif

#include "common/real.cuh"

struct Vec3 {
    real x, y, z;
};

#if PLANAR
DEVICE Vec3 operator+(const Vec3 &a, const Vec3 &b) { return Vec3{a.x + b.x, a.y + b.y, R(0)}; }

DEVICE Vec3 operator-(const Vec3 &a, const Vec3 &b) { return Vec3{a.x - b.x, a.y - b.y, R(0)}; }

DEVICE Vec3 operator-(const Vec3 &a) { return Vec3{-a.x, -a.y, R(0)}; }

DEVICE Vec3 operator*(const Vec3 &a, real s) { return Vec3{a.x * s, a.y * s, R(0)}; }

DEVICE real dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y; }
#else
DEVICE Vec3 operator+(const Vec3 &a, const Vec3 &b) {
    return Vec3{a.x + b.x, a.y + b.y, a.z + b.z};
}

DEVICE Vec3 operator-(const Vec3 &a, const Vec3 &b) {
    return Vec3{a.x - b.x, a.y - b.y, a.z - b.z};
}

DEVICE Vec3 operator-(const Vec3 &a) { return Vec3{-a.x, -a.y, -a.z}; }

DEVICE Vec3 operator*(const Vec3 &a, real s) { return Vec3{a.x * s, a.y * s, a.z * s}; }

DEVICE real dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
#endif

DEVICE Vec3 cross(const Vec3 &a, const Vec3 &b) {
    return Vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

DEVICE real norm_squared(const Vec3 &a) { return dot(a, a); }

DEVICE real norm(const Vec3 &a) { return sqrt(norm_squared(a)); }
