//! Files that are completely written under a temporary name.

use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::NamedTempFile;

use super::destination::destination;
use super::journal::{self, Journal};
use super::temporary::temporary;
use super::{Unfinished, folder_of, unfinished};
use crate::error::{Error, Result};

/// A file that is completely written under a temporary name.
pub(super) struct Complete {
    pub path: PathBuf,
    /// The file that `path` leads to after following links.
    pub target: PathBuf,
    pub file: NamedTempFile,
    pub made: Unfinished,
    /// Whether an existing file may be replaced.
    pub replaces: bool,
    /// The journal of the folder, and the hasher that received the contents of the file.
    pub journal: Option<(Arc<dyn Journal>, blake3::Hasher)>,
}

impl Complete {
    /// Writes a file with `body`, under a temporary name next to the file that `path` leads to.
    pub fn write(
        path: &Path,
        body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Self> {
        let fail = |e| fail(path, e);
        let Begun { target, file, made, journal } = Begun::new(path)?;
        let hasher = journal.is_some().then(blake3::Hasher::new);
        let mut writer = BufWriter::with_capacity(1 << 20, Hashed { file, hasher });
        body(&mut writer).map_err(fail)?;
        let Hashed { file, hasher } = writer.into_inner().map_err(|e| fail(e.into_error()))?;
        file.as_file().sync_data().map_err(fail)?;
        let journal = journal.zip(hasher);
        Ok(Complete { path: path.to_path_buf(), target, file, made, replaces: true, journal })
    }

    /// Creates a file next to the file that `path` leads to, and lets `work` write it under its
    /// temporary name.
    pub fn write_by_name(path: &Path, work: impl FnOnce(&Path) -> Result<()>) -> Result<Self> {
        let fail = |e| fail(path, e);
        let Begun { target, file, made, journal } = Begun::new(path)?;
        work(file.path())?;
        file.as_file().sync_data().map_err(fail)?;
        let hasher = || -> std::io::Result<blake3::Hasher> {
            let (mut hasher, mut part) = (blake3::Hasher::new(), vec![0; 1 << 16]);
            let mut written = std::fs::File::open(file.path())?;
            loop {
                match written.read(&mut part)? {
                    0 => return Ok(hasher),
                    n => drop(hasher.update(&part[..n])),
                }
            }
        };
        let journal = match journal {
            Some(journal) => Some((journal, hasher().map_err(fail)?)),
            None => None,
        };
        Ok(Complete { path: path.to_path_buf(), target, file, made, replaces: true, journal })
    }

    /// Returns true if the existing file has the same contents as the new one, and false if one of
    /// the files cannot be read.
    pub fn equals_existing(&self) -> bool {
        let same = || -> std::io::Result<bool> {
            let (mut a, mut b) =
                (std::fs::File::open(self.file.path())?, std::fs::File::open(&self.target)?);
            if a.metadata()?.len() != b.metadata()?.len() {
                return Ok(false);
            }
            let (mut one, mut other) = (vec![0; 1 << 16], vec![0; 1 << 16]);
            loop {
                let n = a.read(&mut one)?;
                if n == 0 {
                    return Ok(true);
                }
                b.read_exact(&mut other[..n])?;
                if one[..n] != other[..n] {
                    return Ok(false);
                }
            }
        };
        same().unwrap_or(false)
    }

    /// Returns the journal of the folder, if there is one.
    pub fn journal(&self) -> Option<&dyn Journal> {
        self.journal.as_ref().map(|(journal, _)| &**journal)
    }

    /// Records the file in the journal of its folder, if there is one.
    pub fn note(&self) -> std::io::Result<()> {
        let Some((journal, hasher)) = &self.journal else { return Ok(()) };
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        journal.appears(&name, self.file.as_file().metadata()?.len(), hasher.finalize())
    }
}

/// An empty file under a temporary name.
struct Begun {
    target: PathBuf,
    file: NamedTempFile,
    made: Unfinished,
    journal: Option<Arc<dyn Journal>>,
}

impl Begun {
    fn new(path: &Path) -> Result<Self> {
        let target = destination(path)?;
        let journal = journal::of(folder_of(&target));
        // The file is created and registered under one lock, so that `abandon` knows every
        // temporary file.
        let mut unfinished = unfinished();
        let file = temporary(&target, journal.as_deref()).map_err(|e| fail(path, e))?;
        let made = Unfinished(file.path().to_path_buf());
        unfinished.push(made.0.clone());
        Ok(Begun { target, file, made, journal })
    }
}

/// A file writer. If it has a hasher, it also hashes all bytes that it writes.
struct Hashed {
    file: NamedTempFile,
    hasher: Option<blake3::Hasher>,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&bytes[..n]);
        }
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Returns the error for a file that cannot be written.
pub(super) fn fail(path: &Path, e: std::io::Error) -> Error {
    let text = e.to_string();
    // The `tempfile` crate adds the name of the temporary file, which does not help the user.
    let cause = text.split(" at path \"").next().unwrap_or(&text);
    Error::output(
        path,
        cause,
        "check that the folder exists and is writable, and that the disk is not full",
    )
    .because(e)
}
