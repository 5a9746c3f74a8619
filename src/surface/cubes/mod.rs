//! Marching cubes over blocks of voxels: tiles of a sparse grid, or a dense box.
//!
//! phi is given at voxels with integer coordinates. A cube lies between eight voxels, and is cut if
//! they are not all on one side of the surface. The inside is `phi < 0`, and phi = 0 counts as
//! outside. On an edge from f0 to f1, the surface lies at the fraction f0 / (f0 - f1).
//!
//! Surfaces are closed and every edge has two triangles, for any values (see the comments of
//! `tables.rs`). They are open only next to voxels without a value. If phi is 0 at a voxel,
//! triangles may have no area. On tiles, phi counts as 0 if its absolute value is below
//! [`ON_SURFACE`] voxels.
//!
//! - [`extract`]: the surface as an indexed mesh with normals.
//! - [`Records`]: one record of 15 bytes per cut cube, from which the surface can be rebuilt.
//! - [`measure`]: area, volume and Euler number without a mesh.
//!
//! Results are bitwise identical for any number of threads.

mod block_cubes;
mod blocks;
mod components;
mod cube_records;
#[doc(hidden)]
pub mod cuda;
mod extract;
mod fillings;
mod measures;
mod tables;
#[cfg(test)]
mod tests;
mod tiles;

pub use blocks::{Blocks, Dense};
pub use components::{Components, components};
pub use cube_records::{Record, Records};
pub(super) use extract::check_vertices;
pub use extract::extract;
pub use measures::{Measures, measure};
pub use tables::{CASES, Case, MOST_TRIANGLES, axis, ends};
pub use tiles::{ON_SURFACE, Tiles};

/// The position of voxels: voxel v lies at `origin + spacing * v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Position of voxel (0, 0, 0), in world units.
    pub origin: [f64; 3],
    /// Distance between voxels, in world units. Must be positive.
    pub spacing: f64,
}

impl Default for Placement {
    /// Returns the placement in which voxels are the unit of length.
    fn default() -> Self {
        Placement { origin: [0.0; 3], spacing: 1.0 }
    }
}

impl Placement {
    /// Converts a point from voxels to world coordinates, in the unit of the spacing.
    pub fn world(&self, point: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| self.origin[k] + self.spacing * point[k])
    }
}

/// Blocks per task. The number is fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 256;
