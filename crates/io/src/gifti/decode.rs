//! Decoding of the text of a `Data` element to numbers.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::xml::Attributes;
use crate::budget::{Budget, TooLarge};
use crate::load::GZIP;
use crate::scalar::Scalar;
use crate::text::{parse, show, words};
use crate::unpack::Unpack;
use zeroset_core::mesh::Values;

/// Base64 with lenient padding, because programs pad differently.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);
/// Upper bound on the compression ratio. Deflate packs at most 1,032 bytes into one byte, so data
/// that claim a higher ratio are damaged.
const DENSEST: usize = 1_040;

const DAMAGED: &str = "the file is damaged: export it again";

/// The numbers of one array, row by row.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) rows: usize,
    pub(super) components: usize,
    pub(super) values: Values,
}

type Outcome<T> = Result<T, (String, &'static str)>;

fn refuse<T>(what: impl Into<String>, remedy: &'static str) -> Outcome<T> {
    Err((what.into(), remedy))
}

/// Decodes the text of an array as its attributes specify. `beside` reads data from separate files.
/// `budget` limits the unpacked size of the data.
///
/// # Errors
/// Returns the problem and the remedy if the attributes or the data are not valid.
pub(super) fn decode(
    beside: &mut Beside,
    budget: &mut Budget,
    attributes: &Attributes,
    text: &str,
) -> Outcome<Decoded> {
    let get = |key: &str| attributes.get(key).map_or("", String::as_str);
    let (rows, components) = dimensions(attributes)?;
    let Some(n) = rows.checked_mul(components) else {
        return refuse(format!("{rows} rows of {components} numbers"), DAMAGED);
    };
    let Some(kind) = Scalar::from_nifti(get("DataType")) else {
        let what = format!("DataType {} is unknown", show(get("DataType").as_bytes()));
        return refuse(what, "use NIFTI_TYPE_FLOAT32, NIFTI_TYPE_INT32 or another number type");
    };
    let big_endian = match get("Endian") {
        "LittleEndian" | "GIFTI_ENDIAN_LITTLE" | "" => false,
        "BigEndian" | "GIFTI_ENDIAN_BIG" => true,
        other => return refuse(format!("Endian {} is unknown", show(other.as_bytes())), DAMAGED),
    };
    let values = match get("Encoding") {
        "ASCII" => numbers(text, kind, n)?,
        encoding @ ("Base64Binary" | "GZipBase64Binary" | "ExternalFileBinary") => {
            let Some(size) = n.checked_mul(kind.size()) else {
                return refuse(format!("{n} numbers declared"), DAMAGED);
            };
            let bytes = match encoding {
                "Base64Binary" => base64(text)?,
                "ExternalFileBinary" => {
                    beside.bytes(get("ExternalFileName"), get("ExternalFileOffset"), size)?
                }
                _ => inflate(&base64(text)?, size, budget)?,
            };
            if bytes.len() != size {
                let what = format!(
                    "{rows} rows of {components} numbers declared ({size} bytes), found {} bytes",
                    bytes.len()
                );
                return refuse(what, "Dim0 and Dim1 do not match the data: export the file again");
            }
            kind.unpack(&bytes, big_endian)
        }
        other => {
            let what = format!("Encoding {} is unknown", show(other.as_bytes()));
            return refuse(what, "use ASCII, Base64Binary, GZipBase64Binary or ExternalFileBinary");
        }
    };
    let values = match get("ArrayIndexingOrder") {
        "ColumnMajorOrder" => by_rows(values, rows, components),
        _ => values,
    };
    Ok(Decoded { rows, components, values })
}

/// Returns the number of rows (Dim0) and the number of values per row (the product of the other
/// dimensions).
fn dimensions(attributes: &Attributes) -> Outcome<(usize, usize)> {
    let number = |key: &str| {
        let text = attributes.get(key).map_or("", String::as_str);
        let found =
            || (format!("{key}: a number expected, found {}", show(text.as_bytes())), DAMAGED);
        text.parse::<usize>().map_err(|_| found())
    };
    let n = number("Dimensionality")?;
    let rows = if n == 0 { 0 } else { number("Dim0")? };
    let mut components = 1_usize;
    for k in 1..n.min(6) {
        match components.checked_mul(number(&format!("Dim{k}"))?) {
            Some(product) => components = product,
            None => return refuse("dimensions are too large", DAMAGED),
        }
    }
    let column_major =
        attributes.get("ArrayIndexingOrder").is_some_and(|o| o == "ColumnMajorOrder");
    if n > 6 || (n > 2 && column_major) {
        return refuse(
            format!("{n} dimensions are not supported in this order"),
            "export the array in row-major order",
        );
    }
    Ok((rows, components))
}

fn numbers(text: &str, kind: Scalar, n: usize) -> Outcome<Values> {
    if n > text.len() / 2 + 1 {
        return refuse(format!("{n} numbers declared in {} bytes of text", text.len()), DAMAGED);
    }
    let mut words = words(text.as_bytes());
    let values = if kind.is_float() {
        Values::Float(words_as(&mut words, n)?)
    } else {
        Values::Int(words_as(&mut words, n)?)
    };
    match words.next() {
        None => Ok(values),
        Some(word) => refuse(format!("expected {n} numbers, then found {}", show(word)), DAMAGED),
    }
}

fn words_as<'a, T: std::str::FromStr>(
    words: &mut impl Iterator<Item = &'a [u8]>,
    n: usize,
) -> Outcome<Vec<T>> {
    let mut values = Vec::with_capacity(n);
    for i in 0..n {
        let word = words.next();
        let Some(value) = word.and_then(parse) else {
            let found = word.map_or("the end of the data".to_string(), show);
            return refuse(format!("number {i} of {n} expected, found {found}"), DAMAGED);
        };
        values.push(value);
    }
    Ok(values)
}

