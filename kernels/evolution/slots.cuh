// What the cells of a patch leave behind in shared memory, and how its vertices gather it (Fu et al.,
// section 3.3).
#pragma once

#include "evolution/curvature.cuh"
#include "evolution/galerkin.cuh"
#include "evolution/monotone.cuh"
#include "evolution/upwind.cuh"
#include "evolution_state.cuh"

// Numbers a cell leaves behind: a share for each corner, and one or two that are the same for all.
#if ADVECTION == 1 || ADVECTION == 2
#define HAS_WIND 1
#endif
#if ADVECTION == 3
#define HAS_DRIFT 1
#endif
#if NORMAL && !(HAS_WIND && ONE_PASS)
#define HAS_SPEED 1
#endif
#if CURVATURE && !IMPLICIT
#define HAS_CURVATURE 1
#endif

#if HAS_WIND || (HAS_SPEED && NORMAL == 1)
#define HAS_SHARES 1
#endif

// What a cell leaves for each corner: planes of [N * chunk].
enum {
    WIND = 0,
#if HAS_WIND
    SPEED,
#else
    SPEED = WIND,
#endif
#if HAS_SPEED && NORMAL == 2
    SPEED_DOWN,
#else
    SPEED_DOWN = SPEED,
#endif
#if HAS_SPEED
    BENDING,
#else
    BENDING = SPEED_DOWN,
#endif
#if HAS_CURVATURE
    DRIFT,
#else
    DRIFT = BENDING,
#endif
#if HAS_DRIFT
    PLANES,
#else
    PLANES = DRIFT,
#endif
};

// What it leaves for all corners alike.
enum {
    WIND_H = 0,
#if HAS_WIND
    SPEED_H,
#else
    SPEED_H = WIND_H,
#endif
#if HAS_SPEED && NORMAL == 1
    MEAS,
#else
    MEAS = SPEED_H,
#endif
#if HAS_SHARES
    MASS,
#else
    MASS = MEAS,
#endif
#if HAS_CURVATURE
    N_COMMON,
#else
    N_COMMON = MASS,
#endif
    COMMON_SIZE = N_COMMON > 2 ? 4 : N_COMMON > 1 ? 2 : 1,
};

// Read as one, or as two words of 16 bytes.
struct __align__(COMMON_SIZE * sizeof(real) < 16 ? COMMON_SIZE * sizeof(real) : 16) Common {
    real of[COMMON_SIZE];
};

// What the cells of a chunk leave behind, in shared memory. Neighboring cells write side by side.
struct Slots {
    real* planes;     // [PLANES * N * chunk]
    Common* commons;  // [chunk]
    u32 chunk;
    DEVICE real at(u32 plane, u32 slot, u32 corner) const { return planes[plane * N * chunk + slot * N + corner]; }

    // What a cell leaves for its corners in a plane.
    DEVICE void put(u32 plane, u32 slot, const real (&values)[N]) const {
        real* of_cell = planes + (plane * N * chunk + slot * N);
#pragma unroll
        for (int i = 0; i < N; i++) of_cell[i] = values[i];
    }
};

// What cell t contributes, at position `slot` of the chunk.
DEVICE void contribute(const Patch& patch, const Evolution& s, const Slots& slots, u32 slot,
                       const u32 (&corner)[N], const Vec3 (&x)[N], const real (&values)[N]) {
#if HAS_WIND || HAS_SPEED || HAS_CURVATURE
    Simplex simplex = make_simplex(x);
    Vec3 g = gradient(simplex, values);
    real norm2 = norm_squared(g);
    Common common;
#if HAS_SHARES
    common.of[MEAS] = simplex.meas;
#endif
    // All that the terms need of the shape, so that it need not be kept.
#if HAS_WIND
    Vec3 wind = velocity_of(patch, s, corner);
#if ONE_PASS && NORMAL
    real length = root(norm2);
    if (length >= R(1e-30)) wind = wind + g * quotient(normal_speed_of(patch, s, corner), length);
#endif
#if ADVECTION == 2
    Shares of_wind = cone(simplex, values, wind);
#else
    real k[N];
#if PLANAR && QUICK
    // Without the gradients, where no other term needs them.
    planar_flux(x[1] - x[0], x[2] - x[0], wind, k);
#else
    flux(simplex, wind, k);
#endif
#endif
#endif
#if HAS_CURVATURE || (HAS_SPEED && NORMAL == 1)
    real slope[N];
    flux(simplex, g, slope);
#endif
#if HAS_CURVATURE
    real right[N];
    common.of[MASS] = curvature(simplex.meas, norm2, slope, right);
#if CURVATURE == 2
    real weight = weight_of(patch, s, corner);
#pragma unroll
    for (int i = 0; i < N; i++) right[i] = weight * right[i];
#endif
    slots.put(BENDING, slot, right);
#endif
#if HAS_SPEED
    real eps = normal_speed_of(patch, s, corner);
#if NORMAL == 1
    Shares of_speed = normal_speed(simplex.meas, values, slope, root(norm2), eps);
    common.of[SPEED_H] = of_speed.h;
    slots.put(SPEED, slot, of_speed.m);
#else
    // A shrinking inside is a growing outside: the formula for -phi.
    bool grows = eps >= R(0);
    real turned[N], slopes[N], up[N], down[N];
#pragma unroll
    for (int i = 0; i < N; i++) turned[i] = grows ? values[i] : -values[i];
    hopf_lax(x, simplex, turned, slopes);
#pragma unroll
    for (int i = 0; i < N; i++) {
        real rate = fabs(eps) * slopes[i];
        up[i] = grows ? rate : R(0);
        down[i] = grows ? R(0) : rate;
    }
    slots.put(SPEED, slot, up);
    slots.put(SPEED_DOWN, slot, down);
#endif
#endif
#if HAS_WIND
#if ADVECTION == 1
    Shares of_wind = advection_by(simplex.meas, values, k);
#endif
    common.of[WIND_H] = of_wind.h;
    slots.put(WIND, slot, of_wind.m);
#endif
    // Hopf-Lax alone leaves none, and has no room for them.
    if (N_COMMON > 0) slots.commons[slot] = common;
#endif
}

