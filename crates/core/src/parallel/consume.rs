//! Loops, and the functions that run them.

use std::iter::Sum;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::adaptors::{
    Enumerate, Filter, FilterMap, FlatMap, Fold, Map, MapInit, MinLen, StepBy, Zip,
};
use super::collect::{self, FromParallelIterator};
use super::source::IntoParallelIterator;
use super::tasks::{for_parts, parts};

/// A loop over items that several threads make. An item belongs to a position, and each thread
/// makes the items of some ranges of positions. The methods are those of rayon's trait of this
/// name.
pub trait ParallelIterator: Sized + Sync {
    /// The type of the items.
    type Item: Send;

    /// Whether each position has exactly one item. Functions that number items require it.
    const IS_EXACT: bool;

    /// Returns the number of positions.
    fn positions(&self) -> usize;

    /// Returns the smallest number of positions for which another task is worthwhile.
    fn least(&self) -> usize {
        1
    }

    /// Returns the items at a range of positions, in order.
    ///
    /// # Safety
    /// No position may be passed to this function twice, because its item may be a mutable
    /// reference.
    ///
    /// # Panics
    /// Panics if a position does not exist.
    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = Self::Item>;

    /// Replaces each item by `f(item)`.
    fn map<R: Send, F: Fn(Self::Item) -> R + Sync>(self, f: F) -> Map<Self, F> {
        Map { inner: self, f }
    }

    /// As [`ParallelIterator::map`]. `f` also gets a value from `init`, which the items of a part
    /// share.
    fn map_init<S, R, I, F>(self, init: I, f: F) -> MapInit<Self, I, F>
    where
        R: Send,
        I: Fn() -> S + Sync,
        F: Fn(&mut S, Self::Item) -> R + Sync,
    {
        MapInit { inner: self, init, f }
    }

    /// Keeps the items for which `f` is true.
    fn filter<F: Fn(&Self::Item) -> bool + Sync>(self, f: F) -> Filter<Self, F> {
        Filter { inner: self, f }
    }

    /// Replaces each item by the value of `f(item)`, if there is one.
    fn filter_map<R: Send, F: Fn(Self::Item) -> Option<R> + Sync>(
        self,
        f: F,
    ) -> FilterMap<Self, F> {
        FilterMap { inner: self, f }
    }

    /// Replaces each item by the items of `f(item)`.
    fn flat_map_iter<R, F>(self, f: F) -> FlatMap<Self, F>
    where
        R: IntoIterator<Item: Send>,
        F: Fn(Self::Item) -> R + Sync,
    {
        FlatMap { inner: self, f }
    }

    /// Combines the items of each part to one item, beginning with `identity()`.
    fn fold<T, I, F>(self, identity: I, f: F) -> Fold<Self, I, F>
    where
        T: Send,
        I: Fn() -> T + Sync,
        F: Fn(T, Self::Item) -> T + Sync,
    {
        Fold { inner: self, identity, f }
    }

    /// Copies the items.
    fn copied<'a, T: Copy + Send + Sync + 'a>(self) -> Map<Self, fn(&'a T) -> T>
    where
        Self: ParallelIterator<Item = &'a T>,
    {
        Map { inner: self, f: |item| *item }
    }

    /// Adds the position to each item.
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate { inner: self }
    }

    /// Pairs the items with those of another loop. Items without a partner are left out.
    fn zip<B: IntoParallelIterator>(self, other: B) -> Zip<Self, B::Iter> {
        Zip { a: self, b: other.into_par_iter() }
    }

    /// Keeps the item at every `step`-th position, beginning with the first.
    fn step_by(self, step: usize) -> StepBy<Self> {
        StepBy { inner: self, step }
    }

    /// Sets the smallest number of positions for which another task is worthwhile.
    fn with_min_len(self, least: usize) -> MinLen<Self> {
        MinLen { inner: self, least }
    }

    /// Calls `f` with each item.
    fn for_each(self, f: impl Fn(Self::Item) + Sync) {
        // SAFETY: the parts are disjoint.
        let task = |part| unsafe { self.items(part) }.for_each(&f);
        for_parts(self.positions(), self.least(), &task);
    }

    /// Calls `f` with each item, and with a value from `init` that the items of a part share.
    fn for_each_init<S>(self, init: impl Fn() -> S + Sync, f: impl Fn(&mut S, Self::Item) + Sync) {
        self.map_init(init, f).for_each(|()| ());
    }

    /// Calls `f` with each item, until a call fails.
    ///
    /// # Errors
    /// Returns the error of the first item in order whose call failed.
    fn try_for_each<E: Send>(
        self,
        f: impl Fn(Self::Item) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.find_map_first(|item| f(item).err()).map_or(Ok(()), Err)
    }

