// The update of a patch of triangles. A thread keeps the shape of its cell in registers and
// computes its candidates repeatedly.
#pragma once
#include "eikonal/local.cuh"

// A cell in the registers of a thread during the repetitions.
struct Cell {
    u32 corner[N];
#if CIRCULAR
    Vec3 shape[N];
#else
    TriangleShape shape;
#endif
    real slowness;
};

// Most patches have about as many cells as the block has threads, so a thread keeps its first cell.
typedef Cell Held;

DEVICE Cell load_cell(const Patch& patch, const Eikonal& e, const Local& local, u32 t) {
    Cell cell;
    const Corners corners = patch.corners(t);
#if !CIRCULAR
    const real* shape = e.shapes + SHAPE_SIZE * (u64)patch.cells + t;
#endif
#pragma unroll
    for (int i = 0; i < N; i++) {
        cell.corner[i] = corners.of(i);
#if CIRCULAR
        cell.shape[i] = patch.at(local.x, corners.of(i));
#else
        cell.shape.length[i] = shape[i * patch.n_cells];
        cell.shape.along[i] = shape[(3 + i) * patch.n_cells];
        cell.shape.height[i] = shape[(6 + i) * patch.n_cells];
#endif
    }
    cell.slowness = slowness_of(patch, e, t);
    return cell;
}

DEVICE Held hold(const Patch& patch, const Eikonal& e, const Local& local) {
    Held held;
    if (threadIdx.x < patch.n_cells) held = load_cell(patch, e, local, threadIdx.x);
    return held;
}

// Computes the candidates of one cell for its corners. Returns whether other threads already see a
// lowered value.
DEVICE int offer(const Patch& patch, const Eikonal& e, const Local& local, const Cell& cell, real limit,
                 real least_step) {
    int lively = 0;
    real u[N];
    u32 is_free = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        real stored = local.u[cell.corner[i]];
        u[i] = fabs(stored);
        is_free |= (u32)(cell.corner[i] < patch.n_owned && !is_given(stored)) << i;
    }
#if CIRCULAR
    real smallest = fmin(fmin(u[0], u[1]), u[2]);
    if (!(smallest < limit)) return lively;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (!(is_free >> i & 1) || !(u[i] > smallest || is_obtuse(cell.shape, i))) continue;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        real candidate = circle(u[j], u[k], cell.shape[j], cell.shape[k], cell.shape[i], cell.slowness);
        lively |= give(patch, e, local, cell.corner[i], u[i], candidate, least_step);
    }
#else
    // There are at most two candidates. A warp runs the formula only as many times as the thread
    // with the most candidates needs.
    u32 due = is_free & hopeful(u, cell.shape, cell.slowness, limit);
    while (due != 0) {
        int i = due & 1 ? 0 : due & 2 ? 1 : 2;
        due &= due - 1;
        real candidate = arrival(u, cell.shape, i, cell.slowness);
        lively |= give(patch, e, local, pick(cell.corner, i), pick(u, i), candidate, least_step);
    }
#endif
    return lively;
}

// Loads a patch, repeats its update, and leaves new values in `local`. Returns whether the last
// repetition still changed a value.
//
// In rounds, a repetition reads only the values of the previous repetition (Jacobi). `cell` is the
// first cell of this thread.
DEVICE bool update(const Patch& patch, const Eikonal& e, const Local& local, Held& cell, const real* from,
                   real limit) {
    u32 thread = threadIdx.x, threads = blockDim.x;
    for (u32 v = thread; v < patch.n_local; v += threads) {
        real value = load_value(&from[patch.vertex(v)]);
        local.u[v] = value;
        if (v < patch.n_owned) {
#if !QUEUED_SOLVE
            local.next[v] = to_bits(fabs(value));
#endif
            local.changed[v] = 0;
        }
    }
    u32 loaded = thread;
    real least_step = least_step_of(patch, e);
    int lively = 0;
    __syncthreads();
    for (u32 k = 0; k < e.repetitions; k++) {
        lively = 0;
        for (u32 t = thread; t < patch.n_cells; t += threads) {
            if (t != loaded) {
                cell = load_cell(patch, e, local, t);
                loaded = t;
            }
            lively |= offer(patch, e, local, cell, limit, least_step);
        }
#if !QUEUED_SOLVE
        __syncthreads();
        lively |= settle(patch, local);
#endif
        lively = __syncthreads_or(lively);
        if (!lively) break;
    }
    return lively;
}
