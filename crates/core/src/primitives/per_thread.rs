//! Scratch memory per thread that is reused between parallel passes.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of pieces, one per thread. If there are more threads, some of them share a piece,
/// which only costs time.
const PIECES: usize = 256;

/// One value of type `S` per thread of a rayon pool, reused from pass to pass.
///
/// Results must not depend on earlier contents of a piece, because rayon decides which thread runs
/// which task.
pub struct PerThread<S>(Vec<Mutex<S>>);

impl<S: Default> Default for PerThread<S> {
    #[inline]
    fn default() -> Self {
        PerThread((0..PIECES).map(|_| Mutex::new(S::default())).collect())
    }
}

impl<S> PerThread<S> {
    /// Prepares the pieces of the first `threads` threads of a pool before the first pass.
    #[inline]
    pub fn prepare(&self, threads: usize, work: impl Fn(&mut S)) {
        for piece in self.0.iter().take(threads) {
            work(&mut piece.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Returns the piece of the calling thread, or the first piece if the thread belongs to no
    /// pool. The piece is locked until the result is dropped.
    #[inline]
    pub fn get(&self) -> MutexGuard<'_, S> {
        let thread = rayon::current_thread_index().unwrap_or(0) % PIECES;
        self.0[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
