// Reinitialization of second order (docs/distances.md, section 5.13), and the rules for it
// (docs/narrow-band.md). The counterpart of src/levelset/eikonal/quadratic/ and of slope.rs in
// src/levelset/evolution/.
//
// The order is band_init, quadratic_list, quadratic_smooth, quadratic_fit, a solve by eikonal.cu,
// quadratic_faces, quadratic_bend, band_final, band_mark. quadratic_slope runs after each step.
//
// Straight fronts are in the first buffer of the solve, and curved ones in the second. Every value
// that a patch reads from another patch was written in an earlier round, so the results are bitwise
// identical in every run if those of the solve are.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=128, MIN_BLOCKS=1, QUEUED_SOLVE=0 | BLOCK=128, MIN_BLOCKS=1, QUEUED_SOLVE=1
#include "common/exact_sum.cuh"
#include "common/simplex.cuh"
#include "control.cuh"
#include "eikonal/faces.cuh"
#include "eikonal/pending_values.cuh"
#include "eikonal/rings.cuh"
#include "evolution_arguments.cuh"

// States of a vertex in quadratic_bend. Other numbers are the round in which its value became
// final: 0 before the first round.
enum : u32 {
    WAITS = 0xffffffffu,
    // Computed, but not yet visible to other threads of the block.
    HIDDEN = 0xfffffffeu,
};

// The difference of the mean slope from 1 at which phi is reinitialized.
#define LARGEST_DRIFT 0.3

DEVICE const real* phi_now(const Patches& m, const Evolution& s) {
    return s.phi + (u64)s.control->progress.parity * m.n_vertices;
}

DEVICE Vec3 direction_at(const Quadratic& q, u32 vertex) {
    const real* at = q.directions + 3 * (u64)vertex;
    return Vec3{__ldcg(at), __ldcg(at + 1), __ldcg(at + 2)};
}

DEVICE void set_direction(const Quadratic& q, u32 vertex, const Vec3& direction) {
    real* at = q.directions + 3 * (u64)vertex;
    at[0] = direction.x;
    at[1] = direction.y;
    at[2] = direction.z;
}

// ---- Before the solve -----------------------------------------------------------------------

// Puts a patch on list number `list`, unless it is there already.
DEVICE void list_patch_once(const Quadratic& q, u32 list, u32 p) {
    if (q.listed[p] == list || atomicExch(&q.listed[p], list) == list) return;
    q.near_cuts[atomicAdd(&q.counts->n_near_cuts, 1u)] = p;
}

// Lists the patches that own a vertex of a cut cell, and their neighbors.
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) quadratic_list(Patches m, Eikonal e, Evolution s, Quadratic q) {
    if (!s.control->progress.due) return;
    const u32 list = q.counts->n_lists + 1;
    for (u32 k = blockIdx.x; k < e.stats->n_visited; k += gridDim.x) {
        const u32 p = e.visited[k];
        bool is_cut = false;
        for (u32 v = m.starts[p].vertex + threadIdx.x; v < m.starts[p + 1].vertex; v += blockDim.x) {
            is_cut = is_cut || is_given(e.u[v]);
        }
        if (!__syncthreads_or(is_cut)) continue;
        if (threadIdx.x == 0) list_patch_once(q, list, p);
        for (u32 at = e.wake_offsets[p] + threadIdx.x; at < e.wake_offsets[p + 1]; at += blockDim.x) {
            list_patch_once(q, list, e.wake_readers[at]);
        }
    }
}

// Finds kinks of phi and of the surface at the vertices of cut cells and at their neighbors.
//
// Grid: any; block: any; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) quadratic_smooth(Patches m, Eikonal e, Evolution s, Quadratic q) {
    if (!s.control->progress.due) return;
    const real* phi = phi_now(m, s);
    for (u32 k = blockIdx.x; k < q.counts->n_near_cuts; k += gridDim.x) {
        const Patch patch = patch_of(m, q.near_cuts[k]);
        const Rings rings = {patch, phi};
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            const bool is_near = rings.any_corner(v, [&](u32 local) { return is_given(e.u[patch.vertex(local)]); });
            if (is_near) q.smooth[patch.first + v] = rings.smoothness(v);
        }
    }
}

