// The point-wise distance transform by brute force for comparisons that take more than a few
// operations: in cones, in norms of any order, and in double precision. This is the counterpart of
// crates/cloud/src/point_distance/{cone,norm}.rs. Results are bitwise identical except for powers.
//
// A block processes a slice of the sites and a group of the queries, with one query per thread.
// Tiles of the slice pass through shared memory. The final test of a cone and the distance in a
// norm of any order are computed in double precision, as on the CPU. Unless coordinates are in
// double precision, a test in single precision with a margin for its rounding first excludes most
// sites.
//
// Defines: REAL. KEY and NORM, with values from generated/distance_keys.cuh; NORM_ORDER only with
// floating-point coordinates. CONE: if 1, only sites that a query sees are accepted.
//
// variants: REAL=float, KEY=0, NORM=1, CONE=1
//     | REAL=float, KEY=0, NORM=2, CONE=1 | REAL=float, KEY=0, NORM=3, CONE=1
//     | REAL=float, KEY=0, NORM=4, CONE=0 | REAL=float, KEY=0, NORM=4, CONE=1
//     | REAL=float, KEY=2, NORM=1, CONE=1 | REAL=float, KEY=2, NORM=2, CONE=1
//     | REAL=float, KEY=2, NORM=3, CONE=1 | REAL=double, KEY=3, NORM=1, CONE=0
//     | REAL=double, KEY=3, NORM=1, CONE=1 | REAL=double, KEY=3, NORM=2, CONE=0
//     | REAL=double, KEY=3, NORM=2, CONE=1 | REAL=double, KEY=3, NORM=3, CONE=0
//     | REAL=double, KEY=3, NORM=3, CONE=1 | REAL=double, KEY=3, NORM=4, CONE=0
//     | REAL=double, KEY=3, NORM=4, CONE=1
#include "point_distance/keys.cuh"

// A bound on the relative error, in single precision, of the length of a difference or of a
// distance in a norm of any order.
#define MARGIN 1e-5f

// The type in which coordinates are stored.
typedef number stored;
#include "generated/sites.cuh"

// Converts a key to bits that have the same order.
#if KEY == KEY_U32
DEVICE u32 bits_of(key k) { return k; }
#else
DEVICE real_bits bits_of(key k) { return to_bits(k); }
#endif

#if NORM == NORM_ORDER
#if KEY == KEY_F32
// The binary logarithm, and its inverse: 2 raised to the power x.
DEVICE float log_of_two(float x) {
#ifdef __CUDA_ARCH__
    return __log2f(x);
#else
    return log2f(x);
#endif
}
DEVICE float power_of_two(float x) { return exp2f(x); }
#endif

// key_of computes the distance, and `about` computes a lower bound on the distance. The largest
// difference is factored out of the root, because powers of large numbers could overflow.
DEVICE key key_of(const Selective& s, const number (&d)[3]) {
    const double x = fabs((double)d[0]), y = fabs((double)d[1]), z = fabs((double)d[2]);
    const double most = fmax(fmax(x, y), z);
    if (most == 0.0) return 0;
    const double sum = pow(x / most, s.order) + pow(y / most, s.order) + pow(z / most, s.order);
    return (key)(most * pow(sum, 1.0 / s.order));
}

#if KEY == KEY_F64
// In a norm of any order, no distance is smaller than the largest coordinate difference, apart from
// rounding.
DEVICE key about(const Selective&, const number (&d)[3]) {
    return larger(larger(fabs(d[0]), fabs(d[1])), fabs(d[2])) * (1.0 - 1e-12);
}
#else
DEVICE key about(const Selective& s, const number (&d)[3]) {
    const float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]), order = (float)s.order;
    const float most = fmaxf(fmaxf(x, y), z), least = fminf(fminf(x, y), z), middle = fmaxf(fminf(x, y), fminf(fmaxf(x, y), z));
    if (most == 0.0f) return 0;
    // The logarithm of 0 is minus infinity, and 2 raised to minus infinity is 0.
    const float sum = 1.0f + power_of_two(order * log_of_two(middle / most)) + power_of_two(order * log_of_two(least / most));
    return most * power_of_two(log_of_two(sum) / order) * (1.0f - 2.0f * MARGIN);
}
#endif
#else
DEVICE key key_of(const Selective&, const number (&d)[3]) { return exact_key(d); }
DEVICE key about(const Selective& s, const number (&d)[3]) { return key_of(s, d); }
#endif

// The cone of a query.
struct View {
    double r[3];
    float about[3], cosine, radius;

    DEVICE View(const Selective& s, u32 query) {
        const double* const given = s.directions + 3 * (s.n_directions == 1 ? 0 : (u64)query);
        for (u32 k = 0; k < 3; k++) {
            r[k] = given[k];
            about[k] = (float)r[k];
        }
        cosine = (float)s.cosine;
        radius = (float)s.radius;
    }

