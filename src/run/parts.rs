//! Checks of the parts of a case if other parts have problems.

use std::sync::Arc;

use super::tiled::TiledCase;
use super::{CleanedMesh, memory, names, picture, setup, sources, terms};
use crate::Cpu;
use crate::config::{Config, Domain};
use crate::error::{Error, Result};

/// Returns the problems of all parts of a case whose keys are valid. The domain can be read.
///
/// `is_own` returns whether a problem with a key is not a consequence of a known problem.
pub(super) fn problems(
    config: &Config,
    cpu: &Arc<Cpu>,
    is_own: impl Fn(&str) -> bool + Send,
) -> Vec<Error> {
    match &config.domain {
        Domain::Mesh(_) => cpu.run(|| match CleanedMesh::whole(config) {
            Ok(mesh) => on_mesh(config, mesh, is_own),
            Err(error) => vec![error],
        }),
        Domain::Tiled(source) => {
            let case = match TiledCase::new(config, source, cpu.clone()) {
                Ok(case) => case,
                Err(error) => return vec![error],
            };
            let coefficients = ["velocity", "curvature", "weighted_curvature", "normal_speed"];
            let mut keys = coefficients.iter().map(|name| format!("evolve.{name}"));
            match keys.all(|key| is_own(&key)) {
                true => cpu.run(|| case.terms::<f64>()).err().into_iter().collect(),
                false => Vec::new(),
            }
        }
        // All other parts depend on the keys of [reconstruct].
        Domain::Cloud(_) => Vec::new(),
    }
}

/// Returns the problems of the parts of a case on a mesh.
fn on_mesh(config: &Config, whole: CleanedMesh, is_own: impl Fn(&str) -> bool) -> Vec<Error> {
    let unknown = names::unknown(config, &whole);
    let mut found: Vec<(String, Error)> = Vec::new();
    let mut add = |key: &str, outcome: Result<()>| {
        found.extend(outcome.err().map(|error| (key.to_string(), error)));
    };
    add("expect", config.check_for(whole.mesh.kind));
    // All further checks need memory.
    if memory::check(config, &whole.mesh).is_ok() {
        let mask_key = if config.distance.is_some() { "distance.mask" } else { "evolve.mask" };
        let mask = if is_own(mask_key) { whole.mask(config) } else { Ok(None) };
        let mut cleaned = whole;
        match mask {
            Ok(Some(keep)) => cleaned = cleaned.masked(&keep),
            Ok(None) => {}
            Err(error) => add(mask_key, Err(error)),
        }
        if config.initial.is_some() && is_own("initial") {
            add("initial", setup::initial_phi(config, &cleaned).map(drop));
        }
        let of_speed = ["distance.speed", "distance.fiber", "distance.sheet"];
        if config.distance.is_some() && of_speed.into_iter().all(&is_own) {
            add("distance.speed", setup::slowness(config, &cleaned, &mut Vec::new()).map(drop));
        }
        if config.distance.is_some() && is_own("distance.paths_from") {
            add("distance.paths_from", sources::path_starts(config, &cleaned).map(drop));
        }
        add("output.picture", picture::check_array(config, &cleaned));
        let of_terms = terms::problems(config, &cleaned).into_iter();
        found.extend(of_terms.map(|(key, error)| (key.to_string(), error)));
        found.extend(sources::problems(config, &cleaned));
    }
    found.extend(unknown.into_iter().map(|(key, error)| (key.to_string(), error)));
    let mut texts = std::collections::BTreeSet::new();
    let own = found.into_iter().filter(|(key, _)| is_own(key)).map(|(_, error)| error);
    own.filter(|error| texts.insert(error.to_string())).collect()
}
