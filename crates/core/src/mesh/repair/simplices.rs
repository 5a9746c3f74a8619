//! The shape of a single simplex: how thin it is, and which vertex lies between which others.

use crate::geometry::Vec3;

/// The thinness and the size of a simplex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// The smallest height divided by the longest edge.
    pub thinness: f64,
    /// The length of the longest edge.
    pub longest: f64,
}

/// The way in which a simplex is degenerate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Degeneracy {
    /// The vertex `apex` lies inside the simplex of the first `n_base` vertices of `base`. `apex`
    /// and the entries of `base` are indices of corners of the cell.
    Cap { apex: usize, base: [usize; 3], n_base: usize },
    /// Two vertices are at the same place.
    Needle { vertices: [usize; 2] },
    /// Two opposite edges of a tetrahedron cross.
    Crossing,
}

/// Returns the shape of a simplex with 3 or 4 vertices.
pub(super) fn shape(x: &[Vec3]) -> Shape {
    let mut longest = 0.0_f64;
    for (k, a) in x.iter().enumerate() {
        x[..k].iter().for_each(|b| longest = longest.max((a - b).norm()));
    }
    if longest == 0.0 {
        return Shape { thinness: 0.0, longest };
    }
    // In units of the longest edge, no power of a length overflows or underflows.
    let edges: Vec<Vec3> = x[1..].iter().map(|p| (p - x[0]) / longest).collect();
    let thinness = match edges[..] {
        [a, b] => a.cross(&b).norm(),
        [a, b, c] => {
            let volume = a.cross(&b).dot(&c).abs();
            let faces = [a.cross(&b), b.cross(&c), c.cross(&a), (b - a).cross(&(c - a))];
            let largest = faces.iter().fold(0.0_f64, |m, face| m.max(face.norm()));
            if largest > 0.0 { volume / largest } else { 0.0 }
        }
        _ => 1.0,
    };
    Shape { thinness, longest }
}

/// Returns the way in which a simplex is degenerate. Positions that differ by less than `tolerance`
/// times the size of the simplex count as equal.
pub(super) fn degeneracy(x: &[Vec3], tolerance: f64) -> Degeneracy {
    let (mut pair, mut shortest, mut longest) = ([0, 1], f64::INFINITY, 0.0_f64);
    let mut ends = [0, 1];
    for b in 0..x.len() {
        for a in 0..b {
            let length = (x[a] - x[b]).norm();
            if length < shortest {
                (shortest, pair) = (length, [a, b]);
            }
            if length > longest {
                (longest, ends) = (length, [a, b]);
            }
        }
    }
    if shortest <= tolerance * longest {
        return Degeneracy::Needle { vertices: pair };
    }
    if x.len() == 3 {
        return Degeneracy::Cap {
            apex: 3 - ends[0] - ends[1],
            base: [ends[0], ends[1], 0],
            n_base: 2,
        };
    }
    of_tetrahedron(x, tolerance)
}

/// Classifies a degenerate tetrahedron without a short edge by the signs of the barycentric
/// coordinates of the vertex opposite the largest face.
fn of_tetrahedron(x: &[Vec3], tolerance: f64) -> Degeneracy {
    let face = |k: usize| {
        let others: Vec<usize> = (0..4).filter(|&i| i != k).collect();
        let [a, b, c] = [x[others[0]], x[others[1]], x[others[2]]];
        ((b - a).cross(&(c - a)), others)
    };
    let area = |k: usize| face(k).0.norm_squared();
    let top = (1..4).fold(0, |best, k| if area(k) > area(best) { k } else { best });
    let (normal, base) = face(top);
    let squared = normal.norm_squared();
    // The weights of a linear combination of the vertices that is zero. The weight of `top` is -1.
    let mut weight = [0.0; 4];
    weight[top] = -1.0;
    for k in 0..3 {
        let [b, c] = [base[(k + 1) % 3], base[(k + 2) % 3]].map(|i| x[i] - x[top]);
        weight[base[k]] = if squared > 0.0 { b.cross(&c).dot(&normal) / squared } else { 0.0 };
    }
    let select =
        |sign: f64| -> Vec<usize> { (0..4).filter(|&k| weight[k] * sign > tolerance).collect() };
    let (positive, negative) = (select(1.0), select(-1.0));
    let cap = |apex: usize, others: &[usize]| {
        let mut base = [0; 3];
        base[..others.len()].copy_from_slice(others);
        Degeneracy::Cap { apex, base, n_base: others.len() }
    };
    match (&positive[..], &negative[..]) {
        (others, &[apex]) if others.len() > 1 => cap(apex, others),
        (&[apex], others) if others.len() > 1 => cap(apex, others),
        (&[a], &[b]) => Degeneracy::Needle { vertices: [a, b] },
        _ => Degeneracy::Crossing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(x: &[[f64; 3]]) -> Vec<Vec3> {
        x.iter().map(|&x| Vec3::from(x)).collect()
    }

    #[test]
    fn flat_triangles_are_caps_or_needles() {
        let cap = points(&[[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!(shape(&cap).thinness, 0.0);
        let expected = Degeneracy::Cap { apex: 1, base: [0, 2, 0], n_base: 2 };
        assert_eq!(degeneracy(&cap, 1e-7), expected);
        let needle = points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1e-12, 0.0]]);
        assert_eq!(degeneracy(&needle, 1e-7), Degeneracy::Needle { vertices: [1, 2] });
    }

    #[test]
    fn flat_tetrahedra_have_a_vertex_in_a_face_or_edge_or_crossing_edges() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let with =
            |x: [f64; 3]| degeneracy(&points(&[corners[0], corners[1], x, corners[2]]), 1e-7);
        let inside = with([0.25, 0.25, 0.0]);
        assert_eq!(inside, Degeneracy::Cap { apex: 2, base: [0, 1, 3], n_base: 3 });
        let on_edge = with([0.5, 0.5, 0.0]);
        assert_eq!(on_edge, Degeneracy::Cap { apex: 2, base: [1, 3, 0], n_base: 2 });
        assert_eq!(with([1.0, 1.0, 0.0]), Degeneracy::Crossing);
        let beyond = with([-0.5, -0.5, 0.0]);
        assert_eq!(beyond, Degeneracy::Cap { apex: 0, base: [1, 2, 3], n_base: 3 });
        let on_line = with([2.0, 0.0, 0.0]);
        assert_eq!(on_line, Degeneracy::Cap { apex: 1, base: [0, 2, 0], n_base: 2 });
    }

    #[test]
    fn the_height_of_a_tetrahedron_is_relative_to_its_longest_edge() {
        let flat = points(&[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.5, 0.5, 1e-3]]);
        let found = shape(&flat);
        assert!((found.thinness - 1e-3 / 8.0_f64.sqrt()).abs() < 1e-9, "{found:?}");
    }
}
