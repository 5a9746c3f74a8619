//! Exceptions for the errors of the library.

use std::any::Any;

use pyo3::create_exception;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use zeroset::Error;

create_exception!(
    zeroset,
    NumericalError,
    PyRuntimeError,
    "A computation failed: a value is NaN, or an iteration does not converge."
);
create_exception!(
    zeroset,
    DeviceError,
    PyRuntimeError,
    "The requested device is missing, too small, or fails."
);

/// Returns the exception for an error, with the text that the command line prints.
pub fn raised(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Case { .. } | Error::Mesh(_) => PyValueError::new_err(text),
        Error::Input { .. } | Error::Output { .. } => PyOSError::new_err(text),
        Error::Numerical { .. } => NumericalError::new_err(text),
        Error::Device { fault, .. } if fault.is_memory() => PyMemoryError::new_err(text),
        Error::Device { .. } => DeviceError::new_err(text),
        Error::Interrupted => PyKeyboardInterrupt::new_err(text),
    }
}

/// Returns the exception for a panic, so that it never ends the interpreter.
pub fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown cause");
    PyRuntimeError::new_err(format!("zeroset failed because of a defect: {text}; please report it"))
}
