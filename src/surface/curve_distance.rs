//! Signed distances to closed curves in the plane.

use super::bvh::{Tree, box_of};
use crate::geometry::{Vec3, simplex};
use crate::io::Curve;
use crate::parallel::*;

/// The smallest number of points per task.
const BLOCK: usize = 512;

/// An index of closed plane curves. It determines how far a point is from the curves, and whether
/// they enclose it. All lengths are in the unit of the curves.
///
/// z is ignored. A point is enclosed if a ray from it crosses the curves an odd number of times. A
/// curve inside another one thus bounds a hole, and directions do not matter.
#[derive(Clone, Debug)]
pub struct PlaneCurves {
    tree: Tree,
    /// Segments of the curves, in tree order.
    segments: Vec<[Vec3; 2]>,
    /// The index of the curve of each segment.
    curve: Vec<u32>,
}

impl PlaneCurves {
    /// Creates the index of `curves`. All curves are treated as closed.
    pub fn new(curves: &[Curve]) -> Self {
        let flat = |x: [f64; 3]| Vec3::new(x[0], x[1], 0.0);
        let mut pieces: Vec<([Vec3; 2], u32)> = Vec::new();
        for (k, curve) in curves.iter().enumerate() {
            let ends = curve.points.iter().zip(curve.points.iter().cycle().skip(1));
            pieces.extend(ends.map(|(&a, &b)| ([flat(a), flat(b)], k as u32)));
        }
        let tree = Tree::new(&pieces.iter().map(|p| box_of(&p.0)).collect::<Vec<_>>());
        let (segments, curve) = tree.order.iter().map(|&k| pieces[k as usize]).unzip();
        PlaneCurves { tree, segments, curve }
    }

    /// Returns the distance of each point to the curves, `[n_points]`, in their unit, negative if
    /// enclosed. If there are no curves, the distances are infinite.
    pub fn signed_distances(&self, points: &[[f64; 3]]) -> Vec<f64> {
        let one = |x: &[f64; 3]| {
            let p = Vec3::new(x[0], x[1], 0.0);
            let mut best = f64::INFINITY;
            self.tree.nearest(p, best, |k, bound| {
                let closest = simplex::closest_point(p, &self.segments[k]);
                best = bound.min((closest - p).norm_squared());
                best
            });
            if self.is_enclosed(p, None) { -best.sqrt() } else { best.sqrt() }
        };
        points.par_iter().with_min_len(BLOCK).map(one).collect()
    }

    /// Returns whether the curves except `without` enclose `p`, by the even-odd rule for a ray
    /// along x.
    fn is_enclosed(&self, p: Vec3, without: Option<u32>) -> bool {
        let mut odd = false;
        self.tree.descend(|_, node| {
            let (low, high) = node.span(1);
            // A segment counts if one end is above the ray and the other is on or below it.
            let meets = low <= p.y && high > p.y && node.span(0).1 >= p.x;
            if meets && node.is_leaf() {
                for k in node.pieces().filter(|&k| Some(self.curve[k]) != without) {
                    let [a, b] = self.segments[k];
                    if (a.y <= p.y) != (b.y <= p.y) {
                        let side = (b - a).cross(&(p - a)).z;
                        odd ^= if b.y > a.y { side > 0.0 } else { side < 0.0 };
                    }
                }
            }
            meets
        });
        odd
    }

    /// Returns, for each curve, whether the enclosed side lies to the left of its direction.
    pub fn enclose_left(&self, curves: &[Curve]) -> Vec<bool> {
        let left = |(k, curve): (usize, &Curve)| {
            let x = &curve.points;
            let Some(&o) = x.first() else { return true };
            let cross = |(a, b): (&[f64; 3], &[f64; 3])| {
                (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
            };
            let area: f64 = x.iter().zip(x.iter().cycle().skip(1)).map(cross).sum();
            let in_others = self.is_enclosed(Vec3::new(o[0], o[1], 0.0), Some(k as u32));
            (area > 0.0) != in_others
        };
        curves.iter().enumerate().map(left).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(radius: f64, n: usize, turn: f64) -> Curve {
        let points = (0..n).map(|k| {
            let (sin, cos) = (turn * std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
            [radius * cos, radius * sin, 7.0]
        });
        Curve { points: points.collect(), closed: true }
    }

    #[test]
    fn rings_have_holes_whatever_their_direction() {
        for turn in [1.0, -1.0] {
            let curves = [polygon(2.0, 400, 1.0), polygon(1.0, 400, turn)];
            let plane = PlaneCurves::new(&curves);
            for k in 0..1000 {
                let s = f64::from(k);
                let p = [0.731, 0.417].map(|f| 6.0 * (s * f).fract() - 3.0);
                let r = p[0].hypot(p[1]);
                let exact = (r - 1.5).abs() - 0.5;
                let found = plane.signed_distances(&[[p[0], p[1], 0.0]])[0];
                assert!((found - exact).abs() < 1e-4, "{p:?}: {found} {exact}");
            }
            assert_eq!(plane.enclose_left(&curves), [true, turn < 0.0]);
        }
    }

    #[test]
    fn rays_through_corners_count_once() {
        let points = vec![[0., 0., 0.], [1., 1., 0.], [2., 0., 0.], [1., -1., 0.]];
        let plane = PlaneCurves::new(&[Curve { points, closed: true }]);
        let of = |x: f64, y: f64| plane.signed_distances(&[[x, y, 0.0]])[0];
        assert!(of(1.0, 0.0) == -(0.5_f64.sqrt()) && of(-1.0, 0.0) == 1.0);
        assert!(of(-1.0, 1.0) > 0.0 && of(-1.0, -1.0) > 0.0);
    }
}
