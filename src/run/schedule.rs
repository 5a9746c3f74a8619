//! The schedule of a run: when states and measures are due and when the run ends.

use crate::config::{Evolve, Output};
use crate::levelset::evolution::{Advance, StepTarget};

/// The outputs that are due after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Due {
    pub state: bool,
    pub measures: bool,
    pub end: Option<End>,
}

/// The reason why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Time,
    Steps,
    Steady,
    Gone,
}

impl End {
    /// Returns the reason in words, for the report.
    pub(super) fn words(self) -> &'static str {
        match self {
            End::Time => "end_time reached",
            End::Steps => "max_steps done",
            End::Steady => "steady state",
            End::Gone => "interface gone",
        }
    }

    /// Returns the reason that has this description, or `None` if there is none.
    pub(super) fn from_words(words: &str) -> Option<Self> {
        [End::Time, End::Steps, End::Steady, End::Gone].into_iter().find(|end| end.words() == words)
    }
}

/// The output times and the end of a run.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    end_time: f64,
    max_steps: u64,
    steady: f64,
    every: Option<u64>,
    interval: Option<f64>,
    measures_every: Option<u64>,
    /// Index of the next output time, which is `next * interval`.
    next: u64,
    time: f64,
    steps: u64,
    /// The time beyond which the current steps must not go.
    target: f64,
}

impl Schedule {
    pub(super) fn new(evolve: &Evolve, output: &Output) -> Self {
        Schedule {
            end_time: evolve.end_time.unwrap_or(f64::INFINITY),
            max_steps: evolve.max_steps.unwrap_or(u64::MAX),
            // Rates are never negative, so -1 disables the end at a steady state.
            steady: evolve.steady.unwrap_or(-1.0),
            every: output.every,
            interval: output.interval,
            measures_every: output.measures_every,
            next: 1,
            time: 0.0,
            steps: 0,
            target: f64::INFINITY,
        }
    }

    /// Returns the schedule of a run that begins at time `start`. Output times are multiples of the
    /// interval.
    pub(super) fn starting(self, start: f64) -> Self {
        // A start that differs from an output time only by rounding counts as that time.
        let next = self.interval.map_or(1.0, |dt| (start / dt + 1e-9).floor() + 1.0);
        Schedule { next: next.max(0.0) as u64, time: start, ..self }
    }

    /// Returns the schedule at a later point. `next` is the index of the next output time.
    pub(super) fn at(self, next: u64, time: f64, steps: u64) -> Self {
        Schedule { next, time, steps, ..self }
    }

    /// Returns the index of the next output time.
    pub(super) fn next_output(&self) -> u64 {
        self.next
    }

    /// Returns whether the run may not take another step.
    pub(super) fn is_spent(&self) -> bool {
        self.steps >= self.max_steps
    }

    /// Returns whether the end time is reached.
    pub(super) fn is_past(&self) -> bool {
        self.time >= self.end_time
    }

