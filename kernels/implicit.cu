// Semi-implicit curvature after evolution_step: conjugate gradients on the band (docs/level-set.md,
// section 3.2).
//
// The system is `(M + dt beta S) phi^(n+1) = M phi`, divided by beta. The lumped mass M and the
// stiffness S are those of the explicit form, both evaluated at the phi that the other terms
// produced. One cooperative kernel solves it with two barriers per iteration. The entries of S are
// stored per cell, and a vertex sums its row cell by cell in mesh order. Each block computes the
// direction itself at all vertices that it reads, including those of other patches. This saves a
// barrier.
//
// Scalar products are bitwise identical in every run although patches are processed in any order,
// because each warp adds its part of a patch to an exact sum (common/exact_sum.cuh).
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
// variants: IMPLICIT=1, CURVATURE=1 | IMPLICIT=1, CURVATURE=2, CURVATURE_ROWS=1
//     | IMPLICIT=1, CURVATURE=1, EXTRAPOLATED=1
#include "common/exact_sum.cuh"
#include "common/grid.cuh"
#include "evolution/curvature.cuh"
#include "evolution_arguments.cuh"

// Whether the step is extrapolated from a solve over its whole length and two over half of it.
#ifndef EXTRAPOLATED
#define EXTRAPOLATED 0
#endif

// The number of values per cell: one per pair of vertices, and the lumped mass.
enum { ENTRIES = PAIRS + 1 };

// The data of a block during the solve.
struct ImplicitSolve {
    const Patches& m;
    const Evolution& s;
    const Implicit& q;
    const u32* active;
    u32 n_active;
    u32 blocks;      // number of blocks that take part
    real* next;      // phi^(n+1): first the result of the other terms, then the solution
    real dt;
    real* local;     // [largest_local] in shared memory
    u64* sum;        // [SUM_WORDS] in shared memory
    u32 phase;       // number of sums so far
};

// Adds up `part` over the threads of a warp, and adds the result to the sum of the block. Whole
// warps must call it.
DEVICE void contribute(const ImplicitSolve& z, double part) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) part += __shfl_down_sync(~0u, part, offset);
    if ((threadIdx.x & 31) == 0) add_exact(z.sum, part);
}

// Waits for all blocks, and returns the sum of their contributions since the last call. Three sums
// are used in turn: the next one is cleared here, when no block reads it anymore.
DEVICE double total(ImplicitSolve& z) {
    __shared__ double result;
    u64* all = z.q.sums + z.phase % 3 * SUM_WORDS;
    z.phase++;
    u64* next = z.q.sums + z.phase % 3 * SUM_WORDS;
    __syncthreads();
    for (u32 k = threadIdx.x; k < SUM_WORDS; k += blockDim.x) {
        if (z.sum[k]) atomicAdd(&all[k], z.sum[k]);
        z.sum[k] = 0;
        if (blockIdx.x == 0) next[k] = 0;
    }
    grid_barrier(z.q.counts, z.blocks);
    if (threadIdx.x < 32) {
        double sum = exact_total(all);
        if (threadIdx.x == 0) result = sum;
    }
    __syncthreads();
    return result;
}

// Returns the entries of cell t of a patch.
DEVICE real* entries_of(const ImplicitSolve& z, const Patch& patch, u32 t) {
    return z.q.entries + (u64)ENTRIES * (patch.cells + t);
}

// Returns the position of the pair of two different corners among the entries of a cell.
DEVICE u32 pair_of(u32 i, u32 j) {
    u32 low = i < j ? i : j, high = i < j ? j : i;
    return low * N - low * (low + 1) / 2 + high - low - 1;
}

// Returns `sum_j W_ij (x_j - x_i)` of cell t at its corner i. W_ij is the entry of the pair of
// corners i and j, x_j is in `local`, and x_i is `own`.
DEVICE real product_of(const Patch& patch, const real* entries, const real* local, u32 t, u32 i, real own) {
    real sum = R(0);
#pragma unroll
    for (u32 j = 0; j < N; j++) {
        if (j != i) sum += entries[pair_of(i, j)] * (local[patch.corner(t, j)] - own);
    }
    return sum;
}

// Returns `sum_j W_ij` of a cell at its corner i, with the entries of product_of.
DEVICE real row_sum(const real* entries, u32 i) {
    real sum = R(0);
#pragma unroll
    for (u32 j = 0; j < N; j++) {
        if (j != i) sum += entries[pair_of(i, j)];
    }
    return sum;
}

