//! Criteria on the voxels of a volume, evaluated on a GPU: the counterpart of [`Criterion`].

use super::kernel_arguments::ConditionArgument;
use super::{check_number, room};
use crate::primitives::{
    DeviceBits, DeviceDiscriminator, DeviceHistoPyramid, Numbers, Question, Value, Variant,
};
use crate::{Array, Cuda};
use zeroset_core::error::{Error, Result};
use zeroset_core::expression::{Expression, Predicate};
use zeroset_core::points::Criterion;
use zeroset_core::primitives::{Order, Stored, Values};
use zeroset_core::volume::{Condition, Samples, Scaling, VOXEL_NAMES, Volume};

/// A criterion on a volume. If the criterion uses the values, each question copies them to the GPU
/// and frees them after its evaluation.
struct Asked<'a> {
    volume: &'a Volume,
    criterion: Criterion<'a>,
}

impl<'a> Asked<'a> {
    /// Creates the criterion, and checks its expression.
    fn new(volume: &'a Volume, criterion: Criterion<'a>) -> Result<Self> {
        if let Criterion::Holds(expression) = criterion {
            Condition::new(volume, expression)?;
        }
        Ok(Asked { volume, criterion })
    }

    fn shape(&self) -> [u32; 3] {
        self.volume.shape().map(|n| n as u32)
    }

    /// Returns true if the values are copied in double precision, scaled as the file specifies.
    /// Expressions scale values themselves.
    fn is_scaled(&self) -> bool {
        !matches!(self.criterion, Criterion::Holds(_)) && self.volume.scaling() != Scaling::NONE
    }

    /// Returns the number of bytes that a question copies to the GPU.
    fn bytes(&self) -> u64 {
        let width = if self.is_scaled() { size_of::<f64>() } else { self.volume.samples().width() };
        let values = (self.volume.n_voxels() * width) as u64;
        match self.criterion {
            Criterion::Holds(expression) if !uses_values(expression) => 0,
            Criterion::Holds(_) | Criterion::Edge(_) => values,
            Criterion::Fits(template, _) => {
                let cells = Values::shape(&template).iter().product::<usize>();
                values + (size_of::<f64>() * cells) as u64
            }
        }
    }

    /// Returns the question for the numbers at an address on the GPU.
    fn about(&self, cuda: &Cuda, numbers: Numbers) -> Result<Question> {
        match self.criterion {
            Criterion::Holds(expression) => Ok(condition(self.volume, expression, numbers)),
            Criterion::Edge(low) => {
                let spacing = self.volume.placement().spacing();
                Ok(Question::edge(self.shape(), numbers, low, spacing))
            }
            Criterion::Fits(template, most) => {
                Question::template(cuda, self.shape(), numbers, template, most)
            }
        }
    }

    /// Returns the question for numbers on the GPU, and keeps their array alive.
    fn of<T: Value>(&self, cuda: &Cuda, values: Array<T>) -> Result<Question> {
        Ok(self.about(cuda, Numbers::of(&values))?.holding(values))
    }
}

impl DeviceDiscriminator for Asked<'_> {
    fn question(&self, cuda: &Cuda) -> Result<Question> {
        match self.criterion {
            Criterion::Holds(expression) if !uses_values(expression) => {
                return self.about(cuda, Numbers { address: 0, name: u8::NAME });
            }
            _ if self.is_scaled() => return self.of(cuda, cuda.upload(&self.volume.to_f64())?),
            _ => {}
        }
        macro_rules! of {
            ($($variant:ident)*) => {
                match self.volume.samples() {
                    $(Samples::$variant(values) => self.of(cuda, cuda.upload(values)?),)*
                }
            };
        }
        of!(U8 I8 U16 I16 U32 I32 U64 I64 F32 F64)
    }
}

fn uses_values(expression: &Expression) -> bool {
    expression.names().contains(&"v")
}

/// Returns a question that asks whether an expression holds. The address of the stored numbers is
/// 0 if the expression does not use `v`.
fn condition(volume: &Volume, expression: &Expression, numbers: Numbers) -> Question {
    let (placement, scaling) = (volume.placement(), volume.scaling());
    let shape = volume.shape().map(|n| n as u32);
    let argument = ConditionArgument {
        values: numbers.address,
        shape,
        origin: placement.origin(),
        steps: placement.steps(),
        slope: scaling.slope,
        intercept: scaling.intercept,
    };
    let printed = Predicate::new(expression, &VOXEL_NAMES);
    let question = Question::new(shape, Variant::Condition, numbers.name, argument);
    question.with_header(Predicate::NAME, printed.text())
}

/// Prepares the criteria and returns the first one and the others. Checks that voxel indices fit in
/// 32 bits, and that the free GPU memory is enough for the data of the largest criterion plus the
/// bytes that `beside` returns for the shape.
fn asked<'a>(
    cuda: &Cuda,
    volume: &'a Volume,
    criteria: &[Criterion<'a>],
    beside: impl Fn([u32; 3]) -> u64,
) -> Result<(Asked<'a>, Vec<Asked<'a>>)> {
    let [first, others @ ..] = criteria else {
        return Err(Error::usage("no criterion for voxels is given", "give at least one"));
    };
    let first = Asked::new(volume, *first)?;
    let others: Vec<Asked> =
        others.iter().map(|&other| Asked::new(volume, other)).collect::<Result<_>>()?;
    check_number(volume)?;
    let values = others.iter().map(Asked::bytes).fold(first.bytes(), u64::max);
    room(cuda, values + beside(first.shape()), "the volume and its marks")?;
    Ok((first, others))
}

/// Returns one bit per voxel, which is set if the voxel meets all criteria. The first criterion
/// sets bits, and each of the others clears the bits of voxels that do not meet it.
pub(super) fn bits(cuda: &Cuda, volume: &Volume, criteria: &[Criterion]) -> Result<DeviceBits> {
    let (first, others) = asked(cuda, volume, criteria, of_bits)?;
    kept(cuda, &first, &others)
}

/// Returns the pyramid of the voxels that meet all criteria. A single criterion is evaluated
/// directly in the kernel that builds the base. Several criteria are combined in bits first.
pub(super) fn pyramid(
    cuda: &Cuda,
    volume: &Volume,
    criteria: &[Criterion],
    order: Order,
) -> Result<DeviceHistoPyramid> {
    let marks = |shape| {
        let bits = if criteria.len() > 1 { of_bits(shape) } else { 0 };
        bits + DeviceHistoPyramid::bytes(shape, order)
    };
    let (first, others) = asked(cuda, volume, criteria, marks)?;
    match others.is_empty() {
        true => DeviceHistoPyramid::new(cuda, &first, order, Stored::PartialSums),
        false => {
            let bits = kept(cuda, &first, &others)?;
            DeviceHistoPyramid::new(cuda, &bits, order, Stored::PartialSums)
        }
    }
}

fn kept(cuda: &Cuda, first: &Asked, others: &[Asked]) -> Result<DeviceBits> {
    let mut bits = DeviceBits::new(cuda, first)?;
    for other in others {
        bits.keep(cuda, other)?;
    }
    Ok(bits)
}

/// Returns the number of bytes for one bit per voxel.
fn of_bits(shape: [u32; 3]) -> u64 {
    shape.iter().map(|&n| u64::from(n)).product::<u64>().div_ceil(8)
}
