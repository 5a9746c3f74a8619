// Bounds on the values of expressions over a span of time; the counterpart of
// crates/core/src/expression/enclosure.rs, with the same rules.
//
// The operators have the same names as those in expression.cuh. The type of the time determines
// which of them the generated code calls. An operation whose operands do not depend on time still
// returns a double.
#pragma once

#include "expression.cuh"

namespace expression {

// The bounds of a value over a span of time.
struct Enclosure {
    double low, high;
    bool smooth;  // whether the value has no jump, kink or pole in the span

    Enclosure() = default;
    DEVICE Enclosure(double low, double high, bool smooth) : low(low), high(high), smooth(smooth) {}

    // A constant. Both bounds of NaN are NaN.
    DEVICE Enclosure(double value) : low(value), high(value), smooth(true) {}

    // Returns whether the value is NaN over the whole span.
    DEVICE bool is_nan() const { return low != low; }
    DEVICE bool is_unknown() const { return low == -infinity() && high == infinity(); }
    DEVICE double width() const { return high - low; }
    DEVICE double largest() const { return fmax(high, -low); }
    // These return whether the value counts as true, or as false, over the whole span.
    DEVICE bool holds() const { return low > 0.0 || high < 0.0; }
    DEVICE bool fails() const { return is_nan() || (low == 0.0 && high == 0.0); }
};

DEVICE Enclosure unbounded() { return Enclosure(-infinity(), infinity(), false); }

// Returns the bounds of a range that is given by its two ends in any order, or no bounds if an end
// is NaN.
DEVICE Enclosure between(double a, double b, bool smooth) {
    if (a != a || b != b) return unbounded();
    return Enclosure(fmin(a, b), fmax(a, b), smooth);
}

// Returns the smallest and the largest of four numbers as bounds, or no bounds if one is NaN.
DEVICE Enclosure around(double a, double b, double c, double d, bool smooth) {
    const double sum = a + b + c + d;
    if (sum != sum && (a != a || b != b || c != c || d != d)) return unbounded();
    return Enclosure(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)), smooth);
}

// Returns 1 if a condition is known to hold over the whole span, 0 if it is known to fail, and
// otherwise the bounds 0 and 1.
DEVICE Enclosure decided(bool holds, bool fails) {
    return Enclosure(holds ? 1.0 : 0.0, fails ? 0.0 : 1.0, holds || fails);
}

// Returns whether a number `first + k * period` with an integer k may lie between the bounds.
DEVICE bool contains_periodic(const Enclosure& a, double first, double period) {
    const double next = first + ceil((a.low - first) / period) * period;
    // If a bound is infinite, `next` may be NaN, which counts as inside.
    return !(next > a.high);
}

constexpr double PI = 3.14159265358979323846;

// Returns the bounds of a sine or cosine with a maximum at `peak` and the values `at_low` and
// `at_high` at the bounds of its argument.
DEVICE Enclosure wave(const Enclosure& a, double peak, double at_low, double at_high) {
    if (a.is_unknown() || a.is_nan()) return a;
    if (!(a.width() < infinity())) return Enclosure(-1.0, 1.0, a.smooth);
    return Enclosure(contains_periodic(a, peak + PI, 2.0 * PI) ? -1.0 : fmin(at_low, at_high),
                     contains_periodic(a, peak, 2.0 * PI) ? 1.0 : fmax(at_low, at_high), a.smooth);
}

// Returns the bounds of a function that is monotone in its argument, from its values at the bounds
// of the argument.
DEVICE Enclosure monotone(const Enclosure& a, double at_low, double at_high) {
    return a.is_unknown() || a.is_nan() ? a : between(at_low, at_high, a.smooth);
}

