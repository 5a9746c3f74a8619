//! The CPU backend: a rayon thread pool of a given size.

use crate::error::{DeviceFault, Error, Result};
use crate::parallel::interrupt::Flag;
use crate::primitives::memory;
use crate::words::counted;

/// The largest number of threads that may be requested.
pub const MOST_THREADS: usize = 256;

/// A thread pool. Results never depend on the number of threads.
///
/// ```
/// let cpu = zeroset_core::Cpu::new(2)?;
/// let sorted = cpu.run(|| zeroset_core::primitives::sort(&[3_u32, 1, 2], None, 32));
/// assert_eq!((cpu.threads(), sorted.keys), (2, vec![1, 2, 3]));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
pub struct Cpu {
    /// The thread pool, or `None` to use the pool that the caller runs in.
    pool: Option<rayon::ThreadPool>,
}

impl Cpu {
    /// Creates a pool of `threads` threads. If `threads` is 0, the pool has as many threads as the
    /// environment variable `RAYON_NUM_THREADS` states, or else one thread per core.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if more than [`MOST_THREADS`] threads are requested, if there is
    /// not enough memory for their stacks, or if the system refuses to start them.
    pub fn new(threads: usize) -> Result<Self> {
        let pool = with_room(threads)?
            .build()
            .map_err(|e| refused(number(threads).unwrap_or(threads), &e))?;
        // Start all threads now. A thread that starts after memory runs out would end the program
        // without a message.
        pool.broadcast(|_| ());
        Ok(Cpu { pool: Some(pool) })
    }

    /// Starts the global pool with the number of threads that [`Cpu::new`] would use. The global
    /// pool runs all work outside other pools. Call this function at most once per program. If it
    /// is not called, the pool starts on first use and panics if that fails.
    ///
    /// # Errors
    /// Returns the errors of [`Cpu::new`], and [`Error::Device`] if the global pool has already
    /// been started.
    pub fn start(threads: usize) -> Result<()> {
        with_room(threads)?
            .build_global()
            .map_err(|e| refused(number(threads).unwrap_or(threads), &e))?;
        rayon::broadcast(|_| ());
        Ok(())
    }

    /// Returns the pool that the caller runs in, for work that is part of a larger task.
    pub fn current() -> Self {
        Cpu { pool: None }
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.pool
            .as_ref()
            .map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
    }

    /// Runs `work` inside the pool. Parallel iterators in `work` use the threads of this pool.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.call(&mut || result = work.take().map(|work| work()));
        let Some(result) = result else { unreachable!("`call` calls its argument") };
        result
    }

    /// Calls `work` once inside the pool. It is not generic, because rayon's code for a call is
    /// large.
    fn call(&self, work: &mut (dyn FnMut() + Send)) {
        let flag = Flag::current();
        let work = || flag.within(work);
        match &self.pool {
            Some(pool) => pool.install(work),
            None => rayon::scope(|_| work()),
        }
    }

    /// Runs `work` on the calling thread. Tasks that it spawns in the scope run on the threads of
    /// this pool and have finished when this function returns.
    pub fn beside<'scope, T>(&self, work: impl FnOnce(&rayon::Scope<'scope>) -> T) -> T {
        match &self.pool {
            Some(pool) => pool.in_place_scope(work),
            None => rayon::in_place_scope(work),
        }
    }
}

/// Returns the number of threads to start. If `threads` is 0, it is the value of the environment
/// variable `RAYON_NUM_THREADS`, or else the number of cores. Returns an error if a requested
/// number exceeds [`MOST_THREADS`].
fn number(threads: usize) -> Result<usize> {
    let variable = || std::env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&n| n > 0);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let n = if threads == 0 { variable().unwrap_or_else(cores) } else { threads };
    if n <= MOST_THREADS || (threads == 0 && n == cores()) {
        return Ok(n);
    }
    let source = if threads == 0 { "RAYON_NUM_THREADS asks for" } else { "the number is" };
    let why = format!("{source} {n}, but at most {MOST_THREADS} are allowed");
    Err(refused(n, &why))
}

/// Returns the builder of a pool, after checking that there is enough memory for the stacks of its
/// threads.
fn with_room(threads: usize) -> Result<rayon::ThreadPoolBuilder> {
    let n = number(threads)?;
    if !memory::room_for_threads(n) {
        return Err(refused(n, &"not enough memory for their stacks"));
    }
    Ok(rayon::ThreadPoolBuilder::new().num_threads(n))
}

fn refused(threads: usize, error: &impl std::fmt::Display) -> Error {
    let threads = counted(threads, ["thread", "threads"]);
    Error::device_fault(
        DeviceFault::Limit,
        format!("cannot start {threads}: {error}"),
        "use fewer threads (--threads), or free memory (see also `ulimit -v`)",
    )
}
