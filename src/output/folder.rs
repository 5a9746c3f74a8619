//! The folder of a run. It belongs to one run at a time, and a run is overwritten only on request.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::checkpoint::CHECKPOINT;
use super::owned_files::{REPORT, files_of_a_run};
use super::remove;
use crate::atomic::{self, Unfinished, is_same_file};
use crate::error::{Error, Result};

/// Name of the lock file. It holds the process ID of the run.
const LOCK: &str = "zeroset.lock";

/// The folder of a run, locked until it is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Folders that this run created, deepest first.
    made: Vec<PathBuf>,
    /// Whether the files in the folder belong to this run.
    is_cleared: AtomicBool,
    /// The open lock file. The operating system releases the lock whenever the process ends.
    _lock: Option<File>,
    /// A guard that removes the lock file if the program ends abruptly.
    _noted: Unfinished,
}

impl RunFolder {
    /// Creates the folder if necessary and locks it.
    ///
    /// If `overwrite` is true, the folder may hold an earlier run. The files of that run stay until
    /// [`RunFolder::clear`] is called.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if another run is writing to the folder, if the folder holds a run
    /// and `overwrite` is false, or if the folder cannot be written.
    pub fn open(path: &Path, overwrite: bool) -> Result<Self> {
        let made = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made = made.map(Path::to_path_buf).collect();
        std::fs::create_dir_all(path).map_err(|e| {
            Error::output(path, format!("cannot create the folder: {e}"), "choose another with -o")
                .because(e)
        })?;
        let lock = lock(path)?;
        let folder = Self::locked(path, made, lock);
        let earlier = files_of_a_run(path)?;
        if !earlier.is_empty() && !overwrite {
            return Err(holds_a_run(path));
        }
        Ok(folder)
    }

    fn locked(path: &Path, made: Vec<PathBuf>, lock: Option<File>) -> Self {
        let noted = Unfinished::note(path.join(LOCK));
        let (path, is_cleared) = (path.to_path_buf(), AtomicBool::new(false));
        RunFolder { path, made, is_cleared, _lock: lock, _noted: noted }
    }

    /// Locks the folder of a run that stopped early and left a checkpoint.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if another run is writing to the folder, or if there is nothing to
    /// resume.
    pub fn reopen(path: &Path) -> Result<Self> {
        let nothing = |what: &str, remedy: &str| Error::output(path, what, remedy);
        if !path.is_dir() {
            return Err(nothing("nothing to resume: no such folder", "run without --resume"));
        }
        let folder = Self::locked(path, Vec::new(), lock(path)?);
        if folder.file(CHECKPOINT).exists() {
            return Ok(folder);
        }
        if is_finished(path) {
            let remedy = "see its report.json, or run again with --overwrite";
            return Err(nothing("nothing to resume: the run in it has finished", remedy));
        }
        let remedy = match files_of_a_run(path)?.is_empty() {
            true => "run without --resume",
            false => "begin again with --overwrite",
        };
        Err(nothing("nothing to resume: it holds no checkpoint", remedy))
    }

    /// Refuses to replace an earlier run if the new run reads one of its files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] naming the first such file.
    pub(crate) fn check_inputs(&self, inputs: &[PathBuf]) -> Result<()> {
        check_inputs(&self.path, inputs)
    }

