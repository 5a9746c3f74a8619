//! The state of a motion on a GPU, put away and taken up again: on this device or the other.

use std::sync::Arc;

use super::{DeviceTerms, DeviceTiledEvolution};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Cuda, Element};
use crate::grid::Stored;
use crate::levelset::tiled::{Options, SavedNumber, Seconds, TiledSnapshot};

impl<R: Real, const E: usize, S: Stored<R> + Element + SavedNumber> DeviceTiledEvolution<R, E, S> {
    /// The state between two steps.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the GPU fails, or memory for the copy.
    pub fn snapshot(&self) -> Result<TiledSnapshot> {
        let (grid, phi) = self.download()?;
        let seconds = Seconds { stages: self.seconds, ..Seconds::default() };
        let at = (self.time(), self.n_steps());
        TiledSnapshot::of::<R, S, E>(&grid, &phi, at, seconds)
    }

    /// Goes on from a [`TiledSnapshot`]: with the terms and options of the evolution it was taken
    /// from, every later step has the bits it would have had there.
    ///
    /// # Errors
    /// [`Error::Case`](crate::Error::Case) for a snapshot that does not fit; as
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
