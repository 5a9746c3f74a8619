// Increments of phi by second-order advection (numerics 2.5), before evolution_step.
//
// galerkin_residual and galerkin_correction: first increments by the lumped mass matrix, then a step
// of Jacobi toward the consistent one, from the first buffer of increments to the second. The last
// step of Jacobi is evolution_step's, from there. Vertices of cells too poor for it take the
// positive-coefficient scheme; their increments stand in the mass matrix as given values.
//
// As evolution_step does, each fetches what no step changes before the kernel ahead has ended, and
// finds from the trace of the step before whether there is a step.
#include "evolution/galerkin.cuh"
#include "evolution/points.cuh"
#include "evolution/trace.cuh"
#include "evolution/upwind.cuh"
#include "evolution_state.cuh"

#ifndef CHUNKED
#define CHUNKED 0
#endif

// Bits of the state of an owned vertex.
enum { MOVES = 1, POOR = 2 };

#if CHUNKED
// Sums of a vertex whose cells do not fit the shared memory at once, between two chunks.
struct Partial {
    real num, den;
    u32 at;
};
#endif

// What a block shares about its patch. Corner k of cell t stands at k * chunk + t, t from the first
// cell of the chunk on.
struct Local {
    real *num, *den;  // [N * chunk] what vertices gather; den, and num beside it, for POOR ones
    Points points;    // [largest_local] with phi
    real* values;     // [largest_local] increments
    u8* state;        // [largest_owned]
    Columns* columns; // [largest_columns] rows of the gather matrix, and columns
#if CHUNKED
    Partial* partial;  // [largest_owned]
#endif
};

// Of galerkin_residual, and of galerkin_correction, which needs neither denominators nor places.
DEVICE Local local_of(unsigned char* shared, const Evolution& s, bool is_correction) {
    SharedParts parts = {shared};
    Local local = {};
    local.num = parts.take<real>(N * s.chunk);
    if (is_correction) {
        local.values = parts.take<real>(s.largest_local);
    } else {
        local.den = parts.take<real>(N * s.chunk);
        local.points = Points{parts.take<Group>(Points::GROUPS * s.largest_local), s.largest_local};
    }
    local.state = parts.take<u8>(s.largest_owned);
    local.columns = parts.take<Columns>(column_words(s.largest_columns));
#if CHUNKED
    local.partial = parts.take<Partial>(s.largest_owned);
#endif
    return local;
}

// Sends for the gather columns, and loads what else no step changes of owned vertices: their states, and where they
// gather.
DEVICE void load_owned(const Patch& patch, const Evolution& s, const Local& local) {
    for (u32 at = threadIdx.x; at < patch.n_column_words; at += blockDim.x) {
        copy_async(local.columns + at, patch.columns() + at);
    }
    for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
        u32 vertex = patch.first + v;
        local.state[v] = (s.moving[vertex] ? MOVES : 0) | (s.upwind[vertex] ? POOR : 0);
    }
}

// What is known of a step, found by one thread.
struct Turn {
    double dt;
    bool goes;
};

// The last warp, which has the fewest vertices, looks at what the step ahead left, which has ended.
DEVICE void look(const Evolution& s, u32 turn, Ahead& ahead) {
    u32 finder = blockDim.x - 1 - threadIdx.x;
    if (finder < 32) look_ahead(s, turn, finder, ahead);
}

// One thread of it concludes, behind a barrier of the warp and with one of the block to follow.
DEVICE void conclude(const Control& c, u32 turn, const Ahead& ahead, Turn& found) {
    if (threadIdx.x != blockDim.x - 1) return;
    Progress progress = progress_after(c, ahead, turn);
    found = Turn{progress.dt, !is_paused(progress)};
}

// Corners of a cell, and the states of its owned vertices together.
DEVICE u32 states_of(const Patch& patch, const Local& local, const Corners& corners, u32 (&corner)[N]) {
    u32 states = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        corner[i] = corners.of(i);
        if (corner[i] < patch.n_owned) states |= local.state[corner[i]];
    }
    return states;
}

struct Sums {
    real num, den;
};

