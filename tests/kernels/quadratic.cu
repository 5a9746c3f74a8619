// Test kernel that evaluates the formulas of second-order distances, one case per thread, for
// comparison with Rust.
#include "eikonal.cuh"
#include "eikonal/curved.cuh"
#include "eikonal/rings.cuh"

enum { NEIGHBORS = 16 };

// The counterpart of `Case` in quadratic.rs.
struct Case {
    Vec3 x[N];
    real u[3];
    Vec3 directions[3];
    double phi[N];
    Wide gradient, normal;
    double scale;
    double neighbors[NEIGHBORS][4];
    u64 n;
};

// Appends results to an array.
struct Results {
    double* next;

    DEVICE void put(double x) { *next++ = x; }
    DEVICE void put(const Vec3& v) {
        put(v.x);
        put(v.y);
        put(v.z);
    }
    DEVICE void put(const Wide& v) {
        put(v.x);
        put(v.y);
        put(v.z);
    }
};

DEVICE void put_fronts(const Case& c, Results& to) {
    const Face face = face_of(c.x[0], c.x[1], c.x[N - 2], c.x[N - 1]);
    Foot foot = {{R(0), R(0)}, R(0), R(0)};
    Arrival from[3], arrival = {R(0), Vec3{R(0), R(0), R(0)}};
    for (int k = 0; k < 3; k++) from[k] = Arrival{c.u[k], c.directions[k]};
    const bool has_foot = find_foot(face, c.u, foot);
    to.put(has_foot);
    to.put(has_foot ? foot.weights[0] : R(0));
    to.put(has_foot ? foot.weights[1] : R(0));
    to.put(has_foot ? foot.outside : R(0));
    to.put(has_foot ? foot.value : R(0));
    to.put(find_arrival(face, from, arrival));
    to.put(arrival.value);
    to.put(arrival.direction);
    to.put(straight_direction(face, c.u));
}

DEVICE void put_straight(const Case& c, Results& to) {
#if CELL_SIZE == 3
    real at;
    to.put(triangle_foot(c.u[0], c.u[1], c.x[0], c.x[1], c.x[2], R(1), at));
    to.put(at > R(0) && at < R(1));
#else
    bool is_inside;
    to.put(tetrahedron_foot(c.u, c.x[0], c.x[1], c.x[2], c.x[3], R(1), is_inside));
    to.put(is_inside);
#endif
}

// Evaluates all formulas for `n` cases, with `width` results each. Needs at least `n` threads in
// total.
extern "C" __global__ void quadratic_formulas(const Case* cases, double* out, u32 n, u32 width) {
    const u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const Case& c = cases[t];
    Results to = {out + t * width};
    put_fronts(c, to);
    put_straight(c, to);

    Wide x[N];
    for (int i = 0; i < N; i++) x[i] = widened(c.x[i]);
    const RingCell cell = ring_cell(x, c.phi);
    to.put(cell.measure);
    to.put(cell.gradient);
    to.put(cell.normal);

    Frame frame;
    const bool has_frame = frame.set(c.gradient, c.normal, N == 3);
    to.put(has_frame);
    const double own = c.neighbors[0][3];
    Fit<UNKNOWNS> fit(c.scale);
    for (u32 k = 0; k < c.n; k++) {
        double at[3];
        frame.coordinates(Wide{c.neighbors[k][0], c.neighbors[k][1], c.neighbors[k][2]}, at);
        fit.add(at, c.neighbors[k][3] - 0.9 * own);
        if (k == 0) to.put(Wide{at[0], at[1], at[2]});
    }
    Closest closest = {0.0, {0.0, 0.0, 0.0}};
    const bool is_found = has_frame && fit.find_closest(0.9 * own, closest);
    to.put(is_found);
    to.put(is_found ? closest.distance : 0.0);
    to.put(is_found ? frame.vector(closest.gradient) : Wide{0.0, 0.0, 0.0});
}
