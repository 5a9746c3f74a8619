//! Marching cubes over blocks of voxels: tiles of a sparse grid, or a dense box.
//!
//! phi is given at voxels with whole coordinates; a cube lies between eight of them, and is cut if
//! they do not all lie on one side of the surface. Inside is `phi < 0`, phi = 0 counts as outside,
//! and on an edge from f0 to f1 the surface lies at the fraction f0 / (f0 - f1).
//!
//! Surfaces are closed, and every edge has two triangles, whatever the values (see the comments of
//! `tables.rs`); they are open only beside voxels without a value. Where phi is 0 at a voxel,
//! triangles may have no area. Of tiles phi counts as 0 below [`ON_SURFACE`] voxels.
//!
//! - [`extract`]: the surface as an indexed mesh with normals;
//! - [`Records`]: one record of 15 bytes per cut cube, from which the surface can be made again;
//! - [`measure`]: area, volume and Euler number without a mesh.
//!
//! Results have the same bits for any number of threads.

mod blocks;
mod components;
pub mod cuda;
mod extract;
mod measures;
mod records;
mod tables;
#[cfg(test)]
mod tests;
mod tiles;
mod walk;

pub use blocks::{Blocks, Dense};
pub use components::{Components, components};
pub(super) use extract::check_vertices;
pub use extract::extract;
pub use measures::{Measures, measure};
pub use records::{Record, Records};
pub use tables::{CASES, Case, MOST_TRIANGLES, axis, ends};
pub use tiles::{ON_SURFACE, Tiles};

/// Where voxels lie: voxel v at `origin + spacing * v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Position of voxel (0, 0, 0), in world units.
    pub origin: [f64; 3],
    /// Distance of voxels, in world units; positive.
    pub spacing: f64,
}

impl Default for Placement {
    /// Voxels as units.
    fn default() -> Self {
        Placement { origin: [0.0; 3], spacing: 1.0 }
    }
}

impl Placement {
    /// World coordinates of a point given in voxels.
    pub fn world(&self, point: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origin[k] + self.spacing * point[k])
    }
}

/// Blocks per task: fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 256;
