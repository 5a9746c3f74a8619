//! Local solvers: arrival time at one vertex of a simplex over the opposite face.
//!
//! Numerics 5.1 and 5.2. Each returns
//! `min over points x of the face of u(x) + f |C - x|`, u linear on the face, f the slowness
//! (time per length). The minimum is exact for every angle, so obtuse cells need no special care.
//! Vertices may still be unreached (infinite).

use crate::geometry::{Real, Vec3};

/// Arrival at `c` over the edge `ab` with arrival times `ua`, `ub`.
#[inline]
pub fn triangle<R: Real>(ua: R, ub: R, a: &Vec3<R>, b: &Vec3<R>, c: &Vec3<R>, f: R) -> R {
    let to_c = c - a;
    if ua < R::INFINITY && ub < R::INFINITY {
        let edge = b - a;
        let length2 = edge.norm_squared();
        let rise = ub - ua;
        // |p| < f with p = rise / length: the front moves along the edge slower than it may.
        let w2 = f * f * length2 - rise * rise;
        if w2 > R::zero() {
            let along = to_c.dot(&edge);
            let across = edge.cross(&to_c).norm();
            // sigma = (q - H p / W) / L, scaled by length2.
            let sigma = along - across * rise / w2.sqrt();
            if sigma > R::zero() && sigma < length2 {
                return ua + (rise * along + across * w2.sqrt()) / length2;
            }
        }
    }
    (ua + f * to_c.norm()).min(ub + f * (c - b).norm())
}

/// Arrival at `d` over the triangle `x` with arrival times `u`.
#[inline]
pub fn tetrahedron<R: Real>(u: [R; 3], x: [&Vec3<R>; 3], d: &Vec3<R>, f: R) -> R {
    if u[0] < R::INFINITY && u[1] < R::INFINITY && u[2] < R::INFINITY {
        let e1 = x[1] - x[0];
        let e2 = x[2] - x[0];
        let q = d - x[0];
        let (g11, g12, g22) = (e1.norm_squared(), e1.dot(&e2), e2.norm_squared());
        let normal = e1.cross(&e2);
        let det = normal.norm_squared();
        if det > R::narrow(1e-14) * g11 * g22 {
            let (d1, d2) = (u[1] - u[0], u[2] - u[0]);
            let (r1, r2) = (q.dot(&e1), q.dot(&e2));
            let inverse = R::one() / det;
            let (mu1, mu2) = ((g22 * d1 - g12 * d2) * inverse, (g11 * d2 - g12 * d1) * inverse);
            let w2 = f * f - (d1 * mu1 + d2 * mu2);
            if w2 > R::zero() {
                // Foot of d in the face and height over it.
                let (l1, l2) = ((g22 * r1 - g12 * r2) * inverse, (g11 * r2 - g12 * r1) * inverse);
                let height = q.dot(&normal).abs() * inverse.sqrt();
                let w = w2.sqrt();
                let back = height / w;
                let (s1, s2) = (l1 - mu1 * back, l2 - mu2 * back);
                if s1 >= R::zero() && s2 >= R::zero() && s1 + s2 <= R::one() {
                    return u[0] + l1 * d1 + l2 * d2 + height * w;
                }
            }
        }
    }
    triangle(u[0], u[1], x[0], x[1], d, f)
        .min(triangle(u[1], u[2], x[1], x[2], d, f))
        .min(triangle(u[2], u[0], x[2], x[0], d, f))
}

/// Arrival at vertex `i` of a simplex over the opposite face, N = 3 or 4.
#[inline]
pub fn arrival<R: Real, const N: usize>(u: &[R; N], x: &[Vec3<R>; N], i: usize, f: R) -> R {
    if N == 3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        triangle(u[j], u[k], &x[j], &x[k], &x[i], f)
    } else {
        let (j, k, l) = ((i + 1) % 4, (i + 2) % 4, (i + 3) % 4);
        tetrahedron([u[j], u[k], u[l]], [&x[j], &x[k], &x[l]], &x[i], f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_triangle(ua: f64, ub: f64, a: Vec3, b: Vec3, c: Vec3, f: f64) -> f64 {
        let n = 20_000;
        (0..=n)
            .map(|k| f64::from(k) / f64::from(n))
            .map(|s| (1.0 - s) * ua + s * ub + f * (c - a - (b - a) * s).norm())
            .fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn triangle_is_the_minimum_over_the_edge(
            v in proptest::collection::vec(-1.0f64..1.0, 9),
            ua in 0.0f64..1.0, ub in 0.0f64..1.0, f in 0.3f64..3.0,
        ) {
            let [a, b, c]: [Vec3; 3] =
                std::array::from_fn(|i| Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
            prop_assume!((b - a).norm() > 1e-3);
            let exact = brute_triangle(ua, ub, a, b, c, f);
            let u = triangle(ua, ub, &a, &b, &c, f);
            // The samples miss the minimum by their spacing squared times the curvature.
            prop_assert!(u <= exact + 1e-12 && u > exact - 1e-6, "{u} against {exact}");
        }

        #[test]
        fn tetrahedron_is_the_minimum_over_the_face(
            v in proptest::collection::vec(-1.0f64..1.0, 12),
            u in proptest::array::uniform3(0.0f64..1.0), f in 0.3f64..3.0,
        ) {
            let x: [Vec3; 4] =
                std::array::from_fn(|i| Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
            prop_assume!((x[1] - x[0]).cross(&(x[2] - x[0])).norm() > 1e-2);
            let n = 200;
            let mut exact = f64::INFINITY;
            for i in 0..=n {
                for j in 0..=n - i {
                    let (s, t) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
                    let p = x[0] + (x[1] - x[0]) * s + (x[2] - x[0]) * t;
                    let start = u[0] + s * (u[1] - u[0]) + t * (u[2] - u[0]);
                    exact = exact.min(start + f * (x[3] - p).norm());
                }
            }
            let found = tetrahedron(u, [&x[0], &x[1], &x[2]], &x[3], f);
            prop_assert!(found <= exact + 1e-12 && found > exact - 2e-2, "{found} against {exact}");
        }
    }

    #[test]
    fn unreached_vertices_do_not_take_part() {
        let [a, b, c] = [Vec3::new(0., 0., 0.), Vec3::new(1., 0., 0.), Vec3::new(0., 2., 0.)];
        let inf = f64::INFINITY;
        assert_eq!(triangle(1.0, inf, &a, &b, &c, 1.0), 3.0);
        assert_eq!(triangle(inf, inf, &a, &b, &c, 1.0), inf);
        let d = Vec3::new(0., 0., 3.);
        assert_eq!(tetrahedron([inf, inf, 1.0], [&b, &c, &a], &d, 1.0), 4.0);
    }
}
