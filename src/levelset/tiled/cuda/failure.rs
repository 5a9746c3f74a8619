//! Error messages for steps that stopped on the GPU. To find the voxel, the step is repeated on the
//! CPU.

use std::sync::Arc;

use super::DeviceTiledEvolution;
use crate::Cpu;
use crate::error::{Error, Result};
use crate::gpu::Element;
use crate::grid::cuda::{Halt, TileControl};
use crate::grid::{Stored, TileKey};
use crate::levelset::evolution::at_rest_forever;
use crate::levelset::tiled::coefficients::Speed;
use crate::levelset::tiled::{Breakdown, Terms, TiledEvolution, Wide};

impl<R: Wide, const E: usize, S: Stored<R> + Element> DeviceTiledEvolution<R, E, S> {
    /// Returns the location and cause of the failure of the last [`DeviceTiledEvolution::advance`].
    /// The CPU repeats the failed step, which is at most `max_dt` long, with the same `terms`.
    /// Returns `None` if the step succeeds on the CPU, where products and sums are not fused.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails or the host has no memory for the step.
    pub fn breakdown(
        &self,
        terms: &Terms<R>,
        cpu: Arc<Cpu>,
        max_dt: f64,
    ) -> Result<Option<Breakdown>> {
        let (grid, phi) = self.download()?;
        let again = TiledEvolution::<R, E, S>::new(grid, phi, terms, self.options, cpu)?;
        let mut again = again.starting_at(self.time(), self.n_steps());
        match again.step(max_dt) {
            Err(error @ Error::Device { .. }) => Err(error),
            _ => Ok(again.breakdown().copied()),
        }
    }
}

/// Checks whether the steps stopped because of a failure.
///
/// # Errors
/// Returns that failure.
pub(super) fn check(now: &TileControl) -> Result<()> {
    let numerical =
        |what: String, remedy: &str| Err(Error::Numerical { what, remedy: remedy.into() });
    match now.halt() {
        Halt::Running | Halt::Arrived | Halt::Steady | Halt::Gone | Halt::NoRoom => Ok(()),
        Halt::Broken => numerical(
            format!(
                "phi is NaN at {} voxels in step {} (time {:.6e}, dt {:.3e})",
                now.not_a_number,
                now.step + 1,
                now.time + now.dt,
                now.dt
            ),
            "lower evolve.cfl, or check the coefficients",
        ),
        Halt::BadCoefficient => Speed::flawed(true, false).checked(now.bad_time).map(drop),
        Halt::Negative => Speed::flawed(false, true).checked(now.bad_time).map(drop),
        Halt::AtRest => Err(at_rest_forever(now.step + 1)),
        Halt::Lost => numerical(
            format!(
                "time step {} of length {} is too small to advance time {}",
                now.step + 1,
                now.dt,
                now.time
            ),
            "check the coefficients: they are too large for a useful time step",
        ),
        Halt::OutOfRange => numerical(
            format!(
                "the interface needs a tile outside the range from -{0} to {0} per axis",
                TileKey::LIMIT
            ),
            "use a larger dx, or move the origin closer to the interface",
        ),
    }
}