    /// Removes the files of an earlier run, and no other files, just before the new run starts
    /// writing.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be removed.
    pub fn clear(&self) -> Result<()> {
        let mut files = files_of_a_run(&self.path)?;
        // Files that refer to other files are removed first. If the program is killed here, no list
        // of missing files remains.
        files.sort_by_key(|file| match file.extension().and_then(|ending| ending.to_str()) {
            Some("zeroset") => 0,
            Some("pvd" | "json") => 1,
            _ => 2,
        });
        files.iter().try_for_each(|file| remove(file))?;
        self.is_cleared.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Whether [`RunFolder::clear`] has been called. If not, the files in the folder belong to an
    /// earlier run or to the run that is being resumed.
    pub(crate) fn is_cleared(&self) -> bool {
        self.is_cleared.load(Ordering::Relaxed)
    }

    /// Removes the files of an interrupted run that the resumed run does not use: its report and
    /// its unfinished files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be removed.
    pub(crate) fn tidy(&self) -> Result<()> {
        remove(&self.file(REPORT))?;
        for file in files_of_a_run(&self.path)? {
            let name = file.file_name().and_then(|name| name.to_str());
            if name.and_then(atomic::in_the_making).is_some() {
                remove(&file)?;
            }
        }
        Ok(())
    }

    /// Checks, without changing anything, that [`RunFolder::open`] would succeed for a run that
    /// reads `inputs`.
    ///
    /// # Errors
    /// Returns the errors of [`RunFolder::open`]. Returns [`Error::Output`] if one of `inputs` is a
    /// file of the run to be replaced.
    pub fn probe(path: &Path, overwrite: bool, inputs: &[PathBuf]) -> Result<()> {
        let unwritable = |e: std::io::Error| {
            Error::output(path, format!("cannot write there: {e}"), "choose another with -o")
                .because(e)
        };
        if path.is_dir() {
            if let Some(owner) = owner(path) {
                return Err(taken(path, &owner));
            }
            if !overwrite && !files_of_a_run(path)?.is_empty() {
                return Err(holds_a_run(path));
            }
            check_inputs(path, inputs)?;
        } else if path.exists() {
            return Err(Error::output(path, "is not a folder", "choose another with -o"));
        }
        let existing = path.ancestors().find(|p| p.is_dir()).unwrap_or(Path::new("."));
        tempfile::tempfile_in(existing).map(drop).map_err(unwritable)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // A lock file that cannot be removed is harmless, because the next run sees that its owner
        // has ended.
        let _ = std::fs::remove_file(self.path.join(LOCK));
        // This removes only empty folders. A run leaves them behind if it fails immediately.
        let _ = self.made.iter().try_for_each(std::fs::remove_dir);
    }
}

fn check_inputs(folder: &Path, inputs: &[PathBuf]) -> Result<()> {
    let files = files_of_a_run(folder)?;
    let read = files.iter().find(|file| inputs.iter().any(|input| is_same_file(input, file)));
    read.map_or(Ok(()), |file| {
        let remedy = "choose another folder with -o, or move the file";
        Err(Error::output(file, "is an input of this run, which would replace it", remedy))
    })
}

fn holds_a_run(path: &Path) -> Error {
    let (what, remedy) = match path.join(CHECKPOINT).exists() {
        true => (
            "holds a run that stopped early",
            "continue it with --resume, replace it with --overwrite, or choose another folder \
             with -o",
        ),
        false => (
            "holds a run already",
            "choose another folder with -o, or replace the run with --overwrite",
        ),
    };
    Error::output(path, what, remedy)
}

/// Whether the report in the folder states that its run finished as planned.
fn is_finished(folder: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Ended {
        status: String,
    }
    let report = std::fs::read(folder.join(REPORT)).unwrap_or_default();
    serde_json::from_slice(&report).is_ok_and(|ended: Ended| ended.status == "finished")
}

fn taken(path: &Path, owner: &str) -> Error {
    let what = format!("another run is writing here ({owner})");
    Error::output(path, what, "wait for it, or choose another folder with -o")
}

/// Locks the folder for this process. Returns `None` if the file system does not support locks.
fn lock(folder: &Path) -> Result<Option<File>> {
    let path = folder.join(LOCK);
    let fail =
        |e: std::io::Error| Error::output(&path, &e, "check the folder's permissions").because(e);
    // Another attempt is needed if the owner removes its lock file between the moment when this
    // process opens the file and the moment when it locks the file. Then the locked file is no
    // longer the one in the folder.
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

/// Returns the process that holds the lock of a folder, if that process is alive.
fn owner(folder: &Path) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_one_run_at_a_time_and_is_not_overwritten_unasked() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        RunFolder::probe(&path, false, &[]).unwrap();
        assert!(!path.exists());
        let folder = RunFolder::open(&path, false).unwrap();
        let pid = std::process::id().to_string();
        assert_eq!(std::fs::read_to_string(folder.file(LOCK)).unwrap(), pid);
        for error in [
            RunFolder::open(&path, true).unwrap_err(),
            RunFolder::probe(&path, true, &[]).unwrap_err(),
        ] {
            assert_eq!(error.exit_code(), 6);
            assert!(error.to_string().contains(&format!("process {pid}")), "{error}");
        }
        std::fs::write(folder.file("measures.csv"), "step\n").unwrap();
        std::fs::write(folder.file("notes.txt"), "mine").unwrap();
        let series = ["case.pvd", "case.png", "case_000010.png", "case_000010.vtp"];
        for name in series.into_iter().chain(["mine.png"]) {
            std::fs::write(folder.file(name), "<DataSet file=\"case_000010.vtp\"/>").unwrap();
        }
        drop(folder);
        assert!(!path.join(LOCK).exists());
        for error in [
            RunFolder::open(&path, false).unwrap_err(),
            RunFolder::probe(&path, false, &[]).unwrap_err(),
        ] {
            assert!(error.to_string().contains("--overwrite"), "{error}");
        }
        RunFolder::probe(&path, true, &[]).unwrap();
        assert!(path.join("measures.csv").exists());
        let folder = RunFolder::open(&path, true).unwrap();
        assert!(path.join("measures.csv").exists(), "kept until the new run writes");
        folder.clear().unwrap();
        assert!(!path.join("measures.csv").exists());
        assert!(path.join("notes.txt").exists() && path.join("mine.png").exists());
        for name in series {
            assert!(!path.join(name).exists(), "{name}");
        }
    }

