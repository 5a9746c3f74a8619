//! Defects in files and meshes, reported by readers that do not know the name of the file.

use std::fmt;
use std::path::{Path, PathBuf};

use super::text::{and_then, plain};
use super::{Cause, DeviceFault, Error, Position};

/// The kind of a flaw, which determines who can fix it and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FlawKind {
    /// The system cannot read the file: it is missing, access is denied, or the disk fails. The
    /// cause is the [`std::io::Error`].
    Unreadable,
    /// There is not enough memory for the data.
    NoMemory,
    /// The format, its version or its variant is not supported.
    Unsupported,
    /// The data contradict the format or themselves, or they end too early.
    Damaged,
    /// The data are valid but not of the required kind, for example a mesh where a volume is
    /// needed.
    Unfit,
    /// The options request something that the file does not contain.
    Asked,
}

/// The description of a flaw: a sentence, or what was expected and what was found.
#[derive(Clone, Debug)]
enum What {
    Said(String),
    Expected { expected: String, found: String },
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            What::Said(what) => f.write_str(what),
            What::Expected { expected, found } => write!(f, "{expected} expected, found {found}"),
        }
    }
}

/// A defect in a file or a mesh: its position, what was expected and found, the remedy and the
/// cause.
///
/// Readers return flaws without a file name. The code that opened the file adds the name once, with
/// [`Flaw::in_file`].
#[derive(Debug)]
pub struct Flaw(Box<Parts>);

/// The contents of a [`Flaw`]. They are boxed to keep the results of small readers small.
#[derive(Debug)]
struct Parts {
    kind: FlawKind,
    position: Position,
    what: What,
    remedy: String,
    /// The file with the flaw, if it is not the file being read but a file that it refers to.
    file: Option<PathBuf>,
    cause: Cause,
}

impl Flaw {
    /// Creates a flaw at `position`. Its kind is [`FlawKind::Damaged`] until [`Flaw::kind_of`]
    /// changes it.
    pub fn at(
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let what = What::Said(plain(what.into()));
        Flaw::of(position.into(), what, remedy.into())
    }

    /// Creates a flaw that concerns the whole file or mesh.
    pub fn whole(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Flaw::at(Position::Whole, what, remedy)
    }

    /// Creates a flaw at `position` from what was expected and what was found.
    pub fn expected(
        position: impl Into<Position>,
        expected: impl Into<String>,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let (expected, found) = (plain(expected.into()), plain(found.into()));
        Flaw::of(position.into(), What::Expected { expected, found }, remedy.into())
    }

    fn of(position: Position, what: What, remedy: String) -> Self {
        let position = match position {
            Position::Part(name) => Position::Part(plain(name)),
            other => other,
        };
        let (kind, remedy) = (FlawKind::Damaged, plain(remedy));
        Flaw(Box::new(Parts { kind, position, what, remedy, file: None, cause: None }))
    }

    /// Sets the kind.
    pub fn kind_of(mut self, kind: FlawKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Sets the error that caused the flaw.
    pub fn because(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Sets the position.
    pub fn moved_to(mut self, position: impl Into<Position>) -> Self {
        self.0.position = position.into();
        self
    }

    /// Sets the remedy.
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy = plain(remedy.into());
        self
    }

    /// Appends `more` to the description.
    pub fn adding(mut self, more: &str) -> Self {
        self.0.what = What::Said(plain(format!("{}{more}", self.0.what)));
        self
    }

    /// Sets the file with the flaw. This is needed if the file being read refers to another file,
    /// and the flaw is in that file. A file that is already set is kept.
    pub fn of_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// Converts the flaw into an error about `file`, or about the file set by [`Flaw::of_file`].
    pub fn in_file(mut self, file: &Path) -> Error {
        let file = self.0.file.take().unwrap_or_else(|| file.to_path_buf());
        let named = |what: &What| format!("{}: {what}", file.display());
        match self.0.kind {
            FlawKind::NoMemory => {
                let fault = DeviceFault::Memory { needed: None, free: None };
                let Parts { what, remedy, cause, .. } = *self.0;
                Error::Device { fault, what: named(&what), remedy, cause }
            }
            FlawKind::Asked => {
                let Parts { what, remedy, cause, .. } = *self.0;
                Error::Case { file: None, line: None, what: named(&what), remedy, cause }
            }
            _ => Error::Input { file, flaw: self },
        }
    }

    /// Returns the kind.
    pub fn kind(&self) -> FlawKind {
        self.0.kind
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// Returns the description.
    pub fn what(&self) -> String {
        self.0.what.to_string()
    }

    /// Returns what was expected, if the flaw was created by [`Flaw::expected`].
    pub fn wanted(&self) -> Option<&str> {
        match &self.0.what {
            What::Expected { expected, .. } => Some(expected),
            What::Said(_) => None,
        }
    }

    /// Returns what was found, if the flaw was created by [`Flaw::expected`].
    pub fn found(&self) -> Option<&str> {
        match &self.0.what {
            What::Expected { found, .. } => Some(found),
            What::Said(_) => None,
        }
    }

    /// Returns the remedy, which may be empty.
    pub fn remedy(&self) -> &str {
        &self.0.remedy
    }

    /// Returns the error that caused the flaw, if any.
    pub fn cause(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_ref().map(|cause| &**cause as &(dyn std::error::Error + 'static))
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Parts { position, what, remedy, .. } = &*self.0;
        if !position.is_whole() {
            write!(f, "{position}: ")?;
        }
        write!(f, "{what}{}", and_then(remedy))
    }
}

impl std::error::Error for Flaw {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause()
    }
}
