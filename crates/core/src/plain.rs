//! Plain data: types that can be copied as bytes, to a GPU or into a file.

/// A type that can be copied as bytes: it has the memory layout of C and contains no pointers, and
/// every bit pattern, including all zeros, is a valid value.
///
/// # Safety
/// The implementing type must have all of these properties.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($number:ty),*) => {
        $(
            // SAFETY: every bit pattern is a valid value of a fixed-size number type.
            unsafe impl Plain for $number {}
        )*
    };
}

plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

// SAFETY: an array contains only the bytes of its elements, without padding.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
