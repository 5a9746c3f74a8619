//! Local solvers: the time at which a front that crosses a face of a simplex arrives at the
//! opposite vertex.
//!
//! Each function returns `min over points x of the face of u(x) + f |C - x|`, where C is the
//! vertex, u is linear on the face and f is the slowness (time per length); see docs/distances.md,
//! sections 5.1 and 5.2. The minimum is exact for every angle, so obtuse cells need no special
//! treatment. Only a vertex that almost lies on the opposite face is raised a little
//! (`raised`). The arrival times on the face may be infinite (not yet reached).
//!
//! Positions are in mesh units, and `f` is in time per mesh unit. Arrival times are in the same
//! unit of time, or in mesh units if `f` is 1.
//!
//! [`circle`] is the formula for point sources (section 5.5 of the same page). It assumes a
//! circular front instead of a straight one.

use crate::geometry::{Real, Vec3};

/// The smallest height of a vertex whose foot lies inside the opposite face, relative to the
/// longest edge of the face.
///
/// Across a flatter cell, a front takes almost no time, but its new value is a mean of values at
/// vertices that are an edge apart. Two such cells that face each other then lower each other's
/// values again and again, tens of thousands of times and by ever smaller amounts, until the result
/// is far too early (docs/distances.md, section 5.3). With this height, about a thousand
/// repetitions are enough.
pub(super) const LEAST_HEIGHT: f64 = 0.03;

/// Returns the height to use for a vertex of this `height`: at least [`LEAST_HEIGHT`] times
/// `longest`, but at most `inside`, the distance of its foot from the nearest vertex of the face.
/// `inside` is negative if the foot lies outside the face. All three have the same unit.
#[inline]
fn raised<R: Real>(height: R, longest: R, inside: R) -> R {
    height.max((R::of(LEAST_HEIGHT) * longest).min(inside))
}

/// Returns the arrival time at `c` over the edge `ab` with arrival times `ua` and `ub`.
#[inline]
pub fn triangle<R: Real>(ua: R, ub: R, a: &Vec3<R>, b: &Vec3<R>, c: &Vec3<R>, f: R) -> R {
    triangle_foot(ua, ub, a, b, c, f).0
}

/// Returns the value of [`triangle`] and where on the edge the front comes from: 0 at `a`, 1 at
/// `b`.
#[inline]
pub fn triangle_foot<R: Real>(ua: R, ub: R, a: &Vec3<R>, b: &Vec3<R>, c: &Vec3<R>, f: R) -> (R, R) {
    let to_c = c - a;
    if ua < R::INFINITY && ub < R::INFINITY {
        let edge = b - a;
        let length2 = edge.norm_squared();
        let rise = ub - ua;
        // |p| < f with p = rise / length: the values rise more slowly along the edge than f allows.
        let w2 = f * f * length2 - rise * rise;
        if w2 > R::zero() {
            let along = to_c.dot(&edge);
            let mut across = edge.cross(&to_c).norm();
            let is_low = across <= R::of(LEAST_HEIGHT) * length2;
            if is_low {
                across = raised(across, length2, along.min(length2 - along));
            }
            // sigma = (q - H p / W) / L (docs/distances.md, section 5.1), scaled by length2.
            let sigma = along - across * rise / w2.sqrt();
            if sigma > R::zero() && sigma < length2 {
                let value = ua + (rise * along + across * w2.sqrt()) / length2;
                // If the vertex was raised, a front from an end of the edge may arrive earlier.
                if is_low {
                    let end = nearer_end(ua + f * to_c.norm(), ub + f * (c - b).norm());
                    if end.0 < value {
                        return end;
                    }
                }
                return (value, sigma / length2);
            }
        }
    }
    nearer_end(ua + f * to_c.norm(), ub + f * (c - b).norm())
}

