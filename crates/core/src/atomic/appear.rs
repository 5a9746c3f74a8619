//! Renames complete files to their final names, all of them or none.
//!
//! The operating system renames one file at a time. The first of several files is the main file, to
//! which the others belong. Before the others change, an earlier main file is set aside, and the
//! new one appears last. A program that is killed in between leaves no main file, so a main file is
//! never left next to files of another result.

use std::path::PathBuf;

use tempfile::TempPath;

use super::complete::{Complete, fail};
use super::temporary::temporary;
use super::{Unfinished, in_the_way, unfinished};
use crate::error::Result;

/// Renames complete files to their final names. The first file of the list is the main file. If a
/// file cannot be renamed, all files are left as they were.
///
/// # Errors
/// Returns [`Error::Output`](crate::Error::Output) if a file cannot be renamed or recorded in its
/// journal, or if a file that must not be replaced has been created in the meantime.
pub(super) fn appear(mut files: Vec<Complete>) -> Result<()> {
    for complete in &files {
        complete.note().map_err(|e| fail(&complete.path, e))?;
    }
    // The files stay registered until the lock below is released, because removing a file from the
    // register also takes this lock.
    let mut registered = Vec::new();
    // An interrupted program waits up to 50 ms for this lock, so that it does not end between two
    // renames.
    let several = (files.len() > 1).then(unfinished);
    let mut change = Change::default();
    let mut done = match several {
        Some(_) => files.iter().try_for_each(|complete| change.set_aside(complete)),
        None => Ok(()),
    };
    while done.is_ok()
        && let Some(complete) = files.pop()
    {
        done = change.rename(complete, &mut registered);
    }
    match done {
        Ok(()) => change.keep(),
        Err(_) => change.undo(),
    }
    drop(several);
    done
}

/// A change to several files that is under way.
#[derive(Default)]
struct Change {
    /// The earlier files under temporary names, with their final names.
    aside: Vec<(TempPath, PathBuf)>,
    /// The new files that already have their final names.
    appeared: Vec<PathBuf>,
}

impl Change {
    /// Moves the file that will be replaced, if there is one, to a temporary name.
    fn set_aside(&mut self, complete: &Complete) -> Result<()> {
        if std::fs::symlink_metadata(&complete.target).is_err() {
            return Ok(());
        }
        if !complete.replaces {
            return Err(in_the_way(&complete.path));
        }
        fault();
        let moved = temporary(&complete.target, complete.journal()).and_then(|place| {
            std::fs::rename(&complete.target, place.path())?;
            Ok(place.into_temp_path())
        });
        let moved = moved.map_err(|e| fail(&complete.path, e))?;
        self.aside.push((moved, complete.target.clone()));
        Ok(())
    }

    /// Renames a file to its final name. Its registration stays until the change is complete.
    fn rename(&mut self, complete: Complete, registered: &mut Vec<Unfinished>) -> Result<()> {
        let Complete { path, target, file, made, replaces, .. } = complete;
        registered.push(made);
        if !replaces && std::fs::symlink_metadata(&target).is_ok() {
            return Err(in_the_way(&path));
        }
        fault();
        file.persist(&target).map_err(|e| fail(&path, e.error))?;
        self.appeared.push(target);
        Ok(())
    }

    /// Removes the earlier files.
    fn keep(self) {
        // There is nothing else to do if a file cannot be removed.
        self.aside.into_iter().for_each(|(earlier, _)| drop(earlier.close()));
    }

    /// Removes the new files and puts the earlier ones back, the main file last.
    fn undo(self) {
        if self.aside.is_empty() && self.appeared.is_empty() {
            return;
        }
        // There is nothing else to do if a file cannot be removed or renamed.
        self.appeared.iter().for_each(|new| drop(std::fs::remove_file(new)));
        for (earlier, target) in self.aside.into_iter().rev() {
            if let Err(e) = earlier.persist(&target) {
                std::mem::forget(e.path);
            }
        }
    }
}

#[cfg(test)]
thread_local! {
    /// The number of renames after which this thread stops, as if the program were killed.
    static RENAMES: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Stops before a rename in tests, as if the program were killed.
fn fault() {
    #[cfg(test)]
    RENAMES.with(|renames| match renames.get() {
        Some(0) => std::panic::resume_unwind(Box::new("killed")),
        left => renames.set(left.map(|left| left - 1)),
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{together, write};
    use super::RENAMES;

    const NAMES: [&str; 3] = ["a.mesh", "a.png", "a.json"];

    fn put(folder: &Path, text: &str) -> crate::error::Result<()> {
        together(|| {
            NAMES.iter().try_for_each(|name| {
                write(&folder.join(name), |out| out.write_all(text.as_bytes()))
            })
        })
    }

    /// Returns the contents of the three files, or `None` for each file that does not exist.
    fn found(folder: &Path) -> Vec<Option<String>> {
        NAMES.iter().map(|name| std::fs::read_to_string(folder.join(name)).ok()).collect()
    }

    #[test]
    fn a_program_killed_between_renames_leaves_no_mixture() {
        for earlier in [&[][..], &NAMES[..1], &NAMES[1..], &NAMES] {
            for renames in 0.. {
                let folder = tempfile::tempdir().unwrap();
                for name in earlier {
                    std::fs::write(folder.path().join(name), "old").unwrap();
                }
                let before = found(folder.path());
                RENAMES.set(Some(renames));
                let killed = std::panic::catch_unwind(|| put(folder.path(), "new")).is_err();
                RENAMES.set(None);
                let after = found(folder.path());
                let is = |text: &str| after.iter().all(|file| file.as_deref() == Some(text));
                assert!(after == before || after[0].is_none() || is("new"), "{after:?}");
                // Running the same command again completes the result.
                put(folder.path(), "new").unwrap();
                assert!(found(folder.path()).iter().all(|file| file.as_deref() == Some("new")));
                if !killed {
                    assert!(is("new") && renames >= NAMES.len(), "{renames}");
                    break;
                }
            }
        }
    }

    #[test]
    fn a_rename_that_fails_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        NAMES.iter().for_each(|name| std::fs::write(path(name), "old").unwrap());
        let failed = together(|| {
            for name in NAMES {
                write(&path(name), |out| out.write_all(b"new"))?;
            }
            write(&path("last"), |out| out.write_all(b"new"))?;
            // A folder cannot be replaced by a file.
            write(&path("folder/file"), |out| out.write_all(b"new")).unwrap_err();
            std::fs::create_dir_all(path("last/below")).unwrap();
            Ok(())
        });
        assert_eq!(failed.unwrap_err().exit_code(), 6);
        assert!(found(folder.path()).iter().all(|file| file.as_deref() == Some("old")));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), NAMES.len() + 1);
    }
}
