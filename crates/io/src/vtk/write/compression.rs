//! The compression of the blocks of an array.

use std::io::Write;

/// The compression of arrays.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Compression {
    /// No compression.
    None,
    /// LZ4: as fast as writing without compression. Some programs cannot read it.
    Lz4,
    /// zlib, level 1: all programs that read VTK files can read it.
    #[default]
    Zlib,
}

impl Compression {
    /// Returns the word for this compression in cases and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Zlib => "zlib",
        }
    }

    /// Returns the XML attribute that states the compression.
    pub(super) fn attribute(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Lz4 => " compressor=\"vtkLZ4DataCompressor\"",
            Compression::Zlib => " compressor=\"vtkZLibDataCompressor\"",
        }
    }

    /// Compresses a block of an array, or returns `None` if blocks stay as they are. `of_reals`
    /// states whether the block holds 64-bit floating-point numbers. If LZ4 saves less than half of
    /// such a block, zlib stores it without compression.
    pub(super) fn pack(self, block: &[u8], of_reals: bool) -> Option<Vec<u8>> {
        match self {
            Compression::None => None,
            Compression::Lz4 => Some(lz4_flex::block::compress(block)),
            Compression::Zlib if of_reals && is_noise(block) => Some(stored(block)),
            Compression::Zlib => Some(deflated(block)),
        }
    }
}

/// Returns true if LZ4 saves less than half of a block.
///
/// The mantissas of coordinates and distances are mostly noise. On them, zlib takes ten times as
/// long as LZ4 to save a few percent. Blocks of whole numbers are different: zlib halves many that
/// LZ4 cannot shrink.
fn is_noise(block: &[u8]) -> bool {
    lz4_flex::block::compress(block).len() > block.len() / 2
}

/// Compresses a block with zlib at level 1. On coordinates and distances, higher levels take
/// several times longer and save only a few percent.
fn deflated(block: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(block);
    encoder.finish().unwrap_or_default()
}

/// Returns a zlib stream that stores the bytes without compression.
fn stored(block: &[u8]) -> Vec<u8> {
    let mut out = vec![0; zlib_rs::compress_bound(block.len())];
    let (packed, code) = zlib_rs::compress_slice(&mut out, block, zlib_rs::DeflateConfig::new(0));
    // Memory of this size is always sufficient.
    debug_assert_eq!(code, zlib_rs::ReturnCode::Ok);
    let n = packed.len();
    out.truncate(n);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        crate::unpack::Unpack::zlib(packed).read_to_end(&mut out).unwrap();
        out
    }

    fn bytes(numbers: impl Iterator<Item = f64>) -> Vec<u8> {
        numbers.flat_map(f64::to_le_bytes).collect()
    }

    #[test]
    fn noise_is_stored_and_the_rest_compressed() {
        let noise = bytes((0..30_000).map(|i| f64::from(i).sqrt().sin()));
        let clamped = bytes((0..30_000).map(|i| f64::from(i).sqrt().sin().min(-0.8)));
        let packed = Compression::Zlib.pack(&noise, true).unwrap();
        assert!(packed.len() > noise.len() && packed.len() < noise.len() + 100, "{}", packed.len());
        assert_eq!(unpacked(&packed), noise);
        let packed = Compression::Zlib.pack(&clamped, true).unwrap();
        assert!(packed.len() < clamped.len() * 4 / 10, "{}", packed.len());
        assert_eq!(unpacked(&packed), clamped);
        assert_eq!(Compression::None.pack(&noise, true), None);
    }

    #[test]
    fn whole_numbers_that_lz4_cannot_shrink_are_compressed() {
        let numbers = (0..60_000u32).flat_map(|i| (i.wrapping_mul(40_503) % 65_536).to_le_bytes());
        let numbers: Vec<u8> = numbers.collect();
        let packed = Compression::Zlib.pack(&numbers, false).unwrap();
        assert!(packed.len() < numbers.len() * 7 / 10, "{} of {}", packed.len(), numbers.len());
        assert_eq!(unpacked(&packed), numbers);
    }

    #[test]
    fn empty_and_short_blocks_are_valid() {
        for n in [0, 1, 2, 3] {
            let block = bytes((0..n).map(f64::from));
            for of_reals in [false, true] {
                let packed = Compression::Zlib.pack(&block, of_reals).unwrap();
                assert_eq!(unpacked(&packed), block);
            }
        }
    }
}
