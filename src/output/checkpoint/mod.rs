//! `checkpoint.zeroset`: all that a run needs to go on with the same bits.

mod container;
mod fields;

use std::collections::BTreeMap;
use std::path::Path;

use super::measures::Prefix;
use super::{Measures, Seconds};
use crate::error::Result;
use crate::levelset::evolution::Snapshot;
use crate::levelset::tiled::TiledSnapshot;

/// Name of the file in the folder of a run.
pub(crate) const CHECKPOINT: &str = "checkpoint.zeroset";

/// A BLAKE3 hash.
pub(crate) type Hash = [u8; 32];

/// A run between a step and its outputs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    /// Name, version and commit of the program that wrote it.
    pub program: String,
    pub identity: Identity,
    pub position: Position,
    pub written: Written,
    /// Spent so far.
    pub seconds: Seconds,
    /// The first state, and the one measured last.
    pub first: Option<Measures>,
    pub last: Option<Measures>,
    pub state: State,
}

/// All that changes in what moves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    Mesh(Snapshot),
    Tiles(TiledSnapshot, Work),
}

impl State {
    /// Seconds of steps and of reinitialization so far.
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

/// What a run on tiles has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    /// No interface was left after the last step.
    pub is_gone: bool,
    /// Updates of voxels in the band by all steps.
    pub voxel_updates: u64,
    pub reinitializations: u64,
    /// Most tiles there were, and most bytes of tiles and values.
    pub most_tiles: u64,
    pub most_bytes: u64,
}

/// What a run computes, and on what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Identity {
    /// Hash of the case file and its overrides.
    pub case_hash: String,
    /// Every key of the case with its value, defaults included.
    pub settings: BTreeMap<String, String>,
    /// Of the cleaned mesh; 0 on tiles, as all of a mesh is.
    pub n_vertices: u64,
    pub n_cells: u64,
    /// Of vertices and cells of the cleaned mesh.
    pub mesh: Hash,
    /// Of the data arrays, by "vertex" or "cell" and name.
    pub arrays: Vec<(String, Hash)>,
    /// Of phi as `[initial]` gives it, on tiles also of which there are.
    pub initial: Hash,
    /// Of the patch of each vertex.
    pub patches: Hash,
}

/// Where the time loop is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// Number of the next output time.
    pub next_output: u64,
    pub time: f64,
    pub steps: u64,
    /// Length of the last step.
    pub dt: f64,
    /// A state has still to be written for the last step.
    pub state_due: bool,
    /// A line of measures has still to be written for it.
    pub measures_due: bool,
    /// Why the run ends here, in words; empty if it does not.
    pub ended_by: String,
}

/// What the run had written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    /// Step and time of each state.
    pub states: Vec<(u64, f64)>,
    /// The lines of measures.csv.
    pub measures: Prefix,
}

impl Checkpoint {
    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// [`Error::Output`](crate::Error::Output).
    pub fn write(&self, path: &Path) -> Result<()> {
        container::write(path, fields::length_of(self), |out| fields::encode(self, out))
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) if it is damaged, cut short or of another version.
    pub fn read(path: &Path) -> Result<Self> {
        fields::decode(path, &container::read(path)?)
    }
}

#[cfg(test)]
mod tests;
