//! Boundary facets at a vertex that lie along an edge or face, with their cells on the other side.

use crate::mesh::Mesh;
use crate::mesh::overlaps::Facet;
use crate::mesh::statistics::facets::CellsAround;

/// The boundary facets of a mesh, listed by vertex.
pub(super) struct Facing<'a> {
    mesh: &'a Mesh,
    facets: &'a [[u32; 3]],
    around: CellsAround<'a>,
    /// The vertices of boundary facets, each with the index of its facet, sorted.
    facets_at: Vec<(u32, u32)>,
}

impl<'a> Facing<'a> {
    pub(super) fn new(mesh: &'a Mesh, facets: &'a [[u32; 3]]) -> Self {
        let n = mesh.kind.arity() - 1;
        let mut facets_at: Vec<(u32, u32)> = (0..)
            .zip(facets)
            .flat_map(|(k, facet)| facet[..n].iter().map(move |&v| (v, k)))
            .collect();
        facets_at.sort_unstable();
        let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, n + 1);
        Facing { mesh, facets, around, facets_at }
    }

    /// Returns the distance of `node` from a boundary facet that contains all vertices of `base`
    /// and faces a boundary facet at the node within the distance `gap`. The result is positive
    /// outside the cell of the first facet. Returns `None` if there are no such facets.
    pub(super) fn opposite(&self, base: &[u32], node: u32, gap: f64) -> Option<f64> {
        /// A vertex with more facets than this is a hub of thin cells, whose facets do not lie
        /// along others.
        const MOST: usize = 1 << 10;
        let others: Vec<Facet> = self.at(node).take(MOST).map(|f| self.describe(f)).collect();
        let of_base = self.at(base[0]).filter(|facet| base.iter().all(|v| facet.contains(v)));
        let faces = |f: &Facet| others.iter().any(|other| f.faces(other, gap));
        let facet = of_base.map(|f| self.describe(f)).find(faces)?;
        Some(facet.outside(self.mesh.vertices[node as usize].into()))
    }

    /// Returns the boundary facets at a vertex.
    fn at(&self, v: u32) -> impl Iterator<Item = &'a [u32]> {
        let n = self.mesh.kind.arity() - 1;
        let first = self.facets_at.partition_point(|&(w, _)| w < v);
        let all = self.facets_at[first..].iter().take_while(move |&&(w, _)| w == v);
        all.map(move |&(_, k)| &self.facets[k as usize][..n])
    }

    fn describe(&self, facet: &[u32]) -> Facet {
        let mut vertices = [0; 3];
        vertices[..facet.len()].copy_from_slice(facet);
        Facet::new(self.mesh, vertices, self.around.cell_with(facet))
    }
}
