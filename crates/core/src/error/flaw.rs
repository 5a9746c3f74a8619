//! What is wrong with a file or a mesh, told by a reader that does not know the file's name.

use std::fmt;
use std::path::{Path, PathBuf};

use super::text::{and_then, plain};
use super::{Cause, DeviceFault, Error, Position};

/// What sort of flaw it is: who can mend it, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FlawKind {
    /// The system does not give the bytes: the file is missing, it may not be read, the disk fails.
    /// The cause is the [`std::io::Error`].
    Unreadable,
    /// There is no memory for the bytes.
    NoMemory,
    /// The format, its version or a variant of it is none of those that are read.
    Unsupported,
    /// What is there contradicts the format or itself, or is cut short.
    Damaged,
    /// What is there is sound, but not what is asked for: a mesh where a volume is needed.
    Unfit,
    /// The options ask for something that the file does not hold.
    Asked,
}

/// What is wrong, as a sentence or as what was expected and what was found.
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

/// What is wrong with a file or a mesh: where, what was expected and found, what to do, and why.
///
/// Readers return it. Whoever opened the file names it with [`Flaw::in_file`], once.
#[derive(Debug)]
pub struct Flaw(Box<Parts>);

/// Boxed, so that the results of small readers stay small.
#[derive(Debug)]
struct Parts {
    kind: FlawKind,
    position: Position,
    what: What,
    remedy: String,
    /// Another file than the one that is read, which names it.
    file: Option<PathBuf>,
    cause: Cause,
}

impl Flaw {
    /// A flaw of what lies at `position`: [`FlawKind::Damaged`], unless told otherwise.
    pub fn at(
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let what = What::Said(plain(what.into()));
        Flaw::of(position.into(), what, remedy.into())
    }

    /// A flaw of the whole file or mesh.
    pub fn whole(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Flaw::at(Position::Whole, what, remedy)
    }

    /// Something else at `position` than what is expected there.
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

    /// With the kind told.
    pub fn kind_of(mut self, kind: FlawKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// With the error that led to it.
    pub fn because(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// At another place.
    pub fn moved_to(mut self, position: impl Into<Position>) -> Self {
        self.0.position = position.into();
        self
    }

    /// With another remedy.
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.0.remedy = plain(remedy.into());
        self
    }

    /// With more said behind what is wrong.
    pub fn adding(mut self, more: &str) -> Self {
        self.0.what = What::Said(plain(format!("{}{more}", self.0.what)));
        self
    }

    /// Of another file than the one that is read, such as one that it names. A file that was named
    /// before stays.
    pub fn of_file(mut self, file: &Path) -> Self {
        self.0.file.get_or_insert_with(|| file.to_path_buf());
        self
    }

    /// The error of the file that was read, or of the other one that the flaw names.
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

    /// What sort of flaw it is.
    pub fn kind(&self) -> FlawKind {
        self.0.kind
    }

    /// Where it is.
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// What is wrong, in words.
    pub fn what(&self) -> String {
        self.0.what.to_string()
    }

    /// What belongs there, where the flaw is that something else does.
    pub fn wanted(&self) -> Option<&str> {
        match &self.0.what {
            What::Expected { expected, .. } => Some(expected),
            What::Said(_) => None,
        }
    }

    /// What is there instead of what is [`Flaw::wanted`].
    pub fn found(&self) -> Option<&str> {
        match &self.0.what {
            What::Expected { found, .. } => Some(found),
            What::Said(_) => None,
        }
    }

    /// What to do about it; may be empty.
    pub fn remedy(&self) -> &str {
        &self.0.remedy
    }

    /// The error that led to it.
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
