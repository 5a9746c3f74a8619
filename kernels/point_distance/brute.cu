// The point-wise distance transform by brute force, the counterpart of
// crates/cloud/src/point_distance/brute.rs.
//
// A block processes a slice of the sites and a group of the queries. Each thread keeps QUERIES
// queries in registers, and tiles of the slice pass through shared memory. The method of Khan and
// Zahran has only one query per thread, so its threads wait for shared memory.
//
// Defines: REAL (float). KEY and NORM have values from generated/distance_keys.cuh. For integer
// coordinates, the squares of the L2 norm are expanded. All other keys are computed directly.
// NUMBERED: if 1, the index of the nearest site is found, too. QUERIES: the number of queries per
// thread.
//
// variants: REAL=float
// variants: KEY=0, NORM=1
//     | KEY=0, NORM=2 | KEY=0, NORM=3 | KEY=1, NORM=2 | KEY=2, NORM=1 | KEY=2, NORM=2
//     | KEY=2, NORM=3
// variants: QUERIES=1, NUMBERED=0
//     | QUERIES=1, NUMBERED=1 | QUERIES=4, NUMBERED=0 | QUERIES=4, NUMBERED=1
#include "common/types.cuh"
#include "generated/distance_keys.cuh"

// The number of sites per group. The main loop records only the first group that contains the
// smallest key. The site within that group is found at the end.
#define GROUP 32

#if KEY == KEY_U32
typedef u32 number;
#else
typedef float number;
#endif
// The type in which coordinates are stored.
#if KEY == KEY_F32
typedef float stored;
#else
typedef int stored;
#endif
#define EXPANDED (NORM == NORM_L2 && KEY != KEY_F32)

struct alignas(16) Point {
    number x, y, z, square;
};

// This header uses `stored`.
#include "generated/sites.cuh"

// Converts a key to bits that have the same order.
DEVICE u32 bits_of(number key) {
#if KEY == KEY_U32
    return key;
#else
    return __float_as_uint(key);
#endif
}

DEVICE number coordinate(const Brute& brute, stored x, int k) {
#if KEY == KEY_F32_ON_LATTICE
    return (float)(x - brute.corner[k]);
#else
    return (number)x;
#endif
}

// Returns site i, with the square of its length if the key needs it.
DEVICE Point site_of(const Brute& brute, u32 i) {
    const u64 k = (u64)i * brute.sites.every;
    Point s = {coordinate(brute, brute.sites.axes[0][k], 0), coordinate(brute, brute.sites.axes[1][k], 1),
               coordinate(brute, brute.sites.axes[2][k], 2), 0};
#if EXPANDED
    s.square = s.x * s.x + s.y * s.y + s.z * s.z;
#if KEY == KEY_F32_ON_LATTICE
    s.square += brute.shift;
#endif
#endif
    return s;
}

// Returns the value to compare: the key or, if squares of floats are expanded, the key up to a term
// that is the same for all sites of a query.
DEVICE u32 compared(const Point& s, const Point& q) {
#if EXPANDED
    // q holds -2 times the coordinates of the query, and its square if keys are u32.
#if KEY == KEY_U32
    return s.x * q.x + (s.y * q.y + (s.z * q.z + (s.square + q.square)));
#else
    return bits_of(__fmaf_rn(s.x, q.x, __fmaf_rn(s.y, q.y, __fmaf_rn(s.z, q.z, s.square))));
#endif
#else
#if KEY == KEY_U32
    const u32 x = (u32)abs((int)(s.x - q.x)), y = (u32)abs((int)(s.y - q.y)), z = (u32)abs((int)(s.z - q.z));
    return NORM == NORM_L1 ? x + y + z : max(max(x, y), z);
#else
    const float x = s.x - q.x, y = s.y - q.y, z = s.z - q.z;
#if NORM == NORM_L2
    return bits_of(__fmaf_rn(x, x, __fmaf_rn(y, y, z * z)));
#elif NORM == NORM_L1
    return bits_of(fabsf(x) + fabsf(y) + fabsf(z));
#else
    return bits_of(fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z)));
