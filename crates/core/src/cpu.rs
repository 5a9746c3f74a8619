//! The CPU backend: a rayon pool of a stated size.

use crate::error::{DeviceFault, Error, Result};
use crate::primitives::memory;
use crate::words::counted;

/// A pool of threads. Results never depend on how many there are.
pub struct Cpu {
    /// Its own pool; without one, the pool that the caller runs in.
    pool: Option<rayon::ThreadPool>,
}

impl Cpu {
    /// Pool of `threads` threads; 0 takes all cores.
    ///
    /// # Errors
    /// [`Error::Device`] if the system refuses the threads.
    pub fn new(threads: usize) -> Result<Self> {
        let pool = with_room(threads)?.build().map_err(|e| refused(threads, &e))?;
        // A thread that begins when memory has given out ends the program without a word.
        pool.broadcast(|_| ());
        Ok(Cpu { pool: Some(pool) })
    }

    /// Starts the threads of everything that runs in no other pool: `threads` of them, 0 takes
    /// all cores. Without it they start by themselves, or panic. Once in a program.
    ///
    /// # Errors
    /// [`Error::Device`] if the system refuses the threads, or they are there already.
    pub fn start(threads: usize) -> Result<()> {
        with_room(threads)?.build_global().map_err(|e| refused(threads, &e))?;
        rayon::broadcast(|_| ());
        Ok(())
    }

    /// The pool that the caller runs in, for work that is part of another one's.
    pub fn current() -> Self {
        Cpu { pool: None }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
    }

    /// Runs `work` inside the pool; parallel iterators in it use this pool's threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => rayon::scope(|_| work()),
        }
    }

    /// Runs `work` where the caller is, beside the pool; what it spawns in the scope runs on this
    /// pool's threads, and has ended when this returns.
    pub fn beside<'scope, T>(&self, work: impl FnOnce(&rayon::Scope<'scope>) -> T) -> T {
        match &self.pool {
            Some(pool) => pool.in_place_scope(work),
            None => rayon::in_place_scope(work),
        }
    }
}

/// Number of threads that are asked for.
fn number(threads: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    if threads == 0 { cores() } else { threads }
}

/// A pool to build, where its threads have room.
fn with_room(threads: usize) -> Result<rayon::ThreadPoolBuilder> {
    if !memory::room_for_threads(number(threads)) {
        return Err(refused(threads, &"no room for their stacks"));
    }
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads))
}

fn refused(threads: usize, error: &impl std::fmt::Display) -> Error {
    let threads = counted(number(threads), ["thread", "threads"]);
    Error::device_fault(
        DeviceFault::Limit,
        format!("cannot start {threads}: {error}"),
        "ask for fewer (--threads), or free memory (see also `ulimit -v`)",
    )
}
