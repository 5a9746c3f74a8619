//! Points of a volume found on a GPU: the twins of [`super::find`], [`super::part`] and [`super::counts()`].
//!
//! The expression is printed as CUDA code and compiled into the kernel that makes bits or the base of a pyramid
//! (`kernels/primitives/discriminator.cuh`); lists are those of [`crate::primitives::cuda`].

mod layout;

use std::ops::Range;

use self::layout::ConditionArgument;
use super::Points;
use crate::backend::cuda::{Argument, Cuda, Element};
use crate::error::{Error, Result};
use crate::expression::{Expression, Predicate};
use crate::primitives::cuda::{
    DeviceBits, DeviceDiscriminator, DeviceHistoPyramid, Question, compact,
};
use crate::primitives::{Order, Stored};
use crate::volume::{Condition, Samples, VOXEL_NAMES, Volume};

/// Bytes on the card for a point of a list: a cell by its indices.
const OF_POINT: u64 = 12;
/// Bytes on the card for a box and its count.
const OF_BOX: u64 = 28;

// SAFETY: laid out as in C, and compared with the size the kernel knows.
unsafe impl Argument for ConditionArgument {}

/// Lists the voxels where an expression of v, x, y, z, i, j and k is neither 0 nor no number, as [`super::find`]
/// does with a [`Condition`]: the volume is copied to the card in its own type if the expression has its values, and the
/// numbers of the voxels come back. The voxels are those of the processor, unless a function without an exact value (sin,
/// exp and the like) is rounded otherwise there.
///
/// # Errors
/// Those of [`Condition::new`]; [`Error::Device`] for 2^32 voxels or more, if there is not enough memory, which is
/// known before anything is copied, or the card does not answer.
pub fn find_on(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    order: Order,
) -> Result<Points> {
    let pyramid = Some(order).filter(|order| *order == Order::Blocks);
    ask(cuda, volume, expression, pyramid, |condition| list(cuda, condition, order))
}

/// A range of the list of [`find_on`], and how many entries that has, as [`part`](super::part) gives them.
///
/// # Errors
/// Those of [`find_on`].
pub fn part_on(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    order: Order,
    entries: Range<usize>,
) -> Result<(Points, usize)> {
    ask(cuda, volume, expression, Some(order), |condition| {
        let pyramid = DeviceHistoPyramid::new(cuda, condition, order, Stored::PartialSums)?;
        let total = pyramid.len(cuda)?;
        let n = entries.end.min(total).saturating_sub(entries.start);
        room(cuda, OF_POINT * n as u64, "the list")?;
        let voxels = cuda.download(&pyramid.cells(cuda, entries.clone())?)?;
        Ok((Points::of(volume, voxels), total))
    })
}

/// Number of voxels in each box where an expression holds, as [`counts`](super::counts()) gives it.
///
/// # Errors
/// Those of [`find_on`].
pub fn counts_on(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    boxes: &[[[u32; 3]; 2]],
) -> Result<Vec<u32>> {
    ask(cuda, volume, expression, Some(Order::Blocks), |condition| {
        let pyramid = DeviceHistoPyramid::new(cuda, condition, Order::Blocks, Stored::PartialSums)?;
        room(cuda, OF_BOX * boxes.len() as u64, "the boxes")?;
        cuda.download(&pyramid.count(cuda, &cuda.upload(boxes)?)?)
    })
}

