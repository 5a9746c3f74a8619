//! First-order terms by the positive-coefficient scheme (numerics 2.2; after Barth and Sethian).

use crate::geometry::{Real, Vec3, simplex::Simplex};

/// Shares of a first-order term H: what each vertex gathers as numerator and denominator of
/// `sum alpha~ H_T / sum alpha~ meas(T)` (numerics equation 2).
#[derive(Clone, Copy, Debug)]
pub struct Shares<R, const N: usize> {
    /// `alpha~_i H_T`.
    pub num: [R; N],
    /// `alpha~_i meas(T)`.
    pub den: [R; N],
}

/// Advection `H = a . grad phi` with the velocity `a` of the cell.
#[inline]
pub fn advection<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    a: &Vec3<R>,
) -> Shares<R, N> {
    let k = flux(s, a);
    let (shares, vanishes) = upwind(s, phi, &k);
    if !vanishes {
        return shares;
    }
    // H_T = 0, yet the cell counts in the denominator: by its inflow shares, the limit of the
    // one-target case. Without it step data overshoot (numerics 2.2, step 5).
    let inflow = k.iter().fold(R::zero(), |sum, &k| sum + k.max(R::zero()));
    let mut den = [R::zero(); N];
    if inflow > R::zero() {
        for (den, &k) in den.iter_mut().zip(&k) {
            *den = k.max(R::zero()) / inflow * s.meas;
        }
    }
    Shares { num: [R::zero(); N], den }
}

/// Motion along the normal, `H = eps |grad phi|`, with the normal speed `eps` of the cell.
#[inline]
pub fn normal_speed<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    g: &Vec3<R>,
    eps: R,
) -> Shares<R, N> {
    let norm = g.norm();
    if norm < R::narrow(1e-30) {
        return Shares { num: [R::zero(); N], den: [R::zero(); N] };
    }
    let (shares, vanishes) = upwind(s, phi, &flux(s, &(g * (eps / norm))));
    if vanishes { Shares { num: [R::zero(); N], den: [R::zero(); N] } } else { shares }
}

/// `K_i = meas(T) b . grad N_i`, the flux of the wind `b`.
#[inline]
pub fn flux<R: Real, const N: usize>(s: &Simplex<R, N>, b: &Vec3<R>) -> [R; N] {
    std::array::from_fn(|i| s.meas * b.dot(&s.grads[i]))
}

/// The positive-coefficient scheme (numerics 2.2, steps 2 to 5; after Barth and Sethian), and
/// whether `H_T` vanishes to rounding.
#[inline]
fn upwind<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    k: &[R; N],
) -> (Shares<R, N>, bool) {
    let zero = R::zero();
    // Differences to one vertex: a large offset of phi must not cost accuracy.
    let phi: [R; N] = std::array::from_fn(|i| phi[i] - phi[0]);
    let (mut h, mut outflow, mut carried, mut size) = (zero, zero, zero, zero);
    let (mut low, mut high) = (phi[0], phi[0]);
    for i in 0..N {
        h += k[i] * phi[i];
        size += k[i].abs();
        let negative = k[i].min(zero);
        outflow += negative;
        carried += negative * phi[i];
        low = low.min(phi[i]);
        high = high.max(phi[i]);
    }
    let mut num = [zero; N];
    let mut den = [zero; N];
    // "Not larger" instead of "smaller", so that no wind at all vanishes too.
    if h.abs() <= R::ZERO_TEST * size * (high - low) || outflow == zero {
        return (Shares { num, den }, true);
    }
    let phi_in = carried / outflow;
    let sign = if h > zero { R::one() } else { -R::one() };
    let mut m = [zero; N];
    let mut sum = zero;
    for i in 0..N {
        m[i] = (sign * k[i].max(zero) * (phi[i] - phi_in)).max(zero);
        sum += m[i];
    }
    if sum == zero {
        return (Shares { num, den }, true);
    }
    for i in 0..N {
        let alpha = m[i] / sum;
        num[i] = alpha * h;
        den[i] = alpha * s.meas;
    }
    (Shares { num, den }, false)
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
        // The shares of a cell add up to the integral of its Hamiltonian and to its measure.
        for (shares, exact) in [
            (advection(&s, &phi, &a), s.meas * a.dot(&g)),
            (normal_speed(&s, &phi, &g, 0.7), s.meas * 0.7 * g.norm()),
            (normal_speed(&s, &phi, &g, -0.7), s.meas * -0.7 * g.norm()),
        ] {
            prop_assert!((shares.num.iter().sum::<f64>() - exact).abs() < 1e-12);
            prop_assert!((shares.den.iter().sum::<f64>() - s.meas).abs() < 1e-12);
            prop_assert!(shares.den.iter().all(|&d| d >= 0.0));
        }
        let (residual, mass) = curvature(&s, &g);
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
    fn still_cells_give_no_motion() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let s = Simplex::new(&x);
        let flat = [5.0; 3];
        let shares = advection(&s, &flat, &Vec3::new(1.0, 0.5, 0.0));
        assert_eq!(shares.num, [0.0; 3]);
        assert!((shares.den.iter().sum::<f64>() - 0.5).abs() < 1e-15, "flat cells still weigh");
        assert_eq!(advection(&s, &flat, &Vec3::zeros()).den, [0.0; 3]);
        let g = s.gradient(&flat);
        assert_eq!(normal_speed(&s, &flat, &g, 1.0).den, [0.0; 3]);
        assert_eq!(curvature(&s, &g).0, [0.0; 3]);
    }
}
