// One explicit step of the evolution (numerics 2, 3.1 and 4; Fu et al., sections 3.3 and 3.4).
//
// A block computes a patch of the band: cells write what they contribute to shared memory, vertices
// gather it by the CSR matrix in mesh order and take the step. Terms without a coefficient are not
// compiled. The step reads one buffer of phi and writes the other; the last block looks at what
// came out and chooses the next step, so nothing returns to the host.
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

// Rows of the slots, each with a number for every cell of a chunk.
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
    u32 chunk;
    DEVICE real& at(u32 row, u32 slot) const { return numbers[row * chunk + slot]; }
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
    real length = sqrt(norm2);
    if (length >= R(1e-30)) wind = wind + g * (normal_speed_of(patch, s, corner) / length);
#endif
#if ADVECTION == 2
    Shares of_wind = cone(simplex, values, wind);
#else
    real k[N];
    flux(simplex, wind, k);
#endif
#endif
    real slope[N];
    slopes_of(simplex, g, slope);
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
    Shares of_speed = normal_speed(simplex.meas, values, slope, sqrt(norm2), eps);
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

// What a vertex has gathered so far.
struct Sums {
    real wind, wind_meas, speed, speed_meas, curvature, mass;
};

// Adds the slots of cells before `end` from column `at` on; returns the next column.
DEVICE u32 gather(const local_index* columns, const Slots& slots, u32 start, u32 end, u32 at, u32 last,
                  Sums& sums) {
    for (; at < last; at++) {
        u32 column = columns[at];
        u32 t = column >> 2, corner = column & 3;
        if (t >= end) break;
        u32 slot = t - start;
#if HAS_WIND
        real wind = slots.at(WIND + corner, slot);
        sums.wind += wind * slots.at(WIND_H, slot);
        sums.wind_meas += wind * slots.at(WIND_MEAS, slot);
#endif
#if HAS_SPEED && NORMAL == 1
        real speed = slots.at(SPEED + corner, slot);
        sums.speed += speed * slots.at(SPEED_H, slot);
        sums.speed_meas += speed * slots.at(SPEED_MEAS, slot);
#endif
#if HAS_SPEED && NORMAL == 2
        sums.speed = fmax(sums.speed, slots.at(SPEED + corner, slot));
        sums.speed_meas = fmax(sums.speed_meas, slots.at(SPEED_DOWN + corner, slot));
#endif
#if HAS_CURVATURE
        sums.curvature += slots.at(BENDING + corner, slot);
        sums.mass += slots.at(MASS, slot);
#endif
    }
    return at;
}

#if CHUNKED
// Sums of a vertex whose cells do not fit the shared memory at once, between two chunks.
struct Partial {
    Sums sums;
    u32 at;
};
#endif

