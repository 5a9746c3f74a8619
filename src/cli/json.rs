//! The output of `--json`: one JSON object per line, each with a key `event`.

use std::fmt::Display;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::progress::rate;
use super::shortened::shortened;
use super::{Ui, memory};
use crate::error::Error;
use crate::run::{Observer, Progress};

/// Minimum time between two reported steps.
const RHYTHM: Duration = Duration::from_millis(200);

/// Reports stages and steps as events on standard error.
pub(super) struct Events<'a> {
    ui: &'a Ui,
    clock: Mutex<Clock>,
}

struct Clock {
    /// When the stage began.
    start: Instant,
    /// When a step was last reported.
    last: Option<Instant>,
    /// The last step, if it has not been reported.
    untold: Option<Progress>,
}

impl<'a> Events<'a> {
    pub(super) fn new(ui: &'a Ui) -> Self {
        let clock = Clock { start: Instant::now(), last: None, untold: None };
        Events { ui, clock: Mutex::new(clock) }
    }

    fn tell(&self, event: &Value) {
        self.ui.say(&event.to_string());
    }

    /// Reports the last step if it has been held back.
    fn finish(&self) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(progress) = clock.untold.take() {
            self.tell(&step(&progress, clock.start.elapsed()));
        }
    }
}

impl Observer for Events<'_> {
    fn stage(&self, name: &str) {
        memory::doing(name);
        self.finish();
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        *clock = Clock { start: Instant::now(), last: None, untold: None };
        self.tell(&json!({ "event": "stage", "name": name }));
    }

    fn step(&self, progress: &Progress) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if clock.last.is_some_and(|last| now.duration_since(last) < RHYTHM) {
            clock.untold = Some(*progress);
            return;
        }
        (clock.last, clock.untold) = (Some(now), None);
        self.tell(&step(progress, now.duration_since(clock.start)));
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}

fn step(progress: &Progress, elapsed: Duration) -> Value {
    let (rate, remaining) = rate(progress, elapsed);
    json!({
        "event": "step",
        "step": progress.step,
        "time": progress.time,
        "dt": progress.dt,
        "rate_steps_per_second": rate,
        "remaining_seconds": remaining,
    })
}

/// Returns the JSON line for a warning.
pub(super) fn warning(message: &impl Display) -> String {
    let message = message.to_string();
    json!({ "event": "warning", "level": "warn", "message": shortened(&message) }).to_string()
}

/// Returns the JSON line with which a failing program ends.
pub(super) fn error(error: &Error) -> String {
    let kind = match error {
        Error::Case { .. } => "case",
        Error::Input { .. } => "input",
        Error::Mesh { .. } => "mesh",
        Error::Numerical { .. } => "numerical",
        Error::Device { .. } => "device",
        Error::Output { .. } => "output",
        Error::Interrupted => "interrupted",
    };
    let (message, exit_code) = (error.to_string(), error.exit_code());
    let message = shortened(&message);
    json!({ "event": "error", "kind": kind, "message": message, "exit_code": exit_code })
        .to_string()
}

/// Returns the JSON line with which an interrupted run ends. It contains the command that resumes
/// the run, if the run can be resumed.
pub(super) fn interrupted(resume: Option<&str>) -> String {
    let exit_code = Error::Interrupted.exit_code();
    json!({ "event": "interrupted", "resume": resume, "exit_code": exit_code }).to_string()
}

/// Returns the line for standard output at the end of a run, with its report and its results path.
pub(super) fn end(report: &impl Serialize, results: &Path, exit_code: u8) -> String {
    let results = results.display().to_string();
    let end =
        json!({ "event": "end", "exit_code": exit_code, "results": results, "report": report });
    format!("{end}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_tells_rate_and_remaining_time() {
        let progress = Progress {
            step: 50,
            time: 0.25,
            dt: 0.1,
            end_time: Some(1.0),
            max_steps: None,
            start: (0, 0.0),
        };
        let event = step(&progress, Duration::from_secs(10));
        assert_eq!(event["rate_steps_per_second"], 5.0);
        assert_eq!(event["remaining_seconds"], 30.0);
        let open = Progress { end_time: None, ..progress };
        assert!(step(&open, Duration::from_secs(10))["remaining_seconds"].is_null());
    }

    #[test]
    fn errors_have_kind_and_exit_code() {
        let event: Value =
            serde_json::from_str(&error(&Error::usage("no \"x\"", "add it"))).unwrap();
        let expected = json!({
            "event": "error", "kind": "case", "message": "no \"x\"; add it", "exit_code": 2,
        });
        assert_eq!(event, expected);
    }
}
