//! Vectors of the items of a parallel loop.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ParallelIterator;
use super::source::{IntoParallelIterator, Shared};
use super::tasks::{for_parts, parts};

/// A collection that a parallel loop can fill.
pub trait FromParallelIterator<T: Send> {
    /// Collects the items in order.
    fn from_par_iter(items: impl ParallelIterator<Item = T>) -> Self;
}

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    fn from_par_iter(items: impl ParallelIterator<Item = T>) -> Self {
        let mut vector = Vec::new();
        extend(&mut vector, items);
        vector
    }
}

impl<T: Send, E: Send> FromParallelIterator<Result<T, E>> for Result<Vec<T>, E> {
    /// Collects the values of the items, or returns the first error in order.
    fn from_par_iter(items: impl ParallelIterator<Item = Result<T, E>>) -> Self {
        // The first position of a part with an error. Later parts need not be visited.
        let failed = AtomicUsize::new(usize::MAX);
        let of_parts = parts(items.positions(), items.least(), |part| {
            let first = part.start;
            let is_needed = || failed.load(Ordering::Relaxed) > first;
            // SAFETY: the parts are disjoint.
            let items = unsafe { items.items(part) }.take_while(|_| is_needed());
            let values: Result<Vec<T>, E> = items.collect();
            if values.is_err() {
                failed.fetch_min(first, Ordering::Relaxed);
            }
            values
        });
        let of_parts: Vec<_> = of_parts.collect::<Result<_, E>>()?;
        Ok(joined(Vec::new(), of_parts))
    }
}

impl<T: Send> FromParallelIterator<Option<T>> for Option<Vec<T>> {
    /// Collects the values of the items, or returns `None` if an item is `None`.
    fn from_par_iter(items: impl ParallelIterator<Item = Option<T>>) -> Self {
        items.map(|item| item.ok_or(())).collect::<Result<_, _>>().ok()
    }
}

/// A collection to which a parallel loop can add items.
pub trait ParallelExtend<T: Send> {
    /// Adds the items in order.
    fn par_extend(&mut self, items: impl IntoParallelIterator<Item = T>);
}

impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend(&mut self, items: impl IntoParallelIterator<Item = T>) {
        extend(self, items.into_par_iter());
    }
}

/// Adds the items to a vector, in order.
pub(super) fn extend<P: ParallelIterator>(into: &mut Vec<P::Item>, items: P) {
    let n = items.positions();
    if !P::IS_EXACT {
        // SAFETY: the parts are disjoint.
        let of_parts = parts(n, items.least(), |part| unsafe { items.items(part) }.collect());
        *into = joined(std::mem::take(into), of_parts.collect());
        return;
    }
    into.reserve(n);
    let slots = Shared::new(&mut into.spare_capacity_mut()[..n]);
    for_parts(n, items.least(), &|part| {
        // SAFETY: the parts are disjoint.
        let slots: &mut [MaybeUninit<P::Item>] = unsafe { slots.part(part.clone()) };
        // SAFETY: as above.
        let items = unsafe { items.items(part) };
        let mut filled = 0;
        for (slot, item) in slots.iter_mut().zip(items) {
            slot.write(item);
            filled += 1;
        }
        assert_eq!(filled, slots.len(), "each position must have an item");
    });
    // SAFETY: the parts contain each position, and each position has got an item.
    unsafe { into.set_len(into.len() + n) };
}

/// Adds the parts to a vector.
fn joined<T>(mut into: Vec<T>, of_parts: Vec<Vec<T>>) -> Vec<T> {
    if into.capacity() == 0 && of_parts.len() == 1 {
        return of_parts.into_iter().next().unwrap_or_default();
    }
    into.reserve(of_parts.iter().map(Vec::len).sum());
    of_parts.into_iter().for_each(|mut part| into.append(&mut part));
    into
}
