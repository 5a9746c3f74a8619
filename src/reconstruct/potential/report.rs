//! What was done, level by level.

/// What was done on one level.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Level {
    /// The level: the longest axis of the box of the samples has 2^level voxels.
    pub level: u32,
    /// Steps until the interface was at rest.
    pub iterations: u64,
    /// Whether it came to rest within the steps that were allowed.
    pub at_rest: bool,
    /// Tiles at the end.
    pub tiles: usize,
    /// Seconds for the velocity and the steps, with the way from the level before.
    pub seconds: f64,
    /// Seconds of the steps alone, on a GPU by its clock.
    pub step_seconds: f64,
    /// Mean of |phi| at the samples, in per cent of the diagonal of their box. On all levels but the
    /// finest the interface rests a voxel outside of the samples, and this says so. A sample outside
    /// of the band counts with its half width.
    pub error: f64,
    /// Samples outside of the band: 1.5 voxels or more from the interface.
    pub outside: usize,
    /// Bytes held at the end, octree included.
    pub bytes: u64,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Levels {
    /// Level by level, the coarsest first.
    pub levels: Vec<Level>,
    /// Samples given.
    pub samples: usize,
    /// Samples that share their finest cell with others and were merged with them, beyond the first
    /// of each cell.
    pub merged: usize,
    /// Parts of the surface that were left out: those of less than two finest voxels along each axis,
    /// which is what is left of single samples, and films less than a quarter of one thick in the mean,
    /// which is what is left of sheets of them.
    pub droplets: usize,
    /// Edge of a finest voxel, input units.
    pub voxel: f64,
    /// Bytes that were expected before the first step: of the surface with the tree that finds how far samples are from it,
    /// which takes more than the tiles; of a run on a GPU, of its tiles there.
    pub expected_bytes: u64,
    /// Seconds for the octree.
    pub octree_seconds: f64,
    /// Seconds for the mesh.
    pub mesh_seconds: f64,
}
