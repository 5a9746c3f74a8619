//! Decoding of stored text or bytes to the bytes of an array: base64, lengths, compressed blocks.
//!
//! An array is stored as `[n][n bytes]`, or in compressed form as `[blocks][block size][last
//! size][size of each compressed block ...][blocks]`. All these counts have the type that the file
//! states (`UInt32`, `UInt64`). Nothing is allocated for a count that the bytes present could not
//! hold.

use std::io::Read;

use base64::Engine;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use lzma_rust2::XzReader;

use crate::guard::quietly;
use crate::unpack::Unpack;
use zeroset_core::parallel::*;

/// The compression of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Zlib,
    Lz4,
    Lzma,
}

impl Codec {
    /// Returns the largest factor by which a block can grow when decompressed (plus a few bytes).
    /// LZMA could exceed this factor in general, but not in the blocks that VTK writes, each of
    /// which is a complete `.xz` stream.
    fn largest_ratio(self) -> u64 {
        match self {
            Codec::Zlib | Codec::Lzma => 1032,
            Codec::Lz4 => 255,
        }
    }

    /// Decompresses `block`, which must fill `out` exactly.
    fn unpack(self, block: &[u8], out: &mut [u8]) -> Result<(), String> {
        let expected = out.len();
        match self {
            Codec::Zlib => fill(Unpack::zlib(block), out, "zlib"),
            Codec::Lzma => {
                let limited = XzReader::new_mem_limit(block, false, DICTIONARY);
                quietly(|| fill(limited, out, "LZMA")).unwrap_or_else(Err)
            }
            Codec::Lz4 => match lz4_flex::block::decompress_into(block, out) {
                Ok(n) if n == expected => Ok(()),
                Ok(n) => Err(format!("LZ4: {n} bytes, expected {expected}")),
                Err(e) => Err(format!("LZ4: {e}")),
            },
        }
    }
}

/// The memory limit of LZMA decompression in KiB. The highest level of xz needs 65 MiB.
const DICTIONARY: u32 = 100 << 10;

/// Fills `out` from a stream that must end exactly there.
fn fill(mut stream: impl Read, out: &mut [u8], name: &str) -> Result<(), String> {
    stream.read_exact(out).map_err(|e| format!("{name}: {e}"))?;
    match stream.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err(format!("{name}: more than the expected {} bytes", out.len())),
        Err(e) => Err(format!("{name}: {e}")),
    }
}

/// The encoding of lengths in the file.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    pub big_endian: bool,
    /// Bytes of each length, 1 to 8.
    pub width: usize,
}

impl Lengths {
    /// Returns length `k` of a stream, counted from 0.
    fn get(self, stream: &[u8], k: usize) -> Result<usize, String> {
        let start = k.checked_mul(self.width);
        let bytes = start
            .and_then(|start| stream.get(start..start.checked_add(self.width)?))
            .ok_or("the data end within the lengths at their beginning")?;
        let byte = |n: u64, &b: &u8| n << 8 | u64::from(b);
        let length = match self.big_endian {
            true => bytes.iter().fold(0, byte),
            false => bytes.iter().rev().fold(0, byte),
        };
        usize::try_from(length).map_err(|_| format!("a length of {length} bytes is too large"))
    }
}

/// Returns the array bytes of an uncompressed stream, and the number of stream bytes they take.
pub(super) fn plain(stream: &[u8], lengths: Lengths) -> Result<(Vec<u8>, usize), String> {
    let n = lengths.get(stream, 0)?;
    let data = &stream[lengths.width..];
    match data.get(..n) {
        Some(bytes) => Ok((bytes.to_vec(), lengths.width + n)),
        None => Err(format!("{n} bytes declared, but {} are left", data.len())),
    }
}

/// The compressed blocks of an array.
pub(super) struct Blocks<'a> {
    codec: Codec,
    packed: Vec<&'a [u8]>,
    /// The decompressed size in bytes of each block but the last.
    size: usize,
    /// The decompressed size of the array in bytes.
    pub total: usize,
    /// The number of stream bytes that the array takes.
    used: usize,
}

/// Locates the blocks of a compressed stream and checks their sizes. `expected` is the required
/// size of the array in bytes, if it is known.
pub(super) fn blocks(
    stream: &[u8],
    lengths: Lengths,
    codec: Codec,
    expected: Option<usize>,
) -> Result<Blocks<'_>, String> {
    let blocks = lengths.get(stream, 0)?;
    if blocks == 0 {
        let used = lengths.width;
        return Ok(Blocks { codec, packed: Vec::new(), size: 1, total: 0, used });
    }
    let header = blocks
        .checked_add(3)
        .and_then(|n| n.checked_mul(lengths.width))
        .filter(|&n| n <= stream.len())
        .ok_or_else(|| format!("{blocks} blocks declared, but {} bytes are left", stream.len()))?;
    let (size, last) = (lengths.get(stream, 1)?, lengths.get(stream, 2)?);
    let mut packed: Vec<&[u8]> = Vec::with_capacity(blocks);
    let mut rest = &stream[header..];
    for block in 0..blocks {
        let n = lengths.get(stream, 3 + block)?;
        let Some((bytes, tail)) = rest.split_at_checked(n) else {
            return Err(format!("block {block} declares {n} bytes, but {} are left", rest.len()));
        };
        packed.push(bytes);
        rest = tail;
    }
    let used = stream.len() - rest.len();
    // A length of 0 means that the last block is full.
    let last = if last == 0 { size } else { last };
    let total = size.checked_mul(blocks - 1).and_then(|n| n.checked_add(last));
    let possible = ((used - header) as u64).saturating_mul(codec.largest_ratio()) + 64;
    let total =
        total.filter(|&n| n as u64 <= possible && size > 0 && last <= size).ok_or_else(|| {
            format!("{blocks} blocks of {size} bytes cannot come from {} bytes", used - header)
        })?;
    if expected.is_some_and(|n| n != total) {
        return Err(format!("{total} bytes stored, expected {}", expected.unwrap_or_default()));
    }
    Ok(Blocks { codec, packed, size, total, used })
}

