//! Series of states in one file: `.pvd` lists and `.vtkhdf` files with steps.
//!
//! The readers of meshes, volumes, vertex data and curves open files through [`open`]. For a
//! series, they get the state that the options request, by default the last one.

use std::path::{Path, PathBuf};

use super::load::{self, Loaded};
use super::moment::{Moment, StateTime};
use super::sniff::{self, Format};
use super::vertex_data::{data_of_loaded, vertex_data};
use super::vtk::{self, HdfFile, ListedState};
use super::{
    Content, MeshFile, MeshOptions, VertexData, VolumeFile, VolumeOptions, cloud, finished,
    mesh_of_loaded, volume,
};
use zeroset_core::error::{Flaw, FlawKind, Result, plain};
use zeroset_core::words::counted;

/// The states of a series, which are read one by one.
pub struct Series {
    path: PathBuf,
    times: Vec<f64>,
    states: States,
}

/// The source of the states.
enum States {
    Listed(Vec<ListedState>),
    Hdf(Box<HdfFile>),
}

/// A loaded file, opened as a series if it is one.
pub(super) enum Opened {
    /// A file that is neither a `.pvd` list nor a VTKHDF file. It holds a single state.
    Single(Loaded),
    Series(Series),
}

/// Opens a loaded file as a series if it is a `.pvd` list or a VTKHDF file. A VTKHDF file without
/// steps becomes a series without times.
///
/// # Errors
/// Returns a [`Flaw`] if the list or the VTKHDF file is damaged.
pub(super) fn open(path: &Path, loaded: Loaded) -> Result<Opened, Flaw> {
    if vtk::is_list(&loaded.bytes) {
        let states = vtk::states(path, &loaded.bytes)?;
        let times = states.iter().map(|state| state.time).collect();
        let states = States::Listed(states);
        return Ok(Opened::Series(Series { path: path.to_path_buf(), times, states }));
    }
    if vtk::is_hdf(&loaded.bytes)
        && matches!(sniff::format(path, &loaded.bytes), Ok((Format::Vtk, _)))
    {
        let file = HdfFile::open(loaded.bytes, loaded.budget)?;
        let times = file.times().map(<[f64]>::to_vec).unwrap_or_default();
        let states = States::Hdf(Box::new(file));
        return Ok(Opened::Series(Series { path: path.to_path_buf(), times, states }));
    }
    Ok(Opened::Single(loaded))
}

/// Returns true if a file begins like a series: a `.pvd` list or an HDF5 file. Returns false for a
/// pipe, which is not opened.
pub fn may_be_series(path: &Path) -> bool {
    let head = if path.is_file() { cloud::head(path).unwrap_or_default() } else { Vec::new() };
    vtk::is_list(&head) || vtk::is_hdf(&head)
}

impl Series {
    /// Opens a series. Returns `None` if the file is neither a `.pvd` list nor a VTKHDF file with
    /// steps.
    ///
    /// # Errors
    /// Returns [`Error::Input`](zeroset_core::Error::Input) if the file cannot be read, or if it is
    /// a damaged series.
    pub fn open(path: &Path) -> Result<Option<Series>> {
        let opened = load::load(path).and_then(|loaded| open(path, loaded));
        match opened.map_err(|flaw| flaw.in_file(path))? {
            Opened::Series(series) if !series.times.is_empty() => Ok(Some(series)),
            _ => Ok(None),
        }
    }

    /// Returns the times of the states, in the unit of the file and in the order of the series.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Reads the mesh of the state with index `state`, like
    /// [`read_mesh_with`](super::read_mesh_with).
    ///
    /// # Errors
    /// Returns the errors of [`read_mesh_with`](super::read_mesh_with).
    pub fn read_mesh(&self, state: usize, options: &MeshOptions) -> Result<MeshFile> {
        self.mesh(state, options).map_err(|flaw| flaw.in_file(&self.path))
    }

    /// Reads the state with index `state`, a volume or a mesh, like [`read`](super::read).
    ///
    /// # Errors
    /// Returns the errors of [`read`](super::read).
    pub fn read(&self, state: usize, options: &VolumeOptions) -> Result<Content> {
        self.content(state, options).map_err(|flaw| flaw.in_file(&self.path))
    }

    /// Reads the volume of the state with index `state`, like
    /// [`read_volume`](super::read_volume).
    ///
    /// # Errors
    /// Returns the errors of [`read_volume`](super::read_volume).
    pub fn read_volume(&self, state: usize, options: &VolumeOptions) -> Result<VolumeFile> {
        self.volume(state, options).map_err(|flaw| flaw.in_file(&self.path))
    }

