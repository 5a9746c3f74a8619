//! The contact of two triangles.

use super::PARALLEL;
use crate::geometry::Vec3;

/// A segment along which a triangle is cut.
pub(super) type Cut = [Vec3; 2];

/// The contact of a triangle with another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Contact {
    /// They are apart, or meet only at common corners and edges.
    None,
    /// They touch, but the other triangle does not cross the interior of this one.
    Touch,
    /// The other triangle crosses the interior of this one along segments.
    Cuts(Vec<Cut>),
}

/// Returns the contact of the triangle `mine` with another one. The normals have length 1, and
/// `common` is the number of corners that the triangles have in common.
pub(super) fn contact(
    mine: &[Vec3; 3],
    theirs: &[Vec3; 3],
    normals: [Vec3; 2],
    common: usize,
    tolerance: f64,
) -> Contact {
    let height = |of: &[Vec3; 3], plane: &[Vec3; 3], normal: Vec3| {
        of.map(|x| match normal.dot(&(x - plane[0])) {
            h if h.abs() <= tolerance => 0.0,
            h => h,
        })
    };
    let above = height(theirs, mine, normals[0]);
    let below = height(mine, theirs, normals[1]);
    let is_flat = |h: &[f64; 3]| h.iter().all(|h| *h == 0.0);
    let is_apart = |h: &[f64; 3]| h.iter().all(|h| *h > 0.0) || h.iter().all(|h| *h < 0.0);
    if is_apart(&above) || is_apart(&below) {
        return Contact::None;
    }
    if is_flat(&above) && is_flat(&below) && normals[0].dot(&normals[1]).abs() >= PARALLEL {
        return in_one_plane(mine, theirs, normals, common, tolerance);
    }
    if common >= 2 {
        return Contact::None;
    }
    let Some(segment) = crossing(mine, theirs, [above, below], normals) else {
        return Contact::None;
    };
    if (segment[1] - segment[0]).norm() <= tolerance {
        // Neighbors meet at their common corner. Any other contact at a point does not matter,
        // because it separates nothing.
        return Contact::None;
    }
    match inner_part(segment, mine, normals[0], tolerance) {
        Some(cut) => Contact::Cuts(vec![cut]),
        None => Contact::Touch,
    }
}

/// Returns the contact of two triangles in one plane.
fn in_one_plane(
    mine: &[Vec3; 3],
    theirs: &[Vec3; 3],
    normals: [Vec3; 2],
    common: usize,
    tolerance: f64,
) -> Contact {
    if common == 3 {
        return Contact::Touch;
    }
    let edges = |t: &[Vec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let cuts: Vec<Cut> = edges(theirs)
        .into_iter()
        .filter_map(|edge| inner_part(edge, mine, normals[0], tolerance))
        .collect();
    if !cuts.is_empty() {
        return Contact::Cuts(cuts);
    }
    // Without a cut, this triangle either lies within the other one or only shares its boundary.
    let covers = edges(mine)
        .into_iter()
        .any(|edge| inner_part(edge, theirs, normals[1], tolerance).is_some());
    let middle = (mine[0] + mine[1] + mine[2]) / 3.0;
    let is_within = inner_distances(middle, theirs, normals[1]).iter().all(|d| *d > tolerance);
    if covers || is_within { Contact::Touch } else { Contact::None }
}

/// Returns the segment that two triangles in different planes have in common, or `None` if they do
/// not meet. `heights` are the distances of the corners of each triangle from the plane of the
/// other one, first those of `theirs`.
fn crossing(
    mine: &[Vec3; 3],
    theirs: &[Vec3; 3],
    heights: [[f64; 3]; 2],
    normals: [Vec3; 2],
) -> Option<Cut> {
    let direction = normals[0].cross(&normals[1]);
    let span = |t: &[Vec3; 3], heights: [f64; 3]| {
        let mut ends: Option<Cut> = None;
        let mut add = |x: Vec3| {
            let [low, high] = ends.get_or_insert([x, x]);
            if direction.dot(&x) < direction.dot(low) {
                *low = x;
            }
            if direction.dot(&x) > direction.dot(high) {
                *high = x;
            }
        };
        for i in 0..3 {
            let j = (i + 1) % 3;
            if heights[i] == 0.0 {
                add(t[i]);
            } else if heights[i] * heights[j] < 0.0 {
                add(t[i] + (t[j] - t[i]) * (heights[i] / (heights[i] - heights[j])));
            }
        }
        ends
    };
    let (a, b) = (span(mine, heights[1])?, span(theirs, heights[0])?);
    let low = if direction.dot(&a[0]) > direction.dot(&b[0]) { a[0] } else { b[0] };
    let high = if direction.dot(&a[1]) < direction.dot(&b[1]) { a[1] } else { b[1] };
    (direction.dot(&low) < direction.dot(&high)).then_some([low, high])
}

/// Returns the distances of a point from the edges of a convex polygon, positive inside.
pub(super) fn inner_distances(x: Vec3, polygon: &[Vec3], normal: Vec3) -> Vec<f64> {
    let n = polygon.len();
    let distance = |k: usize| {
        let (from, to) = (polygon[k], polygon[(k + 1) % n]);
        let inward = normal.cross(&(to - from));
        match inward.norm() {
            length if length > 0.0 => inward.dot(&(x - from)) / length,
            _ => f64::INFINITY,
        }
    };
    (0..n).map(distance).collect()
}

/// Returns the part of a segment that lies inside a convex polygon and farther than the tolerance
/// from its edges, or `None` if this part is shorter than the tolerance.
pub(super) fn inner_part(
    segment: Cut,
    polygon: &[Vec3],
    normal: Vec3,
    tolerance: f64,
) -> Option<Cut> {
    let [p, q] = segment;
    let ends = [p, q].map(|x| inner_distances(x, polygon, normal));
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (a, b) in ends[0].iter().zip(&ends[1]) {
        let (a, b) = (a - tolerance, b - tolerance);
        match (a > 0.0, b > 0.0) {
            (false, false) => return None,
            (true, true) => {}
            (false, true) => from = from.max(a / (a - b)),
            (true, false) => to = to.min(a / (a - b)),
        }
    }
    let length = (q - p).norm();
    ((to - from) * length > tolerance).then(|| [p + (q - p) * from, p + (q - p) * to])
}
