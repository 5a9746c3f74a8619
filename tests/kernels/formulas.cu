// Test kernel that evaluates every formula on one cell per thread, for comparison with Rust.
#include "common/simplex.cuh"
#include "eikonal.cuh"
#include "evolution/curvature.cuh"
#include "evolution/galerkin.cuh"
#include "evolution/monotone.cuh"
#include "evolution/stable_step.cuh"
#include "evolution/upwind.cuh"

// The counterpart of `Case` in formulas.rs.
struct Case {
    Vec3 x[N];
    real phi[N];
    real u[N];
    Vec3 a;
    real f, eps, divergence, dt;
};

// Appends results to an array.
struct Results {
    real *next;

    DEVICE void put(real x) { *next++ = x; }
    DEVICE void put(const Vec3 &v) {
        put(v.x);
        put(v.y);
        put(v.z);
    }
    template <int M>
    DEVICE void put(const real (&x)[M]) {
        for (int i = 0; i < M; i++) put(x[i]);
    }
    DEVICE void put(const Shares &shares, real meas) {
        for (int i = 0; i < N; i++) {
            put(shares.m[i] * shares.h);
        }
        for (int i = 0; i < N; i++) {
            put(shares.m[i] * meas);
        }
    }
};

// Evaluates all formulas for `n` cases, with `width` results each. Needs at least `n` threads in
// total.
extern "C" __global__ void formulas(const Case *cases, real *out, u32 n, u32 width) {
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const Case c = cases[t];
    Results to{out + t * width};

    to.put(INFINITY_R);
    to.put(ZERO_TEST);
    to.put(DECREASE);
    to.put(from_bits(to_bits(c.eps) + 1));

    Simplex s = make_simplex(c.x);
    Vec3 g = gradient(s, c.phi);
    real r = inradius(s);
    to.put(s.meas);
    for (int i = 0; i < N; i++) to.put(s.grads[i]);
    to.put(g);
    to.put(r);
    to.put(longest_edge(c.x));
    to.put(quality(s, c.x));

#pragma unroll
    for (int i = 0; i < N; i++) to.put(arrival(c.u, c.x, i, c.f));
    to.put(circle(c.u[0], c.u[1], c.x[0], c.x[1], c.x[2], c.f));
    to.put(circle(c.u[1], c.u[2], c.x[1], c.x[2], c.x[0], c.f));
    for (int i = 0; i < 3; i++) to.put(is_obtuse(c.x, i) ? R(1) : R(0));

    real k[N];
    flux(s, c.a, k);
    to.put(k);
    to.put(advection(s, c.phi, c.a), s.meas);
    real slope[N];
    flux(s, g, slope);
    to.put(normal_speed(s.meas, c.phi, slope, norm(g), c.eps), s.meas);
    to.put(cone(s, c.phi, c.a), s.meas);
    real slopes[N];
    hopf_lax(c.x, s, c.phi, slopes);
    to.put(slopes);

    real rates[N];
    to.put(curvature(s.meas, norm_squared(g), R(0.125), slope, rates));
    to.put(rates);
    real pairs[PAIRS];
    to.put(stiffness(s, g, R(0.125), pairs));
    to.put(pairs);
    real right[N];
    residual(s, g, c.a, c.divergence, c.dt, right);
    to.put(right);
    real product[N];
    mass_product(s.meas, right, product);
    to.put(product);
    to.put(largest_step(r, c.eps));
    to.put(largest_diffusive_step(r, c.eps));
}
