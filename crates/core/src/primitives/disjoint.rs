//! A mutable array that many parallel tasks write through disjoint ranges.

use std::marker::PhantomData;
use std::ops::Range;

/// A mutable slice that parallel tasks may write through disjoint ranges.
///
/// Rayon can split a slice evenly, but the patches of an active list own uneven ranges with gaps.
/// Splitting the slice for each pass would allocate memory in every time step.
pub struct DisjointRows<'a, T> {
    start: *mut T,
    len: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

// SAFETY: the only access is `range`, whose contract forbids overlapping use from two tasks.
// Sharing this handle therefore shares no element. `T: Send` is required because elements are
// written from other threads.
unsafe impl<T: Send> Sync for DisjointRows<'_, T> {}

impl<'a, T> DisjointRows<'a, T> {
    /// Wraps a slice. The borrow lasts as long as the handle.
    #[inline]
    pub fn new(slice: &'a mut [T]) -> Self {
        DisjointRows { start: slice.as_mut_ptr(), len: slice.len(), lifetime: PhantomData }
    }

    /// Returns the elements of `range`.
    ///
    /// # Safety
    /// No two live results may overlap. Each task of a pass must use ranges that no other task
    /// uses.
    ///
    /// # Panics
    /// Panics if the range does not lie inside the slice.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn range(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: the assertion ensures that the range is inside the slice. The caller guarantees
        // that no other live range overlaps it.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}
