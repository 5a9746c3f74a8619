// Generated from src/levelset/evolution/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// Why steps stop until the host continues them.
enum Halt {
    RUNNING = 0,
    // The target is reached, or all requested steps are done.
    ARRIVED = 1,
    // No interface is left.
    GONE = 2,
    // phi changes no faster than the requested rate.
    STEADY = 3,
    // phi is not finite.
    BROKEN = 4,
    // Nothing moves, so the length of the step is unlimited.
    AT_REST = 5,
    // The step is too short to advance time.
    LOST = 6,
    // A coefficient is not finite, or the curvature coefficient is negative.
    BAD_COEFFICIENT = 7,
    // The semi-implicit step does not converge.
    NO_CONVERGENCE = 8,
    // A given inflow value is not finite.
    BAD_INFLOW = 9,
};

// When phi is reinitialized.
enum When {
    DISPLACEMENT = 0,
    PUBLISHED = 1,
    EVERY = 2,
    NEVER = 3,
};

// The values of phi that have to be reinitialized.
enum Due {
    NOTHING = 0,
    EVERYTHING = 1,
    // Only values of at least half of the half width.
    OUTSIDE = 2,
};

// How the velocity acts.
#define ADVECTION_NONE 0
#define ADVECTION_POSITIVE_COEFFICIENTS 1
#define ADVECTION_CONE 2
#define ADVECTION_TAYLOR_GALERKIN 3

// How the normal speed acts.
#define NORMAL_NONE 0
#define NORMAL_POSITIVE_COEFFICIENTS 1
#define NORMAL_HOPF_LAX 2

// How curvature acts.
#define CURVATURE_NONE 0
#define CURVATURE_BETA 1
#define CURVATURE_WEIGHTED 2

// Upper bounds on the time step for C = 1, and the data that the reinitialization rules need.
// Kernels combine them as the bits of floating-point numbers.
struct Limits {
    real_bits first_order;
    real_bits curvature;
    real_bits speed;
    real_bits inradius;
    // Largest curvature coefficient.
    real_bits beta;
};
static_assert(sizeof(Limits) == (sizeof(real) == 8 ? 40 : 20), "size of Limits");
ASSERT_OFFSET(Limits, first_order, 0);
ASSERT_OFFSET(Limits, curvature, (sizeof(real) == 8 ? 8 : 4));
ASSERT_OFFSET(Limits, speed, (sizeof(real) == 8 ? 16 : 8));
ASSERT_OFFSET(Limits, inradius, (sizeof(real) == 8 ? 24 : 12));
ASSERT_OFFSET(Limits, beta, (sizeof(real) == 8 ? 32 : 16));

// The values that every step changes. Between the steps of a cycle, they are stored outside
// `Control`.
struct Progress {
    // Time of the schedule; steps end exactly at its targets.
    double clock;
    // Time of the state.
    double time;
    // Length of the next step.
    double dt;
    // Length of the last step.
    double dt_done;
    double displacement;
    double rate;
    u64 steps_left;
    u64 step;
    u64 steps_since;
    u64 cell_updates;
    // Index of the buffer that contains phi.
    u32 parity;
    // Values of phi that have to be reinitialized; a `Due`.
    u32 due;
    u32 halt;
    // Whether an interface enters outside the band.
    u32 enters;
    // Vertex of the failure.
    u32 place;
    // Whether the slope of phi has drifted too far during the last step.
    u32 drifts;
};
static_assert(sizeof(Progress) == 104, "size of Progress");
ASSERT_OFFSET(Progress, clock, 0);
ASSERT_OFFSET(Progress, time, 8);
ASSERT_OFFSET(Progress, dt, 16);
ASSERT_OFFSET(Progress, dt_done, 24);
ASSERT_OFFSET(Progress, displacement, 32);
ASSERT_OFFSET(Progress, rate, 40);
ASSERT_OFFSET(Progress, steps_left, 48);
ASSERT_OFFSET(Progress, step, 56);
ASSERT_OFFSET(Progress, steps_since, 64);
ASSERT_OFFSET(Progress, cell_updates, 72);
ASSERT_OFFSET(Progress, parity, 80);
ASSERT_OFFSET(Progress, due, 84);
ASSERT_OFFSET(Progress, halt, 88);
ASSERT_OFFSET(Progress, enters, 92);
ASSERT_OFFSET(Progress, place, 96);
ASSERT_OFFSET(Progress, drifts, 100);

