//! Work on a separate thread, while the thread of the caller handles signals and progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::Result;
use zeroset::api::Control;
use zeroset::run::{Observer, Progress};

use crate::errors::{panicked, raised};
use crate::log;

/// How often the caller's thread looks for signals and reports progress.
const RHYTHM: Duration = Duration::from_millis(20);

/// The stack of the working thread in bytes: as large as that of the main thread of a program.
const STACK: usize = 8 << 20;

/// Runs `work` without the interpreter lock. `progress` is a Python function that is called with
/// the keywords of [`Latest::tell`], or `None`.
///
/// If the user presses Ctrl-C, or if `progress` raises an exception, the parallel loops of `work`
/// end, so `work` must make new values only.
///
/// # Errors
/// Returns the exception for an error or a panic of `work`, and those of signal handlers and of
/// `progress`.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> Result<T> + Send,
) -> PyResult<T> {
    run_to_a_stop(py, progress, |control| control.interruptible(|| work(control)))
}

/// Runs `work` without the interpreter lock on the thread of the caller, which saves the time of
/// starting a thread. Signals are handled afterwards, so the work must end soon.
///
/// # Errors
/// Returns the exception for an error or a panic of `work`.
pub fn at_once<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let work = std::panic::AssertUnwindSafe(work);
    match py.detach(|| std::panic::catch_unwind(work)) {
        Ok(result) => result.map_err(raised),
        Err(panic) => Err(panicked(&*panic)),
    }
}

/// As [`run`], for work that changes values or writes files. It must end by itself, soon after the
/// flag of its [`Control`] is set.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn run_to_a_stop<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> Result<T> + Send,
) -> PyResult<T> {
    let latest = Arc::new(Latest::default());
    let stop = Arc::new(AtomicBool::new(false));
    let control = Control::default().interrupt(stop.clone()).observer(latest.clone());
    let (result, refused) = py.detach(|| {
        std::thread::scope(|scope| {
            let caller = std::thread::current();
            let control = &control;
            let started =
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                    // The result is ready before the caller is woken up.
                    let result =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(control)));
                    caller.unpark();
                    result
                });
            let worker = match started {
                Ok(worker) => worker,
                Err(error) => {
                    let text = format!("the system cannot start a thread: {error}");
                    return (None, Some(PyMemoryError::new_err(text)));
                }
            };
            let mut refused = None;
            while !worker.is_finished() {
                std::thread::park_timeout(RHYTHM);
                if worker.is_finished() {
                    break;
                }
                let heard = Python::attach(|py| {
                    py.check_signals()?;
                    progress.map_or(Ok(()), |progress| latest.tell(py, progress))
                });
                if let Err(error) = heard {
                    stop.store(true, Ordering::Relaxed);
                    refused.get_or_insert(error);
                }
            }
            (Some(worker.join()), refused)
        })
    });
    if let Some(error) = refused {
        return Err(error);
    }
    match result {
        Some(Ok(Ok(result))) => result.map_err(raised),
        Some(Ok(Err(panic)) | Err(panic)) => Err(panicked(&*panic)),
        None => Err(PyMemoryError::new_err("no thread was started")),
    }
}

/// The latest progress of the work, until it is passed on.
#[derive(Default)]
struct Latest {
    stage: Mutex<Option<String>>,
    step: Mutex<Option<Progress>>,
}

impl Observer for Latest {
    fn stage(&self, name: &str) {
        log::stage(name);
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_string());
    }

    fn step(&self, progress: &Progress) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = Some(*progress);
    }
}

impl Latest {
    /// Calls `progress` if there is something new to report: `stage` is the name of a stage that
    /// has begun or `None`, and `step`, `time`, `dt`, `end_time` and `max_steps` describe the last
    /// step.
    fn tell(&self, py: Python<'_>, progress: &Py<PyAny>) -> PyResult<()> {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).take();
        let step = self.step.lock().unwrap_or_else(PoisonError::into_inner).take();
        if stage.is_none() && step.is_none() {
            return Ok(());
        }
        let news = PyDict::new(py);
        news.set_item("stage", stage)?;
        if let Some(step) = step {
            news.set_item("step", step.step)?;
            news.set_item("time", step.time)?;
            news.set_item("dt", step.dt)?;
            news.set_item("end_time", step.end_time)?;
            news.set_item("max_steps", step.max_steps)?;
        }
        progress.call1(py, (news,)).map(drop)
    }
}
