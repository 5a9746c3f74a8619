//! Options of a motion.

use crate::api::Control;
use crate::levelset::evolution::Advection;
use crate::levelset::volume::VolumeCorrection;

/// Options of [`evolve_with`](super::evolve_with) and [`begin`](super::begin). The defaults are
/// those of a case file. All times and durations are in the time unit of the terms, and times are
/// absolute.
///
/// ```
/// use zeroset::Terms;
/// use zeroset::api::EvolveOptions;
///
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
/// let options = EvolveOptions::default().until(0.5).every(0.25);
/// let growing = Terms::default().normal_speed(1.0);
/// let times: Vec<f64> = zeroset::evolve_with(&mesh, "x - 0.2", &growing, options)?
///     .map(|state| Ok(state?.time))
///     .collect::<zeroset::Result<_>>()?;
/// assert_eq!(times, [0.0, 0.25, 0.5]);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EvolveOptions {
    /// The time at which the motion ends, later than `start_time`.
    pub until: Option<f64>,
    /// The time between states, > 0.
    pub every: Option<f64>,
    /// The number of steps between states, at least 1.
    pub every_steps: Option<u64>,
    /// The largest number of steps.
    pub max_steps: Option<u64>,
    /// Ends the motion when phi near the interface changes at most this fast (mesh units per time,
    /// above 0).
    pub steady: Option<f64>,
    /// The CFL factor, without a unit, > 0 and at most 2; 1 by default.
    pub cfl: Option<f64>,
    /// The longest step if a term depends on time, > 0.
    pub max_step: Option<f64>,
    /// The time at which the motion begins, 0 by default.
    pub start_time: Option<f64>,
    /// Excludes cells with a vertex where this expression is 0 or NaN.
    pub mask: Option<String>,
    /// How the volume of the inside is corrected.
    pub volume_correction: VolumeCorrection,
    /// The scheme of advection; Taylor-Galerkin by default.
    pub advection: Option<Advection>,
    /// Progress and cancellation.
    pub control: Control,
}

impl EvolveOptions {
    /// Sets the time at which the motion ends, in the time unit of the terms.
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }

    /// Returns options for an interface that takes no step until
    /// [`continue_with`](super::Evolution::continue_with) is called.
    pub(super) fn paused(time: f64) -> Self {
        // A motion without speed needs an end time.
        let until = Some(time + 1.0);
        EvolveOptions { until, max_steps: Some(0), ..EvolveOptions::default() }
    }

    /// Returns whether these options are those of [`paused`](Self::paused).
    pub(super) fn is_paused(&self) -> bool {
        self.max_steps == Some(0)
    }

    /// Sets the time between states, in the time unit of the terms.
    pub fn every(mut self, interval: f64) -> Self {
        self.every = Some(interval);
        self
    }

    /// Sets the number of steps between states.
    pub fn every_steps(mut self, steps: u64) -> Self {
        self.every_steps = Some(steps);
        self
    }

    /// Sets the largest number of steps.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// Ends the motion when phi near the interface changes at most this fast (mesh units per time,
    /// above 0).
    pub fn steady(mut self, rate: f64) -> Self {
        self.steady = Some(rate);
        self
    }

    /// Sets the CFL factor, > 0 and at most 2.
    pub fn cfl(mut self, factor: f64) -> Self {
        self.cfl = Some(factor);
        self
    }

    /// Sets the longest step if a term depends on time, in the time unit of the terms.
    pub fn max_step(mut self, duration: f64) -> Self {
        self.max_step = Some(duration);
        self
    }

    /// Sets the time at which the motion begins, in the time unit of the terms.
    pub fn start_time(mut self, time: f64) -> Self {
        self.start_time = Some(time);
        self
    }

    /// Excludes cells with a vertex where an expression is 0 or NaN.
    pub fn mask(mut self, expression: impl Into<String>) -> Self {
        self.mask = Some(expression.into());
        self
    }

    /// Sets how the volume of the inside is corrected.
    pub fn volume_correction(mut self, correction: VolumeCorrection) -> Self {
        self.volume_correction = correction;
        self
    }

    /// Sets the scheme of advection.
    pub fn advection(mut self, advection: Advection) -> Self {
        self.advection = Some(advection);
        self
    }

    /// Sets how the motion reports its progress and is canceled.
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }
}
