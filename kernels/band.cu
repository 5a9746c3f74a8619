// The parts of reinitialization before and after its eikonal solve, and the update of the narrow
// band (docs/distances.md, section 5.4; Fu et al., section 3.4).
//
// The order is band_init, a solve by eikonal.cu, band_final, band_mark. band_init visits the
// patches of the old band and those through which an interface may enter. The other two kernels
// visit all patches that band_init or the solve updated. With QUADRATIC, the kernels of
// quadratic.cu run before and after the solve, and leave the final values in the second buffer.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
// variants: ADVECTION=1, NORMAL=1, CURVATURE=1
//     | ADVECTION=3, NORMAL=2, CURVATURE=2, CLIP=1 | ADVECTION=2, NORMAL=1, ONE_PASS=1, CHUNKED=1
//     | ADVECTION=1, NORMAL=1, CURVATURE=1, QUADRATIC=1
#include "control.cuh"
#include "eikonal/pending_values.cuh"
#include "evolution_arguments.cuh"
#include "time_step_limits.cuh"

// Sets every vertex of a cut cell to its distance from the plane of the zero set in that cell
// (docs/distances.md, equation (5)), multiplied by the slowness of the cell. If a vertex belongs to
// several cut cells, the smallest of these values counts. Notifies the patches that own or read
// these vertices, unless quadratic_fit does so.
//
// Grid: any; block: any multiple of 32; shared: [largest_local] phi, [largest_owned] reals.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) band_init(Patches m, Eikonal e, Evolution s) {
    DYN_SHARED(unsigned char, shared);
    SharedParts parts = {shared};
    real* phi = parts.take<real>(e.largest_local);
    real_bits* distance = parts.take<real_bits>(e.largest_owned);
    Control& c = *s.control;
    if (!c.progress.due) return;
    const real* from = s.phi + (u64)c.progress.parity * m.n_vertices;
    const u32* active = active_list(s, c);
    for (u32 k = blockIdx.x; k < c.n_active + c.n_extra; k += gridDim.x) {
        u32 p = k < c.n_active ? active[k] : s.extra[k - c.n_active];
        // A patch that is both extra and active is visited only once.
        if (k >= c.n_active && s.is_active[p]) continue;
        Patch patch = patch_of(m, p);
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) {
            phi[v] = from[patch.vertex(v)];
            if (v < patch.n_owned) distance[v] = to_bits(INFINITY_R);
        }
        __syncthreads();
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            u32 corner[N];
            real values[N];
            int inside = 0;
#pragma unroll
            for (int i = 0; i < N; i++) {
                corner[i] = patch.corner(t, i);
                values[i] = phi[corner[i]];
                inside += values[i] < R(0);
            }
            if (inside == 0 || inside == N) continue;
            Vec3 x[N];
#pragma unroll
            for (int i = 0; i < N; i++) x[i] = patch.at(corner[i]);
            real slope = norm(gradient(make_simplex(x), values));
            real f = e.slowness_of_cells ? e.slowness_of_cells[patch.cells + t] : e.slowness;
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (corner[i] >= patch.n_owned) continue;
                // A vertex on the interface has distance 0. The test avoids 0 / 0.
                real d = values[i] == R(0) ? R(0) : fabs(values[i]) / slope;
                d = d * f;
                if (d < INFINITY_R) atomic_min_bits(&distance[corner[i]], to_bits(d));
            }
        }
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            real d = from_bits(distance[v]);
            // The sign bit marks a given value. phi is no longer needed, so its memory holds these
            // values.
            real stored = d < INFINITY_R ? -d : d;
            phi[v] = stored;
            e.u[patch.first + v] = stored;
            e.u[m.n_vertices + patch.first + v] = stored;
        }
        if (threadIdx.x == 0) visit(e, p);
        __syncthreads();
#if !QUADRATIC
        seed_patch(patch, e, phi);
#endif
    }
}

// Converts arrival times to phi in both buffers, finds the vertices inside the band, and restores
// the state that the arrays of the solve had before band_init.
//
// Grid: any; block: any multiple of 32; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) band_final(Patches m, Eikonal e, Evolution s) {
    Control& c = *s.control;
    if (!c.progress.due) return;
    real* phi = s.phi + (u64)c.progress.parity * m.n_vertices;
    real* next = s.phi + (u64)(c.progress.parity ^ 1) * m.n_vertices;
