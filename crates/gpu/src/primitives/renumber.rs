//! Rows of numbers in the order of a caller, converted to another order and number type and back.

use super::{numbered, sharing};
use crate::{Arguments, Array, Cuda, Kernel, Unit};
use zeroset_core::error::Result;
use zeroset_core::geometry::Real;

const FILE: &str = "primitives/renumber";

/// The entry of an index for rows that have no counterpart.
const NONE: u32 = u32::MAX;

/// The result of [`Renumbering::examine`]: the first rows, in the order of the caller, that have a
/// property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The first row with a number that is not finite.
    pub not_finite: Option<u32>,
    /// The first row with a negative number.
    pub negative: Option<u32>,
    /// The first row with a number that is zero or positive.
    pub not_negative: Option<u32>,
    /// The first row with a number that is not zero.
    pub not_zero: Option<u32>,
    /// The first row whose numbers differ by more than rounding from those of the row that the
    /// solver uses instead.
    pub conflict: Option<u32>,
}

/// The correspondence between the rows of a caller and the rows of a solver.
pub struct Renumbering {
    /// The row of the caller for each row of the solver.
    of_solver: Array<u32>,
    /// The row of the solver for each row of the caller, or [`NONE`].
    of_caller: Array<u32>,
}

impl Renumbering {
    /// Copies a correspondence to the GPU. `of_solver` contains the row of the caller for each row
    /// of the solver. `of_caller` contains the row of the solver for each row of the caller, or
    /// `None` if there is none.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 rows or more, if
    /// there is not enough memory, or if the GPU does not respond.
    pub fn new(cuda: &Cuda, of_solver: &[u32], of_caller: &[Option<u32>]) -> Result<Self> {
        numbered(of_solver.len().max(of_caller.len()), "rows")?;
        let of_caller: Vec<u32> = of_caller.iter().map(|row| row.unwrap_or(NONE)).collect();
        Ok(Renumbering { of_solver: cuda.upload(of_solver)?, of_caller: cuda.upload(&of_caller)? })
    }

    /// Examines those rows of the caller that the solver uses, and compares the other rows with
    /// those that are used instead. Waits for the result. `from` is
    /// the address of `width` numbers, `f64`, for each row of the caller.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if the GPU fails.
    ///
    /// # Safety
    /// The address must be that of an array of this size on this GPU.
    pub unsafe fn examine(&self, cuda: &Cuda, from: u64, width: u32) -> Result<Examined> {
        let (found, scale) = (cuda.upload(&[NONE; 5])?, cuda.zeros::<u64>(1)?);
        let examine = kernel::<f64>(cuda, "renumber_examine")?;
        let compare = kernel::<f64>(cuda, "renumber_compare")?;
        let (n, n_of_caller) = (self.of_solver.len(), self.of_caller.len());
        let examined = Arguments::default()
            .with(from)
            .with_array(&self.of_solver)
            .with(n as u32)
            .with(width)
            .with_array(&found)
            .with_array(&scale);
        let compared = Arguments::default()
            .with(from)
            .with_array(&self.of_caller)
            .with_array(&self.of_solver)
            .with(n_of_caller as u32)
            .with(width)
            .with_array(&scale)
            .with(found.address() + 4 * size_of::<u32>() as u64);
        let sharing = |n: usize| sharing(cuda, n * width as usize);
        // SAFETY: the arguments match the kernels, and the caller guarantees the array.
        unsafe {
            cuda.launch(&examine, sharing(n), &examined)?;
            cuda.launch(&compare, sharing(n_of_caller), &compared)?;
        }
        let found = cuda.download(&found)?;
        let row = |k: usize| Some(found[k]).filter(|&row| row != NONE);
        Ok(Examined {
            not_finite: row(0),
            negative: row(1),
            not_negative: row(2),
            not_zero: row(3),
            conflict: row(4),
        })
    }

    /// Copies rows of the caller into an array in the order of the solver. `from` is the address of
    /// `width` numbers, `f64`, for each row of the caller.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if the GPU fails.
    ///
    /// # Panics
    /// Panics if the array has fewer numbers.
    ///
    /// # Safety
    /// The address must be that of an array of this size on this GPU. No other work may change it
    /// until the launched work has finished.
    pub unsafe fn read<T: Real>(
        &self,
        cuda: &Cuda,
        from: u64,
        width: u32,
        into: &mut Array<T>,
    ) -> Result<()> {
        let n = self.of_solver.len();
        assert!(n * width as usize <= into.len(), "the rows must fit into the array");
        let kernel = kernel::<T>(cuda, "renumber_read")?;
        let arguments = Arguments::default().with(from).with_array(&self.of_solver);
        let arguments = arguments.with(n as u32).with(width).with_array(into);
        // SAFETY: the arguments match the kernel, and the caller guarantees the array.
        unsafe { cuda.launch(&kernel, sharing(cuda, n * width as usize), &arguments) }
    }

    /// Copies rows in the order of the solver, which begin with number `first` of an array, to the
    /// rows of the caller. `to` is the address of `width` numbers, `f64`, for each row. Rows that
    /// the solver does not have become NaN.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if the GPU fails.
    ///
    /// # Panics
    /// Panics if the array has fewer numbers.
    ///
    /// # Safety
    /// The address must be that of an array of this size on this GPU. No other work may use it
    /// until the launched work has finished.
    pub unsafe fn write<T: Real>(
        &self,
        cuda: &Cuda,
        (from, first): (&Array<T>, usize),
        width: u32,
        to: u64,
    ) -> Result<()> {
        let rows = self.of_solver.len() * width as usize;
        assert!(first + rows <= from.len(), "the array must have all rows");
        let kernel = kernel::<T>(cuda, "renumber_write")?;
        let n = self.of_caller.len();
        let arguments = Arguments::default().with(from.address() + (first * size_of::<T>()) as u64);
        let arguments = arguments.with_array(&self.of_caller).with(n as u32).with(width).with(to);
        // SAFETY: the arguments match the kernel, and the caller guarantees the array.
        unsafe { cuda.launch(&kernel, sharing(cuda, n * width as usize), &arguments) }
    }
}

/// Returns a kernel for numbers of a type.
fn kernel<T: Real>(cuda: &Cuda, name: &str) -> Result<Kernel> {
    let real = if size_of::<T>() == 8 { "double" } else { "float" };
    cuda.kernel(&Unit::new(FILE, &[("REAL", real)])?, name)
}
