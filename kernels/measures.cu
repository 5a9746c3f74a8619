// Measures of phi on the GPU; the counterpart of src/surface/measures.rs: length or area of the
// interface, area or volume of the inside, and components and Euler number of the inside.
//
// The order is measures_patches, measures_join, measures_sum. The first two use the same grid,
// whose size depends only on the mesh. Block k sums the patches k, k + grid, ..., so the sums are
// bitwise identical in every run and on every GPU.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
#include "common/patches.cuh"
#include "generated/measures.cuh"
#include "measures/cut.cuh"
#include "primitives/disjoint_sets.cuh"

// Sums and extremes over a set of patches.
struct Sums {
    double interface, enclosed, phi_min, phi_max;
    i64 components, euler_number;
};

// Bits of `counted`: the edges, starting at bit 0; the facets of a tetrahedron, each at bit
// FIRST_FACET plus the index of the opposite corner; and CELL. Every edge, facet and cell of the
// mesh is counted once, in one cell of one patch. The facets of a triangle are its edges.
enum { EDGES = N * (N - 1) / 2, FIRST_FACET = 6, CELL = 1 << 15 };

DEVICE Sums no_sums() {
    double infinity = Precision<double>::infinity();
    return Sums{0.0, 0.0, infinity, -infinity, 0, 0};
}

DEVICE void add(Sums& all, const Sums& more) {
    all.interface += more.interface;
    all.enclosed += more.enclosed;
    all.phi_min = fmin(all.phi_min, more.phi_min);
    all.phi_max = fmax(all.phi_max, more.phi_max);
    all.components += more.components;
    all.euler_number += more.euler_number;
}

// Sums the values of all threads of a block, always in the same order; the result is valid in
// thread 0.
DEVICE Sums sum_of_block(Sums sums) {
    __shared__ Sums of_warps[BLOCK / 32];
#pragma unroll
    for (int by = 16; by > 0; by /= 2) {
        Sums other;
        other.interface = __shfl_down_sync(0xffffffffu, sums.interface, by);
        other.enclosed = __shfl_down_sync(0xffffffffu, sums.enclosed, by);
        other.phi_min = __shfl_down_sync(0xffffffffu, sums.phi_min, by);
        other.phi_max = __shfl_down_sync(0xffffffffu, sums.phi_max, by);
        other.components = __shfl_down_sync(0xffffffffu, sums.components, by);
        other.euler_number = __shfl_down_sync(0xffffffffu, sums.euler_number, by);
        add(sums, other);
    }
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sums;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < BLOCK / 32; warp++) add(sums, of_warps[warp]);
    }
    return sums;
}

// Returns what a cell contributes to the Euler number: its edges and facets, and the cell itself,
// as far as they are inside and `counted` selects them.
DEVICE int alternating(u32 counted, const bool (&inside)[N]) {
    int edges = 0, bit = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int j = i + 1; j < N; j++) {
            edges += (counted >> bit & 1) && inside[i] && inside[j];
            bit++;
        }
    }
    int others = 0;
#if CELL_SIZE == 4
#pragma unroll
    for (int k = 0; k < N; k++) {
        bool facet = inside[(k + 1) % N] && inside[(k + 2) % N] && inside[(k + 3) % N];
        others += (counted >> (FIRST_FACET + k) & 1) && facet;
    }
    others -= (counted & CELL) && inside[0] && inside[1] && inside[2] && inside[3];
#else
    others += (counted & CELL) && inside[0] && inside[1] && inside[2];
#endif
    return others - edges;
}