// Replaces the values of equation (5) by distances to quadratic polynomials. Where |phi| is below
// `kept`, phi is kept instead, so that the interface does not move. Then notifies the patches that
// own or read these vertices.
//
// Grid: any; block: any multiple of 32; shared: [largest_owned] reals.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) quadratic_fit(Patches m, Eikonal e, Evolution s, Quadratic q) {
    DYN_SHARED(real, u);
    const Control& c = *s.control;
    if (!c.progress.due) return;
    const real* phi = phi_now(m, s);
    const real kept = c.progress.due == OUTSIDE ? (real)(0.5 * c.half_width) : R(0);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        // The lists of this call are complete. The next kernels begin new ones.
        q.counts->n_near_cuts = 0;
        q.counts->n_lists++;
        q.counts->arrived = 0;
        for (int k = 0; k < 3; k++) q.counts->n_waiting[k] = q.counts->computed[k] = 0;
    }
    for (u32 k = blockIdx.x; k < e.stats->n_visited; k += gridDim.x) {
        const Patch patch = patch_of(m, e.visited[k]);
        const Rings rings = {patch, phi};
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            const u32 vertex = patch.first + v;
            real stored = e.u[vertex];
            if (fabs(phi[vertex]) < kept) {
                stored = -fabs(phi[vertex]);
                // Fronts start only from vertices next to others.
                const bool is_edge = rings.any_corner(v, [&](u32 local) { return !(fabs(phi[patch.vertex(local)]) < kept); });
                if (is_edge) set_direction(q, vertex, rings.direction(v));
            } else if (is_given(stored)) {
                Vec3 direction;
                stored = -rings.distance(v, fabs(stored), q.smooth, direction);
                set_direction(q, vertex, direction);
            }
            u[v] = stored;
            e.u[vertex] = stored;
            e.u[m.n_vertices + vertex] = stored;
        }
        __syncthreads();
        seed_patch(patch, e, u);
    }
}

// ---- After the solve ------------------------------------------------------------------------

// Puts a patch with waiting vertices on the list of a round of quadratic_bend.
DEVICE void list_for_round(const Patches& m, const Quadratic& q, u32 round, u32 p) {
    q.waiting[(round & 1) * m.n_patches + atomicAdd(&q.counts->n_waiting[round % 3], 1u)] = p;
}

// Finds the face through which the straight front reaches each vertex, copies its value to the
// second buffer, and lists the patches for the first round of quadratic_bend.
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) quadratic_faces(Patches m, Eikonal e, Evolution s, Quadratic q) {
    if (!s.control->progress.due) return;
    for (u32 k = blockIdx.x; k < e.stats->n_visited; k += gridDim.x) {
        const u32 p = e.visited[k];
        const Patch patch = patch_of(m, p);
        const Straight straight = {patch, e.u};
        const real limit = e.width + e.reach[p];
        bool waits = false;
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            const u32 vertex = patch.first + v;
            const real value = straight.value(v);
            u32 column = NO_FACE;
            Vec3 direction = {R(0), R(0), R(0)};
            const bool is_free = !is_given(__ldcg(e.u + vertex));
            if (is_free && value < limit) {
                column = straight.earliest(v, limit);
                if (column == NO_FACE) column = straight.nearby(v, direction);
            }
            if (is_free) set_direction(q, vertex, direction);
            q.columns[vertex] = column;
            q.done[vertex] = column == NO_FACE ? 0 : (u32)WAITS;
            e.u[m.n_vertices + vertex] = value;
            waits = waits || column != NO_FACE;
        }
        if (__syncthreads_or(waits) && threadIdx.x == 0) list_for_round(m, q, 1, p);
    }
}

