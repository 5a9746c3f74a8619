// Increments of phi by second-order advection (docs/level-set.md, section 2.5), computed before
// evolution_step.
//
// galerkin_residual computes first increments with the lumped mass matrix. galerkin_correction
// performs a Jacobi step toward the increments with the consistent mass matrix, from the first
// buffer of increments to the second. evolution_step performs the last Jacobi step, starting from
// the second buffer. Vertices where phi would grow use the positive-coefficient scheme. The Jacobi
// steps keep the increments at these vertices, where the right-hand side is infinite.
//
// Like evolution_step, each kernel fetches data before the previous kernel has ended if steps do
// not change these data. No kernel checks whether the step takes place. If it does not, nothing
// reads the results. One additional block of galerkin_residual determines this for evolution_step.
//
// variants: REAL=double | REAL=float
// variants: CELL_SIZE=3 | CELL_SIZE=3, PLANAR=1 | CELL_SIZE=4
// variants: BLOCK=192, MIN_BLOCKS=1
// variants: ADVECTION=3 | ADVECTION=3, VELOCITY_ROWS=1, CHUNKED=1
// fused: always
#include "evolution/galerkin.cuh"
#include "evolution/points.cuh"
#include "evolution/step_end.cuh"
#include "evolution/upwind.cuh"
#include "evolution_arguments.cuh"

#ifndef CHUNKED
#define CHUNKED 0
#endif

// Bits of the state of an owned vertex: whether it moves, and whether it uses the
// positive-coefficient scheme instead.
enum { MOVES = 1, FALLS_BACK = 2 };

#if CHUNKED
// The partial sums of a vertex, which are carried from one chunk to the next if the cells of its
// patch do not fit in shared memory at once.
struct Partial {
    real num, den;
    u32 at;
};
#endif

// The data of a patch in shared memory. Neighboring cells write to adjacent slots.
struct Local {
    real *num, *den;  // [N * chunk] contributions; den only for vertices that fall back
    Points points;    // [largest_local] coordinates and phi
    real* values;     // [largest_local] increments
    u8* state;        // [largest_owned]
    Columns* staged;  // [largest_columns] rows of the gather matrix, and columns
#if CHUNKED
    Partial* partial;  // [largest_owned]
#endif

    DEVICE const local_index* columns() const { return (const local_index*)staged; }
};

// Returns the layout for galerkin_residual, or for galerkin_correction, which needs no
// denominators, coordinates or states.
DEVICE Local local_of(unsigned char* shared, const Evolution& s, bool is_correction) {
    SharedParts parts = {shared};
    Local local = {};
    local.num = parts.take<real>(N * s.chunk);
    if (is_correction) {
        local.values = parts.take<real>(s.largest_local);
    } else {
        local.den = parts.take<real>(N * s.chunk);
        local.points = Points{parts.take<Group>(Points::GROUPS * s.largest_local), s.largest_local};
        local.state = parts.take<u8>(s.largest_owned);
    }
    local.staged = parts.take<Columns>(column_words(s.largest_columns));
#if CHUNKED
    local.partial = parts.take<Partial>(s.largest_owned);
#endif
    return local;
}

// The active patches, which the blocks take in turn, and the first patch of this block.
struct Work {
    const u32* active;
    u32 n_active, first;
};

// Returns the work of this block. Both lists of active patches are read, because the control block,
// which states which list is current, is still being loaded.
DEVICE Work work_of(const Patches& m, const Evolution& s, const Control& c) {
    const bool may_work = blockIdx.x < m.n_patches;
    const u32 even = may_work ? s.active[blockIdx.x] : 0;
    const u32 odd = may_work ? s.active[m.n_patches + blockIdx.x] : 0;
    const u32 halt = c.progress.halt, due = c.progress.due, n_active = c.n_active, list = c.list;
    return Work{s.active + (u64)list * m.n_patches, (halt | due) ? 0 : n_active, list ? odd : even};
}

