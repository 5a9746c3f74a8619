//! Speeds that depend on the direction: along and across fibers, or a tensor.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::tables::Distance;
use super::values::{Formula, OrExpression, Speed};
use crate::expression::Expression;

/// A number, or an expression evaluated at the centroids of the cells. Its unit is that of its key.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Quantity {
    /// One value everywhere.
    Number(f64),
    /// An expression evaluated at the centroids of the cells: `"if({2}, 0.3, 0.6)"`.
    Expression(Expression),
}

impl Quantity {
    /// Returns the expression, if it is one.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Quantity::Number(_) => None,
            Quantity::Expression(expression) => Some(expression),
        }
    }
}

/// Stands for a table where none is allowed.
struct NoTable;

impl<'de> Deserialize<'de> for NoTable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("expected a number or \"an expression\", found a table"))
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number or \"an expression\"";
        match deserializer.deserialize_any(OrExpression { expecting, table: PhantomData })? {
            Formula::Number(x) => Ok(Quantity::Number(x)),
            Formula::Expression(expression) => Ok(Quantity::Expression(expression)),
            Formula::Table(NoTable) => Err(D::Error::custom(expecting)),
        }
    }
}

/// Speeds along and across fibers, in mesh units per time, each 1e-15 to 1e15. The fastest speed in
/// a cell is at most 1000 times the slowest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Fibers {
    /// Speed along the fibers.
    pub along: Quantity,
    /// Speed across the fibers.
    pub across: Quantity,
    /// Speed across the fibers but within the sheets. Default: `across`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<Quantity>,
}

impl Fibers {
    /// Creates speeds along and across fibers.
    pub fn new(along: Quantity, across: Quantity) -> Self {
        Fibers { along, across, sheet: None }
    }

    /// Sets the speed within the sheets.
    pub fn sheet(mut self, sheet: Option<Quantity>) -> Self {
        self.sheet = sheet;
        self
    }
}

/// A direction in each cell: the name of a cell array with three components, or three components.
/// Its length does not matter, unless it is 0.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Direction {
    /// A cell array with three components, or two on planar meshes: `"fiber"`.
    Data(String),
    /// Numbers or expressions: `[1, 0, 0]`, `["-y", "x", 0]`.
    Components([Quantity; 3]),
}

/// A symmetric tensor in each cell, in squared mesh units per squared time: the name of a cell
/// array, or components. It is positive definite within the cell, and the fastest speed in a cell
/// is at most 1000 times the slowest.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Tensor {
    /// A cell array with 6 components (xx, yy, zz, xy, yz, xz), 9 components (row by row) or, on
    /// planar meshes, 3 components (xx, yy, xy): `"D"`.
    Data(String),
    /// Six numbers or expressions (xx, yy, zz, xy, yz, xz) or, on planar meshes, three (xx, yy,
    /// xy).
    Components(Vec<Quantity>),
}

/// Returns the numbers and expressions of a speed that depends on the direction, each with its key.
pub(crate) fn conduction_quantities(distance: &Distance) -> Vec<(String, &Quantity)> {
    let mut all = Vec::new();
    match &distance.speed {
        Some(Speed::Fibers(fibers)) => {
            all.push(("distance.speed.along".into(), &fibers.along));
            all.push(("distance.speed.across".into(), &fibers.across));
            all.extend(fibers.sheet.iter().map(|sheet| ("distance.speed.sheet".into(), sheet)));
        }
        Some(Speed::Tensor { tensor: Tensor::Components(components) }) => {
            let keys = (0..).map(|k| format!("distance.speed.tensor.{k}"));
            all.extend(keys.zip(components));
        }
        _ => {}
    }
    for (key, direction) in [("fiber", &distance.fiber), ("sheet", &distance.sheet)] {
        if let Some(Direction::Components(components)) = direction {
            let keys = (0..).map(|k| format!("distance.{key}.{k}"));
            all.extend(keys.zip(components));
        }
    }
    all
}

/// A visitor for a name or a list of components.
struct NameOr(&'static str);

/// A name or a list of components.
enum NameOrList {
    Name(String),
    List(Vec<Quantity>),
}

impl<'de> Visitor<'de> for NameOr {
    type Value = NameOrList;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<NameOrList, E> {
        Ok(NameOrList::Name(name.into()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<NameOrList, A::Error> {
        let mut list = Vec::new();
        while let Some(component) = seq.next_element()? {
            list.push(component);
        }
        Ok(NameOrList::List(list))
    }
}

impl<'de> Deserialize<'de> for Direction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "\"name of a cell array\" or [x, y, z]";
        match deserializer.deserialize_any(NameOr(expecting))? {
            NameOrList::Name(name) => Ok(Direction::Data(name)),
            NameOrList::List(list) => {
                let n = list.len();
                let components: Result<[Quantity; 3], _> = list.try_into();
                components
                    .map(Direction::Components)
                    .map_err(|_| D::Error::invalid_length(n, &"three components, [x, y, z]"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tensor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "\"name of a cell array\" or [xx, yy, zz, xy, yz, xz]";
        match deserializer.deserialize_any(NameOr(expecting))? {
            NameOrList::Name(name) => Ok(Tensor::Data(name)),
            NameOrList::List(list) if matches!(list.len(), 3 | 6) => Ok(Tensor::Components(list)),
            NameOrList::List(list) => {
                let expected = &"six components, [xx, yy, zz, xy, yz, xz], or three, [xx, yy, xy]";
                Err(D::Error::invalid_length(list.len(), expected))
            }
        }
    }
}
