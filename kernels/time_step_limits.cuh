// Limits that the cells of the band impose on the time step (docs/narrow-band.md, equation (4));
// the counterpart of limits_of in src/levelset/evolution/limits.rs.
#pragma once
#include "evolution_arguments.cuh"

// Returns `|a| + |eps|` of a cell.
DEVICE real speed_of(const Patch& patch, const Evolution& s, const u32 (&corner)[N]) {
    real speed = R(0);
#if ADVECTION
    speed += norm(velocity_of(patch, s, corner));
#endif
#if NORMAL
    speed += fabs(normal_speed_of(patch, s, corner));
#endif
    return speed;
}

// Combines the limits of a cell (docs/narrow-band.md, equation (4)) with `limits`.
DEVICE void limit(const Patch& patch, const Evolution& s, const u32 (&corner)[N], Limits& limits) {
    Vec3 x[N];
#pragma unroll
    for (int i = 0; i < N; i++) x[i] = patch.at(corner[i]);
    real radius = inradius(make_simplex(x));
    real_bits inradius_bits = to_bits(radius);
    limits.inradius = limits.inradius > inradius_bits ? limits.inradius : inradius_bits;
    real speed = speed_of(patch, s, corner);
    real_bits speed_bits = to_bits(speed);
    limits.speed = limits.speed > speed_bits ? limits.speed : speed_bits;
    real_bits step = to_bits(largest_step(radius, speed));
    limits.first_order = limits.first_order < step ? limits.first_order : step;
#if CURVATURE
    real beta = R(0);
#pragma unroll
    for (int i = 0; i < N; i++) beta = fmax(beta, curvature_at(patch, s, corner[i]));
    // With semi-implicit steps, slivers do not limit the step: every cell counts with at least the
    // inradius `least_inradius`.
    real_bits diffusive = to_bits(largest_diffusive_step(fmax(radius, s.least_inradius), beta));
    limits.curvature = limits.curvature < diffusive ? limits.curvature : diffusive;
    const real_bits beta_bits = to_bits(beta);
    limits.beta = limits.beta > beta_bits ? limits.beta : beta_bits;
#endif
}

DEVICE Limits no_limits() {
    Limits limits = {to_bits(INFINITY_R), to_bits(INFINITY_R), 0, 0, 0};
    return limits;
}

// Combines `mine` with `all` by atomic operations: the limits of a thread with those of its block,
// or the limits of a block with those of the grid.
DEVICE void join(Limits& all, const Limits& mine) {
    atomic_min_bits(&all.first_order, mine.first_order);
    atomic_min_bits(&all.curvature, mine.curvature);
    atomic_max_bits(&all.speed, mine.speed);
    atomic_max_bits(&all.inradius, mine.inradius);
    atomic_max_bits(&all.beta, mine.beta);
}
