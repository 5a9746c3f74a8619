//! A bit for each cell of a grid on a GPU: the twin of [`zeroset_core::primitives::Bits`].

use super::{BLOCK, DeviceDiscriminator, Question, Set, kernel, sharing, tiles};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;

/// Cells of a word.
const WORD: usize = 64;

/// Which cells of a grid are active, a bit for each, x fastest: cell k is bit `k % 32` of word `k / 32`.
pub struct DeviceBits {
    shape: [u32; 3],
    n: usize,
    words: Array<u32>,
}

impl DeviceBits {
    /// The decisions of a discriminator; each cell is asked once. Nothing is waited for.
    ///
    /// # Errors
    /// [`Error::Device`](zeroset_core::Error::Device) for 2^32 cells or more, if there is not enough memory, or the GPU does not
    /// answer.
    pub fn new(cuda: &Cuda, discriminator: &impl DeviceDiscriminator) -> Result<Self> {
        let question = discriminator.question(cuda)?;
        let (shape, n) = question.cells()?;
        // SAFETY: the kernel writes all of them, two at a time.
        let words = unsafe { cuda.unset::<u32>(2 * n.div_ceil(WORD)) }?;
        let bits = DeviceBits { shape, n, words };
        bits.ask(cuda, &question, false)?;
        Ok(bits)
    }

    /// Keeps the cells that another discriminator finds active, too; each cell is asked once. Nothing is waited for.
    ///
    /// # Errors
    /// As [`DeviceBits::new`].
    ///
    /// # Panics
    /// If that is over a grid of another shape.
    pub fn keep(&mut self, cuda: &Cuda, discriminator: &impl DeviceDiscriminator) -> Result<()> {
        let question = discriminator.question(cuda)?;
        assert_eq!(question.cells()?.0, self.shape, "cells of the same grid");
        self.ask(cuda, &question, true)
    }

    /// Writes the answers, or keeps bits by them.
    fn ask(&self, cuda: &Cuda, question: &Question, keep: bool) -> Result<()> {
        let n_words = self.n.div_ceil(WORD);
        let keep = vec![("KEEP", u32::from(keep).to_string())];
        let kernel = cuda.kernel(&question.unit("primitives/bits", keep)?, "bits_of_cells")?;
        let arguments = question.argument().with(n_words as u64).with_array(&self.words);
        let launch = tiles(n_words.div_ceil(BLOCK as usize) as u32);
        // SAFETY: the arguments of `bits_of_cells`, a word of 64 bits for each 64 cells; arrays are aligned to 256 bytes.
        unsafe { cuda.launch(&kernel, launch, &arguments) }
    }

    /// Cells along x, y and z.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }

    /// The bits as flags to list: by [`compact`](super::compact), or by a [`Compactor`](super::Compactor) again and again.
    pub fn set(&self) -> Set<'_> {
        Set::Bits(&self.words, self.n)
    }

    /// A byte for each cell: 1 if it is active, else 0.
    ///
    /// # Errors
    /// As [`DeviceBits::new`].
    pub fn flags(&self, cuda: &Cuda) -> Result<Array<u8>> {
        // SAFETY: the kernel writes all of them.
        let flags = unsafe { cuda.unset::<u8>(self.n) }?;
        let arguments = Arguments::default().with_array(&self.words).with(self.n as u64);
        let kernel = kernel(cuda, "primitives/flags", "flags_of_bits")?;
        // SAFETY: the arguments of `flags_of_bits`: a bit and a byte for each cell.
        unsafe { cuda.launch(&kernel, sharing(cuda, self.n), &arguments.with_array(&flags)) }?;
        Ok(flags)
    }

    /// The words; waits for them. Bits beyond the last cell are 0.
    ///
    /// # Errors
    /// [`Error::Device`](zeroset_core::Error::Device) if a kernel before failed.
    pub fn download(&self, cuda: &Cuda) -> Result<Vec<u32>> {
        cuda.download(&self.words)
    }
}

/// Which cells' bits are set.
impl DeviceDiscriminator for DeviceBits {
    fn question(&self, _: &Cuda) -> Result<Question> {
        Ok(Question::bits(self.shape, &self.words))
    }
}
