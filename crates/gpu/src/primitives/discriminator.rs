//! Discriminators on a GPU: predicates that mark the active cells of a grid. They are the same
//! structs as on the CPU, but their values are in a [`DeviceGrid`].
//!
//! A discriminator is compiled into the kernel that needs its decisions
//! (`kernels/primitives/discriminator.cuh`). That kernel reads the values and directly writes the
//! words of the base of a pyramid or of [`DeviceBits`](super::DeviceBits). Nothing is stored in
//! between.

mod kernel_arguments;

use std::any::Any;

pub(crate) use self::kernel_arguments::Variant;
use self::kernel_arguments::{
    BitsArgument, BytesArgument, EdgeArgument, TemplateArgument, WithinArgument,
};
use super::Value;
use crate::definitions::Define;
use crate::{Arguments, Array, Cuda, Element, Plain, Unit};
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::primitives::{Edge, Grid, Template, Threshold, Within};

/// A grid of numbers of one type on the GPU, x fastest: the counterpart of
/// [`Grid`](zeroset_core::primitives::Grid).
#[derive(Clone, Copy)]
pub struct DeviceGrid<'a, T: Value> {
    shape: [u32; 3],
    values: &'a Array<T>,
}

impl<'a, T: Value + Into<f64>> DeviceGrid<'a, T> {
    /// Creates a grid of `shape`.
    ///
    /// # Panics
    /// Panics if there is not exactly one value per cell.
    pub fn new(shape: [u32; 3], values: &'a Array<T>) -> Self {
        let n = shape.iter().try_fold(1_u64, |n, &size| n.checked_mul(u64::from(size)));
        assert_eq!(n, Some(values.len() as u64), "there must be one value per cell");
        DeviceGrid { shape, values }
    }

    /// Returns the number of cells along each axis.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }
}

/// A predicate on the cells of a grid on the GPU, with the same decisions as its counterpart
/// [`Discriminator`](zeroset_core::primitives::Discriminator).
pub trait DeviceDiscriminator {
    /// Returns the discriminator in the form that kernels read. It is valid as long as the values
    /// exist.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory, or if the GPU does not respond.
    fn question(&self, cuda: &Cuda) -> Result<Question>;
}

/// A discriminator in the form that kernels read.
pub struct Question {
    shape: [u32; 3],
    defines: Vec<(&'static str, String)>,
    header: Option<(String, String)>,
    /// The first argument of every kernel that evaluates the discriminator.
    argument: Arguments,
    /// The arrays whose addresses are in the argument.
    held: Vec<Box<dyn Any>>,
}

/// The address of numbers on the GPU, and their type name in kernel sources.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub address: u64,
    pub name: &'static str,
}

impl Numbers {
    /// Returns the address and the type name of the numbers of an array.
    pub fn of<T: Value>(values: &Array<T>) -> Self {
        Numbers { address: values.address(), name: T::NAME }
    }
}

impl Question {
    /// Creates a question for cells of `shape`. `variant` is the variant that takes this argument,
    /// and `value` is the type name of the values.
    pub(crate) fn new<A: Plain>(
        shape: [u32; 3],
        variant: Variant,
        value: &str,
        argument: A,
    ) -> Self {
        let defines = vec![variant.define(), ("VALUE", value.to_string())];
        let argument = Arguments::default().with(argument);
        Question { shape, defines, header: None, argument, held: Vec::new() }
    }

    /// Creates a question that asks whether the magnitude of the gradient is at least `low`.
    pub(crate) fn edge(shape: [u32; 3], values: Numbers, low: f64, spacing: [f64; 3]) -> Self {
        let argument = EdgeArgument { values: values.address, shape, low, spacing };
        Question::new(shape, Variant::Edge, values.name, argument)
    }

    /// Creates a question that asks whether the sum of absolute differences from a template is at
    /// most `most`.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory, or if the GPU does not respond.
    pub(crate) fn template(
        cuda: &Cuda,
        shape: [u32; 3],
        values: Numbers,
        template: Grid<f64>,
        most: f64,
    ) -> Result<Self> {
        let (size, wanted) = template.parts();
        let wanted = cuda.upload(wanted)?;
        let argument = TemplateArgument {
            values: values.address,
            shape,
            wanted: wanted.address(),
            // No grid has 2^32 cells, so larger sizes can be clamped to 2^32 - 1.
            size: size.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            most,
        };
        let kind = Variant::Template;
        Ok(Question::new(shape, kind, values.name, argument).holding(wanted))
    }

