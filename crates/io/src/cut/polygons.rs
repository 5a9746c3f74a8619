//! Replacement of triangle fans that do not suit the polygon: fans of concave polygons, and fans
//! with degenerate triangles.

use super::Uncut;
use zeroset_core::error::{Element, Position};
use zeroset_core::geometry::Vec3;
use zeroset_core::geometry::cut::{BENT, PolygonFault, cut_polygon};
use zeroset_core::parallel::*;
use zeroset_core::words::counted;

/// The polygons that a reader has split into triangles, one fan per polygon.
#[derive(Debug, Default)]
pub(crate) struct Polygons {
    runs: Vec<Run>,
}

/// Polygons with the same number of corners, one after another.
#[derive(Clone, Debug)]
struct Run {
    /// The index of the first triangle of the first polygon.
    triangle: usize,
    /// The index of the first polygon among the elements of the file.
    element: usize,
    n_corners: usize,
    n: usize,
}

/// The result of [`Polygons::recut`].
#[derive(Default)]
pub(crate) struct Recut {
    /// The polygons that cannot be cut.
    pub(crate) uncut: Uncut,
    /// A warning about polygons that are far from planar.
    pub(crate) warning: Option<String>,
}

/// A polygon whose fan is replaced, that cannot be cut, or that is bent (far from planar).
struct Finding {
    triangle: usize,
    element: usize,
    n_corners: usize,
    is_bent: bool,
    cut: Result<Option<Vec<[u32; 3]>>, PolygonFault>,
}

impl Polygons {
    /// Records the polygon with the index `element` in the file. Its fan consists of `n_corners -
    /// 2` triangles and begins at the triangle with the index `triangle`. Polygons with at most
    /// three corners need no record and are ignored.
    pub(crate) fn push(&mut self, triangle: usize, element: usize, n_corners: usize) {
        if n_corners <= 3 {
            return;
        }
        match self.runs.last_mut() {
            Some(run)
                if run.n_corners == n_corners
                    && run.triangle + run.n * (n_corners - 2) == triangle
                    && run.element + run.n == element =>
            {
                run.n += 1;
            }
            _ => self.runs.push(Run { triangle, element, n_corners, n: 1 }),
        }
    }

    /// Appends the polygons of a later part of the file. Their triangles and elements are numbered
    /// from 0 within this part, which begins at `first_triangle` and `first_element`.
    pub(crate) fn append(&mut self, other: Polygons, first_triangle: usize, first_element: usize) {
        self.runs.extend(other.runs.into_iter().map(|run| Run {
            triangle: run.triangle + first_triangle,
            element: run.element + first_element,
            ..run
        }));
    }

    /// Replaces the fans in `triangles` that do not suit the coordinates. The number of triangles
    /// stays the same: if the new cut has fewer triangles, the remaining ones become degenerate,
    /// with the first corner of the polygon as all three corners.
    pub(crate) fn recut(
        &self,
        vertices: &[[f64; 3]],
        triangles: &mut [u32],
        kind: Element,
    ) -> Recut {
        let mut findings = Vec::new();
        for run in &self.runs {
            let found =
                (0..run.n).into_par_iter().filter_map(|k| run.finding(k, vertices, triangles));
            findings.extend(found.collect::<Vec<_>>());
        }
        let (mut recut, mut n_bent) = (Recut::default(), 0);
        for finding in findings {
            let Finding { triangle, element, n_corners, is_bent, cut } = finding;
            n_bent += usize::from(is_bent);
            match cut {
                Ok(None) => {}
                Ok(Some(cut)) => replace(&mut triangles[3 * triangle..], n_corners, &cut),
                Err(fault) => {
                    let cells = triangle as u32..(triangle + n_corners - 2) as u32;
                    recut.uncut.push(Position::element(kind, element), fault, cells);
                }
            }
        }
        recut.warning = (n_bent > 0).then(|| {
            let polygons = counted(n_bent, ["polygon is", "polygons are"]);
            let percent = 100.0 * BENT;
            format!("{polygons} bent by more than {percent} % of the size; the surface depends on the cut")
        });
        recut
    }
}

