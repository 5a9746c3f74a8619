//! Handles Ctrl-C and the termination and hang-up signals.
//!
//! A run stops cleanly. Every other command ends at once and leaves no partial files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Ui, json};
use zeroset::atomic;
use zeroset::error::Error;
use zeroset::primitives::memory;

/// Time within which a second signal is ignored, because `timeout` and batch systems send a signal
/// to a process first and then to its group.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Returns a flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
pub(super) fn flag(ui: &Ui) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let (set, ui) = (flag.clone(), ui.clone());
    let mut first = None;
    handle(move || {
        set.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() >= AT_ONCE {
            end(&ui);
        }
    });
    flag
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
