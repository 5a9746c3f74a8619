//! The names in the expressions of a case that the mesh does not have.

use std::sync::Arc;

use super::CleanedMesh;
use super::expressions::all_expressions;
use super::fields::places_of;
use crate::config::Config;
use crate::error::Error;
use crate::expression::Field;
use crate::mesh::Places;

/// Returns an error for each name in an expression of the case that is neither an array nor a group
/// of the mesh, with the key of the expression.
pub(super) fn unknown(config: &Config, cleaned: &CleanedMesh) -> Vec<(&'static str, Error)> {
    let mut found = Vec::new();
    for (key, place, expression) in all_expressions(config) {
        let places = match key {
            "distance.speed" | "distance.fiber" => Places::Cells,
            "distance.mask" | "evolve.mask" => places_of(cleaned, expression),
            _ => Places::Vertices,
        };
        let errors = expression.names().into_iter().filter_map(|name| {
            cleaned.numbers(name, places).err()?;
            // Binding stops at this name, because the other names have an empty array.
            let array = |other: &str| match other == name {
                true => cleaned.numbers(name, places).map(Arc::from),
                false => Ok(Arc::from([])),
            };
            let error = Field::bind(expression, array).err()?;
            Some((key, config.locate(&place)(error)))
        });
        found.extend(errors);
    }
    found
}
