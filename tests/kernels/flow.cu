// Test kernels that combine all kernels of an evolution into one compilation unit, with arrays in
// host memory.
#include "band.cu"
#include "eikonal.cu"
#include "evolution.cu"

struct Flow {
    Patches m;
    Eikonal e;
    Evolution s;
    Control c;
};

// Allocates and fills an array. The array is never freed, because tests are short.
template <typename T>
T *filled(size_t n, T value) {
    T *array = (T *)malloc(n * sizeof(T));
    for (size_t i = 0; i < n; i++) array[i] = value;
    return array;
}

// The counterpart of `Given` in flow.rs.
struct Given {
    Patches m;
    const real *phi;
    const real *reach;
    const u32 *wake_offsets;
    const local_index *wake_vertices;
    const u32 *wake_readers;
    u32 largest_local, largest_owned, largest_columns, chunk, measures_displacement;
    real half_width, velocity[3], normal_speed, curvature;
};

// Creates the state of an evolution before its first narrow band. Runs in one thread.
extern "C" __global__ void flow_new(Given g, Flow **out) {
    Flow &f = *filled<Flow>(1, Flow{});
    *out = &f;
    u32 n = g.m.n_vertices, patches = g.m.n_patches;
    f.m = g.m;

    Eikonal &e = f.e;
    e.n_patches = patches;
    e.n_vertices = n;
    e.largest_local = g.largest_local;
    e.largest_owned = g.largest_owned;
    e.repetitions = N == 3 ? 3 : 1;
    e.ring_mask = 63;
    e.patience = 1ll << 60;
    e.most_rounds = 1u << 31;
    e.width = g.half_width;
    e.near = INFINITY_R;
    e.slowness = R(1);
    e.reach = g.reach;
#if CELL_SIZE == 4
    e.shapes = filled<Heights>(g.m.starts[patches].cell, Heights{});
#else
    e.shapes = filled<real>(SHAPE_SIZE * g.m.starts[patches].cell, R(0));
#endif
    e.seen = filled<real>(n + g.m.starts[patches].halo, R(0));
    e.wake_offsets = g.wake_offsets;
    e.wake_vertices = g.wake_vertices;
    e.wake_readers = g.wake_readers;
    e.u = filled<real>(2 * n, INFINITY_R);
    e.news = filled<real_bits>(2 * patches, 0);
    e.listed = filled<u32>(patches, 0);
    e.lists = filled<u32>(2 * patches, 0);
    e.counts = filled<u32>(3, 0);
    e.first_news = filled<real_bits>(3, 0);
    e.arrived = filled<u32>(1, 0);
    e.states = filled<u32>(patches, 0);
    e.ring = filled<u32>(64, 0);
    e.queue = filled<Queue>(1, Queue{});
    e.visited = filled<u32>(patches, 0);
    e.n_updates = filled<u32>(patches, 0);
    e.stats = filled<Stats>(1, Stats{});
    e.due = &f.c.progress.due;
    e.error = filled<u32>(1, 0);

    Evolution &s = f.s;
    s.control = &f.c;
    s.chain = filled<Progress>(2, Progress{});
    s.traces = filled<Trace>(3, Trace{0, 0, 0});
    s.phi = filled<real>(2 * n, R(0));
    for (u32 v = 0; v < n; v++) s.phi[v] = s.phi[n + v] = g.phi[v];
    s.inside = filled<u8>(n, 0);
    s.moving = filled<u8>(n, 0);
    s.active = filled<u32>(2 * patches, 0);
    for (u32 p = 0; p < patches; p++) s.active[p] = p;
    s.is_active = filled<u32>(patches, 1);
    s.largest_local = g.largest_local;
    s.largest_owned = g.largest_owned;
    s.largest_columns = g.largest_columns;
    s.chunk = g.chunk;
    s.near = g.half_width * R(0.5);
    s.width = g.half_width;
    s.least_slope = R(0.125);
    for (int k = 0; k < 3; k++) s.velocity[k] = g.velocity[k];
    s.normal_speed = g.normal_speed;
    s.curvature = g.curvature;

    Control &c = f.c;
    c.cfl_first_order = c.cfl_curvature = 1.0;
    c.half_width = g.half_width;
    c.rule = DISPLACEMENT;
    c.measures_displacement = g.measures_displacement;
    c.n_patches = c.n_active = patches;
    c.progress.due = 1;
    c.limits = c.next_limits = no_limits();
}

extern "C" __global__ void flow_reset(const Flow *f) { eikonal_reset(f->m, f->e); }
extern "C" __global__ void flow_shapes(const Flow *f) { eikonal_shapes(f->m, f->e); }
extern "C" __global__ void flow_band_init(const Flow *f) { band_init(f->m, f->e, f->s); }
extern "C" __global__ void flow_solve(const Flow *f) { eikonal_rounds(f->m, f->e); }
extern "C" __global__ void flow_band_final(const Flow *f) { band_final(f->m, f->e, f->s); }
extern "C" __global__ void flow_band_mark(const Flow *f) { band_mark(f->m, f->e, f->s); }
extern "C" __global__ void flow_step(const Flow *f, u32 turn) { evolution_step(f->m, f->s, turn); }

// Runs in one warp.
extern "C" __global__ void flow_settle(const Flow *f, u32 steps) { evolution_settle(f->s, steps); }

// Runs in one thread.
extern "C" __global__ void flow_begin(const Flow *f, u64 steps) {
    evolution_begin(f->s, 0.0, from_bits((u64)0x7ff0000000000000), -1.0, steps);
}

// Copies phi, the number of steps, the time, the number of reinitializations and the halt code.
// Runs in one thread.
extern "C" __global__ void flow_look(const Flow *f, real *phi, u64 *steps, double *time, u64 *done, u32 *halt) {
    u32 n = f->m.n_vertices;
    for (u32 v = 0; v < n; v++) phi[v] = f->s.phi[f->c.progress.parity * n + v];
    *steps = f->c.progress.step;
    *time = f->c.progress.time;
    *done = f->c.reinitializations;
    *halt = f->c.progress.halt;
}
