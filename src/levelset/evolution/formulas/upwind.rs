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

impl<R: Real, const N: usize> Shares<R, N> {
    #[inline]
    fn new(m: &[R; N], h: R, meas: R) -> Self {
        Shares { num: m.map(|m| m * h), den: m.map(|m| m * meas) }
    }
}

/// Advection `H = a . grad phi` with the velocity `a` of the cell.
#[inline]
pub fn advection<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    a: &Vec3<R>,
) -> Shares<R, N> {
    let k = flux(s, a);
    if let Some((m, scale, h)) = upwind(phi, &k) {
        return Shares::new(&m, h * scale, s.meas * scale);
    }
    // H_T = 0, yet the cell counts in the denominator: by its inflow shares, the limit of the
    // one-target case. Without it step data overshoot (numerics 2.2, step 5).
    let m = k.map(|k| k.max(R::zero()));
    let inflow = m.iter().fold(R::zero(), |sum, &m| sum + m);
    let scale = if inflow > R::zero() { R::one() / inflow } else { R::zero() };
    Shares::new(&m, R::zero(), s.meas * scale)
}

/// Motion along the normal, `H = eps |grad phi|`, with the normal speed `eps` of the cell.
#[inline]
pub fn normal_speed<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    phi: &[R; N],
    g: &Vec3<R>,
    eps: R,
) -> Shares<R, N> {
    let none = Shares { num: [R::zero(); N], den: [R::zero(); N] };
    let norm = g.norm();
    if norm < R::narrow(1e-30) || eps == R::zero() {
        return none;
    }
    // Shares do not depend on the length of the wind, so it need not be a unit vector.
    let wind = if eps > R::zero() { *g } else { -*g };
    let k = s.grads.map(|grad| wind.dot(&grad));
    match upwind(phi, &k) {
        Some((m, scale, _)) => Shares::new(&m, eps * s.meas * norm * scale, s.meas * scale),
        None => none,
    }
}

/// `K_i = meas(T) b . grad N_i`, the flux of the wind `b`.
#[inline]
pub fn flux<R: Real, const N: usize>(s: &Simplex<R, N>, b: &Vec3<R>) -> [R; N] {
    std::array::from_fn(|i| s.meas * b.dot(&s.grads[i]))
}

/// The positive-coefficient scheme (numerics 2.2, steps 2 to 5; after Barth and Sethian): shares
/// `alpha~_i = m_i scale` and `H_T = sum K_i phi_i`; none if that vanishes to rounding.
#[inline]
fn upwind<R: Real, const N: usize>(phi: &[R; N], k: &[R; N]) -> Option<([R; N], R, R)> {
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
    // "Not larger" instead of "smaller", so that no wind at all vanishes too.
    if h.abs() <= R::ZERO_TEST * size * (high - low) || outflow == zero {
        return None;
    }
    let phi_in = carried / outflow;
    let sign = if h > zero { R::one() } else { -R::one() };
    let m: [R; N] = std::array::from_fn(|i| (sign * k[i].max(zero) * (phi[i] - phi_in)).max(zero));
    let sum = m.iter().fold(zero, |sum, &m| sum + m);
    if sum == zero { None } else { Some((m, R::one() / sum, h)) }
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
