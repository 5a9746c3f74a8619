//! What tells active cells of a grid on the GPU from others: the structs of the CPU over a [`DeviceGrid`].
//!
//! A kernel that needs the decisions has the discriminator compiled into it (`kernels/primitives/discriminator.cuh`):
//! nothing stands between the values and the words of a pyramid's base or of [`DeviceBits`](super::DeviceBits).

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

/// Numbers of one type on the GPU, x fastest; the twin of [`Grid`](zeroset_core::primitives::Grid).
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
}

/// Decides which cells of a grid on the GPU are active, with the decisions of its twin
/// [`Discriminator`](zeroset_core::primitives::Discriminator).
pub trait DeviceDiscriminator {
    /// What a kernel is to be told, good for as long as the values are there.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the GPU does not answer.
    fn question(&self, cuda: &Cuda) -> Result<Question>;
}

/// A discriminator as kernels are told of it.
pub struct Question {
    shape: [u32; 3],
    defines: Vec<(&'static str, String)>,
    header: Option<(String, String)>,
    /// The first argument of every kernel that asks.
    argument: Arguments,
    /// Arrays of which the argument has the addresses.
    held: Vec<Box<dyn Any>>,
}

/// Numbers on the GPU by their address, and their type in the kernels' sources.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub address: u64,
    pub name: &'static str,
}

impl Numbers {
    /// The numbers of an array.
    pub fn of<T: Value>(values: &Array<T>) -> Self {
        Numbers { address: values.address(), name: T::NAME }
    }
}

impl Question {
    /// For cells of `shape`; `variant` is the one whose struct the argument is, `value` the type of the values.
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

    /// Whether the gradient has a size of `low` or more.
    pub(crate) fn edge(shape: [u32; 3], values: Numbers, low: f64, spacing: [f64; 3]) -> Self {
        let argument = EdgeArgument { values: values.address, shape, low, spacing };
        Question::new(shape, Variant::Edge, values.name, argument)
    }

    /// Whether the sum of the differences from a template is `most` or less.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the GPU does not answer.
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
            // Larger than any grid here is as good as 2^32 - 1.
            size: size.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            most,
        };
        let kind = Variant::Template;
        Ok(Question::new(shape, kind, values.name, argument).holding(wanted))
    }

    /// Whether bits are set.
    pub(super) fn bits(shape: [u32; 3], words: &Array<u32>) -> Self {
        let argument = BitsArgument { words: words.address(), shape };
        Question::new(shape, Variant::Bits, u32::NAME, argument)
    }

    /// With an array of which the argument has the address.
    pub(crate) fn holding<T: Element>(mut self, array: Array<T>) -> Self {
        self.held.push(Box::new(array));
        self
    }

    /// With a header that the source includes.
    pub(crate) fn with_header(mut self, name: &str, text: &str) -> Self {
        self.header = Some((name.into(), text.into()));
        self
    }

    /// Cells along x, y and z, and how many they are.
    pub(super) fn cells(&self) -> Result<([u32; 3], usize)> {
        let n = self.shape.iter().map(|&size| u64::from(size)).product::<u64>();
        match u32::try_from(n) {
            Ok(n) => Ok((self.shape, n as usize)),
            Err(_) => Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{n} cells, keys have 32 bits"),
                "take the grid in parts",
            )),
        }
    }

    /// A file that asks, with more defines.
    pub(super) fn unit(&self, file: &str, more: Vec<(&'static str, String)>) -> Result<Unit> {
        let mut unit = Unit::with(file, [self.defines.clone(), more].concat())?;
        unit.extra.extend(self.header.clone());
        Ok(unit)
    }

    /// The first argument of kernels that ask. What it has the address of is given back with `self`, in the order of the
    /// stream: not before they are launched.
    pub(super) fn argument(&self) -> Arguments {
        self.argument.clone()
    }
}

/// The smallest byte of `low` or more, if there is one.
fn least_byte(low: f64) -> Option<u32> {
    (low <= 255.0).then_some(low.ceil().max(0.0) as u32)
}

/// Of bytes four are judged at once.
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
