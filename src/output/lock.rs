//! The lock of a run folder, which belongs to one run at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use crate::error::{Error, Result};

/// Name of the lock file. It holds the process ID of the run.
pub(super) const LOCK: &str = "zeroset.lock";

/// The largest size of a lock file, in bytes. A larger file with this name belongs to another
/// program.
const LARGEST: u64 = 20;

pub(super) fn taken(path: &Path, owner: &str) -> Error {
    let what = format!("another run is writing here ({owner})");
    Error::output(path, what, "wait for it, or choose another folder with -o")
}

/// Returns whether a file in the folder has the name of the lock file but was not written by a run.
/// A run writes only the digits of its process ID, or nothing if it ends at once.
pub(super) fn is_foreign(folder: &Path) -> bool {
    let path = folder.join(LOCK);
    let Ok(found) = std::fs::symlink_metadata(&path) else { return false };
    let is_written_by_run = || {
        // If the content cannot be read, opening the file for the lock fails, too.
        std::fs::read(&path).is_ok_and(|content| content.iter().all(u8::is_ascii_digit))
    };
    !found.is_file() || found.len() > LARGEST || !is_written_by_run()
}

/// Returns the error about a lock file that does not belong to a run.
pub(super) fn foreign(folder: &Path) -> Error {
    let what = "is not the lock file of a run";
    Error::output(&folder.join(LOCK), what, "move it, or choose another folder with -o")
}

/// Locks the folder for this process. Returns `None` if the file system does not support locks.
pub(super) fn lock(folder: &Path) -> Result<Option<File>> {
    let path = folder.join(LOCK);
    let fail =
        |e: std::io::Error| Error::output(&path, &e, "check the folder's permissions").because(e);
    if is_foreign(folder) {
        return Err(foreign(folder));
    }
    // Another attempt is needed if the owner removes its lock file after this process has opened it
    // and before this process has locked it. The locked file is then no longer the one in the
    // folder.
    for _ in 0..8 {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(taken(folder, &named(&std::fs::read_to_string(&path).ok())));
            }
            Err(TryLockError::Error(e)) => {
                tracing::warn!(
                    "{}: cannot lock ({e}); make sure that no other run writes here",
                    path.display()
                );
                return Ok(None);
            }
        }
        let mut dead = String::new();
        if file.read_to_string(&mut dead).is_ok() && !dead.is_empty() {
            tracing::warn!("{}: the run of process {dead} did not end cleanly", path.display());
        }
        let own = std::process::id().to_string();
        file.set_len(0).map_err(fail)?;
        std::io::Seek::rewind(&mut file).map_err(fail)?;
        file.write_all(own.as_bytes()).map_err(fail)?;
        match std::fs::read_to_string(&path) {
            Ok(found) if found != own => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            _ => return Ok(Some(file)),
        }
    }
    Err(Error::output(&path, "other runs keep taking the lock", "choose another folder with -o"))
}

/// Returns a description of the process that holds the lock of a folder, such as "process 123", or
/// `None` if no process holds it.
pub(super) fn owner(folder: &Path) -> Option<String> {
    let path = folder.join(LOCK);
    let file = File::open(&path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(named(&std::fs::read_to_string(&path).ok())),
        _ => None,
    }
}

fn named(content: &Option<String>) -> String {
    match content.as_deref().map(str::trim) {
        Some(pid) if !pid.is_empty() => format!("process {pid}"),
        _ => "process unknown".into(),
    }
}
