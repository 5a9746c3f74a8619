// The longest stable step of a cell (docs/narrow-band.md, equation (4)), and the quality of a cell;
// the counterpart of src/levelset/evolution/formulas/step.rs.
#pragma once

#include "common/simplex.cuh"

// Returns the time step limit of the first-order terms, with speed = |a| + |eps|. It is infinite if
// the speed is 0.
DEVICE real largest_step(real inradius, real speed) {
    return speed > R(0) ? (inradius + inradius) / (R(N - 1) * speed) : INFINITY_R;
}

// Returns the time step limit of the curvature term. It is infinite without curvature.
DEVICE real largest_diffusive_step(real inradius, real beta) {
    real square = inradius * inradius;
    return beta > R(0) ? (square + square) / (R(N - 1) * beta) : INFINITY_R;
}

// Returns the quality of a cell: its inradius over its longest edge, scaled so that a regular
// simplex has 1.
DEVICE real quality(const Simplex &s, const Vec3 (&x)[N]) {
    // sqrt(2 d (d + 1)).
    const real scale = N == 3 ? R(3.4641016151377544) : R(4.898979485566356);
    return scale * inradius(s) / longest_edge(x);
}