// The control block of an evolution. The host sets the target and the steady rate before a
// series of steps.
struct Control {
    Progress progress;
    // Time that must not be passed.
    double target;
    // Rate of change at or below which the steps stop.
    double steady;
    // CFL factor of the first-order limit.
    double cfl_first_order;
    // CFL factor of the curvature limit.
    double cfl_curvature;
    // Half width of the band, without its margin; infinite for the whole domain.
    double half_width;
    // Steps between reinitializations with rule EVERY.
    u64 every;
    u32 rule;
    // Whether the displacement is measured, because curvature has no speed known in advance.
    u32 measures_displacement;
    u64 reinitializations;
    u64 iterations;
    // Nanoseconds spent in steps, by the GPU's clock.
    u64 evolve_time;
    // Nanoseconds spent in reinitializations.
    u64 reinitialize_time;
    // Time at which the last measurement ended.
    u64 last_time;
    // Reduction of the residual where a semi-implicit step did not converge.
    double reduction;
    // Time at which a coefficient is invalid.
    double bad_time;
    u32 n_patches;
    // Index of the buffer that lists the active patches.
    u32 list;
    u32 n_active;
    u32 n_moving;
    u32 n_cells;
    u32 blocks_done;
    // Limits on the step.
    Limits limits;
    // Limits from the band being built.
    Limits next_limits;
    // Limits of the step if there is no band but an interface may enter.
    Limits inflow_limits;
    // Step that the limits allow.
    double longest;
    // Steps between reinitializations with rule PUBLISHED.
    double due_after;
    // Displacement per time for which a step counts at least: the largest speed or, with
    // curvature, `Problem::spread`.
    double displacement_rate;
    // Active patches of the band being built.
    u32 next_active;
    // Moving vertices of the band being built.
    u32 next_moving;
    // Cells of the band being built.
    u32 next_cells;
    // Number of patches through which an interface may enter.
    u32 n_extra;
    // Whether an interface may enter later even if there is none now.
    u32 may_enter;
    // Whether there is a band with distances of second order.
    u32 fits;
    // Whether phi near the interface is kept when the interface has moved far.
    u32 keeps;
    u32 unused;
};
static_assert(sizeof(Control) == (sizeof(real) == 8 ? 416 : 360), "size of Control");
ASSERT_OFFSET(Control, progress, 0);
ASSERT_OFFSET(Control, target, 104);
ASSERT_OFFSET(Control, steady, 112);
ASSERT_OFFSET(Control, cfl_first_order, 120);
ASSERT_OFFSET(Control, cfl_curvature, 128);
ASSERT_OFFSET(Control, half_width, 136);
ASSERT_OFFSET(Control, every, 144);
ASSERT_OFFSET(Control, rule, 152);
ASSERT_OFFSET(Control, measures_displacement, 156);
ASSERT_OFFSET(Control, reinitializations, 160);
ASSERT_OFFSET(Control, iterations, 168);
ASSERT_OFFSET(Control, evolve_time, 176);
ASSERT_OFFSET(Control, reinitialize_time, 184);
ASSERT_OFFSET(Control, last_time, 192);
ASSERT_OFFSET(Control, reduction, 200);
ASSERT_OFFSET(Control, bad_time, 208);
ASSERT_OFFSET(Control, n_patches, 216);
ASSERT_OFFSET(Control, list, 220);
ASSERT_OFFSET(Control, n_active, 224);
ASSERT_OFFSET(Control, n_moving, 228);
ASSERT_OFFSET(Control, n_cells, 232);
ASSERT_OFFSET(Control, blocks_done, 236);
ASSERT_OFFSET(Control, limits, 240);
ASSERT_OFFSET(Control, next_limits, (sizeof(real) == 8 ? 280 : 260));
ASSERT_OFFSET(Control, inflow_limits, (sizeof(real) == 8 ? 320 : 280));
ASSERT_OFFSET(Control, longest, (sizeof(real) == 8 ? 360 : 304));
ASSERT_OFFSET(Control, due_after, (sizeof(real) == 8 ? 368 : 312));
ASSERT_OFFSET(Control, displacement_rate, (sizeof(real) == 8 ? 376 : 320));
ASSERT_OFFSET(Control, next_active, (sizeof(real) == 8 ? 384 : 328));
ASSERT_OFFSET(Control, next_moving, (sizeof(real) == 8 ? 388 : 332));
ASSERT_OFFSET(Control, next_cells, (sizeof(real) == 8 ? 392 : 336));
ASSERT_OFFSET(Control, n_extra, (sizeof(real) == 8 ? 396 : 340));
ASSERT_OFFSET(Control, may_enter, (sizeof(real) == 8 ? 400 : 344));
ASSERT_OFFSET(Control, fits, (sizeof(real) == 8 ? 404 : 348));
ASSERT_OFFSET(Control, keeps, (sizeof(real) == 8 ? 408 : 352));
ASSERT_OFFSET(Control, unused, (sizeof(real) == 8 ? 412 : 356));

