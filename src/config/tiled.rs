//! `[domain.tiled]`: a lattice of voxels, of which only tiles near the interface are there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[domain.tiled]`: tiles of a lattice of voxels; the voxel `[i, j, k]` lies at `origin + dx [i, j,
/// k]`, and only tiles near the interface are there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TiledSource {
    /// Distance of neighboring voxels, > 0; the unit of all lengths of the case is that of `dx`.
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.01)]
    pub dx: f64,
    /// Where the voxel `[0, 0, 0]` lies; default the origin.
    #[serde(default)]
    pub origin: [f64; 3],
    /// Voxels along the edge of a tile, 4 or 8; default 8.
    #[serde(default = "tile_edge")]
    #[schemars(extend("enum" = [4, 8]))]
    pub tile_edge: u32,
    /// How phi is kept, default `full`.
    #[serde(default)]
    pub storage: Storage,
    /// Lattices, 1 to 8; default 1. With more the interface moves on one of `2^(levels - 1) dx` first,
    /// until it is at rest, then on the next finer one, and the run begins with what it is on the
    /// last but one. Coefficients must not depend on the time.
    #[serde(default = "one_level")]
    #[schemars(range(min = 1, max = 8))]
    pub levels: u32,
    /// Box in which the initial interface is looked for, and which bounds the inside at the start;
    /// needed where `[initial]` has no bounds by itself (a plane, an expression).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<BoundingBox>,
}

/// How phi is kept between steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub enum Storage {
    /// As it is computed.
    #[default]
    #[serde(rename = "full")]
    Full,
    /// 16-bit fixed point, half the memory of `f32`: an error of `half_width / 65534` voxels, and
    /// motion by less than that in a step stalls.
    #[serde(rename = "16-bit")]
    Fixed16,
}

fn one_level() -> u32 {
    1
}

fn tile_edge() -> u32 {
    8
}

/// A box with edges along the axes: `{ min = [0, 0, 0], max = [1, 1, 1] }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BoundingBox {
    /// Smallest corner.
    pub min: [f64; 3],
    /// Largest corner.
    pub max: [f64; 3],
}