// Computes the entries of those cells of a patch that have a moving vertex owned by the patch.
DEVICE void assemble_cells(const ImplicitSolve& z, const Patch& patch) {
    for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
        u32 corner[N];
        bool computed = false;
#pragma unroll
        for (int i = 0; i < N; i++) {
            corner[i] = patch.corner(t, i);
            computed = computed || (corner[i] < patch.n_owned && z.s.moving[patch.first + corner[i]]);
        }
        if (!computed) continue;
        Vec3 x[N];
        real values[N], pairs[PAIRS];
#pragma unroll
        for (int i = 0; i < N; i++) {
            x[i] = patch.at(corner[i]);
            values[i] = z.local[corner[i]];
        }
        Simplex simplex = make_simplex(x);
        real* entries = entries_of(z, patch, t);
        entries[PAIRS] = stiffness(simplex, gradient(simplex, values), z.s.least_slope, pairs);
#if CURVATURE == CURVATURE_WEIGHTED
        real weight = weight_of(patch, z.s, corner);
#endif
#pragma unroll
        for (int k = 0; k < PAIRS; k++) {
#if CURVATURE == CURVATURE_WEIGHTED
            pairs[k] = weight * pairs[k];
#endif
            entries[k] = pairs[k];
        }
    }
}

// Computes the entries, the mass, the diagonal (0 at vertices that keep their value) and the
// residual `- dt S phi`. Returns the squared norm of the residual, weighted by the inverse of the
// diagonal.
DEVICE double assemble(ImplicitSolve& z) {
    for (u32 k = blockIdx.x; k < z.n_active; k += gridDim.x) {
        Patch patch = patch_of(z.m, z.active[k]);
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) z.local[v] = z.next[patch.vertex(v)];
        __syncthreads();
        assemble_cells(z, patch);
        __syncthreads();
        double size = 0.0;
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            u32 vertex = patch.first + v;
#if CURVATURE == CURVATURE_WEIGHTED
            real beta = R(1);
#else
            real beta = curvature_at(patch, z.s, v);
#endif
            if (!z.s.moving[vertex] || beta <= R(0)) {
                z.s.diagonal[vertex] = R(0);
                z.q.residual[vertex] = R(0);
                continue;
            }
            real products = R(0), lumped = R(0), rows = R(0), own = z.local[v];
            for (u32 at = patch.row(v); at < patch.row(v + 1); at++) {
                u32 column = patch.column(at), t = column >> 2, corner = column & 3;
                const real* entries = entries_of(z, patch, t);
                products += product_of(patch, entries, z.local, t, corner, own);
                lumped += entries[PAIRS];
                rows += row_sum(entries, corner);
            }
            real mass = lumped / beta;
            real diagonal = mass - z.dt * rows;
            real residual = -z.dt * products;
            z.q.mass[vertex] = mass;
            z.s.diagonal[vertex] = diagonal;
            z.q.residual[vertex] = residual;
            size += (double)(residual * (residual / diagonal));
        }
        contribute(z, size);
    }
    return total(z);
}

// Sets the direction to the preconditioned residual plus `keep` times the previous direction, which
// makes it conjugate to all previous ones, and multiplies the new direction by the matrix. Returns
// the scalar product of the direction and this product. In iteration 0, there is no previous
// direction.
DEVICE double multiply(ImplicitSolve& z, u32 iteration, real keep) {
    const real* old = z.q.direction + (u64)(iteration & 1) * z.m.n_vertices;
    real* fresh = z.q.direction + (u64)(~iteration & 1) * z.m.n_vertices;
    for (u32 k = blockIdx.x; k < z.n_active; k += gridDim.x) {
        Patch patch = patch_of(z.m, z.active[k]);
        __syncthreads();
        for (u32 v = threadIdx.x; v < patch.n_local; v += blockDim.x) {
            u32 vertex = patch.vertex(v);
            real diagonal = z.s.diagonal[vertex], direction = R(0);
            if (diagonal > R(0)) {
                direction = z.q.residual[vertex] / diagonal;
                if (iteration > 0) direction += keep * old[vertex];
            }
            z.local[v] = direction;
            if (v < patch.n_owned) fresh[vertex] = direction;
        }
        __syncthreads();
        double size = 0.0;
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            u32 vertex = patch.first + v;
            if (!(z.s.diagonal[vertex] > R(0))) continue;
            real products = R(0), own = z.local[v];
            for (u32 at = patch.row(v); at < patch.row(v + 1); at++) {
                u32 column = patch.column(at), t = column >> 2, corner = column & 3;
                products += product_of(patch, entries_of(z, patch, t), z.local, t, corner, own);
            }
            real product = z.q.mass[vertex] * own + z.dt * products;
            z.q.product[vertex] = product;
            size += (double)(product * own);
        }
        contribute(z, size);
    }
    return total(z);
}

// Moves the solution by `length` times the direction, and updates the residual. Returns the squared
// norm of the remaining residual, weighted by the inverse of the diagonal.
DEVICE double descend(ImplicitSolve& z, u32 iteration, real length) {
    const real* direction = z.q.direction + (u64)(~iteration & 1) * z.m.n_vertices;
    for (u32 k = blockIdx.x; k < z.n_active; k += gridDim.x) {
        u32 p = z.active[k], last = z.m.starts[p + 1].vertex;
        double size = 0.0;
        for (u32 vertex = z.m.starts[p].vertex + threadIdx.x; vertex < last; vertex += blockDim.x) {
            real diagonal = z.s.diagonal[vertex];
            if (!(diagonal > R(0))) continue;
            z.next[vertex] += length * direction[vertex];
            real residual = z.q.residual[vertex] - length * z.q.product[vertex];
            z.q.residual[vertex] = residual;
            size += (double)(residual * residual / diagonal);
        }
        contribute(z, size);
    }
    return total(z);
}

