//! Temporary folders, which are removed with their content even if the program ends early.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::error::{Error, Result};

/// The paths of all temporary folders that exist.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary folder. It is removed with its content when this value is dropped, and by
/// [`abandon`](super::abandon).
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder with a random name in the folder `within`.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the folder cannot be created.
    pub fn new(within: &Path) -> Result<Self> {
        // The lock is taken first, so that no early exit can miss the folder.
        let mut folders = lock();
        let mut builder = tempfile::Builder::new();
        builder.prefix(".zeroset-").rand_bytes(8);
        let made = builder.tempdir_in(within).map_err(|e| {
            let what = format!("cannot create a temporary folder: {e}");
            Error::output(within, what, "check the folder's permissions").because(e)
        })?;
        // From here on, this value removes the folder.
        let path = made.keep();
        folders.push(path.clone());
        Ok(TemporaryFolder(path))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let mut folders = lock();
        // An error cannot be reported here.
        let _ = std::fs::remove_dir_all(&self.0);
        folders.retain(|path| *path != self.0);
    }
}

/// Removes all temporary folders before an early exit of the program.
pub(super) fn abandon() {
    for _ in 0..2000 {
        let folders = match FOLDERS.try_lock() {
            Ok(folders) => folders,
            Err(TryLockError::Poisoned(folders)) => folders.into_inner(),
            // Another thread is creating or removing a folder.
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        for folder in folders.iter() {
            let _ = std::fs::remove_dir_all(folder);
        }
        std::mem::forget(folders);
        return;
    }
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_with_its_content() {
        let place = tempfile::tempdir().unwrap();
        let folder = TemporaryFolder::new(place.path()).unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        std::fs::write(folder.path().join("inner/file"), "text").unwrap();
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists() && place.path().is_dir());
        assert_eq!(TemporaryFolder::new(&path).unwrap_err().exit_code(), 6);
    }
}
