//! A series of states in time: `NAME_000050.vtu` and so on, listed in `NAME.pvd`.

use std::path::{Path, PathBuf};

use crate::error::Result;

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

/// "NAME_000050.vtu"
pub(crate) fn numbered(name: &str, step: u64, ending: &str) -> String {
    format!("{name}_{step:06}.{ending}")
}
