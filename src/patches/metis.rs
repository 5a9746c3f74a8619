//! METIS, on any number of threads at once.
//!
//! METIS asks GKlib for random numbers, and GKlib asks `rand` of the C library, of which a process
//! has one: calls side by side would draw from each other, and no two runs would be alike. The
//! functions of GKlib are therefore defined here, with a generator for each thread. The linker takes
//! these, since it looks through this crate before METIS; [`cut`] makes sure that it did. The cuts
//! are then the same with any C library, too.
//!
//! While METIS runs it also catches two signals, and puts back what it found when it came; among
//! several calls that may be the trap of another one. [`Signals`] puts back what the first one found.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Mutex;

use crate::error::{Error, Result};

thread_local! {
    /// State of the generator of this thread; none before METIS gave it a seed.
    static STATE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Starts the generator of this thread; METIS does so at the start of every call.
// SAFETY: the name and signature of GKlib's function, whose place it takes.
#[unsafe(no_mangle)]
extern "C" fn gk_randinit(seed: u64) {
    STATE.set(Some(seed));
}

/// The next 31 bits: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
// SAFETY: as above.
#[unsafe(no_mangle)]
extern "C" fn gk_randint32() -> u32 {
    let state = STATE.get().unwrap_or_default().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(Some(state));
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 33) as u32
}

/// Part of each vertex of a graph, `[n_vertices]`; neighbors of `v` are
/// `neighbors[offsets[v]..offsets[v + 1]]`. The same for any number of calls at once.
///
/// # Errors
/// [`Error::Numerical`] if METIS fails, or draws from another generator.
pub(super) fn cut(offsets: &mut [i32], neighbors: &mut [i32], n_parts: usize) -> Result<Vec<i32>> {
    let mut parts = vec![0i32; offsets.len() - 1];
    if n_parts <= 1 || neighbors.is_empty() {
        return Ok(parts);
    }
    let failed = |e: String| Error::Numerical {
        what: format!("METIS could not cut the mesh: {e}"),
        remedy: "take partition = \"hilbert\"".into(),
    };
    STATE.set(None);
    let _signals = Signals::keep();
    let graph = ::metis::Graph::new(1, n_parts as i32, offsets, neighbors)
        .map_err(|e| failed(e.to_string()))?
        .set_option(::metis::option::Seed(1));
    graph.part_kway(&mut parts).map_err(|e| failed(e.to_string()))?;
    match STATE.get() {
        Some(_) => Ok(parts),
        None => Err(failed("it was linked with random numbers that threads share".into())),
    }
}

/// Abort and termination: what METIS catches. Microsoft numbers the first one in its own way.
const CAUGHT: [c_int; 2] = [if cfg!(windows) { 22 } else { 6 }, 15];

unsafe extern "C" {
    /// Of the C library: sets the handler of a signal and returns the one before.
    fn signal(number: c_int, handler: usize) -> usize;
}

/// Calls of METIS that run, and the handlers before the first of them.
static RUNNING: Mutex<(usize, [usize; 2])> = Mutex::new((0, [0; 2]));

/// While one of these lives, METIS runs; the last one puts the handlers back.
struct Signals;

impl Signals {
    fn keep() -> Self {
        let mut running = RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if running.0 == 0 {
            running.1 = CAUGHT.map(|number| {
                // SAFETY: signals that every C library has; the handler found is there again at once.
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
                // SAFETY: a handler that was there before.
                unsafe { signal(number, found) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    /// Cuts a lattice of `n` x `n` vertices.
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

    /// Sets the handler for the end of the process while no METIS runs; returns the one before.
    fn set_handler(handler: usize) -> usize {
        loop {
            let running = RUNNING.lock().unwrap();
            if running.0 == 0 {
                // SAFETY: a handler that does nothing, or the one before it.
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
