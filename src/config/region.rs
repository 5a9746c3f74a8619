//! Set operations on shapes, closed surfaces, volumes and expressions in `[initial]`.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::EnumAccessDeserializer;
use serde::de::{Deserializer, EnumAccess, VariantAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::initial::{InitialMesh, InitialVolume, Known, Resumed};
use crate::expression::Expression;
use crate::geometry::shape::Shape;

/// A set of points that is combined from shapes, closed surfaces, volumes and expressions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
#[non_exhaustive]
pub enum Region {
    /// A shape.
    Shape(Shape),
    /// Inside of a closed triangle mesh.
    Mesh {
        /// The mesh.
        mesh: InitialMesh,
    },
    /// Part of a volume above or below a level.
    Volume {
        /// The volume.
        volume: InitialVolume,
    },
    /// Points where an expression is negative.
    Expression {
        /// Expression without the time t.
        expression: Expression,
    },
    /// Points in any of the regions.
    Union {
        /// The regions.
        #[schemars(length(min = 1))]
        union: Vec<Region>,
    },
    /// Points in all of the regions.
    Intersection {
        /// The regions.
        #[schemars(length(min = 1))]
        intersection: Vec<Region>,
    },
    /// Points in the first region and not in the second.
    Difference {
        /// The two regions.
        difference: Box<(Region, Region)>,
    },
}

impl Region {
    /// Returns the region as a shape, if it consists only of shapes.
    pub(super) fn as_shape(&self) -> Option<Shape> {
        let all = |regions: &[Region]| -> Option<Vec<Shape>> {
            regions.iter().map(Region::as_shape).collect()
        };
        match self {
            Region::Shape(shape) => Some(shape.clone()),
            Region::Union { union } => all(union).map(Shape::Union),
            Region::Intersection { intersection } => all(intersection).map(Shape::Intersection),
            Region::Difference { difference } => {
                let (first, second) = &**difference;
                Some(Shape::Difference(Box::new((first.as_shape()?, second.as_shape()?))))
            }
            Region::Mesh { .. } | Region::Volume { .. } | Region::Expression { .. } => None,
        }
    }

    /// Returns the regions that this one combines, each with its key relative to the key of this
    /// region.
    pub(crate) fn parts(&self) -> Vec<(String, &Region)> {
        let numbered = |name: &str, regions: &'_ [Region]| -> Vec<String> {
            (0..regions.len()).map(|k| format!("{name}.{k}")).collect()
        };
        match self {
            Region::Union { union } => numbered("union", union).into_iter().zip(union).collect(),
            Region::Intersection { intersection } => {
                numbered("intersection", intersection).into_iter().zip(intersection).collect()
            }
            Region::Difference { difference } => {
                vec![("difference.0".into(), &difference.0), ("difference.1".into(), &difference.1)]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the paths of the files that the region names.
    pub(super) fn files(&self) -> Vec<&str> {
        match self {
            Region::Mesh { mesh } => vec![mesh.path.as_str()],
            Region::Volume { volume } => vec![volume.path.as_str()],
            _ => self.parts().into_iter().flat_map(|(_, part)| part.files()).collect(),
        }
    }

    /// Returns whether the boundary of the region is known to lie in a box.
    pub(super) fn is_bounded(&self) -> bool {
        match self {
            Region::Shape(shape) => shape.bounds().is_some(),
            Region::Mesh { .. } | Region::Volume { .. } => true,
            Region::Expression { .. } => false,
            Region::Union { union } => union.iter().all(Region::is_bounded),
            Region::Intersection { intersection } => intersection.iter().any(Region::is_bounded),
            Region::Difference { difference } => difference.0.is_bounded(),
        }
    }
}

impl<'de> Deserialize<'de> for Region {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const ENTRIES: [&str; 10] = [
            "ball",
            "box",
            "plane",
            "slotted_disk",
            "union",
            "intersection",
            "difference",
            "mesh",
            "volume",
            "expression",
        ];
        struct Named;
        impl<'de> Visitor<'de> for Named {
            type Value = Region;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table with one shape, or with `mesh`, `volume` or `expression`")
            }
            fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Region, A::Error> {
                let (name, value) = access.variant_seed(Known(&ENTRIES))?;
                Region::named(name, value)
            }
        }
        deserializer.deserialize_enum("Region", &ENTRIES, Named)
    }
}

impl Region {
    /// Reads a region whose name has already been read.
    pub(super) fn named<'de, V: VariantAccess<'de>>(
        name: String,
        value: V,
    ) -> Result<Self, V::Error> {
        Ok(match name.as_str() {
            "mesh" => Region::Mesh { mesh: value.newtype_variant()? },
            "volume" => Region::Volume { volume: value.newtype_variant()? },
            "expression" => Region::Expression { expression: value.newtype_variant()? },
            "union" => Region::Union { union: value.newtype_variant()? },
            "intersection" => Region::Intersection { intersection: value.newtype_variant()? },
            "difference" => Region::Difference { difference: value.newtype_variant()? },
            _ => {
                let shape = EnumAccessDeserializer::new(Resumed(name, value));
                Region::Shape(Shape::deserialize(shape)?)
            }
        })
    }
}
