// One explicit step of advection, normal motion and curvature that sums the contributions of cells
// by atomic additions to global memory instead of gathering them (Fu et al., Table IV). Only the
// benchmark benches/gpu/atomics.rs, which compares the resulting phi with that of
// kernels/evolution.cu, and tests/devices compile this file.
//
// As in evolution.cu, a block computes a patch, with phi in shared memory. A block adds only to the
// sums of vertices that its patch owns, so a block barrier is sufficient before the sums are read.
// The choice of the next step and the check for NaN are omitted.
//
// fused: always
#include "common/patches.cuh"
#include "evolution/curvature.cuh"
#include "evolution/upwind.cuh"

struct Atomics {
    const u32* active;   // [n_active]
    const u8* moving;    // [n_vertices]
    real* sums;          // [SUMS * n_vertices], zero between two steps
    u32 n_active;
    u32 largest_local;
    real dt;
    real velocity[3];
    real normal_speed, curvature;
};

static_assert(sizeof(Atomics) == ATOMICS_BYTES, "the host uses the same layout");

enum { WIND, WIND_MEAS, SPEED, SPEED_MEAS, BENDING, MASS, SUMS };

// Returns a complete sum and clears it for the next step. The read bypasses the L1 cache.
DEVICE real taken(real* sum) {
    real value = __ldcg(sum);
    *sum = R(0);
    return value;
}

DEVICE real rate_from(real num, real den) { return den > R(0) ? num / den : R(0); }

// Grid: [n_active]; block: a multiple of 32; shared: [largest_local] phi and bytes.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    atomics_step(Patches m, Atomics s, const real* from, real* into) {
    DYN_SHARED(unsigned char, shared);
    SharedParts parts = {shared};
    real* phi = parts.take<real>(s.largest_local);
    u8* moving = parts.take<u8>(s.largest_local);
    Patch patch = patch_of(m, s.active[blockIdx.x]);
    u64 n = m.n_vertices;
    for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) {
        phi[v] = from[patch.vertex(v)];
        moving[v] = v < patch.n_owned ? s.moving[patch.first + v] : 0;
    }
    __syncthreads();
    for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
        u32 corner[N];
        Vec3 x[N];
        real values[N];
        bool computed = false;
#pragma unroll
        for (int i = 0; i < N; i++) {
            corner[i] = patch.corner(t, i);
            x[i] = patch.at(corner[i]);
            values[i] = phi[corner[i]];
            computed = computed || moving[corner[i]];
        }
        if (!computed) continue;
        Simplex simplex = make_simplex(x);
        Vec3 g = gradient(simplex, values);
        real norm2 = norm_squared(g);
        real k[N], slope[N], right[N];
        flux(simplex, Vec3{s.velocity[0], s.velocity[1], s.velocity[2]}, k);
        flux(simplex, g, slope);
        real mass = curvature(simplex.meas, norm2, R(0), slope, right);
        Shares wind = advection_by(simplex.meas, values, k);
        Shares speed = normal_speed(simplex.meas, values, slope, root(norm2), s.normal_speed);
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (!moving[corner[i]]) continue;
            real* sums = s.sums + patch.first + corner[i];
            atomicAdd(sums + WIND * n, wind.m[i] * wind.h);
            atomicAdd(sums + WIND_MEAS * n, wind.m[i] * simplex.meas);
            atomicAdd(sums + SPEED * n, speed.m[i] * speed.h);
            atomicAdd(sums + SPEED_MEAS * n, speed.m[i] * simplex.meas);
            atomicAdd(sums + BENDING * n, right[i]);
            atomicAdd(sums + MASS * n, mass);
        }
    }
    __threadfence();
    __syncthreads();
    for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
        real old = phi[v];
        if (moving[v]) {
            real* sums = s.sums + patch.first + v;
            real wind = taken(sums + WIND * n), wind_meas = taken(sums + WIND_MEAS * n);
            real speed = taken(sums + SPEED * n), speed_meas = taken(sums + SPEED_MEAS * n);
            real bending = taken(sums + BENDING * n), mass = taken(sums + MASS * n);
            old -= s.dt * rate_from(wind, wind_meas) + s.dt * rate_from(speed, speed_meas) +
                   s.dt * s.curvature * rate_from(bending, mass);
        }
        into[patch.first + v] = old;
    }
}
