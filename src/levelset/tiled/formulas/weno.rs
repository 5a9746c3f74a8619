//! Fifth-order derivatives: HJ-WENO5 (Jiang & Peng 2000; docs/tiles.md, section 8).
//!
//! Three candidate derivatives are computed from differences `v1..v5` along an axis. Each one is
//! weighted by the smoothness of phi on its stencil. With the smoothness `S_k`,
//!
//! ```text
//! S1 = 13/12 (v1 - 2 v2 + v3)^2 + 1/4 (v1 - 4 v2 + 3 v3)^2
//! S2 = 13/12 (v2 - 2 v3 + v4)^2 + 1/4 (v2 - v4)^2
//! S3 = 13/12 (v3 - 2 v4 + v5)^2 + 1/4 (3 v3 - 4 v4 + v5)^2
//! a_k = (0.1, 0.6, 0.3) / (S_k + e)^2,   e = 1e-6 max v_k^2 + 2^-46
//! phi_x = [a1 (2 v1 - 7 v2 + 11 v3) + a2 (-v2 + 5 v3 + 2 v4) + a3 (2 v3 + 5 v4 - v5)]
//!         / (6 (a1 + a2 + a3))
//! ```
//!
//! Numerator and denominator are multiplied by the product of all `(S_k + e)^2`, which leaves one
//! division. To keep the products of squares within the range of `f32`, each `S_k + e` carries a
//! factor `12 * 2^12` (powers of two do not round), and the floor of e is 2^-46 instead of 1e-99.
//! The floor matters for slopes below 1e-4, whereas a distance function has slope 1. Differences
//! may have an absolute value of up to 45, which limits the half width in the options.
//!
//! The differences that give `phi_x^+` at i also give `phi_x^-` at i+1 when they are mirrored. The
//! `S_k` are the same.

use crate::levelset::tiled::lanes::Lanes;

/// The scale factor of the smoothness. The additional factor 12 removes fractions from its
/// definition.
const SCALE: f64 = 4096.0;

/// Returns the scaled `S + e` of three consecutive differences. The arguments are the second
/// difference and the slope whose squares appear in the formula, and the scaled `e`.
#[inline(always)]
fn smoothness<V: Lanes>(second: V, slope: V, floor: V) -> V {
    let (a, b) = (V::constant(13.0 * SCALE), V::constant(3.0 * SCALE));
    (a * (second * second) + b * (slope * slope)) + floor
}

/// Returns the scaled `e`, from the largest square of the five differences.
#[inline(always)]
fn floor<V: Lanes>(largest: V) -> V {
    let lowest = V::constant(12.0 * SCALE / 70_368_744_177_664.0);
    V::constant(12.0 * SCALE * 1e-6) * largest + lowest
}

/// Returns `a - 2 b + c`, bitwise identical if `a` and `c` are exchanged.
#[inline(always)]
fn second<V: Lanes>(a: V, b: V, c: V) -> V {
    (a + c) - (b + b)
}

/// Returns `a - 4 b + 3 c`.
#[inline(always)]
fn slope<V: Lanes>(a: V, b: V, c: V) -> V {
    (a + V::constant(3.0) * c) - V::constant(4.0) * b
}

/// Returns the weighted mean of the three candidates. `w` holds `1 / (S_k + e)^2` times a common
/// factor, without the linear weights.
#[inline(always)]
fn weighted<V: Lanes>(v: [V; 5], w: [V; 3]) -> V {
    let (two, five) = (V::constant(2.0), V::constant(5.0));
    let (seven, eleven) = (V::constant(7.0), V::constant(11.0));
    // The linear weights times ten.
    let (a1, a2, a3) = (w[0], V::constant(6.0) * w[1], V::constant(3.0) * w[2]);
    let c1 = (two * v[0] - seven * v[1]) + eleven * v[2];
    let c2 = (five * v[2] - v[1]) + two * v[3];
    let c3 = (two * v[2] + five * v[3]) - v[4];
    ((a1 * c1 + a2 * c2) + a3 * c3) / (V::constant(6.0) * ((a1 + a2) + a3))
}

