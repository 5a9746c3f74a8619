//! Why steps on the card stopped, in the words of the CPU.

use crate::error::{Error, Result};
use crate::grid::TileKey;
use crate::grid::cuda::{Halt, TileControl};
use crate::levelset::tiled::coefficients::Speed;

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
                "phi is no number in {} voxels in step {} (time {:.6e}, dt {:.3e})",
                now.not_a_number,
                now.step + 1,
                now.time + now.dt,
                now.dt
            ),
            "lower evolve.cfl, or check the coefficients",
        ),
        Halt::BadCoefficient => Speed::flawed(true, false).checked(now.bad_time).map(drop),
        Halt::Negative => Speed::flawed(false, true).checked(now.bad_time).map(drop),
        Halt::AtRest => numerical(
            format!("nothing moves at step {}, and no end is set", now.step + 1),
            "give a term, or a time to stop at",
        ),
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
