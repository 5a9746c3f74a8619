//! Comparisons of results, and convergence studies.

use std::path::PathBuf;

use pyo3::prelude::*;
use zeroset::api::Control;
use zeroset::compare::Tolerance;
use zeroset::converge::Study;

use crate::work;

/// Compares two files or folders. Returns the comparison as JSON.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    absolute: f64,
    relative: f64,
) -> PyResult<String> {
    let tolerance = Tolerance { absolute, relative };
    let found = work::run(py, None, |_| zeroset::compare::compare(&a, &b, tolerance))?;
    Ok(serde_json::to_string(&found).unwrap_or_default())
}

/// Runs a case on several levels. Returns the results as JSON, and the files.
///
/// The files of the levels that have run are written even if a later one fails.
#[pyfunction]
pub fn converge(
    py: Python<'_>,
    case: PathBuf,
    levels: u32,
    overrides: Vec<String>,
    folder: Option<PathBuf>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<PathBuf>)> {
    work::run_to_a_stop(py, progress.as_ref(), |control: &Control| {
        let study = Study::new(&case, &overrides, levels, folder)?;
        let files = study.files(overwrite)?;
        let (results, ended) = study.run(overwrite, &control.interrupt, control, |_| ());
        let written = match results.levels.is_empty() {
            true => Vec::new(),
            false => files.write(&study, &results)?,
        };
        ended?;
        Ok((serde_json::to_string(&results).unwrap_or_default(), written))
    })
}
