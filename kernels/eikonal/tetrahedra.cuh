// The update of a patch of tetrahedra. Most candidates of its cells lower nothing, and the few
// others would keep whole warps busy. The cells are therefore first examined for candidates that
// can lower a value, and all threads of the block share the list of these candidates.
#pragma once
#include "eikonal/local.cuh"

// A thread keeps no shape data.
struct Held {};

DEVICE Held hold(const Patch&, const Eikonal&, const Local&) { return Held{}; }

// Returns the corners of a cell, one bit each, whose value the cell may lower with a new candidate.
//
// A candidate is new (not computed before) only if a value on the opposite face is new. A candidate
// is at least the earliest value on that face plus the travel time from the plane of the face.
DEVICE u32 hopeful(const Patch& patch, const Eikonal& e, const Local& local, u32 t, real limit) {
    const Corners corners = patch.corners(t);
    real u[N];
    u32 is_free = 0, is_new = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        u32 v = corners.of(i);
        real stored = local.u[v];
        u[i] = fabs(stored);
        is_free |= (u32)(v < patch.n_owned && !is_given(stored)) << i;
        is_new |= (u32)local.is_new[v] << i;
    }
    if (!(is_free && is_new)) return 0;
    const Heights heights = e.shapes[patch.cells + t];
    real f = slowness_of(patch, e, t);
    u32 found = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        real first = fmin(fmin(u[(i + 1) % N], u[(i + 2) % N]), u[(i + 3) % N]);
        bool hopes = first < limit && first + f * real(heights.of[i]) < u[i];
        found |= (u32)(hopes && (is_new & ~(1u << i))) << i;
    }
    return found & is_free;
}

// Puts the corners found by the threads of a warp on the list of candidates.
DEVICE void list_candidates(const Local& local, u32* n_candidates, u32 t, u32 found) {
    u32 lane = threadIdx.x % 32, n = 0, before = 0;
    u32 places[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        u32 those = __ballot_sync(0xffffffffu, found >> i & 1);
        places[i] = n + __popc(those & ((1u << lane) - 1));
        n += __popc(those);
    }
    if (n == 0) return;
    if (lane == 0) before = atomicAdd(n_candidates, n);
    before = __shfl_sync(0xffffffffu, before, 0);
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (found >> i & 1) local.candidates[before + places[i]] = (local_index)(4 * t + i);
    }
}

// Computes a candidate and offers it to its vertex. Returns whether other threads already see a
// lower value.
DEVICE int offer(const Patch& patch, const Eikonal& e, const Local& local, u32 candidate, real least_step) {
    u32 t = candidate / 4, i = candidate % 4;
    u32 a = patch.corner(t, (i + 1) % 4), b = patch.corner(t, (i + 2) % 4), c = patch.corner(t, (i + 3) % 4);
    u32 d = patch.corner(t, i);
    const real u[3] = {fabs(local.u[a]), fabs(local.u[b]), fabs(local.u[c])};
    Vec3 x[N] = {patch.at(local.x, a), patch.at(local.x, b), patch.at(local.x, c), patch.at(local.x, d)};
    to_metric(patch, e, t, x);
    real value = tetrahedron(u, x[0], x[1], x[2], x[3], slowness_of(patch, e, t));
    return give(patch, e, local, d, fabs(local.u[d]), value, least_step);
}

// Loads a patch, updates it once, and leaves new values in `local`. Returns whether a value
// changed. If so, the patch must be updated again.
DEVICE bool update(const Patch& patch, const Eikonal& e, const Local& local, Held&, const real* from, real limit) {
    u32 thread = threadIdx.x, threads = blockDim.x;
    real* seen = e.seen + patch.first_local();
    for (u32 v = thread; v < patch.n_local; v += threads) {
        real value = load_value(&from[patch.vertex(v)]);
        // Another block may have written `seen`, so this read also bypasses the L1 cache.
        bool is_new = fabs(value) < load_value(&seen[v]);
        local.u[v] = value;
        local.is_new[v] = is_new;
        if (is_new) __stcg(&seen[v], (real)fabs(value));
        if (v < patch.n_owned) {
#if !QUEUED_SOLVE
            local.next[v] = to_bits(fabs(value));
#endif
            local.changed[v] = 0;
        }
    }
    if (thread < 2) local.n_candidates[thread] = 0;
    __syncthreads();
    real least_step = least_step_of(patch, e);
    int lively = 0;
    for (u32 first = 0, turn = 0; first < patch.n_cells; first += CELLS_AT_ONCE, turn ^= 1) {
        for (u32 k = thread; k < CELLS_AT_ONCE; k += threads) {
            u32 t = first + k;
            u32 found = t < patch.n_cells ? hopeful(patch, e, local, t, limit) : 0;
            list_candidates(local, &local.n_candidates[turn], t, found);
        }
        __syncthreads();
        u32 n = local.n_candidates[turn];
        if (thread == 0) local.n_candidates[turn ^ 1] = 0;
        for (u32 k = thread; k < n; k += threads) {
            lively |= offer(patch, e, local, local.candidates[k], least_step);
        }
        __syncthreads();
    }
#if !QUEUED_SOLVE
    lively |= settle(patch, local);
#endif
    return __syncthreads_or(lively);
}
