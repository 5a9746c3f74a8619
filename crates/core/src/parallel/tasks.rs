//! The code that all parallel loops share. It does not depend on the types of a loop.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::iter::ParallelIterator;
use rayon::iter::plumbing::{Producer, UnindexedConsumer, bridge_producer_consumer};

/// Calls `task` with parts of the positions `0..n`, in parallel. Each position is in exactly one
/// part, and no part is empty. A part has at least `least` positions, unless `n` is smaller.
///
/// The division into parts depends on the threads, so results must not depend on it.
pub fn for_parts(n: usize, least: usize, task: &(dyn Fn(Range<usize>) + Sync)) {
    if n > 0 {
        Parts { positions: 0..n, least }.for_each(task);
    }
}

/// Calls `task` with parts of the positions `0..n`, in parallel, as [`for_parts`] does. Returns the
/// results in the order of the positions.
pub(super) fn parts<T: Send>(
    n: usize,
    least: usize,
    task: impl Fn(Range<usize>) -> T + Sync,
) -> impl Iterator<Item = T> {
    let boxed = |part: Range<usize>| Box::into_raw(Box::new(task(part))).cast::<()>();
    let results = ordered(n, least, &boxed).into_iter();
    // SAFETY: `boxed` made each pointer from a box of this type, and `ordered` returns it once.
    results.map(|result| unsafe { *Box::from_raw(result.cast::<T>()) })
}

/// The pointer to the result of a part, and the first position of the part.
struct Done {
    first: usize,
    result: *mut (),
}

// SAFETY: the pointer owns its value, whose type is `Send` ([`parts`]).
unsafe impl Send for Done {}

fn ordered(
    n: usize,
    least: usize,
    task: &(dyn Fn(Range<usize>) -> *mut () + Sync),
) -> Vec<*mut ()> {
    let all = Mutex::new(Vec::new());
    for_parts(n, least, &|part| {
        let done = Done { first: part.start, result: task(part) };
        all.lock().unwrap_or_else(PoisonError::into_inner).push(done);
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|done| done.first);
    all.into_iter().map(|done| done.result).collect()
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
