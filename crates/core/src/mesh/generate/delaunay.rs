//! Delaunay triangulation of points in the plane, with a reproducible order of triangles.

use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};

use crate::error::{Error, Result};

/// A triangulation of the convex hull of a set of points.
pub(super) struct Planar {
    /// The triangles in ascending order, counterclockwise, each with its lowest vertex first. The
    /// list does not depend on how the triangulation was computed.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The edges of the hull in ascending order. The outside is to the left of each edge.
    pub(super) hull: Vec<[u32; 2]>,
}

struct Site {
    position: Point2<f64>,
    index: u32,
}

impl HasPosition for Site {
    type Scalar = f64;

    fn position(&self) -> Point2<f64> {
        self.position
    }
}

/// Triangulates `points`. The predicates are exact, so collinear hull points cause no problems.
///
/// # Errors
/// Returns [`Error::Numerical`] if two points coincide or if all points are collinear.
pub(super) fn triangulate(points: impl ExactSizeIterator<Item = [f64; 2]>) -> Result<Planar> {
    let n = points.len();
    let failed = |what: String| Error::Numerical {
        what: format!("Delaunay triangulation of {n} points: {what}"),
        remedy: "use another seed or a larger box".to_string(),
    };
    let sites = points
        .zip(0_u32..)
        .map(|([x, y], index)| Site { position: Point2::new(x, y), index })
        .collect();
    let made =
        DelaunayTriangulation::<Site>::bulk_load(sites).map_err(|e| failed(e.to_string()))?;
    if made.num_vertices() != n || made.num_inner_faces() == 0 {
        return Err(failed(format!(
            "only {} distinct points, in {} triangles",
            made.num_vertices(),
            made.num_inner_faces()
        )));
    }
    let mut triangles: Vec<[u32; 3]> = made
        .inner_faces()
        .map(|face| {
            let mut t = face.vertices().map(|v| v.data().index);
            let lowest = if t[1] < t[0] && t[1] < t[2] {
                1
            } else if t[2] < t[0] && t[2] < t[1] {
                2
            } else {
                0
            };
            t.rotate_left(lowest);
            t
        })
        .collect();
    triangles.sort_unstable();
    let mut hull: Vec<[u32; 2]> =
        made.convex_hull().map(|e| [e.from().data().index, e.to().data().index]).collect();
    hull.sort_unstable();
    Ok(Planar { triangles, hull })
}
