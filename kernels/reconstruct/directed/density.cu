// How dense a cloud is: twin of src/reconstruct/directed/density.rs, where the method stands.
#include "reconstruct/directed/lattice.cuh"

enum : u32 {
    // Nearest neighbors that may have a side of a Voronoi cell, and corners of what they cut out of a square.
    NEIGHBORS = 32,
    CORNERS = NEIGHBORS + 8,
    // Samples of a cube that are looked at.
    MOST_IN_CUBE = 256,
};
// Cubes along each axis in which neighbors are looked for, at most.
enum : i32 { REACH = 4 };

DEVICE double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

DEVICE Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The nearest neighbors of a sample within its tangent plane, of equally near ones the first.
struct Nearest {
    double square[NEIGHBORS], x[NEIGHBORS], y[NEIGHBORS], off[NEIGHBORS];
    u32 sample[NEIGHBORS];
    u32 n;

    DEVICE void offer(double s, double px, double py, double d, u32 k) {
        const auto is_behind = [&](u32 at) { return square[at] > s || (square[at] == s && sample[at] > k); };
        if (n == NEIGHBORS && !is_behind(n - 1)) return;
        u32 at = n < NEIGHBORS ? n++ : n - 1;
        for (; at > 0 && is_behind(at - 1); at--) {
            square[at] = square[at - 1];
            x[at] = x[at - 1];
            y[at] = y[at - 1];
            off[at] = off[at - 1];
            sample[at] = sample[at - 1];
        }
        square[at] = s;
        x[at] = px;
        y[at] = py;
        off[at] = d;
        sample[at] = k;
    }
};

// Distance of the farthest corner of the cell about the origin, which neighbors cut out of a square of half side `half`;
// negative if a corner of the square is left.
DEVICE double farthest_corner(const Nearest& others, double half) {
    double cells[2][CORNERS][2] = {{{-half, -half}, {half, -half}, {half, half}, {-half, half}}};
    u32 n = 4, now = 0;
    double largest = 2.0 * half * half;
    // One that is more than twice as far as all corners cuts nothing off.
    for (u32 k = 0; k < others.n && others.square[k] <= 4.01 * largest; k++) {
        const double x = others.x[k], y = others.y[k], middle = 0.5 * (x * x + y * y);
        const double (*cell)[2] = cells[now];
        double (*cut)[2] = cells[1 - now];
        u32 n_cut = 0;
        largest = 0.0;
        for (u32 c = 0; c < n && n_cut + 2 <= CORNERS; c++) {
            const double* p = cell[c];
            const double* q = cell[c + 1 < n ? c + 1 : 0];
            const double a = p[0] * x + p[1] * y - middle, b = q[0] * x + q[1] * y - middle;
            if (a <= 0.0) {
                cut[n_cut][0] = p[0];
                cut[n_cut][1] = p[1];
                largest = fmax(largest, p[0] * p[0] + p[1] * p[1]);
                n_cut++;
            }
            if ((a < 0.0) != (b < 0.0) && a != 0.0 && b != 0.0) {
                const double t = a / (a - b);
                const double cx = p[0] + t * (q[0] - p[0]), cy = p[1] + t * (q[1] - p[1]);
                cut[n_cut][0] = cx;
                cut[n_cut][1] = cy;
                largest = fmax(largest, cx * cx + cy * cy);
                n_cut++;
            }
        }
        n = n_cut;
        now = 1 - now;
    }
    if (n < 3) return -1.0;
    for (u32 c = 0; c < n; c++) {
        if (fmax(fabs(cells[now][c][0]), fabs(cells[now][c][1])) >= half) return -1.0;
    }
    return sqrt(largest);
}

// For every step-th sample the distance to the farthest corner of its Voronoi cell, negative at a rim or where there are
// too few neighbors to tell, and how far its neighbors lie from its plane.
//
// Grid and block: a thread for each of n samples. Shared memory: none.
//
// found  [n][2]
extern "C" __global__ void __launch_bounds__(128, 1)
density_about(Lattice lattice, Samples samples, Runs cubes, u32 every, u32 n, double* found) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    found[2 * (u64)i] = -1.0;
    found[2 * (u64)i + 1] = 0.0;
    const u32 own = i * every;
    const double* place = samples.points + 3 * (u64)own;
    const Vector normal = normal_of(samples.normals, samples.numbers[own]);
    // Two directions across the normal, at right angles.
    const double ax = fabs(normal.x), ay = fabs(normal.y), az = fabs(normal.z);
    Vector u = az < (ay < ax ? ay : ax) ? cross(normal, {0.0, 0.0, 1.0})
               : ay < ax                ? cross(normal, {0.0, 1.0, 0.0})
                                        : cross(normal, {1.0, 0.0, 0.0});
    const double length = sqrt(dot(u, u));
    if (!(length > 0.0)) return;
    u = {u.x / length, u.y / length, u.z / length};
    const Vector w = cross(normal, u);
    const Place cube = {(i32)place[0], (i32)place[1], (i32)place[2]};
    Nearest near;
    for (i32 reach = 1; reach <= REACH; reach++) {
        near.n = 0;
        const double half = (double)reach, limit = half * half;
        for (i32 z = max(cube.z - reach, 0); z < min(cube.z + reach + 1, (i32)lattice.size[2]); z++) {
            for (i32 y = max(cube.y - reach, 0); y < min(cube.y + reach + 1, (i32)lattice.size[1]); y++) {
                for (i32 x = max(cube.x - reach, 0); x < min(cube.x + reach + 1, (i32)lattice.size[0]); x++) {
                    const u32 at = position_of(cubes.keys, (u32)cubes.n, cube_key(lattice, {x, y, z}));
                    if (at == NONE) continue;
                    const u32 first = cubes.starts[at], last = cubes.starts[at + 1];
                    const u32 by = max((last - first + MOST_IN_CUBE - 1) / MOST_IN_CUBE, 1u);
                    for (u32 k = first; k < last; k += by) {
                        const double* other = samples.points + 3 * (u64)k;
                        const Vector d = {other[0] - place[0], other[1] - place[1], other[2] - place[2]};
                        const double px = dot(d, u), py = dot(d, w), square = px * px + py * py;
                        if (k == own || !(square < limit && square > 1e-18)) continue;
                        // Not those of another sheet of the surface.
                        if (!(dot(normal_of(samples.normals, samples.numbers[k]), normal) > 0.0)) continue;
                        near.offer(square, px, py, fabs(dot(d, normal)), k);
                    }
                }
            }
        }
        const double rho = farthest_corner(near, half);
        if (rho >= 0.0 && (2.0 * rho <= half || near.n == NEIGHBORS)) {
            const u32 n_off = near.n < 6 ? near.n : 6;
            double off = 0.0;
            for (u32 k = 0; k < n_off; k++) off += near.off[k];
            found[2 * (u64)i] = rho;
            found[2 * (u64)i + 1] = off / (double)n_off;
            return;
        }
    }
}
