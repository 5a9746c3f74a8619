//! The folder of a run. It belongs to one run at a time, and a run is overwritten only on request.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::checkpoint::CHECKPOINT;
use super::lock::{LOCK, lock, owner, taken};
use super::manifest::{Compare, FileRecord, JOURNAL, JournalFile, Manifest};
use super::occupied::Occupied;
use super::remove;
use super::run_names::{REPORT, RunNames};
use crate::atomic::{self, Keeping, Unfinished};
use crate::error::{Error, Result};

/// The folder of a run, locked until it is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The names of all files that the run may write.
    names: RunNames,
    /// Folders that did not exist before, deepest first.
    made: Vec<PathBuf>,
    /// Whether an earlier run in the folder is resumed.
    is_resumed: bool,
    /// The list of the files of this run, once it begins to write.
    journal: OnceLock<(Arc<JournalFile>, Keeping)>,
    /// The open lock file. The system releases the lock when the process ends for any reason.
    _lock: Option<File>,
    /// A guard that removes the lock file if the program ends abruptly.
    _noted: Unfinished,
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
        let made = made.map(Path::to_path_buf).collect();
        std::fs::create_dir_all(path).map_err(|e| {
            Error::output(path, format!("cannot create the folder: {e}"), "choose another with -o")
                .because(e)
        })?;
        let folder = Self::locked(path, names, made)?;
        let occupied = Occupied::read(path, &folder.names)?;
        occupied.check_inputs(inputs)?;
        occupied.check(overwrite, Compare::Size)?;
        Ok(folder)
    }

    fn locked(path: &Path, names: RunNames, made: Vec<PathBuf>) -> Result<Self> {
        let lock = lock(path)?;
        Ok(RunFolder {
            path: path.to_path_buf(),
            names,
            made,
            is_resumed: false,
            journal: OnceLock::new(),
            _lock: lock,
            _noted: Unfinished::note(path.join(LOCK)),
        })
    }

    /// Locks the folder of a run that stopped early and left a checkpoint.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if another run is writing to the folder, if there is nothing to
    /// resume, or if the resumed run would replace a file that the interrupted run has not written.
    pub fn reopen(path: &Path, names: RunNames, inputs: &[PathBuf]) -> Result<Self> {
        let nothing = |what: &str, remedy: &str| Error::output(path, what, remedy);
        if !path.is_dir() {
            return Err(nothing("nothing to resume: no such folder", "run without --resume"));
        }
        let mut folder = Self::locked(path, names, Vec::new())?;
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
        // A folder without a run holds no files with the names of this one.
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

    /// Removes the files of an interrupted run that the resumed run does not use: its report and
    /// its unfinished files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if a file cannot be removed.
    pub(crate) fn tidy(&self) -> Result<()> {
        let journal = self.journal.get();
        let unfinished =
            journal.map_or_else(Vec::new, |(journal, _)| journal.temporary(&self.path));
        unfinished.iter().chain([&self.file(REPORT)]).try_for_each(|file| remove(file))
    }

    /// Removes a file if this run has written it, and keeps any other file.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the file cannot be removed.
    pub(crate) fn forget(&self, name: &str) -> Result<()> {
        match self.listed().any(|listed| listed == name) {
            true => remove(&self.file(name)),
            false => Ok(()),
        }
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

    /// Returns the names of the files of this run.
    fn listed(&self) -> impl Iterator<Item = String> {
        self.journal.get().into_iter().flat_map(|(journal, _)| journal.names())
    }

    /// Returns the size and hash of each file of this run, without its report and, if it is
    /// finished, without its checkpoint, which is removed.
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

    /// Removes what a run has written that ended before its first state. An earlier run that was
    /// neither resumed nor replaced stays unchanged.
    pub(crate) fn discard(&self) {
        if self.is_resumed {
            return;
        }
        // The run has failed already, and its list stays if a file cannot be removed.
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
    /// holds results and `overwrite` is false, returns a note that says what `run` would need.
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
        // This removes only empty folders. A run leaves them behind if it fails immediately.
        let _ = self.made.iter().try_for_each(std::fs::remove_dir);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const CASE: &str = "version = 1\ndomain.mesh.path = \"a.vtp\"\n\
                        initial.ball = { center = [0, 0, 0], radius = 1 }\n\
                        evolve = { normal_speed = 1, max_steps = 2 }\noutput.picture = {}\n";

    fn names(folder: &Path) -> RunNames {
        RunNames::of(&Config::parse(CASE, Path::new("case.toml"), &[]).unwrap(), folder)
    }

    fn open(path: &Path, overwrite: bool) -> Result<RunFolder> {
        RunFolder::open(path, names(path), &[], overwrite)
    }

    fn probe(path: &Path, overwrite: bool) -> Result<Option<String>> {
        RunFolder::probe(path, &names(path), &[], overwrite)
    }

    fn reopen(path: &Path) -> Result<RunFolder> {
        RunFolder::reopen(path, names(path), &[])
    }

    /// Writes files like a run, and a report with their list if there is a `status`.
    fn write(folder: &RunFolder, files: &[&str], status: Option<&str>) {
        folder.clear().unwrap();
        for name in files {
            atomic::write(&folder.file(name), |out| out.write_all(name.as_bytes())).unwrap();
        }
        let Some(status) = status else { return };
        let report = serde_json::json!({
            "program": { "name": "zeroset" },
            "status": status,
            "files": folder.records(status == "finished"),
        });
        std::fs::write(folder.file(REPORT), report.to_string()).unwrap();
        folder.close().unwrap();
    }

    fn files(path: &Path) -> Vec<String> {
        let names = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[track_caller]
    fn refused<T: std::fmt::Debug>(found: Result<T>, message: &str) {
        let error = found.unwrap_err();
        assert_eq!(error.exit_code(), 6);
        assert!(error.to_string().contains(message), "{error}");
    }

    #[test]
    fn a_folder_takes_one_run_at_a_time_and_is_not_overwritten_unasked() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        assert_eq!(probe(&path, false).unwrap(), None);
        assert!(!path.exists());
        let folder = open(&path, false).unwrap();
        let pid = std::process::id().to_string();
        assert_eq!(std::fs::read_to_string(folder.file(LOCK)).unwrap(), pid);
        refused(open(&path, true), &format!("process {pid}"));
        refused(probe(&path, true), &format!("process {pid}"));
        let series = ["case.pvd", "case.png", "case_000010.png", "case_000010.vtp", "old.pvd"];
        std::fs::write(folder.file("notes.txt"), "mine").unwrap();
        std::fs::write(folder.file("mine.png"), "mine").unwrap();
        write(&folder, &series, Some("finished"));
        drop(folder);
        assert!(!path.join(LOCK).exists());
        refused(open(&path, false), "--overwrite");
        assert!(probe(&path, false).unwrap().unwrap().contains("--overwrite"));
        assert_eq!(probe(&path, true).unwrap(), None);
        let folder = open(&path, true).unwrap();
        assert!(path.join("case.pvd").exists(), "kept until the new run writes");
        folder.clear().unwrap();
        assert_eq!(files(&path), [JOURNAL, "mine.png", "notes.txt", LOCK]);
    }

    #[test]
    fn files_that_no_run_wrote_are_never_replaced() {
        for name in ["case.pvd", "case_000100.vtp", "case.png", "interface.pvd", "measures.csv"] {
            let parent = tempfile::tempdir().unwrap();
            let path = parent.path();
            std::fs::write(path.join(name), "mine").unwrap();
            refused(open(path, false), &format!("{name}: exists, was not written by a run"));
            refused(open(path, true), name);
            assert!(probe(path, false).unwrap().unwrap().contains(name));
            refused(probe(path, true), name);
            // A file that appears after the check stops the run, too.
            std::fs::remove_file(path.join(name)).unwrap();
            let folder = open(path, false).unwrap();
            std::fs::write(path.join(name), "mine").unwrap();
            refused(folder.clear(), name);
            drop(folder);
            assert_eq!(files(path), [name]);
        }
    }

    #[test]
    fn files_that_were_changed_since_are_never_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path();
        let all = ["case.pvd", "case_000010.vtp", "old_000010.vtp"];
        write(&open(path, false).unwrap(), &all, Some("finished"));
        std::fs::write(path.join("old_000010.vtp"), "old").unwrap();
        std::fs::write(path.join("case.pvd"), "longer than before").unwrap();
        refused(open(path, true), "case.pvd: has changed since the earlier run wrote it");
        std::fs::write(path.join("case.pvd"), "CASE.PVD").unwrap();
        let folder = open(path, true).unwrap();
        refused(folder.clear(), "case.pvd: has changed");
        assert!(path.join("case_000010.vtp").exists() && path.join(REPORT).exists());
        std::fs::remove_file(path.join("case.pvd")).unwrap();
        folder.clear().unwrap();
        assert_eq!(files(path), [JOURNAL, "old_000010.vtp", LOCK]);
    }

    #[test]
    fn a_killed_run_is_replaced_by_its_journal() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path();
        let folder = open(path, false).unwrap();
        write(&folder, &["case.pvd", "case_000010.vtp"], None);
        let unfinished = ".zeroset-case_000020.vtp-a1B2c3.part";
        let other = ".zeroset-case_000020.vtp-zzzzzz.part";
        let (journal, _) = folder.journal.get().unwrap();
        atomic::Journal::begins(&**journal, unfinished).unwrap();
        drop(folder);
        std::fs::write(path.join(unfinished), "half").unwrap();
        std::fs::write(path.join(other), "of another command").unwrap();
        refused(open(path, false), "holds a run already");
        open(path, true).unwrap().clear().unwrap();
        assert_eq!(files(path), [other, JOURNAL]);
        // Only a journal without files is left, so there is nothing to replace.
        open(path, false).unwrap();
    }

    #[test]
    fn a_run_that_fails_at_once_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = open(parent.path(), false).unwrap();
        write(&folder, &["measures.csv", "case_000000.vtp"], None);
        folder.discard();
        drop(folder);
        assert_eq!(files(parent.path()), Vec::<String>::new());
    }

    #[test]
    fn only_a_run_with_a_checkpoint_is_reopened() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out");
        refused(reopen(&path), "no such folder; run without --resume");
        assert!(!path.exists());
        std::fs::create_dir(&path).unwrap();
        refused(reopen(&path), "holds no checkpoint; run without --resume");
        write(&open(&path, false).unwrap(), &["measures.csv"], Some("interrupted"));
        refused(reopen(&path), "holds no checkpoint; begin again with --overwrite");
        write(&open(&path, true).unwrap(), &["measures.csv"], Some("finished"));
        refused(reopen(&path), "the run in it has finished");
        let all = ["measures.csv", CHECKPOINT, "case_000010.vtp"];
        write(&open(&path, true).unwrap(), &all, Some("interrupted"));
        refused(open(&path, false), "stopped early; continue it with --resume");
        std::fs::write(path.join("case_000020.vtp"), "mine").unwrap();
        refused(reopen(&path), "case_000020.vtp: exists, was not written by a run");
        std::fs::remove_file(path.join("case_000020.vtp")).unwrap();
        let folder = reopen(&path).unwrap();
        refused(reopen(&path), "another run is writing");
        folder.resume().unwrap();
        folder.tidy().unwrap();
        std::fs::write(path.join("case_000010.png"), "mine").unwrap();
        folder.forget("case_000010.png").unwrap();
        folder.forget("case_000010.vtp").unwrap();
        assert_eq!(files(&path), [JOURNAL, "case_000010.png", CHECKPOINT, "measures.csv", LOCK]);
    }

    #[test]
    fn results_without_a_list_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path();
        for name in [REPORT, CHECKPOINT] {
            std::fs::write(path.join(name), "{\"status\": \"interrupted\"}").unwrap();
            for overwrite in [false, true] {
                refused(open(path, overwrite), "holds results without a list of their files");
            }
        }
        refused(reopen(path), "remove the results yourself");
        assert_eq!(files(path), [CHECKPOINT, REPORT]);
    }

    #[test]
    fn inputs_are_never_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path();
        write(&open(path, false).unwrap(), &["case_000010.vtp"], Some("finished"));
        std::fs::hard_link(path.join("case_000010.vtp"), path.join("hard.vtp")).unwrap();
        for input in ["case_000010.vtp", "./case_000010.vtp", "hard.vtp"] {
            let inputs = [path.join(input)];
            for overwrite in [false, true] {
                let message = "case_000010.vtp: is an input of this run";
                refused(RunFolder::open(path, names(path), &inputs, overwrite), message);
                refused(RunFolder::probe(path, &names(path), &inputs, overwrite), message);
            }
        }
    }

    #[test]
    fn the_lock_of_a_dead_process_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(LOCK), "4000000000").unwrap();
        probe(folder.path(), false).unwrap();
        drop(open(folder.path(), false).unwrap());
        std::fs::write(folder.path().join(LOCK), "the lock of another program").unwrap();
        refused(open(folder.path(), false), "is not the lock file of a run");
        assert!(folder.path().join(LOCK).exists());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "").unwrap();
        for path in [path.clone(), path.join("below")] {
            assert!(open(&path, false).is_err());
        }
        assert!(probe(&path, false).is_err());
    }
}
