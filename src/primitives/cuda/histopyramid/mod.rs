//! HistoPyramid on a GPU: the twin of [`crate::primitives::HistoPyramid`].

mod find;
mod layout;

use std::sync::OnceLock;

pub(super) use self::layout::MOST_LEVELS;
use self::layout::{PyramidArgument, Split};
use super::tiles;
use crate::backend::cuda::{Argument, Arguments, Array, Cuda, Unit};
use crate::error::{Error, Result};
use crate::primitives::{Order, Stored};

/// Threads of a block.
const BLOCK: usize = 256;

/// Cells along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(super) struct Shape(pub [u32; 3]);

// SAFETY: three whole numbers, as in the kernel.
unsafe impl Argument for Shape {}

// SAFETY: laid out as in C, and compared with the size the kernel knows.
unsafe impl Argument for PyramidArgument {}

/// The pyramid of a picture or volume of bytes on the card. What it is asked takes keys, cells or boxes on the card and leaves the
/// answers there: nothing is listed, and nothing is waited for unless it is said.
pub struct DeviceHistoPyramid {
    shape: [u32; 3],
    order: Order,
    stored: Stored,
    split: Split,
    words: Array<u64>,
    /// Records of each level, and what they hold.
    levels: Vec<([u32; 3], Array<u32>)>,
    /// Number of active cells, once it was asked for.
    total: OnceLock<usize>,
}

impl DeviceHistoPyramid {
    /// The pyramid of the cells, x fastest, whose bytes are `low` or more. Nothing is waited for.
    ///
    /// # Errors
    /// [`Error::Device`] for 2^32 cells or more, if there is not enough memory, or the card does not
    /// answer.
    ///
    /// # Panics
    /// If there is not one byte for each cell.
    pub fn new(
        cuda: &Cuda,
        shape: [u32; 3],
        cells: &Array<u8>,
        low: u8,
        order: Order,
        stored: Stored,
    ) -> Result<Self> {
        let n = shape.iter().try_fold(1_u64, |n, &size| n.checked_mul(u64::from(size)));
        assert!(n == Some(cells.len() as u64), "one byte for each cell");
        if u32::try_from(cells.len()).is_err() {
            return Err(Error::Device {
                what: format!("{} cells, keys have 32 bits", cells.len()),
                remedy: "take the grid in parts".into(),
            });
        }
        // One without cells has no extent along any axis.
        let shape = if cells.is_empty() { [0; 3] } else { shape };
        let split = Split::new(shape, order == Order::Lines);
        let slots = |s: [u32; 3]| s.iter().map(|&n| n as usize).product::<usize>() * split.fan();
        let records = split.records(shape);
        // SAFETY: here and below, the kernel of a level writes all slots of it.
        let words = unsafe { cuda.unset::<u64>(slots(records[0])) }?;
        let mut levels: Vec<([u32; 3], Array<u32>)> = Vec::with_capacity(records.len());
        let defines = split.defines(stored == Stored::PartialSums);
        let unit = Unit::with("primitives/histopyramid/build", defines)?;
        for records in records {
            // SAFETY: as above.
            let sums = unsafe { cuda.unset::<u32>(slots(records)) }?;
            let (name, arguments) = match levels.last() {
                None => {
                    let cells = Arguments::default().with_array(cells).with(Shape(shape));
                    let words = cells.with(u32::from(low)).with(Shape(records)).with_array(&words);
                    ("histopyramid_base", words)
                }
                Some((below, sums)) => {
                    let below = Arguments::default().with_array(sums).with(Shape(*below));
                    ("histopyramid_level", below.with(Shape(records)))
                }
            };
            let launch = tiles(slots(records).div_ceil(BLOCK) as u32);
            let kernel = cuda.kernel(&unit, name)?;
            // SAFETY: the arguments of `histopyramid_base`, a byte per cell, a word and a sum per slot; or of
            // `histopyramid_level`, a record below for each cell and a sum per slot. Arrays are aligned to 256 bytes.
            unsafe { cuda.launch(&kernel, launch, &arguments.with_array(&sums)) }?;
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

    /// Cells along x, y and z; none along all of them where there are none at all.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }

    /// What records hold.
    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// In which order keys name the cells.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Number of active cells; waits for the pyramid when first asked.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel before failed.
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

    /// All active cells in the order of their keys; waits for them.
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
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
