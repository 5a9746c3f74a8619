// An evolution on the card: src/levelset/evolution/cuda/state.rs lays it out.
//
// Units are compiled for the terms that act: ADVECTION 0 none, 1 positive coefficients, 2 cone,
// 3 Taylor-Galerkin; NORMAL 0 none, 1 positive coefficients, 2 Hopf-Lax; CURVATURE 0 none, 1 beta,
// 2 weighted, and IMPLICIT whether it is semi-implicit; VELOCITY_ROWS, SPEED_ROWS, CURVATURE_ROWS
// whether a coefficient has a value for every vertex; WHOLE where there is no band and all vertices move.
#pragma once
#include "common/patches.cuh"
#include "control.cuh"

struct Evolution {
    Control* control;
    Progress* chain;            // [2] before the steps of a cycle, in turn
    Trace* traces;              // [3] of these steps
    real* phi;                  // two buffers of [n_vertices]
    u8* inside;                 // [n_vertices] closer than the half width when the band was made
    u8* moving;                 // [n_vertices]
    u32* active;                // two buffers of [n_patches]
    u32* is_active;             // [n_patches]
    u32* extra;                 // patches an interface may come in through, as many as Control says
    u32 largest_local, largest_owned, largest_columns;
    u32 chunk;                  // cells whose contributions fit the shared memory at once
    real near;                  // half of the half width
    real least_inradius;        // that cells have at least for the curvature part of the step
    real velocity[3], normal_speed, curvature;       // uniform coefficients
    const real* velocity_rows;                       // [n_vertices * 3]
    const real* speed_rows;                          // [n_vertices]
    const real* curvature_rows;                      // [n_vertices]
    // Taylor-Galerkin.
    const u8* upwind;           // [n_vertices] vertices of poor cells
    const real* mass;           // [n_vertices] lumped
    real* measures;             // of the cells of all patches
    real* residual;             // [n_vertices]
    real* increment;            // two buffers of [n_vertices]
    const u8* flows_in;         // [n_vertices] where the velocity points in, or null
    // Semi-implicit curvature.
    real* diagonal;             // [n_vertices] of the matrix; 0 where the value is kept
};

#ifdef EVOLUTION_BYTES
static_assert(sizeof(Evolution) == EVOLUTION_BYTES, "the host lays out the same");
#endif

DEVICE const u32* active_list(const Evolution& s, const Control& c) {
    return s.active + (u64)c.list * c.n_patches;
}

// Mean velocity of a cell.
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

// Mean normal speed of a cell.
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

// beta, or the weight, at a vertex of the patch.
DEVICE real curvature_at(const Patch& patch, const Evolution& s, u32 local) {
#if CURVATURE_ROWS
    return s.curvature_rows[patch.vertex(local)];
#else
    return s.curvature;
#endif
}

// Mean weight of a cell.
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

// Makes what others read of a vertex that stops to move zero.
DEVICE void forget(const Evolution& s, u32 n_vertices, u32 vertex) {
#if ADVECTION == 3
    s.increment[vertex] = R(0);
    s.increment[(u64)n_vertices + vertex] = R(0);
#endif
#if IMPLICIT
    s.diagonal[vertex] = R(0);
#endif
}

// num / den, 0 where no cell takes part.
DEVICE real ratio(real num, real den) { return den > LEAST ? quotient(num, den) : R(0); }