// The findings of the blocks of a step; all 0 before the step.
struct Trace {
    // Largest change next to the interface.
    real_bits change_near;
    // Bitwise complement of the smallest index of a vertex whose value is not finite.
    u32 broken;
    // Whether a cell is cut.
    u32 cut;
};
static_assert(sizeof(Trace) == (sizeof(real) == 8 ? 16 : 12), "size of Trace");
ASSERT_OFFSET(Trace, change_near, 0);
ASSERT_OFFSET(Trace, broken, (sizeof(real) == 8 ? 8 : 4));
ASSERT_OFFSET(Trace, cut, (sizeof(real) == 8 ? 12 : 8));

// An evolution on the GPU.
struct Evolution {
    Control *control;
    // `[2]` progress before the steps of a cycle, used in turn.
    Progress *chain;
    // `[3]` findings of the steps of a cycle, used in turn.
    Trace *traces;
    // Two buffers of `[n_vertices]`.
    real *phi;
    // `[n_vertices]` whether |phi| was below the half width when the band was last updated.
    u8 *inside;
    // `[n_vertices]`
    u8 *moving;
    // Two buffers of `[n_patches]`.
    u32 *active;
    // `[n_patches]`
    u32 *is_active;
    // Patches through which an interface may enter; `n_extra` is their number.
    u32 *extra;
    u32 largest_local;
    u32 largest_owned;
    u32 largest_columns;
    // Number of cells whose contributions fit in shared memory at once.
    u32 chunk;
    // Half of the half width without its margin.
    real near;
    // Half width with its margin; infinite for the whole domain.
    real width;
    // Smallest inradius that the curvature limit of the step uses.
    real least_inradius;
    // Smallest slope of a cell that the curvature term uses; 0 for no bound.
    real least_slope;
    // Uniform value.
    real velocity[3];
    // Uniform value.
    real normal_speed;
    // Uniform value.
    real curvature;
    // `[n_vertices * 3]`
    const real *velocity_rows;
    // `[n_vertices]`
    const real *speed_rows;
    // `[n_vertices]`
    const real *curvature_rows;
    // `[n_vertices]` growth rate of second-order advection, or null where it is 0 everywhere.
    real *growth;
    // `[n_vertices]` lumped mass.
    const real *mass;
    // Measures of the cells of all patches.
    real *measures;
    // `[n_vertices]` right-hand side, or infinity where the increment is final.
    real *residual;
    // Two buffers of `[n_vertices]`.
    real *increment;
    // `[n_vertices]` where the velocity points inward, or null.
    const u8 *flows_in;
    // `[n_vertices]` diagonal of the matrix; 0 where the value is kept.
    real *diagonal;
};
static_assert(sizeof(Evolution) == (sizeof(real) == 8 ? 240 : 208), "size of Evolution");
ASSERT_OFFSET(Evolution, control, 0);
ASSERT_OFFSET(Evolution, chain, 8);
ASSERT_OFFSET(Evolution, traces, 16);
ASSERT_OFFSET(Evolution, phi, 24);
ASSERT_OFFSET(Evolution, inside, 32);
ASSERT_OFFSET(Evolution, moving, 40);
ASSERT_OFFSET(Evolution, active, 48);
ASSERT_OFFSET(Evolution, is_active, 56);
ASSERT_OFFSET(Evolution, extra, 64);
ASSERT_OFFSET(Evolution, largest_local, 72);
ASSERT_OFFSET(Evolution, largest_owned, 76);
ASSERT_OFFSET(Evolution, largest_columns, 80);
ASSERT_OFFSET(Evolution, chunk, 84);
ASSERT_OFFSET(Evolution, near, 88);
ASSERT_OFFSET(Evolution, width, (sizeof(real) == 8 ? 96 : 92));
ASSERT_OFFSET(Evolution, least_inradius, (sizeof(real) == 8 ? 104 : 96));
ASSERT_OFFSET(Evolution, least_slope, (sizeof(real) == 8 ? 112 : 100));
ASSERT_OFFSET(Evolution, velocity, (sizeof(real) == 8 ? 120 : 104));
ASSERT_OFFSET(Evolution, normal_speed, (sizeof(real) == 8 ? 144 : 116));
ASSERT_OFFSET(Evolution, curvature, (sizeof(real) == 8 ? 152 : 120));
ASSERT_OFFSET(Evolution, velocity_rows, (sizeof(real) == 8 ? 160 : 128));
ASSERT_OFFSET(Evolution, speed_rows, (sizeof(real) == 8 ? 168 : 136));
ASSERT_OFFSET(Evolution, curvature_rows, (sizeof(real) == 8 ? 176 : 144));
ASSERT_OFFSET(Evolution, growth, (sizeof(real) == 8 ? 184 : 152));
ASSERT_OFFSET(Evolution, mass, (sizeof(real) == 8 ? 192 : 160));
ASSERT_OFFSET(Evolution, measures, (sizeof(real) == 8 ? 200 : 168));
ASSERT_OFFSET(Evolution, residual, (sizeof(real) == 8 ? 208 : 176));
ASSERT_OFFSET(Evolution, increment, (sizeof(real) == 8 ? 216 : 184));
ASSERT_OFFSET(Evolution, flows_in, (sizeof(real) == 8 ? 224 : 192));
ASSERT_OFFSET(Evolution, diagonal, (sizeof(real) == 8 ? 232 : 200));

