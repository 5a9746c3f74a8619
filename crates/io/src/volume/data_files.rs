//! Reading of numbers from data files next to a header: one file, a list, or numbered names.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::super::budget::Budget;
use super::super::load::GZIP;
use super::super::scalar::Scalar;
use super::super::unpack::Unpack;
use super::super::{load, text};
use super::{refuse, stored};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Samples;

/// The layout of the numbers in each file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub scalar: Scalar,
    pub big_endian: bool,
    pub encoding: Encoding,
    /// The number of lines to skip first.
    pub lines: usize,
    /// The number of bytes to skip next. For compressed numbers, they are counted after
    /// decompression.
    pub skip: Skip,
}

/// The encoding of the numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Raw,
    Gzip,
    Zlib,
    Text,
}

impl Layout {
    /// Describes the encoding, such as "raw little-endian detached".
    pub fn words(&self, detached: bool) -> String {
        let encoding = match self.encoding {
            Encoding::Raw => "raw",
            Encoding::Text => "text",
            Encoding::Gzip => "gzip",
            Encoding::Zlib => "zlib",
        };
        let order = match (self.scalar.size(), self.encoding, self.big_endian) {
            (1, ..) | (_, Encoding::Text, _) => "",
            (_, _, true) => " big-endian",
            (_, _, false) => " little-endian",
        };
        let place = if detached { " detached" } else { "" };
        format!("{encoding}{order}{place}")
    }
}

/// The position of the first number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Skip {
    Bytes(usize),
    /// The numbers are at the end of the file.
    FromTheEnd,
}

/// Returns the path of the file `name` next to `path`.
///
/// # Errors
/// Returns a [`Flaw`] if the name leads out of the folder of `path` or names that folder itself.
pub(super) fn beside(path: &Path, name: &str) -> Result<PathBuf, Flaw> {
    let mut place = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let folder = place.clone();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => place.push(part),
            Component::CurDir => {}
            _ => return no_neighbor(name),
        }
    }
    if place == folder { no_neighbor(name) } else { Ok(place) }
}

fn no_neighbor(name: &str) -> Result<PathBuf, Flaw> {
    let shown = text::show(name.as_bytes());
    let what = format!("the numbers are in {shown}, which is not a file beside the header");
    refuse(what, "put the data file beside the header, and correct its name there")
}

/// The largest number of bytes to which one byte of a deflate stream can unpack.
const DENSEST: usize = 1_032;

/// The largest number of files that a pattern may name.
const MOST_FILES: usize = 100_000;

/// Returns the file names of a pattern such as "slice.%03d" with the numbers `first` to `last` in
/// steps of `step`.
pub(super) fn counted(pattern: &str, [first, last, step]: [i64; 3]) -> Result<Vec<String>, Flaw> {
    let wrong = |what: String| {
        let what = format!("{what} in {}", text::show(pattern.as_bytes()));
        refuse(what, "correct the pattern of file names in the header")
    };
    let Some((before, rest)) = pattern.split_once('%') else {
        return wrong("the number placeholder % is missing".into());
    };
    let Some((width, after)) = rest.split_once(['d', 'i', 'u']) else {
        return wrong("the number placeholder %d is missing".into());
    };
    let zero = width.starts_with('0');
    let width = if width.is_empty() { Ok(0) } else { width.parse::<usize>() };
    let Some(width) = width.ok().filter(|&width| width < 100 && !after.contains('%')) else {
        return wrong("there is more than one number placeholder".into());
    };
    let span =
        last.checked_sub(first).filter(|span| step != 0 && span.signum() * step.signum() >= 0);
    let span = span.and_then(|span| span.checked_div(step));
    let n = span.and_then(|n| usize::try_from(n).ok()?.checked_add(1)).filter(|&n| n <= MOST_FILES);
    let Some(n) = n else {
        return wrong(format!(
            "the range from {first} to {last} by {step} is not a list of slices"
        ));
    };
    let name = |k: usize| {
        let number = first + k as i64 * step;
        match zero {
            true => format!("{before}{number:0width$}{after}"),
            false => format!("{before}{number:width$}{after}"),
        }
    };
    Ok((0..n).map(name).collect())
}

const GZIP_REMEDY: &str = "state the compression in the header (NRRD: `encoding: gzip`, MetaImage: `CompressedData = \
                          True`), or decompress the file and correct its name there";

/// Reads the numbers of a volume from files that hold equal parts of it, in order.
pub(super) fn read(
    path: &Path,
    names: &[String],
    shape: [usize; 3],
    layout: &Layout,
    warnings: &mut Vec<String>,
) -> Result<Samples, Flaw> {
    let Some(n) = stored::count(shape).filter(|n| n.is_multiple_of(names.len().max(1))) else {
        let what = format!("{shape:?} voxels cannot be split evenly over {} files", names.len());
        return refuse(what, "correct the sizes or the list of files in the header");
    };
    let mut places = Vec::new();
    let mut taken = BTreeSet::new();
    for name in names {
        let place = beside(path, name)?;
        // No file may be listed twice. Otherwise, a small file that is listed many times could
        // exhaust memory.
        if !taken.insert(place.clone()) {
            let what = format!("{} is named twice", text::show(name.as_bytes()));
            return refuse(what, "name each data file once");
        }
        if !place.exists() {
            let what =
                format!("the numbers are in {}, which does not exist", text::show(name.as_bytes()));
            return refuse(what, "put the file beside the header");
        }
        places.push(place);
    }
    let sizes = places.iter().map(|place| place.metadata().map_or(0, |found| found.len()));
    let mut budget = Budget::of(sizes.fold(0, u64::saturating_add));
    if matches!(layout.encoding, Encoding::Gzip | Encoding::Zlib) {
        let size = layout.scalar.bytes(n).map_or(u64::MAX, |size| size as u64);
        let mut all = budget;
        all.take(size).map_err(|large| large.at("header"))?;
    }
    let mut parts = Vec::new();
    for place in places {
        let of_place = |flaw: Flaw| flaw.of_file(&place);
        let bytes = load::as_stored(&place).map_err(of_place)?;
        let is_gzip = bytes.starts_with(&GZIP) && place.extension().is_some_and(|e| e == "gz");
        if layout.encoding == Encoding::Raw && is_gzip {
            let what = "the numbers are a gzip stream, but the header states raw numbers";
            return Err(of_place(Flaw::at("data", what, GZIP_REMEDY)));
        }
        // A part is read as a single row of voxels.
        let part = [n / names.len(), 1, 1];
        let shape = if names.len() == 1 { shape } else { part };
        parts.push(part_of(&bytes, shape, layout, &mut budget, warnings).map_err(of_place)?);
    }
    match Samples::joined(parts) {
        Some(all) => Ok(all),
        None => refuse("no data file is named", "name one in the header"),
    }
}

