//! Reader of NumPy arrays, `.npy` 1.0 to 3.0. An array is indexed `[x][y][z]`, regardless of its
//! order in memory. A fourth axis holds channels.
//!
//! Source: NumPy, `lib/format.py`.

use super::super::scalar::Scalar;
use super::super::text::show;
use super::{
    Counts, DAMAGED, Found, ONE_NUMBER, ONE_VOLUME, VolumeFile, VolumeOptions, refuse, stored,
    unsupported,
};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Values};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The content of the dictionary in the header.
#[derive(Debug, PartialEq)]
struct Head {
    /// Type as written, such as "<f8".
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

/// A value of the dictionary.
#[derive(Debug, PartialEq)]
enum Item {
    Text(String),
    Truth(bool),
    Tuple(Vec<usize>),
    /// A list: the fields of a record.
    List,
}

/// A tokenizer for dictionaries in Python's notation.
struct Tokens<'a>(&'a str);

impl Tokens<'_> {
    /// Consumes `sign` if it comes next, and returns whether it did.
    fn passes(&mut self, sign: char) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(sign) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// Reads text in single or double quotes. Returns `None` if no complete quoted text follows.
    fn text(&mut self) -> Option<String> {
        let quote = ['\'', '"'].into_iter().find(|&quote| self.passes(quote))?;
        let (text, rest) = self.0.split_once(quote)?;
        self.0 = rest;
        Some(text.to_string())
    }

    fn word(&mut self) -> &str {
        self.0 = self.0.trim_start();
        let end = self.0.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    fn item(&mut self) -> Option<Item> {
        self.0 = self.0.trim_start();
        if self.0.starts_with(['\'', '"']) {
            return self.text().map(Item::Text);
        }
        if self.passes('[') {
            return Some(Item::List);
        }
        if !self.passes('(') {
            return match self.word() {
                "True" => Some(Item::Truth(true)),
                "False" => Some(Item::Truth(false)),
                _ => None,
            };
        }
        let mut sizes = Vec::new();
        while !self.passes(')') {
            // Python 2 wrote long numbers with an L.
            sizes.push(self.word().trim_end_matches('L').parse().ok()?);
            if !self.passes(',') && !self.0.trim_start().starts_with(')') {
                return None;
            }
        }
        Some(Item::Tuple(sizes))
    }
}

impl Head {
    /// Parses the dictionary. Errors describe the problem.
    fn parse(text: &str) -> Result<Self, &'static str> {
        const WRONG: &str = "the header is not a dictionary with a shape of whole numbers";
        let mut tokens = Tokens(text);
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        if !tokens.passes('{') {
            return Err(WRONG);
        }
        while !tokens.passes('}') {
            let key = tokens.text().filter(|_| tokens.passes(':')).ok_or(WRONG)?;
            match (key.as_str(), tokens.item().ok_or(WRONG)?) {
                ("descr", Item::Text(text)) => descr = Some(text),
                ("descr", Item::List) => return Err("an array of records"),
                ("fortran_order", Item::Truth(truth)) => fortran = Some(truth),
                ("shape", Item::Tuple(sizes)) => shape = Some(sizes),
                _ => return Err(WRONG),
            }
            if !tokens.passes(',') && !tokens.0.trim_start().starts_with('}') {
                return Err(WRONG);
            }
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Head { descr, fortran, shape }),
            _ => Err("the header lacks descr, fortran_order or shape"),
        }
    }

    /// Returns the number type, and whether it is big endian.
    fn scalar(&self) -> Result<(Scalar, bool), Flaw> {
        let (order, kind) = match self.descr.split_at_checked(1) {
            Some((order @ ("<" | ">" | "|" | "="), kind)) => (order, kind),
            _ => ("|", self.descr.as_str()),
        };
        let scalar = match kind {
            "b1" | "u1" => Scalar::U8,
            "i1" => Scalar::I8,
            "u2" => Scalar::U16,
            "i2" => Scalar::I16,
            "u4" => Scalar::U32,
            "i4" => Scalar::I32,
            "u8" => Scalar::U64,
            "i8" => Scalar::I64,
            "f4" => Scalar::F32,
            "f8" => Scalar::F64,
            _ => {
                let what =
                    format!("numbers of type {} are not supported", show(self.descr.as_bytes()));
                return unsupported(what, "convert them first: array.astype(\"float32\")");
            }
        };
        Ok((scalar, order == ">"))
    }

    /// Returns the sizes along the first three axes, and along the fourth.
    fn shape(&self) -> Result<([usize; 3], usize), Flaw> {
        let shape = self.shape.as_slice();
        if shape.contains(&0) || shape.is_empty() {
            return refuse(format!("shape {shape:?}: there is no voxel"), "save another array");
        }
        if shape.iter().skip(4).any(|&size| size > 1) {
            let what = format!("an array of shape {shape:?}, expected at most 4 dimensions");
            return refuse(what, ONE_VOLUME);
        }
        let size = |k: usize| shape.get(k).copied().unwrap_or(1);
        Ok((std::array::from_fn(size), size(3)))
    }
}

/// An array whose header has been read.
struct Array<'a> {
    head: Head,
    scalar: Scalar,
    big_endian: bool,
    version: String,
    /// The bytes of the numbers.
    data: &'a [u8],
    warnings: Vec<String>,
}

