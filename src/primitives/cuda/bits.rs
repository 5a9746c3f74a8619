//! A bit for each cell of a grid on a GPU: the twin of [`crate::primitives::Bits`].

use super::{BLOCK, DeviceDiscriminator, Set, tiles};
use crate::backend::cuda::{Array, Cuda};
use crate::error::Result;

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
    /// [`Error::Device`](crate::Error::Device) for 2^32 cells or more, if there is not enough memory, or the card does not
    /// answer.
    pub fn new(cuda: &Cuda, discriminator: &impl DeviceDiscriminator) -> Result<Self> {
        let question = discriminator.question(cuda)?;
        let (shape, n) = question.cells()?;
        let n_words = n.div_ceil(WORD);
        // SAFETY: the kernel writes all of them, two at a time.
        let words = unsafe { cuda.unset::<u32>(2 * n_words) }?;
        let kernel =
            cuda.kernel(&question.unit("primitives/bits", Vec::new())?, "bits_of_cells")?;
        let arguments = question.argument().with(n_words as u64).with_array(&words);
        let launch = tiles(n_words.div_ceil(BLOCK as usize) as u32);
        // SAFETY: the arguments of `bits_of_cells`, a word of 64 bits for each 64 cells; arrays are aligned to 256 bytes.
        unsafe { cuda.launch(&kernel, launch, &arguments) }?;
        Ok(DeviceBits { shape, n, words })
    }

    /// Cells along x, y and z.
    pub fn shape(&self) -> [u32; 3] {
        self.shape
    }

    /// The bits as flags to list: by [`compact`](super::compact), or by a [`Compactor`](super::Compactor) again and again.
    pub fn set(&self) -> Set<'_> {
        Set::Bits(&self.words, self.n)
    }
}
