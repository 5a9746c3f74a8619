//! Values that may be written in more than one way: a number, a word, or a table.
//!
//! They are read by hand-written visitors, because serde's untagged enums forget the line of a
//! wrong value.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::{EnumAccessDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, IntoDeserializer};
use serde::de::{MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::geometry::shape::Shape;

/// Speed or curvature coefficient of the evolution: one number, or values at the vertices.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Coefficient {
    /// The same everywhere.
    Number(f64),
    /// A vertex array: `{ data = "name" }`.
    Data {
        /// Name of the vertex array.
        data: String,
    },
    /// Evaluated at the vertices: `"0.1*(1 + sin(x)*y)"`.
    Expression(Expression),
}

impl Coefficient {
    /// The number, if it is the same everywhere and always.
    pub fn number(&self) -> Option<f64> {
        match self {
            Coefficient::Number(x) => Some(*x),
            Coefficient::Data { .. } => None,
            Coefficient::Expression(expression) => expression.constant(),
        }
    }
}

impl<'de> Deserialize<'de> for Coefficient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number, \"an expression\" or { data = \"name of a vertex array\" }";
        Ok(match deserializer.deserialize_any(OrExpression { expecting, table: PhantomData })? {
            Formula::Number(x) => Coefficient::Number(x),
            Formula::Expression(expression) => Coefficient::Expression(expression),
            Formula::Table(Data { data }) => Coefficient::Data { data },
        })
    }
}

/// Speed of a distance front: one number, or values in the cells.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Speed {
    /// The same everywhere, 1e-15 to 1e15.
    Number(#[schemars(range(min = 1e-15, max = 1e15))] f64),
    /// A cell array: `{ cell_data = "name" }`.
    Data {
        /// Name of the cell array.
        cell_data: String,
    },
    /// Evaluated at the centroids of the cells: `"1 + 0.5*sulc"`.
    Expression(Expression),
}

impl Speed {
    /// Speeds allowed: their squares and those of their inverses fit any precision.
    pub const RANGE: std::ops::RangeInclusive<f64> = 1e-15..=1e15;

    /// The number, if it is the same everywhere.
    pub fn number(&self) -> Option<f64> {
        match self {
            Speed::Number(x) => Some(*x),
            Speed::Data { .. } => None,
            Speed::Expression(expression) => expression.constant(),
        }
    }
}

impl<'de> Deserialize<'de> for Speed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number, \"an expression\" or { cell_data = \"name of a cell array\" }";
        Ok(match deserializer.deserialize_any(OrExpression { expecting, table: PhantomData })? {
            Formula::Number(x) => Speed::Number(x),
            Formula::Expression(expression) => Speed::Expression(expression),
            Formula::Table(CellData { cell_data }) => Speed::Data { cell_data },
        })
    }
}

/// Half width of the narrow band.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum HalfWidth {
    /// No band: the whole domain is always updated, and the rule "displacement" makes phi a distance
    /// at the start only.
    Whole,
    /// In mean edge lengths of the mesh, or in voxels of a lattice.
    #[serde(untagged)]
    Edges(#[schemars(range(min = 1.5, max = 1e6))] f64),
    /// In mesh units: `{ length = 2.0 }`.
    #[serde(untagged)]
    Length {
        /// Half width, mesh units, > 0.
        #[schemars(extend("exclusiveMinimum" = 0))]
        length: f64,
    },
}

impl<'de> Deserialize<'de> for HalfWidth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Length {
            length: f64,
        }
        struct WholeOr;
        impl<'de> Visitor<'de> for WholeOr {
            type Value = HalfWidth;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number of mean edge lengths, { length = mesh units } or \"whole\"")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<HalfWidth, E> {
                Ok(HalfWidth::Edges(x))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<HalfWidth, E> {
                Ok(HalfWidth::Edges(x as f64))
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<HalfWidth, E> {
                if word == "whole" {
                    return Ok(HalfWidth::Whole);
                }
                Err(E::unknown_variant(word, &["whole"]))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HalfWidth, A::Error> {
                let Length { length } = Deserialize::deserialize(MapAccessDeserializer::new(map))?;
                Ok(HalfWidth::Length { length })
            }
        }
        deserializer.deserialize_any(WholeOr)
    }
}

