//! Analytic shapes and their signed distances, used as initial level sets and as reference
//! solutions.
//!
//! Distances are negative inside, in mesh units. Ball, box and plane are exact everywhere. The
//! slotted disk and the set operations combine exact distances by minimum and maximum. The absolute
//! value of the result is exact on the zero set and a lower bound on the distance elsewhere.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A region of space with a signed distance.
///
/// In a case file, each shape is a table named after it, such as
/// `ball = { center = [0, 0, 0], radius = 1 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Shape {
    /// All points within `radius` of `center`: a disk in the plane, a ball in space.
    Ball {
        /// Center, mesh units.
        center: [f64; 3],
        /// Radius, mesh units, > 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
    },
    /// A box with edges along the axes. A planar mesh needs a z range around its plane. Coordinates
    /// of the corners may be `inf` or `-inf`.
    Box {
        /// Lower corner, mesh units.
        min: [f64; 3],
        /// Upper corner, mesh units.
        max: [f64; 3],
    },
    /// The half space behind a plane: the side that `normal` points away from.
    Plane {
        /// A point of the plane, mesh units.
        point: [f64; 3],
        /// Normal of any length > 0, pointing out of the shape.
        normal: [f64; 3],
    },
    /// A disk in x and y (any z) minus the slot `|x - center.x| < slot_width / 2`, `y < slot_top`.
    SlottedDisk {
        /// Center of the disk, mesh units.
        center: [f64; 3],
        /// Radius of the disk, mesh units, > 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        radius: f64,
        /// Width of the slot, mesh units, > 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        slot_width: f64,
        /// Upper end of the slot: a y coordinate in mesh units, not a length.
        slot_top: f64,
    },
    /// Points in any of the shapes.
    Union(#[schemars(length(min = 1))] Vec<Shape>),
    /// Points in all of the shapes.
    Intersection(#[schemars(length(min = 1))] Vec<Shape>),
    /// Points in the first shape and not in the second.
    Difference(Box<(Shape, Shape)>),
}

impl Shape {
    /// Returns the signed distance of `x` to the boundary, negative inside. Both are in mesh units.
    ///
    /// An empty union has the distance `+inf` everywhere, an empty intersection `-inf`.
    pub fn signed_distance(&self, x: [f64; 3]) -> f64 {
        match self {
            Shape::Ball { center, radius } => norm(minus(x, *center)) - radius,
            Shape::Box { min, max } => {
                let outside: [f64; 3] =
                    std::array::from_fn(|k| f64::max(min[k] - x[k], x[k] - max[k]));
                let nearest_face = outside.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                norm(outside.map(|q| q.max(0.0))) + nearest_face.min(0.0)
            }
            Shape::Plane { point, normal } => {
                let d = minus(x, *point);
                (d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2]) / norm(*normal)
            }
            Shape::SlottedDisk { center, radius, slot_width, slot_top } => {
                let dx = x[0] - center[0];
                let disk = libm::hypot(dx, x[1] - center[1]) - radius;
                let side = dx.abs() - 0.5 * slot_width;
                let above = x[1] - slot_top;
                let slot = libm::hypot(side.max(0.0), above.max(0.0)) + side.max(above).min(0.0);
                disk.max(-slot)
            }
            Shape::Union(shapes) => {
                shapes.iter().map(|s| s.signed_distance(x)).fold(f64::INFINITY, f64::min)
            }
            Shape::Intersection(shapes) => {
                shapes.iter().map(|s| s.signed_distance(x)).fold(f64::NEG_INFINITY, f64::max)
            }
            Shape::Difference(pair) => pair.0.signed_distance(x).max(-pair.1.signed_distance(x)),
        }
    }

    /// Returns the lower and the upper corner of a box that contains the boundary of the shape, in
    /// mesh units, or `None` if the shape is unbounded along an axis or no bounds are known.
    pub fn bounds(&self) -> Option<([f64; 3], [f64; 3])> {
        let join = |a: ([f64; 3], [f64; 3]), b: ([f64; 3], [f64; 3])| {
            let low = std::array::from_fn(|k| a.0[k].min(b.0[k]));
            (low, std::array::from_fn(|k| a.1[k].max(b.1[k])))
        };
        match self {
            Shape::Ball { center, radius } => {
                Some((center.map(|x| x - radius), center.map(|x| x + radius)))
            }
            Shape::Box { min, max } => {
                let finite = min.iter().chain(max).all(|x| x.is_finite());
                finite.then_some((*min, *max))
            }
            Shape::Plane { .. } | Shape::SlottedDisk { .. } => None,
            Shape::Union(shapes) => {
                let mut all = shapes.iter().map(Shape::bounds);
                let first = all.next()??;
                all.try_fold(first, |a, b| Some(join(a, b?)))
            }
            // The boundary of an intersection lies in each of its shapes.
            Shape::Intersection(shapes) => shapes.iter().find_map(Shape::bounds),
            Shape::Difference(pair) => pair.0.bounds(),
        }
    }

    /// Returns the first defect of the shape, such as a number that is out of range: the path of
    /// its key below this shape (`["ball", "radius"]`) and a description. Returns `None` if the
    /// shape is valid.
    pub fn flaw(&self) -> Option<(Vec<String>, String)> {
        let at = |keys: [&str; 2], what: String| Some((keys.map(String::from).to_vec(), what));
        let positive = |shape: &str, key: &str, x: f64| {
            (!(x > 0.0 && x.is_finite()))
                .then(|| (vec![shape.into(), key.into()], format!("must be > 0, but is {x}")))
        };
        let finite = |shape: &str, key: &str, x: &[f64]| {
            (!x.iter().all(|v| v.is_finite()))
                .then(|| (vec![shape.into(), key.into()], format!("must be finite, is {x:?}")))
        };
        match self {
            Shape::Ball { center, radius } => {
                finite("ball", "center", center).or_else(|| positive("ball", "radius", *radius))
            }
            Shape::Box { min, max } => {
                match (0..3).find(|&k| min[k].partial_cmp(&max[k]) != Some(Ordering::Less)) {
                    Some(k) => at(
                        ["box", "max"],
                        format!(
                            "must exceed min along {}: {} to {}",
                            ["x", "y", "z"][k],
                            min[k],
                            max[k]
                        ),
                    ),
                    None => None,
                }
            }
            Shape::Plane { point, normal } => finite("plane", "point", point)
                .or_else(|| finite("plane", "normal", normal))
                .or_else(|| {
                    (norm(*normal) == 0.0)
                        .then(|| at(["plane", "normal"], "must not be zero".into()))
                        .flatten()
                }),
            Shape::SlottedDisk { center, radius, slot_width, slot_top } => {
                finite("slotted_disk", "center", center)
                    .or_else(|| positive("slotted_disk", "radius", *radius))
                    .or_else(|| positive("slotted_disk", "slot_width", *slot_width))
                    .or_else(|| finite("slotted_disk", "slot_top", &[*slot_top]))
            }
            Shape::Union(shapes) => flaw_of_many("union", shapes),
            Shape::Intersection(shapes) => flaw_of_many("intersection", shapes),
            Shape::Difference(pair) => [&pair.0, &pair.1]
                .into_iter()
                .enumerate()
                .find_map(|(k, shape)| Some(below("difference", k, shape.flaw()?))),
        }
    }
}

