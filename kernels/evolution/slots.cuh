// Contributions of the cells of a patch in shared memory, and the gathering of these contributions
// at vertices (Fu et al., section 3.3).
#pragma once

#include "evolution/curvature.cuh"
#include "evolution/galerkin.cuh"
#include "evolution/monotone.cuh"
#include "evolution/upwind.cuh"
#include "evolution_arguments.cuh"

// Terms that a compilation unit does not define are absent.
#ifndef ADVECTION
#define ADVECTION ADVECTION_NONE
#endif
#ifndef NORMAL
#define NORMAL NORMAL_NONE
#endif
#ifndef CURVATURE
#define CURVATURE CURVATURE_NONE
#endif
#ifndef IMPLICIT
#define IMPLICIT 0
#endif
#ifndef ONE_PASS
#define ONE_PASS 0
#endif

// The terms to which cells contribute.
#define HAS_WIND (ADVECTION == ADVECTION_POSITIVE_COEFFICIENTS || ADVECTION == ADVECTION_CONE)
#define HAS_DRIFT (ADVECTION == ADVECTION_TAYLOR_GALERKIN)
#define HAS_SPEED (NORMAL && !(HAS_WIND && ONE_PASS))
#define HAS_CURVATURE (CURVATURE && !IMPLICIT)
#define HOPF_LAX (HAS_SPEED && NORMAL == NORMAL_HOPF_LAX)
#define HAS_SHARES (HAS_WIND || (HAS_SPEED && !HOPF_LAX))

// The storage of contributions. With PAIRED, the numerator and the denominator of each term are
// adjacent, so that a vertex reads one word per term. Otherwise, each corner has a fraction, and
// the values that all corners share (the integral of a term, and the measure) are stored once per
// cell, which needs less memory.
#ifndef PAIRED
#define PAIRED 0
#endif

// The terms that vertices gather.
enum {
    OF_WIND = 0,
    OF_SPEED = OF_WIND + HAS_WIND,
    OF_CURVATURE = OF_SPEED + HAS_SPEED,
    OF_DRIFT = OF_CURVATURE + HAS_CURVATURE,
    TERMS = OF_DRIFT + HAS_DRIFT,
};

// The first plane of each term. A plane holds [N * chunk] values: what each cell of a chunk
// contributes to each of its corners. Pairs and the rates of the Hopf-Lax formula take two planes.
enum {
    WIDTH = PAIRED ? 2 : 1,
    WIND = 0,
    SPEED = WIND + HAS_WIND * WIDTH,
    BENDING = SPEED + HAS_SPEED * (HOPF_LAX ? 2 : WIDTH),
    DRIFT = BENDING + HAS_CURVATURE * WIDTH,
    PLANES = DRIFT + HAS_DRIFT,
};

// The positions of the values that all corners of a cell share, if contributions are not stored in
// pairs.
enum {
    WIND_H = 0,
    SPEED_H = WIND_H + HAS_WIND,
    MEAS = SPEED_H + (HAS_SPEED && !HOPF_LAX),
    MASS = MEAS + HAS_SHARES,
    N_COMMON = PAIRED ? 0 : MASS + HAS_CURVATURE,
    COMMON_SIZE = N_COMMON > 2 ? 4 : N_COMMON > 1 ? 2 : 1,
};

// The shared values, read as one word or as two words of 16 bytes.
struct __align__(COMMON_SIZE * sizeof(real) < 16 ? COMMON_SIZE * sizeof(real) : 16) Common {
    real of[COMMON_SIZE];
};

struct __align__(2 * sizeof(real)) Pair {
    real num, den;
};

// The contributions of the cells of a chunk in shared memory. Neighboring cells write to adjacent
// slots.
struct Slots {
    real* planes;     // [PLANES * N * chunk]
    Common* commons;  // [chunk]
    u32 chunk;

    DEVICE real* plane(u32 k) const { return planes + k * N * chunk; }
    DEVICE real at(u32 k, u32 slot, u32 corner) const { return plane(k)[slot * N + corner]; }
    DEVICE Pair pair_at(u32 k, u32 slot, u32 corner) const { return ((const Pair*)plane(k))[slot * N + corner]; }

    // Stores the contributions of a cell to its corners in a plane.
    DEVICE void put(u32 k, u32 slot, const real (&values)[N]) const {
        real* of_cell = plane(k) + slot * N;
#pragma unroll
        for (int i = 0; i < N; i++) of_cell[i] = values[i];
    }