// Change of phi at an owned vertex.
DEVICE real change_of(const Patch& patch, const Evolution& s, const Control& c, u32 n_vertices, u32 local,
                      const real* phi, const Sums& sums) {
    real dt = (real)c.dt;
    real change = R(0);
#if ADVECTION == 3
    change += s.increment[patch.first + local];
#endif
#if HAS_WIND
    change -= dt * ratio(sums.wind, sums.wind_meas);
#endif
#if HAS_SPEED && NORMAL == 1
    change -= dt * ratio(sums.speed, sums.speed_meas);
#endif
#if HAS_SPEED && NORMAL == 2
    change -= dt * (sums.speed - sums.speed_meas);
#endif
#if CLIP
    // Between the values of the closed one-ring (numerics 2.6).
    real old = phi[local], low = old, high = old;
    for (u32 at = patch.row(local); at < patch.row(local + 1); at++) {
        u32 t = patch.column(at) >> 2;
#pragma unroll
        for (int i = 0; i < N; i++) {
            real value = phi[patch.corner(t, i)];
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    change = fmin(fmax(old + change, low), high) - old;
#endif
#if HAS_CURVATURE
#if CURVATURE == 2
    real beta = R(1);
#else
    real beta = curvature_at(patch, s, local);
#endif
    change -= dt * beta * ratio(sums.curvature, sums.mass);
#endif
    return change;
}

// Notes what a step did to a vertex.
struct Outcome {
    real change_near;
    u32 broken;
};

DEVICE void account(Outcome& outcome, const Evolution& s, u32 vertex, real old, real fresh) {
    // Beyond four half widths no stable step comes.
    const bool is_sound = fabs(fresh) < INFINITY_R && fabs(fresh) <= R(8) * s.near;
    if (!is_sound) outcome.broken = outcome.broken < vertex ? outcome.broken : vertex;
    if (fabs(old) < s.near) outcome.change_near = fmax(outcome.change_near, fabs(fresh - old));
}

// Joins the outcomes of a block, then those of the grid; the last block ends the step.
DEVICE void end_of_step(Control& c, const Outcome& outcome, int cut) {
    __shared__ real_bits change_near;
    __shared__ u32 broken;
    cut = __syncthreads_or(cut);
    if (threadIdx.x == 0) {
        change_near = 0;
        broken = 0xffffffffu;
    }
    __syncthreads();
    // A change that is not a number has the largest bits, and its vertex is broken anyway.
    if (outcome.change_near > R(0)) atomic_max_bits(&change_near, to_bits(outcome.change_near));
    if (outcome.broken != 0xffffffffu) atomicMin(&broken, outcome.broken);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (change_near) atomic_max_bits(&c.change_near, change_near);
        if (broken != 0xffffffffu) atomicMin(&c.broken, broken);
        if (cut) atomicOr(&c.cut, 1u);
    }
    if (is_last_block(c) && threadIdx.x == 0) end_step(c);
}

// Grid: any; block: a multiple of 32 threads; shared: slots, [largest_local] phi, points and
// bytes, [largest_columns] columns, and if CHUNKED [largest_owned] partial sums.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) evolution_step(Patches m, Evolution s) {
    DYN_SHARED(unsigned char, shared);
    Control& c = *s.control;
    // Both lists are asked while the control block is on its way.
    bool may_work = blockIdx.x < m.n_patches;
    u32 even = may_work ? s.active[blockIdx.x] : 0;
    u32 odd = may_work ? s.active[m.n_patches + blockIdx.x] : 0;
    if (is_paused(c)) return;
    SharedParts parts = {shared};
    Slots slots = {parts.take<real>(ROWS * s.chunk), s.chunk};
    real* phi = parts.take<real>(s.largest_local);
    real* points = parts.take<real>(3 * s.largest_local);
    u8* moving = parts.take<u8>(s.largest_local);
    local_index* columns = parts.take<local_index>(s.largest_columns);
#if CHUNKED
    Partial* partial = parts.take<Partial>(s.largest_owned);
#endif
    const real* from = s.phi + (u64)c.parity * m.n_vertices;
    real* into = s.phi + (u64)(c.parity ^ 1) * m.n_vertices;
    const u32* active = active_list(s, c);
    u32 thread = threadIdx.x, threads = blockDim.x, n_active = c.n_active;
    Outcome outcome = {R(0), 0xffffffffu};
    int cut = 0;
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        Patch patch = patch_of(m, k != blockIdx.x ? active[k] : c.list ? odd : even);
        // Everything that is read comes before the barrier, so that it is waited for once.
        u32 corner[N];
        if (thread < patch.n_cells) {
#pragma unroll
            for (int i = 0; i < N; i++) corner[i] = patch.corner(thread, i);
        }
        u32 first_row = 0, last_row = 0;
        if (thread < patch.n_owned) {
            first_row = patch.row(thread);
            last_row = patch.row(thread + 1);
        }
        u32 n_columns = patch.row(patch.n_owned);
        bool has_vertex = thread < patch.n_local;
        u32 vertex = has_vertex ? patch.vertex(thread) : 0;
        Fetch<real, 3> fetched_points;
        fetched_points.load(patch.coordinates(), 3 * patch.n_local);
        Fetch<local_index, 4> fetched_columns;
        fetched_columns.load(patch.columns(), n_columns);
        u8 moves = thread < patch.n_owned ? s.moving[patch.first + thread] : 0;
        real value = has_vertex ? from[vertex] : R(0);
        // Nobody reads what the patch before left any more.
        __syncthreads();
        fetched_points.store(points, patch.coordinates(), 3 * patch.n_local);
        fetched_columns.store(columns, patch.columns(), n_columns);
        if (has_vertex) {
            phi[thread] = value;
            moving[thread] = moves;
        }
        for (u32 v = thread + threads; v < patch.n_local; v += threads) {
            phi[v] = from[patch.vertex(v)];
            moving[v] = v < patch.n_owned ? s.moving[patch.first + v] : 0;
        }
        __syncthreads();
        for (u32 start = 0; start < patch.n_cells; start += s.chunk) {
            u32 end = start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + thread; t < end; t += threads) {
                if (t != thread) {
#pragma unroll
                    for (int i = 0; i < N; i++) corner[i] = patch.corner(t, i);
                }
                real values[N];
                Vec3 x[N];
                int inside = 0;
                bool computed = false;
#pragma unroll
                for (int i = 0; i < N; i++) {
                    values[i] = phi[corner[i]];
                    inside += values[i] < R(0);
                    computed = computed || moving[corner[i]];
                }
                if (!computed) continue;
#pragma unroll
                for (int i = 0; i < N; i++) x[i] = patch.at(points, corner[i]);
                cut |= inside > 0 && inside < N;
                contribute(patch, s, slots, t - start, corner, x, values);
            }
            __syncthreads();
            for (u32 v = thread; v < patch.n_owned; v += threads) {
                real old = phi[v];
                if (!moving[v]) {
                    if (start == 0) into[patch.first + v] = old;
                    continue;
                }
                Sums sums = {R(0), R(0), R(0), R(0), R(0), R(0)};
                u32 at = v == thread ? first_row : patch.row(v);
                u32 last = v == thread ? last_row : patch.row(v + 1);
#if CHUNKED
                if (start > 0) {
                    sums = partial[v].sums;
                    at = partial[v].at;
                }
                at = gather(columns, slots, start, end, at, last, sums);
                if (end < patch.n_cells) {
                    partial[v].sums = sums;
                    partial[v].at = at;
                    continue;
                }
#else
                gather(columns, slots, start, end, at, last, sums);
#endif
                real fresh = old + change_of(patch, s, c, m.n_vertices, v, phi, sums);
                into[patch.first + v] = fresh;
#if !IMPLICIT && !INFLOW
                account(outcome, s, patch.first + v, old, fresh);
#endif
            }
            __syncthreads();
        }
    }