// Lists and barriers of the kernels for second-order distances; all 0 before the first call.
struct QuadraticCounts {
    // Number of patches near cut cells.
    u32 n_near_cuts;
    // Number of lists of such patches so far.
    u32 n_lists;
    // Number of patches with waiting vertices, by round.
    u32 n_waiting[3];
    // Whether a round computed a vertex.
    u32 computed[3];
    // Counter of the grid barrier.
    u32 arrived;
};
static_assert(sizeof(QuadraticCounts) == 36, "size of QuadraticCounts");
ASSERT_OFFSET(QuadraticCounts, n_near_cuts, 0);
ASSERT_OFFSET(QuadraticCounts, n_lists, 4);
ASSERT_OFFSET(QuadraticCounts, n_waiting, 8);
ASSERT_OFFSET(QuadraticCounts, computed, 20);
ASSERT_OFFSET(QuadraticCounts, arrived, 32);

// Arguments of the kernels for second-order distances.
struct Quadratic {
    // `[n_vertices]` 1 where phi is smooth, 0 at a kink.
    double *smooth;
    // `[n_vertices * 3]` unit vectors away from the interface.
    real *directions;
    // `[n_vertices]` gather column of the cell through which the straight front comes.
    u32 *columns;
    // `[n_vertices]` round in which the value became final; see kernels/quadratic.cu.
    u32 *done;
    // `[n_patches]` list of the patches near cut cells.
    u32 *near_cuts;
    // `[n_patches]` number of the list a patch was last put on.
    u32 *listed;
    // Two lists of `[n_patches]`, the patches with waiting vertices in a round.
    u32 *waiting;
    QuadraticCounts *counts;
    // `[2 * SUM_WORDS]` measure and slope near the interface, 0 between launches.
    u64 *sums;
};
static_assert(sizeof(Quadratic) == 72, "size of Quadratic");
ASSERT_OFFSET(Quadratic, smooth, 0);
ASSERT_OFFSET(Quadratic, directions, 8);
ASSERT_OFFSET(Quadratic, columns, 16);
ASSERT_OFFSET(Quadratic, done, 24);
ASSERT_OFFSET(Quadratic, near_cuts, 32);
ASSERT_OFFSET(Quadratic, listed, 40);
ASSERT_OFFSET(Quadratic, waiting, 48);
ASSERT_OFFSET(Quadratic, counts, 56);
ASSERT_OFFSET(Quadratic, sums, 64);

// Arguments of the search for a step.
struct Varying {
    // `[4]` see kernels/varying.cu.
    u32 *counts;
    // `[n_patches]` list of the patches whose coefficients are read.
    u32 *reading;
    // `[n_patches]` number of the list a patch was last put on.
    u32 *seen;
    // `[2]` limits of this evaluation and of the next one.
    Limits *limits;
    // `[n_patches + 1]`
    const u32 *neighbor_offsets;
    // Neighbors of the patches: for each one, the patches that share a cell with it.
    const u32 *neighbors;
    // Patches of a boundary with given inflow.
    const u32 *boundary;
    // `[n_vertices * 3]` coordinates in patch order.
    const double *places;
    // `[n_vertices]` length of the shortest edge at each vertex.
    const double *edges;
    // Data arrays in patch order.
    const double* const *arrays;
    // One term after the other, `[n_vertices][fields of the term]`.
    real *values;
    // `[2 * N_FIELDS]` see kernels/coefficients.cu.
    u32 *broken;
    // The longest allowed step.
    double max_step;
    u32 n_boundary;
    // Bit k is set if field k must not be negative.
    u32 nonnegative;
};
static_assert(sizeof(Varying) == 112, "size of Varying");
ASSERT_OFFSET(Varying, counts, 0);
ASSERT_OFFSET(Varying, reading, 8);
ASSERT_OFFSET(Varying, seen, 16);
ASSERT_OFFSET(Varying, limits, 24);
ASSERT_OFFSET(Varying, neighbor_offsets, 32);
ASSERT_OFFSET(Varying, neighbors, 40);
ASSERT_OFFSET(Varying, boundary, 48);
ASSERT_OFFSET(Varying, places, 56);
ASSERT_OFFSET(Varying, edges, 64);
ASSERT_OFFSET(Varying, arrays, 72);
ASSERT_OFFSET(Varying, values, 80);
ASSERT_OFFSET(Varying, broken, 88);
ASSERT_OFFSET(Varying, max_step, 96);
ASSERT_OFFSET(Varying, n_boundary, 104);
ASSERT_OFFSET(Varying, nonnegative, 108);

