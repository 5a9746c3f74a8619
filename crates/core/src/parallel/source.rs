//! Ranges, slices and vectors as parallel loops.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Range;

use super::ParallelIterator;

/// A type that a parallel loop can visit.
pub trait IntoParallelIterator {
    /// The loop.
    type Iter: ParallelIterator<Item = Self::Item>;
    /// The type of the items.
    type Item: Send;

    /// Returns the loop.
    fn into_par_iter(self) -> Self::Iter;
}

impl<P: ParallelIterator> IntoParallelIterator for P {
    type Iter = P;
    type Item = P::Item;

    fn into_par_iter(self) -> P {
        self
    }
}

/// A loop over a range of integers.
pub struct Integers<T>(Range<T>);

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl IntoParallelIterator for Range<$integer> {
            type Iter = Integers<$integer>;
            type Item = $integer;

            fn into_par_iter(self) -> Self::Iter {
                Integers(self)
            }
        }

        impl ParallelIterator for Integers<$integer> {
            type Item = $integer;
            const IS_EXACT: bool = true;

            fn positions(&self) -> usize {
                self.0.end.saturating_sub(self.0.start) as usize
            }

            unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = $integer> {
                let at = |n: usize| self.0.start + n as $integer;
                at(range.start)..at(range.end)
            }
        }
    )*};
}

integers!(u32, u64, usize);

/// A loop over the elements of a slice.
pub struct Elements<'a, T>(pub(super) &'a [T]);

impl<'a, T: Sync> ParallelIterator for Elements<'a, T> {
    type Item = &'a T;
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.0.len()
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a T> {
        self.0[range].iter()
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a [T] {
    type Iter = Elements<'a, T>;
    type Item = &'a T;

    fn into_par_iter(self) -> Self::Iter {
        Elements(self)
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a Vec<T> {
    type Iter = Elements<'a, T>;
    type Item = &'a T;

    fn into_par_iter(self) -> Self::Iter {
        Elements(self)
    }
}

/// A loop over the parts of a slice with a fixed size. The last part may be shorter.
pub struct Chunks<'a, T> {
    pub(super) slice: &'a [T],
    pub(super) size: usize,
}

impl<'a, T: Sync> ParallelIterator for Chunks<'a, T> {
    type Item = &'a [T];
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.slice.len().div_ceil(self.size)
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a [T]> {
        let end = (range.end * self.size).min(self.slice.len());
        self.slice[range.start * self.size..end].chunks(self.size)
    }
}

/// A loop over the parts of a slice with a fixed size, which divides the length of the slice.
pub struct ChunksExact<'a, T> {
    pub(super) slice: &'a [T],
    pub(super) size: usize,
}

impl<'a, T: Sync> ParallelIterator for ChunksExact<'a, T> {
    type Item = &'a [T];
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.slice.len() / self.size
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a [T]> {
        self.slice[range.start * self.size..range.end * self.size].chunks_exact(self.size)
    }
}

/// A loop over overlapping parts of a slice.
pub struct Windows<'a, T> {
    pub(super) slice: &'a [T],
    pub(super) size: usize,
}

impl<'a, T: Sync> ParallelIterator for Windows<'a, T> {
    type Item = &'a [T];
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        (self.slice.len() + 1).saturating_sub(self.size)
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a [T]> {
        self.slice[range.start..range.end + self.size - 1].windows(self.size)
    }
}

/// A mutable slice of which several threads borrow different parts.
pub(super) struct Shared<'a, T> {
    start: *mut T,
    pub(super) len: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

// SAFETY: a shared handle only gives parts, which do not overlap. See `Shared::part`.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Self {
        Shared { start: slice.as_mut_ptr(), len: slice.len(), lifetime: PhantomData }
    }

    /// Returns the elements of `range`.
    ///
    /// # Safety
    /// No element may be borrowed twice.
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the range is inside the slice, and the caller borrows no element twice.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// A loop over the elements of a mutable slice.
pub struct ElementsMut<'a, T>(pub(super) Shared<'a, T>);

impl<'a, T: Send> ParallelIterator for ElementsMut<'a, T> {
    type Item = &'a mut T;
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.0.len
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a mut T> {
        // SAFETY: the caller passes each position once.
        unsafe { self.0.part(range) }.iter_mut()
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut [T] {
    type Iter = ElementsMut<'a, T>;
    type Item = &'a mut T;

    fn into_par_iter(self) -> Self::Iter {
        ElementsMut(Shared::new(self))
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut Vec<T> {
    type Iter = ElementsMut<'a, T>;
    type Item = &'a mut T;

    fn into_par_iter(self) -> Self::Iter {
        ElementsMut(Shared::new(self))
    }
}

/// A loop over the parts of a mutable slice with a fixed size. The last part may be shorter.
pub struct ChunksMut<'a, T> {
    pub(super) slice: Shared<'a, T>,
    pub(super) size: usize,
}

impl<'a, T: Send> ParallelIterator for ChunksMut<'a, T> {
    type Item = &'a mut [T];
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.slice.len.div_ceil(self.size)
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a mut [T]> {
        let end = (range.end * self.size).min(self.slice.len);
        // SAFETY: the caller passes each position once.
        unsafe { self.slice.part(range.start * self.size..end) }.chunks_mut(self.size)
    }
}

/// A loop over the parts of a mutable slice with a fixed size, which divides the length of the
/// slice.
pub struct ChunksExactMut<'a, T> {
    pub(super) slice: Shared<'a, T>,
    pub(super) size: usize,
}

impl<'a, T: Send> ParallelIterator for ChunksExactMut<'a, T> {
    type Item = &'a mut [T];
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.slice.len / self.size
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = &'a mut [T]> {
        let part = range.start * self.size..range.end * self.size;
        // SAFETY: the caller passes each position once.
        unsafe { self.slice.part(part) }.chunks_exact_mut(self.size)
    }
}

/// A loop that moves the elements out of a vector.
pub struct Owned<T> {
    start: *mut T,
    len: usize,
    capacity: usize,
}

// SAFETY: threads move different elements out of the vector. See `items`.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T: Send> ParallelIterator for Owned<T> {
    type Item = T;
    const IS_EXACT: bool = true;

    fn positions(&self) -> usize {
        self.len
    }

    unsafe fn items(&self, range: Range<usize>) -> impl Iterator<Item = T> {
        assert!(range.start <= range.end && range.end <= self.len);
        Moved { vector: self, range }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: these are the parts of the vector. Its elements were moved. Those that no thread
        // asked for are leaked, which is safe.
        drop(unsafe { Vec::from_raw_parts(self.start, 0, self.capacity) });
    }
}

/// The elements of a part of [`Owned`].
struct Moved<'a, T> {
    vector: &'a Owned<T>,
    range: Range<usize>,
}

impl<T> Iterator for Moved<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        // SAFETY: the index is inside the vector, and each element is read once.
        self.range.next().map(|n| unsafe { self.vector.start.add(n).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl<T> Drop for Moved<'_, T> {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

impl<T: Send> IntoParallelIterator for Vec<T> {
    type Iter = Owned<T>;
    type Item = T;

    fn into_par_iter(self) -> Owned<T> {
        let mut vector = ManuallyDrop::new(self);
        Owned { start: vector.as_mut_ptr(), len: vector.len(), capacity: vector.capacity() }
    }
}