#if !IMPLICIT && !INFLOW
    end_of_step(c, outcome, cut);
#else
    cut = __syncthreads_or(cut);
    if (cut && thread == 0) atomicOr(&c.cut, 1u);
#endif
}

// Looks at what a step left where other kernels come between: semi-implicit curvature, inflow.
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) evolution_outcome(Patches m, Evolution s) {
    Control& c = *s.control;
    if (is_paused(c)) return;
    const real* from = s.phi + (u64)c.parity * m.n_vertices;
    const real* next = s.phi + (u64)(c.parity ^ 1) * m.n_vertices;
    const u32* active = active_list(s, c);
    Outcome outcome = {R(0), 0xffffffffu};
    u32 n_active = c.n_active;
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        u32 p = active[k];
        for (u32 v = m.vertex_offsets[p] + threadIdx.x; v < m.vertex_offsets[p + 1]; v += blockDim.x) {
            account(outcome, s, v, from[v], next[v]);
        }
    }
    end_of_step(c, outcome, 0);
}

// Begins a stretch of steps: one thread.
extern "C" __global__ void evolution_begin(Evolution s, double clock, double target, double steady, u64 steps) {
    Control& c = *s.control;
    c.clock = clock;
    c.target = target;
    c.steady = steady;
    c.steps_left = steps;
    c.halt = c.n_active == 0 ? GONE : RUNNING;
    c.rate = 0.0;
    c.broken = c.where = 0xffffffffu;
    c.last_time = nanoseconds();
    choose_step(c);
}
