//! Atomic file writes: a file is written under a temporary name and then renamed.

mod appear;
mod complete;
mod destination;
mod journal;
mod temporary;
mod temporary_folder;

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::error::{Error, Result};
use appear::appear;
use complete::Complete;
pub use destination::{check_folder, is_same_file};
pub use journal::{Journal, Keeping, keep};
pub use temporary::in_the_making;
pub use temporary_folder::TemporaryFolder;

/// The temporary files that are being written, and the folders registered with them. A program that
/// exits early removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

thread_local! {
    /// The complete files that wait for the end of [`together`] or [`companions`] on this thread.
    static WAITING: RefCell<Option<Vec<Complete>>> = const { RefCell::new(None) };
}

/// Returns the folder that contains `path`.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the file `path` with `body`. If anything fails, an existing file is left unchanged.
///
/// # Errors
/// Returns [`Error::Output`] with the name of the file if its folder does not exist or is not
/// writable, if the disk is full, if `path` exists and is not a regular file or is write-protected,
/// or if `path` is a link that leads in a circle.
pub fn write(path: &Path, body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    appear_or_wait(vec![Complete::write(path, body)?])
}

/// Writes the file `path` like [`write()`], but `work` gets the name of a temporary file, which it
/// may open, change and close repeatedly.
///
/// # Errors
/// Returns the errors of `work` and of [`write()`].
pub fn write_by_name(path: &Path, work: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    appear_or_wait(vec![Complete::write_by_name(path, work)?])
}

/// Writes a file whose name the user did not give, such as the data file of a header. `body` writes
/// the contents. Unlike [`write()`], the function never replaces an existing file: if one exists,
/// it must have the same contents as the new one.
///
/// # Errors
/// Returns the errors of [`write()`], and [`Error::Output`] if the file exists with other contents.
pub fn write_companion(
    path: &Path,
    body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    companions(|| write(path, body))
}

/// Runs `work`, and treats all files that it writes on this thread like files written by
/// [`write_companion`]. The files appear together.
///
/// # Errors
/// Returns the errors of `work`, and [`Error::Output`] if one of the files exists with other
/// contents or cannot be renamed.
pub fn companions<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (done, files) = waiting(work)?;
    let mut fresh = Vec::with_capacity(files.len());
    for file in files {
        if std::fs::symlink_metadata(&file.path).is_err() {
            fresh.push(Complete { replaces: false, ..file });
        } else if !file.equals_existing() {
            return Err(in_the_way(&file.path));
        }
    }
    appear_or_wait(fresh)?;
    Ok(done)
}

/// Returns the error for an existing file that a command must not replace, because its name is
/// derived from another one and was not given by the user.
pub fn in_the_way(path: &Path) -> Error {
    let what = "exists, and this command did not create it";
    Error::output(path, what, "move or remove it, or choose another name for the result")
}

/// Runs `work`, and makes the files that it writes on this thread appear together when it ends: all
/// of them, or none if `work` fails or a file cannot be renamed. The first file is the main file.
/// It does not exist while the others are replaced, so a killed program never leaves it next to
/// files of another result.
///
/// # Errors
/// Returns the errors of `work`, and [`Error::Output`] if a file cannot be renamed.
pub fn together<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (done, files) = waiting(work)?;
    appear_or_wait(files)?;
    Ok(done)
}

/// Runs `work` and returns its result and the files that it has written on this thread. The files
/// still have their temporary names.
fn waiting<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Vec<Complete>)> {
    let outer = WAITING.replace(Some(Vec::new()));
    let done = work();
    let files = WAITING.replace(outer).unwrap_or_default();
    Ok((done?, files))
}

/// Makes files appear now or, if [`together`] or [`companions`] is running on this thread, when it
/// ends.
fn appear_or_wait(files: Vec<Complete>) -> Result<()> {
    let files = WAITING.with_borrow_mut(|waiting| match waiting {
        Some(waiting) => {
            waiting.extend(files);
            Vec::new()
        }
        None => files,
    });
    appear(files)
}

/// The registration of a temporary file or a folder for removal by [`abandon`]. It ends when this
/// value is dropped.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Registers a file or a folder for removal if the program exits early. A folder is removed
    /// only if it is empty. Register a folder after the folders that it contains.
    pub fn note(path: PathBuf) -> Self {
        unfinished().push(path.clone());
        Unfinished(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files, the registered folders that are empty, and every
/// [`TemporaryFolder`]. Call this function only before an early exit. Every later attempt to write
/// a file blocks until the program exits.
///
/// The function does not allocate memory unless there is a [`TemporaryFolder`]. It tries to take
/// the lock of the files 50 times, one millisecond apart, and then gives up, because the caller may
/// hold the lock.
pub fn abandon() {
    abandon_files();
    temporary_folder::abandon();
}

fn abandon_files() {
    for _ in 0..50 {
        let files = match UNFINISHED.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(files)) => files.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        // There is nothing else to do if a file cannot be removed. Folders are removed if they are
        // empty.
        for file in files.iter() {
            let _ = std::fs::remove_file(file);
        }
        for folder in files.iter() {
            let _ = std::fs::remove_dir(folder);
        }
        std::mem::forget(files);
        return;
    }
}

#[cfg(all(test, unix))]
mod tests;
