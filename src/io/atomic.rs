//! Files that appear whole or not at all: written under a temporary name, then renamed.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::error::{Error, Result};

/// Files in the making, so that a program that ends at once can take them away.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Says whether a file can be made in the folder of `path`.
///
/// # Errors
/// [`Error::Output`]: no such folder, or it cannot be written to.
pub fn check_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    tempfile::tempfile_in(folder.unwrap_or(Path::new("."))).map(drop).map_err(|e| {
        let remedy = match e.kind() {
            std::io::ErrorKind::NotFound => "make the folder first",
            _ => "check the folder, its rights and space",
        };
        Error::output(path, format!("cannot write there: {e}"), remedy)
    })
}

/// Writes `path` through `body`; on any failure the old file, if there was one, stays.
///
/// # Errors
/// [`Error::Output`] naming the file: folder missing or not writable, disk full.
pub fn write(path: &Path, body: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let fail = |e: std::io::Error| {
        let text = e.to_string();
        // The name of the file in the making, which the crate adds, tells nobody anything.
        let cause = text.split(" at path \"").next().unwrap_or(&text);
        Error::output(path, cause, "check the folder, its rights and space")
    };
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    // Made and noted under one lock: none is made that `abandon` does not know.
    let mut unfinished = unfinished();
    let file = temporary().tempfile_in(folder).map_err(fail)?;
    let made = Unfinished(file.path().to_path_buf());
    unfinished.push(made.0.clone());
    drop(unfinished);
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    body(&mut writer).map_err(fail)?;
    let file = writer.into_inner().map_err(|e| fail(e.into_error()))?;
    file.as_file().sync_data().map_err(fail)?;
    file.persist(path).map_err(|e| fail(e.error))?;
    drop(made);
    Ok(())
}

/// A file in the making, noted until it is dropped.
#[derive(Debug)]
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Notes a file that is to go if the program ends at once.
    pub(crate) fn note(path: PathBuf) -> Self {
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

/// Removes all files in the making, for a program that ends at once; from now on every attempt to
/// write a file waits for that end.
///
/// It takes no memory, and gives up where the lock stays taken: the caller may hold it.
pub(crate) fn abandon() {
    for _ in 0..50 {
        let files = match UNFINISHED.try_lock() {
            Ok(files) => files,
            Err(TryLockError::Poisoned(files)) => files.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        for file in files.iter() {
            // What cannot be removed can only be left.
            let _ = std::fs::remove_file(file);
        }
        std::mem::forget(files);
        return;
    }
}

/// How the names of files in the making begin and end; a killed program leaves them behind.
const IN_THE_MAKING: [&str; 2] = [".zeroset-", ".part"];

/// True for the name of a file in the making.
pub(crate) fn is_in_the_making(name: &str) -> bool {
    let [begin, end] = IN_THE_MAKING;
    name.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end))
}

/// Temporary files that, once renamed, may be read by whom the user's file mask allows; by
/// default nobody else could read them.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    let [begin, end] = IN_THE_MAKING;
    builder.prefix(begin).suffix(end);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}
