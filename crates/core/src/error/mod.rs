//! The one error type. Each variant is one exit code of the command line; each message says
//! what is wrong, where, what was found, and what to do.
//!
//! A reader returns a [`Flaw`], which has no file; whoever opened the file names it. The causes that
//! other crates and the system give are kept: [`std::error::Error::source`] has them.

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

/// Result with the crate's [`enum@Error`], or with another one.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error that led to another one, if there was any.
pub type Cause = Option<Box<dyn std::error::Error + Send + Sync>>;

/// Everything that can go wrong, grouped by who can mend it.
#[derive(Debug)]
pub enum Error {
    /// The command line or the case file asks for something that does not exist or cannot be
    /// (exit code 2).
    Case {
        /// Case file; `None` for the command line.
        file: Option<PathBuf>,
        /// One-based line of the wrong key or value.
        line: Option<usize>,
        /// What is wrong, with expected and found.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
        /// What led to it.
        cause: Cause,
    },
    /// An input file cannot serve (exit code 3).
    Input {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, and where.
        flaw: Flaw,
    },
    /// A mesh cannot serve, whatever file or generator it came from (exit code 3).
    Mesh(Flaw),
    /// The computation broke down: not a number, no convergence (exit code 4).
    Numerical {
        /// What happened, in which step, at which vertex or cell.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// The device asked for is missing or too small (exit code 5).
    Device {
        /// What it lacks.
        fault: DeviceFault,
        /// What is missing, with needed and available.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
        /// What led to it.
        cause: Cause,
    },
    /// A result cannot be written (exit code 6).
    Output {
        /// The file or folder.
        file: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
        /// What led to it.
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
    /// The cause. A flaw is no cause of its own: the message of the error has its words.
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
    /// Exit code of the command line for this error.
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

    /// A wrong word on the command line or in an option.
    pub fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (what, remedy) = (what.into(), remedy.into());
        Error::Case { file: None, line: None, what, remedy, cause: None }
    }

    /// What is wrong in a case file, at a line if one is known.
    pub fn case(
        file: &Path,
        line: Option<usize>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (file, what, remedy) = (Some(file.to_path_buf()), what.into(), remedy.into());
        Error::Case { file, line, what, remedy, cause: None }
    }

    /// A file that cannot be read as what it claims to be.
    pub fn input(
        file: &Path,
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Flaw::at(position, what, remedy).in_file(file)
    }

    /// A file that cannot be written.
    pub fn output(file: &Path, what: impl fmt::Display, remedy: impl Into<String>) -> Self {
        let (file, what, remedy) = (file.to_path_buf(), what.to_string(), remedy.into());
        Error::Output { file, what, remedy, cause: None }
    }

    /// A mesh that cannot serve.
    pub fn mesh(
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Mesh(Flaw::at(position, what, remedy))
    }

    /// A device that fails.
    pub fn device(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::device_fault(DeviceFault::Failed, what, remedy)
    }

    /// A device that is missing or too small, or what else the fault is.
    pub fn device_fault(
        fault: DeviceFault,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Device { fault, what: what.into(), remedy: remedy.into(), cause: None }
    }

    /// With the error that led to this one, where the variant keeps one.
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

    /// Names the file at fault for an error in what was made of it, without a place so far; others pass unchanged.
    pub fn blaming(self, path: &Path) -> Self {
        match self {
            Error::Case { file: None, line: None, what, remedy, .. } => {
                Error::input(path, Position::Whole, what, remedy)
            }
            other => other,
        }
    }

    /// Names the file a mesh error came from; other errors pass unchanged.
    pub fn in_file(self, file: &Path) -> Self {
        match self {
            Error::Mesh(flaw) => flaw.in_file(file),
            other => other,
        }
    }
}
