//! A run folder. It belongs to one run at a time, and a run is overwritten only on request.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::checkpoint::CHECKPOINT;
use super::lock::{LOCK, foreign, is_foreign, lock, owner, taken};
use super::manifest::{Compare, FileRecord, JOURNAL, JournalFile, Manifest};
use super::occupied::Occupied;
use super::remove;
use super::run_names::{REPORT, REPORT_PAGE, RunNames};
use crate::atomic::{self, Keeping, Unfinished};
use crate::error::{Error, Result};

/// A run folder. It is locked until this value is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The names of all files that the run may write.
    names: RunNames,
    /// Folders that were created for the run, deepest first.
    made: Vec<PathBuf>,
    /// Whether an earlier run in the folder is resumed.
    is_resumed: bool,
    /// The list of the files of this run, set when the run begins to write.
    journal: OnceLock<(Arc<JournalFile>, Keeping)>,
    /// The open lock file. The system releases the lock when the process ends for any reason.
    _lock: Option<File>,
    /// Guards for an abrupt end of the program. They remove the lock file, and the created folders
    /// if these are empty.
    _noted: Vec<Unfinished>,
}

impl RunFolder {
    /// Creates the folder if necessary and locks it for a run that writes `names` and reads
    /// `inputs`.
    ///
    /// If `overwrite` is true, the folder may hold an earlier run. The files of that run stay until
    /// [`RunFolder::clear`] is called.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if another run is writing to the folder, if the run would replace
    /// one of its inputs or a file that it must not replace, or if the folder cannot be written.
    pub fn open(path: &Path, names: RunNames, inputs: &[PathBuf], overwrite: bool) -> Result<Self> {
        let made = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made: Vec<PathBuf> = made.map(Path::to_path_buf).collect();
        let noted = made.iter().cloned().map(Unfinished::note).collect();
        std::fs::create_dir_all(path).map_err(|e| {
            Error::output(path, format!("cannot create the folder: {e}"), "choose another with -o")
                .because(e)
        })?;
        let folder = Self::locked(path, names, made, noted)?;
        let occupied = Occupied::read(path, &folder.names)?;
        occupied.check_inputs(inputs)?;
        occupied.check(overwrite, Compare::Size)?;
        Ok(folder)
    }

    fn locked(
        path: &Path,
        names: RunNames,
        made: Vec<PathBuf>,
        mut noted: Vec<Unfinished>,
    ) -> Result<Self> {
        let lock = lock(path)?;
        noted.push(Unfinished::note(path.join(LOCK)));
        Ok(RunFolder {
            path: path.to_path_buf(),
            names,
            made,
            is_resumed: false,
            journal: OnceLock::new(),
            _lock: lock,
            _noted: noted,
        })
    }

    /// Locks a run folder that stopped early and left a checkpoint.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if another run is writing to the folder, if there is nothing to
    /// resume, or if the resumed run would replace a file that the interrupted run has not written.
    pub fn reopen(path: &Path, names: RunNames, inputs: &[PathBuf]) -> Result<Self> {
        let nothing = |what: &str, remedy: &str| Error::output(path, what, remedy);
        if !path.is_dir() {
            return Err(nothing("nothing to resume: no such folder", "run without --resume"));
        }
        let mut folder = Self::locked(path, names, Vec::new(), Vec::new())?;
        folder.is_resumed = true;
        let occupied = Occupied::read(path, &folder.names)?;
        if folder.file(CHECKPOINT).exists() {
            occupied.check_inputs(inputs)?;
            occupied.check_resumed()?;
            return Ok(folder);
        }
        if is_finished(path) {
            let remedy = "see its report.json, or run again with --overwrite";
            return Err(nothing("nothing to resume: the run in it has finished", remedy));
        }
        let remedy = match occupied.is_empty() {
            true => "run without --resume",
            false => "begin again with --overwrite",
        };
        Err(nothing("nothing to resume: it holds no checkpoint", remedy))
    }

    /// Removes the files of an earlier run, and nothing else, just before the new run starts
    /// writing.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be removed, or if the new run would replace a
    /// file that the earlier run has not written.
    pub fn clear(&self) -> Result<()> {
        let occupied = Occupied::read(&self.path, &self.names)?;
        // Passing true is safe: without an earlier run, any file that the new run would replace is
        // rejected.
        occupied.check(true, Compare::Hash)?;
        let mut files = occupied.removable();
        // Files that refer to other files are removed first, so that no list of missing files
        // remains if the program is killed here.
        files.sort_by_key(|file| match file.extension().and_then(|ending| ending.to_str()) {
            Some("zeroset") => 0,
            Some("pvd" | "json") => 1,
            _ => 2,
        });
        let journal = JournalFile::open(&self.path, occupied.manifest())?;
        files.iter().try_for_each(|file| remove(file))?;
        journal.restart(&self.path)?;
        self.keep(journal);
        Ok(())
    }

    fn keep(&self, journal: JournalFile) {
        let journal = Arc::new(journal);
        let keeping = atomic::keep(&self.path, journal.clone());
        // A run begins to write only once.
        let _ = self.journal.set((journal, keeping));
    }

