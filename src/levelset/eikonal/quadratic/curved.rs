//! The local solver of curved fronts: the arrival at a vertex over one face whose vertices carry
//! values and directions.

use crate::geometry::{Real, Vec3};

/// The value of a distance at a vertex, and its gradient: the unit vector away from the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Arrival<R: Real> {
    pub value: R,
    pub direction: Vec3<R>,
}

/// How far beyond the edges of a face the foot of a front may lie, as a weight of a vertex. Fronts
/// that diverge leave gaps between neighboring faces, and extrapolation over this distance closes
/// them.
const BEYOND: f64 = 0.3;

/// A straight front must rise along a face by less than this fraction of the distance. Otherwise,
/// it runs almost along the face, and its foot is not well defined.
const STEEPEST: f64 = 0.95;

/// The least squared height of a vertex over a face, relative to the squared longest side.
const LOWEST: f64 = 1e-3;

/// A face with `N - 1` vertices and the vertex opposite to it, N = 3 or 4.
pub(super) struct Face<R: Real, const N: usize> {
    /// The vector from the first vertex of the face to the opposite vertex.
    to_c: Vec3<R>,
    /// The vectors from the first vertex to the others; the second is zero if N = 3.
    edges: [Vec3<R>; 2],
}

/// The foot of a straight front.
pub(super) struct Foot<R> {
    /// The weights of the second and third vertex.
    pub weights: [R; 2],
    /// How far the foot lies outside the face: the most negative weight, with its sign changed, or
    /// zero.
    pub outside: R,
    /// The arrival time.
    pub value: R,
}

impl<R: Real, const N: usize> Face<R, N> {
    /// Returns the face opposite to vertex `i` of a cell. The vertices of the face keep their order
    /// in the cell.
    pub fn opposite(x: &[Vec3<R>; N], i: usize) -> Self {
        let [a, b, c] = others::<N>(i).map(|k| x[k]);
        let third = if N == 4 { c - a } else { Vec3::zeros() };
        Face { to_c: x[i] - a, edges: [b - a, third] }
    }

    /// Returns the foot of the straight front with the values `u` at the vertices of the face, on
    /// the face or in its plane near it. Returns `None` if there is no such foot, or if the cell is
    /// too flat for one.
    pub fn foot(&self, u: &[R; 3]) -> Option<Foot<R>> {
        let [e1, e2] = &self.edges;
        let (d1, d2) = (u[1] - u[0], if N == 4 { u[2] - u[0] } else { R::zero() });
        let (g11, g12, g22) = self.gram();
        let (r1, r2) = (self.to_c.dot(e1), self.to_c.dot(e2));
        let [m1, m2] = solved(g11, g12, g22, d1, d2)?;
        let [l1, l2] = solved(g11, g12, g22, r1, r2)?;
        let slope2 = m1 * d1 + m2 * d2;
        let height2 = self.to_c.norm_squared() - (l1 * r1 + l2 * r2);
        let longest2 = if N == 4 { g11.max(g22) } else { g11 };
        let steepest2 = R::of(STEEPEST * STEEPEST);
        // This form of the condition also rejects NaN.
        if !(slope2 < steepest2 && height2 > R::of(LOWEST) * longest2) {
            return None;
        }
        let (height, rise) = (height2.sqrt(), (R::one() - slope2).sqrt());
        let weights = [l1 - m1 * height / rise, l2 - m2 * height / rise];
        let smallest = weights[0].min(R::one() - weights[0] - weights[1]);
        let smallest = if N == 4 { smallest.min(weights[1]) } else { smallest };
        let outside = (-smallest).max(R::zero());
        let value = u[0] + l1 * d1 + l2 * d2 + height * rise;
        (outside <= R::of(BEYOND)).then_some(Foot { weights, outside, value })
    }

