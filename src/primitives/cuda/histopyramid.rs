//! HistoPyramid on a GPU: the twin of [`crate::primitives::HistoPyramid`] with keys block by block.

use super::{sharing, tiles};
use crate::backend::cuda::{Argument, Arguments, Array, Cuda, Unit};
use crate::error::{Error, Result};

/// Most levels above the words; the kernel states the same.
pub(super) const MOST_LEVELS: usize = 32;
/// Threads of a block.
const BLOCK: usize = 256;

/// Cells along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(super) struct Shape(pub [u32; 3]);

// SAFETY: three whole numbers, as in the kernel.
unsafe impl Argument for Shape {}

/// All levels, as the kernel takes them.
#[derive(Clone, Copy)]
#[repr(C)]
struct Addresses {
    words: u64,
    sums: [u64; MOST_LEVELS],
    records: [Shape; MOST_LEVELS],
    n_levels: u32,
}

// SAFETY: laid out as `Pyramid` of the kernel.
unsafe impl Argument for Addresses {}

/// The pyramid of a picture or volume of bytes on the card.
pub struct DeviceHistoPyramid {
    unit: Unit,
    /// Children of a cell: 4 or 8.
    fan: usize,
    words: Array<u64>,
    levels: Vec<(Shape, Array<u32>)>,
}

impl DeviceHistoPyramid {
    /// The pyramid of the cells, x fastest, whose bytes are `low` or more. Nothing is waited for.
    ///
    /// # Errors
    /// [`Error::Device`] for 2^32 cells or more, if there is not enough memory, or the card does not
    /// answer.
    ///
    /// # Panics
    /// If there is not one byte for each cell, or no cell.
    pub fn new(cuda: &Cuda, shape: [u32; 3], cells: &Array<u8>, low: u8) -> Result<Self> {
        let n: u64 = shape.iter().map(|&n| u64::from(n)).product();
        assert!(n == cells.len() as u64 && n > 0, "one byte for each cell, and at least one");
        if u32::try_from(n).is_err() {
            return Err(Error::Device {
                what: format!("{n} cells, keys have 32 bits"),
                remedy: "take the grid in parts".into(),
            });
        }
        let (fan, brick) = if shape[2] > 1 { (8, [4; 3]) } else { (4, [8, 8, 1]) };
        let unit = Unit::with("primitives/histopyramid", vec![("FAN", fan.to_string())])?;
        let above = |s: [u32; 3]| {
            let z = if fan == 8 { s[2].div_ceil(2) } else { s[2] };
            [s[0].div_ceil(2), s[1].div_ceil(2), z]
        };
        let slots = |s: [u32; 3]| s.iter().map(|&n| n as usize).product::<usize>() * fan;
        let mut records = above(std::array::from_fn(|k| shape[k].div_ceil(brick[k])));
        // SAFETY: here and below, the kernel of a level writes all slots of it.
        let words = unsafe { cuda.unset::<u64>(slots(records)) }?;
        let mut levels = vec![(Shape(records), unsafe { cuda.unset::<u32>(slots(records)) }?)];
        let arguments = Arguments::default()
            .with_array(cells)
            .with(Shape(shape))
            .with(u32::from(low))
            .with(Shape(records))
            .with_array(&words)
            .with_array(&levels[0].1);
        let base = cuda.kernel(&unit, "histopyramid_base")?;
        let launch = |slots: usize| tiles(slots.div_ceil(BLOCK) as u32);
        // SAFETY: the arguments of `histopyramid_base`; a byte per cell, a word and a sum per slot.
        unsafe { cuda.launch(&base, launch(slots(records)), &arguments) }?;
        let level = cuda.kernel(&unit, "histopyramid_level")?;
        while records != [1; 3] {
            let cells = records;
            records = above(cells);
            // SAFETY: as above.
            let sums = unsafe { cuda.unset::<u32>(slots(records)) }?;
            let below = &levels[levels.len() - 1].1;
            let arguments = Arguments::default()
                .with_array(below)
                .with(Shape(cells))
                .with(Shape(records))
                .with_array(&sums);
            // SAFETY: the arguments of `histopyramid_level`; a record below for each cell, a sum per slot.
            unsafe { cuda.launch(&level, launch(slots(records)), &arguments) }?;
            levels.push((Shape(records), sums));
        }
        Ok(DeviceHistoPyramid { unit, fan, words, levels })
    }

    /// Number of active cells; waits for the pyramid.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel before failed.
    pub fn count(&self, cuda: &Cuda) -> Result<usize> {
        let (_, top) = &self.levels[self.levels.len() - 1];
        Ok(cuda.download(top)?[self.fan - 1] as usize)
    }

    /// The cells of `n` entries from `first` on, x, y and z of each, where every active cell has
    /// `copies` entries in succession; each is found by a descent.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the card does not answer.
    ///
    /// # Panics
    /// If `copies` is 0.
    ///
    /// # Safety
    /// All entries must be below [`DeviceHistoPyramid::count`] times `copies`.
    pub unsafe fn cells(
        &self,
        cuda: &Cuda,
        first: usize,
        n: usize,
        copies: u32,
    ) -> Result<Array<u32>> {
        assert!(copies > 0, "at least one entry for each cell");
        // SAFETY: the kernel writes all entries.
        let list = unsafe { cuda.unset::<u32>(3 * n) }?;
        let mut addresses = Addresses {
            words: self.words.address(),
            sums: [0; MOST_LEVELS],
            records: [Shape::default(); MOST_LEVELS],
            n_levels: self.levels.len() as u32,
        };
        for (k, (records, sums)) in self.levels.iter().enumerate() {
            addresses.sums[k] = sums.address();
            addresses.records[k] = *records;
        }
        let arguments = Arguments::default()
            .with(addresses)
            .with(first as u64)
            .with(n as u64)
            .with(copies)
            .with_array(&list);
        let kernel = cuda.kernel(&self.unit, "histopyramid_cells")?;
        // SAFETY: the arguments of `histopyramid_cells`, keys below the sum by the caller's promise.
        unsafe { cuda.launch(&kernel, sharing(cuda, n.max(1)), &arguments) }?;
        Ok(list)
    }

    /// All active cells in the order of their keys; waits for the pyramid.
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
    pub fn list(&self, cuda: &Cuda) -> Result<Vec<[u32; 3]>> {
        let n = self.count(cuda)?;
        // SAFETY: as many entries as active cells.
        let list = cuda.download(&unsafe { self.cells(cuda, 0, n, 1) }?)?;
        Ok(list[..3 * n].as_chunks().0.to_vec())
    }
}