// Sums of an owned vertex over the cells of a chunk and those before it; returns whether they are
// complete. Denominators only if `with_den`.
DEVICE bool gather(const Patch& patch, const Evolution& s, const Local& local, u32 start, u32 end, u32 v,
                   bool with_den, Sums& sums) {
    sums = Sums{R(0), R(0)};
    const local_index* columns = (const local_index*)local.columns;
    u32 at = columns[v], last = columns[v + 1];
#if CHUNKED
    if (start > 0) {
        sums = Sums{local.partial[v].num, local.partial[v].den};
        at = local.partial[v].at;
    }
#endif
#pragma unroll (CHUNKED ? 1 : 4)
    for (; at < last; at++) {
        u32 column = columns[at];
        u32 t = column >> 2, corner = column & 3;
        if (CHUNKED && t >= end) break;
        u32 slot = corner * s.chunk + t - start;
        sums.num += local.num[slot];
        if (with_den) sums.den += local.den[slot];
    }
#if CHUNKED
    if (end < patch.n_cells) {
        local.partial[v] = Partial{sums.num, sums.den, at};
        return false;
    }
#endif
    return true;
}

// What a cell contributes to the right side, and to the positive-coefficient scheme of its POOR
// vertices.
DEVICE void contribute(const Patch& patch, const Evolution& s, const Local& local, u32 slot, const u32 (&corner)[N],
                       bool is_poor, real dt) {
    Vec3 x[N];
    real values[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        local.points.get(corner[i], x[i], values[i]);
    }
    Simplex simplex = make_simplex(x);
    Vec3 g = gradient(simplex, values);
    Vec3 a = velocity_of(patch, s, corner);
    real divergence = R(0);
#if VELOCITY_ROWS
#pragma unroll
    for (int i = 0; i < N; i++) {
        const real* row = s.velocity_rows + 3 * (u64)patch.vertex(corner[i]);
        divergence += dot(simplex.grads[i], Vec3{row[0], row[1], row[2]});
    }
#endif
    real right[N];
    residual(simplex, g, a, divergence, dt, right);
#pragma unroll
    for (int i = 0; i < N; i++) local.num[i * s.chunk + slot] = right[i];
    if (!is_poor) return;
    Shares shares = advection(simplex, values, a);
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (corner[i] >= patch.n_owned || !(local.state[corner[i]] & POOR)) continue;
        local.num[i * s.chunk + slot] = shares.m[i] * shares.h;
        local.den[i * s.chunk + slot] = shares.m[i] * simplex.meas;
    }
}

// Measures of the cells of all patches, once.
// Grid: any; block: any; shared: none.
extern "C" __global__ void galerkin_measures(Patches m, Evolution s) {
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            Vec3 x[N];
#pragma unroll
            for (int i = 0; i < N; i++) x[i] = patch.at(patch.corner(t, i));
            s.measures[patch.cells + t] = make_simplex(x).meas;
        }
    }
}

// Right side, and increments by the lumped mass matrix, with the velocity half a step ahead, of step
// `turn` of a cycle.
// Grid: any; block: a multiple of 32; shared: local_of.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) galerkin_residual(Patches m, Evolution s, u32 turn) {
    DYN_SHARED(unsigned char, shared);
    __shared__ Ahead ahead;
    __shared__ Turn found;
    const Control& c = *s.control;
    Local local = local_of(shared, s, false);
    const u32* active = active_list(s, c);
    const u32 n_active = is_paused(c) ? 0 : c.n_active;
    let_next_begin();
    // If all steps before were taken; if not, this one is not either.
    const real* phi = s.phi + (u64)(c.parity ^ (turn & 1)) * m.n_vertices;
    if (blockIdx.x >= n_active) await_kernel_before();
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        Patch patch = patch_of(m, active[k]);
        const bool is_first = k == blockIdx.x;
        __syncthreads();
        // The first cell of a thread, and the mass of its first vertex.
        Corners corners;
        real mass = R(1);
        if (threadIdx.x < patch.n_cells) corners = patch.corners(threadIdx.x);
        if (threadIdx.x < patch.n_owned) mass = s.mass[patch.first + threadIdx.x];
        load_owned(patch, s, local);
        const real* x = patch.coordinates();
        for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) local.points.fetch_place(v, x, patch.n_local);
        Asked<2> asked;
        asked.find(patch);
        if (is_first) {
            await_kernel_before();
            look(s, turn, ahead);
        }
        asked.load(phi, patch.n_local);
        asked.put(patch, phi, [&](u32 v) -> real& { return local.points.phi(v); });
        // The others wait for values meanwhile.
        if (is_first) {
            __syncwarp();
            conclude(c, turn, ahead, found);
        }
        await_copies();
        __syncthreads();
        if (!found.goes) return;
        const real dt = (real)found.dt;
        for (u32 start = 0; start < patch.n_cells; start += s.chunk) {
            u32 end = start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + threadIdx.x; t < end; t += blockDim.x) {
                if (t != threadIdx.x) corners = patch.corners(t);
                u32 corner[N];
                u32 states = states_of(patch, local, corners, corner);
                if (states & MOVES) contribute(patch, s, local, t - start, corner, states & POOR, dt);
            }
            __syncthreads();
            for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
                u32 vertex = patch.first + v;
                bool is_poor = local.state[v] & POOR;
                if (!(local.state[v] & MOVES)) {
                    s.increment[vertex] = R(0);
                    continue;
                }
                Sums sums;
                if (!gather(patch, s, local, start, end, v, is_poor, sums)) continue;
                if (is_poor) {
                    s.increment[vertex] = -dt * ratio(sums.num, sums.den);
                } else {
                    s.residual[vertex] = sums.num;
                    if (v != threadIdx.x) mass = s.mass[vertex];
                    s.increment[vertex] = sums.num / mass;
                }
            }
            __syncthreads();
        }
    }
}