    DEVICE void put_pairs(u32 k, u32 slot, const Pair (&pairs)[N]) const {
        Pair* of_cell = (Pair*)plane(k) + slot * N;
#pragma unroll
        for (int i = 0; i < N; i++) of_cell[i] = pairs[i];
    }
};

// Stores the contributions of one cell, term by term.
struct Left {
    const Slots& slots;
    u32 slot;
    Common common;

    // Stores a first-order term: the fractions of its integral and of the measure.
    DEVICE void shares(u32 k, u32 h_at, const Shares& of, real meas) {
#if PAIRED
        Pair pairs[N];
#pragma unroll
        for (int i = 0; i < N; i++) pairs[i] = Pair{product(of.m[i], of.h), product(of.m[i], meas)};
        slots.put_pairs(k, slot, pairs);
#else
        slots.put(k, slot, of.m);
        common.of[h_at] = of.h;
        common.of[MEAS] = meas;
#endif
    }

    // Stores the curvature residual, and a lumped mass that is equal for all corners.
    DEVICE void bending(const real (&residual)[N], real mass) {
#if PAIRED
        Pair pairs[N];
#pragma unroll
        for (int i = 0; i < N; i++) pairs[i] = Pair{residual[i], mass};
        slots.put_pairs(BENDING, slot, pairs);
#else
        slots.put(BENDING, slot, residual);
        common.of[MASS] = mass;
#endif
    }

    // Stores the rates from the Hopf-Lax formula, for a growing and for a shrinking inside.
    DEVICE void rates(const real (&up)[N], const real (&down)[N]) {
#if PAIRED
        Pair pairs[N];
#pragma unroll
        for (int i = 0; i < N; i++) pairs[i] = Pair{up[i], down[i]};
        slots.put_pairs(SPEED, slot, pairs);
#else
        slots.put(SPEED, slot, up);
        slots.put(SPEED + 1, slot, down);
#endif
    }

    // Stores the shared values, after the last term.
    DEVICE void end() const {
        if (N_COMMON > 0) slots.commons[slot] = common;
    }
};

// Computes the contributions of a cell to its corners and stores them in slot `slot` of the chunk.
DEVICE void contribute(const Patch& patch, const Evolution& s, const Slots& slots, u32 slot,
                       const u32 (&corner)[N], const Vec3 (&x)[N], const real (&values)[N]) {
#if HAS_WIND || HAS_SPEED || HAS_CURVATURE
    Simplex simplex = make_simplex(x);
    Vec3 g = gradient(simplex, values);
    real norm2 = norm_squared(g);
    Left left = {slots, slot};
    // Everything that the terms need from the shape is computed first, so that the shape need not
    // be kept.
#if HAS_WIND
    Vec3 wind = velocity_of(patch, s, corner);
#if ONE_PASS && NORMAL
    real length = root(norm2);
    if (length >= R(1e-30)) wind = wind + g * quotient(normal_speed_of(patch, s, corner), length);
#endif
#if ADVECTION == ADVECTION_CONE
    Shares of_wind = cone(simplex, values, wind);
#else
    real k[N];
#if PLANAR && QUICK
    // The flux needs no gradients. They are computed only if another term needs them.
    planar_flux(x[1] - x[0], x[2] - x[0], wind, k);
#else
    flux(simplex, wind, k);
#endif
#endif
#endif
#if HAS_CURVATURE || (HAS_SPEED && NORMAL == NORMAL_POSITIVE_COEFFICIENTS)
    real slope[N];
    flux(simplex, g, slope);
#endif
#if HAS_CURVATURE
    real right[N];
    const real mass = curvature(simplex.meas, norm2, s.least_slope, slope, right);
#if CURVATURE == CURVATURE_WEIGHTED
    real weight = weight_of(patch, s, corner);
#pragma unroll
    for (int i = 0; i < N; i++) right[i] = weight * right[i];
#endif
    left.bending(right, mass);
#endif
#if HAS_SPEED
    real eps = normal_speed_of(patch, s, corner);
#if !HOPF_LAX
    Shares of_speed = normal_speed(simplex.meas, values, slope, root(norm2), eps);
    left.shares(SPEED, SPEED_H, of_speed, simplex.meas);
#else
    // If the inside shrinks, the outside grows, so the formula is applied to -phi.
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
    left.rates(up, down);
#endif
#endif
#if HAS_WIND
#if ADVECTION == ADVECTION_POSITIVE_COEFFICIENTS
    Shares of_wind = advection_by(simplex.meas, values, k);
#endif
    left.shares(WIND, WIND_H, of_wind, simplex.meas);
#endif
    left.end();
#endif
}

