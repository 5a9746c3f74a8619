//! Reader of the text header of a PLY file: the elements, their counts and their properties.

use crate::scalar::Scalar;
use crate::text::{Lines, Row, show};
use zeroset_core::error::{Flaw, Result};

/// The content of the header.
pub(crate) struct Header {
    /// The encoding of the body.
    pub(crate) encoding: Encoding,
    /// Version and encoding as stated, such as "1.0 ascii".
    pub(crate) version: String,
    /// The elements in the order of the body.
    pub(crate) elements: Vec<Element>,
}

/// The encoding of the body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// A kind of record, such as "vertex" or "face".
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) count: u64,
    pub(crate) properties: Vec<Property>,
}

/// A property of an element: one column of its records.
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) item: Scalar,
    /// Type of the length before a list; `None` for a single value.
    pub(crate) length: Option<Scalar>,
}

impl Encoding {
    /// Returns the encoding with the other byte order, or `None` for text.
    pub(crate) fn swapped(self) -> Option<Self> {
        match self {
            Encoding::Ascii => None,
            Encoding::LittleEndian => Some(Encoding::BigEndian),
            Encoding::BigEndian => Some(Encoding::LittleEndian),
        }
    }

    /// Returns the keyword of the encoding in the header.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Ascii => "ascii",
            Encoding::LittleEndian => "binary_little_endian",
            Encoding::BigEndian => "binary_big_endian",
        }
    }
}

impl Element {
    /// Returns the index of the first column with one of the given names. The column must be a list
    /// if `list` is true, else a single value.
    pub(crate) fn find(&self, names: &[&str], list: bool) -> Option<usize> {
        let of = |p: &Property| p.length.is_some() == list;
        let exact = |p: &Property| of(p) && names.contains(&p.name.as_str());
        // Some programs write the names in upper case.
        let alike = |p: &Property| of(p) && names.iter().any(|n| p.name.eq_ignore_ascii_case(n));
        let found = self.properties.iter().position(exact);
        found.or_else(|| self.properties.iter().position(alike))
    }

    /// Returns true if a record holds a list.
    pub(crate) fn has_lists(&self) -> bool {
        self.properties.iter().any(|p| p.length.is_some())
    }

    /// Returns the size in bytes of the shortest possible record of a binary body.
    pub(crate) fn least_size(&self) -> usize {
        self.properties.iter().map(|p| p.length.unwrap_or(p.item).size()).sum()
    }
}

/// Reads the header up to and including `end_header`.
pub(crate) fn read(lines: &mut Lines) -> Result<Header, Flaw> {
    let first = lines.next_line().unwrap_or_default();
    if first.trim_ascii() != b"ply" {
        return Err(lines.expected("\"ply\"", show(first.trim_ascii()), "this is not a PLY file"));
    }
    let mut format = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let mut row = lines.row(format_args!("\"end_header\""))?;
        match row.next_word().unwrap_or_default() {
            b"comment" | b"obj_info" => {}
            b"format" => format = Some(read_format(&mut row)?),
            b"element" => {
                let name = name(&mut row, "element name")?;
                let count = row.number(&format!("number of {name} elements"))?;
                elements.push(Element { name, count, properties: Vec::new() });
            }
            b"property" => {
                let property = read_property(&mut row)?;
                let Some(element) = elements.last_mut() else {
                    return Err(row.fail("property before any element", "export the file again"));
                };
                element.properties.push(property);
            }
            b"end_header" => break,
            other => {
                return Err(row.expected(
                    "header keyword",
                    show(other),
                    "the header is damaged: export the file again",
                ));
            }
        }
    }
    match format {
        Some((encoding, version)) => Ok(Header { encoding, version, elements }),
        None => Err(Flaw::whole("the header has no \"format\" line", "export it again")),
    }
}

fn read_format(row: &mut Row) -> Result<(Encoding, String), Flaw> {
    let word = row.next_word().unwrap_or_default();
    let encoding = match word {
        b"ascii" => Encoding::Ascii,
        b"binary_little_endian" => Encoding::LittleEndian,
        b"binary_big_endian" => Encoding::BigEndian,
        _ => {
            let what = format!("format {} is unknown", show(word));
            let remedy = "use ascii, binary_little_endian or binary_big_endian";
            return Err(row.fail(what, remedy));
        }
    };
    let version = row.next_word().unwrap_or(b"1.0");
    let version = format!("{} {}", String::from_utf8_lossy(version), String::from_utf8_lossy(word));
    Ok((encoding, version))
}

fn read_property(row: &mut Row) -> Result<Property, Flaw> {
    let list = row.rest().trim_ascii_start().starts_with(b"list ");
    if list {
        row.next_word();
    }
    let length = if list { Some(scalar(row)?) } else { None };
    let item = scalar(row)?;
    Ok(Property { name: name(row, "property name")?, item, length })
}

fn scalar(row: &mut Row) -> Result<Scalar, Flaw> {
    let word = row.next_word().unwrap_or_default();
    Scalar::from_ply(word).ok_or_else(|| {
        row.expected(
            "number type",
            show(word),
            "use char, uchar, short, ushort, int, uint, float or double",
        )
    })
}

fn name(row: &mut Row, what: &str) -> Result<String, Flaw> {
    match row.next_word() {
        Some(word) => Ok(String::from_utf8_lossy(word).into_owned()),
        None => Err(row.fail(format!("{what} expected"), "export the file again")),
    }
}
