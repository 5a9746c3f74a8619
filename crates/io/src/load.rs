//! Loading of whole files, decompressed if they are gzip streams, and of the other files of a mesh
//! or volume that consists of several files.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::budget::Budget;
use super::unpack::Unpack;
use super::volume::nifti;
use zeroset_core::error::{Flaw, FlawKind, Position, Result};
use zeroset_core::primitives::memory::gibibytes;

/// The first bytes of a gzip stream.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The number of leading bytes that suffice to determine the size of a NIfTI volume.
pub(super) const HEAD: usize = 540;
/// No gzip stream may unpack to more bytes than this.
const LARGEST: u64 = 16 << 30;

/// The content of a file.
pub(super) struct Loaded {
    /// The bytes, decompressed if the file is a gzip stream.
    pub(super) bytes: Vec<u8>,
    /// The number of bytes that may still be unpacked from compressed parts of the content.
    pub(super) budget: Budget,
}

/// Reads a whole file. A gzip stream is decompressed regardless of the file name.
///
/// # Errors
/// Returns a [`Flaw`] if the file cannot be read, is empty, or is a gzip stream that is damaged,
/// ends early, or unpacks to an implausible size.
pub(super) fn load(path: &Path) -> Result<Loaded, Flaw> {
    let stored = as_stored(path)?;
    let mut budget = Budget::of(stored.len() as u64);
    if !stored.starts_with(&GZIP) {
        return Ok(Loaded { bytes: stored, budget });
    }
    let bytes = gunzip(&stored, &budget)?;
    if bytes.is_empty() {
        return Err(empty());
    }
    budget.take(bytes.len() as u64).map_err(|large| large.at(Position::Whole))?;
    Ok(Loaded { bytes, budget })
}

/// Reads a whole file as it is stored, compressed or not.
///
/// # Errors
/// Returns a [`Flaw`] if the file cannot be read or is empty.
pub(super) fn as_stored(path: &Path) -> Result<Vec<u8>, Flaw> {
    refuse_device(path)?;
    let bytes = std::fs::read(path).map_err(|e| unreadable(path, e))?;
    if bytes.is_empty() { Err(empty()) } else { Ok(bytes) }
}

/// Rejects device files, which may have no end.
pub(super) fn refuse_device(path: &Path) -> Result<(), Flaw> {
    match std::fs::metadata(path) {
        Ok(found) if is_device(found.file_type()) => {
            Err(Flaw::whole("is a device, not a file", "give the path of a file or a pipe")
                .kind_of(FlawKind::Unfit))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

pub(super) fn empty() -> Flaw {
    Flaw::whole("the file is empty", "copy or export it again")
}

/// Returns the existing file next to `path` with the same name but this extension, with or without
/// `.gz`, if there is one.
pub(super) fn partner(path: &Path, extension: &str) -> Option<PathBuf> {
    let plain =
        if path.extension()? == "gz" { path.with_extension("") } else { path.to_path_buf() };
    let names = [extension.to_string(), format!("{extension}.gz")];
    names.iter().map(|name| plain.with_extension(name)).find(|other| other.is_file())
}

/// Returns the name of the file that [`partner`] looks for.
pub(super) fn partner_name(path: &Path, extension: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    format!("{stem}.{extension}")
}

/// A file of a multi-file mesh: its path and its bytes.
pub(super) type Member<'a> = (PathBuf, Cow<'a, [u8]>);

/// Returns the file of a multi-file mesh that has the extension `wanted`. This is `path` itself,
/// whose `bytes` are already loaded, if its `extension` is the wanted one. Otherwise, it is the
/// file next to `path`. Returns `None` if there is no such file.
///
/// # Errors
/// Returns the errors of [`load`].
pub(super) fn member<'a>(
    path: &Path,
    bytes: &'a [u8],
    extension: &str,
    wanted: &str,
) -> Result<Option<Member<'a>>, Flaw> {
    if wanted == extension {
        return Ok(Some((path.to_path_buf(), Cow::Borrowed(bytes))));
    }
    match partner(path, wanted) {
        Some(found) => {
            let loaded = load(&found).map_err(|flaw| flaw.of_file(&found))?;
            Ok(Some((found, Cow::Owned(loaded.bytes))))
        }
        None => Ok(None),
    }
}

