//! Access to the caller's arrays.

use zeroset::{Error, Result};

/// Returns the array of `n` items at a pointer.
///
/// # Safety
/// A pointer that is not NULL must point to `n` items that live as long as the result.
///
/// # Errors
/// Returns [`Error::Case`] for NULL, unless `n` is 0.
pub(crate) unsafe fn slice<'a, T>(name: &str, items: *const T, n: usize) -> Result<&'a [T]> {
    match (items.is_null(), n) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(missing(name, n)),
        // SAFETY: The caller promises that there are `n` items.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(items, n) }),
    }
}

/// Returns the array of `n` items at a pointer, or `None` for NULL.
///
/// # Safety
/// A pointer that is not NULL must point to `n` items that live as long as the result.
pub(crate) unsafe fn optional<'a, T>(items: *const T, n: usize) -> Option<&'a [T]> {
    // SAFETY: The caller promises that there are `n` items.
    (!items.is_null()).then(|| unsafe { std::slice::from_raw_parts(items, n) })
}

/// Writes items to one of the caller's arrays.
///
/// # Safety A pointer that is not NULL must point to room for all items of `from`.
///
/// # Errors
/// Returns [`Error::Case`] for NULL, unless there are no items.
pub(crate) unsafe fn write<T: Copy>(name: &str, from: &[T], to: *mut T) -> Result<()> {
    if from.is_empty() {
        return Ok(());
    }
    if to.is_null() {
        return Err(missing(name, from.len()));
    }
    // SAFETY: The caller promises that there is room. `from` belongs to the library, so the two do
    // not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
    Ok(())
}

/// Returns the object at a pointer.
///
/// # Safety
/// A pointer that is not NULL must point to an object that lives as long as the result.
///
/// # Errors
/// Returns [`Error::Case`] for NULL.
pub(crate) unsafe fn object<'a, T>(name: &str, object: *const T) -> Result<&'a T> {
    // SAFETY: The caller promises that there is an object.
    unsafe { object.as_ref() }.ok_or_else(|| null(name))
}

/// Stores a new object at a pointer.
///
/// # Safety
/// A pointer that is not NULL must be writable.
///
/// # Errors
/// Returns [`Error::Case`] for NULL.
pub(crate) unsafe fn store<T>(name: &str, object: T, to: *mut *mut T) -> Result<()> {
    if to.is_null() {
        return Err(null(name));
    }
    // SAFETY: The caller promises that the pointer is writable.
    unsafe { *to = Box::into_raw(Box::new(object)) };
    Ok(())
}

/// Frees an object. NULL is ignored.
///
/// # Safety
/// A pointer that is not NULL must come from [`store`], and must not have been freed.
pub(crate) unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: The caller promises that the object comes from `store`.
        drop(unsafe { Box::from_raw(object) });
    }
}

fn missing(name: &str, n: usize) -> Error {
    Error::usage(format!("{name} is NULL"), format!("give an array of {n} items"))
}

fn null(name: &str) -> Error {
    Error::usage(format!("{name} is NULL"), "give a pointer")
}