    /// Returns the index of the state to read. Also returns a warning if the series has several
    /// states and none was requested.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that lists the existing times if no state has the requested time.
    pub(super) fn pick(&self, asked: Option<Moment>) -> Result<(usize, Option<String>), Flaw> {
        if self.times.is_empty() {
            return Ok((0, None));
        }
        let state = asked.unwrap_or_default().pick(&self.times)?;
        let n = self.times.len();
        let warning = (asked.is_none() && n > 1).then(|| {
            let time = self.times[state];
            format!(
                "the last of {n} states is read, at time {time}; choose another with --time, or \
                 with `time` in a case"
            )
        });
        Ok((state, warning))
    }

    pub(super) fn mesh(&self, state: usize, options: &MeshOptions) -> Result<MeshFile, Flaw> {
        let mut file = match &self.states {
            States::Hdf(file) => finished(file.mesh(state)?, options)?,
            States::Listed(states) => match states[state].files.as_slice() {
                [single] => within(single, |loaded| mesh_of_loaded(single, loaded, options))?,
                parts => finished(vtk::read_parts(parts)?, options)?,
            },
        };
        file.warnings.extend(self.replaced(state));
        file.about.state = self.time_of(state, &file.about.state);
        Ok(file)
    }

    pub(super) fn volume(&self, state: usize, options: &VolumeOptions) -> Result<VolumeFile, Flaw> {
        let (mut file, warning) = match &self.states {
            States::Hdf(file) => {
                let found = file.volume(state, options)?.ok_or_else(volume::none)?;
                options.reject_segment()?;
                (found.spaced(options)?, None)
            }
            States::Listed(states) => {
                let single = single(&states[state])?;
                (
                    within(single, |loaded| volume::of_loaded(single, loaded, options))?,
                    self.replaced(state),
                )
            }
        };
        file.warnings.extend(warning);
        file.state = self.time_of(state, &file.state);
        Ok(file)
    }

    pub(super) fn content(&self, state: usize, options: &VolumeOptions) -> Result<Content, Flaw> {
        match self.volume(state, options) {
            Err(flaw) if flaw.kind() == FlawKind::Unfit => {
                self.mesh(state, &MeshOptions::default()).map(Content::Mesh)
            }
            found => found.map(Content::Volume),
        }
    }

    pub(super) fn data(&self, state: usize) -> Result<VertexData, Flaw> {
        let mut data = match &self.states {
            States::Listed(states) if states[state].files.len() == 1 => {
                let single = single(&states[state])?;
                within(single, |loaded| data_of_loaded(single, loaded))?
            }
            _ => vertex_data(self.mesh(state, &MeshOptions::default())?)?,
        };
        data.state = self.time_of(state, &data.state);
        Ok(data)
    }

    fn time_of(&self, state: usize, own: &StateTime) -> StateTime {
        let time = self.times.get(state).copied().or(own.time);
        StateTime { time, series: self.times.clone(), units: own.units.clone() }
    }

    /// Returns a warning if the list names several files for the same part of the state. Only the
    /// last of them is read.
    fn replaced(&self, state: usize) -> Option<String> {
        let States::Listed(states) = &self.states else { return None };
        let ListedState { time, replaced, .. } = states[state];
        (replaced > 0).then(|| {
            let files = counted(replaced, ["file is", "files are"]);
            plain(format!(
                "the list names several files with the time {time} and the same part: the last is \
                 read, {files} ignored"
            ))
        })
    }
}

/// Returns the only file of a state.
///
/// # Errors
/// Returns a [`Flaw`] if the state is divided into parts.
fn single(state: &ListedState) -> Result<&Path, Flaw> {
    match state.files.as_slice() {
        [single] => Ok(single),
        parts => {
            let what = format!("the state at time {} has {} parts", state.time, parts.len());
            let remedy = "parts are joined for meshes only; merge them in ParaView";
            Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unfit))
        }
    }
}

/// Loads a file that a list names, and passes it to `read`. Errors name the file.
fn within<T>(path: &Path, read: impl FnOnce(&Loaded) -> Result<T, Flaw>) -> Result<T, Flaw> {
    let named = |flaw: Flaw| flaw.of_file(path);
    let loaded = load::load(path).map_err(named)?;
    if vtk::is_list(&loaded.bytes) {
        let flaw = Flaw::whole("is a list within a list", "name the inner list itself");
        return Err(named(flaw.kind_of(FlawKind::Unsupported)));
    }
    read(&loaded).map_err(named)
}
