// Intersection of a ray with an isosurface inside a cube, the counterpart of
// crates/view/src/render/level_crossing.rs.
#pragma once
#include "render/vector.cuh"

#define HALVINGS 60

// The polynomial of the values along a ray in a cube, c[0] + c[1] t + c[2] t^2 + c[3] t^3.
struct Cubic {
    double c[4];

    DEVICE double value(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
};

// Interpolates between the polynomials at both ends of an axis. The coordinate of the ray along
// this axis is `start + along t`.
DEVICE Cubic mixed(const Cubic& a, const Cubic& b, double start, double along) {
    double d[4];
    Cubic sum;
#pragma unroll
    for (u32 n = 0; n < 4; n++) d[n] = b.c[n] - a.c[n];
#pragma unroll
    for (u32 n = 0; n < 4; n++) sum.c[n] = a.c[n] + start * d[n] + along * (n == 0 ? 0.0 : d[n - 1]);
    return sum;
}

// Computes the polynomial along a ray in a cube. `values` are the values at the corners, x fastest.
// The ray starts at `start`, with coordinates between 0 and 1.
DEVICE Cubic cubic_of(const double* values, const Triple& start, const Triple& along) {
    Cubic edges[4];
#pragma unroll
    for (u32 n = 0; n < 4; n++) {
        const Cubic a = {values[2 * n], 0.0, 0.0, 0.0}, b = {values[2 * n + 1], 0.0, 0.0, 0.0};
        edges[n] = mixed(a, b, start.at[0], along.at[0]);
    }
    const Cubic below = mixed(edges[0], edges[1], start.at[1], along.at[1]);
    const Cubic above = mixed(edges[2], edges[3], start.at[1], along.at[1]);
    return mixed(below, above, start.at[2], along.at[2]);
}

// Returns the first t from 0 to `last` at which the values cross `level`, or NaN if there is none.
DEVICE double first_crossing(const Cubic& along, double level, double last) {
    // Compute the extrema without cancellation. An extremum that does not exist is NaN or infinite.
    const double a = 3.0 * along.c[3], b = 2.0 * along.c[2], c = along.c[1];
    const double root = sqrt(b * b - 4.0 * a * c);
    const double q = -0.5 * (b + (b < 0.0 ? -root : root));
    const double one = q / a, other = c / q;
    const double turns[2] = {fmin(one, other), fmax(one, other)};
    // Between two extrema, the polynomial crosses a level at most once.
    double low = 0.0;
#pragma unroll
    for (u32 k = 0; k < 3; k++) {
        double high = last;
        if (k < 2) {
            if (!(turns[k] > 0.0 && turns[k] < last)) continue;
            high = turns[k];
        }
        const double at_low = along.value(low) - level;
        const bool side = at_low < 0.0;
        if (at_low == 0.0) return low;
        if (side == (along.value(high) - level < 0.0)) {
            low = high;
            continue;
        }
        for (u32 n = 0; n < HALVINGS; n++) {
            const double middle = 0.5 * (low + high);
            if ((along.value(middle) - level < 0.0) == side) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
    return not_a_number();
}