// A patch in a round of quadratic_bend.
struct Bend {
    const Patch& patch;
    const Quadratic& q;
    const real* straight;
    real* curved;
    u32 round;

    DEVICE bool waits(u32 v) const { return __ldcg(q.done + patch.first + v) == WAITS; }

    // Returns whether the value of a local vertex is final. Those of other patches count only if
    // they were written in an earlier round.
    DEVICE bool is_done(u32 local) const {
        const u32 done = __ldcg(q.done + patch.vertex(local));
        return local < patch.n_owned ? done < HIDDEN : done < round;
    }

    // Computes a waiting vertex if its face is done, or if it is forced; then it takes the straight
    // front. Returns whether it was computed.
    DEVICE bool compute(u32 v, bool is_forced) const {
        const u32 vertex = patch.first + v, column = q.columns[vertex];
        const Corners corners = patch.corners(column / 4);
        Arrival from[3];
        Vec3 points[3];
        real values[3];
        bool is_ready = true;
#pragma unroll
        for (u32 j = 0; j < 3; j++) is_ready = is_ready && is_done(corners.of(other(column % 4, j)));
        if (!is_ready && !is_forced) return false;
#pragma unroll
        for (u32 j = 0; j < 3; j++) {
            const u32 local = corners.of(other(column % 4, j)), at = patch.vertex(local);
            points[j] = patch.at(local);
            values[j] = is_done(local) ? __ldcg(curved + at) : (real)fabs(__ldcg(straight + at));
            from[j] = Arrival{values[j], direction_at(q, at)};
        }
        const Face face = face_of(points[0], points[1], points[2], patch.at(v));
        const real own = fabs(__ldcg(straight + vertex));
        Arrival arrival;
        const bool bends = is_ready && find_arrival(face, from, arrival);
        if (!(bends && fabs(arrival.value - own) <= LARGEST_CHANGE * own)) {
            arrival = Arrival{own, straight_direction(face, values)};
        }
        curved[vertex] = arrival.value;
        set_direction(q, vertex, arrival.direction);
        return true;
    }
};

// Replaces the values of straight fronts by those of curved fronts. Each vertex is computed once,
// after the vertices of its face. If faces depend on each other in a circle, the earliest vertex of
// each patch takes the straight front.
//
// Grid: at most as many blocks as fit on the GPU at once, cooperative; block: any multiple of 32;
// shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) quadratic_bend(Patches m, Eikonal e, Evolution s, Quadratic q) {
    __shared__ real_bits earliest;
    __shared__ u32 forced;
    if (!s.control->progress.due) return;
    const u32 thread = threadIdx.x, threads = blockDim.x;
    for (u32 round = 1;; round++) {
        const u32 n = *(volatile u32*)&q.counts->n_waiting[round % 3];
        if (n == 0) break;
        // Nothing was ready in the previous round.
        const bool forces = round > 1 && *(volatile u32*)&q.counts->computed[(round + 2) % 3] == 0;
        if (blockIdx.x == 0 && thread == 0) {
            q.counts->n_waiting[(round + 2) % 3] = 0;
            q.counts->computed[(round + 1) % 3] = 0;
        }
        for (u32 k = blockIdx.x; k < n; k += gridDim.x) {
            const u32 p = __ldcg(&q.waiting[(round & 1) * m.n_patches + k]);
            const Patch patch = patch_of(m, p);
            const Bend bend = {patch, q, e.u, e.u + m.n_vertices, round};
            if (thread == 0) {
                earliest = to_bits(INFINITY_R);
                forced = 0xffffffffu;
            }
            __syncthreads();
            if (forces) {
                for (u32 v = thread; v < patch.n_owned; v += threads) {
                    if (bend.waits(v)) atomic_min_bits(&earliest, to_bits((real)fabs(__ldcg(e.u + patch.first + v))));
                }
                __syncthreads();
                for (u32 v = thread; v < patch.n_owned; v += threads) {
                    if (bend.waits(v) && to_bits((real)fabs(__ldcg(e.u + patch.first + v))) == earliest) atomicMin(&forced, v);
                }
                __syncthreads();
            }
            bool any = false, left = true;
            for (int found = 1; found && left;) {
                found = 0;
                for (u32 v = thread; v < patch.n_owned; v += threads) {
                    if (bend.waits(v) && bend.compute(v, v == forced)) {
                        q.done[patch.first + v] = HIDDEN;
                        found = 1;
                    }
                }
                found = __syncthreads_or(found);
                any = any || found;
                int waits = 0;
                for (u32 v = thread; v < patch.n_owned; v += threads) {
                    const u32 done = __ldcg(q.done + patch.first + v);
                    if (done == HIDDEN) q.done[patch.first + v] = round;
                    waits |= done == WAITS;
                }
                left = __syncthreads_or(waits);
            }
            if (thread == 0) {
                if (left) list_for_round(m, q, round + 1, p);
                if (any) *(volatile u32*)&q.counts->computed[round % 3] = 1;
            }
        }
        grid_barrier(&q.counts->arrived);
    }
}

