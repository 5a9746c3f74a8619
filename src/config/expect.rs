//! `[expect]`: what the end of a run must look like.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};

use super::values::{Loose, Written};
use crate::geometry::shape::Shape;

/// Bounds on one number at the end of a run.
///
/// A bare number `v` stands for `{ value = v }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Bounds {
    /// The number expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Allowed deviation from `value`, relative to it (absolute where it is 0); default 0.01, for
    /// counts (steps, components, Euler number) 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Upper bound, itself allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Lower bound, itself allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl Bounds {
    /// Deviation allowed where the case states none, relative.
    pub const TOLERANCE: f64 = 0.01;

    /// The bounds of a count: exact unless the case states a tolerance.
    fn of_count(mut self) -> Self {
        self.tolerance = self.tolerance.or(Some(0.0));
        self
    }

    /// Smallest and largest number allowed.
    pub fn range(&self) -> (f64, f64) {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        if let Some(value) = self.value {
            let scale = if value == 0.0 { 1.0 } else { value.abs() };
            let deviation = self.tolerance.unwrap_or(Self::TOLERANCE) * scale;
            (low, high) = (value - deviation, value + deviation);
        }
        (low.max(self.at_least.unwrap_or(low)), high.min(self.at_most.unwrap_or(high)))
    }

    /// True if `found` is a number within the bounds.
    pub fn met_by(&self, found: f64) -> bool {
        let (low, high) = self.range();
        low <= found && found <= high
    }
}

impl<'de> Deserialize<'de> for Bounds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expecting = "a number, { value, tolerance }, { at_most } or { at_least }";
        Ok(match deserializer.deserialize_any(Loose::<Table>::new(expecting))? {
            Written::Number(value) => Bounds { value: Some(value), ..Bounds::default() },
            Written::Table(Table { value, tolerance, at_most, at_least }) => {
                Bounds { value, tolerance, at_most, at_least }
            }
        })
    }
}

/// Bounds on one number.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema counts")]
enum Forms {
    /// The number expected.
    Value(f64),
    /// One bound or several together.
    Table(Table),
}

/// Bounds as a table.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Table {
    /// The number expected.
    value: Option<f64>,
    /// Allowed deviation from `value`, relative to it (absolute where it is 0); default 0.01, for
    /// counts (steps, components, Euler number) 0.
    #[schemars(range(min = 0.0), example = 0.01)]
    tolerance: Option<f64>,
    /// Upper bound, itself allowed.
    at_most: Option<f64>,
    /// Lower bound, itself allowed.
    at_least: Option<f64>,
}

impl JsonSchema for Bounds {
    fn schema_name() -> Cow<'static, str> {
        "Bounds".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Forms::json_schema(generator)
    }
}

macro_rules! expect {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// `[expect]`: bounds on what a run ends with; a run that misses one exits with code 1.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        #[non_exhaustive]
        pub struct Expect {
            /// Shape the interface, or the distance, is compared with; no bound itself.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub exact: Option<Shape>,
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $name: Option<Bounds>,)*
        }

        impl Expect {
            /// All bounds of the case with their names.
            pub fn bounds(&self) -> Vec<(&'static str, Bounds)> {
                [$((stringify!($name), self.$name)),*]
                    .into_iter()
                    .filter_map(|(name, bounds)| Some((name, bounds?)))
                    .map(|(name, bounds)| match name {
                        "steps" | "components" | "euler_number" | "distance_not_reached" | "holes" => {
                            (name, bounds.of_count())
                        }
                        _ => (name, bounds),
                    })
                    .collect()
            }
        }
    };
}

expect! {
    /// Time at the end.
    time,
    /// Steps done.
    steps,
    /// Length of the interface (triangle meshes), mesh units.
    interface_length,
    /// Area of the interface (tetrahedral meshes), mesh units^2.
    interface_area,
    /// Area of the inside (triangle meshes), mesh units^2.
    enclosed_area,
    /// Volume of the inside (tetrahedral meshes), mesh units^3.
    enclosed_volume,
    /// Relative change of the enclosed area or volume from start to end.
    enclosed_drift,
    /// Relative change of the mean weight along the interface from start to end (task evolve with
    /// `weighted_curvature`).
    mean_weight_drift,
    /// Connected parts of the inside.
    components,
    /// Euler number of the inside.
    euler_number,
    /// Smallest phi, mesh units.
    phi_min,
    /// Largest phi, mesh units.
    phi_max,
    /// Mean distance between the interface and `exact`, mesh units.
    interface_error_mean,
    /// Largest distance between the interface and `exact`, mesh units.
    interface_error_max,
    /// Mean of `| |grad phi| - 1 |` in the band.
    grad_norm_error,
    /// Largest distance reached (task distance), mesh units.
    distance_max,
    /// Mean distance over the vertices reached (task distance), mesh units.
    distance_mean,
    /// Mean error of the distance against `exact` (task distance), mesh units.
    distance_error_mean,
    /// Largest error of the distance against `exact` (task distance), mesh units.
    distance_error_max,
    /// Vertices no front has reached, those outside the mask included (task distance).
    distance_not_reached,
    /// Sum of the lengths of all paths (task distance), mesh units.
    path_length,
    /// Mean distance of the samples from the surface (task reconstruct), percent of the diagonal of
    /// their box.
    sample_distance_mean,
    /// Largest distance of a sample from the surface (task reconstruct), percent of the diagonal of
    /// their box.
    sample_distance_max,
    /// Loops of edges with one triangle (task reconstruct).
    holes,
}