// Starts copying the rows and columns of the gather matrix of a patch to shared memory.
DEVICE void send_for_columns(const Patch& patch, const Local& local) {
    const Columns* columns = pinned(patch.columns());
    for_each_of<2>(patch.n_column_words, [&](u32 at) { copy_async(local.staged + at, columns + at); });
}

// The data from which the state of an owned vertex follows.
struct Standing {
    u8 moves;
    real growth;

    DEVICE void load(const Evolution& s, u32 vertex) {
        moves = s.moving[vertex];
        growth = s.growth ? s.growth[vertex] : R(0);
    }

    // Returns whether the vertex moves in a step of length dt, and by which scheme
    // (LARGEST_GROWTH in src/levelset/evolution/galerkin.rs).
    DEVICE u32 state(real dt) const {
        return (moves ? MOVES : 0) | (growth * dt > R(0.005) ? FALLS_BACK : 0);
    }
};

// Unpacks the corners of a cell, and returns the combined (or-ed) states of its owned vertices.
DEVICE u32 states_of(const Patch& patch, const Local& local, const Corners& corners, u32 (&corner)[N]) {
    u32 states = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        corner[i] = corners.of(i);
        if (corner[i] < patch.n_owned) states |= local.state[corner[i]];
    }
    return states;
}

struct Sums {
    real num, den;
    u32 at;
};

// Adds to `sum` what the cells before `end` contribute to a vertex, from column `at` up to, but not
// including, `last`, the end of its row. Returns the first remaining column.
DEVICE u32 add_row(const Local& local, const real* left, u32 start, u32 end, u32 at, u32 last, real& sum) {
    const local_index* columns = local.columns();
#pragma unroll (CHUNKED ? 1 : 4)
    for (; at < last; at++) {
        // Corner k of cell t is stored at N * t + k.
        const u32 column = columns[at], slot = N == 4 ? column : column - (column >> 2);
        if (CHUNKED && column >= 4 * end) break;
        sum += left[slot - (CHUNKED ? N * start : 0)];
    }
    return at;
}

// Sums the contributions to an owned vertex over the cells of a chunk and the previous chunks.
// Returns true if this is the last chunk, so that the sums are complete. Denominators are summed
// only if `with_den`.
DEVICE bool gather(const Patch& patch, const Local& local, u32 start, u32 end, u32 v, bool with_den, Sums& sums) {
    sums = Sums{R(0), R(0), local.columns()[v]};
#if CHUNKED
    if (start > 0) sums = Sums{local.partial[v].num, local.partial[v].den, local.partial[v].at};
#endif
    const u32 last = local.columns()[v + 1];
    const u32 at = add_row(local, local.num, start, end, sums.at, last, sums.num);
    if (with_den) add_row(local, local.den, start, end, sums.at, last, sums.den);
#if CHUNKED
    if (end < patch.n_cells) {
        local.partial[v] = Partial{sums.num, sums.den, at};
        return false;
    }
#endif
    return true;
}

// Returns the divergence of the linear interpolant of the velocity in a cell.
DEVICE real divergence_of(const Patch& patch, const Evolution& s, const Simplex& simplex, const u32 (&corner)[N]) {
    real divergence = R(0);
#if VELOCITY_ROWS
#pragma unroll
    for (int i = 0; i < N; i++) {
        const real* row = s.velocity_rows + 3 * (u64)patch.vertex(corner[i]);
        divergence += dot(simplex.grads[i], Vec3{row[0], row[1], row[2]});
    }
#endif
    return divergence;
}

// Computes the contributions of a cell to the right-hand side or, at its vertices that fall back,
// to the sums of the positive-coefficient scheme.
DEVICE void contribute(const Patch& patch, const Evolution& s, const Local& local, u32 slot, const u32 (&corner)[N],
                       bool falls_back, real dt) {
    Vec3 x[N];
    real values[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        local.points.get(corner[i], x[i], values[i]);
    }
    Simplex simplex = make_simplex(x);
    Vec3 g = gradient(simplex, values);
    Vec3 a = velocity_of(patch, s, corner);
    real right[N];
    residual(simplex, g, a, divergence_of(patch, s, simplex, corner), dt, right);
#pragma unroll
    for (int i = 0; i < N; i++) local.num[N * slot + i] = right[i];
    if (!falls_back) return;
    Shares shares = advection(simplex, values, a);
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (corner[i] >= patch.n_owned || !(local.state[corner[i]] & FALLS_BACK)) continue;
        local.num[N * slot + i] = shares.m[i] * shares.h;
        local.den[N * slot + i] = shares.m[i] * simplex.meas;
    }
}

