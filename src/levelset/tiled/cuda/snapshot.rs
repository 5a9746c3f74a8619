//! Saving and restoring the state of a motion on a GPU. The CPU or a GPU can continue from a saved
//! state.

use std::sync::Arc;

use super::{DeviceTerms, DeviceTiledEvolution};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Cuda, Element};
use crate::grid::Stored;
use crate::levelset::tiled::{Options, SavedNumber, Seconds, TiledSnapshot};

impl<R: Real, const E: usize, S: Stored<R> + Element + SavedNumber> DeviceTiledEvolution<R, E, S> {
    /// Returns a snapshot of the state, from which the evolution can be resumed.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or there is no memory for
    /// the copy.
    pub fn snapshot(&self) -> Result<TiledSnapshot> {
        let (grid, phi) = self.download()?;
        let seconds = Seconds { stages: self.seconds, ..Seconds::default() };
        let at = (self.time(), self.n_steps());
        TiledSnapshot::of::<R, S, E>(&grid, &phi, at, seconds)
    }

    /// Resumes an evolution from a [`TiledSnapshot`]. With the terms and options of the original
    /// evolution, all later steps are bitwise identical to those of an uninterrupted run.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if the snapshot has a different number type or
    /// tile edge, if its tiles are inconsistent, or if phi is not finite. See also
    /// [`DeviceTiledEvolution::new`].
    pub fn resume(
        cuda: &Arc<Cuda>,
        snapshot: TiledSnapshot,
        terms: &DeviceTerms,
        options: Options,
    ) -> Result<Self> {
        let TiledSnapshot { time, steps, seconds: s, .. } = snapshot;
        let (grid, phi) = snapshot.restore::<R, S, E>(options.gamma)?;
        let at = (time, steps);
        let mut evolution = Self::starting_at(cuda, &grid, &phi, terms, options, None, at)?;
        evolution.seconds = s.blocks + s.speed + s.stages + s.reinitialize;
        Ok(evolution)
    }
}
