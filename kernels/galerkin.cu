// Increments of phi by second-order advection (numerics 2.5), before evolution_step.
//
// galerkin_residual once, then galerkin_correction twice: first increments by the lumped mass
// matrix, then two steps of Jacobi toward the consistent one. The buffers of increments alternate,
// so that the last ones stand in the first buffer. Vertices of cells too poor for it take the
// positive-coefficient scheme; their increments stand in the mass matrix as given values.
#include "evolution/galerkin.cuh"
#include "evolution/upwind.cuh"
#include "evolution_state.cuh"

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
    real* values;     // [largest_local] phi, or increments
    u8* state;        // [largest_owned]
#if CHUNKED
    Partial* partial;  // [largest_owned]
#endif
};

DEVICE Local local_of(unsigned char* shared, const Evolution& s) {
    SharedParts parts = {shared};
    Local local;
    local.num = parts.take<real>(N * s.chunk);
    local.den = parts.take<real>(N * s.chunk);
    local.values = parts.take<real>(s.largest_local);
    local.state = parts.take<u8>(s.largest_owned);
#if CHUNKED
    local.partial = parts.take<Partial>(s.largest_owned);
#endif
    return local;
}

// Loads a patch; the whole block must come.
DEVICE void load(const Patch& patch, const Evolution& s, const Local& local, const real* from) {
    __syncthreads();
    for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) {
        local.values[v] = from[patch.vertex(v)];
        if (v < patch.n_owned) {
            u32 vertex = patch.first + v;
            local.state[v] = (s.moving[vertex] ? MOVES : 0) | (s.upwind[vertex] ? POOR : 0);
        }
    }
    __syncthreads();
}

// Corners of a cell, and the states of its owned vertices together.
DEVICE u32 corners_of(const Patch& patch, const Local& local, u32 t, u32 (&corner)[N]) {
    u32 states = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        corner[i] = patch.corner(t, i);
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
    u32 at = patch.row(v), last = patch.row(v + 1);
#if CHUNKED
    if (start > 0) {
        sums = Sums{local.partial[v].num, local.partial[v].den};
        at = local.partial[v].at;
    }
#endif
    for (; at < last; at++) {
        u32 column = patch.column(at);
        u32 t = column >> 2, corner = column & 3;
        if (t >= end) break;
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
        x[i] = patch.at(corner[i]);
        values[i] = local.values[corner[i]];
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

// Right side, and increments by the lumped mass matrix, with the velocity half a step ahead.
// Grid: any; block: any multiple of 32; shared: local_of. No register is spilled for more blocks.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) galerkin_residual(Patches m, Evolution s) {
    DYN_SHARED(unsigned char, shared);
    const Control& c = *s.control;
    if (is_paused(c)) return;
    Local local = local_of(shared, s);
    const real* phi = s.phi + (u64)c.parity * m.n_vertices;
    const u32* active = active_list(s, c);
    const real dt = (real)c.dt;
    const u32 n_active = c.n_active;
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        Patch patch = patch_of(m, active[k]);
        load(patch, s, local, phi);
        for (u32 start = 0; start < patch.n_cells; start += s.chunk) {
            u32 end = start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + threadIdx.x; t < end; t += blockDim.x) {
                u32 corner[N];
                u32 states = corners_of(patch, local, t, corner);
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
                    s.increment[vertex] = sums.num / s.mass[vertex];
                }
            }
            __syncthreads();
        }
    }
}

// One step of Jacobi toward the consistent mass matrix, `x += (R - M x) / m` (numerics 2.5), from
// buffer `from` of the increments to the other one. What flows in is not known from inside: the
// last correction leaves no increment there.
// Grid: any; block: any multiple of 32; shared: local_of. No register is spilled for more blocks.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) galerkin_correction(Patches m, Evolution s, u32 from, u32 is_last) {
    DYN_SHARED(unsigned char, shared);
    const Control& c = *s.control;
    if (is_paused(c)) return;
    Local local = local_of(shared, s);
    const real* increment = s.increment + (u64)from * m.n_vertices;
    real* fresh = s.increment + (u64)(from ^ 1) * m.n_vertices;
    const u32* active = active_list(s, c);
    const u32 n_active = c.n_active;
    for (u32 k = blockIdx.x; k < n_active; k += gridDim.x) {
        Patch patch = patch_of(m, active[k]);
        load(patch, s, local, increment);
        for (u32 start = 0; start < patch.n_cells; start += s.chunk) {
            u32 end = start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + threadIdx.x; t < end; t += blockDim.x) {
                u32 corner[N];
                if (!(corners_of(patch, local, t, corner) & MOVES)) continue;
                Vec3 x[N];
                real values[N], product[N];
#pragma unroll
                for (int i = 0; i < N; i++) {
                    x[i] = patch.at(corner[i]);
                    values[i] = local.values[corner[i]];
                }
                mass_product(make_simplex(x).meas, values, product);
#pragma unroll
                for (int i = 0; i < N; i++) local.num[i * s.chunk + t - start] = product[i];
            }
            __syncthreads();
            for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
                u32 vertex = patch.first + v;
                real old = local.values[v];
                if (local.state[v] != MOVES) {
                    fresh[vertex] = old;
                    continue;
                }
                Sums sums;
                if (!gather(patch, s, local, start, end, v, false, sums)) continue;
                real now = old + (s.residual[vertex] - sums.num) / s.mass[vertex];
                fresh[vertex] = is_last && s.flows_in && s.flows_in[vertex] ? R(0) : now;
            }
            __syncthreads();
        }
    }
}
