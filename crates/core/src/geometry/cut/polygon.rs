//! Cuts a polygon in space into triangles.

use super::constrained::triangulate;
use crate::geometry::Vec3;

/// Triangles whose height is below this fraction of their longest edge are avoided. Rounded
/// coordinates can move a corner in the middle of an edge this far off the edge.
const FLAT: f64 = 1e-5;
/// A fan with flat triangles is kept unless the smallest quality of another cut is larger by this
/// factor.
const BETTER: f64 = 100.0;
/// A polygon is bent if a corner is farther from the plane of best fit than this fraction of the
/// size of the polygon. The surface of a bent polygon depends on the cut.
pub const BENT: f64 = 0.1;
/// The number of corners above which a polygon can be cut only as a fan.
const MOST_CORNERS: usize = 1 << 16;

/// The triangles into which a polygon is cut, and how far the polygon is from a plane.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CutPolygon {
    /// The corner indices of the triangles, in the orientation of the polygon, or `None` if the
    /// polygon is cut as the fan around corner 0. For n corners, there are at most n - 2 triangles.
    pub triangles: Option<Vec<[u32; 3]>>,
    /// The largest distance of a corner from the plane of best fit, divided by the size of the
    /// polygon.
    pub bend: f64,
}

/// The reason why a polygon cannot be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolygonFault {
    /// The boundary crosses or touches itself.
    Crosses,
    /// The polygon has too many corners and cannot be cut as a fan.
    TooMany,
}

impl std::fmt::Display for PolygonFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PolygonFault::Crosses => f.write_str("the boundary of the polygon crosses itself"),
            PolygonFault::TooMany => {
                write!(f, "the polygon is not convex and has more than {MOST_CORNERS} corners")
            }
        }
    }
}

/// Cuts a polygon, given by its corners in order, into triangles.
///
/// The fan around corner 0 is kept if its triangles cover the polygon without overlap and are not
/// flat. Otherwise, the polygon is triangulated in its plane of best fit, with exact predicates and
/// all its corners. If the fan has no overlap but has flat triangles, the triangulation is used
/// only if its smallest quality is much better. A polygon with a hole passes twice along the edge
/// that connects its outer boundary to the hole. A polygon whose corners lie on a line keeps its
/// fan.
///
/// # Errors
/// Returns a [`PolygonFault`] if the boundary crosses or touches itself, or if there are too many
/// corners and the polygon cannot be cut as a fan.
pub fn cut_polygon(corners: &[Vec3]) -> Result<CutPolygon, PolygonFault> {
    let fan = |bend| Ok(CutPolygon { triangles: None, bend });
    if corners.len() <= 3 {
        return fan(0.0);
    }
    let flat = match Flattened::of(corners) {
        Ok(flat) => flat,
        Err(NoPlane::Line) => return fan(0.0),
        Err(NoPlane::NoArea) => return Err(PolygonFault::Crosses),
    };
    let quality = flat.fan_quality();
    if quality > FLAT {
        return fan(flat.bend);
    }
    let other = flat.delaunay();
    let is_better = |other: &[[u32; 3]]| {
        let other = other.iter().map(|t| flat.quality(t.map(|k| k as usize)));
        other.fold(f64::INFINITY, f64::min) > quality.max(0.0) * BETTER
    };
    match other {
        Ok(triangles) if is_better(&triangles) => {
            Ok(CutPolygon { triangles: Some(triangles), bend: flat.bend })
        }
        Err(fault) if quality <= 0.0 => Err(fault),
        _ => fan(flat.bend),
    }
}

/// A polygon in its plane of best fit, scaled to a size of about 1 and oriented counterclockwise.
struct Flattened {
    points: Vec<[f64; 2]>,
    area: f64,
    bend: f64,
}

/// The reason why a polygon has no plane.
enum NoPlane {
    /// All corners lie on a line, or some are not finite.
    Line,
    /// The signed areas of the parts of the polygon cancel.
    NoArea,
}

