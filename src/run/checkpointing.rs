//! Checkpoints of a run: when they are written, and how a run resumes from them.

use std::path::PathBuf;
use std::time::Instant;

use super::identity;
use super::schedule::{Due, End, Schedule};
use super::time_loop::Point;
use crate::config::{Checkpoints, Config, Evolve, Output};
use crate::error::Result;
use crate::output::checkpoint::{Checkpoint, Identity, Position, State, Written};
use crate::output::{Measures, Report, Seconds};

/// An interrupted run, without the state of its solver.
pub(super) struct Stopped {
    pub identity: Identity,
    pub position: Position,
    pub written: Written,
    /// Seconds spent before the run stopped.
    pub seconds: Seconds,
    /// Measures of the first state. `last` holds those of the state that was measured last.
    pub first: Option<Measures>,
    pub last: Option<Measures>,
}

impl Stopped {
    /// Separates the state of the solver from the rest of a checkpoint.
    pub(super) fn of(checkpoint: Checkpoint) -> (Self, State) {
        let Checkpoint { identity, position, written, seconds, first, last, state, .. } =
            checkpoint;
        (Stopped { identity, position, written, seconds, first, last }, state)
    }
}

/// Returns the identity of a run that writes checkpoints or resumes from one, or `None` for other
/// runs.
///
/// A resumed run must have the identity stored in its checkpoint.
///
/// # Errors
/// Returns the errors of `of` and of [`identity::check_domain`].
pub(super) fn identify(
    config: &Config,
    stopped: Option<&Stopped>,
    of: impl FnOnce() -> Result<Identity>,
) -> Result<Option<Identity>> {
    if config.output.checkpoint == Checkpoints::Never && stopped.is_none() {
        return Ok(None);
    }
    let identity = of()?;
    if let Some(stopped) = stopped {
        identity::check_domain(config, &identity, &stopped.identity)?;
    }
    Ok(Some(identity))
}

/// Writer of the checkpoints of a run.
pub(super) struct Keeper {
    path: PathBuf,
    rule: Checkpoints,
    identity: Identity,
    /// The time at which this part of the run began. `earlier` is the number of seconds spent in
    /// earlier parts.
    begun: Instant,
    earlier: f64,
    last: Instant,
}

impl Keeper {
    /// Creates a keeper that writes to `path`. `begun` is the time at which this part of the run
    /// began, and `earlier` is the number of seconds spent in earlier parts.
    pub(super) fn new(
        path: PathBuf,
        rule: Checkpoints,
        identity: Identity,
        (begun, earlier): (Instant, f64),
    ) -> Self {
        Keeper { path, rule, identity, begun, earlier, last: Instant::now() }
    }

    /// Returns whether this part of the run or an earlier one has written a checkpoint.
    pub(super) fn has_one(&self) -> bool {
        self.path.exists()
    }

    /// Returns whether a checkpoint is due after `steps` steps.
    pub(super) fn is_due(&self, steps: u64) -> bool {
        match self.rule {
            Checkpoints::Every(n) => steps.is_multiple_of(n.max(1)),
            Checkpoints::Minutes(x) => self.last.elapsed().as_secs_f64() >= 60.0 * x,
            Checkpoints::Never => false,
        }
    }

    /// Returns the number of steps until the next checkpoint if checkpoints are due by steps, and
    /// the largest `u64` otherwise.
    pub(super) fn steps_to_next(&self, steps: u64) -> u64 {
        match self.rule {
            Checkpoints::Every(n) => n.max(1) - steps % n.max(1),
            Checkpoints::Minutes(_) | Checkpoints::Never => u64::MAX,
        }
    }

    /// Writes a checkpoint and returns whether this succeeded. If it fails, the run continues
    /// without the checkpoint.
    pub(super) fn save(
        &mut self,
        state: State,
        point: &Point,
        written: Written,
        report: &Report,
    ) -> bool {
        let mut seconds = report.seconds;
        [seconds.evolve, seconds.reinitialize] = state.seconds();
        seconds.total = self.earlier + self.begun.elapsed().as_secs_f64();
        let checkpoint = Checkpoint {
            program: identity::program(),
            identity: self.identity.clone(),
            position: point.position(),
            written,
            seconds,
            first: report.first,
            last: report.last,
            state,
        };
        self.last = Instant::now();
        match checkpoint.write(&self.path) {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(
                    "cannot write the checkpoint of step {}: {error}",
                    point.schedule.steps()
                );
                false
            }
        }
    }
}

impl Point {
    fn position(&self) -> Position {
        Position {
            next_output: self.schedule.next_output(),
            time: self.schedule.time(),
            steps: self.schedule.steps(),
            dt: self.dt,
            state_due: self.due.state,
            measures_due: self.due.measures,
            ended_by: self.due.end.map_or("", End::words).to_string(),
        }
    }

    /// Returns the point of the time loop at which a checkpoint was written.
    pub(super) fn resumed(evolve: &Evolve, output: &Output, position: &Position) -> Self {
        let Position { next_output, time, steps, dt, state_due, measures_due, ended_by } = position;
        let schedule = Schedule::new(evolve, output).at(*next_output, *time, *steps);
        // A run that may not take another step has ended, even if the file says otherwise.
        let spent = *steps >= evolve.max_steps.unwrap_or(u64::MAX);
        let end = End::from_words(ended_by).or(spent.then_some(End::Steps));
        Point { schedule, due: Due { state: *state_due, measures: *measures_due, end }, dt: *dt }
    }
}
