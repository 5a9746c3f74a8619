//! First-order terms by the positive-coefficient scheme of Barth and Sethian (docs/level-set.md,
//! section 2.2).

use crate::geometry::{Real, Vec3, simplex::Simplex};

/// The contributions of a cell to a first-order term H: for each vertex a numerator and a
/// denominator of `sum alpha~ H_T / sum alpha~ meas(T)` (docs/level-set.md, equation (2)).
/// Numerators have the unit of H times that of the measure, and denominators that of the measure.
#[derive(Clone, Copy, Debug)]
pub struct Shares<R, const N: usize> {
    /// `alpha~_i H_T`.
    pub num: [R; N],
    /// `alpha~_i meas(T)`.
    pub den: [R; N],
}

impl<R: Real, const N: usize> Shares<R, N> {
    #[inline]
    fn new(m: [R; N], h: R, meas: R) -> Self {
        Shares { num: m.map(|m| m * h), den: m.map(|m| m * meas) }
    }
}

/// Returns the contributions to advection, `H = a . grad phi`, with the velocity `a` of the cell.
#[inline]
pub fn advection<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    a: &Vec3<R>,
) -> Shares<R, N> {
    let zero = R::zero();
    let k = flux(s, a);
    let (rise, range) = rises(phi);
    let (out, outflow, size) = outflows(&k);
    let mut h = k[1] * rise[1];
    for i in 2..N {
        h += k[i] * rise[i];
    }
    let sign = if h > zero { R::one() } else { -R::one() };
    let (m, sum) = shares_of(&rise, range, &k, &out, outflow, sign);
    // `<=` instead of `<`, so that H also counts as zero without any wind.
    let vanishes = h.abs() <= R::ZERO_TEST * size * range;
    if !vanishes && sum > R::LEAST {
        let scale = R::one() / sum;
        return Shares::new(m.map(|m| m * scale), s.meas * h, s.meas);
    }
    // H_T = 0, yet the cell still counts in the denominator. It is weighted by its outflow, which
    // is the limit of the case with a single target. Without this weight, step data overshoots
    // (docs/level-set.md, section 2.2, item 5).
    let scale = if outflow > R::LEAST { R::one() / outflow } else { zero };
    Shares::new(out.map(|out| out * scale), zero, s.meas)
}

/// Returns the contributions to motion along the normal, `H = eps |grad phi|`, with the normal
/// speed `eps` of the cell.
#[inline]
pub fn normal_speed<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    g: &Vec3<R>,
    eps: R,
) -> Shares<R, N> {
    // The fractions do not depend on the length of the wind vector, so it need not be a unit
    // vector. If the inside shrinks, the scheme is applied to -phi.
    let sign = if eps > R::zero() { R::one() } else { -R::one() };
    let k = flux(s, g).map(|slope| sign * slope);
    let (rise, range) = rises(phi);
    let (out, outflow, _) = outflows(&k);
    let (m, sum) = shares_of(&rise, range, &k, &out, outflow, sign);
    let counts = sum > R::LEAST && eps != R::zero();
    if !counts {
        return Shares { num: [R::zero(); N], den: [R::zero(); N] };
    }
    let scale = R::one() / sum;
    Shares::new(m.map(|m| m * scale), eps * s.meas * g.norm(), s.meas)
}

/// Returns `K_i = b . grad N_i`, the flux of the wind `b` for a measure of 1, in the unit of `b`
/// per mesh unit. The fluxes add up to zero.
#[inline]
pub fn flux<R: Real, const N: usize>(s: &Simplex<R, N>, b: &Vec3<R>) -> [R; N] {
    let mut k = s.grads.map(|grad| b.dot(&grad));
    k[0] = -k[2..].iter().fold(k[1], |sum, &k| sum + k);
    k
}

/// Returns the positive part of each flux (positive flux flows to the vertex), the sum of these
/// parts, and the sum of all `|K_i|`.
///
/// A flux within rounding of zero counts as zero. Otherwise, a vertex that receives only a rounding
/// error would move, because the numerator and the denominator of its speed would be equally small.
#[inline]
pub(super) fn outflows<R: Real, const N: usize>(k: &[R; N]) -> ([R; N], R, R) {
    let mut size = k[0].abs();
    for k in &k[1..] {
        size += k.abs();
    }
    let limit = R::ZERO_TEST * size;
    let out = k.map(|k| if k > limit { k } else { R::zero() });
    let mut sum = out[0];
    for &out in &out[1..] {
        sum += out;
    }
    (out, sum, size)
}

/// Returns the differences between the values of phi and the first value, so that a large offset
/// does not cost accuracy, and the sum of their absolute values.
#[inline]
fn rises<R: Real, const N: usize>(phi: &[R; N]) -> ([R; N], R) {
    let mut rise = [R::zero(); N];
    rise[1] = phi[1] - phi[0];
    let mut range = rise[1].abs();
    for i in 2..N {
        rise[i] = phi[i] - phi[0];
        range += rise[i].abs();
    }
    (rise, range)
}

