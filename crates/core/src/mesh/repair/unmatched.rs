//! Warnings about boundary facets that lie along others without matching them.

use super::ambiguous::Finding;
use super::{Weld, facets};
use crate::mesh::overlaps::{Cover, covers};
use crate::mesh::rounding::Rounding;
use crate::mesh::statistics::facets::CellsAround;
use crate::mesh::{Kind, Mesh};
use crate::words::{noun, short};

/// The distance within which facets lie along each other, as a fraction of the shortest edge.
const NEAR: f64 = 1e-2;
/// Beyond [`NEAR`], deviations from rounded coordinates are tolerated up to this fraction of the
/// longest edge.
const FINE: f64 = 5e-2;

/// The boundary facets that lie along others without matching them. They are inside the mesh,
/// although each belongs to only one cell.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Unmatched {
    /// The number of faces of tetrahedra that others cover from the other side, with vertices in
    /// common.
    pub faces: usize,
    /// The number of faces of tetrahedra that others cover only in part, with vertices in common.
    pub partial: usize,
    /// The first vertex of the first face that `faces` or `partial` counts.
    pub at: Option<u32>,
    /// The number of edges of triangles that lie along others, and of faces of tetrahedra that lie
    /// along others without a common vertex.
    pub apart: usize,
    /// An upper bound on the distance of the facets that `apart` counts from the others, in mesh
    /// units.
    pub distance: f64,
    #[serde(skip)]
    kind: Option<Kind>,
}

impl Unmatched {
    /// Searches for unmatched facets among the boundary facets of a repaired mesh.
    pub(super) fn find(mesh: &Mesh, boundary: &[[u32; 3]], weld: Weld) -> Self {
        if boundary.is_empty() {
            return Unmatched::default();
        }
        let n = mesh.kind.arity() - 1;
        let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, n + 1);
        let with_cell = |facet: &[u32; 3]| (*facet, around.cell_with(&facet[..n]));
        let with_cells: Vec<([u32; 3], usize)> = boundary.iter().map(with_cell).collect();
        let rounding = Rounding::new(mesh, boundary.iter().flat_map(|f| f[..n].to_vec()));
        let near = |[least, most]: [f64; 2]| rounding.loose(most, FINE).max(NEAR * least);
        let mut unmatched = Unmatched { kind: Some(mesh.kind), ..Unmatched::default() };
        let found = covers(mesh, &with_cells, weld != Weld::Never, near);
        for (facet, cover) in boundary.iter().zip(&found) {
            unmatched.count(facet, cover);
        }
        if unmatched.apart > 0 {
            unmatched.distance = unmatched.distance.max(rounding.strict(f64::INFINITY));
        }
        unmatched
    }

    fn count(&mut self, facet: &[u32; 3], cover: &Cover) {
        if !cover.is_whole && !cover.is_partial {
            return;
        }
        if self.kind == Some(Kind::Volume) && cover.is_linked {
            self.faces += usize::from(cover.is_whole);
            self.partial += usize::from(cover.is_partial);
            self.at.get_or_insert(facet[0]);
        } else {
            self.apart += 1;
            self.distance = self.distance.max(cover.distance);
        }
    }

    /// Returns a sentence about the unmatched faces inside the mesh, if there are any.
    pub(super) fn doubts(&self) -> impl Iterator<Item = String> {
        let inside = self.kind.zip(self.at).map(|(kind, at)| {
            let part = match self.partial {
                0 => String::new(),
                n => format!(" ({n} of them only in part)"),
            };
            let n = self.faces + self.partial;
            format!(
                "{} inside the mesh {} along others but {} not match them{part}, beginning at \
                 vertex {at}, because the cells on the two sides are divided differently: moving \
                 fronts are less accurate there; use a mesh whose cells share whole faces",
                facets(kind, n),
                noun(n, ["lies", "lie"]),
                noun(n, ["does", "do"]),
            )
        });
        inside.into_iter()
    }

    /// Returns the finding about facets of the boundary that lie along others, if there are any.
    pub(super) fn finding(&self) -> Option<Finding> {
        let kind = self.kind.filter(|_| self.apart > 0)?;
        let [lies, does] = [["lies", "lie"], ["does", "do"]].map(|words| noun(self.apart, words));
        Some(Finding {
            is_gap: true,
            count: self.apart,
            what: format!(
                "{} of the boundary {lies} along others, up to {} away, but {does} not match \
                 them: fronts do not cross there",
                facets(kind, self.apart),
                short(self.distance),
            ),
            remedy: format!(
                "`weld = {}` joins vertices that are that close and splits cells at hanging nodes \
                 that are that close",
                short(1.1 * self.distance)
            ),
        })
    }
}
