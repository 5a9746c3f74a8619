// The control of an evolution on the GPU without host synchronization between steps;
// src/levelset/evolution/cuda/kernel_arguments.rs defines the layout.
#pragma once
#include "common/block.cuh"
#include "common/grid.cuh"
#include "common/clock.cuh"
#include "evolution/stable_step.cuh"
#include "generated/evolution.cuh"

// Returns whether the kernels of a step have nothing to do.
DEVICE bool is_paused(const Progress& p) { return p.halt || p.due; }
DEVICE bool is_paused(const Control& c) { return is_paused(c.progress); }

// Returns whether this block is the last of the grid to arrive. The whole block must call it.
// Earlier writes of the other blocks are then visible.
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

// Returns the longest time step that the limits allow (docs/narrow-band.md, equation (4)): the
// smaller of the two limits, each multiplied by its CFL factor.
DEVICE double allowed_step(const Control& c, const Limits& limits) {
    double first_order = from_bits(limits.first_order);
    double curvature = from_bits(limits.curvature);
    return fmin(c.cfl_first_order * first_order, c.cfl_curvature * curvature);
}

// Sets the limits of the band, and the values derived from these limits, which hold until the next
// call.
DEVICE void set_limits(Control& c, const Limits& limits) {
    const double infinity = __longlong_as_double(0x7ff0000000000000);
    c.limits = limits;
    c.longest = allowed_step(c, limits);
    double steps = floor(c.half_width / (4.0 * (double)from_bits(limits.inradius)));
    c.due_after = c.half_width < infinity ? fmax(steps, 1.0) : infinity;
    const double spread = c.fits ? 4.0 * (double)from_bits(limits.beta) / c.half_width : 0.0;
    c.displacement_rate = c.measures_displacement ? spread : (double)from_bits(limits.speed);
}

// Sets `halt` if nothing limits the next step, or if the step does not reach the target and is too
// short to advance time.
DEVICE void look_at_step(const Control& c, Progress& p) {
    if (!(p.dt < (double)INFINITY_R)) p.halt = AT_REST;
    else if (p.time + p.dt == p.time && p.dt < c.target - p.clock) p.halt = LOST;
}

// Chooses the length of the next step from the limits of the band and the time left until the
// target. With time-dependent coefficients, the search in varying.cu does this instead, before each
// step.
DEVICE void choose_step(const Control& c, Progress& p) {
#if !VARIES
    p.dt = fmin(c.longest, c.target - p.clock);
    if (p.halt == RUNNING && !p.due) look_at_step(c, p);
#endif
}

// Returns whether the interface may have moved by at least half of the half width since the last
// reinitialization. Without a band, the half width is infinite.
DEVICE bool has_crossed_half(const Control& c, const Progress& p) { return p.displacement >= 0.5 * c.half_width; }

// Returns the values of phi that have to be reinitialized.
DEVICE u32 due_values(const Control& c, const Progress& p) {
    if (c.rule == NEVER) return NOTHING;
    if (p.enters || (c.rule == EVERY && p.steps_since >= c.every)) return EVERYTHING;
    if (c.rule == PUBLISHED) return (double)p.steps_since >= c.due_after ? EVERYTHING : NOTHING;
    if (p.drifts) return EVERYTHING;
    if (!has_crossed_half(c, p)) return NOTHING;
    return c.keeps ? OUTSIDE : EVERYTHING;
}

// Returns the displacement for which a step of length dt counts.
DEVICE double displacement_of(const Control& c, double dt, const Trace& trace) {
    const double change = c.measures_displacement ? (double)from_bits(trace.change_near) : 0.0;
    return fmax(change, c.displacement_rate * dt);
}

// Adds the time since the last call, in nanoseconds, to a sum.
DEVICE void count_time(Control& c, u64& sum) {
    u64 now = nanoseconds();
    // On the first call, there is no previous time.
    if (c.last_time) sum += now - c.last_time;
    c.last_time = now;
}

// Updates the progress at the end of a step, using the trace of the step.
DEVICE void end_step(const Control& c, Progress& p, const Trace& trace) {
    if (trace.broken) {
        p.place = ~trace.broken;
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
    p.displacement += displacement_of(c, dt, trace);
    p.cell_updates += c.n_cells;
    // Without an interface, phi does not change. This does not count as a steady state while an
    // interface may still enter.
    const bool waits = !trace.cut && c.may_enter;
    p.rate = waits ? __longlong_as_double(0x7ff0000000000000) : dt > 0.0 ? change / dt : 0.0;
    p.steps_left--;
    double rest = c.target - p.clock;
    bool landed = c.target < __longlong_as_double(0x7ff0000000000000) && dt >= rest * (1.0 - 1e-12);
    p.clock = landed ? c.target : p.clock + dt;
    p.due = due_values(c, p);
    p.enters = p.drifts = 0;
    if (!trace.cut && !waits) p.halt = GONE;
    else if (landed || p.steps_left == 0) p.halt = ARRIVED;
    else if (c.steady >= 0.0 && p.rate <= c.steady) p.halt = STEADY;
    if (!p.due) choose_step(c, p);
}
