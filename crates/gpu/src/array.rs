//! GPU arrays, pinned host memory, and copies between host and GPU.

pub(crate) mod item;
mod staging;

use std::ops::Range;

use cudarc::driver::result::memcpy_dtod_async;
use cudarc::driver::{CudaEvent, CudaSlice, DevicePtr, PinnedHostSlice};

use item::{Item, items, items_mut, values, values_mut};
pub use staging::Staging;

use super::{Cuda, device_error};
use zeroset_core::Plain;
use zeroset_core::error::Result;

/// An element type of GPU arrays.
pub trait Element: Plain + Default {}

impl<T: Plain + Default> Element for T {}

/// An array in GPU memory. Dropping it frees the memory.
pub struct Array<T: Element> {
    slice: CudaSlice<Item<T>>,
    address: u64,
    len: usize,
}

impl<T: Element> Array<T> {
    fn new(cuda: &Cuda, slice: CudaSlice<Item<T>>, len: usize) -> Self {
        let address = slice.device_ptr(cuda.stream()).0;
        Array { slice, address, len }
    }

    /// Returns the address on the GPU, to be passed to kernels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Pinned host memory, which the GPU reads and writes directly.
pub struct Pinned<T: Element> {
    slice: PinnedHostSlice<Item<T>>,
    /// The event recorded after the last copy. It is needed because event tracking is off, so the
    /// driver bindings record no event of their own.
    copied: Option<CudaEvent>,
}

impl<T: Element> Pinned<T> {
    /// Returns the contents after waiting for pending copies.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if an earlier kernel failed.
    pub fn get(&self) -> Result<&[T]> {
        if let Some(copied) = &self.copied {
            copied.synchronize().map_err(|e| device_error("waiting for a copy", e))?;
        }
        self.slice.as_slice().map(values).map_err(|e| device_error("waiting for a copy", e))
    }
}

/// Values that are copied to the host while kernels continue: a buffer on the GPU, and pinned
/// memory.
pub struct Outgoing<T: Element> {
    staged: Array<T>,
    host: Pinned<T>,
}

impl<T: Element> Outgoing<T> {
    /// Waits for the most recently sent values and returns them.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if an earlier kernel failed.
    pub fn get(&self) -> Result<&[T]> {
        self.host.get().map(|rows| &rows[..self.staged.len])
    }
}

impl<T: Element> Drop for Outgoing<T> {
    fn drop(&mut self) {
        // Neither buffer may be freed during a copy. Errors are ignored here because callers that
        // need the values have already checked for errors.
        let _ = self.host.get();
    }
}

impl Cuda {
    /// Allocates an array of zeros.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Array<T>> {
        let slice = self.stream().alloc_zeros(len.max(1));
        let slice = slice.map_err(|e| device_error(&memory(len * size_of::<T>()), e))?;
        Ok(Array::new(self, slice, len))
    }

    /// Allocates an array without initializing it, which saves the time of filling it.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory.
    ///
    /// # Safety
    /// Each element must be written before it is read.
    pub unsafe fn unset<T: Element>(&self, len: usize) -> Result<Array<T>> {
        // SAFETY: the caller guarantees that elements are written before they are read.
        let slice = unsafe { self.stream().alloc(len.max(1)) };
        let slice = slice.map_err(|e| device_error(&memory(len * size_of::<T>()), e))?;
        Ok(Array::new(self, slice, len))
    }

