//! Strictly monotone forms of the first-order terms (docs/level-set.md, section 2.6). They never
//! create a new extremum but have a larger error than the default forms.

use super::upwind::{Shares, flux, outflows};
use crate::geometry::{Real, Vec3, simplex::Simplex};

/// Returns the advection contributions of a cell if all of its flux goes to a single vertex;
/// otherwise zero.
///
/// Only the cell that the wind comes from counts, with its full measure.
#[inline]
pub fn cone<R: Real, const N: usize>(s: &Simplex<R, N>, phi: &[R; N], a: &Vec3<R>) -> Shares<R, N> {
    let k = flux(s, a);
    let zero = R::zero();
    let mut shares = Shares { num: [zero; N], den: [zero; N] };
    let (out, ..) = outflows(&k);
    let mut targets = out.iter().enumerate().filter(|(_, out)| **out > zero);
    if let (Some((i, _)), None) = (targets.next(), targets.next()) {
        shares.num[i] = s.meas * (1..N).fold(zero, |h, j| h + k[j] * (phi[j] - phi[0]));
        shares.den[i] = s.meas;
    }
    shares
}

/// Returns the value of `|grad phi|`, without a unit, that a cell with vertices `x` offers to each
/// vertex by the Hopf-Lax formula.
///
/// It is the largest slope among the edges, the faces and the cell itself, counting only those
/// whose gradient leads up to the vertex. Each vertex takes the largest value that its cells offer.
#[inline]
pub fn hopf_lax<R: Real, const N: usize>(
    x: &[Vec3<R>; N],
    s: &Simplex<R, N>,
    phi: &[R; N],
) -> [R; N] {
    let mut slope = [R::zero(); N];
    for i in 0..N {
        for j in (0..N).filter(|&j| j != i) {
            slope[i] = slope[i].max((phi[i] - phi[j]) / (x[i] - x[j]).norm());
        }
    }
    if N == 4 {
        for apex in 0..N {
            let face: [usize; 3] = std::array::from_fn(|k| k + usize::from(k >= apex));
            let s = Simplex::<R, 3>::new(&face.map(|v| x[v]));
            let offers = from_below(&s, &face.map(|v| phi[v]));
            for (&v, offer) in face.iter().zip(offers) {
                slope[v] = slope[v].max(offer);
            }
        }
    }
    let offers = from_below(s, phi);
    std::array::from_fn(|i| slope[i].max(offers[i]))
}

/// Returns `|g|` for each vertex toward which `g` points uphill from all other vertices of the
/// simplex, and 0 for the rest.
fn from_below<R: Real, const N: usize>(s: &Simplex<R, N>, phi: &[R; N]) -> [R; N] {
    let g = s.gradient(phi);
    let norm = g.norm();
    let leads = |j: usize| g.dot(&s.grads[j]) <= R::zero();
    std::array::from_fn(|i| if (0..N).all(|j| j == i || leads(j)) { norm } else { R::zero() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cone_takes_the_upwind_cell_only() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let s = Simplex::<f64, 3>::new(&x);
        let to_origin = cone(&s, &[1.0, 2.0, 4.0], &Vec3::new(-1.0, -1.0, 0.0));
        assert_eq!(to_origin.num, [-2.0, 0.0, 0.0]);
        assert_eq!(to_origin.den, [0.5, 0.0, 0.0]);
        let split = cone(&s, &[1.0, 2.0, 4.0], &Vec3::new(1.0, 1.0, 0.0));
        assert_eq!(split.den, [0.0; 3]);
    }

    #[test]
    fn hopf_lax_sees_the_steepest_way_from_below() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let s = Simplex::<f64, 4>::new(&x);
        // Vertex 0 lies above the other three, so the gradient of the cell leads to it.
        let above = hopf_lax(&x, &s, &[1.0, 0.0, 0.0, 0.0]);
        assert!((above[0] - 3.0f64.sqrt()).abs() < 1e-15);
        // The edges from vertex 0 are the steepest. Vertex 0 itself is a minimum.
        let below = hopf_lax(&x, &s, &[0.0, 1.0, 1.0, 1.0]);
        assert_eq!(below, [0.0, 1.0, 1.0, 1.0]);
    }
}