#if QUADRATIC
    const real* found = e.u + m.n_vertices;
#else
    const real* found = e.u;
#endif
    for (u32 k = blockIdx.x; k < e.stats->n_visited; k += gridDim.x) {
        u32 p = e.visited[k];
        Patch patch = patch_of(m, p);
        for (u32 v = patch.first + threadIdx.x; v < patch.first + patch.n_owned; v += blockDim.x) {
            real old = phi[v];
            real u = fabs(found[v]);
            real sign = old < R(0) ? R(-1) : R(1);
            if (e.width < INFINITY_R) old = sign * fmin(u, e.width);
            else if (u < INFINITY_R) old = sign * u;
            phi[v] = old;
            next[v] = old;
            s.inside[v] = fabs(old) < e.width;
            e.u[v] = INFINITY_R;
            e.u[m.n_vertices + v] = INFINITY_R;
        }
        forget_patch(patch, e);
    }
}

// Finds the moving vertices, the patches that contain moving vertices, and the limits of the time
// step.
//
// Grid: any; block: any multiple of 32; shared: [largest_owned] bytes.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) band_mark(Patches m, Eikonal e, Evolution s) {
    DYN_SHARED(unsigned char, shared);
    __shared__ Limits block_limits;
    __shared__ u32 counted[2];
    u8* moving = shared;
    Control& c = *s.control;
    if (!c.progress.due) return;
    u32* next_active = s.active + (u64)(c.list ^ 1) * m.n_patches;
    Limits limits = no_limits();
    if (threadIdx.x == 0) block_limits = limits;
    for (u32 k = blockIdx.x; k < e.stats->n_visited; k += gridDim.x) {
        u32 p = e.visited[k];
        Patch patch = patch_of(m, p);
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) moving[v] = 0;
        if (threadIdx.x < 2) counted[threadIdx.x] = 0;
        __syncthreads();
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            u32 corner[N];
            bool active = false;
#pragma unroll
            for (int i = 0; i < N; i++) {
                corner[i] = patch.corner(t, i);
                active = active || s.inside[patch.vertex(corner[i])];
            }
            if (!active) continue;
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (corner[i] < patch.n_owned) moving[corner[i]] = 1;
            }
            limit(patch, s, corner, limits);
        }
        __syncthreads();
        u32 n_cells = 0, n_moving = 0;
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            bool computed = false;
#pragma unroll
            for (int i = 0; i < N; i++) {
                u32 corner = patch.corner(t, i);
                computed = computed || (corner < patch.n_owned && moving[corner]);
            }
            n_cells += computed;
        }
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            n_moving += moving[v];
            s.moving[patch.first + v] = moving[v];
            // Other patches still read the intermediate values of vertices that leave the band, so
            // these values are cleared.
            if (!moving[v]) forget(s, m.n_vertices, patch.first + v);
        }
        if (n_cells) atomicAdd(&counted[0], n_cells);
        if (n_moving) atomicAdd(&counted[1], n_moving);
        __syncthreads();
        if (threadIdx.x == 0) {
            s.is_active[p] = counted[1] > 0;
            if (counted[1] > 0) {
                next_active[atomicAdd(&c.next_active, 1u)] = p;
                atomicAdd(&c.next_moving, counted[1]);
                atomicAdd(&c.next_cells, counted[0]);
            }
        }
    }
    __syncthreads();
    join(block_limits, limits);
    __syncthreads();
    if (threadIdx.x == 0) join(c.next_limits, block_limits);
    if (!is_last_block(c)) return;
    if (threadIdx.x == 0) {
        c.list ^= 1;
        c.n_active = *(volatile u32*)&c.next_active;
        set_limits(c, c.n_active == 0 ? c.inflow_limits : c.next_limits);
        c.next_limits = no_limits();
        c.n_moving = *(volatile u32*)&c.next_moving;
        c.n_cells = *(volatile u32*)&c.next_cells;
        c.next_active = c.next_moving = c.next_cells = 0;
        c.progress.displacement = 0.0;
        c.progress.steps_since = 0;
        c.reinitializations++;
        c.progress.due = 0;
        count_time(c, c.reinitialize_time);
        if (c.n_active == 0 && !c.may_enter && c.progress.halt == RUNNING) c.progress.halt = GONE;
        e.stats->n_visited = 0;
        reset_solve(e);
        choose_step(c, c.progress);
    }
}
