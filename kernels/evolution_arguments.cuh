// The coefficients of an evolution on the GPU.
//
// Compilation units are specialized for the terms of the equation. ADVECTION, NORMAL and CURVATURE
// have values from generated/evolution.cuh. IMPLICIT says whether curvature is semi-implicit.
// VELOCITY_ROWS, SPEED_ROWS and CURVATURE_ROWS say whether a coefficient has a value for every
// vertex. WHOLE says that there is no band and all vertices move.
#pragma once
#include "common/patches.cuh"
#include "control.cuh"

DEVICE const u32* active_list(const Evolution& s, const Control& c) {
    return s.active + (u64)c.list * c.n_patches;
}

// Returns the mean velocity of a cell.
DEVICE Vec3 velocity_of(const Patch& patch, const Evolution& s, const u32 (&corner)[N]) {
#if VELOCITY_ROWS
    Vec3 sum = {R(0), R(0), R(0)};
#pragma unroll
    for (int i = 0; i < N; i++) {
        const real* row = s.velocity_rows + 3 * (u64)patch.vertex(corner[i]);
        sum = sum + Vec3{row[0], row[1], row[2]};
    }
    return Vec3{sum.x / R(N), sum.y / R(N), sum.z / R(N)};
#else
    return Vec3{s.velocity[0], s.velocity[1], s.velocity[2]};
#endif
}

// Returns the mean normal speed of a cell.
DEVICE real normal_speed_of(const Patch& patch, const Evolution& s, const u32 (&corner)[N]) {
#if SPEED_ROWS
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) sum += s.speed_rows[patch.vertex(corner[i])];
    return sum / R(N);
#else
    return s.normal_speed;
#endif
}

// Returns the curvature coefficient beta, or the weight of weighted curvature, at a vertex of the
// patch.
DEVICE real curvature_at(const Patch& patch, const Evolution& s, u32 local) {
#if CURVATURE_ROWS
    return s.curvature_rows[patch.vertex(local)];
#else
    return s.curvature;
#endif
}

// Returns the mean weight of a cell.
DEVICE real weight_of(const Patch& patch, const Evolution& s, const u32 (&corner)[N]) {
#if CURVATURE_ROWS
    real sum = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) sum += s.curvature_rows[patch.vertex(corner[i])];
    return sum / R(N);
#else
    return s.curvature;
#endif
}

// Clears the intermediate values of a vertex that does not move, because its neighbors read them.
DEVICE void forget(const Evolution& s, u32 n_vertices, u32 vertex) {
#if ADVECTION == ADVECTION_TAYLOR_GALERKIN
    s.increment[vertex] = R(0);
    s.increment[(u64)n_vertices + vertex] = R(0);
#endif
#if IMPLICIT
    s.diagonal[vertex] = R(0);
#endif
}

// Returns num / den, or 0 if den is not above LEAST, for example because no cell contributes.
DEVICE real ratio(real num, real den) { return den > LEAST ? quotient(num, den) : R(0); }