// Returns the bounds of a monotone function that is NaN for arguments below `least` or above
// `most`.
DEVICE Enclosure within(const Enclosure& a, double least, double most, double at_low, double at_high) {
    if (a.is_nan()) return a;
    if (a.low == a.high) return Enclosure(at_low, at_low, a.smooth);
    if (a.low < least || a.high > most) return unbounded();
    return between(at_low, at_high, a.smooth && a.low > least && a.high < most);
}

// Returns the bounds of a nondecreasing function that is constant between its jumps.
DEVICE Enclosure stepped(const Enclosure& a, double at_low, double at_high) {
    if (a.is_unknown() || a.is_nan()) return a;
    return Enclosure(at_low, at_high, at_low == at_high);
}

DEVICE Enclosure negate(const Enclosure& a) { return monotone(a, -a.low, -a.high); }
DEVICE Enclosure logical_not(const Enclosure& a) { return decided(a.fails(), a.holds()); }
DEVICE Enclosure is_nan(const Enclosure& a) { return decided(a.is_nan(), !a.is_nan() && !a.is_unknown()); }
DEVICE Enclosure absolute(const Enclosure& a) {
    if (a.is_unknown() || a.is_nan()) return a;
    if (a.low >= 0.0 || a.high <= 0.0) return between(fabs(a.low), fabs(a.high), a.smooth);
    return Enclosure(0.0, a.largest(), false);
}
DEVICE Enclosure square_root(const Enclosure& a) { return within(a, 0.0, infinity(), sqrt(a.low), sqrt(a.high)); }
DEVICE Enclosure exponential(const Enclosure& a) { return monotone(a, exp(a.low), exp(a.high)); }
DEVICE Enclosure logarithm(const Enclosure& a) { return within(a, 0.0, infinity(), log(a.low), log(a.high)); }
DEVICE Enclosure sine(const Enclosure& a) { return wave(a, 0.5 * PI, sin(a.low), sin(a.high)); }
DEVICE Enclosure cosine(const Enclosure& a) { return wave(a, 0.0, cos(a.low), cos(a.high)); }
DEVICE Enclosure tangent(const Enclosure& a) {
    if (a.is_nan()) return a;
    if (contains_periodic(a, 0.5 * PI, PI)) return unbounded();
    return monotone(a, tan(a.low), tan(a.high));
}
DEVICE Enclosure arc_sine(const Enclosure& a) { return within(a, -1.0, 1.0, asin(a.low), asin(a.high)); }
DEVICE Enclosure arc_cosine(const Enclosure& a) { return within(a, -1.0, 1.0, acos(a.low), acos(a.high)); }
DEVICE Enclosure hyperbolic_tangent(const Enclosure& a) { return monotone(a, tanh(a.low), tanh(a.high)); }
DEVICE Enclosure round_down(const Enclosure& a) { return stepped(a, floor(a.low), floor(a.high)); }
DEVICE Enclosure sign(const Enclosure& a) { return stepped(a, sign(a.low), sign(a.high)); }
DEVICE Enclosure step(const Enclosure& a) {
    return Enclosure(step(a.low), step(a.high), step(a.low) == step(a.high));
}

DEVICE bool has_nan(const Enclosure& a, const Enclosure& b) { return a.is_nan() || b.is_nan(); }
DEVICE bool are_known(const Enclosure& a, const Enclosure& b) {
    return !has_nan(a, b) && !a.is_unknown() && !b.is_unknown();
}
// Returns the bounds of an arithmetic result if the operands are not both known: NaN if an operand
// is NaN, and otherwise no bounds.
DEVICE Enclosure unknown(const Enclosure& a, const Enclosure& b) {
    return a.is_nan() ? a : b.is_nan() ? b : unbounded();
}

DEVICE Enclosure add(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    return between(a.low + b.low, a.high + b.high, a.smooth && b.smooth);
}
DEVICE Enclosure subtract(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    return between(a.low - b.high, a.high - b.low, a.smooth && b.smooth);
}
DEVICE Enclosure multiply(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    return around(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high, a.smooth && b.smooth);
}
DEVICE Enclosure divide(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    if (b.low <= 0.0 && b.high >= 0.0) return unbounded();
    return around(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high, a.smooth && b.smooth);
}

