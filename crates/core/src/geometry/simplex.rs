//! Measures, gradients and closest points of single triangles and tetrahedra.
//!
//! The formulas are in docs/level-set.md, section 2.1. `N` is the number of vertices, 3 or 4, and d
//! = N - 1. Lengths are in mesh units, measures in mesh units to the power d.

use super::{Real, Vec3};

/// The measure of a simplex and the gradients of its linear basis functions.
#[derive(Clone, Copy, Debug)]
pub struct Simplex<R: Real, const N: usize> {
    /// The area (N = 3) or volume (N = 4) in squared or cubed units of length, never negative.
    pub meas: R,
    /// The gradients of the basis functions, tangential to the simplex. Their sum is zero.
    pub grads: [Vec3<R>; N],
}

impl<R: Real, const N: usize> Simplex<R, N> {
    /// Computes the geometry of the simplex with vertices `x`, `[d + 1]`, in any orientation.
    ///
    /// A degenerate simplex gives gradients that are infinite or NaN. [`crate::mesh::clean`]
    /// removes such simplices before they reach a solver.
    #[inline]
    pub fn new(x: &[Vec3<R>; N]) -> Self {
        let mut grads = [Vec3::zeros(); N];
        let e1 = x[1] - x[0];
        let e2 = x[2] - x[0];
        let normal = e1.cross(&e2);
        let meas;
        if N == 3 {
            let det = normal.norm_squared();
            meas = det.sqrt() * R::of(0.5);
            let inverse = R::one() / det;
            grads[1] = e2.cross(&normal) * inverse;
            grads[2] = normal.cross(&e1) * inverse;
            grads[0] = -(grads[1] + grads[2]);
        } else {
            let e3 = x[3] - x[0];
            let det = normal.dot(&e3);
            meas = det.abs() * R::of(1.0 / 6.0);
            let inverse = R::one() / det;
            grads[1] = e2.cross(&e3) * inverse;
            grads[2] = e3.cross(&e1) * inverse;
            grads[3] = normal * inverse;
            grads[0] = -(grads[1] + grads[2] + grads[3]);
        }
        Simplex { meas, grads }
    }

    /// Returns the gradient of the linear function with vertex values `phi`, in units of `phi` per
    /// unit of length.
    ///
    /// The first value is subtracted before the products are formed, so that a large offset of
    /// `phi` does not reduce the accuracy.
    #[inline]
    pub fn gradient(&self, phi: &[R; N]) -> Vec3<R> {
        let mut g = self.grads[1] * (phi[1] - phi[0]);
        for i in 2..N {
            g += self.grads[i] * (phi[i] - phi[0]);
        }
        g
    }

    /// Returns the radius of the inscribed circle or ball, `1 / sum_i |grad N_i|`, in
    /// the unit of the vertices.
    #[inline]
    pub fn inradius(&self) -> R {
        let sum = self.grads.iter().fold(R::zero(), |s, g| s + g.norm());
        R::one() / sum
    }
}

/// Returns the length of the longest edge of a simplex with vertices `x`, in their unit.
pub fn longest_edge<R: Real>(x: &[Vec3<R>]) -> R {
    let mut longest = R::zero();
    for i in 0..x.len() {
        for j in 0..i {
            longest = longest.max((x[i] - x[j]).norm());
        }
    }
    longest
}

/// Returns the quality of a cell: its inradius divided by its longest edge, scaled so that a
/// regular simplex has quality 1.
#[inline]
pub fn quality<R: Real, const N: usize>(s: &Simplex<R, N>, x: &[Vec3<R>; N]) -> R {
    // sqrt(2 d (d + 1)): 2 sqrt(3) for triangles, 2 sqrt(6) for tetrahedra.
    let scale = R::of((2.0 * ((N - 1) * N) as f64).sqrt());
    scale * s.inradius() / longest_edge(x)
}

/// Returns the point of the simplex `x` (1 to 4 vertices) closest to `p`, or `p` if `x` has a
/// different number of vertices.
pub fn closest_point(p: Vec3, x: &[Vec3]) -> Vec3 {
    match *x {
        [a] => a,
        [a, b] => closest_on_segment(p, a, b),
        [a, b, c] => closest_in_triangle(p, a, b, c),
        [a, b, c, d] => closest_in_tetrahedron(p, [a, b, c, d]),
        _ => p,
    }
}

fn closest_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let e = b - a;
    let length2 = e.norm_squared();
    if length2 == 0.0 {
        return a;
    }
    a + e * ((p - a).dot(&e) / length2).clamp(0.0, 1.0)
}

#[inline]
fn nearer(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    if (b - p).norm_squared() < (a - p).norm_squared() { b } else { a }
}

#[inline]
fn closest_in_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    Facet::new([a, b, c]).closest(p)
}

/// A triangle prepared for many closest-point queries.
#[derive(Clone, Copy, Debug)]
pub struct Facet {
    corners: [Vec3; 3],
    grads: [Vec3; 2],
    sliver: bool,
}

impl Facet {
    /// Prepares a triangle from its corners in mesh units.
    pub fn new(corners: [Vec3; 3]) -> Self {
        let [a, b, c] = corners;
        let t = Simplex::new(&corners);
        // In a sliver, rounding dominates the barycentric coordinates, so the closest point on its
        // sides may be the better result.
        let sliver =
            4.0 * t.meas * t.meas <= 1e-12 * (b - a).norm_squared() * (c - a).norm_squared();
        Facet { corners, grads: [t.grads[1], t.grads[2]], sliver }
    }

