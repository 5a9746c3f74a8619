//! Hanging nodes, as in quadtree and octree meshes: vertices inside an edge or face of a coarser
//! neighbor that does not use them.
//!
//! A front does not cross to the neighbor at such a vertex, so distances behind it are too large.
//! [`split_hanging`] splits the neighbors so that they use all of these vertices.

mod facing;
mod find;
mod sides;
mod split;

use super::Weld;
use super::ambiguous::Finding;
use crate::mesh::Mesh;
use crate::words::{counted, short};

/// The hanging nodes of a mesh, and the cells that were split at them.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Hanging {
    /// The number of hanging nodes at which cells were split.
    pub nodes: usize,
    /// The number of cells that were split.
    pub cells: usize,
    /// The number of edges and faces that were not split at a node, because a part would be
    /// degenerate or reversed.
    pub left: usize,
    /// The first vertex that is still hanging.
    pub left_at: Option<u32>,
    /// The number of edges and faces that were not split at nodes of cells with separate vertices,
    /// because the two sides are to be kept apart.
    pub kept_apart: usize,
    /// The number of nodes beside edges of cells with separate vertices that count as hanging only
    /// because the rounding of the coordinates may have moved them.
    pub rounded: usize,
    /// The largest distance of a node that `rounded` counts from its edge, in mesh units.
    pub rounded_distance: f64,
}

impl Hanging {
    /// Adds the counts of a later search. Nodes that are left or kept apart are found in every
    /// search, so for these, the later counts replace the earlier ones.
    pub(super) fn add(&mut self, later: Hanging) {
        self.nodes += later.nodes;
        self.cells += later.cells;
        (self.left, self.left_at) = (later.left, later.left_at);
        self.kept_apart = later.kept_apart;
        self.rounded += later.rounded;
        self.rounded_distance = self.rounded_distance.max(later.rounded_distance);
    }

    /// Returns one line with the counts, or `None` if no cell was split.
    pub fn summary(&self) -> Option<String> {
        let nodes = counted(self.nodes, ["hanging node", "hanging nodes"]);
        let cells = counted(self.cells, ["cell", "cells"]);
        (self.cells > 0).then(|| format!("{cells} split at {nodes}"))
    }

    /// Returns the finding about hanging nodes at which no cell can be split, if there are any.
    pub(super) fn finding(&self) -> Option<Finding> {
        self.left_at.map(|vertex| Finding {
            is_gap: false,
            count: self.left,
            what: format!(
                "{} hanging nodes at which no cell can be split, beginning with vertex {vertex}: \
                 fronts do not cross there",
                with_nodes(self.left)
            ),
            remedy: "use a mesh whose cells share whole edges and faces".into(),
        })
    }

    /// Returns sentences about hanging nodes that are kept apart or joined within the rounding.
    pub(super) fn doubts(&self) -> impl Iterator<Item = String> {
        let apart = (self.kept_apart > 0).then(|| {
            format!(
                "{} hanging nodes of cells with separate vertices. They are kept apart, because \
                 `weld` is \"never\", a group contains them, or their cells belong to different \
                 materials: fronts do not cross there",
                with_nodes(self.kept_apart)
            )
        });
        let rounded = (self.rounded > 0).then(|| {
            format!(
                "{} up to {} from the edges of cells with separate vertices, within the rounding \
                 of the coordinates: the two sides were joined, because a gap as narrow as that \
                 cannot be told from rounding; if it is a slit, use `weld = \"never\"`, or write \
                 coordinates with more digits",
                counted(self.rounded, ["hanging node is", "hanging nodes are"]),
                short(self.rounded_distance)
            )
        });
        apart.into_iter().chain(rounded)
    }
}

/// Returns a number of edges and faces with a verb.
fn with_nodes(n: usize) -> String {
    counted(n, ["edge or face has", "edges and faces have"])
}

/// Splits the cells of a mesh at its hanging nodes. Returns the counts and, if a cell was split,
/// the original cell of each cell. Vertices do not change.
///
/// A hanging node is a vertex of the boundary that lies inside a boundary edge or, in a tetrahedral
/// mesh, inside a boundary face of another cell, up to the rounding of coordinates in files. All
/// cells at such an edge are split, so neighbors still match. The parts of a cell take its place,
/// and cell arrays and groups are updated. Join coincident vertices and remove degenerate cells
/// first: coincident vertices are not recognized as hanging nodes, and the removal of a degenerate
/// cell may leave a node hanging.
///
/// Afterwards, the tetrahedra on both sides of a face use the same vertices. Their triangles still
/// differ if the two sides cut a quadrilateral along different diagonals.
///
/// Where the cells on the two sides have separate vertices, a split connects them at the node.
/// `weld`, groups and materials keep such sides apart, as they do with coincident vertices.
///
/// All vertices of cells must exist and be finite, as in a mesh that
/// [`assess`](crate::mesh::assess) accepts.
///
/// `boundary` lists the facets with one cell (see
/// [`boundary_facets`](crate::mesh::statistics::facets::boundary_facets)).
pub(super) fn split_hanging(
    mesh: &mut Mesh,
    boundary: &[[u32; 3]],
    weld: Weld,
) -> (Hanging, Vec<u32>) {
    let mut found = find::find(mesh, boundary, weld);
    // With `weld = "never"`, sides with separate vertices stay apart.
    let (rounded, rounded_distance) = if weld == Weld::Never { (0, 0.0) } else { found.rounded };
    let kept_apart = sides::keep_apart(mesh, boundary, weld, &mut found);
    let (hanging, parents) =
        if found.is_empty() { Default::default() } else { split::split(mesh, found) };
    (Hanging { kept_apart, rounded, rounded_distance, ..hanging }, parents)
}
