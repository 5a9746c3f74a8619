//! The thread pools that calls of this process share.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Cpu;
use crate::error::Result;

/// A pool, with the process that started it and the number of threads that was requested.
struct Pool {
    process: u32,
    threads: usize,
    cpu: Arc<Cpu>,
}

/// The pools of this process, and those that it inherited from its parent.
///
/// The threads of a pool do not survive `fork`, which Python's `multiprocessing` uses. A pool is
/// therefore never used outside the process that started it. Inherited pools stay in the list:
/// ending them would wait for threads that do not exist.
static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// Returns the pool of this process with the given number of threads (0 for all cores). Starts it
/// if necessary.
///
/// # Errors
/// Returns the errors of [`Cpu::new`].
pub(super) fn pool(threads: usize) -> Result<Arc<Cpu>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |pool: &&Pool| pool.process == process && pool.threads == threads;
    if let Some(found) = pools.iter().find(is_it) {
        return Ok(found.cpu.clone());
    }
    let cpu = Arc::new(Cpu::new(threads)?);
    pools.push(Pool { process, threads, cpu: cpu.clone() });
    Ok(cpu)
}