/// Velocity `a` of the evolution, mesh units per time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Velocity {
    /// A vertex array of three components: `{ data = "name" }`.
    Data(String),
    /// Rigid rotation: `{ rotation = { axis = [0, 0, 1], period = 1 } }`.
    Rotation(Rotation),
    /// The same vector everywhere: `[1, 0, 0]`.
    #[serde(untagged)]
    Constant([f64; 3]),
    /// Expressions, or numbers and expressions: `["-y", "x", 0]`.
    #[serde(untagged)]
    Components([Component; 3]),
}

/// A component of a vector.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Component {
    /// The same everywhere.
    Number(f64),
    /// Evaluated at the vertices.
    Expression(Expression),
}

impl Component {
    /// The number, if it is the same everywhere and always.
    pub fn number(&self) -> Option<f64> {
        match self {
            Component::Number(x) => Some(*x),
            Component::Expression(expression) => expression.constant(),
        }
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOr;
        impl Visitor<'_> for NumberOr {
            type Value = Component;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number or \"an expression\"")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<Component, E> {
                Ok(Component::Number(x))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<Component, E> {
                Ok(Component::Number(x as f64))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Component, E> {
                Expression::parse(text).map(Component::Expression).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(NumberOr)
    }
}

/// Rigid rotation about an axis, counterclockwise seen from its tip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rotation {
    /// Direction of the axis, any length > 0.
    pub axis: [f64; 3],
    /// A point of the axis, mesh units; default the origin.
    #[serde(default)]
    pub center: [f64; 3],
    /// Time of one turn, not 0; negative turns the other way.
    #[schemars(extend("not" = serde_json::json!({ "const": 0 })))]
    pub period: f64,
}

impl<'de> Deserialize<'de> for Velocity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            data: Option<String>,
            rotation: Option<Rotation>,
        }
        struct VectorOr;
        impl<'de> Visitor<'de> for VectorOr {
            type Value = Velocity;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("[x, y, z], { data = \"name\" } or { rotation = { axis, period } }")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Velocity, A::Error> {
                let mut next = |k| -> Result<Component, A::Error> {
                    seq.next_element()?.ok_or_else(|| Error::invalid_length(k, &self))
                };
                let components = [next(0)?, next(1)?, next(2)?];
                if seq.next_element::<IgnoredAny>()?.is_some() {
                    return Err(Error::invalid_length(4, &self));
                }
                Ok(match components {
                    [Component::Number(x), Component::Number(y), Component::Number(z)] => {
                        Velocity::Constant([x, y, z])
                    }
                    components => Velocity::Components(components),
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Velocity, A::Error> {
                match Table::deserialize(MapAccessDeserializer::new(map))? {
                    Table { data: Some(name), rotation: None } => Ok(Velocity::Data(name)),
                    Table { data: None, rotation: Some(turn) } => Ok(Velocity::Rotation(turn)),
                    _ => Err(Error::custom("velocity needs exactly one of `data`, `rotation`")),
                }
            }
        }
        deserializer.deserialize_any(VectorOr)
    }
}

/// Where the level set starts: a shape, a surface or curve from a file, or signed values from an
/// array or an expression.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Initial {
    /// Signed distance of a shape, negative inside.
    Shape(Shape),
    /// Signed distance of a closed triangle mesh.
    Mesh {
        /// The mesh.
        mesh: InitialMesh,
    },
    /// Signed distance of closed curves on a triangle mesh.
    Curve {
        /// The curves.
        curve: InitialCurve,
    },
    /// What lies above or below a level in a volume or a picture; its level set counts.
    Volume {
        /// The volume.
        volume: InitialVolume,
    },
    /// A vertex array, negative inside; its zero set counts, not its size.
    Data {
        /// Name of the vertex array.
        data: String,
    },
    /// Evaluated at the vertices, negative inside; its zero set counts, not its size.
    Expression {
        /// Without the time.
        expression: Expression,
    },
}

/// A closed triangle mesh whose inside is the inside: `mesh = { path = "brain.ply" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialMesh {
    /// Mesh file, relative to the case file; `${NAME}` is the environment variable.
    pub path: String,
    /// Its coordinates are multiplied by this, > 0; default 1.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// Then this is added to them, mesh units; default nothing.
    #[serde(default)]
    pub translate: [f64; 3],
}

fn one() -> f64 {
    1.0
}

