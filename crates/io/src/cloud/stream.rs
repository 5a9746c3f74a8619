//! The bytes of a file piece by piece, so that a large cloud is never in memory as text or bytes, too.

use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::Path;

use crate::bytes::broken_promise;
use crate::load;
use crate::unpack::Unpack;
use zeroset_core::error::{Flaw, Position, Result};

/// How LAS, LAZ and E57 begin.
const READ_AT_ANY_PLACE: [&[u8]; 2] = [b"LASF", b"ASTM"];

/// Bytes asked of the system at a time.
const PIECE: usize = 8 << 20;

/// Bytes that are read at several places.
pub(super) trait Seekable: Read + Seek + Send + Sync {}
impl<T: Read + Seek + Send + Sync> Seekable for T {}

/// A file, decompressed on the way if it is a gzip stream, read from its beginning to its end.
pub(super) struct Stream<'a> {
    path: &'a Path,
    source: Box<dyn Read + Send>,
    /// What was read; `buffer[begin..]` is not taken yet.
    buffer: Vec<u8>,
    begin: usize,
    /// Bytes taken before `begin`.
    at: u64,
    /// Bytes of the whole, if they can be known: not of a gzip stream or a pipe.
    size: Option<u64>,
    /// Most bytes that a gzip stream may unpack to.
    limit: u64,
    ended: bool,
    /// As it lies on the disk.
    plain: bool,
    /// All bytes of what is read at several places and comes through a pipe.
    whole: Option<Vec<u8>>,
}

impl<'a> Stream<'a> {
    /// Opens a file.
    ///
    /// # Errors
    /// A [`Flaw`] if it cannot be read or is empty.
    pub(super) fn open(path: &'a Path) -> Result<Self, Flaw> {
        load::refuse_device(path)?;
        let file = File::open(path).map_err(|e| load::unreadable(path, e))?;
        let size = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
        let stored = Stream {
            path,
            source: Box::new(file),
            buffer: Vec::new(),
            begin: 0,
            at: 0,
            size,
            limit: u64::MAX,
            ended: false,
            plain: size.is_some(),
            whole: None,
        };
        let mut stream = stored.decompressed()?;
        let head = stream.fill(4)?;
        if size.is_none() && READ_AT_ANY_PLACE.iter().any(|begin| head.starts_with(begin)) {
            stream.whole = Some(stream.fill(usize::MAX)?.to_vec());
        }
        Ok(stream)
    }

    /// Bytes that are in memory already.
    pub(super) fn of(path: &'a Path, bytes: &[u8]) -> Self {
        Stream {
            path,
            source: Box::new(std::io::empty()),
            buffer: bytes.to_vec(),
            begin: 0,
            at: 0,
            size: Some(bytes.len() as u64),
            limit: u64::MAX,
            ended: true,
            plain: false,
            whole: None,
        }
    }

    fn decompressed(mut self) -> Result<Self, Flaw> {
        let head = self.fill(2)?;
        if head.is_empty() {
            return Err(load::empty());
        }
        if !head.starts_with(&[0x1f, 0x8b]) {
            return Ok(self);
        }
        self.limit = load::limit(self.size.unwrap_or(u64::MAX));
        let begin = Cursor::new(std::mem::take(&mut self.buffer));
        let packed = BufReader::with_capacity(1 << 16, begin.chain(self.source));
        self.source = Box::new(Unpack::gzip(packed));
        (self.size, self.ended, self.plain) = (None, false, false);
        if self.fill(1)?.is_empty() { Err(load::empty()) } else { Ok(self) }
    }

    /// The whole file for reading at any place, and how many bytes it has.
    ///
    /// # Errors
    /// A [`Flaw`] if the file cannot be read again.
    pub(super) fn seekable(&self) -> Result<(Box<dyn Seekable>, u64), Flaw> {
        if let Some(size) = self.size.filter(|_| self.plain) {
            let file = File::open(self.path).map_err(|e| load::unreadable(self.path, e))?;
            return Ok((Box::new(BufReader::with_capacity(1 << 16, file)), size));
        }
        let bytes = match &self.whole {
            Some(bytes) => bytes.clone(),
            None if self.ended && self.at == 0 => self.buffer.clone(),
            None => load::load(self.path)?,
        };
        let size = bytes.len() as u64;
        Ok((Box::new(Cursor::new(bytes)), size))
    }

