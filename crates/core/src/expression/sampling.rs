//! Bounds and means of a function of time over a span, for coefficients that change within a time
//! step. kernels/sampling.cuh is the counterpart for GPUs.

use super::enclosure::Enclosure;

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSpan {
    /// The first instant, as a value of `t`.
    pub start: f64,
    /// The last instant, as a value of `t`.
    pub end: f64,
}

impl TimeSpan {
    /// Returns the length.
    pub fn length(&self) -> f64 {
        self.end - self.start
    }

    /// Returns the instant at a fraction of the span.
    pub fn at(&self, fraction: f64) -> f64 {
        self.start + fraction * self.length()
    }
}

/// The quantity that is computed from a coefficient that depends on time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sampling {
    /// The value at an instant.
    At(f64),
    /// An upper bound on the absolute value over a span. Where no bounds are known, it is the
    /// largest absolute value of a few samples.
    Bound(TimeSpan),
    /// The mean over a span, or the value at the given instant if the product of the change in the
    /// coefficient and the length of the span is at most [`Accuracy::slack`].
    Mean(TimeSpan, f64),
}

/// The accuracy to which the quantities of [`Sampling`] are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The largest product of change and duration that counts as no change: the change in the
    /// coefficient over a span, multiplied by the length of the span. For a velocity, this is a
    /// length.
    pub slack: f64,
    /// The largest duration of the pieces into which a span is divided if no bounds of the
    /// coefficient are known there. With [`Sampling::Bound`], pieces are longer if there would be
    /// more than [`Accuracy::MOST_PIECES`] of them.
    pub max_step: f64,
}

impl Accuracy {
    /// The largest distance, as a fraction of the local edge length, by which a change that counts
    /// as no change may move the interface.
    pub const SLACK: f64 = 0.01;

    /// The error allowed in the integral over each piece of a span, as a fraction of the slack.
    pub const PRECISION: f64 = 1e-4;

    /// The largest number of times that a span is halved. A jump is then located to the last bit of
    /// the time.
    pub const MOST_HALVINGS: u32 = 52;

    /// The number of evaluated pieces after which pieces of at most
    /// `2^-`[`ENOUGH_HALVINGS`](Self::ENOUGH_HALVINGS) of the span are no longer divided. A
    /// coefficient that oscillates too fast for this number of pieces is only sampled.
    pub const MANY_EVALUATIONS: u32 = 20_000;
    /// The number of halvings after which pieces are short enough to remain undivided; see
    /// [`Accuracy::MANY_EVALUATIONS`].
    pub const ENOUGH_HALVINGS: u32 = 10;

    /// The largest number of pieces into which [`Sampling::Bound`] divides a span if no bounds of
    /// the coefficient are known there.
    pub const MOST_PIECES: f64 = 64.0;
}

/// Nodes and weights of the three-point Gauss rule on [0, 1].
const GAUSS: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// The nodes of the rule on [0, 1], and then those on its halves.
const NODES: [f64; 9] = {
    let [a, b, c] = [GAUSS[0].0, GAUSS[1].0, GAUSS[2].0];
    [a, b, c, 0.5 * a, 0.5 * b, 0.5 * c, 0.5 + 0.5 * a, 0.5 + 0.5 * b, 0.5 + 0.5 * c]
};

/// Returns the instants of [`NODES`] in a span.
pub(super) fn instants(span: TimeSpan) -> [f64; 9] {
    NODES.map(|at| whole(span).at(at))
}

/// Returns the span with its end recomputed, and possibly rounded, as `start + 1.0 * length`.
/// [`mean`] computes its first piece in this way, so both use the same instants.
fn whole(span: TimeSpan) -> TimeSpan {
    TimeSpan { start: span.at(0.0), end: span.at(1.0) }
}

/// A function of time with its values and bounds.
pub(super) trait Function {
    fn value(&mut self, t: f64) -> f64;
    fn bounds(&mut self, span: TimeSpan) -> Enclosure;
}

/// Returns an upper bound on the absolute value of `function` over a span in which it has the given
/// `bounds`. Where no bounds are known, samples are used, and the result is NaN if a sample is NaN.
pub(super) fn bound(
    function: &mut impl Function,
    bounds: Enclosure,
    span: TimeSpan,
    max_step: f64,
) -> f64 {
    let largest = bounds.largest();
    if largest.is_finite() {
        return largest;
    }
    let pieces = (span.length() / max_step).ceil().clamp(1.0, Accuracy::MOST_PIECES);
    let mut most = 0.0f64;
    for k in 0..pieces as u32 {
        let [start, end] = [k, k + 1].map(|k| span.at(f64::from(k) / pieces));
        let piece = TimeSpan { start, end };
        let largest = match function.bounds(piece).largest() {
            largest if largest.is_finite() => largest,
            // Nothing is known about this piece, so the function is sampled at three instants.
            _ => {
                GAUSS.iter().fold(0.0, |most, (at, _)| larger(most, function.value(piece.at(*at))))
            }
        };
        most = larger(most, largest);
    }
    most
}

