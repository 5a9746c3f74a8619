//! Steps between two moments at which something is due.

/// How far steps may go before something is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTarget {
    /// Time now, as the schedule counts it.
    pub clock: f64,
    /// Time not to be passed; a step that would come within rounding of it lands there.
    pub target: f64,
    /// Rate of change near the interface at which to stop; negative for never.
    pub steady: f64,
    /// Steps at most.
    pub steps: u64,
}

/// What was done of a [`StepTarget`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advance {
    /// Steps done.
    pub steps: u64,
    /// Time reached, as the schedule counts it.
    pub clock: f64,
    /// Length of the last step.
    pub dt: f64,
    /// Largest change of phi per time in the last step, next to the interface.
    pub rate: f64,
    /// Whether the target was reached.
    pub landed: bool,
}

/// Part of a step by which it is made longer where that brings it to what is due: the sum of many
/// steps that should end there misses it by rounding, and no bound of a step is that sharp.
const REST: f64 = 1e-6;

/// A step of length `dt`, or of all the `rest` to what is due: `rest` too if the step would leave less than a
/// millionth of it, which would be a step of its own for nothing.
pub(crate) fn up_to(dt: f64, rest: f64) -> f64 {
    if dt < rest * (1.0 - REST) { dt } else { rest }
}

impl StepTarget {
    /// Longest next step.
    pub fn largest_step(&self) -> f64 {
        self.target - self.clock
    }

    /// What a step of length `dt` comes to.
    pub fn after(&self, dt: f64, rate: f64) -> Advance {
        // A rest that is lost in rounding would only make a step of no length.
        let landed = self.target.is_finite() && dt >= self.largest_step() * (1.0 - 1e-12);
        let clock = if landed { self.target } else { self.clock + dt };
        Advance { steps: 1, clock, dt, rate, landed }
    }
}