/// Returns products of squares that are proportional to `1 / (S_k + e)^2`, given `S_k + e`.
#[inline(always)]
fn weights<V: Lanes>(s: [V; 3]) -> [V; 3] {
    let (a, b, c) = (s[1] * s[2], s[0] * s[2], s[0] * s[1]);
    [a * a, b * b, c * c]
}

/// Returns `phi_x` from differences ordered from upwind to downwind.
///
/// For `phi_x^-` at i, these are `D_{i-3} .. D_{i+1}`. For `phi_x^+` at i, they are `D_{i+2} ..
/// D_{i-2}`. Here, `D_j = phi_{j+1} - phi_j`.
#[inline(always)]
pub fn weno<V: Lanes>(v: [V; 5]) -> V {
    let square = [v[0] * v[0], v[1] * v[1], v[2] * v[2], v[3] * v[3], v[4] * v[4]];
    let inner = square[1].larger(square[2]).larger(square[3]);
    let e = floor(inner.larger(square[0].larger(square[4])));
    let s1 = smoothness(second(v[0], v[1], v[2]), slope(v[0], v[1], v[2]), e);
    let s2 = smoothness(second(v[1], v[2], v[3]), v[1] - v[3], e);
    let s3 = smoothness(second(v[2], v[3], v[4]), slope(v[4], v[3], v[2]), e);
    weighted(v, weights([s1, s2, s3]))
}

/// Returns `phi_x^-` and `phi_x^+` from the values at i-3 .. i+3. The results are bitwise identical
/// to those of [`weno`], but common parts are computed once.
#[inline(always)]
pub fn weno_both<V: Lanes>(p: [V; 7]) -> (V, V) {
    let d = differences(p);
    let square = [d[0] * d[0], d[1] * d[1], d[2] * d[2], d[3] * d[3], d[4] * d[4], d[5] * d[5]];
    let inner = square[1].larger(square[2]).larger(square[3].larger(square[4]));
    let (minus, plus) = (floor(inner.larger(square[0])), floor(inner.larger(square[5])));
    // Second differences around d1 .. d4.
    let (q1, q2) = (second(d[0], d[1], d[2]), second(d[1], d[2], d[3]));
    let (q3, q4) = (second(d[2], d[3], d[4]), second(d[3], d[4], d[5]));
    let s1 = smoothness(q1, slope(d[0], d[1], d[2]), minus);
    let s2 = smoothness(q2, d[1] - d[3], minus);
    let s3 = smoothness(q3, slope(d[4], d[3], d[2]), minus);
    let left = weighted([d[0], d[1], d[2], d[3], d[4]], weights([s1, s2, s3]));
    let s1 = smoothness(q4, slope(d[5], d[4], d[3]), plus);
    let s2 = smoothness(q3, d[4] - d[2], plus);
    let s3 = smoothness(q2, slope(d[1], d[2], d[3]), plus);
    let right = weighted([d[5], d[4], d[3], d[2], d[1]], weights([s1, s2, s3]));
    (left, right)
}

/// Returns the upwind derivative: `phi_x^-` if `wind` is positive, otherwise `phi_x^+`.
#[inline(always)]
pub fn weno_from<V: Lanes>(p: [V; 7], wind: V) -> V {
    let d = differences(p);
    let from_left = wind.gt(V::constant(0.0));
    weno([
        V::select(from_left, d[0], d[5]),
        V::select(from_left, d[1], d[4]),
        V::select(from_left, d[2], d[3]),
        V::select(from_left, d[3], d[2]),
        V::select(from_left, d[4], d[1]),
    ])
}