/// Reads the numbers of a volume with the given shape from `bytes`. `budget` limits their unpacked
/// size.
pub(super) fn part_of(
    bytes: &[u8],
    shape: [usize; 3],
    layout: &Layout,
    budget: &mut Budget,
    warnings: &mut Vec<String>,
) -> Result<Samples, Flaw> {
    let mut rest = bytes;
    for line in 0..layout.lines {
        let Some(end) = rest.iter().position(|&b| b == b'\n') else {
            let what =
                format!("{} lines are to be skipped, but only {line} were found", layout.lines);
            return refuse(what, "the file is truncated, or the line skip in the header is wrong");
        };
        rest = &rest[end + 1..];
    }
    let Layout { scalar, big_endian, .. } = *layout;
    if layout.encoding == Encoding::Text {
        let Skip::Bytes(skip) = layout.skip else {
            return refuse(
                "text numbers cannot be located from the end of the file",
                "state the number of bytes to skip",
            );
        };
        let text = rest.get(skip..).unwrap_or_default();
        // Every number takes at least a digit and a separator.
        stored::promised("data", shape, Scalar::I16, text.len().saturating_add(1))?;
        return stored::from_text(text, scalar, stored::count(shape).unwrap_or(0));
    }
    let most = if layout.encoding == Encoding::Raw { 1 } else { DENSEST };
    let size = stored::promised("data", shape, scalar, rest.len().saturating_mul(most))?;
    let bytes = match layout.encoding {
        Encoding::Raw => Cow::Borrowed(rest),
        _ => Cow::Owned(unpacked(rest, size, layout, budget)?),
    };
    let skip = match layout.skip {
        Skip::Bytes(skip) => skip,
        Skip::FromTheEnd => bytes.len().saturating_sub(size),
    };
    let data = bytes.get(skip..).unwrap_or_default();
    stored::promised("data", shape, scalar, data.len())?;
    if data.len() > size {
        let more = data.len() - size;
        warnings.push(format!("{more} bytes after the last voxel are ignored"));
    }
    Ok(stored::samples(scalar, &data[..size], big_endian))
}

/// Decompresses the bytes to skip and the `size` bytes of the numbers, or the whole stream if the
/// numbers are at its end.
fn unpacked(
    packed: &[u8],
    size: usize,
    layout: &Layout,
    budget: &mut Budget,
) -> Result<Vec<u8>, Flaw> {
    // ITK writes zlib streams but also reads gzip streams in their place.
    let is_gzip = layout.encoding == Encoding::Gzip || packed.starts_with(&GZIP);
    let (stream, kind) = match is_gzip {
        true => (Unpack::gzip(packed), "gzip"),
        false => (Unpack::zlib(packed), "zlib"),
    };
    let Skip::Bytes(skip) = layout.skip else {
        budget.take(size as u64).map_err(|large| large.at("data"))?;
        return stored::inflate_all(stream, budget.left().saturating_add(size as u64), kind)?
            .ok_or_else(|| budget.exceeded().at("data"));
    };
    let possible = packed.len().saturating_mul(DENSEST);
    let Some(whole) = skip.checked_add(size).filter(|&whole| whole <= possible) else {
        return refuse(format!("{skip} bytes to skip are too many"), "correct the header");
    };
    budget.take(whole as u64).map_err(|large| large.at("data"))?;
    stored::inflate(stream, whole, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted() {
        let of = |pattern, range| counted(pattern, range);
        assert_eq!(of("a.%d", [8, 12, 2]).unwrap(), ["a.8", "a.10", "a.12"]);
        assert_eq!(of("a%03d.raw", [2, 1, -1]).unwrap(), ["a002.raw", "a001.raw"]);
        for (pattern, range) in [
            ("a", [1, 2, 1]),
            ("a%s", [1, 2, 1]),
            ("a%d%d", [1, 2, 1]),
            ("a%d", [1, 2, 0]),
            ("a%d", [1, 200_000, 1]),
            ("a%d", [i64::MIN, i64::MAX, 1]),
            ("a%d", [2, 1, 1]),
            ("a%999999999d", [1, 2, 1]),
        ] {
            assert!(of(pattern, range).is_err(), "{pattern} {range:?}");
        }
    }

    #[test]
    fn only_files_beside_are_read() {
        let path = Path::new("folder/x.nhdr");
        assert_eq!(beside(path, "./a.raw").unwrap(), Path::new("folder/a.raw"));
        for name in ["", ".", "/etc/passwd", "../a.raw", "b/../../a.raw"] {
            assert!(beside(path, name).is_err(), "{name}");
        }
    }
}
