//! The target of a series of steps: the time and other conditions at which it ends.

/// The conditions at which a series of steps ends. Times are in the unit of the case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTarget {
    /// The current time of the schedule.
    pub clock: f64,
    /// The time that must not be passed. A step that would end within rounding of this time ends
    /// exactly at it.
    pub target: f64,
    /// The rate of change near the interface at or below which the steps stop, in the unit of phi
    /// per time. A negative value disables this condition.
    pub steady: f64,
    /// The maximum number of steps.
    pub steps: u64,
}

/// The progress toward a [`StepTarget`]. Times are in the unit of the case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advance {
    /// The number of steps done.
    pub steps: u64,
    /// The time of the schedule after these steps.
    pub clock: f64,
    /// The length of the last step.
    pub dt: f64,
    /// The largest change in phi per unit of time next to the interface, in the last step, in the
    /// unit of phi per time.
    pub rate: f64,
    /// Whether the time [`StepTarget::target`] was reached.
    pub landed: bool,
}

/// The relative amount by which a step may be lengthened to reach the target. A sum of many steps
/// misses the target by a rounding error, and no limit on the time step is that precise.
const REST: f64 = 1e-6;

/// Returns `dt`, or all of `rest` (the time left to the target) if the step would pass the target
/// or leave at most a millionth of `rest`. Such a remainder would need a useless step of its own.
pub(crate) fn up_to(dt: f64, rest: f64) -> f64 {
    if dt < rest * (1.0 - REST) { dt } else { rest }
}

impl StepTarget {
    /// Returns the length of the longest step that does not pass the target.
    pub fn largest_step(&self) -> f64 {
        self.target - self.clock
    }

    /// Returns the progress after one step of length `dt`.
    pub fn after(&self, dt: f64, rate: f64) -> Advance {
        // A remainder that is lost to rounding would only cause a step of zero length.
        let landed = self.target.is_finite() && dt >= self.largest_step() * (1.0 - 1e-12);
        let clock = if landed { self.target } else { self.clock + dt };
        Advance { steps: 1, clock, dt, rate, landed }
    }
}