/// Returns the earlier of the arrivals through the two ends of an edge, and the position of that
/// end: 0 or 1.
#[inline]
fn nearer_end<R: Real>(over_a: R, over_b: R) -> (R, R) {
    (over_a.min(over_b), if over_b < over_a { R::one() } else { R::zero() })
}

/// Returns the arrival time at `c` of a circular front over the edge `ab`.
///
/// The front starts from the point behind the edge that has distance `ua / f` from `a` and `ub / f`
/// from `b`, provided that `c` sees this point through the edge (docs/distances.md, section 5.5).
///
/// The values must be times from one point source with initial value 0. If no such point exists
/// because two fronts meet inside the edge, the front is assumed to be straight ([`triangle`]). If
/// the point is not visible through the edge, the front comes along the mesh from `a` or `b`.
#[inline(always)]
pub fn circle<R: Real>(ua: R, ub: R, a: &Vec3<R>, b: &Vec3<R>, c: &Vec3<R>, f: R) -> R {
    circle_foot(ua, ub, a, b, c, f).0
}

/// Returns the value of [`circle`] and where on the edge the front comes from: 0 at `a`, 1 at `b`.
// At optimization level 2, as in the profile `wheel`, `#[inline]` alone leaves it a function, and a
// distance from points spends a quarter of its time there.
#[inline(always)]
pub(super) fn circle_foot<R: Real>(
    ua: R,
    ub: R,
    a: &Vec3<R>,
    b: &Vec3<R>,
    c: &Vec3<R>,
    f: R,
) -> (R, R) {
    let to_c = c - a;
    if ua < R::INFINITY && ub < R::INFINITY {
        let edge = b - a;
        let length2 = edge.norm_squared();
        let (ra, rb) = (ua / f, ub / f);
        let (sum, difference) = (ra + rb, ra - rb);
        // Heron's formula in factored form, to reduce cancellation: 16 area^2 = apart * slack.
        let apart = sum * sum - length2;
        let slack = length2 - difference * difference;
        if apart < R::zero() {
            return triangle_foot(ua, ub, a, b, c, f);
        }
        if slack > R::zero() {
            // The coordinates of the source (along and behind the edge) and of c (along and in
            // front of it), each multiplied by the length of the edge.
            let half = R::of(0.5);
            let source_along = half * (length2 + difference * sum);
            let source_behind = half * (apart * slack).sqrt();
            let along = to_c.dot(&edge);
            let before = edge.cross(&to_c).norm();
            let height = before + source_behind;
            let crossing = source_along * before + along * source_behind;
            if crossing >= R::zero() && crossing <= length2 * height {
                let aside = along - source_along;
                let value = f * ((aside * aside + height * height) / length2).sqrt();
                return (value, crossing / (length2 * height));
            }
        }
    }
    nearer_end(ua + f * to_c.norm(), ub + f * (c - b).norm())
}

/// Returns the arrival time at `d` over the triangle `x` with arrival times `u`.
#[inline]
pub fn tetrahedron<R: Real>(u: [R; 3], x: [&Vec3<R>; 3], d: &Vec3<R>, f: R) -> R {
    let (inside, sides) = match over_face(u, x, d, f) {
        Over::Inside(value, _) => return value,
        Over::Raised(value, _) => (value, [true; 3]),
        Over::Sides(sides) => (R::INFINITY, sides),
    };
    SIDES
        .iter()
        .zip(sides)
        .filter(|&(_, is_due)| is_due)
        .map(|(&(i, j), _)| triangle(u[i], u[j], x[i], x[j], d, f))
        .fold(inside, R::min)
}

