//! Extrapolation of the steps of a run and of their output.

use super::figures::{Estimate, Sample, Span, trend};
use super::files::Written;
use super::sampler::{Event, Record};
use super::{Measured, UNSURE};
use crate::config::{Config, Drawn, Evolve, Output};
use crate::output::{Report, Status};
use crate::run::report_page::most_states;

/// A time step that becomes shorter by this factor within a quarter of the sample may continue to
/// do so.
const SHORTER: f64 = 0.98;

/// The steps of the measured part, and the number of steps of the whole run.
pub(super) struct Steps {
    is_complete: bool,
    last: Event,
    /// Number of steps of the whole run, if something limits it.
    steps: Option<Span>,
    may_have_more: bool,
    /// Seconds from the first output to the last step.
    stepping: f64,
    /// The seconds of this time that output took.
    output: f64,
    /// Seconds after the last step: the final picture and values.
    closing: f64,
    /// Seconds for the reports of the measured part.
    pages: f64,
}

impl Steps {
    pub(super) fn new(measured: &Measured, config: &Config) -> Self {
        let Measured { report, record, computed, pages, .. } = measured;
        let setup = record.setup.unwrap_or(*computed);
        let none = Event { seconds: setup, step: 0, time: record.start_time, dt: 0.0 };
        let last = record.events.last().copied().unwrap_or(none);
        let closing = (computed - last.seconds).max(0.0);
        // The picture of the last state is drawn after the last step.
        let picture = config.output.picture.as_ref().filter(|picture| picture.every == Drawn::Last);
        let late = if picture.is_some() { closing } else { 0.0 };
        let is_complete = report.status == Status::Finished;
        let evolve = config.evolve.clone().unwrap_or_default();
        let (steps, may_have_more) = match is_complete {
            true => (Some(Span::exact(report.steps as f64)), false),
            false => number(record, &evolve, &config.output),
        };
        Steps {
            is_complete,
            last,
            steps,
            may_have_more,
            stepping: last.seconds - setup,
            output: (report.seconds.output - late).max(0.0),
            closing,
            pages: *pages,
        }
    }

    /// Returns the estimate of the run.
    pub(super) fn estimate(
        self,
        measured: &Measured,
        config: &Config,
        files: Written,
        peak_memory: Option<u64>,
    ) -> Estimate {
        let Measured { report, record, computed, .. } = measured;
        let evolve = config.evolve.clone().unwrap_or_default();
        let n = self.last.step.max(1) as f64;
        let each = ((self.stepping - self.output) / n).max(0.0);
        let each = match self.is_complete {
            true => Span::exact(each),
            false => Span::around(each, UNSURE).stretched(self.change(report)),
        };
        let states = self.states(report, record.start_time, &evolve, &config.output);
        let rows = match (config.output.measures_every, self.steps) {
            (_, _) if self.is_complete => Some(Span::exact(files.rows as f64)),
            (None, _) => states,
            (Some(every), steps) => {
                let of_steps = |steps: Span| steps.times(Span::exact(1.0 / every.max(1) as f64));
                states.zip(steps.map(of_steps)).map(|(states, more)| states.and(more))
            }
        };
        let shown = |states: f64| states.min(most_states(config) as f64).max(1.0);
        let growth = states.map_or(1.0, |states| shown(states.high) / shown(report.states as f64));
        // Most states are written while steps continue, and the run waits for the last one.
        let per_row = self.output / files.rows.max(1) as f64;
        let output = match rows {
            Some(rows) if !self.is_complete => rows.times(Span::new(0.5 * per_row, per_row)),
            _ => Span::exact(self.output),
        };
        let seconds = match self.is_complete {
            true => Some(Span::exact(computed + self.pages)),
            false => self.steps.map(|steps| {
                let setup = record.setup.unwrap_or(0.0);
                let pages = Span::new(self.pages, growth * self.pages);
                steps.times(each).and(output).and(pages).plus(setup + self.closing)
            }),
        };
        let disk = match (self.is_complete, states, rows) {
            (true, ..) => Some(Span::exact(files.total())),
            (false, Some(states), Some(rows)) => {
                Some(files.extrapolated(states, rows, report.states, growth, self.steps))
            }
            _ => None,
        };
        Estimate {
            is_complete: self.is_complete,
            sample: Sample {
                seconds: self.stepping,
                steps: self.last.step,
                time: self.last.time,
                states: report.states,
                part: None,
            },
            setup_seconds: record.setup.unwrap_or(*computed),
            steps: self.steps,
            step_seconds: Some(each),
            may_have_more_steps: self.may_have_more,
            may_end_earlier: !self.is_complete && ends_earlier(report, record, &evolve),
            states,
            output_seconds: output,
            seconds,
            files: files.listed(),
            disk,
            checkpoint: files.checkpoint,
            peak_memory,
            free_disk: None,
            available_memory: None,
            warnings: Vec::new(),
        }
    }

    /// Returns the mean time of a step in the run, divided by that in the measured part, if this
    /// time depends on the size of the interface.
    fn change(&self, report: &Report) -> f64 {
        match (&report.first, &report.last, self.steps) {
            (Some(first), Some(last), Some(steps)) => {
                let whole = 0.5 * (steps.low + steps.high);
                trend([first.interface, last.interface], self.last.step as f64, whole)
            }
            _ => 1.0,
        }
    }

