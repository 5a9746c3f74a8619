//! Records of the files that appear in a folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A record of the files that this process writes into a folder. Another process can read the
/// record after a crash.
pub trait Journal: Send + Sync {
    /// Records the name of a temporary file that is about to be created.
    ///
    /// # Errors
    /// Returns the error if the record cannot be written.
    fn begins(&self, name: &str) -> std::io::Result<()>;

    /// Records the name, size and BLAKE3 hash of a file that is about to appear.
    ///
    /// # Errors
    /// Returns the error if the record cannot be written.
    fn appears(&self, name: &str, size: u64, hash: blake3::Hash) -> std::io::Result<()>;
}

/// The journals of this process, each with its folder.
static KEPT: Mutex<Vec<(PathBuf, Arc<dyn Journal>)>> = Mutex::new(Vec::new());

/// A guard that keeps a journal registered until it is dropped.
#[must_use]
pub struct Keeping(PathBuf);

impl std::fmt::Debug for Keeping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keeping({})", self.0.display())
    }
}

/// Registers a journal for `folder`, which must exist. The journal then records all files that
/// [`write`](super::write) creates in the folder.
pub fn keep(folder: &Path, journal: Arc<dyn Journal>) -> Keeping {
    let folder = whole(folder);
    kept().push((folder.clone(), journal));
    Keeping(folder)
}

impl Drop for Keeping {
    fn drop(&mut self) {
        kept().retain(|(folder, _)| *folder != self.0);
    }
}

/// Returns the journal of a folder, if there is one.
pub(super) fn of(folder: &Path) -> Option<Arc<dyn Journal>> {
    let kept = kept();
    if kept.is_empty() {
        return None;
    }
    let folder = whole(folder);
    kept.iter().find(|(other, _)| *other == folder).map(|(_, journal)| journal.clone())
}

fn whole(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf())
}

fn kept() -> MutexGuard<'static, Vec<(PathBuf, Arc<dyn Journal>)>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}