// Measures patches, and finds the connected components of the inside within each patch. Thread t
// processes the cells t, t + BLOCK, ...
//
// Grid: n_sums; block: BLOCK; shared: [largest_local] phi, [largest_owned] names.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) measures_patches(Patches m, Measuring s) {
    DYN_SHARED(unsigned char, shared);
    SharedParts parts = {shared};
    real* phi = parts.take<real>(s.largest_local);
    u32* names = parts.take<u32>(s.largest_owned);
    double interface = 0.0, enclosed = 0.0;
    real least = INFINITY_R, most = -INFINITY_R;
    int components = 0, euler_number = 0;
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        __syncthreads();
        bool any = false;
        for (u32 v = threadIdx.x; v < patch.n_local; v += BLOCK) {
            real value = s.phi[patch.vertex(v)];
            bool inside = value < R(0);
            phi[v] = value;
            any = any || inside;
            if (v >= patch.n_owned) continue;
            least = fmin(least, value);
            most = fmax(most, value);
            components += inside;
            euler_number += inside;
            names[v] = inside ? v : NO_SET;
        }
        if (__syncthreads_or(any)) {
            for (u32 t = threadIdx.x; t < patch.n_cells; t += BLOCK) {
                u32 counted = s.counted[patch.cells + t];
                if (!counted) continue;
                u32 corner[N];
                real values[N];
                bool inside[N];
                int n_inside = 0;
#pragma unroll
                for (int i = 0; i < N; i++) {
                    corner[i] = patch.corner(t, i);
                    values[i] = phi[corner[i]];
                    inside[i] = values[i] < R(0);
                    n_inside += inside[i];
                }
                if (n_inside == 0) continue;
                euler_number += alternating(counted, inside);
                int bit = 0;
#pragma unroll
                for (int i = 0; i < N; i++) {
#pragma unroll
                    for (int j = i + 1; j < N; j++) {
                        bool joins = (counted >> bit & 1) && inside[i] && inside[j]
                            && corner[i] < patch.n_owned && corner[j] < patch.n_owned;
                        if (joins) components -= join_sets<InShared>(names, corner[i], corner[j]);
                        bit++;
                    }
                }
                if (!(counted & CELL)) continue;
                Vec3 x[N];
#pragma unroll
                for (int i = 0; i < N; i++) x[i] = patch.at(corner[i]);
                real meas = make_simplex(x).meas;
                if (n_inside == N) {
                    enclosed += (double)meas;
                } else {
                    Cut cut = cut_cell(x, values, n_inside);
                    interface += (double)cut.interface;
                    enclosed += (double)(cut.share * meas);
                }
            }
            __syncthreads();
        }
        for (u32 v = threadIdx.x; v < patch.n_owned; v += BLOCK) {
            u32 name = names[v] == NO_SET ? NO_SET : patch.first + settled(names, v);
            s.names[patch.first + v] = name;
        }
    }
    Sums sums = {interface, enclosed, (double)least, (double)most, components, euler_number};
    sums = sum_of_block(sums);
    if (threadIdx.x == 0) s.sums[blockIdx.x] = sums;
}

// Joins components across the edges between patches. Each successful join reduces the number of
// components by one.
//
// Grid: n_sums; block: BLOCK; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) measures_join(Patches m, Measuring s) {
    __shared__ u32 joined;
    if (threadIdx.x == 0) joined = 0;
    u32 mine = 0;
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        bool any = false;
        for (u32 v = threadIdx.x; v < patch.n_owned; v += BLOCK) {
            any = any || s.names[patch.first + v] != NO_SET;
        }
        if (!__syncthreads_or(any)) continue;
        for (u32 t = threadIdx.x; t < patch.n_cells; t += BLOCK) {
            u32 counted = s.counted[patch.cells + t];
            if (!(counted & ((1 << EDGES) - 1))) continue;
            u32 corner[N];
#pragma unroll
            for (int i = 0; i < N; i++) corner[i] = patch.corner(t, i);
            int bit = 0;
#pragma unroll
            for (int i = 0; i < N; i++) {
#pragma unroll
                for (int j = i + 1; j < N; j++) {
                    bool leaves = corner[i] >= patch.n_owned || corner[j] >= patch.n_owned;
                    if ((counted >> bit & 1) && leaves) {
                        u32 a = patch.vertex(corner[i]), b = patch.vertex(corner[j]);
                        bool inside = s.names[a] != NO_SET && s.names[b] != NO_SET;
                        if (inside) mine += join_sets<InGlobal>(s.names, a, b);
                    }
                    bit++;
                }
            }
        }
    }
    __syncthreads();
    if (mine) atomicAdd(&joined, mine);
    __syncthreads();
    if (threadIdx.x == 0) s.sums[blockIdx.x].components -= joined;
}

// Sums the results of all blocks.
//
// Grid: 1; block: BLOCK; shared: none.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) measures_sum(Measuring s) {
    Sums sums = no_sums();
    for (u32 k = threadIdx.x; k < s.n_sums; k += BLOCK) add(sums, s.sums[k]);
    sums = sum_of_block(sums);
    if (threadIdx.x == 0) *s.result = sums;
}
