// Bounds and means of coefficients over a span of time; the counterpart of
// crates/core/src/expression/sampling.rs.
//
// coefficients_generated.cuh must be included first.
#pragma once

#include "generated/sampling.cuh"

namespace {

using expression::Enclosure;

// The quantity to compute for a coefficient: its value at time `at`, its largest absolute value
// from `start` to `end`, or its mean over this span.
enum Quantity { VALUE, BOUND, MEAN };

struct Sampling {
    Quantity quantity;
    double start, end, at;
    double max_step;  // pieces without finite bounds need not be shorter
};

// One field at one row, as a function of time.
struct FieldAtRow {
    u32 field;
    double x, y, z;
    const double* const* arrays;
    u32 row;

    DEVICE double value(double t) const { return field_at(field, x, y, z, t, arrays, row); }
    DEVICE Enclosure bounds(double start, double end) const {
        return field_at(field, x, y, z, Enclosure(start, end, true), arrays, row);
    }
};

// Returns node k of the three-point Gauss rule on [0, 1].
DEVICE double gauss_node(u32 k) { return k == 0 ? 0.11270166537925831 : k == 1 ? 0.5 : 0.8872983346207417; }
DEVICE double gauss_weight(u32 k) { return (k == 1 ? 8.0 : 5.0) / 18.0; }

// Returns the larger of `most` and the absolute value of `value`, or NaN if one of them is NaN.
DEVICE double larger_magnitude(double most, double value) { return fabs(value) <= most || most != most ? most : fabs(value); }

// Returns an upper bound on the absolute value over a span, or an estimate if parts of the span
// have no finite bound. `bounds` holds for the whole span.
DEVICE double bound(const FieldAtRow& f, const Enclosure& bounds, const Sampling& s) {
    if (bounds.largest() < expression::infinity()) return bounds.largest();
    const double length = s.end - s.start;
    const double pieces = fmin(fmax(ceil(length / s.max_step), 1.0), MOST_PIECES);
    double most = 0.0;
#pragma unroll 1
    for (u32 k = 0; k < (u32)pieces; k++) {
        const double start = s.start + k / pieces * length, end = s.start + (k + 1) / pieces * length;
        const double largest = f.bounds(start, end).largest();
        if (largest < expression::infinity()) {
            most = larger_magnitude(most, largest);
            continue;
        }
        // No bound is known, so the values at three points in time have to suffice.
#pragma unroll 1
        for (u32 n = 0; n < 3; n++) most = larger_magnitude(most, f.value(start + gauss_node(n) * (end - start)));
    }
    return most;
}

// Computes the integral over a piece of a span. Returns false if the piece must be halved.
DEVICE bool integrate_piece(
    const FieldAtRow& f, double start, double end, double tolerance, double max_step, u32 level,
    u32 evaluations, double& integral) {
    const double length = end - start;
    const Enclosure bounds = f.bounds(start, end);
    const bool is_short = level >= MOST_HALVINGS || length <= EPSILON * fabs(end);
    const bool is_flat = is_short || bounds.width() * length <= tolerance;
    const bool is_unbounded = !(bounds.width() < expression::infinity());
    const bool is_exhausted = evaluations > MANY_EVALUATIONS && level >= ENOUGH_HALVINGS;
    const bool is_known = is_exhausted || (is_unbounded && length <= max_step);
    if (!is_flat && !is_known && !(bounds.smooth && !is_unbounded)) return false;
    // The means over the whole piece and over each of its halves.
    double parts[3] = {0.0, 0.0, 0.0};
    double least = expression::infinity(), most = -least;
#pragma unroll 1
    for (u32 k = is_flat ? 8 : 0; k < 9; k++) {
        const u32 part = k / 3;
        const double from = part == 2 ? 0.5 : 0.0, width = part == 0 ? 1.0 : 0.5;
        const double value = f.value(start + (is_flat ? 0.5 : from + width * gauss_node(k % 3)) * length);
        if (is_flat) {
            integral = length * value;
            return true;
        }
        least = fmin(least, value);
        most = fmax(most, value);
        parts[part] += gauss_weight(k % 3) * value;
    }
    const double coarse = length * parts[0];
    const double fine = length * 0.5 * parts[1] + length * 0.5 * parts[2];
    integral = fine;
    // A peak between the nodes shows only in the bounds.
    const bool is_seen = bounds.width() <= 4.0 * (most - least) + tolerance / length;
    return is_known || (is_seen && fabs(coarse - fine) <= tolerance);
}

// Returns the mean over a span by adaptive quadrature.
DEVICE double mean(const FieldAtRow& f, const Sampling& s, double slack) {
    const double length = s.end - s.start, tolerance = PRECISION * slack;
    u32 level = 0, evaluations = 0;
    u64 index = 0;
    double integral = 0.0;
    for (;;) {
        const double n = (double)(1ull << level);
        const double start = s.start + (double)index / n * length;
        const double end = s.start + (double)(index + 1) / n * length;
        double part;
        evaluations++;
        if (!integrate_piece(f, start, end, tolerance, s.max_step, level, evaluations, part)) {
            level++;
            index *= 2;
            continue;
        }
        integral += part;
        index++;
        if (index == 1ull << level) return integral / length;
        while (level > 0 && index % 2 == 0) {
            level--;
            index /= 2;
        }
    }
}

// Returns the quantity of a field. If the product of change and duration is at most `slack`, it
// counts as no change. Unless the quantity is VALUE, raises `change` to the product of the largest
// possible change in the span and the length of the span.
DEVICE double sample(const FieldAtRow& f, const Sampling& s, double slack, double& change) {
    if (s.quantity == VALUE) return f.value(s.at);
    const Enclosure bounds = f.bounds(s.start, s.end);
    const double mine = bounds.width() * (s.end - s.start);
    change = fmax(change, mine);
    if (s.quantity == BOUND) return bound(f, bounds, s);
    return mine <= slack ? f.value(s.at) : mean(f, s, slack);
}

}  // namespace