fn base64(text: &str) -> Outcome<Vec<u8>> {
    let text = text.trim().as_bytes();
    let decoded = if text.iter().any(u8::is_ascii_whitespace) {
        BASE64.decode(words(text).collect::<Vec<_>>().concat())
    } else {
        BASE64.decode(text)
    };
    decoded.or_else(|e| refuse(format!("damaged base64 data: {e}"), DAMAGED))
}

/// Decompresses at most `size + 1` bytes, which is enough to detect data that are too long.
fn inflate(packed: &[u8], size: usize, budget: &mut Budget) -> Outcome<Vec<u8>> {
    if size > packed.len().saturating_mul(DENSEST) {
        let what = format!("{size} bytes declared in {} compressed bytes", packed.len());
        return refuse(what, "Dim0 and Dim1 do not match the data: export the file again");
    }
    budget.take(size as u64).or_else(|large| refuse(large.0, TooLarge::REMEDY))?;
    let mut bytes = Vec::new();
    let limit = size as u64 + 1;
    let outcome = if packed.starts_with(&GZIP) {
        Unpack::gzip(packed).take(limit).read_to_end(&mut bytes)
    } else {
        Unpack::zlib(packed).take(limit).read_to_end(&mut bytes)
    };
    match outcome {
        Ok(_) => Ok(bytes),
        Err(e) => refuse(format!("damaged zlib data: {e}, after {} bytes", bytes.len()), DAMAGED),
    }
}

/// Data files in the folder of a GIFTI file or below it.
pub(super) struct Beside<'a> {
    path: &'a Path,
    /// The number of bytes read from each file so far.
    taken: HashMap<String, u64>,
}

impl<'a> Beside<'a> {
    /// Creates the reader of files next to `path`.
    pub(super) fn new(path: &'a Path) -> Self {
        Beside { path, taken: HashMap::new() }
    }

    /// Returns `size` bytes of the file `name`, starting at `offset`.
    ///
    /// # Errors
    /// Returns the problem and the remedy if the file is not in the folder of the GIFTI file or
    /// below it, if it does not have these bytes, or if the arrays together read more than four
    /// times its size.
    fn bytes(&mut self, name: &str, offset: &str, size: usize) -> Outcome<Vec<u8>> {
        const REMEDY: &str =
            "put the data file beside the GIFTI file, or export with embedded data";
        let shown = show(name.as_bytes());
        let beside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if name.is_empty() || !beside {
            return refuse(
                format!("data are in {shown}, which is not a file in the same folder or below it"),
                REMEDY,
            );
        }
        let Ok(offset) = (if offset.is_empty() { Ok(0) } else { offset.parse::<u64>() }) else {
            let what =
                format!("ExternalFileOffset {} is not a byte count", show(offset.as_bytes()));
            return refuse(what, DAMAGED);
        };
        let place = self.path.parent().unwrap_or(Path::new("")).join(name);
        let length = match std::fs::metadata(&place) {
            Ok(found) if found.is_file() => found.len(),
            Ok(_) => return refuse(format!("data are in {shown}, which is not a file"), REMEDY),
            Err(e) => return refuse(format!("data are in {shown}: {e}"), REMEDY),
        };
        if offset.checked_add(size as u64).is_none_or(|end| end > length) {
            let what = format!(
                "{size} bytes declared from byte {offset} of {shown} on, which has {length}"
            );
            return refuse(what, "Dim0 and Dim1 do not match the data: export the file again");
        }
        // Arrays may share bytes, but this must not allow a small file to exhaust memory.
        let taken = self.taken.entry(name.to_string()).or_default();
        *taken = taken.saturating_add(size as u64);
        if *taken / 4 > length {
            let what =
                format!("the arrays overlap: together they read {shown} more than four times");
            return refuse(what, DAMAGED);
        }
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&place)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = vec![0; size];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().or_else(|e| refuse(format!("data are in {shown}: {e}"), REMEDY))
    }
}

/// Converts values from column-major to row-major order.
fn by_rows(values: Values, rows: usize, components: usize) -> Values {
    fn turned<T: Copy>(values: Vec<T>, rows: usize, components: usize) -> Vec<T> {
        let at = |row| (0..components).map(move |k| k * rows + row);
        (0..rows).flat_map(at).map(|i| values[i]).collect()
    }
    match values {
        Values::Float(v) => Values::Float(turned(v, rows, components)),
        Values::Int(v) => Values::Int(turned(v, rows, components)),
    }
}
