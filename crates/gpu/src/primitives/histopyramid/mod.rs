//! HistoPyramid on a GPU: the counterpart of [`zeroset_core::primitives::HistoPyramid`].

mod find;
mod kernel_arguments;

use std::sync::OnceLock;

pub(super) use self::kernel_arguments::{MOST_LEVELS, TreeArgument};
use self::kernel_arguments::{PyramidArgument, Split};
use super::{DeviceDiscriminator, tiles};
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::Result;
use zeroset_core::primitives::{Order, Stored};

/// The number of threads per block.
const BLOCK: usize = 256;

/// The pyramid of a picture or volume on the GPU. Queries take keys, cells or boxes on the GPU and
/// leave their results there. The pyramid stores no list of cells. Methods wait for results only if
/// their documentation says so.
pub struct DeviceHistoPyramid {
    shape: [u32; 3],
    order: Order,
    stored: Stored,
    split: Split,
    words: Array<u64>,
    /// For each level, the lowest first, the number of records along each axis and the sums in the
    /// records.
    levels: Vec<([u32; 3], Array<u32>)>,
    /// The number of active cells, once it is known.
    total: OnceLock<usize>,
}

impl DeviceHistoPyramid {
    /// Builds the pyramid over the active cells of a discriminator. The kernel for the base
    /// contains the discriminator and evaluates it once per cell. The function does not wait for
    /// the result.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 cells or more, if
    /// there is not enough memory, or if the GPU does not respond.
    pub fn new(
        cuda: &Cuda,
        discriminator: &impl DeviceDiscriminator,
        order: Order,
        stored: Stored,
    ) -> Result<Self> {
        let question = discriminator.question(cuda)?;
        let (shape, n) = question.cells()?;
        // An empty grid gets the extent 0 along all axes.
        let shape = if n == 0 { [0; 3] } else { shape };
        let split = Split::new(shape, order == Order::Lines);
        let records = split.records(shape);
        // SAFETY: the kernel for the base writes all words.
        let words = unsafe { cuda.unset::<u64>(split.slots(records[0])) }?;
        let mut levels: Vec<([u32; 3], Array<u32>)> = Vec::with_capacity(records.len());
        let defines = split.defines(stored == Stored::PartialSums);
        let above = Unit::with("primitives/histopyramid/level", defines.clone())?;
        let above = cuda.kernel(&above, "histopyramid_level")?;
        let base = question.unit("primitives/histopyramid/base", defines)?;
        let base = cuda.kernel(&base, "histopyramid_base")?;
        for records in records {
            let slots = split.slots(records);
            // SAFETY: the kernel of a level writes all slots of the level.
            let sums = unsafe { cuda.unset::<u32>(slots) }?;
            let (kernel, arguments) = match levels.last() {
                None => {
                    let asked = question.argument().with(records);
                    (&base, asked.with_array(&words))
                }
                Some((below, sums)) => {
                    let below = Arguments::default().with_array(sums).with(*below);
                    (&above, below.with(records))
                }
            };
            let launch = tiles(slots.div_ceil(BLOCK) as u32);
            // SAFETY: the arguments match `histopyramid_base`, with a word and a sum per slot, or
            // `histopyramid_level`, with a record below each cell and a sum per slot. Arrays are
            // aligned to 256 bytes.
            unsafe { cuda.launch(kernel, launch, &arguments.with_array(&sums)) }?;
            levels.push((records, sums));
        }
        Ok(DeviceHistoPyramid {
            shape,
            order,
            stored,
            split,
            words,
            levels,
            total: OnceLock::new(),
        })
    }

    /// Returns the size in bytes of a pyramid over a grid of `shape` with fewer than 2^32 cells.
    pub(crate) fn bytes(shape: [u32; 3], order: Order) -> u64 {
        let split = Split::new(shape, order == Order::Lines);
        let records = split.records(shape);
        let sums = records.iter().map(|&records| split.slots(records)).sum::<usize>();
        (size_of::<u64>() * split.slots(records[0]) + size_of::<u32>() * sums) as u64
    }

    /// Returns the number of cells along each axis. All three are 0 if the grid is empty.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }

    /// Returns the kind of sums that the records contain.
    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// Returns the order of the keys.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the number of active cells. The first call waits for the pyramid.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if an earlier kernel failed.
    pub fn len(&self, cuda: &Cuda) -> Result<usize> {
        if let Some(&total) = self.total.get() {
            return Ok(total);
        }
        let (_, top) = &self.levels[self.levels.len() - 1];
        let top = cuda.download(top)?;
        let total = match self.stored {
            Stored::Sums => top.iter().sum(),
            Stored::PartialSums => top[self.split.fan() - 1],
        };
        Ok(*self.total.get_or_init(|| total as usize))
    }

    /// Waits for all active cells and returns them in the order of their keys.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceHistoPyramid::cells`].
    pub fn list(&self, cuda: &Cuda) -> Result<Vec<[u32; 3]>> {
        cuda.download(&self.cells(cuda, 0..usize::MAX)?)
    }

    fn argument(&self) -> PyramidArgument {
        let mut pyramid = PyramidArgument {
            words: self.words.address(),
            sums: [0; MOST_LEVELS],
            records: [[0; 3]; MOST_LEVELS],
            shape: self.shape,
            n_levels: self.levels.len() as u32,
        };
        for (k, (records, sums)) in self.levels.iter().enumerate() {
            (pyramid.sums[k], pyramid.records[k]) = (sums.address(), *records);
        }
        pyramid
    }
}
