//! Catches panics of third-party parsers and suppresses their output.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use zeroset_core::parallel::is_interruption;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}
static HOOK: Once = Once::new();

/// Runs `work`. If it panics, returns the panic message as an error and prints nothing.
///
/// The process has one panic hook for all threads. The first call therefore wraps it, and a
/// thread-local flag states whether the current thread is silenced.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    outcome.map_err(|payload| {
        if is_interruption(&*payload) {
            resume_unwind(payload);
        }
        match payload.downcast_ref::<&str>() {
            Some(text) => text.to_string(),
            None => payload.downcast_ref::<String>().cloned().unwrap_or_default(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors() {
        assert_eq!(quietly(|| 3), Ok(3));
        assert_eq!(quietly(|| panic!("no {}", 4)), Err::<(), _>("no 4".to_string()));
        assert!(!QUIET.get());
    }
}
