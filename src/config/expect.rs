//! The table `[expect]`: bounds on the results of a run.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};

use super::values::{Loose, Written};
use crate::geometry::shape::Shape;

/// Bounds on one number at the end of a run, in the unit of that number.
///
/// A bare number `v` stands for `{ value = v }`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Bounds {
    /// Expected value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Allowed deviation from `value`, relative to it (absolute if it is 0). Default 0.01, or 0 for
    /// counts (`steps`, `components`, `euler_number`, `distance_not_reached`, `holes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Inclusive upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Inclusive lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl Bounds {
    /// The default relative tolerance, a fraction of the expected value.
    pub const TOLERANCE: f64 = 0.01;

    /// Returns the bounds of a count, which are exact unless the case gives a tolerance.
    fn of_count(mut self) -> Self {
        self.tolerance = self.tolerance.or(Some(0.0));
        self
    }

    /// Returns the smallest and largest allowed number, in the unit of the bounds.
    pub fn range(&self) -> (f64, f64) {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        if let Some(value) = self.value {
            let scale = if value == 0.0 { 1.0 } else { value.abs() };
            let deviation = self.tolerance.unwrap_or(Self::TOLERANCE) * scale;
            (low, high) = (value - deviation, value + deviation);
        }
        (low.max(self.at_least.unwrap_or(low)), high.min(self.at_most.unwrap_or(high)))
    }

    /// Returns true if `found` is a number within the bounds.
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

/// Bounds on one number, in its unit.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema counts")]
enum Forms {
    /// Expected value.
    Value(f64),
    /// One or more bounds.
    Table(Table),
}

/// Bounds as a table.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct Table {
    /// Expected value.
    value: Option<f64>,
    /// Allowed deviation from `value`, relative to it (absolute if it is 0). Default 0.01, or 0 for
    /// counts (`steps`, `components`, `euler_number`, `distance_not_reached`, `holes`).
    #[schemars(range(min = 0.0), example = 0.01)]
    tolerance: Option<f64>,
    /// Inclusive upper bound.
    at_most: Option<f64>,
    /// Inclusive lower bound.
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
        /// `[expect]`: bounds on the results of a run. A run that misses a bound ends with exit
        /// code 1. With `distance.speed`, the distances of the task distance are arrival times, in
        /// the unit of time of the case.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        #[non_exhaustive]
        pub struct Expect {
            /// Exact shape for comparison with the interface or the distance. It is not a bound
            /// itself. Its distances are in mesh units, even if `distance.speed` makes the results
            /// times.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub exact: Option<Shape>,
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $name: Option<Bounds>,)*
        }

        impl Expect {
            /// Returns all bounds of the case with their names.
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
    /// Final time, in the unit of time of the case.
    time,
    /// Number of time steps.
    steps,
    /// Length of the interface on a triangle mesh, in mesh units.
    interface_length,
    /// Area of the interface in a tetrahedral mesh or on tiles, in mesh units^2.
    interface_area,
    /// Area of the inside on a triangle mesh, in mesh units^2.
    enclosed_area,
    /// Volume of the inside in a tetrahedral mesh or on tiles, in mesh units^3.
    enclosed_volume,
    /// Relative change in the enclosed area or volume from start to end, as a fraction.
    enclosed_drift,
    /// Relative change in the mean weight along the interface from start to end, as a fraction
    /// (task evolve with `weighted_curvature`).
    mean_weight_drift,
    /// Number of connected components of the inside (task evolve) or of the surface (task
    /// reconstruct).
    components,
    /// Euler number of the inside (task evolve) or of the surface (task reconstruct).
    euler_number,
    /// Smallest phi (task evolve) or distance (task distance), in mesh units.
    phi_min,
    /// Largest phi (task evolve) or distance (task distance), in mesh units.
    phi_max,
    /// Mean distance between the interface and `exact`, in mesh units.
    interface_error_mean,
    /// Largest distance between the interface and `exact`, in mesh units.
    interface_error_max,
    /// Mean of `| |grad phi| - 1 |` in the band, without a unit.
    grad_norm_error,
    /// Largest computed distance (task distance), in mesh units.
    distance_max,
    /// Mean distance over the reached vertices (task distance), in mesh units.
    distance_mean,
    /// Mean error of the distance compared with `exact` (task distance), in mesh units.
    distance_error_mean,
    /// Largest error of the distance compared with `exact` (task distance), in mesh units.
    distance_error_max,
    /// Number of vertices that no front reaches, including those excluded by the mask (task
    /// distance).
    distance_not_reached,
    /// Total length of all paths (task distance), in mesh units.
    path_length,
    /// Mean distance of the samples from the surface (task reconstruct), as a percentage of the
    /// diagonal of their bounding box.
    sample_distance_mean,
    /// Largest distance of a sample from the surface (task reconstruct), as a percentage of the
    /// diagonal of the samples' bounding box.
    sample_distance_max,
    /// Number of boundary loops of the surface (task reconstruct).
    holes,
}