    /// Creates a question that asks whether bits are set.
    pub(super) fn bits(shape: [u32; 3], words: &Array<u32>) -> Self {
        let argument = BitsArgument { words: words.address(), shape };
        Question::new(shape, Variant::Bits, u32::NAME, argument)
    }

    /// Keeps an array whose address is in the argument.
    pub(crate) fn holding<T: Element>(mut self, array: Array<T>) -> Self {
        self.held.push(Box::new(array));
        self
    }

    /// Adds a header that the source includes.
    pub(crate) fn with_header(mut self, name: &str, text: &str) -> Self {
        self.header = Some((name.into(), text.into()));
        self
    }

    /// Returns the number of cells along each axis, and the total number of cells.
    pub(super) fn cells(&self) -> Result<([u32; 3], usize)> {
        let n = self.shape.iter().map(|&size| u64::from(size)).product::<u64>();
        match u32::try_from(n) {
            Ok(n) => Ok((self.shape, n as usize)),
            Err(_) => Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{n} cells, but keys have only 32 bits"),
                "split the grid into parts",
            )),
        }
    }

    /// Returns the unit of a kernel file that evaluates the discriminator, with additional defines.
    pub(super) fn unit(&self, file: &str, more: Vec<(&'static str, String)>) -> Result<Unit> {
        let mut unit = Unit::with(file, [self.defines.clone(), more].concat())?;
        unit.extra.extend(self.header.clone());
        Ok(unit)
    }

    /// Returns the first argument of kernels that evaluate the discriminator. Keep `self` until the
    /// kernels are launched: the arrays in the argument are freed with `self`, in stream order.
    pub(super) fn argument(&self) -> Arguments {
        self.argument.clone()
    }
}

/// Returns the smallest byte value that is at least `low`, if there is one.
fn least_byte(low: f64) -> Option<u32> {
    (low <= 255.0).then_some(low.ceil().max(0.0) as u32)
}

/// A byte threshold is compared with four bytes at a time.
impl<T: Value + Into<f64>> DeviceDiscriminator for Threshold<DeviceGrid<'_, T>> {
    fn question(&self, cuda: &Cuda) -> Result<Question> {
        let DeviceGrid { shape, values } = self.values;
        let bytes = T::NAME == <u8 as Value>::NAME;
        let Some(low) = least_byte(self.low).filter(|_| bytes) else {
            let above = Within { values: self.values, low: self.low, high: f64::INFINITY };
            return above.question(cuda);
        };
        let argument = BytesArgument { values: values.address(), shape, low };
        Ok(Question::new(shape, Variant::Bytes, T::NAME, argument))
    }
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Within<DeviceGrid<'_, T>> {
    fn question(&self, _: &Cuda) -> Result<Question> {
        let DeviceGrid { shape, values } = self.values;
        let Within { low, high, .. } = *self;
        let argument = WithinArgument { values: values.address(), shape, low, high };
        Ok(Question::new(shape, Variant::Within, T::NAME, argument))
    }
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Edge<DeviceGrid<'_, T>> {
    fn question(&self, _: &Cuda) -> Result<Question> {
        let DeviceGrid { shape, values } = self.values;
        Ok(Question::edge(shape, Numbers::of(values), self.low, self.spacing))
    }
}

impl<T: Value + Into<f64>> DeviceDiscriminator for Template<'_, DeviceGrid<'_, T>> {
    fn question(&self, cuda: &Cuda) -> Result<Question> {
        let DeviceGrid { shape, values } = self.values;
        Question::template(cuda, shape, Numbers::of(values), self.template, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::least_byte;

    #[test]
    fn thresholds_are_those_of_bytes() {
        let all = [-1.0, 0.0, 0.2, 7.0, 254.5, 255.0, 255.1, f64::NAN, f64::INFINITY];
        for low in all {
            let wanted = (0..=255).find(|&byte| f64::from(byte) >= low);
            assert_eq!(least_byte(low), wanted, "{low}");
        }
    }
}