// Comparisons with NaN are false.
DEVICE Enclosure less(const Enclosure& a, const Enclosure& b) {
    return decided(a.high < b.low, has_nan(a, b) || a.low >= b.high);
}
DEVICE Enclosure greater(const Enclosure& a, const Enclosure& b) { return less(b, a); }
DEVICE Enclosure less_equal(const Enclosure& a, const Enclosure& b) {
    return has_nan(a, b) ? decided(false, true) : logical_not(less(b, a));
}
DEVICE Enclosure greater_equal(const Enclosure& a, const Enclosure& b) { return less_equal(b, a); }
DEVICE Enclosure equal(const Enclosure& a, const Enclosure& b) {
    const bool same = a.low == a.high && a.low == b.low && a.low == b.high;
    return decided(same, has_nan(a, b) || a.high < b.low || a.low > b.high);
}
DEVICE Enclosure not_equal(const Enclosure& a, const Enclosure& b) {
    return has_nan(a, b) ? decided(false, true) : logical_not(equal(a, b));
}
DEVICE Enclosure logical_and(const Enclosure& a, const Enclosure& b) {
    return decided(a.holds() && b.holds(), a.fails() || b.fails());
}
DEVICE Enclosure logical_or(const Enclosure& a, const Enclosure& b) {
    return decided(a.holds() || b.holds(), a.fails() && b.fails());
}

DEVICE Enclosure minimum(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    if (a.high <= b.low) return a;
    if (b.high <= a.low) return b;
    return Enclosure(fmin(a.low, b.low), fmin(a.high, b.high), false);
}
DEVICE Enclosure maximum(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    if (a.low >= b.high) return a;
    if (b.low >= a.high) return b;
    return Enclosure(fmax(a.low, b.low), fmax(a.high, b.high), false);
}

DEVICE Enclosure angle(const Enclosure& a, const Enclosure& b) {
    if (!are_known(a, b)) return unknown(a, b);
    // The angle jumps where a is 0 and b is negative.
    if (a.low <= 0.0 && a.high >= 0.0 && b.low <= 0.0) return Enclosure(-PI, PI, false);
    return around(angle(a.low, b.low), angle(a.low, b.high), angle(a.high, b.low), angle(a.high, b.high),
                  a.smooth && b.smooth);
}

DEVICE Enclosure power(const Enclosure& a, const Enclosure& b) {
    // NaN^0 and 1^NaN are 1, so a NaN operand does not imply a NaN result.
    if (!are_known(a, b)) return unbounded();
    const bool smooth = a.smooth && b.smooth;
    const double exponent = b.low;
    if (b.low != b.high || exponent != trunc(exponent)) {
        // A negative number raised to a non-integer power is NaN, and 0 raised to a negative power
        // is infinite.
        if (!(a.low > 0.0 || (a.low == 0.0 && b.low > 0.0))) return unbounded();
        return around(power(a.low, b.low), power(a.low, b.high), power(a.high, b.low), power(a.high, b.high),
                      smooth && a.low > 0.0);
    }
    if (exponent < 0.0 && a.low <= 0.0 && a.high >= 0.0) return unbounded();
    Enclosure bounds = monotone(a, power(a.low, exponent), power(a.high, exponent));
    const bool is_even = fmod(exponent, 2.0) == 0.0;
    if (is_even && exponent > 0.0 && a.low < 0.0 && a.high > 0.0) bounds.low = 0.0;
    return bounds;
}

DEVICE Enclosure select(const Enclosure& c, const Enclosure& a, const Enclosure& b) {
    if (c.holds()) return a;
    if (c.fails()) return b;
    if (has_nan(a, b)) return unbounded();
    return Enclosure(fmin(a.low, b.low), fmax(a.high, b.high), false);
}

}  // namespace expression
