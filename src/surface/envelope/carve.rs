//! Cuts a triangle along segments into convex pieces, and determines which of them bound the
//! inside.

use super::Side;
use super::contact::{Cut, inner_part};
use crate::geometry::Vec3;

/// A polygon with more cuts than this is first halved, so that each cut is compared with few
/// pieces.
const MANY: usize = 8;
/// The largest number of times that a polygon is halved.
const DEEPEST: usize = 64;

/// The result of cutting a triangle.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The whole polygon bounds the inside.
    Bounds,
    /// No part of the polygon bounds the inside.
    Ignored,
    /// The polygon is narrower than the tolerance, so it cannot be decided.
    Narrow,
    /// Convex pieces of the polygon bound the inside.
    Pieces(Vec<Vec<Vec3>>),
}

/// Cuts a triangle. `side` classifies a point in the middle of a piece.
pub(super) fn carve(
    triangle: &[Vec3; 3],
    normal: Vec3,
    cuts: &[Cut],
    tolerance: f64,
    side: &dyn Fn(Vec3) -> Side,
) -> Outcome {
    Carver { normal, tolerance, side }.carve(triangle.to_vec(), cuts.to_vec(), 0)
}

struct Carver<'a> {
    normal: Vec3,
    tolerance: f64,
    side: &'a dyn Fn(Vec3) -> Side,
}

impl Carver<'_> {
    fn carve(&self, polygon: Vec<Vec3>, cuts: Vec<Cut>, depth: usize) -> Outcome {
        let clip = |cut: &Cut| inner_part(*cut, &polygon, self.normal, self.tolerance);
        let cuts: Vec<Cut> = cuts.iter().filter_map(clip).collect();
        let Some(&[p, q]) = cuts.first() else { return self.decide(&polygon) };
        let is_halved = cuts.len() > MANY;
        let [left, right] = if is_halved {
            match self.halves(&polygon) {
                Some(halves) if depth < DEEPEST => halves,
                // Many cuts meet at a point, and this piece around it is hardly larger than the
                // tolerance.
                _ => return self.decide(&polygon),
            }
        } else {
            self.split(&polygon, p, self.normal.cross(&(q - p)).normalize())
        };
        // The first cut now lies on the edges of both parts.
        let rest = if is_halved { cuts } else { cuts[1..].to_vec() };
        let depth = depth + usize::from(is_halved);
        let parts = [left, right].map(|part| match part.len() {
            0..3 => (part, Outcome::Narrow),
            _ => (part.clone(), self.carve(part, rest.clone(), depth)),
        });
        join(parts)
    }

    /// Classifies a polygon that no cut crosses.
    fn decide(&self, polygon: &[Vec3]) -> Outcome {
        let n = polygon.len();
        let area: f64 = (1..n - 1)
            .map(|k| (polygon[k] - polygon[0]).cross(&(polygon[k + 1] - polygon[0])).norm())
            .sum();
        let perimeter: f64 = (0..n).map(|k| (polygon[(k + 1) % n] - polygon[k]).norm()).sum();
        // The mean width of a long piece is about its area divided by half its perimeter. `area` is
        // twice the area.
        if area <= self.tolerance * perimeter {
            return Outcome::Narrow;
        }
        match (self.side)(polygon.iter().sum::<Vec3>() / n as f64) {
            Side::Bounds => Outcome::Bounds,
            Side::Ignored => Outcome::Ignored,
        }
    }

    /// Splits a polygon across the axis along which it is longest. Returns `None` if it is not
    /// larger than the tolerance.
    fn halves(&self, polygon: &[Vec3]) -> Option<[Vec<Vec3>; 2]> {
        let (low, high) = crate::surface::bvh::box_of(polygon);
        let axis = (high - low).imax();
        let mut across = Vec3::zeros();
        across[axis] = 1.0;
        let wide = (high - low)[axis] > 8.0 * self.tolerance;
        wide.then(|| self.split(polygon, 0.5 * (low + high), across))
            .filter(|halves| halves.iter().all(|half| half.len() > 2))
    }

    /// Splits a convex polygon by the plane through `p` with normal `across`. A part without area
    /// has fewer than three corners.
    fn split(&self, polygon: &[Vec3], p: Vec3, across: Vec3) -> [Vec<Vec3>; 2] {
        let height = |x: &Vec3| match across.dot(&(x - p)) {
            h if h.abs() <= self.tolerance => 0.0,
            h => h,
        };
        let heights: Vec<f64> = polygon.iter().map(height).collect();
        let mut parts = [Vec::new(), Vec::new()];
        for (k, (&x, &h)) in polygon.iter().zip(&heights).enumerate() {
            let next = (k + 1) % polygon.len();
            if h <= 0.0 {
                parts[0].push(x);
            }
            if h >= 0.0 {
                parts[1].push(x);
            }
            if h * heights[next] < 0.0 {
                let crossing = x + (polygon[next] - x) * (h / (h - heights[next]));
                parts.iter_mut().for_each(|part| part.push(crossing));
            }
        }
        parts
    }
}

/// Joins the outcomes of two parts of a polygon.
fn join(parts: [(Vec<Vec3>, Outcome); 2]) -> Outcome {
    use Outcome::{Bounds, Ignored, Narrow, Pieces};
    match (&parts[0].1, &parts[1].1) {
        (Narrow, Narrow) => return Narrow,
        (Bounds, Bounds) | (Bounds, Narrow) | (Narrow, Bounds) => return Bounds,
        (Ignored, Ignored) | (Ignored, Narrow) | (Narrow, Ignored) => return Ignored,
        _ => {}
    }
    let pieces = parts.into_iter().flat_map(|(polygon, outcome)| match outcome {
        Bounds => vec![polygon],
        Pieces(pieces) => pieces,
        Ignored | Narrow => Vec::new(),
    });
    Pieces(pieces.collect())
}
