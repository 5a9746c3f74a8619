//! The command line, and the devices of this machine.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use zeroset::gpu::{Reason, available};

/// Runs the command line. The first word is the name of the program. Returns the exit code.
#[pyfunction]
pub fn main(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| zeroset::cli::main_from(words))
}

/// Returns the GPUs that can be used, and the reason why others cannot be used.
#[pyfunction]
pub fn devices<'py>(py: Python<'py>) -> PyResult<(Bound<'py, PyList>, String)> {
    let found = PyList::empty(py);
    for ordinal in 0.. {
        match available(ordinal) {
            Ok(gpu) => {
                let entry = PyDict::new(py);
                entry.set_item("gpu", gpu.ordinal)?;
                entry.set_item("name", gpu.name)?;
                entry.set_item("capability", gpu.capability)?;
                entry.set_item("memory", gpu.memory)?;
                found.append(entry)?;
            }
            // An unusable GPU does not hide the next one.
            Err(Reason::TooOld { .. }) => {}
            Err(reason) => return Ok((found, reason.to_string())),
        }
    }
    Ok((found, String::new()))
}
