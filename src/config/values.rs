//! Values that can be written in several ways: as a number, a word, or a table.
//!
//! They have hand-written visitors, because serde's untagged enums lose the line of a wrong value.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::conduction::{Fibers, Quantity, Tensor};
use super::volume_array::VolumeArray;
use crate::expression::Expression;
use crate::io::Moment;

/// A coefficient, such as a speed: one number, a vertex array, values of a volume, or an
/// expression. Its unit is that of its key.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Coefficient {
    /// One value everywhere.
    Number(f64),
    /// A vertex array with one number per vertex: `{ data = "name" }`.
    Data {
        /// Name of the vertex array.
        data: String,
    },
    /// Values of a volume, on tiles only: `{ volume = "speed.nii.gz" }`.
    Volume(VolumeArray),
    /// An expression evaluated at vertices or voxels: `"0.1*(1 + sin(x)*y)"`.
    Expression(Expression),
}

impl Coefficient {
    /// Returns the number, if the coefficient is constant in space and time.
    pub fn number(&self) -> Option<f64> {
        match self {
            Coefficient::Number(x) => Some(*x),
            Coefficient::Data { .. } | Coefficient::Volume(_) => None,
            Coefficient::Expression(expression) => expression.constant(),
        }
    }
}

impl<'de> Deserialize<'de> for Coefficient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, Deserialize, PartialEq)]
        #[serde(deny_unknown_fields, default)]
        struct Table {
            data: Option<String>,
            volume: Option<String>,
            raw: Option<String>,
            array: Option<String>,
            time: Option<Moment>,
            spacing: Option<[f64; 3]>,
            layer: Option<usize>,
            segment: Option<String>,
            volume_index: Option<usize>,
            channel: Option<usize>,
        }
        let expecting = "a number, \"an expression\", { data = \"name of a vertex array\" } or { volume = \
                         \"a file\" }";
        let table: Table =
            match deserializer.deserialize_any(OrExpression { expecting, table: PhantomData })? {
                Formula::Number(x) => return Ok(Coefficient::Number(x)),
                Formula::Expression(expression) => return Ok(Coefficient::Expression(expression)),
                Formula::Table(table) => table,
            };
        let is_data = table == Table { data: table.data.clone(), ..Table::default() };
        match table {
            Table { data: Some(data), .. } if is_data => Ok(Coefficient::Data { data }),
            Table {
                data: None,
                volume: Some(volume),
                raw,
                array,
                time,
                spacing,
                layer,
                segment,
                volume_index,
                channel,
            } => Ok(Coefficient::Volume(VolumeArray {
                volume,
                raw,
                array,
                time,
                spacing,
                layer,
                segment,
                volume_index,
                channel,
            })),
            _ => Err(D::Error::custom(
                "a coefficient needs `data` alone, or `volume`, optionally with `raw`, `array`, \
                 `time`, `spacing`, `layer`, `segment`, `volume_index` or `channel`",
            )),
        }
    }
}

/// Speed of a distance front, in mesh units per time: one number, one value per cell, or a speed
/// for each direction.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Speed {
    /// One value everywhere, 1e-15 to 1e15.
    Number(#[schemars(range(min = 1e-15, max = 1e15))] f64),
    /// A cell array with one number per cell: `{ cell_data = "name" }`.
    Data {
        /// Name of the cell array.
        cell_data: String,
    },
    /// Values of a volume at the centroids of the cells: `{ volume = "speed.nii.gz" }`.
    Volume(Box<VolumeArray>),
    /// An expression evaluated at the centroids of the cells: `"1 + 0.5*sulc"`.
    Expression(Expression),
    /// Speeds along and across the fibers of `fiber`: `{ along = 0.6, across = 0.24 }`.
    Fibers(Fibers),
    /// A conduction tensor D, so that the arrival time u satisfies grad u . D grad u = 1:
    /// `{ tensor = "name" }`.
    Tensor {
        /// Cell array of the tensor, or its components.
        tensor: Tensor,
    },
}

impl Speed {
    /// The allowed speeds, in mesh units per time. Their squares and inverse squares are finite in
    /// either precision.
    pub const RANGE: std::ops::RangeInclusive<f64> = 1e-15..=1e15;

    /// Returns the number, if the speed is constant.
    pub fn number(&self) -> Option<f64> {
        match self {
            Speed::Number(x) => Some(*x),
            Speed::Data { .. } | Speed::Volume(_) | Speed::Fibers(_) | Speed::Tensor { .. } => None,
            Speed::Expression(expression) => expression.constant(),
        }
    }
}

