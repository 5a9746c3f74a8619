//! The table `[domain.tiled]`: a sparse grid of voxels, stored as tiles near the interface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[domain.tiled]`: a sparse grid of voxels. The voxel `[i, j, k]` lies at `origin + dx [i, j,
/// k]`. Only tiles near the interface are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TiledSource {
    /// Distance between neighboring voxels, > 0, in mesh units.
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.01)]
    pub dx: f64,
    /// Position of the voxel `[0, 0, 0]`, in mesh units. Default 0, 0, 0.
    #[serde(default)]
    pub origin: [f64; 3],
    /// Number of voxels along the edge of a tile, 4 or 8. Default 8.
    #[serde(default = "tile_edge")]
    #[schemars(extend("enum" = [4, 8]))]
    pub tile_edge: u32,
    /// Storage of phi between steps. Default `full`.
    #[serde(default)]
    pub storage: Storage,
    /// Number of grids, 1 to 8. Default 1. With more than one, the interface first moves on a grid
    /// with spacing `2^(levels - 1) dx` until it reaches a steady state, then on the next finer
    /// grid, and so on. The run on the finest grid starts from the result on the second finest
    /// grid. Coefficients must not depend on time.
    #[serde(default = "one_level")]
    #[schemars(range(min = 1, max = 8))]
    pub levels: u32,
    /// Box in which the initial interface is searched for, and which bounds the initial inside.
    /// Needed if `[initial]` is unbounded, as for a plane or an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<BoundingBox>,
}

/// Storage of phi between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum Storage {
    /// Full precision.
    #[default]
    #[serde(rename = "full")]
    Full,
    /// 16-bit fixed point, which needs half the memory of `f32`. The error is at most `half_width /
    /// 65534` voxels, and motion by less than that per step is lost.
    #[serde(rename = "16-bit")]
    Fixed16,
}

fn one_level() -> u32 {
    1
}

fn tile_edge() -> u32 {
    8
}

/// Axis-aligned box, in mesh units: `{ min = [0, 0, 0], max = [1, 1, 1] }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BoundingBox {
    /// Lower corner.
    pub min: [f64; 3],
    /// Upper corner, above `min` on every axis.
    pub max: [f64; 3],
}
