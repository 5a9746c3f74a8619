//! Reading of a file in pieces, so that a large cloud is not also held in memory as text or bytes.

use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::Path;

use crate::budget::Budget;
use crate::bytes::broken_promise;
use crate::load::{self, GZIP, Loaded};
use crate::unpack::Unpack;
use crate::volume::nifti;
use zeroset_core::error::{Flaw, Position, Result};

/// Magic bytes of LAS and LAZ, and of E57. LAZ and E57 need random access.
const READ_AT_ANY_PLACE: [&[u8]; 2] = [b"LASF", b"ASTM"];

/// The largest number of bytes requested from the source at a time.
const PIECE: usize = 8 << 20;

/// A source of bytes that supports random access.
pub(super) trait Seekable: Read + Seek + Send + Sync {}
impl<T: Read + Seek + Send + Sync> Seekable for T {}

/// A file that is read from beginning to end and decompressed if it is a gzip stream.
pub(super) struct Stream<'a> {
    path: &'a Path,
    source: Box<dyn Read + Send>,
    /// The bytes read. Those in `buffer[begin..]` are not consumed yet.
    buffer: Vec<u8>,
    begin: usize,
    /// The number of bytes consumed so far.
    at: u64,
    /// The total size in bytes, or `None` if it is unknown, as for a gzip stream or a pipe.
    size: Option<u64>,
    /// The limit on the unpacked size of the file.
    budget: Budget,
    /// The largest allowed unpacked size of a gzip stream, in bytes; `u64::MAX` for other files.
    limit: u64,
    ended: bool,
    /// Whether the bytes are those on disk, without decompression.
    plain: bool,
    /// All bytes of a file that needs random access but comes from a pipe.
    whole: Option<Vec<u8>>,
}

