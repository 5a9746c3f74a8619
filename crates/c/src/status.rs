//! The result of a call, and the text of the last error.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

use zeroset::{Error, Result};

/// The result of a call. The values are the program's exit codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZerosetStatus {
    /// The call succeeded.
    Ok = 0,
    /// An argument cannot be used.
    Usage = 2,
    /// A file or a mesh cannot be used.
    Input = 3,
    /// The computation failed.
    Numerical = 4,
    /// The device is missing, or memory ran out.
    Device = 5,
    /// A file cannot be written.
    Output = 6,
    /// A defect of the library. Please report it.
    Defect = 70,
}

thread_local! {
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Returns the text of the last error of this thread, or NULL if the last call succeeded. The text
/// is UTF-8, and valid until the next call of this thread.
#[unsafe(no_mangle)]
pub extern "C" fn zeroset_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ref().map_or(null(), |text| text.as_ptr()))
}

/// Runs the body of a call, and keeps the text of its error.
pub(crate) fn call(body: impl FnOnce() -> Result<()>) -> ZerosetStatus {
    let (status, text) = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => (ZerosetStatus::Ok, None),
        Ok(Err(error)) => (of(&error), Some(error.to_string())),
        Err(panic) => (ZerosetStatus::Defect, Some(of_panic(&*panic))),
    };
    let text = text.and_then(|text| CString::new(text.replace('\0', " ")).ok());
    LAST.with_borrow_mut(|last| *last = text);
    status
}

fn of(error: &Error) -> ZerosetStatus {
    match error {
        Error::Case { .. } => ZerosetStatus::Usage,
        Error::Input { .. } | Error::Mesh(_) => ZerosetStatus::Input,
        Error::Device { .. } => ZerosetStatus::Device,
        Error::Output { .. } => ZerosetStatus::Output,
        Error::Numerical { .. } | Error::Interrupted => ZerosetStatus::Numerical,
    }
}

fn of_panic(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown cause");
    format!("zeroset failed because of a defect: {text}; please report it")
}
