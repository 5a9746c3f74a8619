//! Writer of a gzip stream whose parts are compressed in parallel. Its bytes do not depend on the
//! number of threads.

use std::io::Write;

use flate2::{Compress, Compression, Crc, FlushCompress};

use super::PIECE;
use zeroset_core::parallel::*;
use zeroset_core::volume::Samples;

/// The largest number of pieces that are compressed before they are written. It limits the memory
/// use.
const BATCH: usize = 64;

/// Compresses `bytes` so that more data can follow. Also returns their checksum.
fn deflated(bytes: &[u8]) -> std::io::Result<(Vec<u8>, Crc)> {
    let mut packer = Compress::new(Compression::fast(), false);
    // Leave room for incompressible numbers, because a flush that runs out of room cannot be
    // resumed.
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8 + 4096);
    packer.compress_vec(bytes, &mut out, FlushCompress::Sync)?;
    if packer.total_in() != bytes.len() as u64 || out.len() == out.capacity() {
        return Err(std::io::Error::other("the numbers could not be compressed"));
    }
    out.shrink_to_fit();
    let mut crc = Crc::new();
    crc.update(bytes);
    Ok((out, crc))
}

/// Writes `head` and all numbers as one gzip stream.
pub(super) fn write(out: &mut dyn Write, head: &[u8], samples: &Samples) -> std::io::Result<()> {
    // The header states no flags, no time and no operating system.
    out.write_all(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])?;
    let (bytes, mut crc) = deflated(head)?;
    out.write_all(&bytes)?;
    let n = samples.len();
    let pieces = n.div_ceil(PIECE);
    for first in (0..pieces).step_by(BATCH) {
        let batch: Vec<(Vec<u8>, Crc)> = (first..(first + BATCH).min(pieces))
            .into_par_iter()
            .map(|k| deflated(&samples.le_bytes(k * PIECE..((k + 1) * PIECE).min(n))))
            .collect::<std::io::Result<_>>()?;
        for (bytes, part) in &batch {
            out.write_all(bytes)?;
            crc.combine(part);
        }
    }
    // The stream ends with an empty last block, the checksum and the length.
    out.write_all(&[3, 0])?;
    out.write_all(&crc.sum().to_le_bytes())?;
    out.write_all(&crc.amount().to_le_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn any_reader_unpacks_it() {
        for n in [1, PIECE - 1, PIECE, 3 * PIECE + 17] {
            let numbers: Vec<u16> = (0..n).map(|k| (k * k % 65_521) as u16).collect();
            let mut packed = Vec::new();
            write(&mut packed, b"head", &Samples::from(numbers.clone())).unwrap();
            let mut bytes = Vec::new();
            // This decoder reads only a single stream.
            flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
            let expected: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            assert!(bytes[..4] == *b"head" && bytes[4..] == expected, "{n}");
        }
    }
}
