//! Streaming decompression of gzip and zlib.
//!
//! Writing uses `flate2`. Reading uses `zlib-rs`, which takes half as long as `flate2`.

use std::io::{BufRead, Error, ErrorKind, Read, Result};

use zlib_rs::{Inflate, InflateFlush, Status};

/// Window parameters of zlib: the base-2 logarithm of the window size, plus 16 for the gzip format.
const ZLIB: u8 = 15;
const GZIP: u8 = 16 + ZLIB;

/// A reader of the decompressed bytes of a stream. Checksums are verified. A stream that ends early
/// is an error of kind [`ErrorKind::UnexpectedEof`].
pub(super) struct Unpack<R> {
    packed: R,
    inflate: Inflate,
    /// Whether gzip streams that follow the first one are decompressed too.
    members: bool,
    ended: bool,
}

impl<R: BufRead> Unpack<R> {
    /// Creates a reader of concatenated gzip streams, which end at the end of `packed`.
    pub(super) fn gzip(packed: R) -> Self {
        Unpack { members: true, ..Unpack::member(packed) }
    }

    /// Creates a reader of one gzip stream that ignores whatever follows it.
    pub(super) fn member(packed: R) -> Self {
        Unpack::of(packed, GZIP)
    }

    /// Creates a reader of one zlib stream that ignores whatever follows it.
    pub(super) fn zlib(packed: R) -> Self {
        Unpack::of(packed, ZLIB)
    }

    fn of(packed: R, kind: u8) -> Self {
        Unpack { packed, inflate: Inflate::new(true, kind), members: false, ended: false }
    }

    /// Returns the input that has not been decompressed yet.
    pub(super) fn left(&self) -> &R {
        &self.packed
    }
}

impl<R: BufRead> Read for Unpack<R> {
    /// Fills `out` completely, except at the end of the stream. A few large calls are faster than
    /// many small ones, because every call to the decompressor copies its sliding window.
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let mut n = 0;
        while n < out.len() && !self.ended {
            let packed = self.packed.fill_buf()?;
            let nothing_more = packed.is_empty();
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(packed, &mut out[n..], InflateFlush::NoFlush);
            let taken = (self.inflate.total_in() - before.0) as usize;
            let made = (self.inflate.total_out() - before.1) as usize;
            self.packed.consume(taken);
            n += made;
            match status {
                Ok(Status::StreamEnd) => {
                    self.ended = !self.members || self.packed.fill_buf()?.is_empty();
                    self.inflate = Inflate::new(true, GZIP);
                }
                Ok(_) if taken > 0 || made > 0 => {}
                // This call returns the decompressed bytes, and the next one returns the error.
                _ if n > 0 => break,
                Ok(_) if nothing_more => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(_) => return Err(Error::new(ErrorKind::InvalidData, "no progress possible")),
                Err(error) => {
                    let what = self.inflate.error_message().unwrap_or(error.as_str());
                    return Err(Error::new(ErrorKind::InvalidData, what));
                }
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;

    fn numbers(n: u32) -> Vec<u8> {
        (0..n).flat_map(|k| (k.wrapping_mul(k) / 7).to_le_bytes()).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    fn all(mut stream: impl Read) -> Result<Vec<u8>> {
        let mut found = Vec::new();
        stream.read_to_end(&mut found).map(|_| found)
    }

    #[test]
    fn members_are_joined_and_pieces_may_be_of_any_size() {
        let bytes = numbers(70_000);
        let packed = [gzip(&bytes[..100_001]), gzip(&[]), gzip(&bytes[100_001..])].concat();
        for size in [1, 13, 4096, 1 << 20] {
            let found = all(Unpack::gzip(BufReader::with_capacity(size, &packed[..])));
            assert!(found.unwrap() == bytes, "{size}");
        }
        let mut one = Unpack::member(&packed[..]);
        let (mut found, mut few) = (Vec::<u8>::new(), [0; 999]);
        loop {
            let n = one.read(&mut few).unwrap();
            found.extend(&few[..n]);
            if n < few.len() {
                break;
            }
        }
        assert!(found == bytes[..100_001]);
        assert_eq!(all(Unpack::gzip(*one.left())).unwrap(), bytes[100_001..]);
        let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
        out.write_all(&bytes).unwrap();
        let packed = [out.finish().unwrap(), vec![1, 2, 3]].concat();
        let mut stream = Unpack::zlib(&packed[..]);
        assert!(all(&mut stream).unwrap() == bytes && *stream.left() == [1, 2, 3]);
    }

    #[test]
    fn damage_is_an_error() {
        let packed = gzip(&numbers(1_000));
        for n in 0..packed.len() {
            let error = all(Unpack::gzip(&packed[..n])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "cut at {n}");
        }
        // Bytes of the header, the checksum and the length; then bytes that follow the stream.
        for k in [0, 2, packed.len() - 7, packed.len() - 1] {
            let mut wrong = packed.clone();
            wrong[k] ^= 0x55;
            let error = all(Unpack::gzip(&wrong[..])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "byte {k}");
        }
        let behind = [&packed[..], b"behind"].concat();
        assert_eq!(all(Unpack::gzip(&behind[..])).unwrap_err().kind(), ErrorKind::InvalidData);
        assert!(all(Unpack::member(&behind[..])).is_ok());
    }

    #[test]
    fn no_flipped_bit_gives_other_bytes() {
        let bytes = numbers(300);
        let packed = gzip(&bytes);
        for k in 0..8 * packed.len() {
            let mut wrong = packed.clone();
            wrong[k / 8] ^= 1 << (k % 8);
            assert!(all(Unpack::gzip(&wrong[..])).map_or(true, |found| found == bytes), "bit {k}");
        }
    }
}
