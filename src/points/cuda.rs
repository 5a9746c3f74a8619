//! Points of a volume found on a GPU: the twin of [`super::find`].
//!
//! The kernel is in `kernels/primitives/predicate.cu`; lists are those of [`crate::primitives::cuda`].

mod ask;
mod layout;

use self::layout::VolumeArgument;
use super::Points;
use crate::backend::cuda::{Argument, Arguments, Array, Cuda, Element, Launch, Unit};
use crate::error::{Error, Result};
use crate::expression::{Expression, Predicate};
use crate::primitives::cuda::{DeviceHistoPyramid, Set, compact};
use crate::primitives::{Order, Stored};
use crate::volume::{Condition, Samples, VOXEL_NAMES, Volume};
pub use ask::{counts_on, part_on};

/// Threads of a block.
const THREADS: u32 = 256;
/// Bytes on the card for a point of a list, and for a voxel of a pyramid: a bit and its sums.
const OF_POINT: u64 = 12;
const OF_VOXEL: u64 = 2;

// SAFETY: laid out as in C, and compared with the size the kernel knows.
unsafe impl Argument for VolumeArgument {}

/// Lists the voxels where an expression of v, x, y, z, i, j and k is neither 0 nor no number, as [`super::find`]
/// does with a [`Condition`]: the volume is copied to the card if the expression has its values, and the numbers of
/// the voxels come back. The voxels are those of the processor, unless a function without an exact value (sin, exp and
/// the like) is rounded otherwise there.
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
    Condition::new(volume, expression)?;
    let n = n_voxels(volume)?;
    let uses_values = expression.names().contains(&"v");
    let samples = if uses_values { n * volume.samples().width() } else { 0 };
    room(cuda, samples as u64 + OF_VOXEL * n as u64, "the volume and its marks")?;
    let marks = marks(cuda, volume, expression, uses_values)?;
    let shape = volume.shape();
    let voxels = match order {
        Order::Lines => {
            let numbers = cuda.download(&compact(cuda, Set::Bytes(&marks, 1))?)?;
            numbers.into_iter().map(|n| volume.index_of(n as usize).map(|i| i as u32)).collect()
        }
        Order::Blocks => {
            let shape = shape.map(|n| n as u32);
            let stored = Stored::PartialSums;
            let pyramid = DeviceHistoPyramid::new(cuda, shape, &marks, 1, order, stored)?;
            room(cuda, OF_POINT * pyramid.len(cuda)? as u64, "the list")?;
            pyramid.list(cuda)?
        }
    };
    Ok(Points::of(volume, voxels))
}

/// Number of voxels.
///
/// # Errors
/// [`Error::Device`] for 2^32 or more.
fn n_voxels(volume: &Volume) -> Result<usize> {
    let n = volume.n_voxels();
    if u32::try_from(n).is_err() {
        return Err(Error::Device {
            what: format!("{n} voxels on a GPU, at most 2^32 - 1 can be"),
            remedy: "list them on the processor (--device cpu)".into(),
        });
    }
    Ok(n)
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

/// A byte of 0 or 1 for each voxel.
fn marks(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    uses_values: bool,
) -> Result<Array<u8>> {
    let with = |samples: u64, name: &str| mark(cuda, volume, expression, samples, name);
    if !uses_values {
        return with(0, "u8");
    }
    /// The samples stay on the card until the kernel has read them: memory is given back in the order of the stream.
    fn of<T: Element>(
        cuda: &Cuda,
        values: &[T],
        name: &str,
        with: impl Fn(u64, &str) -> Result<Array<u8>>,
    ) -> Result<Array<u8>> {
        let on_card = cuda.upload(values)?;
        with(on_card.address(), name)
    }
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

fn mark(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    samples: u64,
    name: &str,
) -> Result<Array<u8>> {
    let n = volume.n_voxels();
    let bytes = size_of::<VolumeArgument>().to_string();
    let defines = vec![("SAMPLE", name.to_string()), ("VOLUME_BYTES", bytes)];
    let mut unit = Unit::with("primitives/predicate", defines)?;
    let text = Predicate::new(expression, &VOXEL_NAMES).text().to_string();
    unit.extra.push((Predicate::NAME.into(), text));
    let kernel = cuda.kernel(&unit, "predicate_mark")?;
    let [nx, ny, _] = volume.shape();
    // SAFETY: the kernel writes all of them.
    let marks = unsafe { cuda.unset::<u8>(n) }?;
    let argument = VolumeArgument {
        samples,
        shape: [nx as u32, ny as u32],
        n: n as u64,
        origin: volume.placement().origin(),
        steps: volume.placement().steps(),
        slope: volume.scaling().slope,
        intercept: volume.scaling().intercept,
    };
    let arguments = Arguments::default().with(argument).with_array(&marks);
    let most = 16 * cuda.card().multiprocessors as usize;
    let grid = n.div_ceil(THREADS as usize).min(most) as u32;
    let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
    // SAFETY: the arguments of `predicate_mark`: a sample, if they are read, and a mark for each voxel.
    unsafe { cuda.launch(&kernel, launch, &arguments) }?;
    Ok(marks)
}
