//! The tables `[domain.cloud]` and `[reconstruct]`: reconstruction of a surface from samples.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

use crate::cloud::{CleanOptions, FAR};
use crate::expression::Expression;
use crate::reconstruct::directed::Cubes;
use crate::reconstruct::potential::Storage;
use crate::reconstruct::{Method, Options, Projection};
use crate::surface::HoleSize;

/// `[domain.cloud]`: samples of a surface, for the task reconstruct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CloudSource {
    /// Point cloud file, relative to the case file. `${NAME}` stands for an environment variable.
    #[schemars(example = "scan.ply")]
    pub path: String,
    /// Uses only the points at which an expression in x, y, z and the attributes of the points is
    /// true. Without it, all points are used.
    #[serde(rename = "where")]
    #[schemars(example = "classification == 2")]
    pub selection: Option<Expression>,
    /// Projection of longitudes and latitudes in degrees: "local" converts them to meters around
    /// the center of the points. Without it, degrees are refused.
    pub project: Option<Projection>,
}

/// `[reconstruct]`: reconstructs a surface from the samples of `[domain.cloud]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Reconstruct {
    /// Reconstruction method. Default "auto".
    pub method: Method,
    /// Exponent: 2^depth cubes (spheres and directed, 1 to 20) or voxels (levelset, 4 to 14) along
    /// the longest side of the cloud. Without `depth` and `cell`, the density of the cloud
    /// determines their size.
    #[schemars(range(min = 1, max = 20))]
    pub depth: Option<u32>,
    /// Edge length of a cube, > 0, in units of the cloud. Conflicts with `depth`.
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.01)]
    pub cell: Option<f64>,
    /// Drops points whose mean distance to their 8 nearest other points is more than this many
    /// times (> 1) the median of these means, and points that lie off the surface according to
    /// their local density. Default 20. 0 keeps all points.
    #[schemars(range(min = 0.0))]
    pub outliers: f64,
    /// Weight of the curvature in the level-set method, without a unit, 0 to 1. Default 0.1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub curvature: Option<f64>,
    /// Storage of values in the level-set method: "single" (default), or "16-bit", which needs two
    /// thirds of the memory.
    pub storage: Option<Storage>,
    /// Removes triangles that are farther from every sample than this many (> 0) mean distances
    /// between samples. Without it, nothing is removed.
    #[schemars(extend("exclusiveMinimum" = 0), example = 3.0)]
    pub trim: Option<f64>,
    /// Keeps only the connected component with the largest area. Default false.
    pub largest: bool,
    /// Fills holes with triangles of small area: `true` for all holes except the outer boundaries
    /// of open sheets, or the largest area of a hole to fill, > 0, in squared units of the cloud.
    /// Default false.
    pub fill_holes: FillHoles,
    /// Rounds of Taubin smoothing, 0 (default) to 1000. It does not shrink the surface.
    #[schemars(range(max = 1000))]
    pub smooth: u32,
}

/// The holes that `fill_holes` fills.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum FillHoles {
    /// Whether to fill all holes except the outer boundaries of open sheets.
    All(bool),
    /// The largest area of a hole to fill, > 0, in squared units of the cloud.
    UpTo(#[schemars(extend("exclusiveMinimum" = 0))] f64),
}

impl<'de> Deserialize<'de> for FillHoles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoolOrArea;
        impl Visitor<'_> for BoolOrArea {
            type Value = FillHoles;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("true, false or the largest area of a hole")
            }
            fn visit_bool<E: Error>(self, all: bool) -> Result<FillHoles, E> {
                Ok(FillHoles::All(all))
            }
            fn visit_f64<E: Error>(self, area: f64) -> Result<FillHoles, E> {
                Ok(FillHoles::UpTo(area))
            }
            fn visit_i64<E: Error>(self, area: i64) -> Result<FillHoles, E> {
                Ok(FillHoles::UpTo(area as f64))
            }
        }
        deserializer.deserialize_any(BoolOrArea)
    }
}

impl Default for FillHoles {
    fn default() -> Self {
        FillHoles::All(false)
    }
}

impl FillHoles {
    fn size(self) -> Option<HoleSize> {
        match self {
            FillHoles::All(false) => None,
            FillHoles::All(true) => Some(HoleSize::Any),
            FillHoles::UpTo(area) => Some(HoleSize::UpTo(area)),
        }
    }
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
            trim: None,
            largest: false,
            fill_holes: FillHoles::default(),
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
            trim: self.trim,
            largest: self.largest,
            fill_holes: self.fill_holes.size(),
            smooth: self.smooth,
        }
    }
}
