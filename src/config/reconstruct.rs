//! The tables `[domain.cloud]` and `[reconstruct]`: reconstruction of a surface from samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cloud::{CleanOptions, FAR};
use crate::reconstruct::directed::Cubes;
use crate::reconstruct::potential::Storage;
use crate::reconstruct::{Method, Options};

/// `[domain.cloud]`: samples of a surface, for the task reconstruct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CloudSource {
    /// Point cloud file, relative to the case file. `${NAME}` stands for an environment variable.
    #[schemars(example = "scan.ply")]
    pub path: String,
}

/// `[reconstruct]`: reconstructs a surface from the samples of `[domain.cloud]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reconstruct {
    /// Reconstruction method. Default "auto".
    pub method: Method,
    /// Exponent: 2^depth cubes (directed, 1 to 20) or voxels (levelset, 4 to 14) along the longest
    /// side of the cloud. Without `depth` and `cell`, the density of the cloud determines their
    /// size.
    #[schemars(range(min = 1, max = 20))]
    pub depth: Option<u32>,
    /// Edge length of a cube, > 0, in units of the cloud. Conflicts with `depth`.
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.01)]
    pub cell: Option<f64>,
    /// Drops points whose mean distance to their 8 nearest other points is more than this many
    /// times (> 1) the median of these means. Default 20. 0 keeps all points.
    #[schemars(range(min = 0.0))]
    pub outliers: f64,
    /// Weight of the curvature in the level-set method, 0 to 1. Default 0.1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub curvature: Option<f64>,
    /// Storage of values in the level-set method: "single" (default), or "16-bit", which needs two
    /// thirds of the memory.
    pub storage: Option<Storage>,
    /// Keeps only the connected component with the largest area. Default false.
    pub largest: bool,
    /// Rounds of Taubin smoothing, 0 (default) to 1000. It does not shrink the surface.
    #[schemars(range(max = 1000))]
    pub smooth: u32,
}

impl Default for Reconstruct {
    fn default() -> Self {
        Reconstruct {
            method: Method::default(),
            depth: None,
            cell: None,
            outliers: FAR,
            curvature: None,
            storage: None,
            largest: false,
            smooth: 0,
        }
    }
}

impl Reconstruct {
    /// Returns these settings as options of the reconstruction.
    pub fn options(&self) -> Options {
        let cubes = match (self.depth, self.cell) {
            (Some(depth), _) => Cubes::Depth(depth),
            (None, Some(edge)) => Cubes::Edge(edge),
            (None, None) => Cubes::Safe,
        };
        // Invalid values are kept, so that the check reports them.
        let outliers = (self.outliers != 0.0).then_some(self.outliers);
        Options {
            method: self.method,
            cubes,
            curvature: self.curvature,
            storage: self.storage,
            clean: CleanOptions { duplicates: true, outliers },
            largest: self.largest,
            fill_holes: None,
            smooth: self.smooth,
        }
    }
}