    /// Continues the list of files of the run that is being resumed.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the list cannot be written.
    pub(crate) fn resume(&self) -> Result<()> {
        let manifest = Manifest::read(&self.path);
        self.keep(JournalFile::open(&self.path, manifest.as_ref())?);
        Ok(())
    }

    /// Removes the files of an interrupted run that the resumed run does not use: its reports and
    /// its unfinished files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be removed.
    pub(crate) fn tidy(&self) -> Result<()> {
        let journal = self.journal.get();
        let unfinished =
            journal.map_or_else(Vec::new, |(journal, _)| journal.temporary(&self.path));
        unfinished.iter().chain([&self.file(REPORT)]).try_for_each(|file| remove(file))?;
        self.remove_own(REPORT_PAGE)
    }

    /// Removes a file if this run has written it, and keeps any other file.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be removed.
    pub(crate) fn remove_own(&self, name: &str) -> Result<()> {
        let is_own = self.journal.get().is_some_and(|(journal, _)| journal.has(name));
        if is_own { remove(&self.file(name)) } else { Ok(()) }
    }

    /// Notes that a file of this run begins with `begin` and grows line by line.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the list cannot be written.
    pub(crate) fn note_text(&self, path: &Path, begin: &str) -> Result<()> {
        self.journal.get().map_or(Ok(()), |(journal, _)| journal.note_text(path, begin))
    }

    /// Notes that a file of this run, if it exists, will grow in place.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the list cannot be written.
    pub(crate) fn note_growth(&self, path: &Path) -> Result<()> {
        self.journal.get().map_or(Ok(()), |(journal, _)| journal.note_growth(path))
    }

    /// Returns the names of all files in the journal, or no names before the run begins to write.
    pub(crate) fn listed(&self) -> impl Iterator<Item = String> {
        self.journal.get().into_iter().flat_map(|(journal, _)| journal.names())
    }

    /// Returns the size and hash of each file of this run that still exists, except its report. The
    /// checkpoint of a finished run is left out, because it is about to be removed.
    pub(crate) fn records(&self, is_finished: bool) -> BTreeMap<String, FileRecord> {
        let mut records = self
            .journal
            .get()
            .map_or_else(BTreeMap::new, |(journal, _)| journal.records(&self.path));
        if is_finished {
            records.remove(CHECKPOINT);
        }
        records
    }

    /// Removes everything written by a run that ended before its first state. Does nothing if the
    /// run was resumed or has not begun to write, so that an earlier run stays unchanged.
    pub(crate) fn discard(&self) {
        if self.is_resumed {
            return;
        }
        // The run has already failed, so an error here is ignored. The list stays if a file cannot
        // be removed.
        let removed = self.listed().try_for_each(|name| remove(&self.file(&name)));
        if removed.is_ok() && self.journal.get().is_some() {
            let _ = remove(&self.file(JOURNAL));
        }
    }

    /// Removes the journal, because the report now contains the list of files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be removed.
    pub(crate) fn close(&self) -> Result<()> {
        self.journal.get().map_or(Ok(()), |_| remove(&self.file(JOURNAL)))
    }

    /// Checks, without changing anything, that [`RunFolder::open`] would succeed. If the folder
    /// holds results and `overwrite` is false, returns a note that states how `run` could use the
    /// folder.
    ///
    /// # Errors
    /// Returns all other errors of [`RunFolder::open`].
    pub fn probe(
        path: &Path,
        names: &RunNames,
        inputs: &[PathBuf],
        overwrite: bool,
    ) -> Result<Option<String>> {
        let unwritable = |e: std::io::Error| {
            Error::output(path, format!("cannot write there: {e}"), "choose another with -o")
                .because(e)
        };
        let mut note = None;
        if path.is_dir() {
            if let Some(owner) = owner(path) {
                return Err(taken(path, &owner));
            }
            if is_foreign(path) {
                return Err(foreign(path));
            }
            let occupied = Occupied::read(path, names)?;
            occupied.check_inputs(inputs)?;
            match occupied.check(overwrite, Compare::Size) {
                Err(error) if !overwrite => note = Some(error.to_string()),
                checked => checked?,
            }
        } else if path.exists() {
            return Err(Error::output(path, "is not a folder", "choose another with -o"));
        }
        let existing = path.ancestors().find(|p| p.is_dir()).unwrap_or(Path::new("."));
        tempfile::tempfile_in(existing).map(drop).map_err(unwritable)?;
        Ok(note)
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
        // Only empty folders are removed. Without this, a run that fails immediately would leave
        // them behind.
        let _ = self.made.iter().try_for_each(std::fs::remove_dir);
    }
}

/// Returns whether the report in the folder states that its run finished as planned.
fn is_finished(folder: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Ended {
        status: String,
    }
    let report = std::fs::read(folder.join(REPORT)).unwrap_or_default();
    serde_json::from_slice(&report).is_ok_and(|ended: Ended| ended.status == "finished")
}

#[cfg(test)]
mod tests;