/// Returns the value of [`tetrahedron`] and the barycentric weights of the point on the face from
/// which the front comes.
pub fn tetrahedron_foot<R: Real>(u: [R; 3], x: [&Vec3<R>; 3], d: &Vec3<R>, f: R) -> (R, [R; 3]) {
    let weights = |[s1, s2]: [R; 2]| [R::one() - s1 - s2, s1, s2];
    let (mut best, sides) = match over_face(u, x, d, f) {
        Over::Inside(value, s) => return (value, weights(s)),
        Over::Raised(value, s) => ((value, weights(s)), [true; 3]),
        Over::Sides(sides) => ((R::INFINITY, [R::zero(); 3]), sides),
    };
    for (&(i, j), _) in SIDES.iter().zip(sides).filter(|&(_, is_due)| is_due) {
        let (value, s) = triangle_foot(u[i], u[j], x[i], x[j], d, f);
        if value < best.0 {
            best = (value, [R::zero(); 3]);
            (best.1[i], best.1[j]) = (R::one() - s, s);
        }
    }
    best
}

/// The sides of a face, as pairs of its vertices.
const SIDES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

/// A face counts as thin if the squared sine of the angle at its first vertex is below this limit.
/// In thin faces, rounding may decide on which side of the face a point lies.
const THIN: f64 = 1e-3;

/// The position of the minimum on a face.
enum Over<R> {
    /// In the interior: its value, and its weights at the second and third vertex.
    Inside(R, [R; 2]),
    /// In the interior, for a vertex that was raised. A front through one of the [`SIDES`] may
    /// arrive earlier.
    Raised(R, [R; 2]),
    /// On one of these [`SIDES`]. The function is convex. If its minimum in the plane of the face
    /// lies outside the face, the minimum over the face is on a side that separates this point from
    /// the face.
    Sides([bool; 3]),
}

#[inline]
fn over_face<R: Real>(u: [R; 3], x: [&Vec3<R>; 3], d: &Vec3<R>, f: R) -> Over<R> {
    if u[0] < R::INFINITY && u[1] < R::INFINITY && u[2] < R::INFINITY {
        let e1 = x[1] - x[0];
        let e2 = x[2] - x[0];
        let q = d - x[0];
        let (g11, g12, g22) = (e1.norm_squared(), e1.dot(&e2), e2.norm_squared());
        let normal = e1.cross(&e2);
        let det = normal.norm_squared();
        if det > R::of(1e-14) * g11 * g22 {
            let (d1, d2) = (u[1] - u[0], u[2] - u[0]);
            let (r1, r2) = (q.dot(&e1), q.dot(&e2));
            let inverse = R::one() / det;
            let (mu1, mu2) = ((g22 * d1 - g12 * d2) * inverse, (g11 * d2 - g12 * d1) * inverse);
            let w2 = f * f - (d1 * mu1 + d2 * mu2);
            if w2 > R::zero() {
                // The foot of d in the plane of the face, and the height of d above this plane.
                let (l1, l2) = ((g22 * r1 - g12 * r2) * inverse, (g11 * r2 - g12 * r1) * inverse);
                let given = q.dot(&normal).abs() * inverse.sqrt();
                let height = raised_over_face(given, [l1, l2], [g11, g12, g22], det);
                let w = w2.sqrt();
                let back = height / w;
                let (s1, s2) = (l1 - mu1 * back, l2 - mu2 * back);
                let is_inside = s1 >= R::zero() && s2 >= R::zero() && s1 + s2 <= R::one();
                if is_inside {
                    let value = u[0] + l1 * d1 + l2 * d2 + height * w;
                    let over = if height > given { Over::Raised } else { Over::Inside };
                    return over(value, [s1, s2]);
                }
                if height > given {
                    return Over::Sides([true; 3]);
                }
                let sides = [s2 < R::zero(), s1 + s2 > R::one(), s1 < R::zero()];
                if det > R::of(THIN) * g11 * g22 && sides != [false; 3] {
                    return Over::Sides(sides);
                }
            }
        }
    }
    Over::Sides([true; 3])
}