impl Run {
    /// Returns polygon `k` of the run if its fan must be replaced, if it cannot be cut, or if it is
    /// bent. Ignores a polygon with a vertex index out of range.
    fn finding(&self, k: usize, vertices: &[[f64; 3]], triangles: &[u32]) -> Option<Finding> {
        let n_corners = self.n_corners;
        let triangle = self.triangle + k * (n_corners - 2);
        let corners = corners(&triangles[3 * triangle..], n_corners);
        let at = |v| vertices.get(v as usize).map(|&x| Vec3::from(x));
        let corners: Option<Vec<Vec3>> = corners.map(at).collect();
        let (cut, is_bent) = match cut_polygon(&corners?) {
            Ok(cut) => (Ok(cut.triangles), cut.bend > BENT),
            Err(fault) => (Err(fault), false),
        };
        let element = self.element + k;
        let is_usual = cut == Ok(None) && !is_bent;
        (!is_usual).then_some(Finding { triangle, element, n_corners, is_bent, cut })
    }
}

/// Returns the corners of the polygon whose fan is at the beginning of `triangles`.
fn corners(triangles: &[u32], n_corners: usize) -> impl Iterator<Item = u32> {
    let others = triangles[2..].iter().step_by(3).take(n_corners - 2);
    triangles[..2].iter().chain(others).copied()
}

/// Replaces the fan at the beginning of `triangles` with `cut`, which has at most as many
/// triangles.
fn replace(triangles: &mut [u32], n_corners: usize, cut: &[[u32; 3]]) {
    let corners: Vec<u32> = corners(triangles, n_corners).collect();
    let slots = triangles.as_chunks_mut::<3>().0.iter_mut().take(n_corners - 2);
    for (k, slot) in slots.enumerate() {
        let triangle = cut.get(k).copied().unwrap_or([0; 3]);
        *slot = triangle.map(|corner| corners[corner as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns vertices, the fans of two quads, a triangle and a pentagon, and the record of these
    /// polygons.
    fn strip() -> (Vec<[f64; 3]>, Vec<u32>, Polygons) {
        let vertices = [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1], [3, 0], [3, 1], [2, 2]]
            .map(|[x, y]| [f64::from(x), f64::from(y), 0.0]);
        let triangles =
            vec![0, 1, 2, 0, 2, 3, 4, 6, 7, 1, 4, 5, 1, 5, 2, 4, 6, 7, 4, 7, 5, 4, 5, 8];
        let mut polygons = Polygons::default();
        polygons.push(0, 0, 4);
        polygons.push(2, 1, 3);
        polygons.push(3, 2, 4);
        polygons.push(5, 3, 5);
        (vertices.to_vec(), triangles, polygons)
    }

    #[test]
    fn only_bad_fans_are_replaced() {
        let (vertices, mut triangles, polygons) = strip();
        let before = triangles.clone();
        let recut = polygons.recut(&vertices, &mut triangles, Element::Face);
        assert!(recut.uncut.is_empty() && recut.warning.is_none());
        assert_eq!(triangles[..15], before[..15]);
        assert_ne!(triangles[15..], before[15..]);
    }

    #[test]
    fn parts_of_a_file_are_joined() {
        let (vertices, mut triangles, polygons) = strip();
        let mut all = Polygons::default();
        triangles.splice(0..0, [0, 1, 2]);
        all.append(polygons, 1, 1);
        let mut vertices = vertices;
        vertices.swap(7, 8);
        let recut = all.recut(&vertices, &mut triangles, Element::Face);
        let message = recut.uncut.summary().unwrap();
        assert!(message.contains("face 4"), "{message}");
    }
}
