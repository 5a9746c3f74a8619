//! Bounds of an expression over a span of time, by interval arithmetic.
//!
//! The rules are those of R. E. Moore, "Interval Analysis" (1966). Bounds hold up to rounding: they
//! are not widened by the last bit. kernels/enclosure.cuh is the counterpart for GPUs.

use std::f64::consts::{FRAC_PI_2, PI};

use super::sampling::TimeSpan;
use super::syntax_tree::{Binary, Unary};

/// The bounds of a value over a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Enclosure {
    /// The lower bound: `-inf` if it is not known, and NaN if the value is NaN over the whole span.
    pub low: f64,
    /// The upper bound: `inf` if it is not known, and NaN if the value is NaN over the whole span.
    pub high: f64,
    /// Whether the value is known to have no jump, kink or pole in the span.
    pub smooth: bool,
}

impl Enclosure {
    /// Returns the bounds of a constant. Both bounds of NaN are NaN.
    pub fn constant(value: f64) -> Self {
        Enclosure { low: value, high: value, smooth: true }
    }

    /// Returns true if the value is NaN over the whole span.
    fn is_nan(&self) -> bool {
        self.low.is_nan()
    }

    /// Returns the bounds of the time over a span.
    pub(super) fn of_time(span: TimeSpan) -> Self {
        Enclosure { low: span.start, high: span.end, smooth: true }
    }

    /// Returns the bounds of a value about which nothing is known. The value may be NaN.
    pub fn unbounded() -> Self {
        Enclosure { low: f64::NEG_INFINITY, high: f64::INFINITY, smooth: false }
    }

    /// Returns true if nothing is known about the value.
    fn is_unknown(&self) -> bool {
        self.low == f64::NEG_INFINITY && self.high == f64::INFINITY
    }

    /// Returns the difference between the bounds.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Returns the largest absolute value within the bounds.
    pub fn largest(&self) -> f64 {
        self.high.max(-self.low)
    }

    /// Returns two numbers, in any order, as bounds, or infinite bounds if one is NaN.
    #[inline]
    fn between(a: f64, b: f64, smooth: bool) -> Self {
        if a.is_nan() || b.is_nan() {
            return Enclosure::unbounded();
        }
        Enclosure { low: a.min(b), high: a.max(b), smooth }
    }

    /// Returns the smallest and the largest of four numbers as bounds, or infinite bounds if one is
    /// NaN.
    #[inline]
    fn around([a, b, c, d]: [f64; 4], smooth: bool) -> Self {
        if [a, b, c, d].iter().any(|v| v.is_nan()) {
            return Enclosure::unbounded();
        }
        Enclosure { low: a.min(b).min(c).min(d), high: a.max(b).max(c).max(d), smooth }
    }

    /// Returns the constant 1 or 0 if a condition is decided, and the bounds 0 and 1 otherwise.
    fn truth(decided: Option<bool>) -> Self {
        match decided {
            Some(holds) => Enclosure::constant(f64::from(u8::from(holds))),
            None => Enclosure { low: 0.0, high: 1.0, smooth: false },
        }
    }

