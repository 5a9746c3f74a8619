//! A wrapper that implements the marker traits of cudarc for array elements. Rust does not allow
//! this crate to implement cudarc traits directly for types from other crates.

use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use zeroset_core::Plain;

/// A wrapper around an element of an array.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Item<T>(pub T);

// SAFETY: plain data may be copied to a GPU byte by byte.
unsafe impl<T: Plain> DeviceRepr for Item<T> {}
// SAFETY: all-zero bits are a valid value of plain data.
unsafe impl<T: Plain> ValidAsZeroBits for Item<T> {}

/// Reinterprets a slice of values as items.
pub(crate) fn items<T>(values: &[T]) -> &[Item<T>] {
    // SAFETY: an item has the same layout as its value.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Reinterprets a mutable slice of values as items.
pub(crate) fn items_mut<T>(values: &mut [T]) -> &mut [Item<T>] {
    // SAFETY: an item has the same layout as its value.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
}

/// Reinterprets a slice of items as values.
pub(crate) fn values<T>(items: &[Item<T>]) -> &[T] {
    // SAFETY: an item has the same layout as its value.
    unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), items.len()) }
}

/// Reinterprets a mutable slice of items as values.
pub(crate) fn values_mut<T>(items: &mut [Item<T>]) -> &mut [T] {
    // SAFETY: an item has the same layout as its value.
    unsafe { std::slice::from_raw_parts_mut(items.as_mut_ptr().cast(), items.len()) }
}
