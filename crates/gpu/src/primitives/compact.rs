//! Direct compaction: lists the indices of set flags without a pyramid.

use super::BLOCK;
use crate::blocks::{COMPACT_BATCH, COMPACT_ROUND, COMPACT_WORDS};
use crate::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use zeroset_core::error::{DeviceFault, Error, Result};

/// The shared memory in bytes that a block needs per round.
const SHARED: usize = 1056;
/// The largest number of rounds per block. With more rounds, fewer blocks would be resident.
const MOST_ROUNDS: usize = 16;

/// A set of flags.
#[derive(Clone, Copy)]
pub enum Set<'a> {
    /// Bytes and a threshold of at least 1. A flag is set if its byte is at least the threshold.
    /// The bytes are a gray picture, or flags with the values 0 and 1 and the threshold 1.
    Bytes(&'a Array<u8>, u8),
    /// Words of bits, and the number of bits: flag n is bit `n % 32` of word `n / 32`.
    Bits(&'a Array<u32>, usize),
}

impl Set<'_> {
    /// Returns true if the flags are bits.
    fn is_packed(&self) -> bool {
        matches!(self, Set::Bits(..))
    }

    /// Returns the number of flags.
    pub(super) fn len(&self) -> usize {
        match self {
            Set::Bytes(flags, _) => flags.len(),
            Set::Bits(_, n) => *n,
        }
    }
}

/// Lists sets of flags of one kind and size repeatedly, with memory that is allocated once.
pub struct Compactor {
    kernel: Kernel,
    packed: bool,
    n: usize,
    /// The number of rounds per block, for byte flags.
    rounds: u32,
    /// The dynamic shared memory of a block in bytes.
    shared: u32,
    /// The messages that tiles leave for later tiles, followed by a word that counts tiles. There
    /// are `[tiles + 1]` words. A launch for bytes leaves zeros. A launch for bits leaves values
    /// that cannot be mistaken for those of the next launch.
    told: Array<u64>,
    total: Array<u32>,
}

impl Compactor {
    /// Creates a compactor for sets of the same kind and size as `like`.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there are more than 2^32 - 1 flags, if there is not enough
    /// memory, or if the GPU does not respond.
    pub fn new(cuda: &Cuda, like: Set) -> Result<Self> {
        let (packed, n) = (like.is_packed(), like.len());
        if u32::try_from(n).is_err() {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{n} flags, but at most 2^32 - 1 can be listed"),
                "list them in several parts",
            ));
        }
        let total = cuda.zeros(1)?;
        if packed {
            let unit = Unit::new("primitives/compact_bits", &[])?;
            let kernel = cuda.kernel(&unit, "compact_bits_list")?;
            let tiles = n.div_ceil(u32::BITS as usize).div_ceil(COMPACT_WORDS).max(1);
            let told = cuda.zeros::<u64>(tiles + 1)?;
            return Ok(Compactor { kernel, packed, n, rounds: 0, shared: 0, told, total });
        }
        let unit = Unit::new("primitives/compact", &[])?;
        let kernel = cuda.kernel(&unit, "compact_flags")?;
        // Each tile waits for the tiles before it, so use few large tiles, but enough to fill the
        // GPU.
        let most = (MOST_ROUNDS * SHARED) as u32;
        kernel.allow_shared(most)?;
        let resident = kernel.resident_blocks(BLOCK, most)? as usize;
        let rounds = n
            .div_ceil(resident * COMPACT_ROUND)
            .next_multiple_of(COMPACT_BATCH)
            .clamp(COMPACT_BATCH, MOST_ROUNDS);
        let told = cuda.zeros::<u64>(n.div_ceil(rounds * COMPACT_ROUND).max(1) + 1)?;
        let shared = (rounds * SHARED) as u32;
        Ok(Compactor { kernel, packed, n, rounds: rounds as u32, shared, told, total })
    }

    /// Writes the indices of set flags into `numbers` in ascending order, as many as fit. One pass
    /// over the flags suffices. The function does not wait for the result, and its launch can be
    /// recorded.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if the set has a different kind or size, if it has fewer bits than stated, or if
    /// bytes of value 0 would count as set.
    pub fn list(&self, cuda: &Cuda, set: Set, numbers: &mut Array<u32>) -> Result<()> {
        assert!(
            set.is_packed() == self.packed && set.len() == self.n,
            "number and kind of the flags must match"
        );
        let arguments = match set {
            Set::Bytes(flags, low) => {
                assert!(low > 0, "the threshold must be above 0");
                let flags = Arguments::default().with_array(flags).with(self.n as u64);
                flags.with(u32::from(low)).with(self.rounds)
            }
            Set::Bits(words, n) => {
                assert!(n <= 32 * words.len(), "there must be one bit per flag");
                Arguments::default().with_array(words).with(self.n as u64)
            }
        };
        let tiles = self.told.len() - 1;
        let arguments = arguments
            .with_array(numbers)
            .with(u32::try_from(numbers.len()).unwrap_or(u32::MAX))
            .with_array(&self.total)
            .with_array(&self.told)
            .with(self.told.address() + (tiles * size_of::<u64>()) as u64);
        let launch =
            Launch { grid: tiles as u32, block: BLOCK, shared: self.shared, cooperative: false };
        // SAFETY: the arguments match `compact_flags`, or `compact_bits_list`, which has no
        // threshold and no rounds. `told` and its last word are zero or as the previous launch left
        // them. The driver aligns arrays to 256 bytes.
        unsafe { cuda.launch(&self.kernel, launch, &arguments) }
    }

    /// Waits for the last list and returns the number of set flags, including those that did not
    /// fit into the list.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if an earlier kernel failed.
    pub fn total(&self, cuda: &Cuda) -> Result<usize> {
        Ok(cuda.download(&self.total)?[0] as usize)
    }
}

/// Returns the indices of set flags in ascending order. The flags are read twice, because the first
/// pass determines the length of the list.
///
/// # Errors
/// Returns the errors of [`Compactor::new`].
///
/// # Panics
/// Panics in the cases listed for [`Compactor::list`].
pub fn compact(cuda: &Cuda, set: Set) -> Result<Array<u32>> {
    let compactor = Compactor::new(cuda, set)?;
    compactor.list(cuda, set, &mut cuda.zeros(0)?)?;
    // SAFETY: the list is as long as the number of set flags, so all of it is written.
    let mut numbers = unsafe { cuda.unset(compactor.total(cuda)?) }?;
    compactor.list(cuda, set, &mut numbers)?;
    Ok(numbers)
}