// ---- After a step ---------------------------------------------------------------------------

// Returns the sum of a number over a warp, the same in every run.
DEVICE double warp_sum(double x) {
    for (int by = 16; by > 0; by /= 2) x += __shfl_xor_sync(0xffffffffu, x, by);
    return x;
}

// Finds out whether the mean slope of phi near the interface differs from 1 by too much. This is
// first examined when the interface may have moved by an eighth of the half width.
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) quadratic_slope(Patches m, Evolution s, Quadratic q) {
    Control& c = *s.control;
    if (is_paused(c)) return;
    const Trace& trace = s.traces[0];
    if (c.progress.displacement + displacement_of(c, c.progress.dt, trace) < 0.125 * c.half_width) return;
    const real* phi = s.phi + (u64)(c.progress.parity ^ 1) * m.n_vertices;
    const real width = (real)(0.5 * c.half_width);
    const u32* active = active_list(s, c);
    for (u32 k = blockIdx.x; k < c.n_active; k += gridDim.x) {
        const Patch patch = patch_of(m, active[k]);
        double measure = 0.0, slope = 0.0;
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            const Corners corners = patch.corners(t);
            // Each cell counts in one of its patches.
            if (corners.of(0) >= patch.n_owned) continue;
            Vec3 x[N];
            real values[N];
            bool moves = false, is_near = false;
#pragma unroll
            for (int i = 0; i < N; i++) {
                const u32 local = corners.of(i);
                x[i] = patch.at(local);
                values[i] = phi[patch.vertex(local)];
                moves = moves || (local < patch.n_owned && s.moving[patch.first + local]);
                is_near = is_near || fabs(values[i]) < width;
            }
            if (!(moves && is_near)) continue;
            const Simplex simplex = make_simplex(x);
            measure += (double)simplex.meas;
            slope += (double)simplex.meas * (double)norm(gradient(simplex, values));
        }
        measure = warp_sum(measure);
        slope = warp_sum(slope);
        if (threadIdx.x % 32 == 0 && measure > 0.0) {
            add_exact(q.sums, measure);
            add_exact(q.sums + SUM_WORDS, slope);
        }
    }
    if (!is_last_block(c)) return;
    double totals[2] = {0.0, 0.0};
    if (threadIdx.x < 32) {
        for (int k = 0; k < 2; k++) totals[k] = exact_total(q.sums + k * SUM_WORDS);
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < 2 * SUM_WORDS; k += blockDim.x) q.sums[k] = 0;
    if (threadIdx.x != 0) return;
    const double drift = fabs(totals[1] / totals[0] - 1.0);
    c.progress.drifts = totals[0] > 0.0 && drift > LARGEST_DRIFT;
}
