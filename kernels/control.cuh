// What steers an evolution on the card, so that the host need not look at it between steps:
// src/levelset/evolution/cuda/control.rs lays it out.
#pragma once
#include "common/block.cuh"
#include "common/grid.cuh"
#include "common/time.cuh"
#include "evolution/step.cuh"

// Why steps stop until the host says more.
enum Halt {
    RUNNING = 0,
    ARRIVED = 1,           // at the target, or all steps asked for are done
    GONE = 2,              // no interface is left
    STEADY = 3,            // nothing changes faster than asked
    BROKEN = 4,            // phi is not a finite number
    AT_REST = 5,           // nothing moves, so the step has no limit
    LOST = 6,              // the step is lost beside the time
    BAD_COEFFICIENT = 7,   // not a finite number, or a negative curvature
    NO_CONVERGENCE = 8,    // of the semi-implicit step
    BAD_INFLOW = 9,        // a given value is not a finite number
};

// When phi becomes a distance again.
enum Rule { DISPLACEMENT = 0, PUBLISHED = 1, EVERY = 2, NEVER = 3 };

// Bounds of the step for C = 1, as bits.
struct Limits {
    real_bits first_order, curvature, speed, inradius;
};

// What every step changes. While the steps of a cycle follow each other it lies outside of Control.
struct Progress {
    double clock;               // time of the schedule, which steps land on exactly
    double time, dt, dt_done;   // length of the next step and of the last one
    double displacement, rate;
    u64 steps_left;
    u64 step, steps_since, cell_updates;
    u32 parity;                 // which buffer holds phi
    u32 due;                    // phi is to become a distance
    u32 halt;
    u32 enters;                 // an interface comes in where the band is not
    u32 where;                  // vertex of what went wrong
    u32 unused;
};

struct Control : Progress {
    // Set by the host before a stretch of steps.
    double target;              // time not to be passed
    double steady;              // rate at which to stop
    // Set once.
    double cfl_first_order, cfl_curvature;  // factors of the parts of the step
    double half_width;          // infinite for the whole domain
    u64 every;                  // steps between redistancings of rule EVERY
    u32 rule;
    u32 measures_displacement;  // curvature has no speed known beforehand
    // Of redistancings and searches.
    u64 reinitializations, iterations;
    u64 evolve_time, reinitialize_time, last_time;  // nanoseconds
    double reduction;           // of the residual where a semi-implicit step did not converge
    double bad_time;            // of coefficients that may not be so
    // The band.
    u32 n_patches;
    u32 list;                   // which buffer lists the active patches
    u32 n_active, n_moving, n_cells;
    u32 blocks_done;
    Limits limits;
    Limits next_limits;         // of the band being made
    double longest;             // step that the limits allow
    double due_after;           // steps of the band by rule PUBLISHED
    u32 next_active, next_moving, next_cells;  // of the band being made
    u32 n_extra;                // patches an interface may come in through
};

// What the blocks of a step found; all 0 before.
struct Trace {
    real_bits change_near;      // largest change next to the interface
    u32 broken;                 // complement of the least vertex that is not a finite number
    u32 cut;                    // a cell was cut
};

#ifdef CONTROL_BYTES
static_assert(sizeof(Control) == CONTROL_BYTES, "the host lays out the same");
#endif

// Whether the kernels of a step have nothing to do.
DEVICE bool is_paused(const Progress& p) { return p.halt || p.due; }

// Whether this block is the last of the grid to come here; the whole block must ask. What others
// wrote before is then visible.
DEVICE bool is_last_block(Control& c) {
    __shared__ u32 last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = count_arrival(&c.blocks_done) == gridDim.x - 1;
        if (last) c.blocks_done = 0;
    }
    __syncthreads();
    return last;
}

// The step that limits allow (numerics equation 4), with the factors of its parts.
DEVICE double allowed_step(const Control& c, const Limits& limits) {
    double first_order = from_bits(limits.first_order);
    double curvature = from_bits(limits.curvature);
    return fmin(c.cfl_first_order * first_order, c.cfl_curvature * curvature);
}

// Sets the limits of the band, and what follows from them for all its steps.
DEVICE void set_limits(Control& c, const Limits& limits) {
    const double infinity = __longlong_as_double(0x7ff0000000000000);
    c.limits = limits;
    c.longest = allowed_step(c, limits);
    double steps = floor(c.half_width / (4.0 * (double)from_bits(limits.inradius)));
    c.due_after = c.half_width < infinity ? fmax(steps, 1.0) : infinity;
}

// Stops where nothing bounds the next step, or where it is too short to change the time.
DEVICE void look_at_step(const Control& c, Progress& p) {
    if (!(p.dt < (double)INFINITY_R)) p.halt = AT_REST;
    else if (p.time + p.dt == p.time && p.dt < c.target - p.clock) p.halt = LOST;
}

// Length of the next step by the limits of the band. Coefficients that change in time make it a
// search before the step: varying.cu.
DEVICE void choose_step(const Control& c, Progress& p) {
#if !VARIES
    p.dt = fmin(c.longest, c.target - p.clock);
    if (p.halt == RUNNING && !p.due) look_at_step(c, p);
#endif
}

// Whether the interface may have crossed half the band.
DEVICE bool has_crossed_half(const Control& c, const Progress& p) {
    return c.half_width < __longlong_as_double(0x7ff0000000000000) && p.displacement >= 0.5 * c.half_width;
}

DEVICE bool is_reinitialization_due(const Control& c, const Progress& p) {
    if (c.rule == NEVER) return false;
    if (p.enters) return true;
    if (c.rule == DISPLACEMENT) return has_crossed_half(c, p);
    if (c.rule == EVERY) return p.steps_since >= c.every || has_crossed_half(c, p);
    return (double)p.steps_since >= c.due_after;
}

// Adds the time since the last call to a sum.
DEVICE void count_time(Control& c, u64& sum) {
    u64 now = nanoseconds();
    // Before the first stretch there is no last time.
    if (c.last_time) sum += now - c.last_time;
    c.last_time = now;
}

// Brings the progress from before a step to after it, by what the step left.
DEVICE void end_step(const Control& c, Progress& p, const Trace& trace) {
    if (trace.broken) {
        p.where = ~trace.broken;
        p.halt = BROKEN;
        return;
    }
    double change = from_bits(trace.change_near);
    double dt = p.dt;
    p.parity ^= 1;
    p.time += dt;
    p.dt_done = dt;
    p.step++;
    p.steps_since++;
    p.displacement += c.measures_displacement ? change : dt * (double)from_bits(c.limits.speed);
    p.cell_updates += c.n_cells;
    p.rate = dt > 0.0 ? change / dt : 0.0;
    p.steps_left--;
    double rest = c.target - p.clock;
    bool landed = c.target < __longlong_as_double(0x7ff0000000000000) && dt >= rest * (1.0 - 1e-12);
    p.clock = landed ? c.target : p.clock + dt;
    p.due = is_reinitialization_due(c, p);
    p.enters = 0;
    if (!trace.cut) p.halt = GONE;
    else if (landed || p.steps_left == 0) p.halt = ARRIVED;
    else if (c.steady >= 0.0 && p.rate <= c.steady) p.halt = STEADY;
    if (!p.due) choose_step(c, p);
}
