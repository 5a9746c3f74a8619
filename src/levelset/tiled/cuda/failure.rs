//! Why steps on the GPU stopped, in the words of the CPU.

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
    /// Where and why the step of at most `max_dt` that [`DeviceTiledEvolution::advance`] has failed
    /// with broke down: the CPU takes it again with the same `terms`, and tells. `None` if it does not
    /// break down there, where products and sums are not fused.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU fails, or the host has no memory for the step.
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

/// What stopped the steps, if it is a failure.
///
/// # Errors
/// That failure.
pub(super) fn check(now: &TileControl) -> Result<()> {
    let numerical =
        |what: String, remedy: &str| Err(Error::Numerical { what, remedy: remedy.into() });
    match now.halt() {
        Halt::Running | Halt::Arrived | Halt::Steady | Halt::Gone | Halt::NoRoom => Ok(()),
        Halt::Broken => numerical(
            format!(
                "phi is no number at {} voxels in step {} (time {:.6e}, dt {:.3e})",
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
            format!("step {} of length {} is lost beside time {}", now.step + 1, now.dt, now.time),
            "look at the coefficients: they are too large for a step of any use",
        ),
        Halt::OutOfRange => numerical(
            format!(
                "the interface needs a tile beyond those that are numbered from -{0} to {0} per axis",
                TileKey::LIMIT
            ),
            "take a larger dx, or put the origin nearer to the interface",
        ),
    }
}