// One step of Jacobi toward the consistent mass matrix (corrected of evolution/galerkin.cuh), in
// step `turn` of a cycle.
// Grid: any; block: a multiple of 32; shared: local_of.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) galerkin_correction(Patches m, Evolution s, u32 turn) {
    DYN_SHARED(unsigned char, shared);
    __shared__ Ahead ahead;
    __shared__ Turn found;
    const Control& c = *s.control;
    Local local = local_of(shared, s, true);
    const real* increment = s.increment;
    real* fresh = s.increment + m.n_vertices;
    const u32* active = active_list(s, c);
    const u32 n_active = is_paused(c) ? 0 : c.n_active;
    let_next_begin();
    if (blockIdx.x >= n_active) await_kernel_before();
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        Patch patch = patch_of(m, active[k]);
        const bool is_first = k == blockIdx.x;
        __syncthreads();
        // The first cell of a thread, and its first vertex.
        Corners corners;
        real meas = R(0), mass = R(1), residual = R(0);
        const bool has_vertex = threadIdx.x < patch.n_owned;
        if (threadIdx.x < patch.n_cells) {
            corners = patch.corners(threadIdx.x);
            meas = s.measures[patch.cells + threadIdx.x];
        }
        if (has_vertex) mass = s.mass[patch.first + threadIdx.x];
        load_owned(patch, s, local);
        Asked<2> asked;
        asked.find(patch);
        if (is_first) {
            await_kernel_before();
            look(s, turn, ahead);
        }
        if (has_vertex) residual = __ldcg(s.residual + patch.first + threadIdx.x);
        asked.load(increment, patch.n_local);
        asked.put(patch, increment, [&](u32 v) -> real& { return local.values[v]; });
        await_copies();
        __syncthreads();
        if (is_first) conclude(c, turn, ahead, found);
        for (u32 start = 0; start < patch.n_cells; start += s.chunk) {
            u32 end = start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + threadIdx.x; t < end; t += blockDim.x) {
                if (t != threadIdx.x) {
                    corners = patch.corners(t);
                    meas = s.measures[patch.cells + t];
                }
                u32 corner[N];
                if (!(states_of(patch, local, corners, corner) & MOVES)) continue;
                real values[N], product[N];
#pragma unroll
                for (int i = 0; i < N; i++) values[i] = local.values[corner[i]];
                mass_product(meas, values, product);
#pragma unroll
                for (int i = 0; i < N; i++) local.num[i * s.chunk + t - start] = product[i];
            }
            __syncthreads();
            if (!found.goes) return;
            for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
                u32 vertex = patch.first + v;
                real old = local.values[v];
                if (local.state[v] != MOVES) {
                    fresh[vertex] = old;
                    continue;
                }
                Sums sums;
                if (!gather(patch, s, local, start, end, v, false, sums)) continue;
                if (v != threadIdx.x) {
                    residual = __ldcg(s.residual + vertex);
                    mass = s.mass[vertex];
                }
                fresh[vertex] = corrected(old, residual, mass, sums.num);
            }
            __syncthreads();
        }
    }
}