    #[test]
    fn only_a_run_with_a_checkpoint_is_reopened() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        let refused = |message: &str| {
            let error = RunFolder::reopen(&path).unwrap_err();
            assert_eq!(error.exit_code(), 6);
            assert!(error.to_string().contains(message), "{error}");
        };
        refused("no such folder; run without --resume");
        assert!(!path.exists());
        std::fs::create_dir(&path).unwrap();
        refused("holds no checkpoint; run without --resume");
        std::fs::write(path.join(REPORT), "{\"status\": \"interrupted\", \"steps\": 3}").unwrap();
        refused("holds no checkpoint; begin again with --overwrite");
        std::fs::write(path.join(REPORT), "{\"status\": \"finished\", \"steps\": 3}").unwrap();
        refused("the run in it has finished");
        std::fs::write(path.join(CHECKPOINT), "").unwrap();
        std::fs::write(path.join(".zeroset-measures.csv-a1B2c3.part"), "").unwrap();
        std::fs::write(path.join(".zeroset-skull.stl-a1B2c3.part"), "").unwrap();
        std::fs::write(path.join("measures.csv"), "").unwrap();
        let error = RunFolder::open(&path, false).unwrap_err().to_string();
        assert!(error.contains("stopped early; continue it with --resume"), "{error}");
        let folder = RunFolder::reopen(&path).unwrap();
        assert!(
            RunFolder::reopen(&path).unwrap_err().to_string().contains("another run is writing")
        );
        folder.tidy().unwrap();
        let names = |path: &Path| {
            let names = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        };
        let other = ".zeroset-skull.stl-a1B2c3.part";
        assert_eq!(names(&path), [other, CHECKPOINT, "measures.csv", LOCK]);
        folder.clear().unwrap();
        assert_eq!(names(&path), [other, LOCK]);
    }

    #[test]
    fn the_lock_of_a_dead_process_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(LOCK), "4000000000").unwrap();
        RunFolder::probe(folder.path(), false, &[]).unwrap();
        drop(RunFolder::open(folder.path(), false).unwrap());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "").unwrap();
        for path in [path.clone(), path.join("below")] {
            assert!(RunFolder::open(&path, false).is_err());
        }
        assert!(RunFolder::probe(&path, false, &[]).is_err());
    }
}