    /// Returns the point closest to `p`.
    #[inline]
    pub fn closest(&self, p: Vec3) -> Vec3 {
        let [a, b, c] = self.corners;
        let [l1, l2] = self.grads.map(|grad| grad.dot(&(p - a)));
        let over = l1 >= 0.0 && l2 >= 0.0 && l1 + l2 <= 1.0;
        let inner = a + (b - a) * l1 + (c - a) * l2;
        if over && !self.sliver {
            return inner;
        }
        let on_sides = nearer(p, closest_on_segment(p, a, b), closest_on_segment(p, b, c));
        let on_sides = nearer(p, on_sides, closest_on_segment(p, c, a));
        if over { nearer(p, on_sides, inner) } else { on_sides }
    }
}

fn closest_in_tetrahedron(p: Vec3, x: [Vec3; 4]) -> Vec3 {
    let t = Simplex::new(&x);
    let inside = (1..4).all(|i| t.grads[i].dot(&(p - x[0])) >= 0.0)
        && (1..4).map(|i| t.grads[i].dot(&(p - x[0]))).sum::<f64>() <= 1.0;
    if inside {
        return p;
    }
    let mut best = closest_in_triangle(p, x[1], x[2], x[3]);
    for (i, j, k) in [(0, 2, 3), (0, 1, 3), (0, 1, 2)] {
        best = nearer(p, best, closest_in_triangle(p, x[i], x[j], x[k]));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points<const N: usize>(v: &[f64]) -> [Vec3; N] {
        std::array::from_fn(|i| Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]))
    }

    fn check<const N: usize>(v: &[f64], a: Vec3) -> Result<(), TestCaseError> {
        let x: [Vec3; N] = points(v);
        let s = Simplex::new(&x);
        prop_assume!(s.inradius() > 1e-3);
        // The gradient on the simplex is the tangential part of `a`. Therefore, `a` and the
        // gradient give the same differences along edges.
        let phi: [f64; N] = std::array::from_fn(|i| 7.0 + a.dot(&x[i]));
        let g = s.gradient(&phi);
        for i in 1..N {
            let edge = x[i] - x[0];
            prop_assert!((g.dot(&edge) - a.dot(&edge)).abs() < 1e-9);
        }
        // Altitudes bound the inradius: r <= min altitude / 2.
        let lowest = s.grads.iter().map(|g| 1.0 / g.norm()).fold(f64::INFINITY, f64::min);
        prop_assert!(s.inradius() <= 0.5 * lowest);
        Ok(())
    }

    proptest! {
        #[test]
        fn gradients_of_linear_functions(
            v in proptest::collection::vec(-1.0f64..1.0, 12),
            a in proptest::array::uniform3(-1.0f64..1.0),
        ) {
            check::<3>(&v, a.into())?;
            check::<4>(&v, a.into())?;
        }

        #[test]
        fn closest_points_are_not_beaten_by_samples(
            v in proptest::collection::vec(-1.0f64..1.0, 12),
            p in proptest::array::uniform3(-2.0f64..2.0),
            w in proptest::collection::vec(0.01f64..1.0, 4),
        ) {
            let x: [Vec3; 4] = points(&v);
            let p = Vec3::from(p);
            for n in [3, 4] {
                prop_assume!(n == 3 || Simplex::new(&x).meas > 1e-3);
                let sum: f64 = w[..n].iter().sum();
                let sample: Vec3 = (0..n).map(|i| x[i] * (w[i] / sum)).sum();
                let best = closest_point(p, &x[..n]);
                prop_assert!((best - p).norm() <= (sample - p).norm() + 1e-9);
            }
        }
    }

    #[test]
    fn closest_points_of_slivers_are_found_on_their_sides() {
        let x = points::<3>(&[0., 0., 0., 1., 1e-15, 0.3, 3., 0., 0.9]);
        for t in [0.1, 0.4, 0.77] {
            let p = x[2] * t + Vec3::new(0.0, 0.5, 0.0);
            let found = (closest_point(p, &x) - p).norm();
            assert!((found - 0.5).abs() < 1e-13, "{t}: {found}");
        }
    }

    #[test]
    fn measures_of_unit_simplices() {
        let x = points::<4>(&[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]);
        assert_eq!(Simplex::new(&x).meas, 1.0 / 6.0);
        assert_eq!(Simplex::new(&[x[0], x[1], x[2]]).meas, 0.5);
        assert_eq!(longest_edge(&x), 2f64.sqrt());
    }

    #[test]
    fn regular_simplices_have_quality_one() {
        let h = 3.0f64.sqrt() / 2.0;
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.5, h, 0.0)];
        assert!((quality(&Simplex::<f64, 3>::new(&x), &x) - 1.0).abs() < 1e-15);
        let top = Vec3::new(0.5, h / 3.0, (2.0f64 / 3.0).sqrt());
        let x = [x[0], x[1], x[2], top];
        assert!((quality(&Simplex::<f64, 4>::new(&x), &x) - 1.0).abs() < 1e-14);
        let flat = [Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 0.01, 0.0)];
        assert!(quality(&Simplex::<f64, 3>::new(&flat), &flat) < 0.02);
    }
}
