//! Finds walls of a shape that are thinner than a grid resolves.

use crate::geometry::Vec3;
use crate::parallel::*;

/// The smallest thickness of a resolved wall, in grid spacings.
pub(super) const RESOLVED: f64 = 1.5;
/// Number of points of the surface at which the thickness is measured.
pub(super) const MOST_POINTS: usize = 4096;
/// A wall has at least this many thin points. A single one may be the tip of a wedge.
const FEWEST: usize = 4;
/// A wall must also be thin at this distance along it, in grid spacings.
const ALONG: f64 = 3.0;
/// Number of samples per grid spacing across a wall.
const FINE: f64 = 32.0;

/// The thinnest wall of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wall {
    pub thickness: f64,
    /// A point on the surface of the wall.
    pub place: [f64; 3],
}

/// Returns the thinnest wall of a shape, if any is thinner than [`RESOLVED`] grid spacings of
/// length `h`.
///
/// `level` returns a function that is negative inside the shape and close to the signed distance
/// near its surface. `points` lie just outside the shape, within about `h` of the surface.
///
/// At the surface point nearest to a given point, the shape is sampled along the inward normal. The
/// shape has a thin wall there if it ends within [`RESOLVED`] grid spacings, and also ends at three
/// of four surface points around this one, where it is about as thick. Sharp edges and tips become
/// thicker to one side, and end on the other.
pub(super) fn thinnest(
    points: &[[f64; 3]],
    h: f64,
    level: &(dyn Fn([f64; 3]) -> f64 + Sync),
) -> Option<Wall> {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let measure = |x: &[f64; 3]| Probe { h, level }.wall(*x);
    let found: Vec<Option<Wall>> = points.par_iter().step_by(step).map(measure).collect();
    let walls: Vec<Wall> = found.into_iter().flatten().collect();
    if walls.len() < FEWEST {
        return None;
    }
    walls.into_iter().reduce(|a, b| if b.thickness < a.thickness { b } else { a })
}

struct Probe<'a> {
    h: f64,
    level: &'a (dyn Fn([f64; 3]) -> f64 + Sync),
}

impl Probe<'_> {
    fn is_inside(&self, x: Vec3) -> bool {
        (self.level)(x.into()) < 0.0
    }

    fn wall(&self, x: [f64; 3]) -> Option<Wall> {
        let (x, value) = (Vec3::from(x), (self.level)(x));
        let e = 0.05 * self.h;
        let slope = |k: usize| {
            let mut step = Vec3::zeros();
            step[k] = e;
            ((self.level)((x + step).into()) - (self.level)((x - step).into())) / (2.0 * e)
        };
        let gradient = Vec3::new(slope(0), slope(1), slope(2));
        let steepness = gradient.norm();
        if !(steepness > 0.0 && steepness.is_finite() && value.is_finite()) {
            return None;
        }
        let normal = gradient / steepness;
        let surface = x - normal * (value / steepness);
        // Most points are not on a thin wall and are ruled out quickly.
        if self.is_inside(surface - normal * (RESOLVED * self.h)) {
            return None;
        }
        let thickness = self.thickness(surface, normal, 0.5)?;
        let aside = normal.cross(&Vec3::ith(normal.iamin(), 1.0)).normalize();
        let up = normal.cross(&aside);
        let around = [aside, -aside, up, -up];
        let continued = around
            .iter()
            .filter(|way| {
                let at = surface + **way * (ALONG * self.h);
                let other = self.thickness(at, normal, 1.0);
                other.is_some_and(|t| t < 2.0 * thickness && thickness < 2.0 * t)
            })
            .count();
        (continued >= 3).then(|| Wall { thickness, place: surface.into() })
    }

    /// Returns the length of the part of a line within the shape, if it begins within `slack` grid
    /// spacings of `surface`, both ends are found, and it is shorter than a resolved wall.
    fn thickness(&self, surface: Vec3, normal: Vec3, slack: f64) -> Option<f64> {
        let at = |s: f64| surface - normal * (s * self.h);
        let n = ((2.0 * slack + RESOLVED) * FINE) as usize;
        let sample = |k: usize| k as f64 / FINE - slack;
        let first = (0..n).find(|&k| self.is_inside(at(sample(k))))?;
        if first == 0 || sample(first) > slack {
            return None;
        }
        let last = (first..=n).find(|&k| !self.is_inside(at(sample(k))))?;
        let begin = self.end(at, sample(first - 1), sample(first));
        let end = self.end(at, sample(last), sample(last - 1));
        let thickness = end - begin;
        (thickness > 0.0 && thickness < RESOLVED).then_some(thickness * self.h)
    }

    /// Returns the position between `outside` and `inside` at which the shape ends.
    fn end(&self, at: impl Fn(f64) -> Vec3, mut outside: f64, mut inside: f64) -> f64 {
        for _ in 0..20 {
            let middle = 0.5 * (outside + inside);
            if self.is_inside(at(middle)) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        0.5 * (outside + inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::Shape;

    /// Finds the thinnest wall of a shape. Its points are the voxels of a grid of spacing 0.1 that
    /// lie just outside the shape.
    fn find(shape: &Shape) -> Option<Wall> {
        let mut points = Vec::new();
        for n in 0..40_i32.pow(3) {
            let x = [n % 40, n / 40 % 40, n / 1600].map(|k| 0.1 * f64::from(k) - 2.0 + 0.013);
            if (0.0..0.1).contains(&shape.signed_distance(x)) {
                points.push(x);
            }
        }
        assert!(points.len() > 50);
        thinnest(&points, 0.1, &|x| shape.signed_distance(x))
    }

    fn plate(thickness: f64) -> Shape {
        Shape::Box { min: [-1.0, -1.0, 0.0], max: [1.0, 1.0, thickness] }
    }

    #[test]
    fn thin_plates_are_measured() {
        for thickness in [0.03, 0.1, 0.14] {
            let found = find(&plate(thickness)).unwrap();
            assert!((found.thickness - thickness).abs() < 1e-4, "{thickness}: {found:?}");
        }
        assert_eq!(find(&plate(0.16)), None);
        let ball = |radius: f64| Shape::Ball { center: [0.0; 3], radius };
        let shell = Shape::Difference(Box::new((ball(1.0), ball(0.9))));
        let found = find(&shell).unwrap();
        assert!((found.thickness - 0.1).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn balls_edges_and_wedges_are_no_walls() {
        let ball = |radius: f64| Shape::Ball { center: [0.1, 0.0, 0.0], radius };
        assert_eq!(find(&ball(1.0)), None);
        assert_eq!(find(&ball(0.3)), None);
        let half = |normal: [f64; 3]| Shape::Plane { point: [1.0, 0.0, 0.0], normal };
        let wedge = Shape::Intersection(vec![
            half([0.2, 0.0, 1.0]),
            half([0.2, 0.0, -1.0]),
            Shape::Box { min: [-1.5; 3], max: [1.5; 3] },
        ]);
        assert_eq!(find(&wedge), None);
        assert_eq!(find(&Shape::Box { min: [-1.0; 3], max: [0.5; 3] }), None);
    }
}
