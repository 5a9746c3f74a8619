//! Lookup of the expressions of a case, for error messages that point into them.

use crate::config::{
    Coefficient, Component, Config, Evolve, Initial, Quantity, Speed, Velocity,
    conduction_quantities,
};
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

/// Returns the expressions of a case on a mesh, except those of seeds, each with its key and the
/// place of its text: the key, or the component of the key.
pub(super) fn all_expressions<'a>(
    config: &'a Config,
) -> Vec<(&'static str, String, &'a Expression)> {
    let quantities = config.distance.iter().flat_map(conduction_quantities);
    let of_quantity = |(key, quantity): (String, &'a Quantity)| {
        let name = if key.contains(".speed.") { "distance.speed" } else { "distance.fiber" };
        quantity.expression().map(|expression| (name, key, expression))
    };
    let mut all: Vec<(&'static str, String, &Expression)> =
        quantities.filter_map(of_quantity).collect();
    let mut add = |key: &'static str, expression| all.push((key, key.to_string(), expression));
    if let Some(Initial::Expression { expression }) = &config.initial {
        add("initial.expression", expression);
    }
    if let Some(distance) = &config.distance {
        distance.mask.iter().for_each(|mask| add("distance.mask", mask));
        if let Some(Speed::Expression(expression)) = &distance.speed {
            add("distance.speed", expression);
        }
    }
    let Some(evolve) = &config.evolve else { return all };
    evolve.mask.iter().for_each(|mask| add("evolve.mask", mask));
    for (key, coefficient) in [
        ("evolve.curvature", &evolve.curvature),
        ("evolve.weighted_curvature", &evolve.weighted_curvature),
        ("evolve.normal_speed", &evolve.normal_speed),
        ("evolve.inflow", &evolve.inflow),
    ] {
        if let Some(Coefficient::Expression(expression)) = coefficient {
            add(key, expression);
        }
    }
    if let Some(Velocity::Components(components)) = &evolve.velocity {
        for (k, component) in components.iter().enumerate() {
            if let Component::Expression(expression) = component {
                all.push(("evolve.velocity", format!("evolve.velocity.{k}"), expression));
            }
        }
    }
    all
}
