// Measures the density of a cloud. The counterpart of src/reconstruct/directed/density.rs, which
// explains the method. Each warp processes one sample.
#include "reconstruct/directed/lattice.cuh"

enum : u32 {
    // The number of nearest neighbors that can contribute a side to a Voronoi cell, one per lane.
    NEIGHBORS = WARP,
    // The maximum number of corners of the cell that these neighbors cut out of a square: the four
    // of the square, at most one more per neighbor, and four more to allow for rounding.
    CORNERS = NEIGHBORS + 8,
    // The largest number of samples that are examined per cube.
    MOST_IN_CUBE = 256,
    // Warps per block.
    SAMPLES = 4,
    ALL_LANES = 0xffffffffu,
};
// The largest search distance for neighbors, in cubes along each axis.
enum : i32 { REACH = 4 };
// The largest reach of a cell, in multiples of the distance to the sixth nearest neighbor. A sample
// whose cell reaches farther lies at a boundary.
#define RIM 3.0

DEVICE double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

DEVICE double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

DEVICE Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A neighbor of a sample: its position in the tangent plane, the squared distance there, and its
// distance from the plane.
struct Flat {
    double square, x, y, off;
    u32 sample;

    // Returns whether this neighbor comes after another one. Equally distant neighbors are ordered
    // by sample.
    DEVICE bool is_behind(const Flat& other) const {
        return square > other.square || (square == other.square && sample > other.sample);
    }

    DEVICE Flat of_lane(u32 lane) const {
        return {__shfl_sync(ALL_LANES, square, lane), __shfl_sync(ALL_LANES, x, lane), __shfl_sync(ALL_LANES, y, lane),
                __shfl_sync(ALL_LANES, off, lane), __shfl_sync(ALL_LANES, sample, lane)};
    }

    DEVICE Flat of_lane_before() const {
        return {__shfl_up_sync(ALL_LANES, square, 1), __shfl_up_sync(ALL_LANES, x, 1), __shfl_up_sync(ALL_LANES, y, 1),
                __shfl_up_sync(ALL_LANES, off, 1), __shfl_up_sync(ALL_LANES, sample, 1)};
    }
};

// Inserts the candidate of each lane that has one into the list of the nearest neighbors, if it is
// nearer than the last of them. The lanes hold the list, nearest first.
DEVICE void offer(Flat& held, const Flat& mine, bool has_one, u32& n) {
    for (;;) {
        const Flat last = held.of_lane(WARP - 1);
        const u32 left = __ballot_sync(ALL_LANES, has_one && last.is_behind(mine));
        if (left == 0) return;
        const u32 lane = lane_of_thread(), from = __ffs((i32)left) - 1;
        const Flat next = mine.of_lane(from);
        has_one = has_one && lane != from;
        const u32 behind = __ballot_sync(ALL_LANES, held.is_behind(next));
        const Flat before = held.of_lane_before();
        const u32 place = __ffs((i32)behind) - 1;
        if (lane > place) held = before;
        if (lane == place) held = next;
        if (n < NEIGHBORS) n++;
    }
}

// The corners of the cell around a sample, before and after a cut.
typedef double Cells[2][CORNERS][2];

// Returns the distance from the origin to the farthest corner of its cell, which the neighbors cut
// out of a square of half side `half`. Returns -1 if the cell reaches the boundary of the square or
// has fewer than three corners.
DEVICE double farthest_corner(const Flat& held, u32 n_held, double half, Cells& cells) {
    const u32 lane = lane_of_thread(), before = (1u << lane) - 1;
    if (lane < 4) {
        cells[0][lane][0] = lane == 0 || lane == 3 ? -half : half;
        cells[0][lane][1] = lane < 2 ? -half : half;
    }
    __syncwarp();
    u32 n = 4, now = 0;
    double largest = 2.0 * half * half;
    for (u32 k = 0; k < n_held; k++) {
        const Flat other = held.of_lane(k);
        // A neighbor that is more than twice as far away as every corner cuts nothing off.
        if (other.square > 4.01 * largest) break;
        const double x = other.x, y = other.y, middle = 0.5 * (x * x + y * y);
        u32 n_cut = 0;
        largest = 0.0;
        for (u32 first = 0; first < n; first += WARP) {
            const u32 c = first + lane < n ? first + lane : 0;
            const double* p = cells[now][c];
            const double* q = cells[now][c + 1 < n ? c + 1 : 0];
            const double a = p[0] * x + p[1] * y - middle, b = q[0] * x + q[1] * y - middle;
            const bool is_kept = first + lane < n && a <= 0.0;
            const bool is_cut = first + lane < n && (a < 0.0) != (b < 0.0) && a != 0.0 && b != 0.0;
            const u32 kept = __ballot_sync(ALL_LANES, is_kept), cut = __ballot_sync(ALL_LANES, is_cut);
            u32 at = n_cut + (u32)__popc(kept & before) + (u32)__popc(cut & before);
            if (is_kept && at < CORNERS) {
                cells[1 - now][at][0] = p[0];
                cells[1 - now][at][1] = p[1];
                largest = fmax(largest, p[0] * p[0] + p[1] * p[1]);
                at++;
            }
            if (is_cut && at < CORNERS) {
                const double t = a / (a - b);
                const double cx = p[0] + t * (q[0] - p[0]), cy = p[1] + t * (q[1] - p[1]);
                cells[1 - now][at][0] = cx;
                cells[1 - now][at][1] = cy;
                largest = fmax(largest, cx * cx + cy * cy);
            }
            n_cut = min(n_cut + (u32)__popc(kept) + (u32)__popc(cut), (u32)CORNERS);
        }
        for (u32 by = WARP / 2; by > 0; by /= 2) largest = fmax(largest, __shfl_xor_sync(ALL_LANES, largest, by));
        __syncwarp();
        n = n_cut;
        now = 1 - now;
    }
    bool on_square = n < 3;
    for (u32 c = lane; c < n; c += WARP) {
        on_square |= fmax(fabs(cells[now][c][0]), fabs(cells[now][c][1])) >= half;
    }
    const bool is_open = __any_sync(ALL_LANES, on_square);
    return is_open ? -1.0 : sqrt(largest);
}