/// Returns the height to use ([`raised`]) for a vertex above a face with the Gram matrix `g11, g12,
/// g22` and its determinant `det`. The foot of the vertex has the weights `l` at the second and
/// third vertex of the face.
#[inline]
fn raised_over_face<R: Real>(height: R, l: [R; 2], g: [R; 3], det: R) -> R {
    let [g11, g12, g22] = g;
    let g33 = g11 + g22 - R::of(2.0) * g12;
    let longest2 = g11.max(g22).max(g33);
    let height2 = height * height;
    if height2 >= R::of(LEAST_HEIGHT * LEAST_HEIGHT) * longest2 {
        return height;
    }
    // The foot may lie outside a side by no more than the height. Otherwise, a front could still
    // run along a side that the vertex almost touches.
    let l0 = R::one() - l[0] - l[1];
    let is_far =
        |weight: R, side2: R| weight < R::zero() && weight * weight * det > height2 * side2;
    if is_far(l0, g33) || is_far(l[0], g22) || is_far(l[1], g11) {
        return height;
    }
    // The squared distance of the foot from the nearest vertex of the face.
    let gap2 = |a: R, b: R| a * a * g11 + R::of(2.0) * a * b * g12 + b * b * g22;
    let one = R::one();
    let inside2 = gap2(l[0], l[1]).min(gap2(l[0] - one, l[1])).min(gap2(l[0], l[1] - one));
    raised(height, longest2.sqrt(), inside2.max(R::zero()).sqrt())
}

/// Returns whether the angle at vertex `i` of a triangle with vertices `x` is obtuse.
///
/// Only at such a vertex can a circular front arrive before it reaches the other vertices. The
/// angle then exceeds 180 degrees minus half the angle that the edge subtends at the source.
#[inline]
pub fn is_obtuse<R: Real, const N: usize>(x: &[Vec3<R>; N], i: usize) -> bool {
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    (x[j] - x[i]).dot(&(x[k] - x[i])) < R::zero()
}

