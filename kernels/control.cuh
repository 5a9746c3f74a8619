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

struct Control {
    // Set by the host before a stretch of steps.
    double clock;               // time of the schedule, which steps land on exactly
    double target;              // not to be passed
    double steady;              // rate at which to stop
    u64 steps_left;
    // Set once.
    double cfl_first_order, cfl_curvature;  // factors of the parts of the step
    double half_width;          // infinite for the whole domain
    u64 every;                  // steps between redistancings of rule EVERY
    u32 rule;
    u32 measures_displacement;  // curvature has no speed known beforehand
    // State.
    double time, dt, dt_done;   // length of the next step and of the last one
    double displacement, rate;
    u64 step, steps_since, reinitializations, cell_updates, iterations;
    u64 evolve_time, reinitialize_time, last_time;  // nanoseconds
    double reduction;           // of the residual where a semi-implicit step did not converge
    double bad_time;            // of coefficients that may not be so
    u32 parity;                 // which buffer holds phi
    u32 due;                    // phi is to become a distance
    u32 halt;
    u32 enters;                 // an interface comes in where the band is not
    // The band.
    u32 n_patches;
    u32 list;                   // which buffer lists the active patches
    u32 n_active, n_moving, n_cells;
    u32 broken;                 // least vertex that is not a finite number
    u32 cut;                    // a cell was cut
    u32 blocks_done;
    Limits limits;
    Limits next_limits;         // of the band being made
    real_bits change_near;      // largest change next to the interface
    u32 next_active, next_moving, next_cells;  // of the band being made
    u32 where;                  // vertex of what went wrong
    u32 n_extra;                // patches an interface may come in through
};

#ifdef CONTROL_BYTES
static_assert(sizeof(Control) == CONTROL_BYTES, "the host lays out the same");
#endif

// Whether the kernels of a step have nothing to do.
DEVICE bool is_paused(const Control& c) { return c.halt || c.due; }

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

// Stops where nothing bounds the next step, or where it is too short to change the time.
DEVICE void look_at_step(Control& c) {
    if (!(c.dt < (double)INFINITY_R)) c.halt = AT_REST;
    else if (c.time + c.dt == c.time && c.dt < c.target - c.clock) c.halt = LOST;
}

// Length of the next step from the limits of the band, one thread. Coefficients that change in time
// make it a search before the step: varying.cu.
DEVICE void choose_step(Control& c) {
#if !VARIES
    c.dt = fmin(allowed_step(c, c.limits), c.target - c.clock);
    if (c.halt == RUNNING && !c.due) look_at_step(c);
#endif
}

// Whether the interface may have crossed half the band.
DEVICE bool has_crossed_half(const Control& c) {
    return c.half_width < __longlong_as_double(0x7ff0000000000000) && c.displacement >= 0.5 * c.half_width;
}

DEVICE bool is_reinitialization_due(const Control& c) {
    if (c.rule == NEVER) return false;
    if (c.enters) return true;
    if (c.rule == DISPLACEMENT) return has_crossed_half(c);
    if (c.rule == EVERY) return c.steps_since >= c.every || has_crossed_half(c);
    if (!(c.half_width < __longlong_as_double(0x7ff0000000000000))) return false;
    double steps = floor(c.half_width / (4.0 * (double)from_bits(c.limits.inradius)));
    return (double)c.steps_since >= fmax(steps, 1.0);
}

// Adds the time since the last call to a sum.
DEVICE void count_time(Control& c, u64& sum) {
    u64 now = nanoseconds();
    // Before the first stretch there is no last time.
    if (c.last_time) sum += now - c.last_time;
    c.last_time = now;
}

// Ends a step: one thread, after all values of the step are there.
DEVICE void end_step(Control& c) {
    if (c.broken != 0xffffffffu) {
        c.where = c.broken;
        c.halt = BROKEN;
        return;
    }
    double change = from_bits(c.change_near);
    double dt = c.dt;
    c.parity ^= 1;
    c.time += dt;
    c.dt_done = dt;
    c.step++;
    c.steps_since++;
    c.displacement += c.measures_displacement ? change : dt * (double)from_bits(c.limits.speed);
    c.cell_updates += c.n_cells;
    c.rate = dt > 0.0 ? change / dt : 0.0;
    c.steps_left--;
    double rest = c.target - c.clock;
    bool landed = c.target < __longlong_as_double(0x7ff0000000000000) && dt >= rest * (1.0 - 1e-12);
    c.clock = landed ? c.target : c.clock + dt;
    c.due = is_reinitialization_due(c);
    if (!c.cut) c.halt = GONE;
    else if (landed || c.steps_left == 0) c.halt = ARRIVED;
    else if (c.rate <= c.steady) c.halt = STEADY;
    c.change_near = 0;
    c.cut = 0;
    c.enters = 0;
    // The card's clock is slow to read: not after every step.
    if (c.due || c.halt || c.step % 16 == 0) count_time(c, c.evolve_time);
    if (!c.due) choose_step(c);
}
