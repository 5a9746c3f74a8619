//! Lookup of the expressions of a case, for error messages that point into them.

use crate::config::{Coefficient, Component, Evolve, Velocity};
use crate::expression::Expression;

/// Returns the expressions that the case gives for the key `name` of `[evolve]`.
pub(super) fn expressions<'a>(evolve: Option<&'a Evolve>, name: &str) -> Vec<&'a Expression> {
    let Some(evolve) = evolve else { return Vec::new() };
    let scalar = match name {
        "velocity" => {
            let Some(Velocity::Components(all)) = &evolve.velocity else { return Vec::new() };
            let expression = |component: &'a Component| match component {
                Component::Expression(expression) => Some(expression),
                Component::Number(_) | Component::Volume(_) => None,
            };
            return all.iter().filter_map(expression).collect();
        }
        "normal_speed" => &evolve.normal_speed,
        "curvature" => &evolve.curvature,
        "weighted_curvature" => &evolve.weighted_curvature,
        _ => &evolve.inflow,
    };
    match scalar {
        Some(Coefficient::Expression(expression)) => vec![expression],
        _ => Vec::new(),
    }
}
