//! Reproducible calls to METIS, even if several calls run concurrently.
//!
//! METIS takes random numbers from GKlib, and GKlib uses `rand` from the C library, which has a
//! single state per process. Concurrent calls would share this state, and results would differ from
//! run to run. Therefore, this file defines the random functions of GKlib with a separate generator
//! per thread. The linker uses these definitions because it searches this crate before METIS, and
//! [`cut`] checks that it did so. As a consequence, the partitions do not depend on the C library
//! either.
//!
//! METIS also catches two signals while it runs, and restores the previous handlers when it ends.
//! With concurrent calls, these can be the handlers of another call. [`Signals`] restores the
//! handlers that the first call found.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Mutex;

use crate::error::{Error, Result};

thread_local! {
    /// The state of the generator of this thread, or `None` until METIS has seeded it.
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Seeds the generator of this thread. METIS calls this at the start of every call.
// SAFETY: the name and signature are those of GKlib's function, which this function replaces.
#[unsafe(no_mangle)]
extern "C" fn gk_randinit(seed: u64) {
    STATE.set(Some(seed));
}

/// Returns the next 31 bits of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014).
// SAFETY: the name and signature are those of GKlib's function, which this function replaces.
#[unsafe(no_mangle)]
extern "C" fn gk_randint32() -> u32 {
    let state = STATE.get().unwrap_or_default().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(Some(state));
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 33) as u32
}

/// Returns the part of each vertex of a graph, `[n_vertices]`. The neighbors of `v` are
/// `neighbors[offsets[v]..offsets[v + 1]]`. The result does not depend on concurrent calls.
///
/// # Errors
/// Returns [`Error::Numerical`] if METIS fails, or if it uses a different random generator.
pub(super) fn cut(offsets: &mut [i32], neighbors: &mut [i32], n_parts: usize) -> Result<Vec<i32>> {
    let mut parts = vec![0i32; offsets.len() - 1];
    if n_parts <= 1 || neighbors.is_empty() {
        return Ok(parts);
    }
    let failed = |e: String| Error::Numerical {
        what: format!("METIS could not partition the mesh: {e}"),
        remedy: "set partition = \"hilbert\"".into(),
    };
    STATE.set(None);
    let _signals = Signals::keep();
    let graph = ::metis::Graph::new(1, n_parts as i32, offsets, neighbors)
        .map_err(|e| failed(e.to_string()))?
        .set_option(::metis::option::Seed(1));
    graph.part_kway(&mut parts).map_err(|e| failed(e.to_string()))?;
    match STATE.get() {
        Some(_) => Ok(parts),
        None => Err(failed("it was linked with a random generator that threads share".into())),
    }
}

/// The signals that METIS catches: abort and termination. Microsoft's C library uses a different
/// number for abort.
const CAUGHT: [c_int; 2] = [if cfg!(windows) { 22 } else { 6 }, 15];

unsafe extern "C" {
    /// Sets the handler of a signal and returns the previous one (C library).
    fn signal(number: c_int, handler: usize) -> usize;
}

/// The number of running METIS calls, and the handlers found before the first of them.
static RUNNING: Mutex<(usize, [usize; 2])> = Mutex::new((0, [0; 2]));

/// A guard that exists while a METIS call runs. Dropping the last guard restores the handlers.
struct Signals;

impl Signals {
    fn keep() -> Self {
        let mut running = RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if running.0 == 0 {
            running.1 = CAUGHT.map(|number| {
                // SAFETY: every C library defines these signals, and the handler is restored
                // immediately.
                unsafe {
                    let found = signal(number, 0);
                    signal(number, found);
                    found
                }
            });
        }
        running.0 += 1;
        Signals
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        running.0 -= 1;
        if running.0 == 0 {
            for (number, found) in CAUGHT.into_iter().zip(running.1) {
                // SAFETY: `signal` returned this handler, so it is valid.
                unsafe { signal(number, found) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    /// Partitions a lattice of `n` x `n` vertices into `n_parts` parts.
    fn lattice(n: i32, n_parts: usize) -> Vec<i32> {
        let (mut offsets, mut neighbors) = (vec![0], Vec::new());
        for v in 0..n * n {
            let (x, y) = (v % n, v / n);
            let around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
            let inside = around.iter().filter(|(x, y)| (0..n).contains(x) && (0..n).contains(y));
            neighbors.extend(inside.map(|(x, y)| y * n + x));
            offsets.push(neighbors.len() as i32);
        }
        cut(&mut offsets, &mut neighbors, n_parts).unwrap()
    }

    #[test]
    fn calls_side_by_side_cut_as_one_alone() {
        let cases: Vec<(i32, usize)> = (0..48).map(|k| (20 + k / 2, 3 + k as usize)).collect();
        let alone: Vec<_> = cases.iter().map(|&(n, parts)| lattice(n, parts)).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        let together: Vec<_> = pool.install(|| {
            cases.par_iter().with_max_len(1).map(|&(n, parts)| lattice(n, parts)).collect()
        });
        assert!(together == alone);
    }

    extern "C" fn handler(_: c_int) {}

    /// Sets the handler of the termination signal while no METIS call is running. Returns the
    /// previous handler.
    fn set_handler(handler: usize) -> usize {
        loop {
            let running = RUNNING.lock().unwrap();
            if running.0 == 0 {
                // SAFETY: the handler either does nothing or was installed before the test.
                return unsafe { signal(CAUGHT[1], handler) };
            }
            drop(running);
            std::thread::yield_now();
        }
    }

    #[test]
    fn handlers_of_signals_stay() {
        let mine = handler as extern "C" fn(c_int) as usize;
        let before = set_handler(mine);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        pool.install(|| {
            (0..64).into_par_iter().for_each(|k| {
                lattice(10 + k % 7, 4);
            });
        });
        assert_eq!(set_handler(before), mine);
    }
}
