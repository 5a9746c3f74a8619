//! Automatic choice of the view of a mesh.

use super::drawing::{Drawing, Kinds};
use super::{Lines, Subject};
use crate::render::vector::{V, add, cross, dot, length, scaled, sub, unit};
use crate::render::{Axes, CORNER, Camera, View};
use zeroset_core::mesh::Kind;

/// Returns the camera for a view. For [`View::Auto`], the direction depends on the content.
pub(super) fn camera(view: View, subject: &Subject<'_>, drawing: &Drawing<'_>) -> Camera {
    Camera::new(view.direction().unwrap_or_else(|| {
        match subject.mesh.kind {
            Kind::Planar => [0.0, 0.0, 1.0],
            Kind::Volume => toward_part(subject, drawing).unwrap_or(CORNER),
            _ => flat_normal(drawing)
                .or_else(|| toward_part(subject, drawing))
                .unwrap_or_else(|| best(subject, drawing)),
        }
    }))
}

/// Returns the normal of a mesh whose triangles are all parallel to a plane, or `None` for any
/// other mesh. The normal points to the side from which most of the area is counterclockwise.
fn flat_normal(drawing: &Drawing<'_>) -> Option<V> {
    let areas = || (0..drawing.n_colored).map(|t| area(drawing, t).0);
    let longest = |a: V, b: V| if length(b) > length(a) { b } else { a };
    let normal = unit(areas().fold([0.0; 3], longest));
    let (mut whole, mut across, mut signed) = (0.0, 0.0, 0.0);
    for a in areas() {
        let along = dot(a, normal);
        whole += length(a);
        across += length(sub(a, scaled(normal, along)));
        signed += along;
    }
    let is_flat = whole > 0.0 && across < 1e-6 * whole;
    is_flat.then(|| if signed < 0.0 { scaled(normal, -1.0) } else { normal })
}

/// The largest share of the area that a part may have to determine the view.
const PART: f64 = 0.9;

/// The smallest length of the mean normal of a part that determines the view. A closed part has
/// length 0, and a flat one has length 1.
const DIRECTED: f64 = 0.25;

/// The mean normal determines the view if, from its direction, at least this fraction of the area
/// that the best direction shows is visible.
const VISIBLE: f64 = 0.75;

/// Returns the direction of the mean normal of the part of the mesh that has values or labels.
/// Returns a better direction if the mean normal is too short ([`DIRECTED`]), or if the rest of the
/// mesh would hide the part. Returns `None` if there is no such part, if it is too large
/// ([`PART`]), or if the picture shows an interface without other colors or labels.
fn toward_part(subject: &Subject<'_>, drawing: &Drawing<'_>) -> Option<V> {
    if subject.lines == Lines::Interface && subject.labels.is_none() && subject.colors.is_none() {
        return None;
    }
    let is_shown = shown(subject, drawing);
    let (mut whole, mut part, mut sum) = (0.0, 0.0, [0.0; 3]);
    for t in 0..drawing.n_colored {
        let (normal, _) = area(drawing, t);
        whole += length(normal);
        if is_shown(t) {
            part += length(normal);
            sum = add(sum, normal);
        }
    }
    if !(part > 0.0 && part < PART * whole) {
        return None;
    }
    let n = drawing.n_colored;
    let step = n / MANY + 1;
    // The triangles are filtered before sampling, so that a small part is not skipped.
    let shown: Vec<usize> = (0..n).filter(|&t| is_shown(t)).collect();
    let spots: Vec<Spot> = shown
        .iter()
        .step_by(shown.len() / MANY + 1)
        .map(|&t| {
            let (normal, at) = area(drawing, t);
            Spot { at, normal: unit(normal), weight: length(normal), part: 0 }
        })
        .collect();
    let points: Vec<V> = drawing.points.iter().copied().step_by(step).collect();
    let mean = (length(sum) > DIRECTED * part).then(|| unit(sum));
    let axes = principal_axes(&points);
    let mut best = (0.0, None);
    for direction in directions(&axes) {
        let score = score(&spots, &points, direction);
        if score > best.0 * 1.06 {
            best = (score, Some(direction));
        }
    }
    // A score is the square root of an area.
    let is_visible = |mean: &V| {
        let score = score(&spots, &points, *mean);
        score * score >= VISIBLE * best.0 * best.0
    };
    mean.filter(is_visible).or(best.1)
}

/// Returns a function that states whether a triangle has a value or a label. The largest value of a
/// distance does not count if more than a tenth of all triangles have it at every corner. The
/// distance was then probably limited to this value.
fn shown<'d>(subject: &Subject<'_>, drawing: &'d Drawing<'_>) -> impl Fn(usize) -> bool + 'd {
    let values = |t: usize| {
        let corners = &drawing.triangles[3 * t..][..3];
        [0, 1, 2].map(|k| drawing.values[corners[k] as usize])
    };
    let finite = drawing.values.iter().copied().filter(|x| x.is_finite());
    let high = finite.fold(f64::NEG_INFINITY, f64::max);
    let n = drawing.n_colored;
    let at_limit = (0..n).filter(|&t| values(t) == [high; 3]).count();
    let is_limited = subject.lines == Lines::Round && 10 * at_limit > n;
    move |t| match &drawing.labels {
        Some(labels) => {
            let none = labels.lights.len() as u32 - 1;
            labels.of[t].iter().any(|&label| label != none)
        }
        None => {
            let values = values(t);
            values.iter().all(|x| x.is_finite()) && !(is_limited && values == [high; 3])
        }
    }
}

