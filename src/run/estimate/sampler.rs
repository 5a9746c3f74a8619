//! The observer of the first part of a run, which records its steps and stops it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::config::{Config, SeriesFormat};
use crate::run::{Observer, Progress};

/// A point of a run after one or more steps and the output that was due there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Event {
    /// Seconds since the run began.
    pub seconds: f64,
    pub step: u64,
    pub time: f64,
    pub dt: f64,
}

/// The events of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// Seconds from the beginning of the run to its first output. `None` without steps.
    pub setup: Option<f64>,
    /// Time at which the run begins.
    pub start_time: f64,
    pub events: Vec<Event>,
    /// Bytes of the file for all states, at the time when it held only the first one.
    pub first_size: Option<u64>,
}

/// Records the steps of a run, and stops it some seconds after its first output was due.
pub(super) struct Sampler<'a> {
    observer: &'a dyn Observer,
    begun: Instant,
    seconds: f64,
    stop: AtomicBool,
    record: Mutex<Record>,
    /// The file that holds all states, if the case requests one.
    grows: Option<PathBuf>,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler that stops a run in `folder` after `seconds`. Stages are passed on to
    /// `observer`.
    pub(super) fn new(
        observer: &'a dyn Observer,
        seconds: f64,
        folder: &Path,
        config: &Config,
    ) -> Self {
        let is_one = config.output.format == SeriesFormat::Vtkhdf;
        Sampler {
            observer,
            begun: Instant::now(),
            seconds,
            stop: AtomicBool::new(false),
            record: Mutex::default(),
            grows: is_one.then(|| folder.join(format!("{}.vtkhdf", config.name()))),
        }
    }

    /// Returns the flag that stops the run.
    pub(super) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Returns what has been recorded.
    pub(super) fn record(&self) -> Record {
        self.locked().clone()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Sampler<'_> {
    fn stage(&self, name: &str) {
        self.observer.stage(name);
    }

    fn writes(&self) {
        self.locked().setup = Some(self.begun.elapsed().as_secs_f64());
    }

    fn step(&self, progress: &Progress) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let mut record = self.locked();
        record.start_time = progress.start.1;
        let Progress { step, time, dt, .. } = *progress;
        record.events.push(Event { seconds, step, time, dt });
        if record.first_size.is_none() {
            let size = self.grows.as_ref().and_then(|file| std::fs::metadata(file).ok());
            record.first_size = size.map(|file| file.len());
        }
        if seconds - record.setup.unwrap_or(0.0) >= self.seconds {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
