//! The report of the level-set method, level by level.

/// The report of one level.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Level {
    /// The level: the longest axis of the box of the samples has 2^level voxels.
    pub level: u32,
    /// Number of steps until the interface reached a steady state or the allowed number was
    /// reached.
    pub iterations: u64,
    /// Whether the interface reached a steady state within the allowed number of steps.
    pub at_rest: bool,
    /// Number of tiles at the end.
    pub tiles: usize,
    /// Seconds for the velocity and the steps, including the transfer from the previous level.
    pub seconds: f64,
    /// Seconds for the steps alone. On a GPU, they are measured with the GPU's clock.
    pub step_seconds: f64,
    /// Mean of |phi| at the samples, as a percentage of the diagonal of their bounding box. On all
    /// levels but the finest, the interface stops one voxel outside of the samples, and this value
    /// includes that distance. For a sample outside of the band, the half width is used.
    pub error: f64,
    /// Number of samples outside of the band: 1.5 voxels or more from the interface.
    pub outside: usize,
    /// Bytes held at the end, including the octree.
    pub bytes: u64,
}

/// The report of a reconstruction by the level-set method.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Levels {
    /// The levels, the coarsest first.
    pub levels: Vec<Level>,
    /// Number of samples given.
    pub samples: usize,
    /// Number of samples that were merged into an earlier sample in the same finest cell.
    pub merged: usize,
    /// Number of removed components: remains of single samples, which are less than two voxels of
    /// the finest level long along each axis, and remains of sheets of samples, which are less than
    /// a quarter of a voxel thick on average.
    pub droplets: usize,
    /// Edge of a finest voxel, in input units.
    pub voxel: f64,
    /// Memory estimated before the first step, in bytes. On a GPU, it consists of the octree and
    /// the tiles. On the CPU, it consists of the octree, the surface, and the tree that measures
    /// the distances of the samples, because the surface and this tree need more memory than the
    /// tiles.
    pub expected_bytes: u64,
    /// Seconds for the octree.
    pub octree_seconds: f64,
    /// Seconds for the mesh.
    pub mesh_seconds: f64,
}
