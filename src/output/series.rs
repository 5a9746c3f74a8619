//! A series of states in time: `NAME_000050.vtu` and so on, listed in `NAME.pvd`.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Files of one series and their times.
#[derive(Debug)]
pub struct Series {
    folder: PathBuf,
    name: String,
    ending: &'static str,
    states: Vec<(f64, String)>,
}

impl Series {
    /// Series `name` in `folder` of files that end in `ending`, such as "vtu".
    pub fn new(folder: &Path, name: &str, ending: &'static str) -> Self {
        let states = Vec::new();
        Series { folder: folder.to_path_buf(), name: name.to_string(), ending, states }
    }

    /// Writes the state of a step through `body`, then the list of all states so far; both
    /// appear whole or not at all.
    ///
    /// # Errors
    /// Those of `body`, and [`Error::Output`](crate::Error::Output).
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

    /// Goes on behind these states (step, time) of a run that stopped early: the list names them
    /// only.
    ///
    /// # Errors
    /// [`Error::Output`](crate::Error::Output).
    pub(crate) fn resume(&mut self, states: &[(u64, f64)]) -> Result<()> {
        let file = |step| numbered(&self.name, step, self.ending);
        self.states = states.iter().map(|&(step, time)| (time, file(step))).collect();
        let lost = |(_, file): &&(f64, String)| !self.folder.join(file).exists();
        if let Some((_, file)) = self.states.iter().find(lost) {
            tracing::warn!(
                "{}: states of the run are gone, {file} the first",
                self.list().display()
            );
        }
        crate::io::vtk::write_pvd(&self.list(), &self.states)
    }

    /// Removes the file of a step, if it is there; the list stays.
    ///
    /// # Errors
    /// [`Error::Output`](crate::Error::Output).
    pub(crate) fn forget(&self, step: u64) -> Result<()> {
        remove(&self.folder.join(numbered(&self.name, step, self.ending)))
    }

    /// The list of states, `NAME.pvd`.
    pub fn list(&self) -> PathBuf {
        self.folder.join(format!("{}.pvd", self.name))
    }

    /// Number of states written.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// True before the first state.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}

/// Removes a file that may be there.
///
/// # Errors
/// [`Error::Output`].
pub(crate) fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::output(file, format!("cannot remove: {e}"), "check its rights").because(e))
        }
        _ => Ok(()),
    }
}

/// "NAME_000050.vtu"
pub(crate) fn numbered(name: &str, step: u64, ending: &str) -> String {
    format!("{name}_{step:06}.{ending}")
}