// Arguments of the inflow kernels.
struct Inflow {
    // `[n]` boundary vertices in patch order.
    const u32 *vertices;
    // `[n]` their patches.
    const u32 *patches;
    // `[n * 3]` vectors whose scalar product with the velocity is the flux out of gaps of the
    // mesh.
    const real *gaps;
    // `[n_vertices]` where the velocity points inward.
    u8 *flows_in;
    // `[n_patches + 1]`
    const u32 *neighbor_offsets;
    // Neighbors of the patches: for each one, the patches that share a cell with it.
    const u32 *neighbors;
    // `[n_patches]` number of the list a patch was last put on.
    u32 *seen;
    // `[2]` number of patches on the list (0 between launches), and number of lists so far.
    u32 *counts;
    // `[n_vertices * 3]` coordinates in patch order.
    const double *places;
    // Data arrays in patch order.
    const double* const *arrays;
    u32 n;
    // Threshold for inflow: the net inward flux around an inflow vertex exceeds this fraction
    // of the sum of the magnitudes of the fluxes.
    real part;
};
static_assert(sizeof(Inflow) == (sizeof(real) == 8 ? 96 : 88), "size of Inflow");
ASSERT_OFFSET(Inflow, vertices, 0);
ASSERT_OFFSET(Inflow, patches, 8);
ASSERT_OFFSET(Inflow, gaps, 16);
ASSERT_OFFSET(Inflow, flows_in, 24);
ASSERT_OFFSET(Inflow, neighbor_offsets, 32);
ASSERT_OFFSET(Inflow, neighbors, 40);
ASSERT_OFFSET(Inflow, seen, 48);
ASSERT_OFFSET(Inflow, counts, 56);
ASSERT_OFFSET(Inflow, places, 64);
ASSERT_OFFSET(Inflow, arrays, 72);
ASSERT_OFFSET(Inflow, n, 80);
ASSERT_OFFSET(Inflow, part, (sizeof(real) == 8 ? 88 : 84));

// Arguments of the semi-implicit solve.
struct Implicit {
    // `[n_patch_cells * ENTRIES]`
    real *entries;
    // `[n_vertices]` m / beta.
    real *mass;
    // `[n_vertices]`
    real *residual;
    // `[n_vertices]` product of the matrix with the direction.
    real *product;
    // Two buffers of `[n_vertices]`.
    real *direction;
    // `[n_vertices]` values before the solves of an extrapolated step; null for other steps.
    real *start;
    // `[n_vertices]` solution over the whole length of an extrapolated step; null for others.
    real *whole;
    // `[3 * SUM_WORDS]`, 0 between launches.
    u64 *sums;
    // `[2]` number of blocks that arrived at barriers and that left; 0 between launches.
    u32 *counts;
    // Required reduction of the residual, in the norm of the preconditioner.
    double tolerance;
    u32 most_iterations;
    u32 unused;
};
static_assert(sizeof(Implicit) == 88, "size of Implicit");
ASSERT_OFFSET(Implicit, entries, 0);
ASSERT_OFFSET(Implicit, mass, 8);
ASSERT_OFFSET(Implicit, residual, 16);
ASSERT_OFFSET(Implicit, product, 24);
ASSERT_OFFSET(Implicit, direction, 32);
ASSERT_OFFSET(Implicit, start, 40);
ASSERT_OFFSET(Implicit, whole, 48);
ASSERT_OFFSET(Implicit, sums, 56);
ASSERT_OFFSET(Implicit, counts, 64);
ASSERT_OFFSET(Implicit, tolerance, 72);
ASSERT_OFFSET(Implicit, most_iterations, 80);
ASSERT_OFFSET(Implicit, unused, 84);
