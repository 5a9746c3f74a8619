//! A bit set with one bit per cell of a grid on a GPU: the counterpart of
//! [`zeroset_core::primitives::Bits`].

use super::{BLOCK, DeviceDiscriminator, Question, Set, kernel, sharing, tiles};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;

/// The number of cells per 64-bit word.
const WORD: usize = 64;

/// The active cells of a grid, with one bit per cell and x fastest: cell k is bit `k % 32` of word
/// `k / 32`.
pub struct DeviceBits {
    shape: [u32; 3],
    n: usize,
    words: Array<u32>,
}

impl DeviceBits {
    /// Evaluates a discriminator once per cell, without waiting for the result.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 cells or more, if
    /// there is not enough memory, or if the GPU does not respond.
    pub fn new(cuda: &Cuda, discriminator: &impl DeviceDiscriminator) -> Result<Self> {
        let question = discriminator.question(cuda)?;
        let (shape, n) = question.cells()?;
        // SAFETY: the kernel writes all words, two at a time.
        let words = unsafe { cuda.unset::<u32>(2 * n.div_ceil(WORD)) }?;
        let bits = DeviceBits { shape, n, words };
        bits.ask(cuda, &question, false)?;
        Ok(bits)
    }

    /// Keeps only the cells that are also active under another discriminator. That discriminator is
    /// evaluated once per cell, without waiting for the result.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceBits::new`].
    ///
    /// # Panics
    /// Panics if the discriminator is for a grid of a different shape.
    pub fn keep(&mut self, cuda: &Cuda, discriminator: &impl DeviceDiscriminator) -> Result<()> {
        let question = discriminator.question(cuda)?;
        assert_eq!(question.cells()?.0, self.shape, "the cells must belong to the same grid");
        self.ask(cuda, &question, true)
    }

    /// Writes the answers to a question as bits. If `keep` is true, bits that are already clear
    /// stay clear.
    fn ask(&self, cuda: &Cuda, question: &Question, keep: bool) -> Result<()> {
        let n_words = self.n.div_ceil(WORD);
        let keep = vec![("KEEP", u32::from(keep).to_string())];
        let kernel = cuda.kernel(&question.unit("primitives/bits", keep)?, "bits_of_cells")?;
        let arguments = question.argument().with(n_words as u64).with_array(&self.words);
        let launch = tiles(n_words.div_ceil(BLOCK as usize) as u32);
        // SAFETY: the arguments match `bits_of_cells`, with one 64-bit word per 64 cells. Arrays
        // are aligned to 256 bytes.
        unsafe { cuda.launch(&kernel, launch, &arguments) }
    }

    /// Returns the number of cells along each axis.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }

    /// Returns the bits as a set of flags, which [`compact`](super::compact) or, repeatedly, a
    /// [`Compactor`](super::Compactor) can list.
    pub fn set(&self) -> Set<'_> {
        Set::Bits(&self.words, self.n)
    }

    /// Returns one byte per cell: 1 if the cell is active, or else 0.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceBits::new`].
    pub fn flags(&self, cuda: &Cuda) -> Result<Array<u8>> {
        // SAFETY: the kernel writes all flags.
        let flags = unsafe { cuda.unset::<u8>(self.n) }?;
        let arguments = Arguments::default().with_array(&self.words).with(self.n as u64);
        let kernel = kernel(cuda, "primitives/flags", "flags_of_bits")?;
        // SAFETY: the arguments match `flags_of_bits`, with one bit and one byte per cell.
        unsafe { cuda.launch(&kernel, sharing(cuda, self.n), &arguments.with_array(&flags)) }?;
        Ok(flags)
    }

    /// Waits for the words and returns them. Bits beyond the last cell are 0.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if an earlier kernel failed.
    pub fn download(&self, cuda: &Cuda) -> Result<Vec<u32>> {
        cuda.download(&self.words)
    }
}

/// Marks the cells whose bits are set.
impl DeviceDiscriminator for DeviceBits {
    fn question(&self, _: &Cuda) -> Result<Question> {
        Ok(Question::bits(self.shape, &self.words))
    }
}
