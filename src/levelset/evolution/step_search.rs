//! The search for the longest time step that the bounds of time-dependent coefficients allow.
//! kernels/common/step_search.cuh is the counterpart for GPUs.

zeroset_gpu::cuda_header! {
    "step_search";

    /// A step within this factor of the longest possible one is long enough.
    const ENOUGH: f64 = 1.1;
    /// The largest number of steps that are examined.
    const MOST_TRIALS: u32 = 40;
}

/// The search for a step between the longest one that is known to be allowed and the shortest one
/// that is known not to be.
///
/// A step is allowed if it does not exceed the limit that follows from the bounds of the
/// coefficients over this step. As the step gets longer, the limit falls or stays the same, so the
/// limit of a step that is too long is an allowed step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepSearch {
    allowed: f64,
    too_long: f64,
    trial: f64,
    trials: u32,
    /// Whether the allowed step has been examined, and is not only the limit of a longer step.
    is_examined: bool,
}

impl StepSearch {
    /// Starts a search for a step of at most `longest`.
    pub fn new(longest: f64) -> Self {
        let (allowed, too_long) = (0.0, longest);
        StepSearch { allowed, too_long, trial: longest, trials: 0, is_examined: false }
    }

    /// Returns the length of the step to examine next.
    pub fn trial(&self) -> f64 {
        self.trial
    }

    /// Returns the length of the shortest step that was found to be too long, or of the longest
    /// step to consider if none was.
    pub fn too_long(&self) -> f64 {
        self.too_long
    }

    /// Takes the limit for the trial step. Returns the length of the step to take if the search
    /// ends, otherwise `None`.
    pub fn learn(&mut self, limit: f64) -> Option<f64> {
        let is_first = self.trials == 0;
        self.trials += 1;
        if limit >= self.trial {
            (self.allowed, self.is_examined) = (self.trial, true);
            if is_first {
                return Some(self.trial);
            }
        } else {
            self.too_long = self.trial;
            // The limit hardly grows for shorter steps.
            let is_flat = !is_first && !self.is_examined && limit <= ENOUGH * self.allowed;
            if limit > self.allowed {
                (self.allowed, self.is_examined) = (limit, false);
            }
            if is_flat {
                return Some(self.allowed);
            }
        }
        let is_enough = self.too_long <= ENOUGH * self.allowed;
        // If nothing is allowed, even the shortest step would move the interface too far.
        if is_enough || self.trials >= MOST_TRIALS || self.allowed <= 0.0 {
            return Some(self.allowed);
        }
        self.trial = (self.allowed * self.too_long).sqrt();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::StepSearch;

    /// Returns the step found, and the number of steps examined.
    fn search(longest: f64, limit: impl Fn(f64) -> f64) -> (f64, u32) {
        let mut search = StepSearch::new(longest);
        for n in 1.. {
            if let Some(dt) = search.learn(limit(search.trial())) {
                return (dt, n);
            }
        }
        unreachable!()
    }

    #[test]
    fn the_step_is_allowed_and_almost_the_longest() {
        // A speed that hardly changes.
        assert_eq!(search(0.1, |_| 0.1), (0.1, 1));
        assert_eq!(search(0.1, |dt| 0.0999 - 0.01 * dt).1, 1);
        // Nothing moves before t = 1. Later, steps of 0.01 are allowed.
        let valve = |dt: f64| if dt < 1.0 { f64::INFINITY } else { 0.01 };
        let (dt, n) = search(10.0, valve);
        assert!(dt > 0.9 && dt < 1.0 && n < 12, "{dt} {n}");
        assert_eq!(search(0.5, valve), (0.5, 1));
        // The speed is proportional to the time: dt * dt <= 0.01.
        let (dt, n) = search(1.0, |dt| 0.01 / dt);
        assert!(dt > 0.09 && dt <= 0.1 && n < 8, "{dt} {n}");
        assert_eq!(search(1.0, |_| 0.0), (0.0, 1));
    }
}
