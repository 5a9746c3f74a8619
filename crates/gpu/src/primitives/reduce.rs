//! Reductions: sum, minimum and maximum.

use super::{Value, tiles};
use crate::blocks::REDUCE_BYTES;
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::Result;

/// A kind of reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum. Integers wrap around.
    Sum,
    /// The minimum of the values that are not NaN.
    Least,
    /// The maximum of the values that are not NaN.
    Largest,
}

impl Reduction {
    fn kernel(self) -> &'static str {
        match self {
            Reduction::Sum => "reduce_sum",
            Reduction::Least => "reduce_least",
            Reduction::Largest => "reduce_largest",
        }
    }
}

/// A number type with addition and an order.
pub trait Number: Value {
    /// Returns the identity of a reduction: 0 for sums, the largest value (or infinity) for minima,
    /// and the smallest value (or negative infinity) for maxima.
    fn identity(reduction: Reduction) -> Self;
}

macro_rules! numbers {
    ($($type:ty: $zero:expr, $least:expr, $largest:expr;)*) => {
        $(impl Number for $type {
            fn identity(reduction: Reduction) -> Self {
                match reduction {
                    Reduction::Sum => $zero,
                    Reduction::Least => $largest,
                    Reduction::Largest => $least,
                }
            }
        })*
    };
}

numbers! {
    u32: 0, u32::MIN, u32::MAX;
    u64: 0, u64::MIN, u64::MAX;
    f32: 0.0, f32::NEG_INFINITY, f32::INFINITY;
    f64: 0.0, f64::NEG_INFINITY, f64::INFINITY;
}

/// Reduces all values, waits for the result and returns it. Returns the identity if there are no
/// values.
///
/// The result is bitwise identical on every GPU and in every run. Values are added in a different
/// order than in [`reduce`](zeroset_core::primitives::reduce()), so floating-point sums differ from
/// those of the CPU by rounding.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there is not enough memory, or if the
/// GPU does not respond.
pub fn reduce<T: Number>(cuda: &Cuda, values: &Array<T>, reduction: Reduction) -> Result<T> {
    let identity = T::identity(reduction);
    if values.is_empty() {
        return Ok(identity);
    }
    let unit = Unit::new("primitives/reduce", &[("VALUE", T::NAME)])?;
    let kernel = cuda.kernel(&unit, reduction.kernel())?;
    let of_tiles = |values: &Array<T>| -> Result<Array<T>> {
        let n_tiles = values.len().div_ceil(REDUCE_BYTES / size_of::<T>());
        // SAFETY: the kernel writes one value per tile.
        let of_tiles = unsafe { cuda.unset::<T>(n_tiles) }?;
        let arguments = Arguments::default()
            .with_array(values)
            .with(values.len() as u64)
            .with(identity)
            .with_array(&of_tiles);
        // SAFETY: the arguments match the kernels of `reduce.cu`. The driver aligns arrays to 256
        // bytes.
        unsafe { cuda.launch(&kernel, tiles(n_tiles as u32), &arguments) }?;
        Ok(of_tiles)
    };
    let mut left = of_tiles(values)?;
    while left.len() > 1 {
        left = of_tiles(&left)?;
    }
    Ok(cuda.download(&left)?[0])
}