/// Returns the larger of `most` and the absolute value of `value`, or NaN if one of them is NaN.
fn larger(most: f64, value: f64) -> f64 {
    if value.abs() <= most || most.is_nan() { most } else { value.abs() }
}

/// Returns the mean over a span by adaptive quadrature.
///
/// The span is halved until the bounds of a piece are so close that its integral is known, or until
/// the function is smooth there and Gauss's rule gives the same integral for the piece and its
/// halves. Jumps and kinks are thus located as precisely as the accuracy requires.
pub(super) fn mean(function: &mut impl Function, span: TimeSpan, accuracy: &Accuracy) -> f64 {
    let tolerance = Accuracy::PRECISION * accuracy.slack;
    let (mut level, mut index, mut evaluations) = (0u32, 0u64, 0u32);
    let mut integral = 0.0;
    loop {
        let n = (1u64 << level) as f64;
        let piece =
            TimeSpan { start: span.at(index as f64 / n), end: span.at((index + 1) as f64 / n) };
        evaluations += 1;
        match integral_of(function, piece, accuracy, tolerance, (level, evaluations)) {
            None => (level, index) = (level + 1, 2 * index),
            Some(part) => {
                integral += part;
                index += 1;
                if index == 1 << level {
                    return integral / span.length();
                }
                let up = index.trailing_zeros().min(level);
                (level, index) = (level - up, index >> up);
            }
        }
    }
}

/// Returns the integral over a piece of a span, or `None` if the piece must be halved.
fn integral_of(
    function: &mut impl Function,
    piece: TimeSpan,
    accuracy: &Accuracy,
    tolerance: f64,
    (level, evaluations): (u32, u32),
) -> Option<f64> {
    let length = piece.length();
    let bounds = function.bounds(piece);
    let is_short = level >= Accuracy::MOST_HALVINGS || length <= f64::EPSILON * piece.end.abs();
    if is_short || bounds.width() * length <= tolerance {
        return Some(length * function.value(piece.at(0.5)));
    }
    let is_unbounded = !bounds.width().is_finite();
    let is_exhausted =
        evaluations > Accuracy::MANY_EVALUATIONS && level >= Accuracy::ENOUGH_HALVINGS;
    let is_known = is_exhausted || is_unbounded && length <= accuracy.max_step;
    if !(bounds.smooth && !is_unbounded || is_known) {
        return None;
    }
    let values = NODES.map(|at| function.value(piece.at(at)));
    let parts = Parts::new(&values, length);
    (is_known || parts.agree(bounds, length, tolerance)).then_some(parts.fine)
}

/// Returns the mean over a span if the function is smooth there and Gauss's rule gives the same
/// integral for the span and its halves. `values` are the values at the [`instants`]. The result is
/// the same as that of [`mean`]. Returns `None` in all other cases, which require [`mean`].
pub(super) fn smooth_mean(
    values: &[f64; 9],
    bounds: Enclosure,
    span: TimeSpan,
    accuracy: &Accuracy,
) -> Option<f64> {
    let (length, tolerance) = (whole(span).length(), Accuracy::PRECISION * accuracy.slack);
    let is_short = length <= f64::EPSILON * whole(span).end.abs();
    if is_short || bounds.width() * length <= tolerance || !bounds.smooth {
        return None;
    }
    let parts = Parts::new(values, length);
    let is_bounded = bounds.width().is_finite();
    (is_bounded && parts.agree(bounds, length, tolerance)).then_some(parts.fine / span.length())
}

/// Integrals over a piece of a span by Gauss's rule.
struct Parts {
    /// The integral with three nodes in the whole piece.
    coarse: f64,
    /// The integral with three nodes in each half.
    fine: f64,
    /// The difference between the largest and the smallest value at the nodes.
    range: f64,
}