/// Returns the flaw that explains why the operating system could not read the file at `path`.
pub(super) fn unreadable(path: &Path, error: std::io::Error) -> Flaw {
    if path.is_dir() {
        let flaw = Flaw::whole(
            "is a folder, but a file is expected",
            "give the path of a file in this folder",
        );
        return flaw.kind_of(FlawKind::Unfit).because(error);
    }
    if error.kind() == ErrorKind::OutOfMemory {
        let size = std::fs::metadata(path).map_or(String::new(), |found| gibibytes(found.len()));
        return no_memory(format!("not enough memory to read the file, {size}")).because(error);
    }
    let remedy = match error.kind() {
        ErrorKind::NotFound => "check the path",
        ErrorKind::PermissionDenied => "check the file's permissions",
        _ => "check the disk",
    };
    let flaw = Flaw::whole(format!("cannot be read: {error}"), remedy);
    flaw.kind_of(FlawKind::Unreadable).because(error)
}

fn no_memory(what: String) -> Flaw {
    let remedy = "free memory or use a machine with more memory (see also `ulimit -v`)";
    Flaw::whole(what, remedy).kind_of(FlawKind::NoMemory)
}

/// Returns the largest size to which a gzip stream may unpack.
pub(super) fn limit(budget: &Budget) -> u64 {
    budget.left().min(LARGEST)
}

fn gunzip(packed: &[u8], budget: &Budget) -> Result<Vec<u8>, Flaw> {
    let limit = limit(budget);
    // The header of a NIfTI volume states the unpacked size.
    let mut head = [0; HEAD];
    let mut stream = Unpack::gzip(packed);
    let _ = stream.read_exact(&mut head);
    match nifti::promised_size(&head) {
        Some(size) if size > limit => Err(too_large(packed, limit, Position::Whole)),
        _ => gunzip_up_to(packed, limit),
    }
}

fn too_large(packed: &[u8], limit: u64, position: Position) -> Flaw {
    let n = packed.len();
    let what = format!("the gzip stream of {n} bytes unpacks to more than {limit} bytes");
    Flaw::at(position, what, "if it is genuine, decompress it with gunzip first")
}

/// Returns the number of bytes after the last complete gzip stream, if there are any and they do
/// not begin another stream.
fn behind_stream(packed: &[u8], limit: u64) -> Option<usize> {
    let mut rest = packed;
    while rest.starts_with(&GZIP) {
        let mut stream = Unpack::member(rest);
        std::io::copy(&mut (&mut stream).take(limit), &mut std::io::sink()).ok()?;
        rest = stream.left();
    }
    (!rest.is_empty() && rest.len() < packed.len()).then_some(rest.len())
}

/// Decompresses a stream piece by piece. Memory grows with the bytes that are actually produced,
/// never with a size that the stream claims.
fn gunzip_up_to(packed: &[u8], limit: u64) -> Result<Vec<u8>, Flaw> {
    let mut stream = Unpack::gzip(packed);
    let mut bytes = Vec::new();
    let outcome = (&mut stream).take(limit + 1).read_to_end(&mut bytes);
    let position = Position::byte(packed.len() - stream.left().len());
    match outcome {
        Err(e) if e.kind() == ErrorKind::OutOfMemory => {
            let what =
                format!("not enough memory to read the file, {}", gibibytes(packed.len() as u64));
            Err(no_memory(what).because(e))
        }
        Err(e) => {
            if let Some(n) = behind_stream(packed, limit) {
                let what = format!("{n} bytes after the gzip stream do not belong to it");
                let place = Position::byte(packed.len() - n);
                return Err(Flaw::at(place, what, "remove them, or copy the file again").because(e));
            }
            let what = match e.kind() {
                ErrorKind::UnexpectedEof => {
                    format!("the gzip stream ends early, after {} decompressed bytes", bytes.len())
                }
                _ => format!("the gzip stream is damaged: {e}"),
            };
            Err(Flaw::at(position, what, "copy or download the file again").because(e))
        }
        Ok(n) if n as u64 > limit => Err(too_large(packed, limit, position)),
        Ok(_) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn packed(n: usize) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&vec![7; n]).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_bombs_are_stopped_and_cut_streams_named() {
        let bytes = packed(100_000);
        let gunzip = |packed: &[u8]| gunzip(packed, &Budget::of(packed.len() as u64));
        assert_eq!(gunzip_up_to(&bytes, 100_000).unwrap().len(), 100_000);
        let error = gunzip_up_to(&bytes, 99_999).unwrap_err().to_string();
        assert!(error.contains("unpacks to more than 99999 bytes"), "{error}");
        for n in 2..bytes.len() {
            let flaw = gunzip(&bytes[..n]).unwrap_err();
            let cause = flaw.cause().and_then(|cause| cause.downcast_ref::<std::io::Error>());
            assert_eq!(cause.map(|e| e.kind()), Some(ErrorKind::UnexpectedEof), "cut at {n}");
            assert!(flaw.what().contains("gzip stream ends early"), "cut at {n}: {flaw}");
        }
        let twice = [bytes.clone(), bytes].concat();
        assert_eq!(gunzip(&twice).unwrap().len(), 200_000, "members are joined");
    }
}