/// Returns the normal of a triangle, whose length is twice the area, and the center of the
/// triangle.
fn area(drawing: &Drawing<'_>, t: usize) -> (V, V) {
    let [a, b, c] = drawing.corners(t);
    (cross(sub(b, a), sub(c, a)), scaled(add(add(a, b), c), 1.0 / 3.0))
}

/// A point on a surface that a view should show.
struct Spot {
    at: V,
    normal: V,
    weight: f64,
    /// The index of the part of the value range that contains the value. It is 0 for interfaces.
    part: usize,
}

/// The number of parts into which the value range is divided. A view should show as many of them as
/// possible.
const PARTS: usize = 16;

/// The largest number of spots, and the largest number of points that may hide them.
const MANY: usize = 40_000;

/// Returns the direction that shows the most, out of 26 directions around a surface. An interface
/// counts by its length, and each part of a value range by its area. The square roots of the areas
/// are added, so that small parts also count.
fn best(subject: &Subject<'_>, drawing: &Drawing<'_>) -> V {
    let spots = spots(subject, drawing);
    let points: Vec<V> =
        drawing.points.iter().copied().step_by(drawing.points.len() / MANY + 1).collect();
    let axes = principal_axes(&points);
    let mut best = (0.0, axes[0]);
    for direction in directions(&axes) {
        let score = score(&spots, &points, direction);
        // Directions along a single axis come first. An oblique direction wins only if it shows
        // clearly more.
        if score > best.0 * 1.06 {
            best = (score, direction);
        }
    }
    best.1
}

/// Returns the directions along one axis (starting with the axis along which the extent is
/// smallest), then those between two axes, and then those between all three.
fn directions(axes: &[V; 3]) -> Vec<V> {
    let mut all: Vec<(usize, V)> = Vec::new();
    for code in 0..27 {
        let steps = [code % 3, code / 3 % 3, code / 9];
        let direction =
            (0..3).fold([0.0; 3], |sum, k| add(sum, scaled(axes[k], [0.0, 1.0, -1.0][steps[k]])));
        all.push((steps.iter().filter(|&&s| s != 0).count(), unit(direction)));
    }
    all.sort_by_key(|&(n, _)| n);
    all.into_iter().skip(1).map(|(_, direction)| direction).collect()
}

