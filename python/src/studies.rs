//! Comparisons of results, convergence studies, and batches.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroset::api::Control;
use zeroset::batch::{Batch, Inputs, Options, Shard};
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

/// Runs a case for each row of a table. Returns the records of the rows as JSON, and the number of
/// shards that are not complete.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn batch(
    py: Python<'_>,
    case: PathBuf,
    table: PathBuf,
    overrides: Vec<String>,
    folder: Option<PathBuf>,
    name: Option<String>,
    jobs: Option<usize>,
    shard: Option<String>,
    resume: bool,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, usize)> {
    let shard: Option<Shard> = shard
        .map(|text| text.parse())
        .transpose()
        .map_err(|what: String| PyValueError::new_err(format!("shard: {what}")))?;
    work::run_to_a_stop(py, progress.as_ref(), |control: &Control| {
        let mut inputs = Inputs::new(case, table);
        inputs.overrides = overrides;
        (inputs.folder, inputs.name, inputs.shard) = (folder, name, shard);
        let batch = Batch::new(&inputs)?;
        let mut options = Options::new(&control.interrupt, control);
        options.jobs = jobs;
        (options.resume, options.overwrite) = (resume, overwrite);
        let done = batch.run(&options, |_| ())?;
        let rows = serde_json::to_string(&done.rows).unwrap_or_default();
        Ok((rows, done.missing_shards))
    })
}