// Computes two numbers for every `every`-th sample: the distance to the farthest corner of its
// Voronoi cell, and the mean distance of its (up to) six nearest neighbors from its plane. At a
// boundary, or if the normal is zero or there are too few neighbors, the first is -1 and the second
// is 0.
//
// Grid: one warp for each of the n samples. Block: 128 threads. Shared memory: 5 KB.
//
// found  [n][2]
extern "C" __global__ void __launch_bounds__(SAMPLES * WARP, 1)
density_about(Lattice lattice, Samples samples, Runs cubes, u32 every, u32 n, double* found) {
    __shared__ Cells cells[SAMPLES];
    const u32 lane = lane_of_thread();
    const u64 i = (u64)blockIdx.x * SAMPLES + warp_of_thread();
    if (i >= n) return;
    if (lane == 0) {
        found[2 * i] = -1.0;
        found[2 * i + 1] = 0.0;
    }
    const u32 own = (u32)i * every;
    const double* place = samples.places + 3 * (u64)own;
    const Vector normal = normal_of(samples.normals, samples.numbers[own]);
    // u and w are two orthogonal directions perpendicular to the normal.
    const double ax = fabs(normal.x), ay = fabs(normal.y), az = fabs(normal.z);
    Vector u = az < (ay < ax ? ay : ax) ? cross(normal, {0.0, 0.0, 1.0})
               : ay < ax                ? cross(normal, {0.0, 1.0, 0.0})
                                        : cross(normal, {1.0, 0.0, 0.0});
    const double length = sqrt(dot(u, u));
    if (!(length > 0.0)) return;
    u = {u.x / length, u.y / length, u.z / length};
    const Vector w = cross(normal, u);
    const Place cube = {(i32)place[0], (i32)place[1], (i32)place[2]};
    for (i32 reach = 1; reach <= REACH; reach++) {
        const double half = (double)reach, limit = half * half;
        const u32 side = 2 * (u32)reach + 1;
        Flat held = {infinity(), 0.0, 0.0, 0.0, NONE};
        u32 n_held = 0;
        // Each lane processes a cube.
        for (u32 first = 0; first < side * side * side; first += WARP) {
            const u32 c = first + lane;
            const Place at = {cube.x - reach + (i32)(c % side), cube.y - reach + (i32)(c / side % side),
                              cube.z - reach + (i32)(c / (side * side))};
            u32 k = 0, last = 0, by = 1;
            if (c < side * side * side && !is_below_zero(at) && at.x < (i32)lattice.size[0] &&
                at.y < (i32)lattice.size[1] && at.z < (i32)lattice.size[2]) {
                const u32 run = position_of(cubes.keys, (u32)cubes.n, cube_key(lattice, at));
                if (run != NONE) {
                    k = cubes.starts[run];
                    last = cubes.starts[run + 1];
                    by = max((last - k + MOST_IN_CUBE - 1) / MOST_IN_CUBE, 1u);
                }
            }
            while (__any_sync(ALL_LANES, k < last)) {
                Flat mine = {infinity(), 0.0, 0.0, 0.0, k};
                bool has_one = k < last && k != own;
                if (has_one) {
                    const double* other = samples.places + 3 * (u64)k;
                    const Vector d = {other[0] - place[0], other[1] - place[1], other[2] - place[2]};
                    mine.x = dot(d, u);
                    mine.y = dot(d, w);
                    mine.square = mine.x * mine.x + mine.y * mine.y;
                    mine.off = fabs(dot(d, normal));
                    // Skip samples on another sheet of the surface.
                    has_one = mine.square < limit && mine.square > 1e-18 &&
                              dot(normal_of(samples.normals, samples.numbers[k]), normal) > 0.0;
                }
                offer(held, mine, has_one, n_held);
                k = k < last ? k + by : k;
            }
        }
        const double rho = farthest_corner(held, n_held, half, cells[warp_of_thread()]);
        // The search with the next reach overwrites the memory that this one reads.
        __syncwarp();
        if (rho >= 0.0 && (2.0 * rho <= half || n_held == NEIGHBORS)) {
            const u32 n_off = n_held < 6 ? n_held : 6;
            if (rho * rho > RIM * RIM * __shfl_sync(ALL_LANES, held.square, n_off - 1)) return;
            double off = 0.0;
            for (u32 k = 0; k < n_off; k++) off += __shfl_sync(ALL_LANES, held.off, k);
            if (lane == 0) {
                found[2 * i] = rho;
                found[2 * i + 1] = off / (double)n_off;
            }
            return;
        }
    }
}