    /// As [`ParallelIterator::try_for_each`]. `f` also gets a value from `init`, which the items of
    /// a part share.
    ///
    /// # Errors
    /// Returns the error of the first item in order whose call failed.
    fn try_for_each_init<S, E: Send>(
        self,
        init: impl Fn() -> S + Sync,
        f: impl Fn(&mut S, Self::Item) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.map_init(init, f).find_map_first(Result::err).map_or(Ok(()), Err)
    }

    /// Collects the items in order.
    fn collect<C: FromParallelIterator<Self::Item>>(self) -> C {
        C::from_par_iter(self)
    }

    /// Replaces the contents of a vector by the items in order. Each position must have one item.
    fn collect_into_vec(self, into: &mut Vec<Self::Item>) {
        const { assert!(Self::IS_EXACT) };
        into.clear();
        collect::extend(into, self);
    }

    /// Collects the halves of pairs in order.
    fn unzip<A: Send, B: Send>(self) -> (Vec<A>, Vec<B>)
    where
        Self: ParallelIterator<Item = (A, B)>,
    {
        let pairs: Vec<(A, B)> = self.collect();
        pairs.into_iter().unzip()
    }

    /// Returns the number of items.
    fn count(self) -> usize {
        // SAFETY: the parts are disjoint.
        parts(self.positions(), self.least(), |part| unsafe { self.items(part) }.count()).sum()
    }

    /// Returns the sum of the items.
    fn sum<S: Send + Sum<Self::Item> + Sum<S>>(self) -> S {
        // SAFETY: the parts are disjoint.
        parts(self.positions(), self.least(), |part| unsafe { self.items(part) }.sum::<S>()).sum()
    }

    /// Returns the smallest item, or `None` if there are none.
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.reduce_with(Ord::min)
    }

    /// Returns the largest item, or `None` if there are none.
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.reduce_with(Ord::max)
    }

    /// Combines all items in order. `f` must be associative, and `identity()` its neutral element.
    fn reduce(
        self,
        identity: impl Fn() -> Self::Item + Sync,
        f: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Self::Item {
        // SAFETY: the parts are disjoint.
        let of_part = |part| unsafe { self.items(part) }.fold(identity(), &f);
        let of_parts = parts(self.positions(), self.least(), of_part);
        of_parts.reduce(&f).unwrap_or_else(identity)
    }

    /// Combines all items in order, or returns `None` if there are none. `f` must be associative.
    fn reduce_with(
        self,
        f: impl Fn(Self::Item, Self::Item) -> Self::Item + Sync,
    ) -> Option<Self::Item> {
        // SAFETY: the parts are disjoint.
        let of_part = |part| unsafe { self.items(part) }.reduce(&f);
        parts(self.positions(), self.least(), of_part).flatten().reduce(&f)
    }

    /// Returns whether `f` is true for any item.
    fn any(self, f: impl Fn(Self::Item) -> bool + Sync) -> bool {
        let found = AtomicBool::new(false);
        for_parts(self.positions(), self.least(), &|part| {
            // SAFETY: the parts are disjoint.
            let mut items = unsafe { self.items(part) };
            if items.any(|item| found.load(Ordering::Relaxed) || f(item)) {
                found.store(true, Ordering::Relaxed);
            }
        });
        found.into_inner()
    }

    /// Returns whether `f` is true for all items.
    fn all(self, f: impl Fn(Self::Item) -> bool + Sync) -> bool {
        !self.any(|item| !f(item))
    }

    /// Returns the position of the first item for which `f` is true.
    fn position_first(self, f: impl Fn(Self::Item) -> bool + Sync) -> Option<usize> {
        self.enumerate().find_map_first(|(at, item)| f(item).then_some(at))
    }

    /// Returns the first value of `f` in the order of the items.
    fn find_map_first<R: Send>(self, f: impl Fn(Self::Item) -> Option<R> + Sync) -> Option<R> {
        // The first position of the part that `found` comes from.
        let earliest = AtomicUsize::new(usize::MAX);
        let found = Mutex::new(None);
        for_parts(self.positions(), self.least(), &|part| {
            let first = part.start;
            // SAFETY: the parts are disjoint.
            for item in unsafe { self.items(part) } {
                if earliest.load(Ordering::Relaxed) < first {
                    return;
                }
                if let Some(value) = f(item) {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    if first < earliest.load(Ordering::Relaxed) {
                        earliest.store(first, Ordering::Relaxed);
                        *found = Some(value);
                    }
                    return;
                }
            }
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