impl<'de> Deserialize<'de> for Speed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, Deserialize, PartialEq)]
        #[serde(deny_unknown_fields, default)]
        struct Table {
            cell_data: Option<String>,
            along: Option<Quantity>,
            across: Option<Quantity>,
            sheet: Option<Quantity>,
            tensor: Option<Tensor>,
            volume: Option<String>,
            raw: Option<String>,
            array: Option<String>,
            time: Option<Moment>,
            spacing: Option<[f64; 3]>,
            layer: Option<usize>,
            segment: Option<String>,
            volume_index: Option<usize>,
            channel: Option<usize>,
        }
        let expecting = "a number, \"an expression\", { cell_data = \"name of a cell array\" }, \
                         { along, across }, { tensor } or { volume = \"a file\" }";
        let mut table: Table =
            match deserializer.deserialize_any(OrExpression { expecting, table: PhantomData })? {
                Formula::Number(x) => return Ok(Speed::Number(x)),
                Formula::Expression(expression) => return Ok(Speed::Expression(expression)),
                Formula::Table(table) => table,
            };
        let volume = table.volume.take().map(|volume| VolumeArray {
            volume,
            raw: table.raw.take(),
            array: table.array.take(),
            time: table.time.take(),
            spacing: table.spacing.take(),
            layer: table.layer.take(),
            segment: table.segment.take(),
            volume_index: table.volume_index.take(),
            channel: table.channel.take(),
        });
        let (cell_data, tensor) = (table.cell_data.take(), table.tensor.take());
        let (along, across, sheet) = (table.along.take(), table.across.take(), table.sheet.take());
        // Options of a volume are left if there is no volume.
        if table == Table::default() {
            match (volume, cell_data, along, across, sheet, tensor) {
                (Some(volume), None, None, None, None, None) => {
                    return Ok(Speed::Volume(Box::new(volume)));
                }
                (None, Some(cell_data), None, None, None, None) => {
                    return Ok(Speed::Data { cell_data });
                }
                (None, None, Some(along), Some(across), sheet, None) => {
                    return Ok(Speed::Fibers(Fibers::new(along, across).sheet(sheet)));
                }
                (None, None, None, None, None, Some(tensor)) => {
                    return Ok(Speed::Tensor { tensor });
                }
                _ => {}
            }
        }
        Err(D::Error::custom(
            "speed needs `cell_data`, `along` and `across` (optionally with `sheet`), `tensor`, or \
             `volume`, optionally with `raw`, `array`, `time`, `spacing`, `layer`, `segment`, \
             `volume_index` or `channel`",
        ))
    }
}

/// Half width of the narrow band.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum HalfWidth {
    /// No band: the whole domain is always updated, and the rule "displacement" reinitializes phi
    /// only at the start.
    Whole,
    /// In mean edge lengths of the mesh, at least 2, or on tiles in voxels, 1.5 to 20 (at least 2
    /// with weno5).
    #[serde(untagged)]
    Edges(#[schemars(range(min = 1.5, max = 1e6))] f64),
    /// In mesh units: `{ length = 2.0 }`.
    #[serde(untagged)]
    Length {
        /// Half width, in mesh units, > 0.
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

/// Velocity `a` of the evolution, in mesh units per time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Velocity {
    /// A vertex or cell array with three components, or two on planar meshes: `{ data = "name" }`.
    Data(String),
    /// Rigid rotation: `{ rotation = { axis = [0, 0, 1], period = 1 } }`.
    Rotation(Rotation),
    /// One vector everywhere: `[1, 0, 0]`.
    #[serde(untagged)]
    Constant([f64; 3]),
    /// Numbers, expressions and volumes as components: `["-y", "x", 0]`.
    #[serde(untagged)]
    Components([Component; 3]),
}

/// A component of the velocity, in mesh units per time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Component {
    /// One value everywhere.
    Number(f64),
    /// Values of a volume, on tiles only: `{ volume = "u.nrrd" }`.
    Volume(Box<VolumeArray>),
    /// An expression evaluated at vertices or voxels.
    Expression(Expression),
}

impl Component {
    /// Returns the number, if the component is constant in space and time.
    pub fn number(&self) -> Option<f64> {
        match self {
            Component::Number(x) => Some(*x),
            Component::Volume(_) => None,
            Component::Expression(expression) => expression.constant(),
        }
    }
}

impl<'de> Deserialize<'de> for Component {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number, \"an expression\" or { volume = \"a file\" }";
        Ok(match deserializer.deserialize_any(OrExpression { expecting, table: PhantomData })? {
            Formula::Number(x) => Component::Number(x),
            Formula::Expression(expression) => Component::Expression(expression),
            Formula::Table(volume) => Component::Volume(Box::new(volume)),
        })
    }
}

/// Rigid rotation about an axis, counterclockwise as seen from the tip of the axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rotation {
    /// Direction of the axis, with any length > 0.
    pub axis: [f64; 3],
    /// A point on the axis, in mesh units. Default: the origin.
    #[serde(default)]
    pub center: [f64; 3],
    /// Time of one revolution, not 0, in the unit of time of the case. A negative value reverses
    /// the rotation.
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
                    _ => Err(Error::custom("velocity needs exactly one of `data` and `rotation`")),
                }
            }
        }
        deserializer.deserialize_any(VectorOr)
    }
}

/// The value that a [`Loose`] visitor read.
pub(super) enum Written<T> {
    Number(f64),
    Table(T),
}

/// A visitor for a number or the table `T`.
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

/// The value that an [`OrExpression`] visitor read.
pub(super) enum Formula<T> {
    Number(f64),
    Expression(Expression),
    Table(T),
}

/// A visitor for a number, an expression in a string, or the table `T`.
pub(super) struct OrExpression<T> {
    pub(super) expecting: &'static str,
    pub(super) table: PhantomData<T>,
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