/// Returns the weights `m_i = K_i^+ (phi_i - phi_in)` of the positive-coefficient scheme, up to a
/// common factor, and their sum (docs/level-set.md, section 2.2, items 2 to 5).
///
/// A weight is zero if it does not have the sign of `sign` or is within rounding of zero. `phi_in -
/// phi_0` is `-carried / outflow`. The fractions do not depend on the common factor, so the
/// division by `outflow` is omitted.
#[inline]
fn shares_of<R: Real, const N: usize>(
    rise: &[R; N],
    range: R,
    k: &[R; N],
    out: &[R; N],
    outflow: R,
    sign: R,
) -> ([R; N], R) {
    let mut carried = (k[1] - out[1]) * rise[1];
    for i in 2..N {
        carried += (k[i] - out[i]) * rise[i];
    }
    let limit = R::ZERO_TEST * outflow * range;
    let (outflow, carried) = (outflow * sign, carried * sign);
    let m: [R; N] = std::array::from_fn(|i| {
        let ahead = if i == 0 { carried } else { rise[i] * outflow + carried };
        if ahead > limit { out[i] * ahead } else { R::zero() }
    });
    let mut sum = m[0];
    for &m in &m[1..] {
        sum += m;
    }
    (m, sum)
}

#[cfg(test)]
mod tests {
    use super::super::curvature;
    use super::*;
    use proptest::prelude::*;

    fn check<const N: usize>(v: &[f64], phi: &[f64], a: Vec3) -> Result<(), TestCaseError> {
        let x: [Vec3; N] = std::array::from_fn(|i| Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
        let s = Simplex::new(&x);
        prop_assume!(s.inradius() > 1e-2);
        let phi: [f64; N] = std::array::from_fn(|i| phi[i]);
        let g = s.gradient(&phi);
        // The contributions of a cell add up to the integral of its Hamiltonian and to its measure.
        for (shares, exact) in [
            (advection(&s, &phi, &a), s.meas * a.dot(&g)),
            (normal_speed(&s, &phi, &g, 0.7), s.meas * 0.7 * g.norm()),
            (normal_speed(&s, &phi, &g, -0.7), s.meas * -0.7 * g.norm()),
        ] {
            prop_assert!((shares.num.iter().sum::<f64>() - exact).abs() < 1e-12);
            prop_assert!((shares.den.iter().sum::<f64>() - s.meas).abs() < 1e-12);
            prop_assert!(shares.den.iter().all(|&d| d >= 0.0));
        }
        let (residual, mass) = curvature(&s, &g, 0.0);
        prop_assert!(residual.iter().sum::<f64>().abs() < 1e-12 && mass > 0.0);
        Ok(())
    }

    proptest! {
        #[test]
        fn shares_add_up(
            v in proptest::collection::vec(-1.0f64..1.0, 12),
            phi in proptest::array::uniform4(-1.0f64..1.0),
            a in proptest::array::uniform3(-1.0f64..1.0),
        ) {
            check::<3>(&v, &phi, a.into())?;
            check::<4>(&v, &phi, a.into())?;
        }
    }

    #[test]
    fn rounding_moves_nothing() {
        // First with wind along the edge ab, so that nothing may flow to c; then with motion along
        // the normal, where phi rises only from ab to c.
        let turned = |angle: f64| {
            let of = |x: f64, y: f64| {
                Vec3::new(x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos(), 0.0)
            };
            [of(0.0, 0.0), of(1.0, 0.0), of(-0.5, 0.7), of(1.0, 0.0)]
        };
        for k in 0..100 {
            let [a, b, c, along] = turned(0.1 * f64::from(k));
            let s = Simplex::new(&[a, b, c]);
            let shares = advection(&s, &[0.0, 1.0, 0.3], &along);
            assert_eq!(shares.den[2], 0.0, "nothing flows to the third corner");
            // The angle at a is obtuse, so b receives a positive flux although it is not higher
            // than a.
            let (s, phi) = (Simplex::new(&[c, a, b]), [1.3, 0.7, 0.7]);
            let shares = normal_speed(&s, &phi, &s.gradient(&phi), 1.0);
            assert_eq!(shares.den[1..], [0.0; 2], "only c is higher");
        }
    }

    #[test]
    fn still_cells_give_no_motion() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let s = Simplex::new(&x);
        let flat = [5.0; 3];
        let shares = advection(&s, &flat, &Vec3::new(1.0, 0.5, 0.0));
        assert_eq!(shares.num, [0.0; 3]);
        assert!(
            (shares.den.iter().sum::<f64>() - 0.5).abs() < 1e-15,
            "cells without a slope still count"
        );
        assert_eq!(advection(&s, &flat, &Vec3::zeros()).den, [0.0; 3]);
        let g = s.gradient(&flat);
        assert_eq!(normal_speed(&s, &flat, &g, 1.0).den, [0.0; 3]);
        assert_eq!(curvature(&s, &g, 0.0).0, [0.0; 3]);
    }
}