    /// Returns the arrival of the curved front: the smallest value of u(X) + |C - X| near the foot
    /// of the straight front. u is the quadratic polynomial on the face with the values of `from`
    /// at its vertices, whose bend along each side is the mean of what the directions at the two
    /// ends imply.
    ///
    /// Returns `None` if the front does not reach the vertex through this face.
    pub fn arrival(&self, from: &[Arrival<R>; 3]) -> Option<Arrival<R>> {
        let [e1, e2] = &self.edges;
        let u: [R; 3] = std::array::from_fn(|k| from[k].value);
        let bend = |i: usize, j: usize, edge: &Vec3<R>| {
            (from[i].direction - from[j].direction).dot(edge) * R::of(0.5)
        };
        let (c01, mut c02, mut c12) = (bend(0, 1, e1), R::zero(), R::zero());
        if N == 4 {
            (c02, c12) = (bend(0, 2, e2), bend(1, 2, &(e2 - e1)));
        }
        let (d1, d2) = (u[1] - u[0], if N == 4 { u[2] - u[0] } else { R::zero() });
        let [mut s, mut t] = self.foot(&u)?.weights;
        let (g11, g12, g22) = self.gram();
        let two = R::of(2.0);
        for _ in 0..2 {
            let way = self.to_c - e1 * s - e2 * t;
            let length = way.norm();
            let (w1, w2) = (way.dot(e1) / length, way.dot(e2) / length);
            let first = R::one() - s - t;
            let slope1 = d1 + c01 * (first - s) + (c12 - c02) * t - w1;
            let slope2 = d2 + c02 * (first - t) + (c12 - c01) * s - w2;
            let h11 = (g11 - w1 * w1) / length - two * c01;
            let (mut h12, mut h22) = (R::zero(), R::zero());
            if N == 4 {
                h12 = (g12 - w1 * w2) / length + c12 - c01 - c02;
                h22 = (g22 - w2 * w2) / length - two * c02;
            }
            // Without a clear minimum, the front stays straight here.
            let is_clear = h11 > R::of(0.1) * g11 / length;
            let Some([ds, dt]) = solved(h11, h12, h22, slope1, slope2).filter(|_| is_clear) else {
                break;
            };
            (s, t) = (within(s - ds), if N == 4 { within(t - dt) } else { R::zero() });
        }
        let way = self.to_c - e1 * s - e2 * t;
        let length = way.norm();
        let first = R::one() - s - t;
        let bends = first * s * c01 + first * t * c02 + s * t * c12;
        let value = u[0] + s * d1 + t * d2 + bends + length;
        Some(Arrival { value, direction: way / length })
    }

    /// Returns the direction of the straight front, or that from the first vertex of the face if
    /// the front has no foot near the face.
    pub fn straight_direction(&self, from: &[Arrival<R>; 3]) -> Vec3<R> {
        let [s, t] = self.foot(&from.map(|a| a.value)).map_or([R::zero(); 2], |foot| foot.weights);
        let [e1, e2] = &self.edges;
        (self.to_c - e1 * s - e2 * t).normalize()
    }

    fn gram(&self) -> (R, R, R) {
        let [e1, e2] = &self.edges;
        (e1.norm_squared(), e1.dot(e2), e2.norm_squared())
    }
}

/// Returns the vertices of a cell other than `i`, in ascending order. The last entry of a triangle
/// repeats the second.
pub(super) fn others<const N: usize>(i: usize) -> [usize; 3] {
    std::array::from_fn(|k| {
        let k = k.min(N - 2);
        k + usize::from(k >= i)
    })
}

/// Limits the weight of a vertex to values near the face.
fn within<R: Real>(weight: R) -> R {
    weight.max(R::of(-0.5)).min(R::of(1.5))
}

/// Solves `[[a, b], [b, c]] x = r`, or `a x = r[0]` if b and c are zero. Returns `None` if the
/// matrix is not positive definite.
fn solved<R: Real>(a: R, b: R, c: R, r1: R, r2: R) -> Option<[R; 2]> {
    if c == R::zero() && b == R::zero() {
        return (a > R::zero()).then(|| [r1 / a, R::zero()]);
    }
    let det = a * c - b * b;
    (a > R::zero() && det > R::of(1e-6) * a * c)
        .then(|| [(c * r1 - b * r2) / det, (a * r2 - b * r1) / det])
}