impl Flattened {
    fn of(corners: &[Vec3]) -> Result<Self, NoPlane> {
        // The corners may come from a point cloud file, where coordinates need not be finite.
        if corners.iter().any(|x| !x.iter().all(|c| c.is_finite())) {
            return Err(NoPlane::Line);
        }
        let origin = corners[0];
        let extent = corners.iter().fold(0.0_f64, |m, x| m.max((x - origin).amax()));
        if extent == 0.0 || !extent.is_finite() {
            return Err(NoPlane::Line);
        }
        // The unit is a power of two, so that scaling does not round.
        let unit = 2.0_f64.powi(extent.log2().floor().clamp(-1000.0, 1000.0) as i32);
        let x: Vec<Vec3> = corners.iter().map(|x| (x - origin) / unit).collect();
        let next = |k: usize| x[(k + 1) % x.len()];
        let normal = (0..x.len()).fold(Vec3::zeros(), |sum, k| sum + x[k].cross(&next(k))) * 0.5;
        let area = normal.norm();
        if area <= 1e-14 {
            let far = x.iter().fold(x[0], |far, p| if p.norm() > far.norm() { *p } else { far });
            let off = x.iter().fold(0.0_f64, |m, p| m.max(p.cross(&far).norm()));
            return Err(if off > 1e-7 * far.norm() { NoPlane::NoArea } else { NoPlane::Line });
        }
        let normal = normal / area;
        let center = x.iter().sum::<Vec3>() / x.len() as f64;
        let height = |p: &Vec3| (p - center).dot(&normal).abs();
        let size = x.iter().fold(0.0_f64, |m, p| m.max((p - center).norm())) * 2.0;
        let bend = x.iter().map(height).fold(0.0, f64::max) / size;
        let [u, v] = axes(normal);
        let points = x.iter().map(|p| [p.dot(&u), p.dot(&v)]).collect();
        Ok(Flattened { points, area, bend })
    }

    /// Triangulates the polygon with exact predicates.
    fn delaunay(&self) -> Result<Vec<[u32; 3]>, PolygonFault> {
        let n = self.points.len();
        if n > MOST_CORNERS {
            return Err(PolygonFault::TooMany);
        }
        let triangles = triangulate(&self.points).ok_or(PolygonFault::Crosses)?;
        let area: f64 =
            triangles.iter().map(|t| self.area2(t.map(|k| k as usize))).sum::<f64>() / 2.0;
        // The area or the number of triangles is wrong if the boundary winds around a region more
        // than once or touches itself.
        let covers = (area - self.area).abs() <= 1e-6 * self.area.max(area);
        if covers && triangles.len() <= n - 2 { Ok(triangles) } else { Err(PolygonFault::Crosses) }
    }

    fn area2(&self, triangle: [usize; 3]) -> f64 {
        let [a, b, c] = triangle.map(|k| self.points[k]);
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    }

    /// Returns the signed height of a triangle divided by its longest edge, or infinity if two of
    /// its corners coincide.
    fn quality(&self, triangle: [usize; 3]) -> f64 {
        let [a, b, c] = triangle.map(|k| self.points[k]);
        if a == b || b == c || c == a {
            return f64::INFINITY;
        }
        let square = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
        self.area2(triangle) / square(a, b).max(square(b, c)).max(square(c, a))
    }

    /// Returns the smallest quality of a triangle in the fan around corner 0, or -1 if triangles of
    /// the fan overlap.
    fn fan_quality(&self) -> f64 {
        let n = self.points.len();
        let (mut worst, mut is_behind) = (f64::INFINITY, false);
        let Some(first) = (1..n).find(|&k| self.points[k] != self.points[0]) else { return -1.0 };
        for k in first..n - 1 {
            worst = worst.min(self.quality([0, k, k + 1]));
            let turn = self.area2([0, first, k + 1]);
            let coincides = self.points[k + 1] == self.points[0];
            // Each triangle turns the fan by less than 180 degrees.
            if is_behind && turn >= 0.0 && !coincides {
                return -1.0;
            }
            is_behind |= turn < 0.0;
        }
        worst
    }
}

/// Returns two axes of the plane with this unit normal. If the normal lies along a coordinate axis,
/// they are the other two coordinate axes, so that coordinates are not rounded.
fn axes(normal: Vec3) -> [Vec3; 2] {
    let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()];
    for (axis, u, v) in [(x, y, z), (y, z, x), (z, x, y)] {
        if normal == axis {
            return [u, v];
        }
        if normal == -axis {
            return [v, u];
        }
    }
    let least = if normal.x.abs() <= normal.y.abs().min(normal.z.abs()) {
        x
    } else if normal.y.abs() <= normal.z.abs() {
        y
    } else {
        z
    };
    let u = normal.cross(&least).normalize();
    [u, normal.cross(&u)]
}

#[cfg(test)]
mod tests;
