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

/// Locks the folder for this process. Returns `None` if the file system does not support locks.
pub(super) fn lock(folder: &Path) -> Result<Option<File>> {
    let path = folder.join(LOCK);
    let fail =
        |e: std::io::Error| Error::output(&path, &e, "check the folder's permissions").because(e);
    if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file() || found.len() > LARGEST)
    {
        let what = "is not the lock file of a run";
        return Err(Error::output(&path, what, "move it, or choose another folder with -o"));
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
        if file.read_to_string(&mut dead).is_ok() && !dead.trim().is_empty() {
            let dead = dead.trim();
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
