//! Doubts about parts of a mesh that overlap.

use std::cell::Cell;

use super::ambiguous::Finding;
use super::sheets;
use crate::geometry::Vec3;
use crate::mesh::point_tree::PointTree;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;
use crate::words::{counted, noun};

/// The smallest barycentric coordinate of a point that counts as inside a cell. Rounding, and sides
/// that are nearly coincident, stay below it.
const INSIDE: f64 = 0.02;
/// The barycentric coordinates of the examined points of a facet. By chance, one of them may lie
/// close to an edge of another cell, as centers often do.
const ON_EDGE: [[f64; 3]; 2] = [[0.36, 0.64, 0.0], [0.73, 0.27, 0.0]];
const ON_FACE: [[f64; 3]; 2] = [[0.29, 0.32, 0.39], [0.23, 0.54, 0.23]];

/// The cells that overlap with other parts of the mesh.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Overlap {
    /// The number of cells inside which boundary facets of others begin, end or lie, or which
    /// overlap with cells that have separate vertices at the same places.
    pub cells: usize,
    /// The first cell that `cells` counts.
    pub at: Option<u32>,
    #[serde(skip)]
    kind: Option<Kind>,
}

impl Overlap {
    /// Searches for cells of a plane or tetrahedral mesh that contain a point of a boundary facet,
    /// and for cells that overlap with others at the same places ([`sheets::overlapping`]). Other
    /// cells of a triangulated surface may intersect.
    pub(super) fn find(mesh: &Mesh, boundary: &[[u32; 3]], place: &[u32]) -> Self {
        let mut found = sheets::overlapping(mesh, place);
        if mesh.kind != Kind::Surface && !boundary.is_empty() {
            found.extend(around_boundary(mesh, boundary));
            found.sort_unstable();
            found.dedup();
        }
        Overlap { cells: found.len(), at: found.first().copied(), kind: Some(mesh.kind) }
    }

    /// Returns the finding, if there is one.
    pub(super) fn finding(&self) -> Option<Finding> {
        self.kind.zip(self.at).map(|(kind, at)| {
            let (words, measures) = match kind {
                Kind::Volume => (["tetrahedron", "tetrahedra"], "volumes"),
                _ => (["triangle", "triangles"], "areas"),
            };
            let overlaps = noun(self.cells, ["overlaps", "overlap"]);
            Finding {
                is_gap: false,
                count: self.cells,
                what: format!(
                    "{} {overlaps} with other parts of the mesh, beginning with cell {at}: \
                     {measures} count twice, and fronts do not cross from one part to the other \
                     there",
                    counted(self.cells, words),
                ),
                remedy: "store each part once, or mark the cells in overlaps between pieces as \
                         ghost cells (vtkGhostType)"
                    .into(),
            }
        })
    }
}

/// Returns the cells that contain a point of a boundary facet.
fn around_boundary(mesh: &Mesh, boundary: &[[u32; 3]]) -> Vec<u32> {
    let points: Vec<[f64; 3]> = boundary.iter().flat_map(|facet| points_of(mesh, facet)).collect();
    let tree = PointTree::new(&points, (0..points.len() as u32).collect());
    let arity = mesh.kind.arity();
    let overlaps = |&cell: &u32| {
        let corners = &mesh.cells[cell as usize * arity..][..arity];
        // Most cells are far from the boundary, and this test is faster.
        has_points_around(mesh, corners, &tree)
            && Inside::of(mesh, corners).is_some_and(|inside| inside.contains_any(&points, &tree))
    };
    (0..mesh.n_cells() as u32).into_par_iter().filter(overlaps).collect()
}

/// Returns whether a box around a cell contains a point of the tree, or nearly so.
fn has_points_around(mesh: &Mesh, corners: &[u32], tree: &PointTree) -> bool {
    let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &v in corners {
        let x = mesh.vertices[v as usize];
        for k in 0..3 {
            (least[k], most[k]) = (least[k].min(x[k]), most[k].max(x[k]));
        }
    }
    let found = Cell::new(false);
    let meets = |low: &[f64; 3], high: &[f64; 3]| {
        !found.get() && (0..3).all(|k| low[k] <= most[k] && high[k] >= least[k])
    };
    tree.visit(meets, |_| found.set(true));
    found.get()
}

/// Returns two points inside a facet.
fn points_of(mesh: &Mesh, facet: &[u32; 3]) -> [[f64; 3]; 2] {
    let at = |v: u32| mesh.vertices[v as usize];
    let weights = if mesh.kind == Kind::Volume { ON_FACE } else { ON_EDGE };
    weights.map(|weights| {
        // The third entry of an edge is no vertex, and has no weight.
        let used = || weights.iter().zip(facet).filter(|(w, _)| **w > 0.0);
        std::array::from_fn(|k| used().map(|(w, &v)| w * at(v)[k]).sum())
    })
}

/// The barycentric coordinates of points in a cell, as linear functions of the vector from its
/// first vertex. For a triangle in space, they are those of the foot of the point in its plane.
pub(super) struct Inside {
    origin: [f64; 3],
    /// The gradient of each coordinate. The first coordinate is 1 at the origin, the others are 0.
    gradients: Vec<Vec3>,
}

impl Inside {
    /// Returns `None` for a cell without area or volume.
    pub(super) fn of(mesh: &Mesh, corners: &[u32]) -> Option<Self> {
        let at = |k: usize| Vec3::from(mesh.vertices[corners[k] as usize]);
        let edges: Vec<Vec3> = (1..corners.len()).map(|k| at(k) - at(0)).collect();
        let others: Vec<Vec3> = match edges[..] {
            [a, b] => {
                let normal = a.cross(&b);
                let squared = normal.norm_squared();
                vec![b.cross(&normal) / squared, normal.cross(&a) / squared]
            }
            [a, b, c] => {
                let volume = a.cross(&b).dot(&c);
                vec![b.cross(&c) / volume, c.cross(&a) / volume, a.cross(&b) / volume]
            }
            _ => return None,
        };
        let first = -others.iter().fold(Vec3::zeros(), |sum, g| sum + g);
        let gradients: Vec<Vec3> = [vec![first], others].concat();
        let are_finite = gradients.iter().all(|g| g.iter().all(|x| x.is_finite()));
        are_finite.then(|| Inside { origin: at(0).into(), gradients })
    }

    /// Returns the values at the origin, which is the first corner.
    fn at_origin() -> impl Iterator<Item = f64> {
        std::iter::once(1.0).chain(std::iter::repeat(0.0))
    }

    pub(super) fn contains(&self, point: [f64; 3]) -> bool {
        self.meets(&point, &point)
    }

    /// Returns false if no point of a box is inside.
    pub(super) fn meets(&self, low: &[f64; 3], high: &[f64; 3]) -> bool {
        self.gradients.iter().zip(Self::at_origin()).all(|(gradient, at_origin)| {
            let most = |k: usize| {
                let [low, high] = [low[k], high[k]].map(|x| gradient[k] * (x - self.origin[k]));
                low.max(high)
            };
            at_origin + most(0) + most(1) + most(2) > INSIDE
        })
    }

    fn contains_any(&self, points: &[[f64; 3]], tree: &PointTree) -> bool {
        let found = Cell::new(false);
        let meets = |low: &[f64; 3], high: &[f64; 3]| !found.get() && self.meets(low, high);
        tree.visit(meets, |v| found.set(found.get() || self.contains(points[v as usize])));
        found.get()
    }
}
