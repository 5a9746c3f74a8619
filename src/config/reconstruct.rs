//! `[domain.cloud]` and `[reconstruct]`: a surface from samples of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cloud::{CleanOptions, FAR};
use crate::reconstruct::directed::Cubes;
use crate::reconstruct::potential::Storage;
use crate::reconstruct::{Method, Options};

/// `[domain.cloud]`: points that are samples of a surface, for the task reconstruct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CloudSource {
    /// File of a cloud, relative to the case file; `${NAME}` is the environment variable.
    #[schemars(example = "scan.ply")]
    pub path: String,
}

/// `[reconstruct]`: how a surface is made of the samples of `[domain.cloud]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reconstruct {
    /// How, default "auto".
    pub method: Method,
    /// 2^depth cubes (directed, 1 to 20) or voxels (levelset, 4 to 14) along the longest side of the
    /// cloud; without `depth` and `cell` as the density of the cloud allows.
    #[schemars(range(min = 1, max = 20))]
    pub depth: Option<u32>,
    /// Edge of a cube, > 0, in units of the cloud; not together with `depth`.
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.01)]
    pub cell: Option<f64>,
    /// A point is left out that is so many times as far from its neighbors as usual, above 1; default
    /// 20, 0 keeps all.
    #[schemars(range(min = 0.0))]
    pub outliers: f64,
    /// Weight of curvature, 0 to 1, of the level-set method; default 0.1 there.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub curvature: Option<f64>,
    /// How the level-set method keeps its values: "single" (default) or "16-bit", in two thirds of
    /// the memory.
    pub storage: Option<Storage>,
    /// Keeps only the connected part with the largest area; default false.
    pub largest: bool,
    /// Rounds of smoothing that does not shrink (Taubin), 0 (default) to 1000.
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
    /// The same for who reconstructs.
    pub fn options(&self) -> Options {
        let cubes = match (self.depth, self.cell) {
            (Some(depth), _) => Cubes::Depth(depth),
            (None, Some(edge)) => Cubes::Edge(edge),
            (None, None) => Cubes::Safe,
        };
        // What cannot be stays, to be refused.
        let outliers = (self.outliers != 0.0).then_some(self.outliers);
        Options {
            method: self.method,
            cubes,
            curvature: self.curvature,
            storage: self.storage,
            clean: CleanOptions { duplicates: true, outliers },
            largest: self.largest,
            smooth: self.smooth,
        }
    }
}
