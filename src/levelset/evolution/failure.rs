//! Why a step failed, in the words that the processor and a GPU share.

use crate::error::Error;

/// A step that nothing bounds.
pub(super) fn at_rest_forever(step: u64) -> Error {
    Error::Numerical {
        what: format!("nothing moves in step {step}, so its length has no limit"),
        remedy: "give evolve.end_time, or coefficients that are not zero in the band".into(),
    }
}

/// A step so short that the time does not move.
pub(crate) fn lost(dt: f64, time: f64, step: u64) -> Error {
    Error::Numerical {
        what: format!(
            "the time step of {dt:.3e} is lost beside the time {time:.6e} in step {step}"
        ),
        remedy: "a coefficient is too large, or a cell is too flat: see `zeroset info`".into(),
    }
}

/// A vertex whose phi is no longer a finite number after a step.
pub(super) fn broken(vertex: u32, step: u64, time: f64, dt: f64) -> Error {
    Error::Numerical {
        what: format!(
            "phi is no longer a finite number at vertex {vertex} in step {step} (time {time:.6e}, dt \
             {dt:.3e})"
        ),
        remedy: "lower evolve.cfl, or check the coefficients there".into(),
    }
}
