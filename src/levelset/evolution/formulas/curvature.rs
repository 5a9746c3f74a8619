//! The curvature term, explicit (docs/level-set.md, section 3.1) and semi-implicit (section 3.2).

use super::upwind::flux;
use crate::geometry::{Real, Vec3, simplex::Simplex};

/// The lower bound on `|grad phi|` in the curvature term. `|grad phi|` is usually about 1, because
/// phi is kept close to a signed distance function.
const DELTA: f64 = 1e-3;

/// Returns the curvature contributions of a cell: `meas grad N_i . g / |g|` per vertex, in mesh
/// units to the power d - 1, and the lumped mass `meas / ((d+1) |g|)`.
///
/// Both replace `|g|` by `sqrt(|g|^2 + delta^2)`, or by `least` if this is larger
/// (docs/level-set.md, equation (3)).
#[inline]
pub fn curvature<R: Real, const N: usize>(s: &Simplex<R, N>, g: &Vec3<R>, least: R) -> ([R; N], R) {
    let weight = s.meas * inverse_norm(g, least);
    (flux(s, g).map(|slope| weight * slope), weight * (R::one() / R::of(N as f64)))
}

/// Returns the stiffness entries of a cell, `meas grad N_i . grad N_j / |g|`, in mesh units to the
/// power d - 2, and the lumped mass as in [`curvature`].
///
/// There is one entry for each pair i < j, row by row. They fill the first `N (N - 1) / 2` of the
/// six slots.
#[inline]
pub fn stiffness<R: Real, const N: usize>(s: &Simplex<R, N>, g: &Vec3<R>, least: R) -> ([R; 6], R) {
    let weight = s.meas * inverse_norm(g, least);
    let mut pairs = [R::zero(); 6];
    let mut k = 0;
    for i in 0..N {
        for j in i + 1..N {
            pairs[k] = weight * s.grads[i].dot(&s.grads[j]);
            k += 1;
        }
    }
    (pairs, weight * (R::one() / R::of(N as f64)))
}

/// Returns `1 / |g|`, with `|g|` replaced by `sqrt(|g|^2 + delta^2)`, or by `least` if this is
/// larger.
#[inline]
fn inverse_norm<R: Real>(g: &Vec3<R>, least: R) -> R {
    R::one() / (g.norm_squared() + R::of(DELTA * DELTA)).max(least * least).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stiffness_and_residual_are_the_same_operator() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.2, 1.0, 0.0), Vec3::new(0.1, 0.3, 0.9)];
        let s = Simplex::<f64, 4>::new(&x);
        let phi = [0.3, -1.0, 0.5, 2.0];
        let g = s.gradient(&phi);
        let (residual, mass) = curvature(&s, &g, 0.0);
        let (pairs, same) = stiffness(&s, &g, 0.0);
        assert_eq!(mass, same);
        let mut product = [0.0; 4];
        let mut k = 0;
        for i in 0..4 {
            for j in i + 1..4 {
                product[i] += pairs[k] * (phi[j] - phi[i]);
                product[j] += pairs[k] * (phi[i] - phi[j]);
                k += 1;
            }
        }
        assert!(residual.iter().zip(product).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn flat_cells_count_as_cells_of_the_least_slope() {
        let s = Simplex::<f64, 3>::new(&[Vec3::zeros(), Vec3::x(), Vec3::y()]);
        let mass = |slope: f64, least| curvature(&s, &(Vec3::x() * slope), least).1;
        let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * b;
        assert!(close(mass(0.0, 0.0), mass(1.0, 0.0) / DELTA));
        assert!(close(mass(0.0, 0.125), 8.0 * mass(1.0, 0.125)));
        assert_eq!(mass(0.2, 0.125), mass(0.2, 0.0));
        assert_eq!(stiffness(&s, &Vec3::zeros(), 0.125).1, mass(0.0, 0.125));
    }
}