DEVICE bool is_positive(double x) { return x > 0.0 && x < __longlong_as_double(0x7ff0000000000000); }

// The result of one or several solves.
struct Solved {
    u32 iterations;    // of all solves
    double reduction;  // of the residual in the last solve
    bool done;
};

// Solves one system, starting from z.next. The solve also ends if a norm or a scalar product is
// zero, negative or not finite; evolution_outcome detects values of phi that are not finite.
DEVICE void solve(ImplicitSolve& z, Solved& solved) {
    double start = assemble(z), size = start;
    u32 iterations = 0;
    solved.done = !is_positive(start);
    real keep = R(0);
    while (!solved.done && iterations < z.q.most_iterations) {
        double curvature = multiply(z, iterations, keep);
        iterations++;
        if (!is_positive(curvature)) {
            solved.done = true;
            break;
        }
        double shrunk = descend(z, iterations - 1, (real)(size / curvature));
        solved.done = shrunk <= start * z.q.tolerance * z.q.tolerance;
        keep = (real)(shrunk / size);
        size = shrunk;
    }
    solved.iterations += iterations;
    solved.reduction = sqrt(size / start);
}

#if EXTRAPOLATED
// Calls `what` for each vertex that this block owns. No other block writes to these vertices.
template <class Do>
DEVICE void for_each_owned(const ImplicitSolve& z, const Do& what) {
    for (u32 k = blockIdx.x; k < z.n_active; k += gridDim.x) {
        u32 p = z.active[k], last = z.m.starts[p + 1].vertex;
        for (u32 v = z.m.starts[p].vertex + threadIdx.x; v < last; v += blockDim.x) what(v);
    }
}

// Takes a step of second order: solves over the whole length of the step, solves twice over half
// of it, and eliminates the first-order error.
DEVICE void solve_extrapolated(ImplicitSolve& z, Solved& solved) {
    real *next = z.next, *start = z.q.start, *whole = z.q.whole;
    for_each_owned(z, [&](u32 v) { start[v] = next[v]; });
    solve(z, solved);
    if (!solved.done) return;
    for_each_owned(z, [&](u32 v) {
        whole[v] = next[v];
        next[v] = start[v];
    });
    z.dt *= R(0.5);
    for (int half = 0; half < 2 && solved.done; half++) {
        // The solve reads values of other blocks.
        grid_barrier(z.q.counts, z.blocks);
        solve(z, solved);
    }
    for_each_owned(z, [&](u32 v) { next[v] += next[v] - whole[v]; });
}
#endif

// Solves for the curvature part of a step.
//
// Grid: as many blocks as can be resident at once, cooperative; block: a multiple of 32; shared:
// [largest_local] reals. The launch bounds avoid spilled registers.
extern "C" __global__ void __launch_bounds__(BLOCK, 1) implicit_solve(Patches m, Evolution s, Implicit q) {
    DYN_SHARED(unsigned char, shared);
    __shared__ u64 sum[SUM_WORDS];
    __shared__ u32 is_last;
    Control& c = *s.control;
    const u32 n_active = c.n_active;
    const u32 blocks = gridDim.x < n_active ? gridDim.x : n_active;
    if (is_paused(c) || blockIdx.x >= blocks) return;
    SharedParts parts = {shared};
    real* next = s.phi + (u64)(c.progress.parity ^ 1) * m.n_vertices;
    ImplicitSolve z = {m,    s,          q,   active_list(s, c), n_active, blocks, next, (real)c.progress.dt, parts.take<real>(s.largest_local),
               sum, 0};
    for (u32 k = threadIdx.x; k < SUM_WORDS; k += blockDim.x) sum[k] = 0;
    __syncthreads();

    Solved solved = {0, 0.0, true};
#if EXTRAPOLATED
    solve_extrapolated(z, solved);
#else
    solve(z, solved);
#endif

    // The last block to leave reports the result, and prepares the next launch.
    if (threadIdx.x == 0) is_last = atomicAdd(&q.counts[1], 1u) == blocks - 1;
    __syncthreads();
    if (!is_last) return;
    for (u32 k = threadIdx.x; k < 3 * SUM_WORDS; k += blockDim.x) q.sums[k] = 0;
    if (threadIdx.x == 0) {
        q.counts[0] = q.counts[1] = 0;
        c.iterations += solved.iterations;
        if (!solved.done) {
            c.reduction = solved.reduction;
            c.progress.halt = NO_CONVERGENCE;
        }
    }
}
