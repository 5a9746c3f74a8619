//! Arrays on the GPU, and pinned memory of the host.

pub(crate) mod item;
mod staging;

use std::ops::Range;

use cudarc::driver::{CudaEvent, CudaSlice, DevicePtr, PinnedHostSlice};

use item::{Item, items, items_mut, values, values_mut};
pub use staging::Staging;

use super::{Cuda, device_error};
use zeroset_core::Plain;
use zeroset_core::error::Result;

/// What arrays on the GPU hold.
pub trait Element: Plain + Default {}

impl<T: Plain + Default> Element for T {}

/// An array on the GPU; freed with it.
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

    /// Address on the GPU, for kernels.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Memory of the host that the GPU reads and writes by itself.
pub struct Pinned<T: Element> {
    slice: PinnedHostSlice<Item<T>>,
    /// Behind the last copy; the driver's own mark is not set where events are not tracked.
    copied: Option<CudaEvent>,
}

impl<T: Element> Pinned<T> {
    /// What is there; copies under way are waited for.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if a kernel before the copy failed.
    pub fn get(&self) -> Result<&[T]> {
        if let Some(copied) = &self.copied {
            copied.synchronize().map_err(|e| device_error("waiting for a copy", e))?;
        }
        self.slice.as_slice().map(values).map_err(|e| device_error("waiting for a copy", e))
    }
}

/// Values on their way to the host while kernels go on: a copy on the GPU, and pinned memory.
pub struct Outgoing<T: Element> {
    staged: Array<T>,
    host: Pinned<T>,
}

impl<T: Element> Outgoing<T> {
    /// The values last sent, once they are there.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if a kernel before the copy failed.
    pub fn get(&self) -> Result<&[T]> {
        self.host.get().map(|rows| &rows[..self.staged.len])
    }
}

impl<T: Element> Drop for Outgoing<T> {
    fn drop(&mut self) {
        // Neither end may be freed under a copy; whoever needs its values has asked for errors.
        let _ = self.host.get();
    }
}

impl Cuda {
    /// An array of zeros.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Array<T>> {
        let slice = self.stream().alloc_zeros(len.max(1));
        let slice = slice.map_err(|e| device_error(&memory(len * size_of::<T>()), e))?;
        Ok(Array::new(self, slice, len))
    }

    /// An array whose elements nobody has set, which spares the time of doing so.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if there is not enough memory.
    ///
    /// # Safety
    /// Each element must be written before it is read.
    pub unsafe fn unset<T: Element>(&self, len: usize) -> Result<Array<T>> {
        // SAFETY: by the caller's promise.
        let slice = unsafe { self.stream().alloc(len.max(1)) };
        let slice = slice.map_err(|e| device_error(&memory(len * size_of::<T>()), e))?;
        Ok(Array::new(self, slice, len))
    }

    /// A copy of `rows` on the GPU.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn upload<T: Element>(&self, rows: &[T]) -> Result<Array<T>> {
        if rows.is_empty() {
            return self.zeros(0);
        }
        // SAFETY: all rows are written right below.
        let mut array = unsafe { self.unset(rows.len()) }?;
        self.write(&mut array, rows)?;
        Ok(array)
    }

    /// Replaces the first elements of an array.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    ///
    /// # Panics
    /// If `rows` is longer than the array.
    pub fn write<T: Element>(&self, array: &mut Array<T>, rows: &[T]) -> Result<()> {
        self.write_part(array, 0, rows)
    }

    /// Replaces the elements of an array from `first` on.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    ///
    /// # Panics
    /// If the array ends before `rows` do.
    pub fn write_part<T: Element>(
        &self,
        array: &mut Array<T>,
        first: usize,
        rows: &[T],
    ) -> Result<()> {
        assert!(first + rows.len() <= array.len, "rows fit the array");
        if rows.is_empty() {
            return Ok(());
        }
        let mut into = array.slice.slice_mut(first..first + rows.len());
        let copied = self.stream().memcpy_htod(items(rows), &mut into);
        copied.map_err(|e| device_error("copying to the GPU", e))
    }

    /// An array of `len` elements, zero behind those of a shorter one.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if there is not enough memory.
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

    /// Sets all bytes of an array to zero.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    pub fn clear<T: Element>(&self, array: &mut Array<T>) -> Result<()> {
        self.stream().memset_zeros(&mut array.slice).map_err(|e| device_error("clearing", e))
    }

    /// All elements, after everything launched before.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if a kernel before failed.
    pub fn download<T: Element>(&self, array: &Array<T>) -> Result<Vec<T>> {
        self.download_part(array, 0..array.len)
    }

    /// Elements of a range, after everything launched before.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if a kernel before failed.
    ///
    /// # Panics
    /// If the range leaves the array.
    pub fn download_part<T: Element>(
        &self,
        array: &Array<T>,
        range: Range<usize>,
    ) -> Result<Vec<T>> {
        assert!(range.end <= array.len, "a part of the array");
        let mut rows = vec![T::default(); range.len()];
        let bytes = size_of_val(&rows[..]);
        if bytes >= staging::LARGE {
            let from = array.address + (range.start * size_of::<T>()) as u64;
            // SAFETY: the bytes of all rows, which those of rows of the GPU replace.
            let into = unsafe { std::slice::from_raw_parts_mut(rows.as_mut_ptr().cast(), bytes) };
            // SAFETY: a part of the array.
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

    /// Pinned memory of the host for `len` elements.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if there is not enough memory.
    pub fn pinned<T: Element>(&self, len: usize) -> Result<Pinned<T>> {
        let fail = |e| device_error("taking pinned memory", e);
        // SAFETY: filled right below.
        let mut slice = unsafe { self.context().alloc_pinned_with_flags::<Item<T>>(len.max(1), 0) };
        if let Ok(slice) = &mut slice {
            values_mut(slice.as_mut_slice().map_err(fail)?).fill(T::default());
        }
        Ok(Pinned { slice: slice.map_err(fail)?, copied: None })
    }

    /// Room for `len` values on their way to the host.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if there is not enough memory, here or on the GPU.
    pub fn outgoing<T: Element>(&self, len: usize) -> Result<Outgoing<T>> {
        Ok(Outgoing { staged: self.zeros(len)?, host: self.pinned(len)? })
    }

    /// Sends `array[range]` to the host as it is after everything launched before; kernels launched
    /// from now on may change it, and run while the copy is under way.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    ///
    /// # Panics
    /// If the range leaves the array or has not the length of `into`.
    pub fn send<T: Element>(
        &self,
        array: &Array<T>,
        range: Range<usize>,
        into: &mut Outgoing<T>,
    ) -> Result<()> {
        assert!(range.end <= array.len && range.len() == into.staged.len, "a part of the array");
        if range.is_empty() {
            return Ok(());
        }
        let Outgoing { staged, host } = into;
        let fail = |e| device_error("copying from the GPU", e);
        // What was sent before may still be read.
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

    /// Lets the GPU copy an array into pinned memory after everything launched before, without
    /// waiting; [`Pinned::get`] waits.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    pub fn fetch<T: Element>(&self, array: &Array<T>, into: &mut Pinned<T>) -> Result<()> {
        let copied = self.stream().memcpy_dtoh(&array.slice, &mut into.slice);
        let fail = |e| device_error("copying from the GPU", e);
        copied.map_err(fail)?;
        into.copied = Some(self.stream().record_event(None).map_err(fail)?);
        Ok(())
    }
}

fn memory(bytes: usize) -> String {
    format!("taking {bytes} bytes on the GPU")
}