// Computes the measures of the cells of all patches, once.
//
// Grid: any; block: any; shared: none.
extern "C" __global__ void galerkin_measures(Patches m, Evolution s) {
    for (u32 p = blockIdx.x; p < m.n_patches; p += gridDim.x) {
        Patch patch = patch_of(m, p);
        for (u32 t = threadIdx.x; t < patch.n_cells; t += blockDim.x) {
            Vec3 x[N];
#pragma unroll
            for (int i = 0; i < N; i++) x[i] = patch.at(patch.corner(t, i));
            s.measures[patch.cells + t] = make_simplex(x).meas;
        }
    }
}

#if VELOCITY_ROWS && !PLANAR && CELL_SIZE == 3
// Computes the growth rates of phi for the current velocity at the vertices of the active patches,
// or of all patches if `everywhere` (Galerkin::follow in src/levelset/evolution/galerkin.rs).
//
// Grid: any; block: any; shared: none.
extern "C" __global__ void galerkin_growth(Patches m, Evolution s, u32 everywhere) {
    const Control& c = *s.control;
    if (!everywhere && is_paused(c)) return;
    const u32* active = active_list(s, c);
    const u32 n = everywhere ? m.n_patches : c.n_active;
    for (u32 k = blockIdx.x; k < n; k += gridDim.x) {
        const Patch patch = patch_of(m, everywhere ? k : active[k]);
        for (u32 v = threadIdx.x; v < patch.n_owned; v += blockDim.x) {
            const u32 vertex = patch.first + v;
            const real before = s.growth[vertex];
            if (before == INFINITY_R) continue;
            real flux = R(0), size = R(0);
            for (u32 at = patch.row(v); at < patch.row(v + 1); at++) {
                const u32 column = patch.column(at), t = column >> 2, own = column & 3;
                u32 corner[N];
                Vec3 x[N];
#pragma unroll
                for (int i = 0; i < N; i++) {
                    corner[i] = patch.corner(t, i);
                    x[i] = patch.at(corner[i]);
                }
                const Simplex simplex = make_simplex(x);
                const Vec3 a = velocity_of(patch, s, corner);
                // Arrays are indexed with compile-time constants so that they stay in registers.
                real along = R(0);
#pragma unroll
                for (u32 i = 0; i < N; i++) {
                    if (i == own) along = dot(a, simplex.grads[i]);
                }
                flux += simplex.meas * (along + divergence_of(patch, s, simplex, corner) * R(1.0 / 3.0));
                size += simplex.meas * fabs(along);
            }
            const bool flows_in = s.flows_in && s.flows_in[vertex];
            const bool is_fold = -flux > R(0.3) * size;
            s.growth[vertex] = is_fold && !flows_in ? -flux / (R(3) * s.mass[vertex]) : R(0);
        }
    }
}
#endif

// Determines the progress before step `turn`, and passes it on to this step and the next one.
//
// The calling block runs in parallel with the blocks that work on patches. The control block is
// available even before the previous kernel has ended, because steps do not change it.
DEVICE void hand_on_early(const Evolution& s, u32 turn) {
    __shared__ Ahead ahead;
    __shared__ Control control;
    enum { WORDS = sizeof(Control) / sizeof(u64) };
    static_assert(sizeof(Control) % sizeof(u64) == 0, "Control consists of 64-bit words");
#pragma unroll 1
    for (u32 k = threadIdx.x; k < WORDS; k += BLOCK) copy_async((u64*)&control + k, (const u64*)s.control + k);
    await_copies();
    await_kernel_before();
    hand_on(s, control, turn, ahead);
}

