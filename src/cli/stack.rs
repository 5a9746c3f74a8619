//! The stack of the main thread, which the user may limit.

use crate::primitives::memory;

/// The size in bytes of a stack that is large enough.
const ENOUGH: u64 = 2 << 20;

/// Runs the program in a thread with a large enough stack if `ulimit -s` is too small and there is
/// memory for this thread. The stack sizes of all other threads do not depend on `ulimit -s`.
pub(super) fn run(program: impl Fn() -> u8 + Clone + Send + 'static) -> u8 {
    let is_small = memory::stack().is_some_and(|bytes| bytes < ENOUGH);
    if !is_small || !memory::room_for_threads(1) {
        return program();
    }
    let builder = std::thread::Builder::new().stack_size(ENOUGH as usize);
    match builder.spawn(program.clone()) {
        Ok(running) => running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => program(),
    }
}
