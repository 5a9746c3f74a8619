//! The checkpoint file `checkpoint.zeroset`: everything a run needs to continue with bitwise
//! identical results.

mod container;
mod fields;

use std::collections::BTreeMap;
use std::path::Path;

use super::measures::Prefix;
use super::{Measures, Seconds};
use crate::error::Result;
use crate::levelset::evolution::Snapshot;
use crate::levelset::tiled::TiledSnapshot;

/// Name of the checkpoint in a run folder.
pub(crate) const CHECKPOINT: &str = "checkpoint.zeroset";

/// A BLAKE3 hash.
pub(crate) type Hash = [u8; 32];

/// The state of a run after a step, before the outputs of that step are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    /// Name, version, commit and executable hash of the program that wrote the checkpoint.
    pub program: String,
    pub identity: Identity,
    pub position: Position,
    pub written: Written,
    /// Seconds spent so far.
    pub seconds: Seconds,
    /// The measures of the first state. `last` holds those of the state that was measured last.
    pub first: Option<Measures>,
    pub last: Option<Measures>,
    pub state: State,
}

/// The state of a solver, which changes during a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    Mesh(Snapshot),
    Tiles(TiledSnapshot, Work),
}

impl State {
    /// Returns the seconds spent so far on steps and on reinitialization.
    pub fn seconds(&self) -> [f64; 2] {
        match self {
            State::Mesh(Snapshot { totals, .. }) => {
                [totals.evolve_seconds, totals.reinitialize_seconds]
            }
            State::Tiles(TiledSnapshot { seconds: s, .. }, _) => {
                [s.blocks + s.speed + s.stages, s.reinitialize]
            }
        }
    }
}

/// Work done so far by a run on tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    /// Whether the interface had vanished after the last step.
    pub is_extinct: bool,
    /// Voxel updates in the narrow band, summed over all steps.
    pub voxel_updates: u64,
    pub reinitializations: u64,
    /// Largest number of tiles so far. `most_bytes` is the largest size of tiles and values in
    /// bytes.
    pub most_tiles: u64,
    pub most_bytes: u64,
}

/// The case and the domain of a run. A resumed run must have the same case and domain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Identity {
    /// Hash of the case file and its overrides.
    pub case_hash: String,
    /// Every key of the case with its value, defaults included.
    pub settings: BTreeMap<String, String>,
    /// Number of vertices in the cleaned mesh. On tiles, it is 0, as are `n_cells` and the hashes
    /// of the mesh and of the patches.
    pub n_vertices: u64,
    pub n_cells: u64,
    /// Hash of the vertices and cells of the cleaned mesh.
    pub mesh: Hash,
    /// Hashes of the data arrays and groups, with names such as `vertex array "curv"`. On tiles,
    /// hashes of the volumes used as coefficients, with their keys.
    pub arrays: Vec<(String, Hash)>,
    /// Hash of phi as `[initial]` defines it. On tiles, it also covers the set of tiles.
    pub initial: Hash,
    /// Hash of the patch index of each vertex.
    pub patches: Hash,
}

/// The position in the time loop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// Index of the next output time.
    pub next_output: u64,
    pub time: f64,
    pub steps: u64,
    /// Size of the last time step.
    pub dt: f64,
    /// Whether a state must still be written for the last step.
    pub state_due: bool,
    /// Whether a line of measures must still be written for the last step.
    pub measures_due: bool,
    /// Why the run ends here, in words. Empty if the run continues.
    pub ended_by: String,
}

/// The outputs that had been written when the checkpoint was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Written {
    /// Step and time of each state.
    pub states: Vec<(u64, f64)>,
    /// Size and hash of the part of `measures.csv` that had been written.
    pub measures: Prefix,
}

impl Checkpoint {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// Returns [`Error::Output`](crate::Error::Output) if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        container::write(path, fields::length_of(self), |out| fields::encode(self, out))
    }

    /// Reads the file.
    ///
    /// # Errors
    /// Returns [`Error::Input`](crate::Error::Input) if the file is damaged or incomplete, or has
    /// another format version.
    pub fn read(path: &Path) -> Result<Self> {
        fields::decode(path, &container::read(path)?)
    }
}

#[cfg(test)]
mod tests;
