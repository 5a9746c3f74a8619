//! The container format of a checkpoint file.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | "ZSCHECK\n" |
//! | 4 | format version |
//! | 8 | n, the size of the uncompressed contents in bytes |
//! | | the contents as an LZ4 frame |
//! | 32 | BLAKE3 hash of everything before it |
//!
//! Numbers are little-endian.

use std::io::{Read, Write};
use std::path::Path;

use lz4_flex::frame::{BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

use crate::atomic;
use crate::error::{Flaw, FlawKind, Result};
use crate::io::bytes::Cursor;

/// The version of the file format, which covers the container and its contents.
pub(crate) const FORMAT_VERSION: u32 = 3;

const MAGIC: [u8; 8] = *b"ZSCHECK\n";
const HEAD: usize = 20;
/// The remedy for a checkpoint that cannot be read.
pub(super) const REMEDY: &str = "begin the run again with --overwrite";

/// Writes the file atomically. `contents` writes exactly `length` bytes, in any number of pieces.
pub(super) fn write(
    path: &Path,
    length: u64,
    contents: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    atomic::write(path, |out| {
        let mut out = Hashed { out, hasher: blake3::Hasher::new() };
        out.write_all(&MAGIC)?;
        out.write_all(&FORMAT_VERSION.to_le_bytes())?;
        out.write_all(&length.to_le_bytes())?;
        let blocks = FrameInfo::new().block_size(BlockSize::Max256KB);
        let mut packed = FrameEncoder::with_frame_info(blocks, &mut out);
        contents(&mut packed)?;
        packed.finish()?;
        let hash = out.hasher.finalize();
        out.out.write_all(hash.as_bytes())
    })
}

/// Reads the file and returns its uncompressed contents.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |e| {
        let flaw = Flaw::whole(format!("cannot read the checkpoint: {e}"), REMEDY);
        flaw.kind_of(FlawKind::Unreadable).because(e)
    };
    let contents = std::fs::read(path).map_err(unreadable).and_then(|bytes| unpack(&bytes));
    contents.map_err(|flaw| flaw.in_file(path))
}

/// Returns the uncompressed contents of a checkpoint file from the bytes of the file.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Flaw> {
    let wrong = |what: String| Flaw::whole(what, REMEDY);
    let mut head = Cursor::new(bytes, 0, false);
    if head.take(MAGIC.len(), "the head").ok() != Some(&MAGIC[..]) {
        return Err(wrong("is not a checkpoint of zeroset, or is damaged".into()));
    }
    let version = head.u32("the format version").map_err(|_| wrong("is cut short".into()))?;
    if version != FORMAT_VERSION {
        let flaw = Flaw::whole(
            format!("has format version {version}, but this program reads {FORMAT_VERSION}"),
            "resume with the version of zeroset that wrote it, or begin again with --overwrite",
        );
        return Err(flaw.kind_of(FlawKind::Unsupported));
    }
    let length = head.u64("its length").map_err(|_| wrong("is cut short".into()))?;
    let body = bytes.len().checked_sub(blake3::OUT_LEN).filter(|&end| end >= HEAD);
    let Some((hashed, hash)) = body.map(|end| bytes.split_at(end)) else {
        return Err(wrong("is cut short".into()));
    };
    if blake3::hash(hashed).as_bytes() != hash {
        return Err(wrong("is damaged or cut short: its checksum does not match".into()));
    }
    // The vector grows with the data that is actually present, up to the stated length.
    let mut contents = Vec::new();
    let mut packed = FrameDecoder::new(&hashed[HEAD..]).take(length.saturating_add(1));
    match packed.read_to_end(&mut contents) {
        Ok(n) if n as u64 == length => Ok(contents),
        Ok(_) => Err(wrong(format!("does not hold the {length} bytes that it states"))),
        Err(e) => Err(wrong(format!("cannot be decompressed: {e}")).because(e)),
    }
}

/// A writer that passes bytes on and hashes them.
struct Hashed<'a> {
    out: &'a mut dyn Write,
    hasher: blake3::Hasher,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
