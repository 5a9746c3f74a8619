//! Loops made from other loops by [`ParallelIterator`].

use std::ops::Range;

use super::ParallelIterator;

/// See [`ParallelIterator::map`].
pub struct Map<P, F> {
    pub(super) inner: P,
    pub(super) f: F,
}

impl<P: ParallelIterator, R: Send, F: Fn(P::Item) -> R + Sync> ParallelIterator for Map<P, F> {
    type Item = R;
    const IS_EXACT: bool = P::IS_EXACT;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = R> {
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range) }.map(&self.f)
    }
}

/// See [`ParallelIterator::map_init`].
pub struct MapInit<P, I, F> {
    pub(super) inner: P,
    pub(super) init: I,
    pub(super) f: F,
}

impl<P, S, R, I, F> ParallelIterator for MapInit<P, I, F>
where
    P: ParallelIterator,
    R: Send,
    I: Fn() -> S + Sync,
    F: Fn(&mut S, P::Item) -> R + Sync,
{
    type Item = R;
    const IS_EXACT: bool = P::IS_EXACT;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = R> {
        let mut shared = (self.init)();
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range) }.map(move |item| (self.f)(&mut shared, item))
    }
}

/// See [`ParallelIterator::filter`].
pub struct Filter<P, F> {
    pub(super) inner: P,
    pub(super) f: F,
}

impl<P: ParallelIterator, F: Fn(&P::Item) -> bool + Sync> ParallelIterator for Filter<P, F> {
    type Item = P::Item;
    const IS_EXACT: bool = false;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = P::Item> {
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range) }.filter(&self.f)
    }
}

/// See [`ParallelIterator::filter_map`].
pub struct FilterMap<P, F> {
    pub(super) inner: P,
    pub(super) f: F,
}

impl<P, R, F> ParallelIterator for FilterMap<P, F>
where
    P: ParallelIterator,
    R: Send,
    F: Fn(P::Item) -> Option<R> + Sync,
{
    type Item = R;
    const IS_EXACT: bool = false;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = R> {
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range) }.filter_map(&self.f)
    }
}

/// See [`ParallelIterator::flat_map_iter`].
pub struct FlatMap<P, F> {
    pub(super) inner: P,
    pub(super) f: F,
}

impl<P, R, F> ParallelIterator for FlatMap<P, F>
where
    P: ParallelIterator,
    R: IntoIterator<Item: Send>,
    F: Fn(P::Item) -> R + Sync,
{
    type Item = R::Item;
    const IS_EXACT: bool = false;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = R::Item> {
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range) }.flat_map(&self.f)
    }
}

/// See [`ParallelIterator::fold`].
pub struct Fold<P, I, F> {
    pub(super) inner: P,
    pub(super) identity: I,
    pub(super) f: F,
}

impl<P, T, I, F> ParallelIterator for Fold<P, I, F>
where
    P: ParallelIterator,
    T: Send,
    I: Fn() -> T + Sync,
    F: Fn(T, P::Item) -> T + Sync,
{
    type Item = T;
    const IS_EXACT: bool = false;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = T> {
        // SAFETY: the caller passes each position once.
        let items = unsafe { self.inner.items(range) };
        std::iter::once(items.fold((self.identity)(), &self.f))
    }
}

/// See [`ParallelIterator::enumerate`].
pub struct Enumerate<P> {
    pub(super) inner: P,
}

impl<P: ParallelIterator> ParallelIterator for Enumerate<P> {
    type Item = (usize, P::Item);
    const IS_EXACT: bool = {
        assert!(P::IS_EXACT);
        true
    };

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.inner.least()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = (usize, P::Item)> {
        const { assert!(P::IS_EXACT) };
        // SAFETY: the caller passes each position once.
        range.clone().zip(unsafe { self.inner.items(range) })
    }
}

/// See [`ParallelIterator::zip`].
pub struct Zip<A, B> {
    pub(super) a: A,
    pub(super) b: B,
}

impl<A: ParallelIterator, B: ParallelIterator> ParallelIterator for Zip<A, B> {
    type Item = (A::Item, B::Item);
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.a.positions().min(self.b.positions())
    }

    fn least(&self) -> usize {
        self.a.least().max(self.b.least())
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = (A::Item, B::Item)> {
        const { assert!(A::IS_EXACT && B::IS_EXACT) };
        // SAFETY: the caller passes each position once.
        unsafe { self.a.items(range.clone()).zip(self.b.items(range)) }
    }
}

/// See [`ParallelIterator::step_by`].
pub struct StepBy<P> {
    pub(super) inner: P,
    pub(super) step: usize,
}

impl<P: ParallelIterator> ParallelIterator for StepBy<P> {
    type Item = P::Item;
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.inner.positions().div_ceil(self.step)
    }

    fn least(&self) -> usize {
        self.inner.least().div_ceil(self.step)
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = P::Item> {
        const { assert!(P::IS_EXACT) };
        let end = (range.end * self.step).min(self.inner.positions());
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range.start * self.step..end) }.step_by(self.step)
    }
}

/// See [`ParallelIterator::with_min_len`].
pub struct MinLen<P> {
    pub(super) inner: P,
    pub(super) least: usize,
}

impl<P: ParallelIterator> ParallelIterator for MinLen<P> {
    type Item = P::Item;
    const IS_EXACT: bool = P::IS_EXACT;

    fn positions(&self) -> usize {
        self.inner.positions()
    }

    fn least(&self) -> usize {
        self.least
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = P::Item> {
        // SAFETY: the caller passes each position once.
        unsafe { self.inner.items(range) }
    }
}