impl Parts {
    /// Computes the integrals from the values at [`NODES`].
    fn new(values: &[f64; 9], length: f64) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut sums = [0.0; 3];
        for (k, &value) in values.iter().enumerate() {
            (least, most) = (least.min(value), most.max(value));
            sums[k / 3] += GAUSS[k % 3].1 * value;
        }
        let [whole, first, second] = sums;
        Parts {
            coarse: length * whole,
            fine: length * 0.5 * first + length * 0.5 * second,
            range: most - least,
        }
    }

    /// Returns true if both integrals agree and the range of the values is at least about a quarter
    /// of the width of the bounds. A peak between the nodes shows only in the bounds.
    fn agree(&self, bounds: Enclosure, length: f64, tolerance: f64) -> bool {
        let is_seen = bounds.width() <= 4.0 * self.range + tolerance / length;
        is_seen && (self.coarse - self.fine).abs() <= tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Expression, Field};

    fn mean_of(text: &str, start: f64, end: f64) -> f64 {
        let field = Field::bind(&text.parse::<Expression>().unwrap(), |_| unreachable!()).unwrap();
        let mut mean = [0.0];
        let accuracy = |_| Accuracy { slack: 1e-4, max_step: 0.01 };
        let sampling = Sampling::Mean(TimeSpan { start, end }, start);
        field.sample_into(&[[0.25, 0.0, 0.0]], 0..1, sampling, accuracy, &mut mean);
        mean[0]
    }

    fn bound_of(text: &str, start: f64, end: f64) -> f64 {
        let field = Field::bind(&text.parse::<Expression>().unwrap(), |_| unreachable!()).unwrap();
        let mut bound = [0.0];
        let accuracy = |_| Accuracy { slack: 1e-4, max_step: 0.01 };
        let sampling = Sampling::Bound(TimeSpan { start, end });
        field.sample_into(&[[0.25, 0.0, 0.0]], 0..1, sampling, accuracy, &mut bound);
        bound[0]
    }

    #[test]
    fn pulses_and_valves_are_integrated_exactly() {
        let pi = std::f64::consts::PI;
        for (text, start, end, mean) in [
            ("if(t > 1 && t < 1.2, 1, 0)", 0.0, 10.0, 0.02),
            ("max(0, sin(2*pi*t/5))", 0.0, 10.0, 1.0 / pi),
            ("exp(-((t - 5)/0.01)^2)", 0.0, 10.0, 0.001 * pi.sqrt()),
            ("abs(t - 0.3)", 0.0, 1.0, 0.29),
            ("if(abs(x - 10*t) < 0.05, 1, 0)", 0.0, 1.0, 0.01),
            ("if(t/0.001 - floor(t/0.001) < 0.1, 1, 0)", 0.3, 0.5, 0.1),
            ("t^2", 0.0, 3.0, 3.0),
            ("x", 0.0, 3.0, 0.25),
            ("step(t - 2)", 0.0, 4.0, 0.5),
        ] {
            let found = mean_of(text, start, end);
            assert!((found - mean).abs() < 1e-6, "{text}: {found} instead of {mean}");
        }
        // A small change is not averaged.
        assert_eq!(mean_of("1 + 1e-5*t", 0.0, 1.0), 1.0);
    }

    #[test]
    fn bounds_see_what_happens_between_samples() {
        assert_eq!(bound_of("if(t > 1 && t < 1.2, -1, 0)", 0.0, 10.0), 1.0);
        assert_eq!(bound_of("if(t > 1 && t < 1.2, -1, 0)", 2.0, 10.0), 0.0);
        assert_eq!(bound_of("0.03*max(0, sin(2*pi*t/5))", 0.0, 10.0), 0.03);
        assert!(bound_of("exp(-((t - 5)/0.01)^2)", 0.0, 4.0) < 1e-12);
        assert_eq!(bound_of("if(abs(x - 10*t) < 0.05, 1, 0)", 0.02, 0.03), 1.0);
        // Without bounds, only the samples count.
        assert!(bound_of("1/(t - 0.5)", 0.0, 1.0) > 100.0);
        assert!(bound_of("sqrt(t - 0.5)", 0.0, 1.0).is_nan());
    }

    /// A field without coordinates is averaged only in the rows whose accuracy requires it.
    #[test]
    fn each_row_has_its_own_accuracy() {
        let text: Expression = "if(t > 0.3, 1, 0)".parse().unwrap();
        let field = Field::bind(&text, |_| unreachable!()).unwrap();
        let slack = |k: usize| Accuracy { slack: [2.0, 1e-4, 2.0][k], max_step: 1.0 };
        let sampling = Sampling::Mean(TimeSpan { start: 0.0, end: 1.0 }, 0.5);
        let mut means = [0.0; 3];
        field.sample_into(&[[0.0; 3]; 3], 0..3, sampling, slack, &mut means);
        assert!(means[0] == 1.0 && means[2] == 1.0 && (means[1] - 0.7).abs() < 1e-6, "{means:?}");
    }

    #[test]
    fn a_fast_oscillation_ends() {
        assert!((mean_of("sin(1e9*t)^2", 0.0, 1.0) - 0.5).abs() < 0.05);
    }
}
