//! The size of the domain of a run: counts of the mesh or of the tiles.

use serde::Serialize;

use crate::mesh::repair::Repair;
use crate::mesh::{Cleaning, Kind};
use crate::patches::Partition;

/// Counts of the mesh of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MeshCounts {
    /// Kind of the mesh: planar, surface or volume.
    pub kind: Kind,
    /// Number of stored vertices, after refinement.
    pub stored_vertices: usize,
    /// Number of vertices used.
    pub vertices: usize,
    /// Number of cells used.
    pub cells: usize,
    /// Number of patches.
    pub patches: usize,
    /// Method that partitioned the mesh into patches.
    pub partition: Partition,
    /// Repairs of the mesh before it was cleaned.
    pub repair: Repair,
    /// Changes that cleaning made to the mesh before the run.
    pub cleaning: Cleaning,
}

/// Counts of the tiles of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct TileCounts {
    /// Distance between neighboring voxels, in mesh units.
    pub dx: f64,
    /// Number of voxels along the edge of a tile.
    pub edge: usize,
    /// Number of tiles at the start.
    pub first: usize,
    /// Number of tiles at the end.
    pub last: usize,
    /// Largest number of tiles during the run.
    pub most: usize,
    /// Largest size of tiles and values in bytes.
    pub bytes: u64,
    /// Size of the interface at the end. `None` if the interface extends over more than 65,536
    /// voxels along an axis, or if memory ran out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceCounts>,
}

/// The size of the interface of a run on tiles.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SurfaceCounts {
    /// Number of cubes of eight voxels that the interface crosses.
    pub cut_cubes: usize,
    /// Number of triangles.
    pub triangles: u64,
    /// Bytes of the interface stored as records of 15 bytes per crossed cube.
    pub record_bytes: u64,
    /// Bytes of the interface stored as triangles with three `f32` corners.
    pub triangle_bytes: u64,
}

impl SurfaceCounts {
    /// Computes the sizes for a number of crossed cubes and triangles.
    pub fn new(cut_cubes: usize, triangles: u64) -> Self {
        let record_bytes = 15 * cut_cubes as u64;
        SurfaceCounts { cut_cubes, triangles, record_bytes, triangle_bytes: 36 * triangles }
    }
}
