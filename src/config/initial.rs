//! The table `[initial]`: the initial interface.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, VariantAccess, Visitor,
};
use serde::{Deserialize, Serialize};

use super::{InitialImage, Region};
use crate::expression::Expression;
use crate::geometry::shape::Shape;
use crate::io::{Frame, Moment, VolumeOptions};

/// Initial interface: a shape, a surface or curve from a file, the region of a group, or signed
/// values from an array or an expression.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Initial {
    /// Signed distance to a shape, negative inside.
    Shape(Shape),
    /// Signed distance to a closed triangle mesh.
    Mesh {
        /// The mesh.
        mesh: InitialMesh,
    },
    /// Region combined from shapes, meshes, volumes and expressions.
    Region(Region),
    /// Signed distance to closed curves on a triangle mesh.
    Curve {
        /// The curves.
        curve: InitialCurve,
    },
    /// Part of a volume or picture above or below a level. Only the position of the interface
    /// matters, not the values elsewhere.
    Volume {
        /// The volume.
        volume: InitialVolume,
    },
    /// Signed distance to a part of a picture that is extruded along z.
    Image {
        /// The picture.
        image: InitialImage,
    },
    /// Region of a group of cells or vertices of the mesh.
    Group {
        /// Name of the group.
        group: String,
    },
    /// Vertex array with one number per vertex, negative inside. Only its zero set matters, unless
    /// phi is never reinitialized.
    Data {
        /// Name of the vertex array.
        data: String,
    },
    /// Expression evaluated at the vertices or voxels, negative inside. Only its zero set matters,
    /// unless phi is never reinitialized.
    Expression {
        /// Expression without the time t.
        expression: Expression,
    },
}

/// A closed triangle mesh that encloses the inside: `mesh = { path = "brain.ply" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialMesh {
    /// Mesh file, relative to the case file. `${NAME}` stands for an environment variable.
    pub path: String,
    /// Factor for the coordinates of the mesh, > 0. Default 1.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// Translation of the scaled mesh, in mesh units. Default: no translation.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Frame of the coordinates of a cortical surface. Default: as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    /// State of a series (`.pvd`, `.vtkhdf`): its time, or "last" (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
    /// Thickness of a shell around the surface, in mesh units, > 0. The shell extends to half of it
    /// on both sides, so the surface may be open. Default: no shell, the inside of the surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub thickness: Option<f64>,
}

fn one() -> f64 {
    1.0
}

/// Part of a volume above or below a level: `volume = { path = "ct.nii.gz", level = 300 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialVolume {
    /// Volume or picture file, relative to the case file. `${NAME}` stands for an environment
    /// variable. The case uses the world coordinates of the file.
    pub path: String,
    /// Value at the interface, in the unit of the file.
    pub level: f64,
    /// Values that are inside. Default `above`.
    #[serde(default)]
    pub inside: Above,
    /// Layout of a raw file, which holds only numbers: `SHAPE:TYPE[:SPACING[:SKIP]]`, such as
    /// `256x256x109:uint16le:1x1x1.5`. SPACING is in mesh units, SKIP in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Array to read from a VTK file. Default: the active scalars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// State of a series (`.pvd`, `.vtkhdf`): its time, or "last" (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
    /// Spacing of the voxels along each axis, > 0, in mesh units. Default: that of the file, or 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<[f64; 3]>,
    /// Layer of a segmentation (`.seg.nrrd`), counted from 0. Required if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    /// Name of a segment of a segmentation (`.seg.nrrd`). Its voxels become 1 and all others 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// Volume of a 4-D file (time series), counted from 0. Required if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_index: Option<usize>,
    /// Channel of each voxel, such as a color or a component of a vector, counted from 0. Required
    /// if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<usize>,
}

impl InitialVolume {
    /// Returns the options of the reader, without the layout of a raw file.
    pub fn reading(&self) -> VolumeOptions {
        VolumeOptions::default()
            .array(self.array.clone())
            .time(self.time)
            .spacing(self.spacing)
            .layer(self.layer)
            .segment(self.segment.clone())
            .volume_index(self.volume_index)
            .channel(self.channel)
    }
}

/// The side of a level that is the inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Above {
    /// Values above the level.
    #[default]
    Above,
    /// Values below the level.
    Below,
}

/// Closed curves that bound the inside: `curve = { path = "interface_000050.vtp" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialCurve {
    /// Curve file, relative to the case file. `${NAME}` stands for an environment variable.
    pub path: String,
    /// Side that is inside. Default `enclosed` on a planar mesh, `smaller` on a surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// State of a series (`.pvd`, `.vtkhdf`): its time, or "last" (default).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Moment>,
}

/// The side of a curve that is the inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Inside {
    /// To the left when following the curve in its direction, as seen from where the normals point.
    Left,
    /// To the right when following the curve in its direction.
    Right,
    /// Side with the smaller area.
    Smaller,
    /// Part that the curve encloses, on planar meshes only.
    Enclosed,
}

impl<'de> Deserialize<'de> for Initial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const ENTRIES: [&str; 14] = [
            "ball",
            "box",
            "plane",
            "slotted_disk",
            "union",
            "intersection",
            "difference",
            "mesh",
            "curve",
            "volume",
            "image",
            "group",
            "data",
            "expression",
        ];
        struct DataOrShape;
        impl<'de> Visitor<'de> for DataOrShape {
            type Value = Initial;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a table with one shape, or with `mesh`, `curve`, `volume`, `image`, `group`, \
                     `data` or `expression`",
                )
            }
            fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Initial, A::Error> {
                let (name, value) = access.variant_seed(Known(&ENTRIES))?;
                Ok(match name.as_str() {
                    "group" => Initial::Group { group: value.newtype_variant()? },
                    "data" => Initial::Data { data: value.newtype_variant()? },
                    "mesh" => Initial::Mesh { mesh: value.newtype_variant()? },
                    "curve" => Initial::Curve { curve: value.newtype_variant()? },
                    "volume" => Initial::Volume { volume: value.newtype_variant()? },
                    "image" => Initial::Image { image: value.newtype_variant()? },
                    "expression" => Initial::Expression { expression: value.newtype_variant()? },
                    _ => {
                        let region = Region::named(name, value)?;
                        region.as_shape().map_or(Initial::Region(region), Initial::Shape)
                    }
                })
            }
        }
        deserializer.deserialize_enum("Initial", &ENTRIES, DataOrShape)
    }
}

/// Reads a name, and returns an error at the position of the name unless it is in the list.
pub(super) struct Known(pub &'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Known {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        if self.0.contains(&name.as_str()) {
            return Ok(name);
        }
        Err(Error::unknown_variant(&name, self.0))
    }
}

/// An entry whose name has already been read. It is offered to a visitor again, with its value.
pub(super) struct Resumed<V>(pub String, pub V);

impl<'de, V: VariantAccess<'de>> EnumAccess<'de> for Resumed<V> {
    type Error = V::Error;
    type Variant = V;
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, V), V::Error> {
        let name: serde::de::value::StringDeserializer<V::Error> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self.1))
    }
}
