//! Interruption of parallel loops by another thread.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

thread_local! {
    /// The flag that interrupts the loops of this thread, or null.
    static FLAG: Cell<*const AtomicBool> = const { Cell::new(ptr::null()) };
}

/// The payload with which an interrupted loop unwinds.
struct Interrupted;

/// Runs `work` until `flag` is set. The next part of a parallel loop in `work` then unwinds, on any
/// thread that takes part in it. So `work` must leave nothing incomplete that is used later.
///
/// # Errors
/// Returns [`Error::Interrupted`] if the flag ended the work.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use zeroset_core::parallel::{ParallelIterator, ParallelSlice, interruptible};
///
/// let flag = AtomicBool::new(true);
/// let sum = interruptible(&flag, || [1, 2, 3].par_iter().sum::<i32>());
/// assert_eq!(sum.unwrap_err().exit_code(), 130);
/// ```
pub fn interruptible<T>(flag: &AtomicBool, work: impl FnOnce() -> T) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(|| Flag(flag).within(work))) {
        Ok(result) => Ok(result),
        Err(payload) if is_interruption(&*payload) => Err(Error::Interrupted),
        Err(payload) => resume_unwind(payload),
    }
}

/// Runs `work` without the flag of an enclosing [`interruptible`].
///
/// A task that is spawned needs this function: a thread that waits in an interruptible loop may
/// run it.
pub fn uninterrupted<T>(work: impl FnOnce() -> T) -> T {
    Flag(ptr::null()).within(work)
}

/// Returns whether a caught panic is the end of an interrupted loop. Pass it on with
/// [`resume_unwind`].
pub fn is_interruption(payload: &(dyn Any + Send)) -> bool {
    payload.is::<Interrupted>()
}

/// The flag that interrupts the loops of a thread, if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Flag(*const AtomicBool);

// SAFETY: The flag is atomic. It outlives all uses: `interruptible` borrows it, and a loop, a join
// and a call of `Cpu::run` end only after all of their tasks.
unsafe impl Send for Flag {}
// SAFETY: as above.
unsafe impl Sync for Flag {}

impl Flag {
    /// Returns the flag of this thread.
    pub(crate) fn current() -> Self {
        Flag(FLAG.get())
    }

    pub(super) fn exists(self) -> bool {
        !self.0.is_null()
    }

    /// Runs `work` with this flag instead of that of the thread.
    pub(crate) fn within<T>(self, work: impl FnOnce() -> T) -> T {
        struct Restore(*const AtomicBool);

        impl Drop for Restore {
            fn drop(&mut self) {
                FLAG.set(self.0);
            }
        }

        let _restore = Restore(FLAG.replace(self.0));
        work()
    }

    /// Unwinds if the flag is set. The panic hook is not called.
    pub(super) fn check(self) {
        // SAFETY: the flag still exists; see the comment on `Send`.
        if unsafe { self.0.as_ref() }.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            resume_unwind(Box::new(Interrupted));
        }
    }
}