    /// Returns whether the value counts as true over the whole span, or `None` if it may change.
    fn holds(&self) -> Option<bool> {
        let fails = self.is_nan() || self.low == 0.0 && self.high == 0.0;
        match (self.low > 0.0 || self.high < 0.0, fails) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Returns the bounds of `f`, a monotone function of the value.
    #[inline]
    fn monotone(self, f: impl Fn(f64) -> f64) -> Self {
        Enclosure::between(f(self.low), f(self.high), self.smooth)
    }

    /// Returns the bounds of `f`, a function of the value that is defined and monotone from `least`
    /// to `most`. If the value may lie outside this range, the bounds are infinite. If the value is
    /// constant, the bounds are exact.
    fn within(self, [least, most]: [f64; 2], f: impl Fn(f64) -> f64) -> Self {
        if self.low == self.high {
            let value = f(self.low);
            return Enclosure { low: value, high: value, smooth: self.smooth };
        }
        if self.low < least || self.high > most {
            return Enclosure::unbounded();
        }
        let smooth = self.smooth && self.low > least && self.high < most;
        Enclosure::between(f(self.low), f(self.high), smooth)
    }

    /// Returns true if one of the numbers `first + k period`, for an integer k, may lie between the
    /// bounds.
    fn contains_periodic(&self, first: f64, period: f64) -> bool {
        let next = first + ((self.low - first) / period).ceil() * period;
        // If a bound is infinite, `next` may be NaN, which counts as inside.
        next.is_nan() || next <= self.high
    }

    /// Returns the bounds of `f`, a sine or cosine with a maximum at `peak`.
    fn wave(self, peak: f64, f: impl Fn(f64) -> f64) -> Self {
        if !self.width().is_finite() {
            return Enclosure { low: -1.0, high: 1.0, smooth: self.smooth };
        }
        let (a, b) = (f(self.low), f(self.high));
        let low = if self.contains_periodic(peak + PI, 2.0 * PI) { -1.0 } else { a.min(b) };
        let high = if self.contains_periodic(peak, 2.0 * PI) { 1.0 } else { a.max(b) };
        Enclosure { low, high, smooth: self.smooth }
    }

    /// Returns the bounds of an operation with one operand.
    #[inline]
    pub(super) fn unary(op: Unary, a: Self) -> Self {
        let f = |x: f64| op.apply(x);
        match op {
            Unary::Not | Unary::Step | Unary::IsNan => {}
            _ if a.is_unknown() => return Enclosure::unbounded(),
            _ if a.is_nan() => return a,
            _ => {}
        }
        match op {
            Unary::Negate | Unary::Exp | Unary::Tanh => a.monotone(f),
            Unary::Not => Enclosure::truth(a.holds().map(|holds| !holds)),
            Unary::IsNan => Enclosure::truth((!a.is_unknown()).then_some(a.is_nan())),
            Unary::Abs if a.low >= 0.0 || a.high <= 0.0 => a.monotone(f),
            Unary::Abs => Enclosure { low: 0.0, high: a.largest(), smooth: false },
            Unary::Sqrt | Unary::Log => a.within([0.0, f64::INFINITY], f),
            Unary::Asin | Unary::Acos => a.within([-1.0, 1.0], f),
            Unary::Sin => a.wave(FRAC_PI_2, f),
            Unary::Cos => a.wave(0.0, f),
            Unary::Tan if a.contains_periodic(FRAC_PI_2, PI) => Enclosure::unbounded(),
            Unary::Tan => a.monotone(f),
            Unary::Floor | Unary::Sign | Unary::Step => {
                let (low, high) = (f(a.low), f(a.high));
                Enclosure { low, high, smooth: low == high }
            }
        }
    }

    /// Returns the bounds of an operation with two operands.
    #[inline]
    pub(super) fn binary(op: Binary, a: Self, b: Self) -> Self {
        let smooth = a.smooth && b.smooth;
        match op {
            Binary::And | Binary::Or => {}
            _ if op.is_condition() && (a.is_nan() || b.is_nan()) => {
                return Enclosure::truth(Some(false));
            }
            _ if op.is_condition() => {}
            // NaN^0 and 1^NaN are 1.
            Binary::Power if a.is_nan() || b.is_nan() => return Enclosure::unbounded(),
            _ if a.is_nan() || b.is_nan() => return Enclosure::constant(f64::NAN),
            _ if a.is_unknown() || b.is_unknown() => return Enclosure::unbounded(),
            _ => {}
        }
        match op {
            Binary::Add => Enclosure::between(a.low + b.low, a.high + b.high, smooth),
            Binary::Subtract => Enclosure::between(a.low - b.high, a.high - b.low, smooth),
            Binary::Multiply => Enclosure::around(corners(a, b).map(|(a, b)| a * b), smooth),
            Binary::Divide if b.low <= 0.0 && b.high >= 0.0 => Enclosure::unbounded(),
            Binary::Divide => Enclosure::around(corners(a, b).map(|(a, b)| a / b), smooth),
            Binary::Power => power(a, b),
            Binary::Less => Enclosure::truth(less(a, b)),
            Binary::LessEqual => Enclosure::truth(less(b, a).map(|less| !less)),
            Binary::Greater => Enclosure::truth(less(b, a)),
            Binary::GreaterEqual => Enclosure::truth(less(a, b).map(|less| !less)),
            Binary::Equal => Enclosure::truth(equal(a, b)),
            Binary::NotEqual => Enclosure::truth(equal(a, b).map(|equal| !equal)),
            Binary::And => Enclosure::truth(match (a.holds(), b.holds()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
            Binary::Or => Enclosure::truth(match (a.holds(), b.holds()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
            Binary::Min if a.high <= b.low => a,
            Binary::Min if b.high <= a.low => b,
            Binary::Min => {
                Enclosure { low: a.low.min(b.low), high: a.high.min(b.high), smooth: false }
            }
            Binary::Max if a.low >= b.high => a,
            Binary::Max if b.low >= a.high => b,
            Binary::Max => {
                Enclosure { low: a.low.max(b.low), high: a.high.max(b.high), smooth: false }
            }
            // The angle jumps where `a` is 0 and `b` is negative.
            Binary::Atan2 if a.low <= 0.0 && a.high >= 0.0 && b.low <= 0.0 => {
                Enclosure { low: -PI, high: PI, smooth: false }
            }
            Binary::Atan2 => Enclosure::around(corners(a, b).map(|(a, b)| op.apply(a, b)), smooth),
        }
    }

    /// Returns the bounds of `if(c, a, b)`.
    #[inline]
    pub(super) fn select(c: Self, a: Self, b: Self) -> Self {
        match c.holds() {
            Some(true) => a,
            Some(false) => b,
            None if a.is_nan() || b.is_nan() => Enclosure::unbounded(),
            None => Enclosure { low: a.low.min(b.low), high: a.high.max(b.high), smooth: false },
        }
    }
}

/// Returns the four pairs of a bound of `a` and a bound of `b`.
#[inline]
fn corners(a: Enclosure, b: Enclosure) -> [(f64, f64); 4] {
    [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)]
}

/// Returns whether `a < b` over the whole span, or `None` if it may change.
fn less(a: Enclosure, b: Enclosure) -> Option<bool> {
    match (a.high < b.low, a.low >= b.high) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Returns whether `a == b` over the whole span, or `None` if it may change.
fn equal(a: Enclosure, b: Enclosure) -> Option<bool> {
    match (a.high < b.low || a.low > b.high, a.low == a.high && a.low == b.low && a.low == b.high) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// Returns the bounds of `a ^ b`.
fn power(a: Enclosure, b: Enclosure) -> Enclosure {
    let smooth = a.smooth && b.smooth;
    let f = |x: f64, y: f64| Binary::Power.apply(x, y);
    let exponent = b.low;
    if b.low != b.high || exponent != exponent.trunc() {
        return match a.low > 0.0 || a.low == 0.0 && b.low > 0.0 {
            // The power is monotone in each operand.
            true => Enclosure::around(corners(a, b).map(|(a, b)| f(a, b)), smooth && a.low > 0.0),
            // A negative number raised to a non-integer power is NaN, and 0 raised to a negative
            // power is infinite.
            false => Enclosure::unbounded(),
        };
    }
    if exponent < 0.0 && a.low <= 0.0 && a.high >= 0.0 {
        return Enclosure::unbounded();
    }
    let bounds = a.monotone(|x| f(x, exponent));
    let is_even = exponent % 2.0 == 0.0;
    if is_even && exponent > 0.0 && a.low < 0.0 && a.high > 0.0 {
        return Enclosure { low: 0.0, ..bounds };
    }
    bounds
}