#if HAS_DRIFT
// Computes the contributions of a cell of measure `meas` to the product of the mass matrix and the
// increments.
DEVICE void contribute_drift(const Slots& slots, u32 slot, real meas, const u32 (&corner)[N], const real* increments) {
    real values[N], product[N];
#pragma unroll
    for (int i = 0; i < N; i++) values[i] = increments[corner[i]];
    mass_product(meas, values, product);
    slots.put(DRIFT, slot, product);
}
#endif

// The sums that a vertex has gathered so far, and the position of the next column to add.
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

// Returns the part of the shared values of a cell that belongs to one corner. In triangle meshes,
// the number of active patches decides whether steps use pairs. The products there are rounded
// separately, so results with and without pairs are bitwise identical.
DEVICE Pair part_of(real share, real h, real meas) {
    if (N == 3) return Pair{product(share, h), product(share, meas)};
    return Pair{share * h, share * meas};
}

// The number of lanes that share the columns of a vertex. In tetrahedral meshes, a vertex has many
// cells, and a patch has fewer vertices than a block has threads.
#ifndef LANES
#define LANES 1
#endif

DEVICE void add(Sums& sums, int term, const Pair& pair) {
    if (HOPF_LAX && term == OF_SPEED) {
        sums.num[term] = fmax(sums.num[term], pair.num);
        sums.den[term] = fmax(sums.den[term], pair.den);
        return;
    }
    sums.num[term] += pair.num;
    sums.den[term] += pair.den;
}

// Adds the slots of every LANES-th column of a row, for cells from `start` up to, but not
// including, `end`. `last` is the end of the row. All terms are added at once, because they share
// the columns.
DEVICE void gather(const local_index* columns, const Slots& slots, u32 start, u32 end, u32 last, Sums& sums) {
#if HAS_WIND || HAS_SPEED || HAS_CURVATURE || HAS_DRIFT
    u32 at = sums.at;
#pragma unroll 4
    for (; at < last; at += LANES) {
        u32 column = columns[at], slot = (column >> 2) - start, corner = column & 3;
#if CHUNKED
        if (column >> 2 >= end) break;
#endif
#if PAIRED
        if (HAS_WIND) add(sums, OF_WIND, slots.pair_at(WIND, slot, corner));
        if (HAS_SPEED) add(sums, OF_SPEED, slots.pair_at(SPEED, slot, corner));
        if (HAS_CURVATURE) add(sums, OF_CURVATURE, slots.pair_at(BENDING, slot, corner));
#else
        Common common;
        if (N_COMMON > 0) common = slots.commons[slot];
        if (HAS_WIND) {
            add(sums, OF_WIND, part_of(slots.at(WIND, slot, corner), common.of[WIND_H], common.of[MEAS]));
        }
        if (HAS_SPEED) {
            const real share = slots.at(SPEED, slot, corner);
            if (HOPF_LAX) add(sums, OF_SPEED, Pair{share, slots.at(SPEED + 1, slot, corner)});
            else add(sums, OF_SPEED, part_of(share, common.of[SPEED_H], common.of[MEAS]));
        }
        if (HAS_CURVATURE) add(sums, OF_CURVATURE, Pair{slots.at(BENDING, slot, corner), common.of[MASS]});
#endif
        if (HAS_DRIFT) sums.num[OF_DRIFT] += slots.at(DRIFT, slot, corner);
    }
    sums.at = at;
#endif
}

// Combines the sums of the lanes of a vertex; whole warps must call it.
DEVICE void join_lanes(Sums& sums) {
#pragma unroll
    for (int by = 1; by < LANES; by *= 2) {
#pragma unroll
        for (int term = 0; term < TERMS; term++) {
            const u32 all = 0xffffffffu;
            add(sums, term, Pair{__shfl_xor_sync(all, sums.num[term], by), __shfl_xor_sync(all, sums.den[term], by)});
        }
    }
}

// Returns the rate at which a term lowers phi at a vertex. The caller multiplies the rate of
// curvature by beta.
DEVICE real rate_of(int term, const Sums& sums) {
#if HAS_SPEED && NORMAL == NORMAL_HOPF_LAX
    if (term == OF_SPEED) return sums.num[term] - sums.den[term];
#endif
    return ratio(sums.num[term], sums.den[term]);
}