impl<'a> Stream<'a> {
    /// Opens a file.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file cannot be read or is empty.
    pub(super) fn open(path: &'a Path) -> Result<Self, Flaw> {
        load::refuse_device(path)?;
        let file = File::open(path).map_err(|e| load::unreadable(path, e))?;
        let size = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len());
        let budget = Budget::of(size.unwrap_or(u64::MAX));
        let stored = Stream {
            path,
            source: Box::new(file),
            buffer: Vec::new(),
            begin: 0,
            at: 0,
            size,
            budget,
            limit: u64::MAX,
            ended: false,
            plain: size.is_some(),
            whole: None,
        };
        let mut stream = stored.decompressed()?;
        let head = stream.fill(4)?;
        if size.is_none() && READ_AT_ANY_PLACE.iter().any(|begin| head.starts_with(begin)) {
            let whole = stream.fill(usize::MAX)?.to_vec();
            if stream.limit == u64::MAX {
                stream.budget = Budget::of(whole.len() as u64);
            }
            stream.whole = Some(whole);
        }
        Ok(stream)
    }

    /// Creates a stream of bytes that are already in memory. `budget` limits their unpacked
    /// size.
    pub(super) fn of(path: &'a Path, bytes: &[u8], budget: Budget) -> Self {
        Stream {
            path,
            source: Box::new(std::io::empty()),
            buffer: bytes.to_vec(),
            begin: 0,
            at: 0,
            size: Some(bytes.len() as u64),
            budget,
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
        if !head.starts_with(&GZIP) {
            return Ok(self);
        }
        if self.size.is_none() {
            // The limit depends on the size, so a pipe is read to its end first.
            self.budget = Budget::of(self.fill(usize::MAX)?.len() as u64);
        }
        self.limit = load::limit(&self.budget);
        let begin = Cursor::new(std::mem::take(&mut self.buffer));
        let packed = BufReader::with_capacity(1 << 16, begin.chain(self.source));
        self.source = Box::new(Unpack::gzip(packed));
        (self.size, self.ended, self.plain) = (None, false, false);
        let head = self.fill(load::HEAD)?;
        if head.is_empty() {
            return Err(load::empty());
        }
        if nifti::promised_size(head).is_some_and(|size| size > self.limit) {
            return Err(self.broken(too_large()));
        }
        Ok(self)
    }

    /// Returns a source with random access to the whole decompressed file, its size in bytes, and
    /// the budget of the file.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file cannot be read again.
    pub(super) fn seekable(&self) -> Result<(Box<dyn Seekable>, u64, Budget), Flaw> {
        if let Some(size) = self.size.filter(|_| self.plain) {
            let file = File::open(self.path).map_err(|e| load::unreadable(self.path, e))?;
            return Ok((Box::new(BufReader::with_capacity(1 << 16, file)), size, self.budget));
        }
        let Loaded { bytes, budget } = match &self.whole {
            Some(bytes) => Loaded { bytes: bytes.clone(), budget: self.budget },
            None if self.ended && self.at == 0 => {
                Loaded { bytes: self.buffer.clone(), budget: self.budget }
            }
            None => load::load(self.path)?,
        };
        let size = bytes.len() as u64;
        Ok((Box::new(Cursor::new(bytes)), size, budget))
    }

    /// Checks that compressed data in the file may unpack to `n` bytes.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file would unpack to more than its budget.
    pub(super) fn may_unpack(&self, n: u64) -> Result<(), Flaw> {
        let mut budget = self.budget;
        let read = if self.limit < u64::MAX { self.at + self.buffer.len() as u64 } else { 0 };
        budget.take(n.saturating_add(read)).map_err(|large| large.at(Position::Byte(self.at)))
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns at least the next `n` bytes, or fewer at the end of the file, without consuming
    /// them.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file cannot be read or is a damaged gzip stream.
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
                return Err(self.broken(too_large()));
            }
        }
        Ok(&self.buffer[self.begin..])
    }

    /// Returns the flaw to report after a failed read. For a gzip stream or a pipe, this is the
    /// flaw of [`load::load`] if loading the whole file also fails, unless memory is exhausted.
    fn broken(&mut self, error: std::io::Error) -> Flaw {
        // The file may be loaded as a whole below, so the bytes read so far are freed first.
        self.buffer = Vec::new();
        if self.size.is_none()
            && error.kind() != ErrorKind::OutOfMemory
            && let Err(found) = load::load(self.path)
        {
            return found;
        }
        load::unreadable(self.path, error)
    }

    /// Consumes the next `n` bytes, which must be in the buffer.
    pub(super) fn take(&mut self, n: usize) {
        self.begin += n;
        self.at += n as u64;
    }

    /// Returns the number of bytes consumed so far.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// Skips to byte `position`, counted from the beginning.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file ends early.
    pub(super) fn pass_to(&mut self, position: u64, what: &str) -> Result<(), Flaw> {
        while self.at < position {
            let found = self.fill(1)?.len() as u64;
            if found == 0 {
                let what = format!("the file ends where {what} were expected, at byte {position}");
                return Err(self.fail(what, "the file is truncated: copy it again"));
            }
            self.take(found.min(position - self.at) as usize);
        }
        Ok(())
    }

    /// Returns the number of bytes not yet consumed, if it is known.
    pub(super) fn left(&self) -> Option<u64> {
        match self.size {
            Some(size) => Some(size.saturating_sub(self.at)),
            None if self.ended => Some((self.buffer.len() - self.begin) as u64),
            None => None,
        }
    }

    /// Checks that the remaining bytes can hold `count` records of at least `size` bytes. Returns
    /// the number of records to allocate: `count`, but at most 65,536 if the remaining size is
    /// unknown.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the remaining bytes are too few.
    pub(super) fn promised(&self, count: u64, size: u64, what: &str) -> Result<usize, Flaw> {
        let Some(found) = self.left() else { return Ok(count.min(1 << 16) as usize) };
        let needed = u128::from(count) * u128::from(size);
        // The last number of a text file needs no separator after it.
        if needed > u128::from(found) + 1 {
            let what = broken_promise(count, size, what, found);
            return Err(self.fail(what, "the count is wrong or the file is truncated"));
        }
        Ok(count as usize)
    }

    /// Returns all bytes from the current position to the end.
    ///
    /// # Errors
    /// Returns the errors of [`Stream::fill`].
    pub(super) fn rest(mut self) -> Result<Loaded, Flaw> {
        self.fill(usize::MAX)?;
        let read = self.at + self.buffer.len() as u64;
        let (is_gzip, is_pipe) = (self.limit < u64::MAX, self.size.is_none());
        let mut budget = self.budget;
        if is_gzip {
            budget.take(read).map_err(|large| large.at(Position::Whole))?;
        } else if is_pipe {
            budget = Budget::of(read);
        }
        self.buffer.drain(..self.begin);
        Ok(Loaded { bytes: self.buffer, budget })
    }

    /// Creates an error at the current position.
    pub(super) fn fail(&self, what: impl Into<String>, remedy: &str) -> Flaw {
        Flaw::at(Position::Byte(self.at), what, remedy)
    }
}

fn too_large() -> std::io::Error {
    std::io::Error::other("it is too large")
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
            assert_eq!(Stream::open(path).unwrap().rest().unwrap().bytes, bytes);
        }
        assert!(Stream::open(&plain).unwrap().promised(300_001, 4, "points").is_err());
        assert_eq!(Stream::open(&plain).unwrap().promised(300_000, 4, "points").unwrap(), 300_000);
        let all = std::fs::read(&packed).unwrap();
        std::fs::write(&packed, &all[..all.len() / 2]).unwrap();
        let error = Stream::open(&packed).unwrap().rest().err().unwrap().to_string();
        assert!(error.contains("gzip stream ends early"), "{error}");
    }
}
