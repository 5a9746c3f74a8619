//! Files in a folder that a new run would replace, or that belong to an earlier run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::checkpoint::CHECKPOINT;
use super::manifest::{Compare, JOURNAL, Manifest};
use super::run_names::{MEASURES, REPORT, RunNames};
use crate::atomic::is_same_file;
use crate::error::{Error, Result};

/// The files in a folder that matter to a new run.
pub(super) struct Occupied<'a> {
    folder: &'a Path,
    names: &'a RunNames,
    /// The list of the files of an earlier run, if there is one.
    manifest: Option<Manifest>,
    /// Existing files that the new run may write or that the list contains, sorted.
    present: BTreeSet<String>,
}

impl<'a> Occupied<'a> {
    /// Reads a folder in which a run may write `names`. Links count as files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the folder cannot be listed.
    pub(super) fn read(folder: &'a Path, names: &'a RunNames) -> Result<Self> {
        let fail =
            |e: std::io::Error| Error::output(folder, format!("cannot list: {e}"), "").because(e);
        let manifest = Manifest::read(folder);
        let mut present = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            // A run cannot replace a folder, and no name that it writes is invalid Unicode.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if entry.file_type().map_err(fail)?.is_dir() {
                continue;
            }
            let listed = manifest.as_ref().is_some_and(|manifest| manifest.lists(&name));
            if listed || name == JOURNAL || names.contains(&name) {
                present.insert(name);
            }
        }
        Ok(Occupied { folder, names, manifest, present })
    }

    /// Returns whether the folder holds neither a run nor a file that the new run may write.
    pub(super) fn is_empty(&self) -> bool {
        self.present.is_empty()
    }

    /// Returns the list of files from an earlier run, if there is one.
    pub(super) fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Refuses a run that reads one of the files that it may replace.
    ///
    /// # Errors
    /// Returns [`Error::Output`] naming the file.
    pub(super) fn check_inputs(&self, inputs: &[PathBuf]) -> Result<()> {
        let files = self.present.iter().map(|name| self.folder.join(name));
        let mut files = files.filter(|file| inputs.iter().any(|input| is_same_file(input, file)));
        files.next().map_or(Ok(()), |file| {
            let remedy = "choose another folder with -o, or move the file";
            Err(Error::output(&file, "is an input of this run, which would replace it", remedy))
        })
    }

    /// Refuses a folder that holds a run or a file that the new run may write. With `overwrite`,
    /// files of an earlier run may be replaced if they are unchanged since that run wrote them.
    ///
    /// # Errors
    /// Returns [`Error::Output`] naming the folder or the file.
    pub(super) fn check(&self, overwrite: bool, compare: Compare) -> Result<()> {
        let is_left_over = self.present.iter().all(|name| name == JOURNAL);
        match &self.manifest {
            Some(_) if !overwrite && !is_left_over => Err(self.holds_a_run()),
            Some(_) => self.first_foreign(|name| self.is_own(name, compare)),
            None if self.is_old_run() => Err(self.old_run()),
            None => self.first_foreign(|_| false),
        }
    }

    /// Refuses to resume a run in a folder that holds files that the run may write but has not
    /// written, or that have changed.
    ///
    /// # Errors
    /// Returns [`Error::Output`] naming the file.
    pub(super) fn check_resumed(&self) -> Result<()> {
        if self.manifest.is_none() {
            return Err(self.old_run());
        }
        // The checkpoint and the measures have their own checks, with more detailed messages.
        self.first_foreign(|name| {
            let is_checked = matches!(name, CHECKPOINT | MEASURES) && self.lists(name);
            is_checked || self.is_own(name, Compare::Size)
        })
    }

    /// Returns the files of the earlier run that are unchanged since it wrote them.
    ///
    /// Changed files are kept, with a warning. The new run does not write any of them, because
    /// otherwise [`Occupied::check`] would have refused the folder.
    pub(super) fn removable(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for name in self.present.iter().filter(|name| *name != JOURNAL && self.lists(name)) {
            let file = self.folder.join(name);
            match self.is_own(name, Compare::Hash) {
                true => files.push(file),
                false => tracing::warn!(
                    "{}: is kept, because it has changed since the earlier run wrote it",
                    file.display()
                ),
            }
        }
        files
    }

    fn lists(&self, name: &str) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.lists(name))
    }

    fn is_own(&self, name: &str, compare: Compare) -> bool {
        let matches = |manifest: &Manifest| manifest.matches(self.folder, name, compare);
        self.lists(name) && self.manifest.as_ref().is_some_and(matches)
    }

    /// Refuses the first file that the new run may write and for which `is_own` returns false.
    fn first_foreign(&self, is_own: impl Fn(&str) -> bool) -> Result<()> {
        let claimed = |name: &&String| *name == JOURNAL || self.names.contains(name);
        let mut foreign = self.present.iter().filter(claimed).filter(|name| !is_own(name));
        let Some(name) = foreign.next() else { return Ok(()) };
        let what = match self.lists(name) {
            true => "has changed since the earlier run wrote it, and the run would replace it",
            false => "exists, was not written by a run in this folder, and would be replaced",
        };
        let remedy = "choose another folder with -o, or move or remove the file";
        Err(Error::output(&self.folder.join(name), what, remedy))
    }

    fn holds_a_run(&self) -> Error {
        let (what, remedy) = match self.folder.join(CHECKPOINT).exists() {
            true => (
                "holds a run that stopped early",
                "continue it with --resume, replace it with --overwrite, or choose another \
                 folder with -o",
            ),
            false => (
                "holds a run already",
                "choose another folder with -o, or replace the run with --overwrite",
            ),
        };
        Error::output(self.folder, what, remedy)
    }

    /// Returns whether the folder looks like that of a run of an older version, which kept no list.
    fn is_old_run(&self) -> bool {
        [REPORT, CHECKPOINT].iter().any(|name| self.present.contains(*name))
    }

    fn old_run(&self) -> Error {
        let what = "holds results without a list of their files, as older versions or other \
                    programs write them";
        let remedy = "choose another folder with -o, or remove the results yourself: \
                      --overwrite and --resume need the list";
        Error::output(self.folder, what, remedy)
    }
}
