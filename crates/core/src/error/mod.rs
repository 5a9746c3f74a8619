//! The error type of zeroset. Each variant corresponds to one exit code of the program.
//!
//! Each message says what is wrong, where, what was found, and what to do. A reader returns a
//! [`Flaw`], which has no file name. The code that opened the file adds the name. Errors from other
//! crates and from the system are available through [`std::error::Error::source`].

mod device;
mod flaw;
mod position;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;
use std::path::{Path, PathBuf};

pub use device::DeviceFault;
pub use flaw::{Flaw, FlawKind};
pub use position::{Element, Position};
use text::and_then;
pub use text::{STANDARD_INPUT, in_place, plain, shown};

/// A result whose error type is [`enum@Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error that caused another one, if any.
pub type Cause = Option<Box<dyn std::error::Error + Send + Sync>>;

/// All errors, grouped by who can fix them.
///
/// The text of an error says what is wrong and what to do.
///
/// ```
/// use zeroset_core::Error;
/// let error = Error::usage("patch_size 5 is too small", "use at least 8");
/// assert!(error.to_string().contains("use at least 8"));
/// assert_eq!(error.exit_code(), 2);
/// ```
#[derive(Debug)]
pub enum Error {
    /// The command line or the case file requests something that does not exist or is impossible
    /// (exit code 2).
    Case {
        /// The case file, or `None` for the command line.
        file: Option<PathBuf>,
        /// The line of the wrong key or value, counted from 1.
        line: Option<usize>,
        /// The description, with what was expected and found.
        what: String,
        /// The remedy, which may be empty.
        remedy: String,
        /// The error that caused this one.
        cause: Cause,
    },
    /// An input file cannot be used (exit code 3).
    Input {
        /// The file.
        file: PathBuf,
        /// The defect and its position.
        flaw: Flaw,
    },
    /// A mesh cannot be used, whether it was read or generated (exit code 3).
    Mesh(Flaw),
    /// The computation failed: a value is NaN, or an iteration does not converge (exit code 4).
    Numerical {
        /// The description, with the step and the vertex or cell.
        what: String,
        /// The remedy, which may be empty.
        remedy: String,
    },
    /// The requested device is missing, too small, or fails (exit code 5).
    Device {
        /// The reason.
        fault: DeviceFault,
        /// The description, with what is needed and what is available.
        what: String,
        /// The remedy, which may be empty.
        remedy: String,
        /// The error that caused this one.
        cause: Cause,
    },
    /// A result cannot be written (exit code 6).
    Output {
        /// The file or folder.
        file: PathBuf,
        /// The description.
        what: String,
        /// The remedy, which may be empty.
        remedy: String,
        /// The error that caused this one.
        cause: Cause,
    },
    /// The user interrupted the run (exit code 130).
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Case { file, line, what, remedy, .. } => {
                write!(f, "{}{what}{}", in_place(file, line), and_then(remedy))
            }
            Error::Input { file, flaw } => write!(f, "{}: {flaw}", shown(file)),
            Error::Mesh(flaw) => write!(f, "mesh: {flaw}"),
            Error::Numerical { what, remedy } => {
                write!(f, "numerical failure: {what}{}", and_then(remedy))
            }
            Error::Device { what, remedy, .. } => {
                write!(f, "device: {what}{}", and_then(remedy))
            }
            Error::Output { file, what, remedy, .. } => {
                write!(f, "{}: {what}{}", file.display(), and_then(remedy))
            }
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {
    /// Returns the cause, if any. A flaw itself is not a cause, because the message of the error
    /// already contains its text.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Input { flaw, .. } | Error::Mesh(flaw) => flaw.cause(),
            Error::Case { cause, .. }
            | Error::Device { cause, .. }
            | Error::Output { cause, .. } => {
                cause.as_ref().map(|cause| &**cause as &(dyn std::error::Error + 'static))
            }
            Error::Numerical { .. } | Error::Interrupted => None,
        }
    }
}

impl Error {
    /// Returns the exit code of the program for this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Case { .. } => 2,
            Error::Input { .. } | Error::Mesh { .. } => 3,
            Error::Numerical { .. } => 4,
            Error::Device { .. } => 5,
            Error::Output { .. } => 6,
            Error::Interrupted => 130,
        }
    }

    /// Creates an error about the command line or an option.
    pub fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (what, remedy) = (what.into(), remedy.into());
        Error::Case { file: None, line: None, what, remedy, cause: None }
    }

    /// Creates an error about a case file, with the line if it is known.
    pub fn case(
        file: &Path,
        line: Option<usize>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (file, what, remedy) = (Some(file.to_path_buf()), what.into(), remedy.into());
        Error::Case { file, line, what, remedy, cause: None }
    }

    /// Creates an error about a damaged input file.
    pub fn input(
        file: &Path,
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Flaw::at(position, what, remedy).in_file(file)
    }

    /// Creates an error about a file that cannot be written.
    pub fn output(file: &Path, what: impl fmt::Display, remedy: impl Into<String>) -> Self {
        let (file, what, remedy) = (file.to_path_buf(), what.to_string(), remedy.into());
        Error::Output { file, what, remedy, cause: None }
    }

    /// Creates an error about a mesh that cannot be used.
    pub fn mesh(
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Mesh(Flaw::at(position, what, remedy))
    }

    /// Creates an error about a device that failed.
    pub fn device(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::device_fault(DeviceFault::Failed, what, remedy)
    }

    /// Creates an error about a device, with the given reason.
    pub fn device_fault(
        fault: DeviceFault,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Device { fault, what: what.into(), remedy: remedy.into(), cause: None }
    }

    /// Sets the error that caused this one, if the variant stores a cause.
    pub fn because(self, by: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let by = Some(by.into());
        match self {
            Error::Case { file, line, what, remedy, .. } => {
                Error::Case { file, line, what, remedy, cause: by }
            }
            Error::Device { fault, what, remedy, .. } => {
                Error::Device { fault, what, remedy, cause: by }
            }
            Error::Output { file, what, remedy, .. } => {
                Error::Output { file, what, remedy, cause: by }
            }
            other => other,
        }
    }

    /// Converts an [`Error::Case`] without a file and a line into an error about the file `path`,
    /// from which the data were read. Other errors are returned unchanged.
    pub fn blaming(self, path: &Path) -> Self {
        match self {
            Error::Case { file: None, line: None, what, remedy, .. } => {
                Error::input(path, Position::Whole, what, remedy)
            }
            other => other,
        }
    }

    /// Adds the name of the file to a mesh error. Other errors are returned unchanged.
    pub fn in_file(self, file: &Path) -> Self {
        match self {
            Error::Mesh(flaw) => flaw.in_file(file),
            other => other,
        }
    }
}
