// What the cells of a patch leave behind in shared memory, and how its vertices gather it (Fu et al.,
// section 3.3).
#pragma once

#include "evolution/curvature.cuh"
#include "evolution/monotone.cuh"
#include "evolution/upwind.cuh"
#include "evolution_state.cuh"

// Numbers a cell leaves behind: a share for each corner, and one or two that are the same for all.
#if ADVECTION == 1 || ADVECTION == 2
#define HAS_WIND 1
#endif
#if NORMAL && !(HAS_WIND && ONE_PASS)
#define HAS_SPEED 1
#endif
#if CURVATURE && !IMPLICIT
#define HAS_CURVATURE 1
#endif

// Numbers of a slot; each cell of a chunk has one.
enum {
    WIND = 0,
#if HAS_WIND
    WIND_H = WIND + N,
    WIND_MEAS,
    SPEED,
#else
    SPEED = WIND,
#endif
#if HAS_SPEED && NORMAL == 1
    SPEED_H = SPEED + N,
    SPEED_MEAS,
    BENDING,
#elif HAS_SPEED
    SPEED_DOWN = SPEED + N,
    BENDING = SPEED_DOWN + N,
#else
    BENDING = SPEED,
#endif
#if HAS_CURVATURE
    MASS = BENDING + N,
    ROWS,
#else
    ROWS = BENDING,
#endif
};

// What the cells of a chunk leave behind, in shared memory: [ROWS * chunk].
struct Slots {
    real* numbers;
    DEVICE real& at(u32 row, u32 slot) const { return numbers[slot * ROWS + row]; }
};

// What cell t contributes, at position `slot` of the chunk.
DEVICE void contribute(const Patch& patch, const Evolution& s, const Slots& slots, u32 slot,
                       const u32 (&corner)[N], const Vec3 (&x)[N], const real (&values)[N]) {
#if HAS_WIND || HAS_SPEED || HAS_CURVATURE
    Simplex simplex = make_simplex(x);
    Vec3 g = gradient(simplex, values);
    real norm2 = norm_squared(g);
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
    flux(simplex, wind, k);
#endif
#endif
    real slope[N];
    flux(simplex, g, slope);
#if HAS_CURVATURE
    real right[N];
    slots.at(MASS, slot) = curvature(simplex.meas, norm2, slope, right);
#if CURVATURE == 2
    real weight = weight_of(patch, s, corner);
#endif
#pragma unroll
    for (int i = 0; i < N; i++) {
#if CURVATURE == 2
        right[i] = weight * right[i];
#endif
        slots.at(BENDING + i, slot) = right[i];
    }
#endif
#if HAS_SPEED
    real eps = normal_speed_of(patch, s, corner);
#if NORMAL == 1
    Shares of_speed = normal_speed(simplex.meas, values, slope, root(norm2), eps);
    slots.at(SPEED_H, slot) = of_speed.h;
    slots.at(SPEED_MEAS, slot) = of_speed.meas;
#pragma unroll
    for (int i = 0; i < N; i++) slots.at(SPEED + i, slot) = of_speed.m[i];
#else
    // A shrinking inside is a growing outside: the formula for -phi.
    bool grows = eps >= R(0);
    real turned[N], slopes[N];
#pragma unroll
    for (int i = 0; i < N; i++) turned[i] = grows ? values[i] : -values[i];
    hopf_lax(x, simplex, turned, slopes);
#pragma unroll
    for (int i = 0; i < N; i++) {
        real rate = fabs(eps) * slopes[i];
        slots.at(SPEED + i, slot) = grows ? rate : R(0);
        slots.at(SPEED_DOWN + i, slot) = grows ? R(0) : rate;
    }
#endif
#endif
#if HAS_WIND
#if ADVECTION == 1
    Shares of_wind = advection_by(simplex.meas, values, k);
#endif
    slots.at(WIND_H, slot) = of_wind.h;
    slots.at(WIND_MEAS, slot) = of_wind.meas;
#pragma unroll
    for (int i = 0; i < N; i++) slots.at(WIND + i, slot) = of_wind.m[i];
#endif
#endif
}

// Terms that vertices gather, each by a thread of its own.
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
    TERMS,
#else
    TERMS = OF_CURVATURE,
#endif
};

// What a vertex has gathered of a term, and up to which column.
struct Sums {
    real num, den;
    u32 at;
};

// Adds the slots of the columns of a row that stand for cells from `start` up to `end`.
template <class Add>
DEVICE void gather(const local_index* columns, const Slots& slots, u32 start, u32 end, u32 last, Sums& sums,
                   Add add) {
    u32 at = sums.at;
#pragma unroll 4
    for (; at < last; at++) {
        u32 column = columns[at];
#if CHUNKED
        if (column >> 2 >= end) break;
#endif
        add(&slots.at(0, (column >> 2) - start), column & 3);
    }
    sums.at = at;
}

// Gathers a term for a vertex.
DEVICE void gather_term(u32 term, const local_index* columns, const Slots& slots, u32 start, u32 end, u32 last,
                        Sums& sums) {
#if HAS_CURVATURE
    if (term == OF_CURVATURE) {
        gather(columns, slots, start, end, last, sums, [&](const real* slot, u32 corner) {
            sums.num += slot[BENDING + corner];
            sums.den += slot[MASS];
        });
        return;
    }
#endif
#if HAS_SPEED && NORMAL == 2
    if (term == OF_SPEED) {
        gather(columns, slots, start, end, last, sums, [&](const real* slot, u32 corner) {
            sums.num = fmax(sums.num, slot[SPEED + corner]);
            sums.den = fmax(sums.den, slot[SPEED_DOWN + corner]);
        });
        return;
    }
#endif
#if HAS_WIND || (HAS_SPEED && NORMAL == 1)
    // Both lie alike: shares of the corners, numerator and measure of the cell.
    u32 first = term == OF_WIND ? WIND : SPEED;
    gather(columns, slots, start, end, last, sums, [&](const real* slot, u32 corner) {
        real share = slot[first + corner];
        sums.num += share * slot[first + N];
        sums.den += share * slot[first + N + 1];
    });
#endif
}

// Rate of phi at a vertex by a term.
DEVICE real rate_of(u32 term, const Sums& sums) {
#if HAS_SPEED && NORMAL == 2
    if (term == OF_SPEED) return sums.num - sums.den;
#endif
    return ratio(sums.num, sums.den);
}