/// Reads the header of an array and checks that the file holds all numbers.
fn open(bytes: &[u8]) -> Result<Array<'_>, Flaw> {
    const CUT: &str = "the file is truncated or damaged: save the array again";
    let length = |at: usize, width: usize| {
        let raw = bytes.get(at..at + width)?;
        Some(raw.iter().rev().fold(0_usize, |n, &b| n << 8 | usize::from(b)))
    };
    let (Some(&[major, minor]), true) = (bytes.get(6..8), bytes.starts_with(MAGIC)) else {
        return refuse("there is no .npy header", CUT);
    };
    let (width, start) = if major == 1 { (2, 10) } else { (4, 12) };
    if !(1..=3).contains(&major) {
        return refuse(format!("version {major}.{minor}, expected 1.0 to 3.0"), CUT);
    }
    let end = length(8, width).and_then(|n| n.checked_add(start));
    let head = end.and_then(|end| bytes.get(start..end));
    let (Some(end), Some(head)) = (end, head) else {
        return refuse("the file ends within its header", CUT);
    };
    let head = match Head::parse(&String::from_utf8_lossy(head)) {
        Ok(head) => head,
        Err("an array of records") => return unsupported("an array of records", ONE_NUMBER),
        Err(what) => return refuse(what, DAMAGED),
    };
    let (shape, channels) = head.shape()?;
    let (scalar, big_endian) = head.scalar()?;
    let data = &bytes[end..];
    let all = [shape[0], shape[1], shape[2].saturating_mul(channels)];
    let size = stored::promised("header", all, scalar, data.len())?;
    let mut warnings = Vec::new();
    if data.len() > size {
        let more = data.len() - size;
        warnings.push(format!("{more} bytes after the last number are ignored"));
    }
    let version = format!(
        "{major}.{minor} {}{}",
        if head.fortran { "Fortran order" } else { "C order" },
        if big_endian { " big-endian" } else { "" }
    );
    Ok(Array { head, scalar, big_endian, version, data: &data[..size], warnings })
}

/// Reads an array as a volume.
pub(super) fn read(bytes: &[u8], options: &VolumeOptions) -> Result<VolumeFile, Flaw> {
    let array = open(bytes)?;
    let (shape, channels) = array.head.shape()?;
    let chosen = options.choose(Counts { channels, ..Counts::ONE }, &[])?;
    let samples = stored::samples(array.scalar, array.data, array.big_endian);
    // Channels are the last axis: next to each other in C order, and far apart in Fortran order.
    let inner = if array.head.fortran { shape.iter().product() } else { 1 };
    let samples = samples.picked(inner, channels, chosen.channel);
    // With at most one axis longer than 1, both orders are the same.
    let flat = shape.iter().filter(|&&size| size > 1).count() < 2;
    let samples = if array.head.fortran || flat { samples } else { samples.transposed(shape) };
    Ok(VolumeFile {
        volume: Found::new(shape, samples).volume()?,
        format: "npy",
        version: array.version,
        space: None,
        stated_spacing: [false; 3],
        warnings: array.warnings,
        state: Default::default(),
    })
}

/// Reads an array of shape `(n,)` or `(n, k)` as `n` rows of `k` numbers for the vertices or cells
/// of a mesh, with the given name. Axes of length 1 are ignored. Returns the rows and warnings.
pub(crate) fn read_rows(bytes: &[u8], name: &str) -> Result<(DataArray, Vec<String>), Flaw> {
    let array = open(bytes)?;
    let ([x, y, z], channels) = array.head.shape()?;
    let mut axes = [x, y, z, channels].into_iter().filter(|&size| size > 1);
    let (n, components, more) = (axes.next().unwrap_or(1), axes.next().unwrap_or(1), axes.next());
    if more.is_some() {
        let what = format!(
            "an array of shape {:?}, expected (n,) or (n, k) for n vertices",
            array.head.shape
        );
        return refuse(what, "save one number or one row of numbers for each vertex");
    }
    let mut values = array.scalar.unpack(array.data, array.big_endian);
    if array.head.fortran && components > 1 {
        values = match values {
            Values::Float(columns) => Values::Float(rows_of(&columns, n)),
            Values::Int(columns) => Values::Int(rows_of(&columns, n)),
        };
    }
    Ok((DataArray { name: name.into(), components, values }, array.warnings))
}

/// Returns the rows of a matrix with `n` rows that is stored column by column.
pub(super) fn rows_of<T: Copy>(columns: &[T], n: usize) -> Vec<T> {
    let row = |i: usize| columns[i..].iter().step_by(n).copied();
    (0..n).flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_all_writers() {
        let head = |descr: &str, fortran, shape: &[usize]| {
            Ok(Head { descr: descr.into(), fortran, shape: shape.to_vec() })
        };
        for (text, expected) in [
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 5), }  \n", {
                head("<f8", false, &[3, 4, 5])
            }),
            ("{\"shape\":(7,),\"descr\":\"|u1\",\"fortran_order\":True}", head("|u1", true, &[7])),
            ("{'descr': '>i2', 'fortran_order': False, 'shape': (3L, 4L)}", {
                head(">i2", false, &[3, 4])
            }),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", head("<f4", false, &[])),
            ("{'descr': [('a', '<f4')], 'shape': (1,)}", Err("an array of records")),
            ("{'descr': '<f4'}", Err("the header lacks descr, fortran_order or shape")),
            (
                "{'descr': '<f4', 'shape': (1 2)}",
                Err("the header is not a dictionary with a shape of whole numbers"),
            ),
            (
                "{'shape': (-1,)}",
                Err("the header is not a dictionary with a shape of whole numbers"),
            ),
            ("{'shape'", Err("the header is not a dictionary with a shape of whole numbers")),
            ("{", Err("the header is not a dictionary with a shape of whole numbers")),
            ("", Err("the header is not a dictionary with a shape of whole numbers")),
        ] {
            assert_eq!(Head::parse(text), expected, "{text}");
        }
    }
}