    pub(super) fn time(&self) -> f64 {
        self.time
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the target for the next steps. It allows at most `steps` steps, and does not go
    /// beyond the next output or the end of the run.
    pub(super) fn until(&mut self, steps: u64) -> StepTarget {
        self.target = match self.interval {
            // An output time that differs from the end time only by rounding counts as the end
            // time.
            Some(dt) if self.next as f64 * dt < self.end_time - 1e-9 * dt => self.next as f64 * dt,
            _ => self.end_time,
        };
        let rest = |n: u64| n - self.steps % n;
        let rhythms = [self.every, self.measures_every].into_iter().flatten();
        let steps = rhythms.map(rest).fold(steps.min(self.max_steps - self.steps), u64::min);
        StepTarget {
            clock: self.time,
            target: self.target,
            steady: self.steady,
            steps: steps.max(1),
        }
    }

    /// Updates the schedule after the steps `done` and returns what is due. `gone` states whether
    /// the interface has vanished.
    pub(super) fn arrive(&mut self, done: &Advance, gone: bool) -> Due {
        self.time = done.clock;
        self.steps += done.steps;
        let mut due = Due::default();
        if let Some(interval) = self.interval
            && done.landed
            && self.time == self.next as f64 * interval
        {
            self.next = self.next.saturating_add(1);
            due.state = true;
        }
        due.state |= self.every.is_some_and(|n| self.steps.is_multiple_of(n));
        due.end = if gone {
            Some(End::Gone)
        } else if self.is_past() {
            Some(End::Time)
        } else if done.steps > 0 && done.rate <= self.steady {
            Some(End::Steady)
        } else if self.is_spent() {
            Some(End::Steps)
        } else {
            None
        };
        due.state |= due.end.is_some();
        due.measures =
            due.state || self.measures_every.is_some_and(|n| self.steps.is_multiple_of(n));
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn schedule(evolve: &str, output: &str) -> Schedule {
        let text = format!(
            "version = 1\n[domain.mesh]\npath = \"m\"\n[initial]\ndata = \"phi\"\n[evolve]\n\
             curvature = 1\n{evolve}\n[output]\n{output}\n"
        );
        let config = Config::parse(&text, "case.toml".as_ref(), &[]).unwrap();
        Schedule::new(config.evolve.as_ref().unwrap(), &config.output)
    }

    /// Takes one step of at most `dt`.
    fn step(schedule: &mut Schedule, dt: f64, rate: f64, gone: bool) -> Due {
        let until = schedule.until(u64::MAX);
        let dt = dt.min(until.largest_step());
        assert!(dt > 0.0);
        schedule.arrive(&until.after(dt, rate), gone)
    }

    /// Takes steps of at most `dt` until the end. Returns the times at which states were due, and
    /// the reason for the end.
    fn states(schedule: &mut Schedule, dt: f64) -> (Vec<f64>, End) {
        let mut times = Vec::new();
        for _ in 0..100_000 {
            let due = step(schedule, dt, 1.0, false);
            if due.state {
                times.push(schedule.time());
            }
            if let Some(end) = due.end {
                return (times, end);
            }
        }
        panic!("no end");
    }

    #[test]
    fn output_times_and_the_end_are_hit_exactly() {
        let mut run = schedule("end_time = 0.7", "interval = 0.1");
        let (times, end) = states(&mut run, 0.03);
        let expected: Vec<f64> =
            (1..=7).map(|k| if k == 7 { 0.7 } else { f64::from(k) * 0.1 }).collect();
        // In floating point, 7 * 0.1 is greater than 0.7, so the end time comes first.
        assert_eq!(times, expected);
        assert_eq!(end, End::Time);
        // There are four steps per interval.
        assert_eq!(run.steps(), 28);
    }

    #[test]
    fn output_times_after_a_later_start_are_the_same() {
        for (start, first) in [(0.3, 0.4), (0.1 + 0.2, 0.4), (0.35, 0.4), (0.0, 0.1), (-0.05, 0.0)]
        {
            let mut run = schedule("end_time = 0.55", "interval = 0.1").starting(start);
            let (times, end) = states(&mut run, 0.03);
            assert!((times[0] - first).abs() < 1e-15, "{start}: {times:?}");
            assert_eq!((times.last(), end), (Some(&0.55), End::Time));
        }
    }

    #[test]
    fn an_end_that_is_no_output_time_is_written_too() {
        let mut run = schedule("end_time = 0.25", "interval = 0.1");
        assert_eq!(states(&mut run, 1.0), (vec![0.1, 0.2, 0.25], End::Time));
    }

    #[test]
    fn steps_count_for_output_and_end() {
        let mut run = schedule("max_steps = 7", "every = 3");
        let (times, end) = states(&mut run, 1.0);
        assert_eq!((times, end), (vec![3.0, 6.0, 7.0], End::Steps));
    }

    #[test]
    fn measures_have_their_own_rhythm_and_come_with_states() {
        let mut run = schedule("max_steps = 5", "every = 3\nmeasures_every = 2");
        let due: Vec<bool> = (0..5).map(|_| step(&mut run, 1.0, 1.0, false).measures).collect();
        assert_eq!(due, [false, true, true, true, true]);
    }

    #[test]
    fn steady_state_and_a_lost_interface_end_a_run() {
        let mut run = schedule("steady = 1e-3", "");
        assert_eq!(step(&mut run, 1.0, 1e-2, false).end, None);
        assert_eq!(step(&mut run, 1.0, 1e-3, false).end, Some(End::Steady));
        assert_eq!(step(&mut run, 1.0, 1.0, true).end, Some(End::Gone));
        let mut still = schedule("end_time = 5", "");
        assert_eq!(step(&mut still, 1.0, 0.0, false).end, None);
    }

    #[test]
    fn without_rhythm_only_the_end_is_written() {
        let mut run = schedule("end_time = 1", "");
        assert_eq!(states(&mut run, 0.3), (vec![1.0], End::Time));
    }

    #[test]
    fn stretches_end_where_something_is_due() {
        let mut run = schedule("max_steps = 20", "every = 6\nmeasures_every = 4");
        assert_eq!(run.until(u64::MAX).steps, 4);
        assert_eq!(run.until(3).steps, 3);
        for _ in 0..5 {
            step(&mut run, 1.0, 1.0, false);
        }
        assert_eq!(run.until(u64::MAX).steps, 1);
        for _ in 5..18 {
            step(&mut run, 1.0, 1.0, false);
        }
        assert_eq!(run.until(u64::MAX).steps, 2);
    }
}
