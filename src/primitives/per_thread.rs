//! Scratch memory that outlives a parallel pass, one piece per thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// One `S` per thread of a rayon pool, reused from pass to pass.
///
/// Results must not depend on what a scratch piece held before: which thread takes which task is
/// up to rayon.
pub struct PerThread<S>(Vec<Mutex<S>>);

impl<S: Default> PerThread<S> {
    /// Pieces for a pool of `threads` threads.
    pub fn new(threads: usize) -> Self {
        PerThread((0..threads.max(1)).map(|_| Mutex::new(S::default())).collect())
    }

    /// The piece of the calling thread; the lock is never contended inside one pool.
    pub fn get(&self) -> MutexGuard<'_, S> {
        let thread = rayon::current_thread_index().unwrap_or(0) % self.0.len();
        self.0[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