/// The part of a volume above or below a level: `volume = { path = "ct.nii.gz", level = 300 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitialVolume {
    /// File of a volume or a picture, relative to the case file; `${NAME}` is the environment
    /// variable. The world coordinates of the file are those of the case.
    pub path: String,
    /// Value at the interface, in the unit of the file.
    pub level: f64,
    /// Which values are inside; default `above`.
    #[serde(default)]
    pub inside: Above,
    /// Layout of a file that holds numbers alone: SHAPE:TYPE[:SPACING[:SKIP]], such as
    /// `256x256x109:uint16le:1x1x1.5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Array to take from a VTK file; default the active scalars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
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
    /// File of curves, relative to the case file; `${NAME}` is the environment variable.
    pub path: String,
    /// Which side is the inside; default `enclosed` on a planar mesh, `smaller` on a surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
}

/// The side of a curve that is the inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Inside {
    /// Left of its direction, seen from the side that normals point to.
    Left,
    /// Right of its direction.
    Right,
    /// The side of smaller area.
    Smaller,
    /// What the curve encloses; on planar meshes only.
    Enclosed,
}

impl<'de> Deserialize<'de> for Initial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const ENTRIES: [&str; 12] = [
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
            "data",
            "expression",
        ];
        struct DataOrShape;
        impl<'de> Visitor<'de> for DataOrShape {
            type Value = Initial;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a table with one shape, or with `mesh`, `curve`, `volume`, `data` or \
                     `expression`",
                )
            }
            fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Initial, A::Error> {
                let (name, value) = access.variant_seed(Known(&ENTRIES))?;
                Ok(match name.as_str() {
                    "data" => Initial::Data { data: value.newtype_variant()? },
                    "mesh" => Initial::Mesh { mesh: value.newtype_variant()? },
                    "curve" => Initial::Curve { curve: value.newtype_variant()? },
                    "volume" => Initial::Volume { volume: value.newtype_variant()? },
                    "expression" => Initial::Expression { expression: value.newtype_variant()? },
                    _ => {
                        let shape = EnumAccessDeserializer::new(Resumed(name, value));
                        Initial::Shape(Shape::deserialize(shape)?)
                    }
                })
            }
        }
        deserializer.deserialize_enum("Initial", &ENTRIES, DataOrShape)
    }
}

/// Reads a name and refuses it, in its own place, unless it is in the list.
struct Known(&'static [&'static str]);

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

/// An entry whose name has been read already, offered again with its value.
struct Resumed<V>(String, V);

impl<'de, V: VariantAccess<'de>> EnumAccess<'de> for Resumed<V> {
    type Error = V::Error;
    type Variant = V;
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, V), V::Error> {
        let name: serde::de::value::StringDeserializer<V::Error> = self.0.into_deserializer();
        Ok((seed.deserialize(name)?, self.1))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    data: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CellData {
    cell_data: String,
}

/// What a [`Loose`] value was written as.
pub(super) enum Written<T> {
    Number(f64),
    Table(T),
}

/// Visitor for a number or the table `T`.
pub(super) struct Loose<T> {
    expecting: &'static str,
    table: PhantomData<T>,
}

impl<T> Loose<T> {
    pub(super) fn new(expecting: &'static str) -> Self {
        Loose { expecting, table: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Loose<T> {
    type Value = Written<T>;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.expecting)
    }
    fn visit_f64<E: Error>(self, x: f64) -> Result<Written<T>, E> {
        Ok(Written::Number(x))
    }
    fn visit_i64<E: Error>(self, x: i64) -> Result<Written<T>, E> {
        Ok(Written::Number(x as f64))
    }
    fn visit_u64<E: Error>(self, x: u64) -> Result<Written<T>, E> {
        Ok(Written::Number(x as f64))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Written<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Written::Table)
    }
}

/// What an [`OrExpression`] value was written as.
enum Formula<T> {
    Number(f64),
    Expression(Expression),
    Table(T),
}

/// Visitor for a number, an expression in a string, or the table `T`.
struct OrExpression<T> {
    expecting: &'static str,
    table: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrExpression<T> {
    type Value = Formula<T>;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.expecting)
    }
    fn visit_f64<E: Error>(self, x: f64) -> Result<Formula<T>, E> {
        Ok(Formula::Number(x))
    }
    fn visit_i64<E: Error>(self, x: i64) -> Result<Formula<T>, E> {
        Ok(Formula::Number(x as f64))
    }
    fn visit_u64<E: Error>(self, x: u64) -> Result<Formula<T>, E> {
        Ok(Formula::Number(x as f64))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Formula<T>, E> {
        Expression::parse(text).map(Formula::Expression).map_err(E::custom)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Formula<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Formula::Table)
    }
}