#endif
#endif
#endif
}

DEVICE u32 least_of_three(u32 a, u32 b, u32 c) {
#ifdef __CUDA_ARCH__
    return __vimin3_u32(a, b, c);
#else
    return min(a, min(b, c));
#endif
}

// Finds the smallest key of each query and, with NUMBERED, the index of its site. A block searches
// one slice. Atomic operations combine the results of the slices.
//
// Grid: groups * ceil(n_sites / slice) blocks of 128 threads.
extern "C" __global__ void __launch_bounds__(THREADS, 4) point_distance_brute(Brute brute) {
    __shared__ Point tile[TILE];
    const u32 group = blockIdx.x % brute.sites.groups, slice = blockIdx.x / brute.sites.groups;
    const u32 base = group * THREADS * QUERIES + threadIdx.x;
    Point q[QUERIES];
    u32 best[QUERIES], where[QUERIES];
#pragma unroll
    for (u32 k = 0; k < QUERIES; k++) {
        const u32 i = min(base + k * THREADS, brute.sites.n_queries - 1);
        const stored* x = brute.sites.queries + 3 * (u64)i;
        Point p = {coordinate(brute, x[0], 0), coordinate(brute, x[1], 1), coordinate(brute, x[2], 2), 0};
#if EXPANDED
        p.square = p.x * p.x + p.y * p.y + p.z * p.z;
        p.x *= (number)-2;
        p.y *= (number)-2;
        p.z *= (number)-2;
#endif
        q[k] = p;
        best[k] = 0xffffffffu;
        where[k] = 0;
    }
    const u32 end = min((slice + 1) * brute.sites.slice, brute.sites.n_sites);
    for (u32 start = slice * brute.sites.slice; start < end; start += TILE) {
        __syncthreads();
        for (u32 k = threadIdx.x; k < TILE; k += THREADS) {
            // Past the end of the slice, the last site is repeated. This does not change the
            // result.
            tile[k] = site_of(brute, min(start + k, end - 1));
        }
        __syncthreads();
        for (u32 from = 0; from < TILE; from += GROUP) {
#if NUMBERED
            u32 least[QUERIES];
#pragma unroll
            for (u32 k = 0; k < QUERIES; k++) least[k] = 0xffffffffu;
#else
            u32 (&least)[QUERIES] = best;
#endif
#pragma unroll 4
            for (u32 j = from; j < from + GROUP; j += 2) {
                const Point s = tile[j], t = tile[j + 1];
#pragma unroll
                for (u32 k = 0; k < QUERIES; k++) {
                    least[k] = least_of_three(least[k], compared(s, q[k]), compared(t, q[k]));
                }
            }
#if NUMBERED
#pragma unroll
            for (u32 k = 0; k < QUERIES; k++) {
                if (least[k] < best[k]) {
                    best[k] = least[k];
                    where[k] = start + from;
                }
            }
#endif
        }
    }
#pragma unroll
    for (u32 k = 0; k < QUERIES; k++) {
        const u32 i = base + k * THREADS;
        if (i >= brute.sites.n_queries) continue;
        u32 key = best[k];
#if EXPANDED && KEY == KEY_F32_ON_LATTICE
        key = __float_as_uint(__uint_as_float(key) - brute.shift + q[k].square);
#endif
#if NUMBERED
        u32 site = where[k];
        for (u32 j = 0; j < GROUP; j++) {
            const u32 at = min(where[k] + j, end - 1);
            if (compared(site_of(brute, at), q[k]) == best[k]) {
                site = at;
                break;
            }
        }
        // Keeps the smallest key of all slices. Among equal keys, keeps the smallest site index.
        atomicMax(brute.sites.found + i, ~((u64)key << 32 | (brute.sites.first + (u64)site * brute.sites.every)));
#else
        atomicMax((u32*)(brute.sites.found + i) + 1, ~key);
#endif
    }
}
