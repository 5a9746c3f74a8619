//! Second-order advection by a Taylor-Galerkin step (docs/level-set.md, section 2.5).

use crate::geometry::{Real, Vec3, simplex::Simplex};

/// Returns the right-hand side of the step for each vertex, in the unit of phi times that of the
/// measure.
///
/// It is `- dt meas s (1/(d+1) + dt/2 (a . grad N_i + div a / (d+1)))` with `s = a . g`. `a` is the
/// velocity of the cell at the middle of the step or its mean over the step, and `divergence` is
/// the divergence of the linear interpolant of the velocity (docs/level-set.md, equation (2.5)).
///
/// The boundary integral from the integration by parts is omitted. It vanishes in the interior of
/// the domain and along walls, and omitting it is correct at an outflow boundary if phi leaves the
/// domain unchanged.
#[inline]
pub fn residual<R: Real, const N: usize>(
    s: &Simplex<R, N>,
    g: &Vec3<R>,
    a: &Vec3<R>,
    divergence: R,
    dt: R,
) -> [R; N] {
    let share = R::one() / R::of(N as f64);
    let half = dt * R::of(0.5);
    let rate = -dt * s.meas * a.dot(g);
    std::array::from_fn(|i| rate * (share + half * (a.dot(&s.grads[i]) + divergence * share)))
}

/// Returns the product of the consistent mass matrix of a cell with `x`, in the unit of `meas`
/// times that of `x`.
///
/// Entry i is `meas / ((d+1) (d+2)) (x_i + sum x)`.
#[inline]
pub fn mass_product<R: Real, const N: usize>(meas: R, x: &[R; N]) -> [R; N] {
    let scale = meas * (R::one() / R::of((N * (N + 1)) as f64));
    let sum = x.iter().fold(R::zero(), |sum, &x| sum + x);
    x.map(|x| scale * (x + sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_integrals() {
        let x = [Vec3::zeros(), Vec3::new(2.0, 0.1, 0.0), Vec3::new(0.3, 1.0, 0.5)];
        let s = Simplex::<f64, 3>::new(&x);
        let a = Vec3::new(0.5, 0.25, 0.0);
        let g = s.gradient(&[1.0, -0.5, 2.0]);
        // With divergence 0, the second-order terms add up to zero over the vertices.
        let sum: f64 = residual(&s, &g, &a, 0.0, 0.1).iter().sum();
        assert!((sum + 0.1 * s.meas * a.dot(&g)).abs() < 1e-15);
        let product = mass_product(s.meas, &[1.0, 1.0, 1.0]);
        assert!(product.iter().all(|&m| (m - s.meas / 3.0).abs() < 1e-15));
    }
}
