//! The figures of an estimate.

use serde::Serialize;

use crate::primitives::memory::gibibytes;
use crate::run::task::Part;

/// A range that probably contains a number. The item that holds the range states the unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Span {
    /// The low end of the range.
    pub low: f64,
    /// The high end of the range.
    pub high: f64,
}

impl Span {
    /// Returns the range from the smaller to the larger of two numbers.
    pub(super) fn new(a: f64, b: f64) -> Self {
        Span { low: a.min(b), high: a.max(b) }
    }

    /// Returns a range that contains only one number.
    pub(super) fn exact(x: f64) -> Self {
        Span { low: x, high: x }
    }

    /// Returns the range from `x / factor` to `x * factor`.
    pub(super) fn around(x: f64, factor: f64) -> Self {
        Span { low: x / factor, high: x * factor }
    }

    /// Adds a number to both ends.
    pub(super) fn plus(self, x: f64) -> Self {
        Span { low: self.low + x, high: self.high + x }
    }

    /// Adds another range.
    pub(super) fn and(self, other: Span) -> Self {
        Span { low: self.low + other.low, high: self.high + other.high }
    }

    /// Returns the smallest range that contains this range and this range times a factor.
    pub(super) fn stretched(self, factor: f64) -> Self {
        Span { low: self.low * factor.min(1.0), high: self.high * factor.max(1.0) }
    }

    /// Multiplies two ranges of numbers that are not negative.
    pub(super) fn times(self, other: Span) -> Self {
        Span { low: self.low * other.low, high: self.high * other.high }
    }
}

impl Part {
    /// Returns the range of a quantity that is `x` for the whole computation if it is proportional
    /// to the number of items. A small part has larger fixed costs and more surface per item, and
    /// the cost of an item varies within a domain.
    pub(super) fn spread(&self, x: f64) -> Span {
        Span { low: x / 2.5, high: x * 1.5 }
    }
}

/// The largest factor by which a trend of the measured part changes a mean.
const STEEPEST: f64 = 3.0;

/// Returns the mean of a quantity over a whole run, divided by its mean over the measured part, if
/// it continues to grow or shrink evenly. In the part, `done` steps change it from `first` to
/// `last`; the run has `whole` steps.
pub(super) fn trend([first, last]: [f64; 2], done: f64, whole: f64) -> f64 {
    let mean = 0.5 * (first + last);
    let found = (first + 0.5 * (last - first) * whole / done) / mean;
    if found.is_finite() { found.clamp(1.0 / STEEPEST, STEEPEST) } else { 1.0 }
}

/// An estimate of the time, memory and disk space of a run, made from a part of it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// Whether the measured part is the whole run, so that nothing is extrapolated.
    pub is_complete: bool,
    /// The measured part.
    pub sample: Sample,
    /// Measured seconds for reading the inputs and setting up the solver.
    pub setup_seconds: f64,
    /// Number of steps. `None` for tasks without steps and if nothing in the case limits it.
    pub steps: Option<Span>,
    /// Seconds per step, without output. `None` for tasks without steps.
    pub step_seconds: Option<Span>,
    /// Whether the time step became shorter during the part, so that the run may have more steps.
    pub may_have_more_steps: bool,
    /// Whether the run may end earlier: at a steady state, or because the interface vanishes.
    pub may_end_earlier: bool,
    /// Number of states. `None` if it follows from an unknown number of steps.
    pub states: Option<Span>,
    /// Seconds for all output during which steps have to wait.
    pub output_seconds: Span,
    /// Seconds of the whole run. `None` if the number of steps is unknown.
    pub seconds: Option<Span>,
    /// The files, each with its number and size.
    pub files: Vec<FileEstimate>,
    /// Bytes of all files of the finished run. `None` if the number of states is unknown.
    pub disk: Option<Span>,
    /// Bytes of a checkpoint, if the run writes any. It is removed at the end of the run.
    pub checkpoint: Option<u64>,
    /// The largest number of bytes that this process has occupied so far, on Linux.
    pub peak_memory: Option<u64>,
    /// Free bytes of the file system that contains the run folder, on Unix.
    pub free_disk: Option<u64>,
    /// Bytes that this process could allocate before the part began, on Linux.
    pub available_memory: Option<u64>,
    /// Warnings about resources that do not suffice, one sentence each.
    pub warnings: Vec<String>,
}

/// The measured part of a run.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Sample {
    /// Seconds of steps with their output, or of solving.
    pub seconds: f64,
    /// Number of steps.
    pub steps: u64,
    /// Time that the steps have reached, in the unit of the case.
    pub time: f64,
    /// Number of states written.
    pub states: usize,
    /// The part of a computation without steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// Files of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileEstimate {
    /// Name of the file, with `*` in place of the number of the step.
    pub name: String,
    /// Mean bytes of a file in the measured part.
    pub bytes: u64,
    /// Whether there is one such file for each state.
    pub is_per_state: bool,
}

impl Estimate {
    /// Adds warnings about disk space and memory that do not suffice.
    pub(super) fn doubt(&mut self) {
        let most = self.disk.map(|disk| disk.high + 2.0 * self.checkpoint.unwrap_or(0) as f64);
        if let (Some(most), Some(free)) = (most, self.free_disk)
            && most > free as f64
        {
            self.warnings.push(format!(
                "the run may need {} of disk space, but only {} are free; write fewer states, or \
                 choose another folder with -o",
                gibibytes(most as u64),
                gibibytes(free)
            ));
        }
        if let (Some(peak), Some(available)) = (self.peak_memory, self.available_memory)
            && peak > available
        {
            self.warnings.push(format!(
                "the run needs at least {} of memory, but only {} are available; use a coarser \
                 domain or a machine with more memory",
                gibibytes(peak),
                gibibytes(available)
            ));
        }
    }
}
