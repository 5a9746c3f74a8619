//! What tells active cells of a grid on the card from others: the structs of the processor over a [`DeviceGrid`].

use super::histopyramid::Shape;
use super::{Value, sharing};
use crate::backend::cuda::{Arguments, Array, Cuda, Unit};
use crate::error::Result;
use crate::primitives::{Edge, Template, Threshold, Within};

/// Numbers of one type on the card, x fastest; the twin of [`Grid`](crate::primitives::Grid).
#[derive(Clone, Copy)]
pub struct DeviceGrid<'a, T: Value> {
    shape: [u32; 3],
    values: &'a Array<T>,
}

impl<'a, T: Value + Into<f64>> DeviceGrid<'a, T> {
    /// A grid of `shape`.
    ///
    /// # Panics
    /// If there is not one value for each cell.
    pub fn new(shape: [u32; 3], values: &'a Array<T>) -> Self {
        let n = shape.iter().try_fold(1_u64, |n, &size| n.checked_mul(u64::from(size)));
        assert_eq!(n, Some(values.len() as u64), "one value for each cell");
        DeviceGrid { shape, values }
    }

    /// Cells along x, y and z.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }

    /// Runs a kernel over all cells, whose last argument is the marks.
    ///
    /// # Safety
    /// `given` makes the arguments before from the address of the values.
    unsafe fn mark(
        &self,
        cuda: &Cuda,
        name: &str,
        given: impl FnOnce(Arguments) -> Arguments,
    ) -> Result<Array<u8>> {
        let n = self.values.len();
        // SAFETY: the kernels write a mark for each cell.
        let marks = unsafe { cuda.unset::<u8>(n) }?;
        let unit = Unit::new("primitives/discriminator", &[("VALUE", T::NAME)])?;
        let arguments = given(Arguments::default().with_array(self.values)).with_array(&marks);
        let kernel = cuda.kernel(&unit, name)?;
        // SAFETY: by the caller's promise, and a mark for each cell.
        unsafe { cuda.launch(&kernel, sharing(cuda, n.max(1)), &arguments) }?;
        Ok(marks)
    }
}

/// Decides which cells of a grid on the card are active, with the decisions of its twin
/// [`Discriminator`](crate::primitives::Discriminator).
pub trait DeviceDiscriminator {
    /// 1 for active cells, 0 for others, x fastest: flags from 1 on for [`Set::Bytes`](super::Set::Bytes) and
    /// [`DeviceHistoPyramid::new`](super::DeviceHistoPyramid::new). Nothing is waited for.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory or the card does not answer.
    fn marks(&self, cuda: &Cuda) -> Result<Array<u8>>;
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Threshold<DeviceGrid<'_, T>> {
    fn marks(&self, cuda: &Cuda) -> Result<Array<u8>> {
        Within { values: self.values, low: self.low, high: f64::INFINITY }.marks(cuda)
    }
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Within<DeviceGrid<'_, T>> {
    fn marks(&self, cuda: &Cuda) -> Result<Array<u8>> {
        let n = self.values.values.len() as u64;
        let given = |all: Arguments| all.with(n).with(self.low).with(self.high);
        // SAFETY: the arguments of `discriminator_within`.
        unsafe { self.values.mark(cuda, "discriminator_within", given) }
    }
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Edge<DeviceGrid<'_, T>> {
    fn marks(&self, cuda: &Cuda) -> Result<Array<u8>> {
        let [x, y, z] = self.spacing;
        let shape = Shape(self.values.shape);
        let given = |all: Arguments| all.with(shape).with(self.low).with(x).with(y).with(z);
        // SAFETY: the arguments of `discriminator_edge`.
        unsafe { self.values.mark(cuda, "discriminator_edge", given) }
    }
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Template<'_, DeviceGrid<'_, T>> {
    fn marks(&self, cuda: &Cuda) -> Result<Array<u8>> {
        let (size, values) = self.template.parts();
        let wanted = cuda.upload(values)?;
        // Larger than any grid here is as good as 2^32 - 1.
        let size = size.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let shape = Shape(self.values.shape);
        let given =
            |all: Arguments| all.with(shape).with_array(&wanted).with(Shape(size)).with(self.most);
        // SAFETY: the arguments of `discriminator_template`; what is wanted is given back in the order of the stream.
        unsafe { self.values.mark(cuda, "discriminator_template", given) }
    }
}
