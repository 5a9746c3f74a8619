//! A time series of states: files such as `NAME_000050.vtu`, listed in `NAME.pvd`.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The files of one series and their times.
#[derive(Debug)]
pub struct Series {
    folder: PathBuf,
    name: String,
    ending: &'static str,
    states: Vec<(f64, String)>,
}

impl Series {
    /// Creates an empty series `name` in `folder` whose files end in `ending`, such as "vtu".
    pub fn new(folder: &Path, name: &str, ending: &'static str) -> Self {
        let states = Vec::new();
        Series { folder: folder.to_path_buf(), name: name.to_string(), ending, states }
    }

    /// Calls `body` to write the state of a step at `time`, in the unit of the case, and then
    /// writes the list of all states so far.
    ///
    /// The list is written atomically.
    ///
    /// # Errors
    /// Returns the errors of `body`. Returns [`Error::Output`](crate::Error::Output) if the list
    /// cannot be written.
    pub fn add(
        &mut self,
        step: u64,
        time: f64,
        body: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<()> {
        let file = numbered(&self.name, step, self.ending);
        body(&self.folder.join(&file))?;
        self.states.push((time, file));
        crate::io::vtk::write_pvd(&self.list(), &self.states)
    }

    /// Continues the series of an interrupted run after the given states (step, time). Afterwards,
    /// the list contains only these states.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if the list cannot be written.
    pub(crate) fn resume(&mut self, states: &[(u64, f64)]) -> Result<()> {
        let file = |step| numbered(&self.name, step, self.ending);
        self.states = states.iter().map(|&(step, time)| (time, file(step))).collect();
        let lost = |(_, file): &&(f64, String)| !self.folder.join(file).exists();
        if let Some((_, file)) = self.states.iter().find(lost) {
            tracing::warn!(
                "{}: states of the run are missing, first {file}",
                self.list().display()
            );
        }
        crate::io::vtk::write_pvd(&self.list(), &self.states)
    }

    /// Removes the file of a step, if there is one. The list does not change.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if the file cannot be removed.
    pub(crate) fn forget(&self, step: u64) -> Result<()> {
        remove(&self.folder.join(numbered(&self.name, step, self.ending)))
    }

    /// Returns the path of the list of states, `NAME.pvd`.
    pub fn list(&self) -> PathBuf {
        self.folder.join(format!("{}.pvd", self.name))
    }

    /// Returns the number of states written.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether no state has been written yet.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}

/// Removes a file if it exists.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be removed.
pub(crate) fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::output(file, format!("cannot remove: {e}"), "check its permissions")
                .because(e))
        }
        _ => Ok(()),
    }
}

/// Returns the file name of a numbered state, such as "NAME_000050.vtu".
pub(crate) fn numbered(name: &str, step: u64, ending: &str) -> String {
    format!("{name}_{step:06}.{ending}")
}