#[inline(always)]
fn differences<V: Lanes>(p: [V; 7]) -> [V; 6] {
    [p[1] - p[0], p[2] - p[1], p[3] - p[2], p[4] - p[3], p[5] - p[4], p[6] - p[5]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates the formula as published, except for the floor of e.
    fn printed(v: [f64; 5]) -> f64 {
        let [v1, v2, v3, v4, v5] = v;
        let square = |x: f64| x * x;
        let s = [
            13.0 / 12.0 * square(v1 - 2.0 * v2 + v3) + 0.25 * square(v1 - 4.0 * v2 + 3.0 * v3),
            13.0 / 12.0 * square(v2 - 2.0 * v3 + v4) + 0.25 * square(v2 - v4),
            13.0 / 12.0 * square(v3 - 2.0 * v4 + v5) + 0.25 * square(3.0 * v3 - 4.0 * v4 + v5),
        ];
        let e = 1e-6 * v.iter().fold(0f64, |most, v| most.max(v * v)) + 0.5f64.powi(46);
        let a = [0.1, 0.6, 0.3].iter().zip(s).map(|(c, s)| c / square(s + e));
        let candidates =
            [2.0 * v1 - 7.0 * v2 + 11.0 * v3, -v2 + 5.0 * v3 + 2.0 * v4, 2.0 * v3 + 5.0 * v4 - v5];
        let sum: f64 = a.clone().sum();
        a.zip(candidates).map(|(a, c)| a * c / 6.0).sum::<f64>() / sum
    }

    fn samples() -> Vec<[f64; 7]> {
        let wave = |i: f64| [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k| (0.9 * i + k).sin() * 3.0);
        let mut samples: Vec<_> = (0..40).map(|i| wave(f64::from(i))).collect();
        samples.push([-5.0, -5.0, -5.0, 5.0, 5.0, 5.0, 5.0]);
        samples.push([3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
        samples.push([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        samples.push([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 1e-9]);
        samples
    }

    #[test]
    fn one_division_gives_the_printed_formula() {
        for p in samples() {
            let d = differences(p);
            let (left, right) = weno_both(p);
            let expected = printed([d[0], d[1], d[2], d[3], d[4]]);
            assert!((left - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{p:?}");
            let expected = printed([d[5], d[4], d[3], d[2], d[1]]);
            assert!((right - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{p:?}");
        }
    }

    #[test]
    fn one_side_and_both_agree_bitwise() {
        for p in samples() {
            let (left, right) = weno_both(p);
            assert_eq!((weno_from(p, 1.0), weno_from(p, -1.0)), (left, right));
            let mut mirrored = p;
            mirrored.reverse();
            assert_eq!(weno_both(mirrored), (-right, -left));
        }
    }

    #[test]
    fn single_precision_neither_overflows_nor_vanishes() {
        for p in samples() {
            for scale in [1e-12, 1e-3, 1.0, 4.5] {
                let (left, right) = weno_both(p.map(|p| (scale * p) as f32));
                let (l, r) = weno_both(p.map(|p| f64::from((scale * p) as f32)));
                // In f32, very small slopes may become zero. The term 1e-7 allows for that at the
                // scale 1e-12.
                let size = scale * 10.0 + 1e-7;
                assert!((f64::from(left) - l).abs() < 1e-4 * size, "{left} {l} {p:?} {scale}");
                assert!((f64::from(right) - r).abs() < 1e-4 * size, "{right} {r} {p:?} {scale}");
            }
        }
    }

    #[test]
    fn the_order_on_a_sine_is_five() {
        let error = |n: u32| {
            let h = std::f64::consts::TAU / f64::from(n);
            let at = |i: u32, k: f64| ((f64::from(i) + k) * h).sin() / h;
            let errors = (0..n).flat_map(|i| {
                let p = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0].map(|k| at(i, k));
                let exact = (f64::from(i) * h).cos();
                let (left, right) = weno_both(p);
                [(left - exact).abs(), (right - exact).abs()]
            });
            errors.sum::<f64>() / f64::from(2 * n)
        };
        let errors = [20, 40, 80, 160].map(error);
        for pair in errors.windows(2) {
            assert!((pair[0] / pair[1]).log2() >= 4.8, "{errors:?}");
        }
    }
}