#if HAS_DRIFT
// What a cell of this measure contributes to the product of the mass matrix with the increments.
DEVICE void contribute_drift(const Slots& slots, u32 slot, real meas, const u32 (&corner)[N], const real* increments) {
    real values[N], product[N];
#pragma unroll
    for (int i = 0; i < N; i++) values[i] = increments[corner[i]];
    mass_product(meas, values, product);
    slots.put(DRIFT, slot, product);
}
#endif

// Terms that vertices gather.
enum {
    OF_WIND = 0,
#if HAS_WIND
    OF_SPEED,
#else
    OF_SPEED = OF_WIND,
#endif
#if HAS_SPEED
    OF_CURVATURE,
#else
    OF_CURVATURE = OF_SPEED,
#endif
#if HAS_CURVATURE
    OF_DRIFT,
#else
    OF_DRIFT = OF_CURVATURE,
#endif
#if HAS_DRIFT
    TERMS,
#else
    TERMS = OF_DRIFT,
#endif
};

// What a vertex has gathered, and up to which column.
struct Sums {
    real num[TERMS > 0 ? TERMS : 1], den[TERMS > 0 ? TERMS : 1];
    u32 at;
};

DEVICE Sums no_sums(u32 at) {
    Sums sums;
#pragma unroll
    for (int term = 0; term < TERMS; term++) sums.num[term] = sums.den[term] = R(0);
    sums.at = at;
    return sums;
}

// Adds the slots of the columns of a row, `last` the first that is not of it, that stand for cells from `start` up to
// `end`. All terms at once: they have the columns in common.
DEVICE void gather(const local_index* columns, const Slots& slots, u32 start, u32 end, u32 last, Sums& sums) {
#if HAS_WIND || HAS_SPEED || HAS_CURVATURE || HAS_DRIFT
    u32 at = sums.at;
#pragma unroll 4
    for (; at < last; at++) {
        u32 column = columns[at], slot = (column >> 2) - start, corner = column & 3;
#if CHUNKED
        if (column >> 2 >= end) break;
#endif
#if HAS_SHARES || HAS_CURVATURE
        const Common common = slots.commons[slot];
#endif
#if HAS_WIND
        real wind = slots.at(WIND, slot, corner);
        sums.num[OF_WIND] += wind * common.of[WIND_H];
        sums.den[OF_WIND] += wind * common.of[MEAS];
#endif
#if HAS_SPEED && NORMAL == 1
        real speed = slots.at(SPEED, slot, corner);
        sums.num[OF_SPEED] += speed * common.of[SPEED_H];
        sums.den[OF_SPEED] += speed * common.of[MEAS];
#elif HAS_SPEED
        sums.num[OF_SPEED] = fmax(sums.num[OF_SPEED], slots.at(SPEED, slot, corner));
        sums.den[OF_SPEED] = fmax(sums.den[OF_SPEED], slots.at(SPEED_DOWN, slot, corner));
#endif
#if HAS_CURVATURE
        sums.num[OF_CURVATURE] += slots.at(BENDING, slot, corner);
        sums.den[OF_CURVATURE] += common.of[MASS];
#endif
#if HAS_DRIFT
        sums.num[OF_DRIFT] += slots.at(DRIFT, slot, corner);
#endif
    }
    sums.at = at;
#endif
}

// Rate of phi at a vertex by a term.
DEVICE real rate_of(int term, const Sums& sums) {
#if HAS_SPEED && NORMAL == 2
    if (term == OF_SPEED) return sums.num[term] - sums.den[term];
#endif
    return ratio(sums.num[term], sums.den[term]);
}
