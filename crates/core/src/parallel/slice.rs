//! The methods of slices that begin a parallel loop or sort in parallel.

use std::cmp::Ordering;

use rayon::slice::ParallelSliceMut;

use super::source::{
    Chunks, ChunksExact, ChunksExactMut, ChunksMut, Elements, ElementsMut, Shared, Windows,
};

/// Parallel loops over a slice, and parallel sorting.
pub trait ParallelSlice<T> {
    /// Returns the elements, as a slice.
    fn elements(&self) -> &[T];

    /// Returns the elements, as a mutable slice.
    fn elements_mut(&mut self) -> &mut [T];

    /// Returns a loop over the elements.
    fn par_iter(&self) -> Elements<'_, T> {
        Elements(self.elements())
    }

    /// Returns a loop over mutable references to the elements.
    fn par_iter_mut(&mut self) -> ElementsMut<'_, T> {
        ElementsMut(Shared::new(self.elements_mut()))
    }

    /// Returns a loop over parts with `size` elements. The last part may have fewer.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
        assert!(size > 0, "parts must not be empty");
        Chunks { slice: self.elements(), size }
    }

    /// Returns a loop over parts with `size` elements, without the remaining elements.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks_exact(&self, size: usize) -> ChunksExact<'_, T> {
        assert!(size > 0, "parts must not be empty");
        ChunksExact { slice: self.elements(), size }
    }

    /// Returns a loop over mutable parts with `size` elements. The last part may have fewer.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        assert!(size > 0, "parts must not be empty");
        ChunksMut { slice: Shared::new(self.elements_mut()), size }
    }

    /// Returns a loop over mutable parts with `size` elements, without the remaining elements.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T> {
        assert!(size > 0, "parts must not be empty");
        ChunksExactMut { slice: Shared::new(self.elements_mut()), size }
    }

    /// Returns a loop over all sequences of `size` adjacent elements.
    ///
    /// # Panics
    /// Panics if `size` is 0.
    fn par_windows(&self, size: usize) -> Windows<'_, T> {
        assert!(size > 0, "windows must not be empty");
        Windows { slice: self.elements(), size }
    }

    /// Sorts the elements. Equal elements may change their order.
    fn par_sort_unstable(&mut self)
    where
        T: Ord + Send,
    {
        ParallelSliceMut::par_sort_unstable(self.elements_mut());
    }

    /// Sorts the elements by a comparison. Equal elements may change their order.
    fn par_sort_unstable_by(&mut self, compare: impl Fn(&T, &T) -> Ordering + Sync)
    where
        T: Send,
    {
        ParallelSliceMut::par_sort_unstable_by(self.elements_mut(), compare);
    }

    /// Sorts the elements by a key. Elements with equal keys may change their order.
    fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K + Sync)
    where
        T: Send,
    {
        ParallelSliceMut::par_sort_unstable_by_key(self.elements_mut(), key);
    }
}

impl<T> ParallelSlice<T> for [T] {
    fn elements(&self) -> &[T] {
        self
    }

    fn elements_mut(&mut self) -> &mut [T] {
        self
    }
}