// The schedule time at the start of the previous step, and the length of that step. In the first
// step of a cycle, both values belong to the first step itself.
struct Before {
    double clock, dt;
};

DEVICE Before load_before(const Evolution& s, u32 turn) {
    const Progress* before = progress_ahead(s, turn);
    return Before{__ldcg(&before->clock), __ldcg(&before->dt)};
}

// Returns the length of step `turn` if the step takes place. It equals the result of choose_step if
// the previous step did not end at the target.
DEVICE real length_after(double longest, double target, const Before& before, u32 turn) {
    return (real)(turn == 0 ? before.dt : fmin(longest, target - (before.clock + before.dt)));
}

// Computes the right-hand side of step `turn` of a cycle, and the increments with the lumped mass
// matrix. The velocity is taken at the middle of the step or averaged over the step.
//
// Grid: the blocks that work on patches, and one more; block: a multiple of 32; shared: local_of.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) galerkin_residual(Patches m, Evolution s, u32 turn) {
    DYN_SHARED(unsigned char, shared);
    const Control& c = *s.control;
    const u32 workers = gridDim.x - 1;
    const Work work = work_of(m, s, c);
    const double longest = c.longest, target = c.target;
    // The parity is correct if all previous steps were taken. If not, this step is not taken
    // either.
    const u32 parity = c.progress.parity ^ (turn & 1);
    let_next_begin();
    if (blockIdx.x == workers) {
        hand_on_early(s, turn);
        return;
    }
    if (blockIdx.x >= work.n_active) {
        await_kernel_before();
        return;
    }
    Local local = local_of(shared, s, false);
    const real* phi = pinned(s.phi + (u64)parity * m.n_vertices);
    u32 p = work.first;
    for (u32 k = blockIdx.x; k < work.n_active; k += workers) {
        if (k != blockIdx.x) {
            p = work.active[k];
            __syncthreads();
        }
        const Patch patch = patch_of(m, p);
        // All loads are issued before the first value is needed.
        Asked<2> asked;
        asked.find(patch);
        Corners corners = {};
        real first_mass = R(1);
        Standing first_standing = {};
        if (threadIdx.x < patch.n_cells) corners = patch.corners(threadIdx.x);
        if (threadIdx.x < patch.n_owned) {
            first_mass = s.mass[patch.first + threadIdx.x];
            first_standing.load(s, patch.first + threadIdx.x);
        }
        const real* x = pinned(patch.coordinates());
        for_each_of<2>(patch.n_local, [&](u32 v) { local.points.fetch_place(v, x, patch.n_local); });
        send_for_columns(patch, local);
        const Divisor mass(first_mass);
        await_kernel_before();
        asked.load(phi, patch.n_local);
        const Before before = load_before(s, turn);
        asked.put(patch, phi, [&](u32 v) -> real& { return local.points.phi(v); });
        const real dt = length_after(longest, target, before, turn);
        if (threadIdx.x < patch.n_owned) local.state[threadIdx.x] = first_standing.state(dt);
#pragma unroll 1
        for (u32 v = threadIdx.x + BLOCK; v < patch.n_owned; v += BLOCK) {
            Standing standing;
            standing.load(s, patch.first + v);
            local.state[v] = standing.state(dt);
        }
        await_copies();
        __syncthreads();
        u32 start = 0;
        do {
            const u32 end = CHUNKED && start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + threadIdx.x; t < end; t += BLOCK) {
                if (t != threadIdx.x) corners = patch.corners(t);
                u32 corner[N];
                u32 states = states_of(patch, local, corners, corner);
                if (states & MOVES) contribute(patch, s, local, t - start, corner, states & FALLS_BACK, dt);
            }
            __syncthreads();
            for (u32 v = threadIdx.x; v < patch.n_owned; v += BLOCK) {
                const u32 vertex = patch.first + v, state = local.state[v];
                if (!(state & MOVES)) {
                    s.residual[vertex] = INFINITY_R;
                    s.increment[vertex] = R(0);
                    continue;
                }
                Sums sums;
                if (!gather(patch, local, start, end, v, state & FALLS_BACK, sums)) continue;
                if (state & FALLS_BACK) {
                    s.residual[vertex] = INFINITY_R;
                    s.increment[vertex] = -dt * ratio(sums.num, sums.den);
                } else {
                    s.residual[vertex] = sums.num;
                    s.increment[vertex] = (v == threadIdx.x ? mass : Divisor(s.mass[vertex])).of(sums.num);
                }
            }
            if (end < patch.n_cells) __syncthreads();
            start = end;
        } while (CHUNKED && start < patch.n_cells);
    }
}