    /// Copies `rows` into a new array on the GPU.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn upload<T: Element>(&self, rows: &[T]) -> Result<Array<T>> {
        if rows.is_empty() {
            return self.zeros(0);
        }
        // SAFETY: the next statement writes all rows.
        let mut array = unsafe { self.unset(rows.len()) }?;
        self.write(&mut array, rows)?;
        Ok(array)
    }

    /// Overwrites the first `rows.len()` elements of an array.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if `rows` is longer than the array.
    pub fn write<T: Element>(&self, array: &mut Array<T>, rows: &[T]) -> Result<()> {
        self.write_part(array, 0, rows)
    }

    /// Overwrites `rows.len()` elements of an array, starting at index `first`.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if `rows` does not fit in the rest of the array.
    pub fn write_part<T: Element>(
        &self,
        array: &mut Array<T>,
        first: usize,
        rows: &[T],
    ) -> Result<()> {
        assert!(first + rows.len() <= array.len, "the rows must fit into the array");
        if rows.is_empty() {
            return Ok(());
        }
        let mut into = array.slice.slice_mut(first..first + rows.len());
        let copied = self.stream().memcpy_htod(items(rows), &mut into);
        copied.map_err(|e| device_error("copying to the GPU", e))
    }

    /// Returns a copy of an array that is extended with zeros, or truncated, to `len` elements.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn lengthened<T: Element>(&self, array: &Array<T>, len: usize) -> Result<Array<T>> {
        let mut longer = self.zeros(len)?;
        let n = array.len.min(len);
        if n > 0 {
            let (from, mut into) = (array.slice.slice(..n), longer.slice.slice_mut(..n));
            let copied = self.stream().memcpy_dtod(&from, &mut into);
            copied.map_err(|e| device_error("copying on the GPU", e))?;
        }
        Ok(longer)
    }

    /// Copies the first `n` elements of an array to an address on the GPU, after all earlier
    /// launches.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if the array has fewer than `n` elements.
    ///
    /// # Safety
    /// The address must be that of an array with at least `n` elements on this GPU. No other work
    /// may use this array until the copy has finished.
    pub unsafe fn copy_to<T: Element>(&self, array: &Array<T>, n: usize, to: u64) -> Result<()> {
        assert!(n <= array.len, "the array must have as many elements");
        let fail = |e| device_error("copying on the GPU", e);
        self.context().bind_to_thread().map_err(fail)?;
        let (bytes, stream) = (n * size_of::<T>(), self.stream().cu_stream());
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller guarantees the target, and the source is a part of the array.
        unsafe { memcpy_dtod_async(to, array.address, bytes, stream) }.map_err(fail)
    }

    /// Copies `n` elements from an address on the GPU into a new array, after all earlier launches.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory, or if the GPU does
    /// not respond.
    ///
    /// # Safety
    /// The address must be that of an array with at least `n` elements on this GPU. No other work
    /// may change it until the copy has finished.
    pub unsafe fn copy_from<T: Element>(&self, from: u64, n: usize) -> Result<Array<T>> {
        // SAFETY: the copy fills the array.
        let array = unsafe { self.unset::<T>(n) }?;
        let fail = |e| device_error("copying on the GPU", e);
        self.context().bind_to_thread().map_err(fail)?;
        let (bytes, stream) = (n * size_of::<T>(), self.stream().cu_stream());
        if bytes > 0 {
            // SAFETY: the caller guarantees the source, and the new array has room.
            unsafe { memcpy_dtod_async(array.address, from, bytes, stream) }.map_err(fail)?;
        }
        Ok(array)
    }

    /// Copies the `n` elements that begin at index `from` of an array to those that begin at index
    /// `to`, after all earlier launches.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if the elements exceed the array, or if the two ranges overlap.
    pub fn copy_within<T: Element>(
        &self,
        array: &mut Array<T>,
        from: usize,
        to: usize,
        n: usize,
    ) -> Result<()> {
        assert!(from.max(to) + n <= array.len, "the elements must lie in the array");
        assert!(from.abs_diff(to) >= n, "the ranges must not overlap");
        let fail = |e| device_error("copying on the GPU", e);
        self.context().bind_to_thread().map_err(fail)?;
        let (size, stream) = (size_of::<T>(), self.stream().cu_stream());
        if n == 0 {
            return Ok(());
        }
        let at = |index: usize| array.address + (index * size) as u64;
        // SAFETY: both ranges are parts of the array.
        unsafe { memcpy_dtod_async(at(to), at(from), n * size, stream) }.map_err(fail)
    }

    /// Sets all bytes of an array to zero.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    pub fn clear<T: Element>(&self, array: &mut Array<T>) -> Result<()> {
        self.stream().memset_zeros(&mut array.slice).map_err(|e| device_error("clearing", e))
    }

    /// Waits until all earlier launches have finished, and copies all elements to the host.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if an earlier kernel failed.
    pub fn download<T: Element>(&self, array: &Array<T>) -> Result<Vec<T>> {
        self.download_part(array, 0..array.len)
    }

    /// Waits until all earlier launches have finished, and copies a range of elements to the host.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if an earlier kernel failed.
    ///
    /// # Panics
    /// Panics if the range exceeds the array.
    pub fn download_part<T: Element>(
        &self,
        array: &Array<T>,
        range: Range<usize>,
    ) -> Result<Vec<T>> {
        assert!(range.end <= array.len, "the range must lie in the array");
        let mut rows = vec![T::default(); range.len()];
        let bytes = size_of_val(&rows[..]);
        if bytes >= staging::LARGE {
            let from = array.address + (range.start * size_of::<T>()) as u64;
            // SAFETY: the slice covers the bytes of all rows. They are overwritten with rows from
            // the GPU.
            let into = unsafe { std::slice::from_raw_parts_mut(rows.as_mut_ptr().cast(), bytes) };
            // SAFETY: the source is a part of the array.
            if unsafe { self.copy_large(from, into) }? {
                return Ok(rows);
            }
        }
        if !rows.is_empty() {
            let copied = self.stream().memcpy_dtoh(&array.slice.slice(range), items_mut(&mut rows));
            copied.map_err(|e| device_error("copying from the GPU", e))?;
        }
        self.synchronize()?;
        Ok(rows)
    }

    /// Allocates pinned host memory for `len` elements.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T>> {
        let fail = |e| device_error("allocating pinned memory", e);
        // SAFETY: the memory is filled right below.
        let mut slice = unsafe { self.context().alloc_pinned_with_flags::<Item<T>>(len.max(1), 0) };
        if let Ok(slice) = &mut slice {
            values_mut(slice.as_mut_slice().map_err(fail)?).fill(T::default());
        }
        Ok(Pinned { slice: slice.map_err(fail)?, copied: None })
    }

    /// Allocates the buffers for sending `len` values to the host.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory on the host or the
    /// GPU.
    pub fn outgoing<T: Element>(&self, len: usize) -> Result<Outgoing<T>> {
        Ok(Outgoing { staged: self.zeros(len)?, host: self.pinned(len)? })
    }

    /// Sends `array[range]` to the host, as it is after all earlier launches. Kernels launched
    /// later may run while the copy is in progress, and they may change the array.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if the range exceeds the array, or if its length differs from that of `into`.
    pub fn send<T: Element>(
        &self,
        array: &Array<T>,
        range: Range<usize>,
        into: &mut Outgoing<T>,
    ) -> Result<()> {
        assert!(
            range.end <= array.len && range.len() == into.staged.len,
            "the range must lie in the array"
        );
        if range.is_empty() {
            return Ok(());
        }
        let Outgoing { staged, host } = into;
        let fail = |e| device_error("copying from the GPU", e);
        // The previous copy may still be reading the buffer.
        if let Some(copied) = &host.copied {
            self.stream().wait(copied).map_err(fail)?;
        }
        let mut stage = staged.slice.slice_mut(..range.len());
        self.stream().memcpy_dtod(&array.slice.slice(range), &mut stage).map_err(fail)?;
        let staged_now = self.stream().record_event(None).map_err(fail)?;
        self.copies().wait(&staged_now).map_err(fail)?;
        self.copies().memcpy_dtoh(&staged.slice, &mut host.slice).map_err(fail)?;
        host.copied = Some(self.copies().record_event(None).map_err(fail)?);
        Ok(())
    }

    /// Starts a copy of an array into pinned memory, without waiting for it. The copy runs after
    /// all earlier launches. [`Pinned::get`] waits for the copy.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    pub fn fetch<T: Element>(&self, array: &Array<T>, into: &mut Pinned<T>) -> Result<()> {
        let copied = self.stream().memcpy_dtoh(&array.slice, &mut into.slice);
        let fail = |e| device_error("copying from the GPU", e);
        copied.map_err(fail)?;
        into.copied = Some(self.stream().record_event(None).map_err(fail)?);
        Ok(())
    }
}

fn memory(bytes: usize) -> String {
    format!("allocating {bytes} bytes on the GPU")
}
