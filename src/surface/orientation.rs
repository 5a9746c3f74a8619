//! Orients the triangles of a surface consistently.

mod outward;
mod sheets;

pub use self::outward::{Outward, orient_outward};
use self::sheets::{Sheets, Sides};

/// If at most this fraction of the area of a component is oriented against the rest, the majority
/// decides the orientation. Otherwise, triangles are reversed so that normals point outward.
const MINORITY: f64 = 0.1;

/// The result of [`orient`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orientation {
    /// Number of edges with one triangle. If it is not zero, the surface has holes.
    pub open_edges: usize,
    /// Number of edges with three or more triangles.
    pub nonmanifold_edges: usize,
    /// The number of triangles whose orientation was reversed.
    pub turned: usize,
    /// Number of components that cannot be oriented, such as a Moebius strip. They do not change.
    pub one_sided: usize,
}

/// Reverses triangles of `triangles` (`[n * 3]`) so that triangles that share an edge agree. Edges
/// with more than two triangles are ignored.
///
/// A component connected by the remaining edges keeps the orientation of most of its area. If more
/// than a tenth of the area is oriented the other way, the component is oriented so that it
/// encloses a positive volume.
pub fn orient(vertices: &[[f64; 3]], triangles: &mut [u32]) -> Orientation {
    let sides = Sides::new(triangles);
    let mut result = Orientation {
        open_edges: sides.open_edges(),
        nonmanifold_edges: sides.nonmanifold_edges(),
        ..Orientation::default()
    };
    if !sides.disagree() {
        return result;
    }
    let sheets = Sheets::new(&sides, triangles);
    let mut to_turn = Vec::new();
    for (c, part) in sheets.triangles.iter().enumerate() {
        if sheets.conflict[c].is_some() {
            result.one_sided += 1;
            continue;
        }
        let (all, turned) = sheets.areas(c, vertices, triangles);
        let whole = clear_majority(all, turned)
            // The volume of an open component is measured from one of its points.
            .unwrap_or_else(|| sheets.volume(c, vertices, triangles) < 0.0);
        to_turn.extend(part.iter().filter(|&&t| sheets.turned[t as usize] != whole));
    }
    result.turned = to_turn.len();
    turn(triangles, &to_turn);
    result
}

/// Returns whether nearly all of the area of a component is oriented against its first triangle.
/// `all` is its whole area, and `turned` is the area oriented against the first triangle. Returns
/// `None` if neither orientation is a small minority.
fn clear_majority(all: f64, turned: f64) -> Option<bool> {
    if turned <= MINORITY * all {
        return Some(false);
    }
    (turned >= (1.0 - MINORITY) * all).then_some(true)
}

/// Reverses the triangles whose indices are in `which`.
fn turn(triangles: &mut [u32], which: &[u32]) {
    for &t in which {
        triangles.swap(3 * t as usize + 1, 3 * t as usize + 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    #[test]
    fn few_and_many_turned_triangles_are_turned_back() {
        let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
        for every in [2, 3, 50] {
            let mut cells = sphere.cells.clone();
            let mut n = 0;
            for t in cells.chunks_exact_mut(3).step_by(every) {
                t.swap(0, 1);
                n += 1;
            }
            let found = orient(&sphere.vertices, &mut cells);
            assert_eq!((found.turned, found.open_edges, found.one_sided), (n, 0, 0));
            for (a, b) in cells.chunks_exact(3).zip(sphere.cells.chunks_exact(3)) {
                assert!((0..3).any(|k| [a[k], a[(k + 1) % 3], a[(k + 2) % 3]] == b[..]));
            }
        }
    }

    #[test]
    fn a_whole_surface_turned_inwards_stays() {
        let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let mut cells = sphere.cells.clone();
        cells.chunks_exact_mut(3).for_each(|t| t.swap(0, 1));
        cells.swap(0, 1);
        assert_eq!(orient(&sphere.vertices, &mut cells).turned, 1);
        assert_eq!(cells[3..], {
            let mut all = sphere.cells.clone();
            all.chunks_exact_mut(3).for_each(|t| t.swap(0, 1));
            all[3..].to_vec()
        });
    }

    #[test]
    fn open_crowded_and_one_sided_surfaces_are_counted() {
        let vertices: Vec<[f64; 3]> =
            (0..6).map(|k| [f64::from(k), f64::from(k * k), 0.0]).collect();
        // Five triangles around a Moebius strip of five vertices.
        let mut strip = vec![0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 0, 4, 0, 1];
        let before = strip.clone();
        let found = orient(&vertices, &mut strip);
        assert_eq!((found.one_sided, found.open_edges, found.turned), (1, 5, 0));
        assert_eq!(strip, before);
        let mut fan = vec![0, 1, 2, 1, 0, 3, 0, 1, 4];
        let found = orient(&vertices, &mut fan);
        assert_eq!((found.nonmanifold_edges, found.open_edges), (1, 6));
    }
}
