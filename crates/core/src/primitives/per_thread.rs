//! Scratch memory that outlives a parallel pass, one piece per thread.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pieces kept; more threads than this share some, which costs time and nothing else.
const PIECES: usize = 256;

/// One `S` per thread of a rayon pool, reused from pass to pass.
///
/// Results must not depend on what a piece held before: which thread takes which task is up to
/// rayon.
pub struct PerThread<S>(Vec<Mutex<S>>);

impl<S: Default> Default for PerThread<S> {
    fn default() -> Self {
        PerThread((0..PIECES).map(|_| Mutex::new(S::default())).collect())
    }
}

impl<S> PerThread<S> {
    /// Prepares the pieces of the first `threads` threads of a pool, so that passes need not.
    pub fn prepare(&self, threads: usize, work: impl Fn(&mut S)) {
        for piece in self.0.iter().take(threads) {
            work(&mut piece.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The piece of the calling thread.
    pub fn get(&self) -> MutexGuard<'_, S> {
        let thread = rayon::current_thread_index().unwrap_or(0) % PIECES;
        self.0[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