/// Checks that an expression can be on the card, with a pyramid of this order or bits, and asks for the answer where the
/// values of the volume are there, if it has any.
fn ask<R>(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    pyramid: Option<Order>,
    answer: impl Fn(&DeviceCondition) -> Result<R>,
) -> Result<R> {
    Condition::new(volume, expression)?;
    let n = volume.n_voxels();
    if u32::try_from(n).is_err() {
        return Err(Error::Device {
            what: format!("{n} voxels on a GPU, at most 2^32 - 1 can be"),
            remedy: "list them on the processor (--device cpu)".into(),
        });
    }
    let uses_values = expression.names().contains(&"v");
    let samples = if uses_values { n * volume.samples().width() } else { 0 };
    let shape = volume.shape().map(|n| n as u32);
    let marks = match pyramid {
        None => n.div_ceil(8) as u64,
        Some(order) => DeviceHistoPyramid::bytes(shape, order),
    };
    room(cuda, samples as u64 + marks, "the volume and its marks")?;
    let condition =
        |values: u64, value| DeviceCondition { volume, expression, shape, values, value };
    if !uses_values {
        return answer(&condition(0, "u8"));
    }
    /// The samples stay on the card until the kernel has read them: memory is given back in the order of the stream.
    fn of<T: Element, R>(
        cuda: &Cuda,
        values: &[T],
        name: &'static str,
        answer: impl Fn(u64, &'static str) -> Result<R>,
    ) -> Result<R> {
        let on_card = cuda.upload(values)?;
        answer(on_card.address(), name)
    }
    let with = |values: u64, name| answer(&condition(values, name));
    match volume.samples() {
        Samples::U8(values) => of(cuda, values, "u8", with),
        Samples::I8(values) => of(cuda, values, "i8", with),
        Samples::U16(values) => of(cuda, values, "u16", with),
        Samples::I16(values) => of(cuda, values, "i16", with),
        Samples::U32(values) => of(cuda, values, "u32", with),
        Samples::I32(values) => of(cuda, values, "i32", with),
        Samples::U64(values) => of(cuda, values, "u64", with),
        Samples::I64(values) => of(cuda, values, "i64", with),
        Samples::F32(values) => of(cuda, values, "float", with),
        Samples::F64(values) => of(cuda, values, "double", with),
    }
}

/// An expression over a volume, the values of which are on the card: the twin of [`Condition`].
struct DeviceCondition<'a> {
    volume: &'a Volume,
    expression: &'a Expression,
    shape: [u32; 3],
    /// Address of the samples, 0 if the expression has no value, and their type in the kernels' sources.
    values: u64,
    value: &'static str,
}

impl DeviceDiscriminator for DeviceCondition<'_> {
    fn question(&self, _: &Cuda) -> Result<Question> {
        let (placement, scaling) = (self.volume.placement(), self.volume.scaling());
        let argument = ConditionArgument {
            values: self.values,
            shape: self.shape,
            origin: placement.origin(),
            steps: placement.steps(),
            slope: scaling.slope,
            intercept: scaling.intercept,
        };
        let printed = Predicate::new(self.expression, &VOXEL_NAMES);
        let kind = ConditionArgument::DISCRIMINATOR;
        let question = Question::new(self.shape, kind, self.value, argument);
        Ok(question.with_header(Predicate::NAME, printed.text()))
    }
}

/// The list itself: of a bit for each voxel, or of a pyramid.
fn list(cuda: &Cuda, condition: &DeviceCondition, order: Order) -> Result<Points> {
    let volume = condition.volume;
    let voxels = match order {
        Order::Lines => {
            let bits = DeviceBits::new(cuda, condition)?;
            let numbers = cuda.download(&compact(cuda, bits.set())?)?;
            numbers.into_iter().map(|n| volume.index_of(n as usize).map(|i| i as u32)).collect()
        }
        Order::Blocks => {
            let pyramid = DeviceHistoPyramid::new(cuda, condition, order, Stored::PartialSums)?;
            room(cuda, OF_POINT * pyramid.len(cuda)? as u64, "the list")?;
            pyramid.list(cuda)?
        }
    };
    Ok(Points::of(volume, voxels))
}

/// An error without so many bytes.
fn room(cuda: &Cuda, needed: u64, what: &str) -> Result<()> {
    let (free, _) = cuda.memory()?;
    if needed <= free as u64 {
        return Ok(());
    }
    Err(Error::Device {
        what: format!("{what} need {needed} bytes on the card, of which {free} are free"),
        remedy: "list them on the processor (--device cpu)".into(),
    })
}
