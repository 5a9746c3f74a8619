//! The table `initial.image`: a picture that is extruded along z.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Above;
use crate::geometry::shape::Shape;

/// Light or dark part of a picture, extruded along z: `image = { path = "mask.png", pixel = 0.05,
/// extrude = [0, 0.2] }`. y points up, as in the picture. All lengths are in mesh units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialImage {
    /// Gray picture (PNG, TIFF, PGM), or a color picture with `channel`, relative to the case file.
    /// `${NAME}` stands for an environment variable.
    #[schemars(example = "mask.png")]
    pub path: String,
    /// Coordinates x and y of the lower left corner of the picture. Default `[0, 0]`.
    #[serde(default)]
    pub min: [f64; 2],
    /// Coordinates x and y of the upper right corner. Specify either this or `pixel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<[f64; 2]>,
    /// Edge length of a pixel, > 0. Specify either this or `max`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub pixel: Option<f64>,
    /// Lower and upper end along z. Required on tiles. Default: unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extrude: Option<[f64; 2]>,
    /// Gray value at the interface, in the unit of the file. Default: half of the largest value of
    /// the type for pixels with 8 or 16 bits, such as 127.5 for 8 bits, otherwise the mean of the
    /// smallest and the largest value in the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// Channel of a color picture, counted from 0. Required if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<usize>,
    /// Gray values that are inside. Default `above`: the light part.
    #[serde(default)]
    pub inside: Above,
    /// Additional shape that is inside, such as the free space above a mask. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub union: Option<Shape>,
}