    /// Returns the number of states in the whole run.
    fn states(
        &self,
        report: &Report,
        start: f64,
        evolve: &Evolve,
        output: &Output,
    ) -> Option<Span> {
        if self.is_complete {
            return Some(Span::exact(report.states as f64));
        }
        match (output.every, output.interval) {
            (Some(every), _) => {
                let whole = |steps: f64| 1.0 + (steps / every.max(1) as f64).ceil();
                self.steps.map(|steps| Span::new(whole(steps.low), whole(steps.high)))
            }
            (None, Some(interval)) => {
                // A run whose steps are limited may end before its end time.
                let end = evolve.end_time.filter(|_| evolve.max_steps.is_none());
                let by_steps = || {
                    let dt = (self.last.time - start) / self.last.step.max(1) as f64;
                    self.steps.map(|steps| steps.times(Span::exact(dt)).plus(start))
                };
                let ends = end.map(Span::exact).or_else(by_steps)?;
                let whole = |end: f64| {
                    let first = (start / interval + 1e-9).floor();
                    1.0 + ((end / interval - 1e-9).ceil() - first).max(1.0)
                };
                Some(Span::new(whole(ends.low), whole(ends.high)))
            }
            (None, None) => Some(Span::exact(2.0)),
        }
    }
}

/// Returns the number of steps of a run, and whether its steps became shorter in the measured part.
fn number(record: &Record, evolve: &Evolve, output: &Output) -> (Option<Span>, bool) {
    let most = evolve.max_steps.map(|n| n as f64);
    let Some((last, end)) = record.events.last().zip(evolve.end_time) else {
        return (most.map(Span::exact), false);
    };
    let at = |step: u64| {
        let first = Event { seconds: 0.0, step: 0, time: record.start_time, dt: 0.0 };
        record.events.iter().rev().find(|event| event.step <= step).copied().unwrap_or(first)
    };
    let mean = |from: u64, to: u64| {
        let (from, to) = (at(from), at(to));
        (to.step > from.step).then(|| (to.time - from.time) / (to.step - from.step) as f64)
    };
    let n = last.step;
    let whole = mean(0, n).unwrap_or(last.dt);
    let (third, fourth) = (mean(n / 2, n - n / 4), mean(n - n / 4, n));
    let [third, fourth] = [third, fourth].map(|dt| dt.unwrap_or(whole));
    let left = (end - last.time).max(0.0);
    // Every output time ends a step.
    let fewest = output.interval.map_or(0.0, |interval| (left / interval).floor());
    let steps = |dt: f64| n as f64 + (left / dt).max(fewest);
    let limited = |steps: f64| most.map_or(steps, |most| steps.min(most));
    let found = Span::new(limited(steps(third)), limited(steps(fourth)));
    let is_known = found.high.is_finite();
    (is_known.then_some(found), is_known && fourth < SHORTER * third)
}

/// Returns whether a run may end before its end time and its largest number of steps.
fn ends_earlier(report: &Report, record: &Record, evolve: &Evolve) -> bool {
    let (Some(first), Some(last), Some(end)) = (&report.first, &report.last, evolve.end_time)
    else {
        return evolve.steady.is_some();
    };
    let rate = (first.enclosed - last.enclosed) / (last.time - record.start_time);
    let vanishes = rate > 0.0 && last.time + last.enclosed / rate < end;
    evolve.steady.is_some() || vanishes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(dts: &[f64]) -> Record {
        let mut record = Record { setup: Some(1.0), ..Record::default() };
        let mut time = 0.0;
        for (k, &dt) in dts.iter().enumerate() {
            time += dt;
            record.events.push(Event { seconds: 1.0, step: k as u64 + 1, time, dt });
        }
        record
    }

    fn evolve(end_time: Option<f64>, max_steps: Option<u64>) -> Evolve {
        let mut evolve = Evolve::default();
        (evolve.end_time, evolve.max_steps) = (end_time, max_steps);
        evolve
    }

    #[test]
    fn the_last_time_steps_count() {
        let even = record(&[0.1; 8]);
        let count =
            |record: &Record, end, most| number(record, &evolve(end, most), &Output::default());
        let (steps, more) = count(&even, Some(10.0), None);
        assert!((steps.unwrap().low - 100.0).abs() < 1e-9 && !more);
        assert_eq!(count(&even, Some(10.0), Some(50)).0, Some(Span::exact(50.0)));
        assert_eq!(count(&even, None, Some(50)).0, Some(Span::exact(50.0)));
        assert_eq!(count(&even, None, None), (None, false));
        // The first steps are ten times as long.
        let (steps, more) =
            count(&record(&[1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.05, 0.05]), Some(10.0), None);
        let steps = steps.unwrap();
        assert!((steps.low - (8.0 + 57.0)).abs() < 1e-6, "{steps:?}");
        assert!((steps.high - (8.0 + 114.0)).abs() < 1e-6 && more, "{steps:?}");
        let mut output = Output::default();
        output.interval = Some(0.01);
        let (steps, _) = number(&even, &evolve(Some(1.0), None), &output);
        assert!(steps.unwrap().low >= 8.0 + 19.0, "each output time ends a step");
    }
}