fn flaw_of_many(name: &str, shapes: &[Shape]) -> Option<(Vec<String>, String)> {
    if shapes.is_empty() {
        return Some((vec![name.into()], "needs at least one shape".into()));
    }
    shapes.iter().enumerate().find_map(|(k, shape)| Some(below(name, k, shape.flaw()?)))
}

fn below(name: &str, index: usize, flaw: (Vec<String>, String)) -> (Vec<String>, String) {
    let mut path = vec![name.to_string(), index.to_string()];
    path.extend(flaw.0);
    (path, flaw.1)
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn norm(a: [f64; 3]) -> f64 {
    libm::hypot(libm::hypot(a[0], a[1]), a[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(x: f64, radius: f64) -> Shape {
        Shape::Ball { center: [x, 0.0, 0.0], radius }
    }

    /// Returns points spread over the cube `[-2, 2]^3` without a random generator.
    fn probes() -> impl Iterator<Item = [f64; 3]> {
        (1..400).map(|k| {
            [0.754_877_666, 0.569_840_29, 0.438_579_02].map(|a| 4.0 * (k as f64 * a).fract() - 2.0)
        })
    }

    /// Returns the distance to the nearest of the given points on a surface.
    fn brute(surface: &[[f64; 3]], x: [f64; 3]) -> f64 {
        surface.iter().map(|&s| norm(minus(x, s))).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn box_agrees_with_points_on_its_faces() {
        let (min, max) = ([-0.5, -1.0, 0.2], [1.0, 0.3, 0.7]);
        let n = 40;
        let mut surface = Vec::new();
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [min[axis], max[axis]] {
                for i in 0..=n {
                    for j in 0..=n {
                        let mut p = [side; 3];
                        p[u] = min[u] + (max[u] - min[u]) * i as f64 / n as f64;
                        p[v] = min[v] + (max[v] - min[v]) * j as f64 / n as f64;
                        surface.push(p);
                    }
                }
            }
        }
        let shape = Shape::Box { min, max };
        for x in probes() {
            let inside = (0..3).all(|k| min[k] < x[k] && x[k] < max[k]);
            let d = shape.signed_distance(x);
            assert_eq!(d < 0.0, inside, "{x:?}");
            // Neighboring sample points are at most 0.0375 apart.
            let sampled = brute(&surface, x);
            assert!(d.abs() <= sampled + 1e-12 && sampled <= d.abs() + 0.0375, "{x:?}");
        }
    }

    #[test]
    fn an_infinite_box_is_a_slab() {
        let inf = f64::INFINITY;
        let shape = Shape::Box { min: [-0.5, -inf, -inf], max: [0.5, inf, inf] };
        assert_eq!(shape.signed_distance([0.0, 7.0, 3.0]), -0.5);
        assert_eq!(shape.signed_distance([2.0, 7.0, 3.0]), 1.5);
        assert_eq!(shape.flaw(), None);
    }

    #[test]
    fn bounds_hold_the_inside() {
        let plane = Shape::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
        let half = Shape::Intersection(vec![plane.clone(), ball(0.5, 0.7)]);
        let bitten = Shape::Difference(Box::new((ball(-0.4, 0.6), plane.clone())));
        let shape = Shape::Union(vec![half, bitten]);
        let (low, high) = shape.bounds().unwrap();
        assert!((low[0] + 1.0).abs() < 1e-15 && (high[0] - 1.2).abs() < 1e-15, "{low:?} {high:?}");
        for x in probes().filter(|x| shape.signed_distance(*x) < 0.0) {
            assert!((0..3).all(|k| low[k] <= x[k] && x[k] <= high[k]), "{x:?}");
        }
        assert_eq!(Shape::Union(vec![ball(0.0, 1.0), plane.clone()]).bounds(), None);
        assert_eq!(Shape::Union(vec![]).bounds(), None);
        assert_eq!(plane.bounds(), None);
    }

    #[test]
    fn plane_measures_along_its_normal_whatever_its_length() {
        let shape = Shape::Plane { point: [1.0, 0.0, 0.0], normal: [3.0, 0.0, 4.0] };
        for x in probes() {
            let expected = 0.6 * (x[0] - 1.0) + 0.8 * x[2];
            assert!((shape.signed_distance(x) - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn slotted_disk_is_the_disk_without_the_slot() {
        let shape = Shape::SlottedDisk {
            center: [0.0, 0.5, 0.0],
            radius: 0.3,
            slot_width: 0.1,
            slot_top: 0.7,
        };
        for x in probes() {
            let in_disk = x[0].hypot(x[1] - 0.5) < 0.3;
            let in_slot = x[0].abs() < 0.05 && x[1] < 0.7;
            assert_eq!(shape.signed_distance(x) < 0.0, in_disk && !in_slot, "{x:?}");
        }
        // Above the slot the nearest boundary is its upper end.
        assert!((shape.signed_distance([0.0, 0.72, 9.0]) + 0.02).abs() < 1e-15);
        assert!((shape.signed_distance([0.0, 0.5, 0.0]) - 0.05).abs() < 1e-15);
    }

    #[test]
    fn set_operations_have_the_right_inside() {
        let (a, b) = (ball(0.0, 1.0), ball(0.8, 0.7));
        let union = Shape::Union(vec![a.clone(), b.clone()]);
        let both = Shape::Intersection(vec![a.clone(), b.clone()]);
        let difference = Shape::Difference(Box::new((a.clone(), b.clone())));
        for x in probes() {
            let (p, q) = (a.signed_distance(x) < 0.0, b.signed_distance(x) < 0.0);
            assert_eq!(union.signed_distance(x) < 0.0, p || q);
            assert_eq!(both.signed_distance(x) < 0.0, p && q);
            assert_eq!(difference.signed_distance(x) < 0.0, p && !q);
        }
    }

    #[test]
    fn flaws_name_the_key() {
        let shape = Shape::Union(vec![ball(0.0, 1.0), ball(0.0, -1.0)]);
        let (path, what) = shape.flaw().unwrap();
        assert_eq!(path, ["union", "1", "ball", "radius"]);
        assert_eq!(what, "must be > 0, but is -1");
        assert!(Shape::Plane { point: [0.0; 3], normal: [0.0; 3] }.flaw().is_some());
        assert!(Shape::Box { min: [0.0; 3], max: [1.0, 0.0, 1.0] }.flaw().is_some());
        assert!(Shape::Intersection(vec![]).flaw().is_some());
        assert!(ball(f64::NAN, 1.0).flaw().is_some());
    }
}
