//! The code that all parallel loops share. It does not depend on the types of a loop.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::iter::ParallelIterator;
use rayon::iter::plumbing::{Producer, UnindexedConsumer, bridge_producer_consumer};

use super::interrupt::Flag;

/// The number of parts that an interruptible loop has at least, if it has enough positions. With
/// more parts it ends earlier, but a part may need memory of its own.
const PIECES: usize = 256;

/// Calls `task` with parts of the positions `0..n`, in parallel. Each position is in exactly one
/// part, and no part is empty. A part has at least `least` positions, unless `n` is smaller.
///
/// The division into parts depends on the threads, so results must not depend on it.
pub fn for_parts(n: usize, least: usize, task: &(dyn Fn(Range<usize>) + Sync)) {
    if n == 0 {
        return;
    }
    let flag = Flag::current();
    let size = if flag.exists() { n.div_ceil(PIECES).max(least) } else { n };
    let task = |part: Range<usize>| {
        let pieces = (part.len() / size).max(1);
        let cut = |k| part.start + part.len() / pieces * k + (part.len() % pieces).min(k);
        flag.within(|| {
            for k in 0..pieces {
                flag.check();
                task(cut(k)..cut(k + 1));
            }
        });
    };
    Parts { positions: 0..n, least }.for_each(task);
}

/// Calls `a` and `b`, possibly at the same time on two threads, and returns both results.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let flag = Flag::current();
    flag.check();
    rayon::join(a, || flag.within(b))
}

/// Calls `task` with parts of the positions `0..n`, in parallel, as [`for_parts`] does. Returns the
/// results in the order of the positions.
pub(super) fn parts<T: Send>(
    n: usize,
    least: usize,
    task: impl Fn(Range<usize>) -> T + Sync,
) -> impl Iterator<Item = T> {
    let done = |part: Range<usize>| Done {
        first: part.start,
        result: Box::into_raw(Box::new(task(part))).cast(),
        // SAFETY: `result` comes from a box of this type.
        free: |result| drop(unsafe { Box::from_raw(result.cast::<T>()) }),
    };
    ordered(n, least, &done).into_iter().map(|done| {
        let done = ManuallyDrop::new(done);
        // SAFETY: as above. `done` does not free it.
        unsafe { *Box::from_raw(done.result.cast::<T>()) }
    })
}

/// The result of a part, and the first position of the part.
struct Done {
    first: usize,
    result: *mut (),
    /// Frees the result.
    free: fn(*mut ()),
}

impl Drop for Done {
    fn drop(&mut self) {
        (self.free)(self.result);
    }
}

// SAFETY: the pointer owns its value, whose type is `Send` ([`parts`]).
unsafe impl Send for Done {}

fn ordered(n: usize, least: usize, task: &(dyn Fn(Range<usize>) -> Done + Sync)) -> Vec<Done> {
    let all = Mutex::new(Vec::new());
    for_parts(n, least, &|part| {
        let done = task(part);
        all.lock().unwrap_or_else(PoisonError::into_inner).push(done);
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|done| done.first);
    all
}

/// Positions that rayon divides among its threads.
struct Parts {
    positions: Range<usize>,
    least: usize,
}

impl ParallelIterator for Parts {
    type Item = Range<usize>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_producer_consumer(self.positions.len(), self, consumer)
    }
}

impl Producer for Parts {
    type Item = Range<usize>;
    type IntoIter = std::iter::Once<Range<usize>>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self.positions)
    }

    fn min_len(&self) -> usize {
        self.least
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let Range { start, end } = self.positions;
        let middle = start + index;
        let part = |positions| Parts { positions, least: self.least };
        (part(start..middle), part(middle..end))
    }
}
