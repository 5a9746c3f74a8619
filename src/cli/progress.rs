//! Shows the progress of a run: a bar on a terminal, otherwise plain lines every few seconds.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::json::Events;
use super::{Ui, memory};
use crate::run::{Observer, Progress};

/// Minimum time between two plain lines.
const PLAIN: Duration = Duration::from_secs(5);
/// Minimum time between two updates of the bar.
const DRAWN: Duration = Duration::from_millis(100);
/// The number of steps of the bar from empty to full.
const PARTS: u64 = 1000;

/// Returns the observer that reports the progress of a run: JSON events, a bar, or lines.
pub(super) fn observer(ui: &Ui) -> Box<dyn Observer + '_> {
    if ui.is_json() { Box::new(Events::new(ui)) } else { Box::new(Shown::new(ui)) }
}

/// Shows progress on the screen.
struct Shown<'a> {
    ui: &'a Ui,
    bar: Option<ProgressBar>,
    clock: Mutex<Clock>,
}

struct Clock {
    /// When the stage began.
    start: Instant,
    /// When progress was last shown.
    last: Instant,
}

impl<'a> Shown<'a> {
    fn new(ui: &'a Ui) -> Self {
        Shown { ui, bar: bar(ui), clock: Mutex::new(Clock::now()) }
    }
}

impl Clock {
    fn now() -> Self {
        let now = Instant::now();
        Clock { start: now, last: now }
    }
}

/// Returns a bar if standard error is a terminal and neither `--quiet` nor `--json` is given.
fn bar(ui: &Ui) -> Option<ProgressBar> {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    (terminal && !ui.is_quiet() && !ui.is_json()).then(|| {
        let bar = ui.bars().add(ProgressBar::new(PARTS));
        // A test checks that the template is valid.
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar
    })
}

const TEMPLATE: &str = "{bar:20} {wide_msg}";

impl Observer for Shown<'_> {
    fn stage(&self, name: &str) {
        memory::doing(name);
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).start = Instant::now();
        match &self.bar {
            Some(bar) => {
                bar.set_message(name.to_string());
                bar.tick();
            }
            None if self.ui.verbosity() > 0 => self.ui.say(name),
            None => {}
        }
    }

    fn step(&self, progress: &Progress) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let rhythm = if self.bar.is_some() { DRAWN } else { PLAIN };
        if now.duration_since(clock.last) < rhythm {
            return;
        }
        clock.last = now;
        let elapsed = now.duration_since(clock.start);
        let line = line(progress, elapsed);
        match &self.bar {
            Some(bar) => {
                bar.set_position((share(progress).unwrap_or(0.0) * PARTS as f64) as u64);
                bar.set_message(line);
            }
            None => self.ui.say(&line),
        }
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows the progress of work whose amount is known: a bar on a terminal, plain lines otherwise.
///
/// It shows nothing with `--json` or `--quiet`.
pub(super) struct Amount<'a> {
    ui: &'a Ui,
    what: &'static str,
    total: u64,
    bar: Option<ProgressBar>,
    /// The amount of finished work, and the clock.
    done: Mutex<(u64, Clock)>,
}

impl<'a> Amount<'a> {
    /// Starts showing the progress of `total` items; `what` is their name in the plural.
    pub(super) fn new(ui: &'a Ui, what: &'static str, total: u64) -> Self {
        Amount { ui, what, total, bar: bar(ui), done: Mutex::new((0, Clock::now())) }
    }

    /// Adds `n` finished items.
    pub(super) fn add(&self, n: u64) {
        let (done, clock) = &mut *self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += n;
        let now = Instant::now();
        let rhythm = if self.bar.is_some() { DRAWN } else { PLAIN };
        if self.ui.is_json() || now.duration_since(clock.last) < rhythm {
            return;
        }
        clock.last = now;
        let share = *done as f64 / self.total.max(1) as f64;
        let left = now.duration_since(clock.start).as_secs_f64() * (1.0 / share - 1.0);
        let line = format!("{} left, {done} of {} {}", human(left), self.total, self.what);
        match &self.bar {
            Some(bar) => {
                bar.set_position((share * PARTS as f64) as u64);
                bar.set_message(line);
            }
            None => self.ui.say(&line),
        }
    }
}

