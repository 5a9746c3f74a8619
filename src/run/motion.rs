//! The interface between the time loop and a motion on a mesh or on tiles, on the CPU or on a GPU.
//!
//! The generic parameters (scalar type, tile edge) do not appear beyond this interface.
//! [`factory`](super::factory) chooses them, and the layers above use `dyn Motion`.

use super::states::MeshState;
use super::tiled::TiledState;
use super::writer::Late;
use crate::error::{Error, Result};
use crate::levelset::evolution::cuda::OnGpu;
use crate::levelset::evolution::{Advance, Choices, StepTarget, Totals};
use crate::levelset::volume::VolumeTotals;
use crate::output::{Drift, Measures, TileCounts, checkpoint};

/// An interface that moves in time.
pub(super) trait Motion: Send {
    /// Advances toward a target. Returns after one step on the CPU, and within a fraction of a
    /// second on a GPU.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if a step breaks down. The error refers to the user's vertices
    /// and expressions. Returns [`Error::Device`] if memory runs out.
    fn advance(&mut self, until: &StepTarget) -> Result<Advance>;

    /// Returns whether the interface has vanished.
    fn is_extinct(&self) -> bool;

    /// Measures the state. The caller fills in the step, the time and the time step.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or memory runs out.
    fn measure(&mut self) -> Result<Measures>;

    /// Returns the data of the current state, for its files.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or memory runs out.
    fn state(&mut self, step: u64, time: f64) -> Result<LateState>;

    /// Returns the part of the state that a picture shows.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or memory runs out.
    fn view(&mut self, step: u64, time: f64) -> Result<State>;

    /// Returns a snapshot of the solver as it is between two steps.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or memory runs out.
    fn snapshot(&mut self) -> Result<checkpoint::State>;

    /// Returns the vertices of the interface.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or memory runs out.
    fn interface(&mut self) -> Result<Vec<[f64; 3]>>;

    /// Returns the work done since the start of the run, including the work before a checkpoint.
    fn totals(&self) -> Totals;

    /// Returns the results of the corrections of the volume, if there are any.
    fn volume(&self) -> Option<VolumeTotals> {
        None
    }

    /// Returns the choices that the solver made for the domain.
    fn choices(&self) -> Choices {
        Choices::default()
    }

    /// Returns the quality values that are computed only once, at the end.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or memory runs out.
    fn quality(&mut self, _time: f64) -> Result<Quality> {
        Ok(Quality::default())
    }

    /// Returns the evolution if it is one on a mesh on a GPU.
    fn on_gpu(&mut self) -> Option<&mut dyn OnGpu> {
        None
    }

    /// Returns the counts of the tiles, if there are any. They include the size of the interface
    /// unless memory has run out (`is_full`).
    fn tiles(&mut self, _is_full: bool) -> Option<TileCounts> {
        None
    }
}

/// The quality of the final state of a motion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quality {
    /// Mean of `| |grad phi| - 1 |` in the narrow band. `None` on tiles.
    pub grad_norm_error: Option<f64>,
    /// Change of the mean weight along the interface of a weighted curvature flow.
    pub mean_weight: Option<Drift>,
}

/// The data of a state, for its files.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, moved a few times")]
pub(super) enum State {
    /// Values at the vertices of a mesh.
    Mesh(MeshState),
    /// The interface on tiles, and phi as a dense volume if requested.
    Tiles(TiledState),
}

impl State {
    /// Returns the values at the vertices of a mesh.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for a state on tiles.
    pub(super) fn of_mesh(&self) -> Result<&MeshState> {
        match self {
            State::Mesh(state) => Ok(state),
            State::Tiles(_) => Err(other("tiles", "a mesh")),
        }
    }

    /// Returns the interface of a state on tiles.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for a state on a mesh.
    pub(super) fn of_tiles(&self) -> Result<&TiledState> {
        match self {
            State::Tiles(state) => Ok(state),
            State::Mesh(_) => Err(other("a mesh", "tiles")),
        }
    }
}

/// Returns the error for a state of one kind of domain in a run on the other kind.
pub(super) fn other(found: &str, expected: &str) -> Error {
    let what = format!("the state belongs to {found}, but the run is on {expected}");
    Error::usage(what, "begin the run again with --overwrite")
}

/// A state that later steps do not change. Its data may still be being copied to the host.
pub(super) struct LateState {
    /// The data for the files of the state.
    pub state: Late<State>,
    /// The data of a checkpoint, if it can also be collected later.
    pub snapshot: Option<Late<checkpoint::State>>,
}
