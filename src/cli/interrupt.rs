//! Handles Ctrl-C and the termination and hang-up signals.
//!
//! A run that has begun to write files stops cleanly. Before that, and in every other command, the
//! program ends at once. No partial files are left.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Ui, json};
use crate::atomic;
use crate::error::Error;
use crate::primitives::memory;
use crate::run::{Observer, Progress};

/// Time within which a second signal is ignored, because `timeout` and batch systems send a signal
/// to a process first and then to its group.
const AT_ONCE: Duration = Duration::from_millis(500);

/// The reaction of a run to Ctrl-C.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Whether the run has begun to write. The lock is held while the program ends.
    writes: Arc<Mutex<bool>>,
}

impl Interrupt {
    /// Sets the effect of Ctrl-C. Until the run begins to write, Ctrl-C ends the program at once.
    /// Afterwards, the first Ctrl-C sets a flag, and another one at least [`AT_ONCE`] later ends
    /// the program at once.
    pub fn of_run(ui: &Ui) -> Self {
        let interrupt = Interrupt::default();
        let (this, ui) = (interrupt.clone(), ui.clone());
        let mut first = None;
        handle(move || {
            let writes = this.writes.lock().unwrap_or_else(PoisonError::into_inner);
            if !*writes {
                end(&ui);
            }
            this.flag.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() >= AT_ONCE {
                end(&ui);
            }
        });
        interrupt
    }

    /// Returns the flag that Ctrl-C sets.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// Returns an observer that wraps another one and notes when the run begins to write.
    pub fn watching<'a>(&'a self, observer: &'a dyn Observer) -> impl Observer + 'a {
        Watching { interrupt: self, observer }
    }
}

struct Watching<'a> {
    interrupt: &'a Interrupt,
    observer: &'a dyn Observer,
}

impl Observer for Watching<'_> {
    fn stage(&self, name: &str) {
        self.observer.stage(name);
    }

    fn writes(&self) {
        *self.interrupt.writes.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.observer.writes();
    }

    fn step(&self, progress: &Progress) {
        self.observer.step(progress);
    }
}

/// Makes Ctrl-C end the program at once. Partial files are removed.
pub(super) fn ends_the_program(ui: &Ui) {
    let ui = ui.clone();
    handle(move || end(&ui));
}

fn handle(handler: impl FnMut() + 'static + Send) {
    // The handler waits in a separate thread.
    let handled = match memory::room_for_threads(1) {
        true => ctrlc::set_handler(handler).map_err(|e| e.to_string()),
        false => Err("not enough memory for a thread".into()),
    };
    if let Err(e) = handled {
        tracing::warn!("Ctrl-C will leave partial files behind: {e}");
    }
}

fn end(ui: &Ui) {
    atomic::abandon();
    match ui.is_json() {
        true => ui.complain(&json::error(&Error::Interrupted)),
        false => ui.complain(&format!("error: {}", Error::Interrupted)),
    }
    std::process::exit(i32::from(Error::Interrupted.exit_code()));
}
