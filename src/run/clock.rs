//! The time at which a run begins.

use std::path::PathBuf;

use super::CleanedMesh;
use crate::config::{Config, DefaultsOf};
use crate::error::Result;
use crate::expression::Expression;
use crate::mesh::component;
use crate::output::Report;

/// The time of values from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Dated {
    /// The time that the file states, in its unit.
    pub time: f64,
    /// The file that states the time.
    pub path: PathBuf,
}

impl Dated {
    /// Returns `time` with the `path` that states it, or `None` if the file states no time.
    pub(super) fn of(time: Option<f64>, path: PathBuf) -> Option<Self> {
        time.map(|time| Dated { time, path })
    }

    /// Returns the time of the vertex array of this name, if its file states one.
    pub(super) fn of_array(cleaned: &CleanedMesh, name: &str) -> Option<Self> {
        let (array, _) = component(&cleaned.mesh.vertex_data, name)?;
        cleaned.dated.iter().find(|(name, _)| *name == array.name).map(|(_, dated)| dated.clone())
    }

    /// Returns the latest time of the vertex arrays in an expression, if the file of any of them
    /// states one.
    pub(super) fn of_expression(cleaned: &CleanedMesh, expression: &Expression) -> Option<Self> {
        let names = expression.names();
        let dated = names.iter().filter_map(|name| Dated::of_array(cleaned, name));
        dated.max_by(|a, b| a.time.total_cmp(&b.time))
    }
}

/// Returns the time at which the run begins: `evolve.start_time`, otherwise the time of the file
/// from which `[initial]` comes (but not with the defaults of version 0.1), otherwise 0.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if the time of the file is not before
/// `evolve.end_time`.
pub(super) fn start_time(config: &Config, dated: Option<&Dated>) -> Result<f64> {
    let Some(evolve) = &config.evolve else { return Ok(0.0) };
    let Some(dated) = continued(config, dated) else {
        return Ok(evolve.start_time.unwrap_or(0.0));
    };
    match evolve.end_time {
        Some(end) if end <= dated.time => {
            let what = format!(
                "evolve.end_time is {end}, but the run begins at time {}, that of {}",
                dated.time,
                dated.path.display()
            );
            let remedy = "times are absolute: use a later end, or set evolve.start_time = 0";
            Err(config.error_at("evolve.end_time", what, remedy))
        }
        _ => Ok(dated.time),
    }
}

/// Writes the start time of the run to the report. Warns if a file determines it and it is
/// not 0.
pub(super) fn note(config: &Config, dated: Option<&Dated>, time: f64, report: &mut Report) {
    report.start_time = time;
    let Some(dated) = continued(config, dated).filter(|dated| dated.time != 0.0) else { return };
    let warning = format!(
        "the clock begins at time {}, that of {} (evolve.start_time sets another one)",
        dated.time,
        dated.path.display()
    );
    tracing::warn!("{warning}");
    report.warnings.push(warning);
}

/// Returns the file whose time the run continues, if there is one.
fn continued<'a>(config: &Config, dated: Option<&'a Dated>) -> Option<&'a Dated> {
    let is_given = config.evolve.as_ref().is_some_and(|evolve| evolve.start_time.is_some());
    dated.filter(|_| !is_given && config.defaults != Some(DefaultsOf::V0_1))
}
