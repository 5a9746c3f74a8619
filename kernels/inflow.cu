// Inflow boundaries (docs/level-set.md, section 2.7): finds the inflow vertices and sets phi there;
// the counterpart of src/levelset/evolution/inflow.rs.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
// variants: ADVECTION=3, VELOCITY_ROWS=1 | ADVECTION=1, INFLOW=1
// generated: coefficients
#if INFLOW
#include "coefficients_generated.cuh"
#endif
#include "evolution_arguments.cuh"

// Returns whether the flux of the velocity around a boundary vertex, `sum meas a . grad N_i`,
// points inward and its magnitude exceeds the fraction `part` of the sum of the magnitudes of its
// terms. The flux out of gaps of the mesh (the product of `gap` and the velocity) is added, so that
// faces next to gaps do not count as boundary.
DEVICE bool flows_in(const Patch& patch, const Evolution& s, u32 local, const real* gap, real part) {
    u32 self[N];
#pragma unroll
    for (int i = 0; i < N; i++) self[i] = local;
    real flux = dot(velocity_of(patch, s, self), Vec3{gap[0], gap[1], gap[2]});
    real size = fabs(flux);
    for (u32 at = patch.row(local); at < patch.row(local + 1); at++) {
        const u32 column = patch.column(at), t = column >> 2, own = column & 3;
        u32 corner[N];
        Vec3 x[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            corner[i] = patch.corner(t, i);
            x[i] = patch.at(corner[i]);
        }
        const Simplex simplex = make_simplex(x);
        const Vec3 a = velocity_of(patch, s, corner);
        // Arrays are indexed with compile-time constants so that they stay in registers.
        real k = R(0);
#pragma unroll
        for (u32 i = 0; i < N; i++) {
            if (i == own) k = simplex.meas * dot(a, simplex.grads[i]);
        }
        flux += k;
        size += fabs(k);
    }
    return flux < -part * size;
}

// Finds the boundary vertices where the current velocity points inward and, with INFLOW, the
// patches through which an interface may enter.
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) inflow_follow(Patches m, Evolution s, Inflow q) {
    Control& c = *s.control;
    if (is_paused(c)) return;
    const u32 list = q.counts[1] + 1;
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < q.n; k += gridDim.x * blockDim.x) {
        const u32 v = q.vertices[k], p = q.patches[k];
        const Patch patch = patch_of(m, p);
        const bool in = flows_in(patch, s, v - patch.first, q.gaps + 3 * (u64)k, q.part);
        q.flows_in[v] = in;
#if INFLOW
        if (!in) continue;
        // The cells at the boundary of the patch also belong to its neighbors, and the interface
        // may cut them.
        const u32 last = q.neighbor_offsets[p + 1];
        for (u32 at = q.neighbor_offsets[p]; at <= last; at++) {
            const u32 near = at == last ? p : q.neighbors[at];
            if (atomicExch(&q.seen[near], list) != list) s.extra[atomicAdd(&q.counts[0], 1u)] = near;
        }
#endif
    }
    if (!is_last_block(c) || threadIdx.x != 0) return;
    c.n_extra = *(volatile u32*)&q.counts[0];
    q.counts[0] = 0;
    q.counts[1] = list;
}

#if INFLOW
// Sets phi^(n+1) at inflow vertices to the given values at the end of the step, clamped to the half
// width. At the other boundary vertices, phi keeps its value if their patch is not active. Records
// whether an interface enters outside the current band, and halts if a given value is not finite.
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) inflow_apply(Patches m, Evolution s, Inflow q) {
    Control& c = *s.control;
    if (is_paused(c)) return;
    const real* from = s.phi + (u64)c.progress.parity * m.n_vertices;
    real* next = s.phi + (u64)(c.progress.parity ^ 1) * m.n_vertices;
    const real width = s.width;
    const double t = c.progress.time + c.progress.dt;
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < q.n; k += gridDim.x * blockDim.x) {
        const u32 v = q.vertices[k];
        if (!q.flows_in[v]) {
            // The vertex may have had a given value in the previous step. Steps do not write to
            // inactive patches, so phi is copied here.
            if (!s.is_active[q.patches[k]]) next[v] = from[v];
            continue;
        }
        double value[N_FIELDS];
        const double* place = q.places + 3 * (u64)v;
        fields_at(place[0], place[1], place[2], t, q.arrays, v, value);
        if (!(value[0] - value[0] == 0.0)) atomicMin(&c.progress.place, v);
        const real given = fmin(fmax((real)value[0], -width), width);
        if (!s.moving[v] && (from[v] < R(0)) != (given < R(0))) atomicOr(&c.progress.enters, 1u);
        next[v] = given;
    }
    if (is_last_block(c) && threadIdx.x == 0 && *(volatile u32*)&c.progress.place != 0xffffffffu) c.progress.halt = BAD_INFLOW;
}
#endif
