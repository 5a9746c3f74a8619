//! The results of a level that are compared with those of other levels.

use std::collections::BTreeMap;

use crate::config::{Config, Expect};
use crate::mesh::Kind;
use crate::output::{MeasuresFile, Report};

/// Results that are errors, so that their exact value is 0.
const ERRORS: [&str; 5] = [
    "interface_error_mean",
    "interface_error_max",
    "distance_error_mean",
    "distance_error_max",
    "grad_norm_error",
];

/// Returns the overrides that make a run report its errors if the case states an exact shape. They
/// set lower bounds of 0 on the errors, which are always met.
pub(super) fn error_bounds(config: &Config) -> Vec<String> {
    let Expect { exact: Some(_), .. } = &config.expect else { return Vec::new() };
    let known = config.expect.bounds();
    let task = if config.distance.is_some() { "distance" } else { "interface" };
    let names = ["mean", "max"].map(|which| format!("{task}_error_{which}"));
    let missing = names.into_iter().filter(|name| !known.iter().any(|(known, _)| known == name));
    missing.map(|name| format!("expect.{name}.at_least=0")).collect()
}

/// Returns the results of a run by name.
pub(crate) fn values(report: &Report) -> BTreeMap<String, f64> {
    let mut values = BTreeMap::new();
    let mut add = |name: &str, value: Option<f64>| {
        values.extend(value.filter(|x| x.is_finite()).map(|value| (name.to_string(), value)));
    };
    if let Some(last) = &report.last {
        let kind = report.mesh.as_ref().map_or(Kind::Volume, |mesh| mesh.kind);
        let [interface, enclosed] = MeasuresFile::names(kind);
        add(interface, Some(last.interface));
        add(enclosed, Some(last.enclosed));
        // On tiles, phi ends at the edge of the narrow band, whose width is a fixed number of
        // voxels.
        if report.mesh.is_some() {
            add("phi_min", Some(last.phi_min));
            add("phi_max", Some(last.phi_max));
        }
        add("time", Some(report.time));
    }
    if let Some(distances) = &report.distances {
        add("distance_mean", distances.mean);
        add("distance_max", distances.max);
        let length: f64 = distances.paths.iter().map(|path| path.length).sum();
        add("path_length", (!distances.paths.is_empty()).then_some(length));
    }
    add("grad_norm_error", report.grad_norm_error);
    for check in &report.expect.checks {
        if ERRORS.contains(&check.name) {
            add(check.name, check.found);
        }
    }
    values
}

/// Returns the exact value of a result, if the case states one.
pub(super) fn exact(config: &Config, name: &str) -> Option<f64> {
    if ERRORS.contains(&name) {
        return Some(0.0);
    }
    let bounds = config.expect.bounds();
    bounds.iter().find(|(known, _)| *known == name).and_then(|(_, bounds)| bounds.value)
}
