//! Plain data: what may be copied as bytes, to a GPU or into a file.

/// A type that is its bytes: laid out as in C, without pointers, and a value for any bits, all
/// zeros among them.
///
/// # Safety
/// The type must be as the summary says.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($number:ty),*) => {
        $(
            // SAFETY: a number of fixed size has a value for any bits.
            unsafe impl Plain for $number {}
        )*
    };
}

plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

// SAFETY: an array has no bytes but those of its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