impl Blocks<'_> {
    /// Returns the bytes of the array, and the number of stream bytes they take.
    pub(super) fn unpacked(self) -> Result<(Vec<u8>, usize), String> {
        let mut out = vec![0; self.total];
        let blocks = out.par_chunks_mut(self.size).zip(&self.packed);
        blocks.enumerate().try_for_each(|(block, (out, bytes))| {
            self.codec.unpack(bytes, out).map_err(|e| format!("block {block}: {e}"))
        })?;
        Ok((out, self.used))
    }
}

/// Decodes base64 text. It may consist of consecutive pieces with separate padding, and white space
/// may occur anywhere.
pub(super) fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    const ENGINE: GeneralPurpose = GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let text: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        // A piece ends with its padding and consists of whole groups of four characters.
        let padding = rest.iter().position(|&b| b == b'=');
        let length = padding.map_or(rest.len(), |p| (p / 4 + 1) * 4).min(rest.len());
        let (piece, tail) = rest.split_at(length);
        if ENGINE.decode_vec(piece, &mut bytes).is_err() {
            let stopped = text.len() - rest.len();
            return Err(format!(
                "not base64 or truncated after character {stopped} of {}",
                text.len()
            ));
        }
        rest = tail;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(
        stream: &[u8],
        lengths: Lengths,
        codec: Codec,
        expected: Option<usize>,
    ) -> Result<(Vec<u8>, usize), String> {
        super::blocks(stream, lengths, codec, expected)?.unpacked()
    }

    const NARROW: Lengths = Lengths { big_endian: false, width: 4 };

    #[test]
    fn base64_pieces() {
        assert_eq!(from_base64(b"AQA=\n AgAAAA== /w==").unwrap(), [1, 0, 2, 0, 0, 0, 255]);
        assert!(from_base64(b"AQA").is_err());
        assert!(from_base64(b"A*A=").is_err());
        assert!(from_base64(b"").unwrap().is_empty());
    }

    #[test]
    fn a_promise_of_terabytes_is_refused() {
        let wide = Lengths { big_endian: true, width: 8 };
        let huge = 1u64 << 42;
        assert!(plain(&huge.to_be_bytes(), wide).is_err());
        let stream = |numbers: &[u64]| -> Vec<u8> {
            numbers.iter().flat_map(|n| n.to_be_bytes()).chain([0; 16]).collect()
        };
        for numbers in [[1, huge, 0, 16], [huge, 8, 0, 16], [1, 8, 0, huge], [2, huge, 1, 16]] {
            assert!(unpacked(&stream(&numbers), wide, Codec::Lz4, None).is_err(), "{numbers:?}");
        }
        assert!(unpacked(&stream(&[u64::MAX, 1, 1, 1]), wide, Codec::Zlib, None).is_err());
    }

    #[test]
    fn blocks() {
        let (a, b) = (lz4_flex::block::compress(&[7; 100]), lz4_flex::block::compress(&[8; 30]));
        let head = [2, 100, 30, a.len() as u32, b.len() as u32];
        let mut stream: Vec<u8> = head.iter().flat_map(|n| n.to_le_bytes()).collect();
        stream.extend(a.iter().chain(&b));
        let length = stream.len();
        stream.extend([1, 2, 3]);
        let (bytes, used) = unpacked(&stream, NARROW, Codec::Lz4, Some(130)).unwrap();
        assert_eq!((bytes.len(), bytes[99], bytes[100], used), (130, 7, 8, length));
        assert!(unpacked(&stream, NARROW, Codec::Lz4, Some(131)).is_err());
        assert!(unpacked(&stream, NARROW, Codec::Zlib, None).is_err());
        assert!(unpacked(&stream, NARROW, Codec::Lzma, None).is_err());
    }

    /// 40 bytes with value 7, compressed by `xz --check=crc32`.
    const XZ: [u8; 64] = [
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21,
        0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0xe0, 0x00, 0x27, 0x00, 0x06, 0x5d,
        0x00, 0x03, 0xee, 0x26, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe4, 0x14, 0x0c, 0x99, 0x00,
        0x01, 0x1e, 0x28, 0x0e, 0x22, 0x72, 0xc1, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00,
        0x00, 0x01, 0x59, 0x5a,
    ];

    #[test]
    fn lzma_whole_and_damaged() {
        let stream = |block: &[u8]| -> Vec<u8> {
            let head = [1, 40, 0, block.len() as u16];
            head.iter().flat_map(|n| n.to_be_bytes()).chain(block.iter().copied()).collect()
        };
        let short = Lengths { big_endian: true, width: 2 };
        let read = |block: &[u8]| unpacked(&stream(block), short, Codec::Lzma, Some(40));
        assert_eq!(read(&XZ).unwrap().0, [7; 40]);
        for at in 0..XZ.len() {
            let mut damaged = XZ;
            damaged[at] ^= 1;
            let _ = read(&damaged);
            assert!(read(&XZ[..at]).is_err(), "cut at {at}");
        }
    }
}