/// Returns the arrival time at vertex `i` of a simplex over the opposite face, N = 3 or 4. `u` and
/// `x` are the arrival times and the positions of its vertices, `[N]` each, and `f` is the
/// slowness.
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

    /// Returns whether the height of a simplex is below the smallest allowed height. `area` is this
    /// height times `base`.
    fn is_low(area: f64, base: f64, longest: f64) -> bool {
        area / base <= LEAST_HEIGHT * longest
    }

    /// Returns whether `c` may be raised above the edge `ab`.
    fn is_low_over_edge(a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
        let edge = b - a;
        is_low(edge.cross(&(c - a)).norm(), edge.norm(), edge.norm())
    }

    #[test]
    fn a_vertex_on_the_opposite_edge_is_raised() {
        let (a, b) = (Vec3::zeros(), Vec3::new(2.0, 0.0, 0.0));
        let at = |along: f64, height: f64| Vec3::new(along, height, 0.0);
        // The front is parallel to the edge: the arrival time is the height.
        let time = |c: Vec3| triangle(0.0, 0.0, &a, &b, &c, 1.0);
        assert_eq!(time(at(1.0, 1e-9)), 2.0 * LEAST_HEIGHT);
        assert_eq!(time(at(1.0, 0.07)), 0.07);
        // The height is at most the distance of the foot from the nearer end. A foot outside the
        // edge changes nothing.
        assert!((time(at(0.01, 1e-9)) - 0.01).abs() < 1e-12);
        assert_eq!(time(at(2.0, 1e-9)), 1e-9);
        // A path along the edge is never raised.
        assert!((triangle(0.0, 2.0, &a, &b, &at(0.5, 0.0), 1.0) - 0.5_f64).abs() < 1e-12);

        let face = [a, b, Vec3::new(0.0, 2.0, 0.0)];
        let time = |x: f64, y: f64, z: f64| {
            tetrahedron([0.0; 3], face.each_ref(), &Vec3::new(x, y, z), 1.0)
        };
        let least = LEAST_HEIGHT * 8f64.sqrt();
        assert!((time(0.5, 0.5, 1e-9) - least).abs() < 1e-12);
        assert!((time(0.5, 0.5, 0.1) - 0.1).abs() < 1e-12);
        assert!((time(0.01, 0.0, 1e-9) - 0.01).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn triangle_is_the_minimum_over_the_edge(
            v in proptest::collection::vec(-1.0f64..1.0, 9),
            ua in 0.0f64..1.0, ub in 0.0f64..1.0, f in 0.3f64..3.0,
        ) {
            let [a, b, c]: [Vec3; 3] =
                std::array::from_fn(|i| Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
            prop_assume!((b - a).norm() > 1e-3 && !is_low_over_edge(&a, &b, &c));
            let exact = brute_triangle(ua, ub, a, b, c, f);
            let u = triangle(ua, ub, &a, &b, &c, f);
            // The samples miss the minimum by at most about their spacing squared times the
            // curvature.
            prop_assert!(u <= exact + 1e-12 && u > exact - 1e-6, "{u} against {exact}");
        }

        #[test]
        fn tetrahedron_is_the_minimum_over_the_face(
            v in proptest::collection::vec(-1.0f64..1.0, 12),
            u in proptest::array::uniform3(0.0f64..1.0), f in 0.3f64..3.0,
        ) {
            let x: [Vec3; 4] =
                std::array::from_fn(|i| Vec3::new(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
            let normal = (x[1] - x[0]).cross(&(x[2] - x[0]));
            prop_assume!(normal.norm() > 1e-2);
            let longest = SIDES.iter().map(|&(i, j)| (x[i] - x[j]).norm()).fold(0.0, f64::max);
            let height = normal.dot(&(x[3] - x[0])).abs();
            prop_assume!(!is_low(height, normal.norm(), longest));
            prop_assume!(!SIDES.iter().any(|&(i, j)| is_low_over_edge(&x[i], &x[j], &x[3])));
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

    proptest! {
        #[test]
        fn circles_are_exact_where_the_source_is_seen_through_the_edge(
            v in proptest::collection::vec(-1.0f64..1.0, 5), depth in 0.01f64..30.0,
            aside in 0.0f64..1.0, f in 0.3f64..3.0,
        ) {
            // The edge lies on the x axis, c above it and the source below it. Then everything is
            // rotated.
            let (a, b) = (Vec3::new(v[0], 0., 0.), Vec3::new(v[0] + 0.01 + v[1].abs(), 0., 0.));
            let c = Vec3::new(2.0 * v[2], 0.01 + v[3].abs(), 0.);
            let through = a + (b - a) * aside;
            let source = through - (c - through).normalize() * depth;
            let turn = nalgebra::Rotation3::from_euler_angles(v[4], 0.4, 2.0 * v[0]);
            let [a, b, c, source] = [a, b, c, source].map(|x| turn * x);
            let [ua, ub, exact] = [a, b, c].map(|x| f * (x - source).norm());
            let found = circle(ua, ub, &a, &b, &c, f);
            // At the ends of the edge, both branches agree up to rounding.
            prop_assert!((found - exact).abs() <= 1e-12 * exact.max(1.0), "{found} for {exact}");
            // A plane front does not arrive earlier than the circular one, because the distance is
            // convex along the edge.
            prop_assert!(triangle(ua, ub, &a, &b, &c, f) >= found - 1e-12);
        }
    }

    #[test]
    fn fronts_that_meet_inside_an_edge_are_straight() {
        let (a, b) = (Vec3::zeros(), Vec3::new(1.0, 0.0, 0.0));
        let c = Vec3::new(0.5, 0.6, 0.0);
        assert!((circle(0.5, 0.5, &a, &b, &c, 1.0) - 0.6_f64).abs() < 1e-15);
        // No point has these distances from both ends, so the front is assumed to be straight.
        let found: f64 = circle(0.499, 0.499, &a, &b, &c, 1.0);
        assert!((found - (0.499_f64 + 0.6)).abs() < 1e-15, "{found}");
        assert_eq!(circle(1.0, f64::INFINITY, &a, &b, &c, 1.0), 1.0 + c.norm());
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
