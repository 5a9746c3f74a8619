//! Facts about groups and data arrays for `zeroset info`.

use serde::Serialize;

use crate::mesh::{DataArray, Group, Kind, Members, Values};

/// A named group.
#[derive(Serialize)]
pub(super) struct GroupFacts {
    pub name: String,
    /// Dimension of its members.
    pub dimension: usize,
    pub members: usize,
}

/// A data array.
#[derive(Clone, Serialize)]
pub(super) struct ArrayFacts {
    pub name: String,
    pub on: On,
    pub rows: usize,
    pub components: usize,
    /// "float" or "int".
    pub numbers: &'static str,
    /// Smallest and largest of all finite numbers; `null` if there is none.
    pub min: Option<Number>,
    pub max: Option<Number>,
    /// Count of the numbers that are NaN or infinite.
    pub not_finite: usize,
}

/// The kind of item that each row of a data array belongs to.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum On {
    Vertex,
    Cell,
    /// Unknown, because the file has no mesh.
    Row,
}

impl On {
    pub fn plural(self) -> &'static str {
        match self {
            On::Vertex => "vertices",
            On::Cell => "cells",
            On::Row => "rows",
        }
    }
}

/// A number in a data array, printed as an integer or a float.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

impl GroupFacts {
    pub fn of(group: &Group, kind: Kind) -> Self {
        let (dimension, members) = match &group.members {
            Members::Cells(cells) => (kind.dimension(), cells.len()),
            Members::Simplices { dimension, vertices } => {
                (*dimension, vertices.len() / (dimension + 1))
            }
        };
        GroupFacts { name: group.name.clone(), dimension, members }
    }
}

impl ArrayFacts {
    pub fn of(array: &DataArray, on: On) -> Self {
        let (numbers, min, max) = match &array.values {
            Values::Int(v) => {
                let (min, max) = (v.iter().min(), v.iter().max());
                ("int", min.map(|&x| Number::Int(x)), max.map(|&x| Number::Int(x)))
            }
            Values::Float(v) => {
                let finite = || v.iter().copied().filter(|x| x.is_finite());
                let (min, max) = (finite().reduce(f64::min), finite().reduce(f64::max));
                ("float", min.map(Number::Float), max.map(Number::Float))
            }
        };
        let not_finite = match &array.values {
            Values::Int(_) => 0,
            Values::Float(v) => v.iter().filter(|x| !x.is_finite()).count(),
        };
        let (rows, components) = (array.rows(), array.components);
        let name = array.name.clone();
        ArrayFacts { name, on, rows, components, numbers, min, max, not_finite }
    }
}