fn spots(subject: &Subject<'_>, drawing: &Drawing<'_>) -> Vec<Spot> {
    let area = |t: usize| area(drawing, t);
    let n = drawing.n_colored;
    if subject.lines == Lines::Interface {
        let inside = |t: usize| {
            let t = &drawing.triangles[3 * t..][..3];
            t.iter().filter(|&&v| subject.values[v as usize] < 0.0).count()
        };
        let cut: Vec<usize> = (0..n).filter(|&t| (1..3).contains(&inside(t))).collect();
        let lines = drawing.lines.iter().filter(|l| l.kind == Kinds::Interface);
        let lengths = lines.map(|l| length(sub(l.ends[1], l.ends[0])));
        if cut.len() == lengths.clone().count() && !cut.is_empty() {
            let step = cut.len() / MANY + 1;
            let spot = |(&t, weight): (&usize, f64)| {
                let (normal, at) = area(t);
                Spot { at, normal: unit(normal), weight, part: 0 }
            };
            return cut.iter().zip(lengths).step_by(step).map(spot).collect();
        }
    }
    let finite = || subject.values.iter().copied().filter(|x| x.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let width = finite().fold(f64::NEG_INFINITY, f64::max) - low;
    let spot = |t: usize| {
        let (normal, at) = area(t);
        let corners = &drawing.triangles[3 * t..][..3];
        let mean = corners.iter().map(|&v| subject.values[v as usize]).sum::<f64>() / 3.0;
        let part = ((mean - low) / width * PARTS as f64).clamp(0.0, PARTS as f64 - 1.0);
        // If all values are equal, `part` is NaN, and the cast below turns it into 0. A cell with a
        // value that is not finite has weight 0.
        let weight = if mean.is_finite() { length(normal) } else { 0.0 };
        Spot { at, normal: unit(normal), weight, part: part as usize }
    };
    (0..n).step_by(n / MANY + 1).map(spot).collect()
}

/// Returns how much is visible from a direction: the sum over the parts of the square root of the
/// visible weight. Spots seen at an angle count less. Visibility is determined on a coarse grid
/// that keeps the nearest point of each cell.
fn score(spots: &[Spot], points: &[V], toward: V) -> f64 {
    let axes = Axes::new(&Camera::new(toward));
    let side = ((points.len() as f64).sqrt() / 3.0).clamp(6.0, 96.0) as usize;
    let flat = |x: &V| [dot(*x, axes.right), dot(*x, axes.up), dot(*x, toward)];
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for x in points.iter().map(flat) {
        for k in 0..2 {
            low[k] = low[k].min(x[k]);
            high[k] = high[k].max(x[k]);
        }
    }
    let width = (high[0] - low[0]).max(high[1] - low[1]);
    let field = width / side as f64;
    let index = |x: &[f64; 3]| {
        let k = |c: usize| ((x[c] - low[c]) / field).clamp(0.0, side as f64 - 1.0) as usize;
        k(1) * side + k(0)
    };
    let mut nearest = vec![f64::NEG_INFINITY; side * side];
    for x in points.iter().map(flat) {
        let cell = &mut nearest[index(&x)];
        *cell = cell.max(x[2]);
    }
    let mut seen = [0.0; PARTS];
    for spot in spots {
        let x = flat(&spot.at);
        if nearest[index(&x)] - x[2] < 1.5 * field {
            seen[spot.part] += spot.weight * dot(spot.normal, toward).abs();
        }
    }
    seen.iter().map(|s: &f64| s.sqrt()).sum()
}

/// Returns the principal axes of points, from the smallest to the largest spread. The largest
/// component of each axis is positive. If each axis is within about 26 degrees of a different
/// coordinate axis, returns the coordinate axes instead.
fn principal_axes(points: &[V]) -> [V; 3] {
    let n = points.len().max(1) as f64;
    let mean = scaled(points.iter().fold([0.0; 3], |sum, x| add(sum, *x)), 1.0 / n);
    let mut m = [[0.0; 3]; 3];
    for x in points.iter().map(|x| sub(*x, mean)) {
        for (i, row) in m.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += x[i] * x[j];
            }
        }
    }
    let mut turn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // Jacobi rotations. Each sweep at least halves the off-diagonal part.
    for (i, j) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(36) {
        if m[i][j] * m[i][j] <= 1e-30 * (m[i][i] * m[j][j]).abs() {
            continue;
        }
        let theta = (m[j][j] - m[i][i]) / (2.0 * m[i][j]);
        let sign = if theta < 0.0 { -1.0 } else { 1.0 };
        let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        for row in &mut m {
            (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
        }
        for k in 0..3 {
            (m[i][k], m[j][k]) = (c * m[i][k] - s * m[j][k], s * m[i][k] + c * m[j][k]);
            (turn[k][i], turn[k][j]) =
                (c * turn[k][i] - s * turn[k][j], s * turn[k][i] + c * turn[k][j]);
        }
    }
    let column = |k: usize| [turn[0][k], turn[1][k], turn[2][k]];
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| m[a][a].total_cmp(&m[b][b]));
    let axes = order.map(column);
    // Either all axes are replaced or none, because they must stay orthogonal.
    let near = |axis: &V| (0..3).find(|&k| axis[k].abs() > 0.9);
    let snapped = axes.each_ref().map(near);
    let positive = |axis: V| {
        let largest =
            (0..3).fold(0, |k, j| if axis[j].abs() > axis[k].abs() + 1e-9 { j } else { k });
        if axis[largest] < 0.0 { scaled(axis, -1.0) } else { axis }
    };
    match snapped {
        [Some(a), Some(b), Some(c)] if a != b && b != c && a != c => {
            [a, b, c].map(|k| std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 }))
        }
        _ => axes.map(positive),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::generate::{Generate, Sphere, generate};

    #[test]
    fn a_cap_is_seen_from_its_side() {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        for side in [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.6, 0.0, -0.8]] {
            let values: Vec<f64> = mesh.vertices.iter().map(|x| 0.6 - dot(*x, side)).collect();
            let subject = Subject::new(&mesh, &values);
            let drawing = Drawing::new(&subject, &[]);
            let from = camera(View::Auto, &subject, &drawing).from;
            assert!(dot(from, side) > 0.85, "{side:?}: from {from:?}");
        }
    }

    #[test]
    fn principal_axes_of_a_box() {
        let mut points = Vec::new();
        for (x, y, z) in (0..216).map(|k| (k % 6, k / 6 % 6, k / 36)) {
            points.push([f64::from(x) * 3.0, f64::from(y), f64::from(z) * 2.0]);
        }
        assert_eq!(principal_axes(&points), [[0., 1., 0.], [0., 0., 1.], [1., 0., 0.]]);
        // Rotated by 36.87 degrees about z.
        let turned: Vec<V> = points
            .iter()
            .map(|x| [0.8 * x[0] - 0.6 * x[1], 0.6 * x[0] + 0.8 * x[1], x[2]])
            .collect();
        let axes = principal_axes(&turned);
        for (found, exact) in axes.iter().zip([[-0.6, 0.8, 0.0], [0., 0., 1.], [0.8, 0.6, 0.0]]) {
            assert!(dot(*found, exact).abs() > 1.0 - 1e-9, "{axes:?}");
        }
    }
}