    // Returns true if the query sees a site at the offset d. A test in single precision rejects
    // clear misses early.
    DEVICE bool admits(const Selective& s, const number (&d)[3]) const {
#if KEY != KEY_F64
        const float x = (float)d[0], y = (float)d[1], z = (float)d[2];
        const float along = x * about[0] + y * about[1] + z * about[2], square = x * x + y * y + z * z;
        const float length = sqrtf(square), margin = MARGIN * length;
        const bool may_see = along >= cosine * length - margin;
        const bool may_be_near = s.has_cylinder && along >= -radius - margin &&
                                 square - along * along <= radius * radius + MARGIN * (square + radius * radius);
        if (!may_see && !may_be_near) return false;
#endif
        const double along_it = dot(d, r), square_of_it = dot_of_itself(d);
        const bool is_near = s.has_cylinder && along_it > -s.radius &&
                             square_of_it - along_it * along_it <= s.radius * s.radius;
        return along_it >= s.cosine * sqrt(square_of_it) || is_near;
    }

private:
    DEVICE static double dot(const number (&d)[3], const double (&r)[3]) {
        return (double)d[0] * r[0] + (double)d[1] * r[1] + (double)d[2] * r[2];
    }
    DEVICE static double dot_of_itself(const number (&d)[3]) {
        const double all[3] = {(double)d[0], (double)d[1], (double)d[2]};
        return dot(d, all);
    }
};

// Finds the nearest site of each query in each slice. With CONE, only sites that the query sees
// count.
//
// Grid: groups * ceil(n_sites / slice) blocks of 128 threads.
extern "C" __global__ void __launch_bounds__(THREADS, 4) point_distance_selective(Selective s) {
    __shared__ number tile[3][TILE];
    const u32 group = blockIdx.x % s.sites.groups, slice = blockIdx.x / s.sites.groups;
    const u32 i = group * THREADS + threadIdx.x, query = min(i, s.sites.n_queries - 1);
    const number q[3] = {s.sites.queries[3 * (u64)query], s.sites.queries[3 * (u64)query + 1], s.sites.queries[3 * (u64)query + 2]};
#if CONE
    const View view(s, query);
#endif
    key best = FAR;
    u32 where = 0xffffffffu;
    const u32 end = min((slice + 1) * s.sites.slice, s.sites.n_sites);
    for (u32 start = slice * s.sites.slice; start < end; start += TILE) {
        const u32 here = min(TILE, end - start);
        __syncthreads();
        for (u32 k = threadIdx.x; k < here; k += THREADS) {
            for (u32 axis = 0; axis < 3; axis++) tile[axis][k] = s.sites.axes[axis][(u64)(start + k) * s.sites.every];
        }
        __syncthreads();
        for (u32 k = 0; k < here; k++) {
            const number d[3] = {tile[0][k] - q[0], tile[1][k] - q[1], tile[2][k] - q[2]};
            if (about(s, d) >= best) continue;
#if CONE
            if (!view.admits(s, d)) continue;
#endif
            const key found = key_of(s, d);
            if (found < best) {
                best = found;
                where = start + k;
            }
        }
    }
#if KEY == KEY_F64
    // These keys are too wide for an atomic operation, so point_distance_join combines them.
    if (i >= s.sites.n_queries) return;
    u64* const row = s.sites.found + 2 * ((u64)slice * s.sites.n_queries + i);
    const bool is_found = where != 0xffffffffu;
    row[0] = is_found ? ~bits_of(best) : 0;
    row[1] = is_found ? ~(s.sites.first + (u64)where * s.sites.every) : 0;
#else
    // Keeps the smallest key of all slices. Among equal keys, keeps the smallest site index.
    if (i < s.sites.n_queries && where != 0xffffffffu) {
        atomicMax(s.sites.found + i, ~((u64)bits_of(best) << 32 | (s.sites.first + (u64)where * s.sites.every)));
    }
#endif
}

#if KEY == KEY_F64
// Selects the smallest key of all slices and of the previous result. Among equal keys, selects the
// smallest site index.
//
// Grid: one thread per query.
//
// slices          [n_slices, n_queries, 2] from point_distance_selective
// found           [n_queries, 2] in the same format; zero before the first launch
extern "C" __global__ void point_distance_join(const u64* slices, u64* found, u32 n_slices, u32 n_queries) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_queries) return;
    u64 best = found[2 * (u64)i], site = found[2 * (u64)i + 1];
    for (u32 slice = 0; slice < n_slices; slice++) {
        const u64* const row = slices + 2 * ((u64)slice * n_queries + i);
        if (row[0] > best || (row[0] == best && row[1] > site)) {
            best = row[0];
            site = row[1];
        }
    }
    found[2 * (u64)i] = best;
    found[2 * (u64)i + 1] = site;
}
#endif
