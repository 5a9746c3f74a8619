//! Direct compaction of flags.

use super::tiles;
use crate::backend::cuda::{Arguments, Array, Cuda, Unit};
use crate::error::{Error, Result};

/// Flags of a block, for bytes and for bits; the kernel states the same.
const TILES: [usize; 2] = [1 << 15, 1 << 16];

/// The numbers of flags that are set, as far as there was room, and how many there are.
pub struct Listed {
    /// Numbers, ascending; only the first `total` mean anything.
    pub numbers: Array<u32>,
    /// How many flags are set, one number; more than there was room for if it is larger.
    pub total: Array<u32>,
}

/// Which flags are set.
#[derive(Clone, Copy)]
pub enum Set<'a> {
    /// Bytes of this size or more, from 1 on: a threshold on a gray picture, or flags with 1.
    Bytes(&'a Array<u8>, u8),
    /// Bits: flag n is bit `n % 32` of word `n / 32`. How many there are stands beside.
    Bits(&'a Array<u32>, usize),
}

/// Lists flags in one pass over them, up to `room` numbers. Nothing is waited for: the host learns
/// `total` when it downloads it.
///
/// # Errors
/// [`Error::Device`] for more than 2^32 - 1 flags, or if there is not enough memory or the card does
/// not answer.
///
/// # Panics
/// If there are fewer bits than stated, or bytes of 0 are to count as set.
pub fn compact(cuda: &Cuda, set: Set, room: usize) -> Result<Listed> {
    let (packed, address, n, low) = match set {
        Set::Bytes(flags, low) => (0, flags.address(), flags.len(), low),
        Set::Bits(words, n) => {
            assert!(n <= 32 * words.len(), "a bit for each flag");
            (1, words.address(), n, 1)
        }
    };
    assert!(low > 0, "a threshold above 0");
    if u32::try_from(n.max(room)).is_err() {
        return Err(Error::Device {
            what: format!("{n} flags to list, at most 2^32 - 1 can be"),
            remedy: "list them in parts".into(),
        });
    }
    let unit = Unit::with("primitives/compact", vec![("PACKED", packed.to_string())])?;
    let n_tiles = n.div_ceil(TILES[packed]).max(1);
    let numbers = cuda.zeros::<u32>(room)?;
    let total = cuda.zeros::<u32>(1)?;
    let told = cuda.zeros::<u64>(n_tiles)?;
    let taken = cuda.zeros::<u32>(1)?;
    let arguments = Arguments::default()
        .with(address)
        .with(n as u64)
        .with(u32::from(low))
        .with_array(&numbers)
        .with(room as u32)
        .with_array(&total)
        .with_array(&told)
        .with_array(&taken);
    let kernel = cuda.kernel(&unit, "compact_flags")?;
    // SAFETY: the arguments of `compact_flags`; told and taken are zero and have a place per tile,
    // and arrays of the driver are aligned to 256 bytes.
    unsafe { cuda.launch(&kernel, tiles(n_tiles as u32), &arguments) }?;
    Ok(Listed { numbers, total })
}
