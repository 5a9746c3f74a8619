//! What a run worked on, in numbers.

use serde::Serialize;

use crate::mesh::{Cleaning, Kind};
use crate::patches::Partition;

/// Counts of the mesh a run worked on.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MeshCounts {
    /// Planar, surface or volume.
    pub kind: Kind,
    /// Vertices as stored (after refinement).
    pub stored_vertices: usize,
    /// Vertices used.
    pub vertices: usize,
    /// Cells used.
    pub cells: usize,
    /// Patches.
    pub patches: usize,
    /// How they were cut.
    pub partition: Partition,
    /// What was dropped or changed before the run.
    pub cleaning: Cleaning,
}

/// Counts of the tiles a run worked on.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct TileCounts {
    /// Distance of voxels.
    pub dx: f64,
    /// Voxels along the edge of a tile.
    pub edge: usize,
    /// Tiles at the start.
    pub first: usize,
    /// Tiles at the end.
    pub last: usize,
    /// Most tiles there were.
    pub most: usize,
    /// Bytes of tiles and values, at most.
    pub bytes: u64,
    /// The interface at the end, unless it spans more than 65,536 voxels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceCounts>,
}

/// What the interface of a run on tiles takes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SurfaceCounts {
    /// Cubes of eight voxels that it crosses.
    pub cut_cubes: usize,
    /// Its triangles.
    pub triangles: u64,
    /// Bytes as records of 15 bytes per cut cube.
    pub record_bytes: u64,
    /// Bytes as triangles with three corners in `f32`.
    pub triangle_bytes: u64,
}

impl SurfaceCounts {
    /// Of so many cut cubes and triangles.
    pub fn new(cut_cubes: usize, triangles: u64) -> Self {
        let record_bytes = 15 * cut_cubes as u64;
        SurfaceCounts { cut_cubes, triangles, record_bytes, triangle_bytes: 36 * triangles }
    }
}
