//! The mesh of a case with the cells outside its mask, for pictures.

use std::borrow::Cow;

use super::CleanedMesh;
use crate::mesh::{Mesh, Places};
use crate::picture::{Labels, NO_LABEL};

/// The mesh of a case, including the cells outside a mask, where there are no values.
pub(super) struct WholeMesh<'a> {
    pub mesh: Cow<'a, Mesh>,
    /// The mapping between this mesh and the cleaned mesh, if there is a mask.
    masked: Option<Masked>,
}

struct Masked {
    /// For each vertex of this mesh, the vertex of the cleaned mesh, or `None` outside the mask.
    vertices: Vec<Option<u32>>,
    /// For each cell of the cleaned mesh, its index in this mesh.
    kept: Vec<u32>,
}

impl<'a> WholeMesh<'a> {
    pub(super) fn new(cleaned: &'a CleanedMesh) -> Self {
        let Some((cells, kept)) = cleaned.unmasked() else {
            return WholeMesh { mesh: Cow::Borrowed(&cleaned.mesh), masked: None };
        };
        // Joined vertices are drawn as one, so that there is no seam.
        let cells: Vec<u32> = cells.iter().map(|&v| cleaned.repair.representative(v)).collect();
        let mut used = cells.clone();
        used.sort_unstable();
        used.dedup();
        let row = |v: &u32| used.binary_search(v).map_or(0, |row| row as u32);
        let cells = cells.iter().map(row).collect();
        let at = used.iter().map(|&v| cleaned.stored_vertices[v as usize]).collect();
        let inside = &cleaned.cleaning.kept_vertices;
        let vertex = |v: &u32| inside.binary_search(v).ok().map(|row| row as u32);
        let vertices = used.iter().map(vertex).collect();
        let mesh = Cow::Owned(Mesh::new(cleaned.mesh.kind, at, cells));
        WholeMesh { mesh, masked: Some(Masked { vertices, kept: kept.to_vec() }) }
    }

    /// Returns values at the vertices of the cleaned mesh as values of this mesh, with NaN outside
    /// the mask.
    pub(super) fn values<'v>(&self, values: &'v [f64]) -> Cow<'v, [f64]> {
        let Some(masked) = &self.masked else { return Cow::Borrowed(values) };
        let value = |v: &Option<u32>| v.map_or(f64::NAN, |v| values[v as usize]);
        masked.vertices.iter().map(value).collect()
    }

    /// Returns labels of the cleaned mesh as labels of this mesh, which has none outside the mask.
    pub(super) fn labels(&self, mut labels: Labels) -> Labels {
        let Some(masked) = &self.masked else { return labels };
        labels.of = match labels.places {
            Places::Vertices => {
                let label = |v: &Option<u32>| v.map_or(NO_LABEL, |v| labels.of[v as usize]);
                masked.vertices.iter().map(label).collect()
            }
            Places::Cells => {
                let mut of = vec![NO_LABEL; self.mesh.n_cells()];
                let inside = masked.kept.iter().zip(&labels.of);
                inside.for_each(|(&cell, &label)| of[cell as usize] = label);
                of
            }
        };
        labels
    }
}
