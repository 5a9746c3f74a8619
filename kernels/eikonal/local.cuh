// The shared memory of a block while it updates a patch.
#pragma once
#include "common/block.cuh"
#include "eikonal.cuh"
#include "eikonal_arguments.cuh"

#if CELL_SIZE == 4
// The number of cells that a block examines before it computes their candidates.
enum { CELLS_AT_ONCE = 2 * BLOCK };
#endif

// Circular fronts and tetrahedra need coordinates. For other fronts on triangles, shape data are
// stored instead.
#define HAS_POINTS (CELL_SIZE == 4 || CIRCULAR)

struct Local {
    real* u;                  // [n_local] current values; the sign bit marks given values
#if HAS_POINTS
    real* x;                  // [3 * n_local] coordinates
#endif
    real_bits* next;          // [n_owned] bits of the next values; used only by rounds
    u8* changed;              // [n_owned] whether a value is lower than when the patch was loaded
#if CELL_SIZE == 4
    u8* is_new;               // [n_local] whether a value is lower than in the previous update
    local_index* candidates;  // [4 * CELLS_AT_ONCE] candidates to compute: 4 * cell + corner
    u32* n_candidates;        // [2] their number in this turn and the next
#endif
};

DEVICE Local local_of(unsigned char* shared, const Eikonal& e) {
    SharedParts parts = {shared};
    Local local;
    local.u = parts.take<real>(e.largest_local);
#if HAS_POINTS
    local.x = parts.take<real>(3 * e.largest_local);
#endif
    local.next = parts.take<real_bits>(e.largest_owned);
    local.changed = parts.take<u8>(e.largest_owned);
#if CELL_SIZE == 4
    local.is_new = parts.take<u8>(e.largest_local);
    local.candidates = parts.take<local_index>(4 * CELLS_AT_ONCE);
    local.n_candidates = parts.take<u32>(2);
#endif
    return local;
}

// Coordinates that are being copied to shared memory, if cells need them (HAS_POINTS).
struct PointsAhead {
#if HAS_POINTS
    Fetch<real, 3> values;
    DEVICE void load(const Patch& patch) { values.load(patch.coordinates(), 3 * patch.n_local); }
    DEVICE void store(const Patch& patch, const Local& local) {
        values.store(local.x, patch.coordinates(), 3 * patch.n_local);
    }
#else
    DEVICE void load(const Patch&) {}
    DEVICE void store(const Patch&, const Local&) {}
#endif
};

// Returns a value from global memory. The read bypasses the L1 cache, which does not see the writes
// of other blocks.
DEVICE real load_value(const real* at) { return __ldcg(at); }

DEVICE real slowness_of(const Patch& patch, const Eikonal& e, u32 t) {
    return e.slowness_of_cells ? e.slowness_of_cells[patch.cells + t] : e.slowness;
}

// Maps points of a cell to coordinates in which its fronts have speed 1 in all directions
// (`in_cell` in src/levelset/eikonal/metric.rs). Without a tensor, the points stay as they are.
template <int M>
DEVICE void to_metric(const Patch& patch, const Eikonal& e, u32 t, Vec3 (&x)[M]) {
#if METRIC
    const real* f = e.metrics + 6 * (u64)patch.cells + t;
    const u64 n = patch.n_cells;
    const real f00 = f[0], f10 = f[n], f11 = f[2 * n], f20 = f[3 * n], f21 = f[4 * n], f22 = f[5 * n];
    const Vec3 origin = x[0];
#pragma unroll
    for (int i = 0; i < M; i++) {
        const Vec3 v = x[i] - origin;
        x[i] = Vec3{f00 * v.x, f10 * v.x + f11 * v.y, f20 * v.x + f21 * v.y + f22 * v.z};
    }
#endif
}

// Numbers of updates after which small decreases no longer count, and exponents of the smallest
// decrease (`least_step` in src/levelset/eikonal/problem.rs).
#if METRIC
enum : u32 { PATIENCE = 4096 };
#else
enum : u32 { PATIENCE = 256 };
#endif
enum : u32 { DOUBLING = 8, FIRST = 40, LAST = 6 };

// Returns the decrease that a value must exceed to count. After many updates of the patch, it
// grows.
DEVICE real least_step_of(const Patch& patch, const Eikonal& e) {
    const u32 n_updates = __ldcg(&e.n_updates[patch.p]);
    const u32 patience = patch.n_owned > PATIENCE ? patch.n_owned : (u32)PATIENCE;
    if (n_updates < patience) return DECREASE * e.reach[patch.p];
    const u32 doublings = (n_updates - patience) / DOUBLING, most = FIRST - LAST;
    const u64 divisor = (u64)1 << (FIRST - (doublings < most ? doublings : most));
    return fmax(DECREASE, real(1) / real(divisor)) * e.reach[patch.p];
}

// Offers an owned vertex a candidate for its value. The candidate counts if it is below the current
// value `before` by more than rounding, and, if there are caps, below the cap of the vertex.
// Returns whether other threads already see the new value. With rounds, they see it only after
// settle.
DEVICE int give(const Patch& patch, const Eikonal& e, const Local& local, u32 v, real before, real candidate,
                real least_step) {
    real decrease = fmax(least_step, DECREASE * candidate);
    if (!(before - candidate > decrease)) return 0;
    if (e.caps && !(candidate < e.caps[patch.first + v])) return 0;
    real_bits bits = to_bits(candidate);
#if QUEUED_SOLVE
    // Other threads may see the new value at once. This saves repetitions, and the queue has no
    // order anyway.
    if (!(bits < atomicMin((real_bits*)&local.u[v], bits))) return 0;
    local.changed[v] = 1;
    return 1;
#else
    atomicMin(&local.next[v], bits);
    return 0;
#endif
}

#if !QUEUED_SOLVE
// Lowers the values of this thread's vertices to the lower values that were found. Returns whether
// a value changed.
DEVICE int settle(const Patch& patch, const Local& local) {
    int lively = 0;
    for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
        real value = from_bits(local.next[v]);
        if (value < fabs(local.u[v])) {
            local.u[v] = value;
            local.changed[v] = 1;
            lively = 1;
        }
    }
    return lively;
}
#endif