impl Drop for Amount<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns the finished fraction of this run or, if it was resumed, of the part since then. It is
/// the larger of the fractions of time and of steps, clamped to the range 0 to 1. Returns `None` if
/// the run has neither an end time nor a maximum number of steps, or if the fraction is not finite.
fn share(progress: &Progress) -> Option<f64> {
    let (first, begun) = progress.start;
    let by_time = progress.end_time.map(|end| (progress.time - begun) / (end - begun));
    let steps =
        |n: u64| progress.step.saturating_sub(first) as f64 / n.saturating_sub(first) as f64;
    let by_steps = progress.max_steps.map(steps);
    let share = by_time
        .into_iter()
        .chain(by_steps)
        .fold(None, |a: Option<f64>, b| Some(a.map_or(b, |a| a.max(b))));
    share.filter(|share| share.is_finite()).map(|share| share.clamp(0.0, 1.0))
}

/// Returns the steps per second, and the remaining seconds if they are known.
///
/// `elapsed` is the time since the steps began or were resumed.
pub(super) fn rate(progress: &Progress, elapsed: Duration) -> (f64, Option<f64>) {
    let seconds = elapsed.as_secs_f64();
    // `elapsed` does not include the time before a resume, so earlier steps do not count.
    let (step, time) = progress.start;
    let done = progress.step - step;
    let rate = if seconds > 0.0 { done as f64 / seconds } else { 0.0 };
    let start = share(&Progress { step, time, ..*progress }).unwrap_or(0.0);
    let share = share(progress).filter(|&share| share > start);
    (rate, share.map(|share| seconds * (1.0 - share) / (share - start)))
}

/// Returns a line such as "12 s left, step 120, time 1.2000e-2, dt 1.00e-4, 35 steps/s".
fn line(progress: &Progress, elapsed: Duration) -> String {
    let (rate, left) = rate(progress, elapsed);
    // The most important part comes first, because a narrow terminal cuts off the end.
    let left = left.map_or(String::new(), |left| format!("{} left, ", human(left)));
    let Progress { step, time, dt, .. } = progress;
    format!("{left}step {step}, time {time:.4e}, dt {dt:.2e}, {rate:.0} steps/s")
}

fn human(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(step: u64, time: f64, end_time: Option<f64>, max_steps: Option<u64>) -> Progress {
        Progress { step, time, dt: 0.1, end_time, max_steps, start: (0, 0.0) }
    }

    #[test]
    fn the_nearest_end_counts() {
        assert_eq!(share(&progress(5, 0.2, Some(1.0), None)), Some(0.2));
        assert_eq!(share(&progress(5, 0.2, Some(1.0), Some(10))), Some(0.5));
        assert_eq!(share(&progress(5, 0.2, None, None)), None);
        // The run was resumed at step 4 and time 100.
        let late = Progress { start: (4, 100.0), ..progress(5, 100.25, Some(101.0), Some(12)) };
        assert_eq!(share(&late), Some(0.25));
    }

    #[test]
    fn lines_say_rate_and_remaining_time() {
        let text = line(&progress(50, 0.25, Some(1.0), None), Duration::from_secs(10));
        assert_eq!(text, "30 s left, step 50, time 2.5000e-1, dt 1.00e-1, 5 steps/s");
        // The run was resumed at step 40: ten steps in ten seconds, a tenth of the total.
        let resumed = Progress { start: (40, 0.15), ..progress(50, 0.25, Some(1.0), None) };
        let text = line(&resumed, Duration::from_secs(10));
        assert_eq!(text, "75 s left, step 50, time 2.5000e-1, dt 1.00e-1, 1 steps/s");
        assert_eq!(human(600.0), "10 min");
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