    /// The file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// At least the next `n` bytes, fewer only at the end; they stay the next ones.
    ///
    /// # Errors
    /// A [`Flaw`] if the file cannot be read, or is a damaged gzip stream.
    pub(super) fn fill(&mut self, n: usize) -> Result<&[u8], Flaw> {
        if self.buffer.len() - self.begin < n && !self.ended {
            self.buffer.drain(..self.begin);
            self.begin = 0;
        }
        while self.buffer.len() - self.begin < n && !self.ended {
            let wanted = n - self.buffer.len();
            let piece = wanted.clamp(1 << 16, PIECE) as u64;
            let before = self.buffer.len();
            let outcome = (&mut self.source).take(piece).read_to_end(&mut self.buffer);
            let found = self.buffer.len() - before;
            self.ended = (found as u64) < piece;
            if let Err(error) = outcome {
                return Err(self.broken(error));
            }
            if self.at + self.buffer.len() as u64 > self.limit {
                return Err(self.broken(std::io::Error::other("it is too large")));
            }
        }
        Ok(&self.buffer[self.begin..])
    }

    /// Why reading failed: of a gzip stream as [`load::load`] says it.
    fn broken(&self, error: std::io::Error) -> Flaw {
        if self.size.is_none()
            && error.kind() != ErrorKind::OutOfMemory
            && let Err(found) = load::load(self.path)
        {
            return found;
        }
        load::unreadable(self.path, error)
    }

    /// Passes over the next `n` bytes, which must have been filled.
    pub(super) fn take(&mut self, n: usize) {
        self.begin += n;
        self.at += n as u64;
    }

    /// Bytes taken so far.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Passes over bytes up to `position`, counted from the beginning.
    ///
    /// # Errors
    /// A [`Flaw`] if the file ends before.
    pub(super) fn pass_to(&mut self, position: u64, what: &str) -> Result<(), Flaw> {
        while self.at < position {
            let found = self.fill(1)?.len() as u64;
            if found == 0 {
                let what = format!("file ends where {what} were expected, at byte {position}");
                return Err(self.fail(what, "the file is cut short: copy it again"));
            }
            self.take(found.min(position - self.at) as usize);
        }
        Ok(())
    }

    /// Bytes not taken yet, if that can be known.
    pub(super) fn left(&self) -> Option<u64> {
        match self.size {
            Some(size) => Some(size.saturating_sub(self.at)),
            None if self.ended => Some((self.buffer.len() - self.begin) as u64),
            None => None,
        }
    }

    /// Refuses a promise of `count` records of at least `size` bytes that the bytes left cannot keep;
    /// says how many to make room for, as far as bytes vouch for them.
    ///
    /// # Errors
    /// A [`Flaw`] with expected and found.
    pub(super) fn promised(&self, count: u64, size: u64, what: &str) -> Result<usize, Flaw> {
        let Some(found) = self.left() else { return Ok(count.min(1 << 16) as usize) };
        let needed = u128::from(count) * u128::from(size);
        if needed > u128::from(found) + 1 {
            let what = broken_promise(count, size, what, found);
            return Err(self.fail(what, "the count is wrong or the file is cut short"));
        }
        Ok(count as usize)
    }

    /// All bytes from here to the end.
    ///
    /// # Errors
    /// As [`Stream::fill`].
    pub(super) fn rest(mut self) -> Result<Vec<u8>, Flaw> {
        self.fill(usize::MAX)?;
        self.buffer.drain(..self.begin);
        Ok(self.buffer)
    }

    /// An error at the place reached.
    pub(super) fn fail(&self, what: impl Into<String>, remedy: &str) -> Flaw {
        Flaw::at(Position::Byte(self.at), what, remedy)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn pieces_are_the_file_compressed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let plain = folder.path().join("a");
        std::fs::write(&plain, &bytes).unwrap();
        let packed = folder.path().join("a.gz");
        let mut out = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        out.write_all(&bytes).unwrap();
        std::fs::write(&packed, out.finish().unwrap()).unwrap();
        for path in [&plain, &packed] {
            let mut stream = Stream::open(path).unwrap();
            let mut found = Vec::<u8>::new();
            loop {
                let n = stream.fill(70_001).unwrap().len().min(70_001);
                if n == 0 {
                    break;
                }
                found.extend(&stream.fill(n).unwrap()[..n]);
                stream.take(n);
            }
            assert!(found == bytes && stream.position() == bytes.len() as u64);
            assert_eq!(Stream::open(path).unwrap().rest().unwrap(), bytes);
        }
        assert!(Stream::open(&plain).unwrap().promised(300_001, 4, "points").is_err());
        assert_eq!(Stream::open(&plain).unwrap().promised(300_000, 4, "points").unwrap(), 300_000);
        let all = std::fs::read(&packed).unwrap();
        std::fs::write(&packed, &all[..all.len() / 2]).unwrap();
        let error = Stream::open(&packed).unwrap().rest().unwrap_err().to_string();
        assert!(error.contains("gzip stream ends early"), "{error}");
    }
}
