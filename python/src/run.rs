//! Runs and checks of case files.

use std::path::PathBuf;

use pyo3::prelude::*;
use zeroset::api::Control;
use zeroset::config::Config;
use zeroset::error::Result;
use zeroset::output::Status;
use zeroset::run::{Options, check_all};

use crate::work;

/// Runs a case. Returns the report as JSON, the folder, whether the run was interrupted, and
/// whether it can be resumed.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    case: PathBuf,
    overrides: Vec<String>,
    folder: Option<PathBuf>,
    overwrite: bool,
    resume: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, PathBuf, bool, bool)> {
    work::run_to_a_stop(py, progress.as_ref(), |control: &Control| -> Result<_> {
        let config = Config::load(&case, &overrides)?;
        let options = Options::new(&control.interrupt, control)
            .into_folder(folder, overwrite)
            .resuming(resume);
        let outcome = zeroset::run::run(&config, &options)?;
        let report = serde_json::to_string(&outcome.report).unwrap_or_default();
        let interrupted = outcome.report.status == Status::Interrupted;
        Ok((report, outcome.folder, interrupted, outcome.resumable))
    })
}

/// Checks a case. Returns the plan of the run, and the problems.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    case: PathBuf,
    overrides: Vec<String>,
    folder: Option<PathBuf>,
    overwrite: bool,
) -> PyResult<(String, Vec<String>)> {
    work::run(py, None, |_| {
        let config = Config::load(&case, &overrides)?;
        let found = check_all(&config, folder.as_deref(), overwrite);
        Ok((found.plan, found.problems.iter().map(ToString::to_string).collect()))
    })
}