// Performs a Jacobi step toward the increments with the consistent mass matrix (`corrected` in
// evolution/galerkin.cuh).
//
// Grid: any; block: a multiple of 32; shared: local_of.
extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS) galerkin_correction(Patches m, Evolution s) {
    DYN_SHARED(unsigned char, shared);
    const Work work = work_of(m, s, *s.control);
    let_next_begin();
    if (blockIdx.x >= work.n_active) {
        await_kernel_before();
        return;
    }
    Local local = local_of(shared, s, true);
    const real* increment = s.increment;
    real* fresh = s.increment + m.n_vertices;
    u32 p = work.first;
    for (u32 k = blockIdx.x; k < work.n_active; k += gridDim.x) {
        if (k != blockIdx.x) {
            p = work.active[k];
            __syncthreads();
        }
        const Patch patch = patch_of(m, p);
        Asked<2> asked;
        asked.find(patch);
        // The data of the thread's first cell and of its first vertex.
        Corners corners = {};
        real meas = R(0), first_mass = R(1), first_residual = INFINITY_R;
        const bool has_vertex = threadIdx.x < patch.n_owned;
        if (threadIdx.x < patch.n_cells) {
            corners = patch.corners(threadIdx.x);
            meas = s.measures[patch.cells + threadIdx.x];
        }
        if (has_vertex) first_mass = s.mass[patch.first + threadIdx.x];
        send_for_columns(patch, local);
        const Divisor first_divisor(first_mass);
        await_kernel_before();
        asked.load(increment, patch.n_local);
        if (has_vertex) first_residual = __ldcg(s.residual + patch.first + threadIdx.x);
        asked.put(patch, increment, [&](u32 v) -> real& { return local.values[v]; });
        await_copies();
        __syncthreads();
        u32 start = 0;
        do {
            const u32 end = CHUNKED && start + s.chunk < patch.n_cells ? start + s.chunk : patch.n_cells;
            for (u32 t = start + threadIdx.x; t < end; t += BLOCK) {
                if (t != threadIdx.x) {
                    corners = patch.corners(t);
                    meas = s.measures[patch.cells + t];
                }
                real values[N], product[N];
#pragma unroll
                for (int i = 0; i < N; i++) values[i] = local.values[corners.of(i)];
                mass_product(meas, values, product);
#pragma unroll
                for (int i = 0; i < N; i++) local.num[N * (t - start) + i] = product[i];
            }
            __syncthreads();
            for (u32 v = threadIdx.x; v < patch.n_owned; v += BLOCK) {
                const u32 vertex = patch.first + v;
                const real old = local.values[v];
                // The prefetched values must not be overwritten, because the thread needs them
                // again for its first vertex after the next chunk.
                const bool is_first = v == threadIdx.x;
                const real residual = is_first ? first_residual : __ldcg(s.residual + vertex);
                if (residual == INFINITY_R) {
                    fresh[vertex] = old;
                    continue;
                }
                const Divisor mass = is_first ? first_divisor : Divisor(s.mass[vertex]);
                Sums sums;
                if (!gather(patch, local, start, end, v, false, sums)) continue;
                fresh[vertex] = corrected(old, residual, mass, sums.num);
            }
            if (end < patch.n_cells) __syncthreads();
            start = end;
        } while (CHUNKED && start < patch.n_cells);
    }
}
