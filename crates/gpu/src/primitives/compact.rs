//! Direct compaction of flags.

use super::BLOCK;
use crate::blocks::{COMPACT_BATCH, COMPACT_ROUND, COMPACT_WORDS};
use crate::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use zeroset_core::error::{DeviceFault, Error, Result};

/// Bytes of shared memory of a block for each round.
const SHARED: usize = 1056;
/// Most rounds of a block: more would leave room for fewer blocks.
const MOST_ROUNDS: usize = 16;

/// Which flags are set.
#[derive(Clone, Copy)]
pub enum Set<'a> {
    /// Bytes of this size or more, from 1 on: a threshold on a gray picture, or flags with 1.
    Bytes(&'a Array<u8>, u8),
    /// Bits: flag n is bit `n % 32` of word `n / 32`. How many there are stands beside.
    Bits(&'a Array<u32>, usize),
}

impl Set<'_> {
    /// Whether flags are bits.
    fn is_packed(&self) -> bool {
        matches!(self, Set::Bits(..))
    }

    /// Number of flags.
    pub(super) fn len(&self) -> usize {
        match self {
            Set::Bytes(flags, _) => flags.len(),
            Set::Bits(_, n) => *n,
        }
    }
}

/// Lists flags of one kind, again and again, with memory taken once.
pub struct Compactor {
    kernel: Kernel,
    packed: bool,
    n: usize,
    /// Rounds of a block, of bytes.
    rounds: u32,
    /// Bytes of shared memory of a block that is asked for.
    shared: u32,
    /// What tiles tell each other, and in the last word counts of tiles, `[tiles + 1]`; each launch of bytes leaves zeros, one of
    /// bits what tells it from the next.
    told: Array<u64>,
    total: Array<u32>,
}

impl Compactor {
    /// For sets of the kind and size of this one.
    ///
    /// # Errors
    /// [`Error::Device`] for more than 2^32 - 1 flags, or if there is not enough memory or the GPU does
    /// not answer.
    pub fn new(cuda: &Cuda, like: Set) -> Result<Self> {
        let (packed, n) = (like.is_packed(), like.len());
        if u32::try_from(n).is_err() {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{n} flags to list, at most 2^32 - 1 can be"),
                "list them in parts",
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
        // Few large tiles, as each waits for those before, but enough for all of the GPU.
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

    /// Writes the numbers of the flags that are set into `numbers`, ascending, as far as there is room,
    /// in one pass over the flags. Nothing is waited for, and launches can be recorded.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU does not answer.
    ///
    /// # Panics
    /// If the set has another kind or size, fewer bits than stated, or bytes of 0 are to count as set.
    pub fn list(&self, cuda: &Cuda, set: Set, numbers: &mut Array<u32>) -> Result<()> {
        assert!(
            set.is_packed() == self.packed && set.len() == self.n,
            "as many flags of this kind"
        );
        let arguments = match set {
            Set::Bytes(flags, low) => {
                assert!(low > 0, "a threshold above 0");
                let flags = Arguments::default().with_array(flags).with(self.n as u64);
                flags.with(u32::from(low)).with(self.rounds)
            }
            Set::Bits(words, n) => {
                assert!(n <= 32 * words.len(), "a bit for each flag");
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
        // SAFETY: the arguments of `compact_flags` or, without a threshold and rounds, of `compact_bits_list`; told and the count
        // behind it are zero or what the launch before left, and arrays of the driver are aligned to 256 bytes.
        unsafe { cuda.launch(&self.kernel, launch, &arguments) }
    }

    /// How many flags the last list found set, be there room for them or not; waits for it.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel before failed.
    pub fn total(&self, cuda: &Cuda) -> Result<usize> {
        Ok(cuda.download(&self.total)?[0] as usize)
    }
}

/// The numbers of the flags that are set, ascending. The flags are read twice, as the first pass tells
/// how much memory the list takes.
///
/// # Errors
/// As [`Compactor::new`].
///
/// # Panics
/// As [`Compactor::list`].
pub fn compact(cuda: &Cuda, set: Set) -> Result<Array<u32>> {
    let compactor = Compactor::new(cuda, set)?;
    compactor.list(cuda, set, &mut cuda.zeros(0)?)?;
    // SAFETY: the list has as many numbers as were counted.
    let mut numbers = unsafe { cuda.unset(compactor.total(cuda)?) }?;
    compactor.list(cuda, set, &mut numbers)?;
    Ok(numbers)
}
