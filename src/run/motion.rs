//! A motion in time, as the time loop sees it: on a mesh or on tiles, on the CPU or on a GPU.
//!
//! The scalar types and the edge of the tiles end here: [`factory`](super::factory) chooses them, and the layers above know
//! a motion as `dyn Motion`.

use super::states::MeshState;
use super::tiled::TiledState;
use super::writer::Late;
use crate::error::{Error, Result};
use crate::levelset::evolution::{Advance, Choices, StepTarget, Totals};
use crate::output::{Drift, Measures, TileCounts, checkpoint};

/// An interface that moves in time.
pub(super) trait Motion {
    /// Goes on towards a target, or for a part of the way that the user does not wait long for.
    ///
    /// # Errors
    /// [`Error::Numerical`] for a step that breaks down, in the numbers and expressions that the user knows;
    /// [`Error::Device`] where memory gives out.
    fn advance(&mut self, stretch: &StepTarget) -> Result<Advance>;

    /// True if there is no interface left.
    fn is_gone(&self) -> bool;

    /// Measures of the state; its step, time and step length are the loop's to fill in.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn measure(&mut self) -> Result<Measures>;

    /// All that is written of the state, as it stands now.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn state(&mut self, step: u64, time: f64) -> Result<LateState>;

    /// As much of the state as a picture shows.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn view(&mut self, step: u64, time: f64) -> Result<State>;

    /// All that changes, between two steps.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn snapshot(&mut self) -> Result<checkpoint::State>;

    /// Vertices of the interface.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn interface(&mut self) -> Result<Vec<[f64; 3]>>;

    /// Work since the start, that before a checkpoint included.
    fn totals(&self) -> Totals;

    /// What was chosen by the look of the domain.
    fn choices(&self) -> Choices {
        Choices::default()
    }

    /// Numbers that are found once, at the end.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn quality(&mut self, _time: f64) -> Result<Quality> {
        Ok(Quality::default())
    }

    /// The tiles, if there are any. The interface is counted too, unless memory has given out: `is_full`.
    fn tiles(&mut self, _is_full: bool) -> Option<TileCounts> {
        None
    }
}

/// How good the end of a motion is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quality {
    /// Mean of `| |grad phi| - 1 |` in the band.
    pub grad_norm_error: Option<f64>,
    /// Change of the mean weight along the interface of a weighted curvature flow.
    pub mean_weight: Option<Drift>,
}

/// All that is written of a state.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, moved a few times")]
pub(super) enum State {
    /// Values at the vertices of a mesh.
    Mesh(MeshState),
    /// The interface of tiles.
    Tiles(TiledState),
}

impl State {
    /// The values at the vertices of a mesh.
    ///
    /// # Errors
    /// [`Error::Case`] for a state of tiles.
    pub(super) fn of_mesh(&self) -> Result<&MeshState> {
        match self {
            State::Mesh(state) => Ok(state),
            State::Tiles(_) => Err(other("tiles", "a mesh")),
        }
    }

    /// The interface of tiles.
    ///
    /// # Errors
    /// [`Error::Case`] for a state of a mesh.
    pub(super) fn of_tiles(&self) -> Result<&TiledState> {
        match self {
            State::Tiles(state) => Ok(state),
            State::Mesh(_) => Err(other("a mesh", "tiles")),
        }
    }
}

/// A state of one domain where files or checkpoints are of another.
pub(super) fn other(found: &str, expected: &str) -> Error {
    let what = format!("the state is one of {found}, the run is on {expected}");
    Error::usage(what, "begin the run again with --overwrite")
}

/// A state that later steps do not change.
pub(super) struct LateState {
    /// What is written of it.
    pub state: Late<State>,
    /// What a checkpoint takes of it, if that can wait too.
    pub snapshot: Option<Late<checkpoint::State>>,
}
