//! The size of the mesh of a case, before it runs.

use super::{CleanedMesh, cpu, memory};
use crate::config::Config;
use crate::error::Result;
use crate::mesh::{Kind, statistics};

/// The size of the mesh of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshSize {
    /// Kind of the mesh.
    pub kind: Kind,
    /// Number of vertices used.
    pub vertices: usize,
    /// Number of cells used.
    pub cells: usize,
    /// Mean edge length, in mesh units.
    pub h: f64,
    /// Lower bound on the bytes that a run needs, including the mesh.
    pub bytes: u64,
}

impl MeshSize {
    /// Reads or generates the mesh of a case and measures it. Returns `None` if the case has no
    /// mesh.
    ///
    /// # Errors
    /// Returns the errors of [`CleanedMesh::new`], and those of a device that is not available.
    pub fn of(config: &Config) -> Result<Option<Self>> {
        if config.mesh().is_none() {
            return Ok(None);
        }
        cpu(config)?.run(|| {
            let mesh = CleanedMesh::new(config)?.mesh;
            let (vertices, cells) = (mesh.n_vertices(), mesh.n_cells());
            let of_mesh = 24 * vertices as u64 + 4 * mesh.cells.len() as u64;
            Ok(Some(MeshSize {
                kind: mesh.kind,
                vertices,
                cells,
                h: statistics::inspect(&mesh).edge_mean.unwrap_or(0.0),
                bytes: memory::estimate(config, &mesh) + of_mesh,
            }))
        })
    }
}
