//! The one error type. Each variant is one exit code of the command line; each message says
//! what is wrong, where, what was found, and what to do.

use std::path::{Path, PathBuf};

/// Result with the crate's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, grouped by who can mend it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line or the case file asks for something that does not exist or cannot be
    /// (exit code 2).
    #[error("{}{what}{}", in_place(.file, .line), and_then(.remedy))]
    Case {
        /// Case file; `None` for the command line.
        file: Option<PathBuf>,
        /// One-based line of the wrong key or value.
        line: Option<usize>,
        /// What is wrong, with expected and found.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// An input file cannot serve (exit code 3).
    #[error("{}: {}{what}{}", shown(.file), at(.position), and_then(.remedy))]
    Input {
        /// The file.
        file: PathBuf,
        /// "line 12", "byte 4096", "face 7"; empty if the whole file is meant.
        position: String,
        /// What is wrong, with expected and found.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// A mesh cannot serve, whatever file or generator it came from (exit code 3).
    #[error("mesh: {}{what}{}", at(.element), and_then(.remedy))]
    Mesh {
        /// "vertex 12", "cell 7"; empty if the whole mesh is meant.
        element: String,
        /// What is wrong, with expected and found.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// The computation broke down: not a number, no convergence (exit code 4).
    #[error("numerical failure: {what}{}", and_then(.remedy))]
    Numerical {
        /// What happened, in which step, at which vertex or cell.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// The device asked for is missing or too small (exit code 5).
    #[error("device: {what}{}", and_then(.remedy))]
    Device {
        /// What is missing, with needed and available.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// A result cannot be written (exit code 6).
    #[error("{}: {what}{}", .file.display(), and_then(.remedy))]
    Output {
        /// The file or folder.
        file: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do about it; may be empty.
        remedy: String,
    },
    /// The user interrupted the run (exit code 130).
    #[error("interrupted")]
    Interrupted,
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
        Error::Case { file: None, line: None, what: what.into(), remedy: remedy.into() }
    }

    /// A file that cannot be read as what it claims to be.
    pub fn input(
        file: &Path,
        position: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Input {
            file: file.to_path_buf(),
            position: plain(position.into()),
            what: plain(what.into()),
            remedy: plain(remedy.into()),
        }
    }

    /// A file that cannot be written.
    pub fn output(file: &Path, what: impl std::fmt::Display, remedy: impl Into<String>) -> Self {
        Error::Output { file: file.to_path_buf(), what: what.to_string(), remedy: remedy.into() }
    }

    /// A mesh that cannot serve.
    pub fn mesh(
        element: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Mesh {
            element: plain(element.into()),
            what: plain(what.into()),
            remedy: plain(remedy.into()),
        }
    }

    /// A device that is missing, too small, or fails.
    pub fn device(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::Device { what: what.into(), remedy: remedy.into() }
    }

    /// Names the file at fault for an error in what was made of it, without a place so far; others pass unchanged.
    pub fn blaming(self, path: &Path) -> Self {
        match self {
            Error::Case { file: None, line: None, what, remedy } => {
                Error::input(path, "", what, remedy)
            }
            other => other,
        }
    }

    /// Names the file a mesh error came from; other errors pass unchanged.
    pub fn in_file(self, file: &Path) -> Self {
        match self {
            Error::Mesh { element, what, remedy } => Error::input(file, element, what, remedy),
            other => other,
        }
    }
}

/// What the system calls standard input, for which `-` stands on the command line.
pub const STANDARD_INPUT: &str = "/dev/stdin";

/// A file as messages name it.
pub fn shown(file: &Path) -> std::path::Display<'_> {
    let is_stream = file.as_os_str() == STANDARD_INPUT;
    if is_stream { Path::new("standard input").display() } else { file.display() }
}

/// Text that may quote a file, as one line for a screen: no control characters, cut where it is
/// too long to be read.
pub fn plain(text: String) -> String {
    const MOST: usize = 600;
    if text.len() <= MOST && !text.contains(char::is_control) {
        return text;
    }
    let long = text.chars().count() > MOST;
    let shown = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c });
    shown.chain(long.then_some("...").into_iter().flat_map(str::chars)).collect()
}

/// "case.toml:8: "
pub fn in_place(file: &Option<PathBuf>, line: &Option<usize>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!("{}:{line}: ", file.display()),
        (Some(file), None) => format!("{}: ", file.display()),
        (None, _) => String::new(),
    }
}

fn at(position: &str) -> String {
    if position.is_empty() { String::new() } else { format!("{position}: ") }
}

fn and_then(remedy: &str) -> String {
    if remedy.is_empty() { String::new() } else { format!("; {remedy}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_from_a_file_stays_one_line() {
        let name = "a\nb\u{1b}[31m".to_string() + &"x".repeat(5000);
        for error in [
            Error::input(Path::new("a.ply"), name.clone(), name.clone(), ""),
            Error::mesh(name.clone(), name, "").in_file(Path::new("a.ply")),
        ] {
            let text = error.to_string();
            assert!(text.starts_with("a.ply: a b [31mxxx"), "{text}");
            assert!(!text.contains(char::is_control) && text.len() < 1_300, "{}", text.len());
        }
        assert_eq!(plain("as it is".into()), "as it is");
        let error = Error::input(Path::new(STANDARD_INPUT), "line 2", "a number expected", "");
        assert_eq!(error.to_string(), "standard input: line 2: a number expected");
    }
}
