//! The structure of an XML file: its arrays, and the positions of their numbers.
//!
//! Only tags are parsed. Text is kept as byte ranges. Parsing stops at `AppendedData`, whose raw
//! form is not XML. Entities defined by the document are never expanded.

use std::ops::Range;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::scalar::Scalar;
use crate::vtk::image::extent;
use crate::vtk::source::{Source, shown};
use zeroset_core::error::{Flaw, Result};

/// The content of a `VTKFile` element without the numbers.
pub(super) struct Document {
    /// Kind of data set: "UnstructuredGrid", "PolyData" or "ImageData".
    pub dataset: String,
    pub version: String,
    pub big_endian: bool,
    /// Bytes of each length before a binary array.
    pub header_width: usize,
    /// Compressor, such as "vtkZLibDataCompressor", or empty for none.
    pub compressor: String,
    /// Attributes of the data set element.
    pub attributes: Vec<(String, String)>,
    pub pieces: Vec<Piece>,
    /// The arrays of the field data of the data set.
    pub fields: Vec<ArrayTag>,
    pub appended: Option<Appended>,
}

/// The `AppendedData` section.
#[derive(Clone)]
pub(super) struct Appended {
    pub base64: bool,
    /// The byte range of the data after the underscore.
    pub range: Range<usize>,
}

/// A `Piece` element: its counts and its sections of arrays.
#[derive(Default)]
pub(super) struct Piece {
    pub at: usize,
    attributes: Vec<(String, String)>,
    pub arrays: Vec<ArrayTag>,
    /// Sections of the piece, such as "Points", with or without arrays.
    pub sections: Vec<String>,
    /// Sections and the arrays that they name as their scalars.
    active: Vec<(String, String)>,
}

/// A `DataArray` tag.
pub(super) struct ArrayTag {
    /// Section that contains it: "Points", "Cells", "Polys", "PointData", ...
    pub section: String,
    pub name: String,
    /// Number type as written.
    pub type_name: String,
    pub scalar: Option<Scalar>,
    pub components: usize,
    pub format: Format,
    /// Offset of its numbers in the appended data.
    pub offset: usize,
    /// The byte ranges of its text in the file.
    pub text: Vec<Range<usize>>,
    pub at: usize,
}

/// The storage of the numbers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Ascii,
    Binary,
    Appended,
}

impl ArrayTag {
    /// Returns the position for messages, such as "DataArray 'phi' of PointData, line 12".
    pub fn position(&self, source: &Source) -> String {
        let ArrayTag { name, section, .. } = self;
        format!("DataArray '{name}' of {section}, {}", source.line(self.at))
    }
}

/// Returns the numbers of an attribute, or `None` unless there are exactly `N`.
fn numbers<T: std::str::FromStr, const N: usize>(
    pairs: &[(String, String)],
    key: &str,
) -> Option<[T; N]> {
    let words = get(pairs, key)?.split_whitespace();
    words.map(|word| word.parse().ok()).collect::<Option<Vec<T>>>()?.try_into().ok()
}

impl Document {
    /// Returns the `N` numbers of the attribute `key` of the data set element, or `absent` if there
    /// is no such attribute.
    pub fn place<const N: usize>(
        &self,
        source: &Source,
        key: &str,
        absent: [f64; N],
    ) -> Result<[f64; N], Flaw> {
        match (get(&self.attributes, key), numbers(&self.attributes, key)) {
            (None, _) => Ok(absent),
            (_, Some(x)) if x.iter().all(|x: &f64| x.is_finite()) => Ok(x),
            (Some(found), _) => {
                let what = format!("{key} is {}, expected {N} numbers", shown(found.as_bytes()));
                Err(source.fail("ImageData", what, "the file is damaged; write it again"))
            }
        }
    }
}

impl Piece {
    /// Returns true if an array is marked as the scalars of its section.
    pub fn is_active(&self, array: &ArrayTag) -> bool {
        self.active.iter().any(|(section, name)| *section == array.section && *name == array.name)
    }

    /// Returns the first index and the number of points along each axis of a piece of an image.
    pub fn extent(&self, source: &Source) -> Result<([i64; 3], [usize; 3]), Flaw> {
        let found = numbers::<i64, 6>(&self.attributes, "Extent");
        let sizes = found.and_then(extent);
        sizes.ok_or_else(|| {
            let what = "Extent is not six increasing numbers";
            let position = format!("Piece, {}", source.line(self.at));
            source.fail(position, what, "the file is damaged; write it again")
        })
    }

    /// Returns a count such as `NumberOfPoints`. A missing count is 0 unless it is required.
    pub fn count(&self, source: &Source, name: &str, required: bool) -> Result<usize, Flaw> {
        let value = self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        match value {
            None if !required => Ok(0),
            value => value.and_then(|v| v.trim().parse().ok()).ok_or_else(|| {
                let found = value.map_or("nothing".to_owned(), |v| shown(v.as_bytes()));
                source.fail(
                    format!("Piece, {}", source.line(self.at)),
                    format!("{name} is {found}, expected a count"),
                    "the file is damaged; write it again",
                )
            }),
        }
    }

    /// Returns the arrays of a section.
    pub fn section(&self, name: &str) -> impl Iterator<Item = &ArrayTag> {
        self.arrays.iter().filter(move |array| array.section == name)
    }
}

/// The largest supported nesting depth. VTK files nest at most 6 levels deep.
const DEEPEST: usize = 32;
const DAMAGED: &str = "the file is damaged or truncated; copy or write it again";

/// Reads the tags of a file.
pub(super) fn outline(source: &Source) -> Result<Document, Flaw> {
    let mut reader = Reader::from_reader(source.bytes);
    let mut path: Vec<String> = Vec::new();
    let mut document: Option<Document> = None;
    loop {
        let at = position(reader.buffer_position());
        let event = reader.read_event().map_err(|e| broken(source, reader.error_position(), &e))?;
        let end = position(reader.buffer_position());
        match event {
            Event::Start(tag) => {
                let name = tag_name(&tag);
                if name == "AppendedData" {
                    let document = document.as_mut().ok_or_else(|| no_vtk_file(source))?;
                    document.appended =
                        Some(appended(source, &attributes(source, &tag, at)?, end)?);
                    break;
                }
                enter(source, &mut document, &path, &name, &tag, at)?;
                path.push(name);
                if path.len() > DEEPEST {
                    let what = format!("tags are nested more than {DEEPEST} levels deep");
                    return Err(source.fail(source.line(at), what, "this is not a VTK file"));
                }
            }
            Event::Empty(tag) => enter(source, &mut document, &path, &tag_name(&tag), &tag, at)?,
            Event::End(_) => {
                path.pop();
            }
            Event::Text(_) | Event::CData(_)
                if path.last().is_some_and(|tag| tag == "DataArray" || tag == "Array")
                    && [4, 5].contains(&path.len()) =>
            {
                // CDATA brackets take 9 bytes before and 3 after the text.
                let is_cdata = source.bytes[at..].starts_with(b"<![CDATA[");
                let text = if is_cdata { at + 9..end.saturating_sub(3) } else { at..end };
                let array = document.as_mut().and_then(|document| match path.len() {
                    4 => document.fields.last_mut().filter(|_| path[2] == "FieldData"),
                    _ => document.pieces.last_mut()?.arrays.last_mut(),
                });
                if let Some(array) = array {
                    array.text.push(text);
                }
            }
            Event::Eof if path.is_empty() => break,
            Event::Eof => {
                let what = format!("the file ends inside <{}>", path.join("/"));
                return Err(source.fail(source.line(end), what, DAMAGED));
            }
            _ => {}
        }
    }
    document.ok_or_else(|| no_vtk_file(source))
}

fn position(reached: u64) -> usize {
    usize::try_from(reached).unwrap_or(usize::MAX)
}

fn broken(source: &Source, at: u64, error: &quick_xml::Error) -> Flaw {
    source.fail(source.line(position(at)), format!("not well-formed XML: {error}"), DAMAGED)
}

fn no_vtk_file(source: &Source) -> Flaw {
    source.fail("", "the file has no <VTKFile> element", "choose a VTK XML file")
}

fn tag_name(tag: &BytesStart) -> String {
    tag.name().as_ref().to_owned()
}

fn attributes(source: &Source, tag: &BytesStart, at: usize) -> Result<Vec<(String, String)>, Flaw> {
    let mut pairs = Vec::new();
    // The check for repeated names takes quadratic time, which malicious files could exploit.
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|e| {
            let what = format!("attribute of <{}>: {e}", tag_name(tag));
            source.fail(source.line(at), what, DAMAGED)
        })?;
        let key = attribute.key.as_ref().to_owned();
        let value = match attribute.normalized_value(XmlVersion::Implicit1_0) {
            Ok(value) => value.into_owned(),
            Err(e) => {
                let what = format!("attribute {key} of <{}>: {e}", tag_name(tag));
                return Err(source.fail(source.line(at), what, DAMAGED));
            }
        };
        pairs.push((key, value));
    }
    Ok(pairs)
}

/// Processes a tag that opens inside `path`.
fn enter(
    source: &Source,
    document: &mut Option<Document>,
    path: &[String],
    name: &str,
    tag: &BytesStart,
    at: usize,
) -> Result<(), Flaw> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match (path.as_slice(), name, document.as_mut()) {
        ([], "VTKFile", None) => *document = Some(vtk_file(source, tag, at)?),
        (["VTKFile"], _, Some(document)) if name == document.dataset => {
            document.attributes = attributes(source, tag, at)?;
        }
        (["VTKFile", _], "Piece", Some(document)) => {
            let attributes = attributes(source, tag, at)?;
            document.pieces.push(Piece { at, attributes, ..Piece::default() });
        }
        (["VTKFile", _, "FieldData"], "DataArray" | "Array", Some(document)) => {
            // Other programs' field data, which are not used, must not make a file unreadable.
            document.fields.extend(data_array(source, "FieldData", tag, at).ok());
        }
        (["VTKFile", _, "Piece"], _, Some(document)) => {
            let attributes = attributes(source, tag, at)?;
            if let Some(piece) = document.pieces.last_mut() {
                piece.sections.push(name.to_owned());
                let active = get(&attributes, "Scalars").map(|array| (name.into(), array.into()));
                piece.active.extend(active);
            }
        }
        (["VTKFile", _, "Piece", section], "DataArray" | "Array", Some(document)) => {
            let array = data_array(source, section, tag, at)?;
            if let Some(piece) = document.pieces.last_mut() {
                piece.arrays.push(array);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Returns the value of the attribute `key`, or `None` if it is absent.
fn get<'a>(pairs: &'a [(String, String)], key: &str) -> Option<&'a str> {
    pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v.trim())
}

fn vtk_file(source: &Source, tag: &BytesStart, at: usize) -> Result<Document, Flaw> {
    let pairs = attributes(source, tag, at)?;
    let fail = |what: String, remedy: &str| {
        Err(source.fail(format!("VTKFile, {}", source.line(at)), what, remedy))
    };
    let dataset = get(&pairs, "type").unwrap_or_default().to_owned();
    match dataset.as_str() {
        "UnstructuredGrid" | "PolyData" | "ImageData" => {}
        "PUnstructuredGrid" | "PPolyData" => {
            let what = format!("{dataset} only lists other files");
            return fail(what, "read the pieces, or merge them into one .vtu or .vtp file");
        }
        "Collection" => {
            let what = "this is a list of files, such as the states of a run, not a mesh";
            return fail(
                what.into(),
                "choose one of its files; `zeroset render` draws the last one",
            );
        }
        other => {
            return fail(
                format!("type {} is not a mesh", shown(other.as_bytes())),
                "use UnstructuredGrid or PolyData; convert structured grids to a triangle \
                 or tetrahedral mesh first",
            );
        }
    }
    let big_endian = match get(&pairs, "byte_order") {
        Some("BigEndian") => true,
        None | Some("LittleEndian") => false,
        Some(other) => {
            let what = format!("byte_order is {}", shown(other.as_bytes()));
            return fail(what, "use LittleEndian or BigEndian");
        }
    };
    let header_width = match get(&pairs, "header_type") {
        None => 4,
        Some(word) => match Scalar::from_xml(word).filter(|s| !s.is_float() && *s != Scalar::Bit) {
            Some(scalar) => scalar.size(),
            None => {
                let what = format!("header_type is {}", shown(word.as_bytes()));
                return fail(what, "use UInt32, UInt64 or another integer type");
            }
        },
    };
    Ok(Document {
        dataset,
        version: get(&pairs, "version").unwrap_or_default().to_owned(),
        big_endian,
        header_width,
        compressor: get(&pairs, "compressor").unwrap_or_default().to_owned(),
        attributes: Vec::new(),
        pieces: Vec::new(),
        fields: Vec::new(),
        appended: None,
    })
}

fn data_array(
    source: &Source,
    section: &str,
    tag: &BytesStart,
    at: usize,
) -> Result<ArrayTag, Flaw> {
    let pairs = attributes(source, tag, at)?;
    let name = get(&pairs, "Name").unwrap_or_default().to_owned();
    let fail = |key: &str, value: &str, expected: &str| {
        source.fail(
            format!("DataArray '{name}' of {section}, {}", source.line(at)),
            format!("{key} is {}, expected {expected}", shown(value.as_bytes())),
            "the file is damaged; write it again",
        )
    };
    let number = |key: &str, absent: usize| match get(&pairs, key) {
        None => Ok(absent),
        Some(value) => value.parse().map_err(|_| fail(key, value, "a count")),
    };
    let format = match get(&pairs, "format").unwrap_or("ascii").to_ascii_lowercase().as_str() {
        "ascii" => Format::Ascii,
        "binary" => Format::Binary,
        "appended" => Format::Appended,
        other => return Err(fail("format", other, "ascii, binary or appended")),
    };
    let type_name = get(&pairs, "type").unwrap_or_default().to_owned();
    Ok(ArrayTag {
        section: section.to_owned(),
        scalar: Scalar::from_xml(&type_name),
        type_name,
        components: number("NumberOfComponents", 1)?,
        offset: number("offset", 0)?,
        name,
        format,
        text: Vec::new(),
        at,
    })
}

/// Finds the bytes between the underscore after `AppendedData` and the closing tag.
fn appended(
    source: &Source,
    attributes: &[(String, String)],
    from: usize,
) -> Result<Appended, Flaw> {
    let fail = |at: usize, what: String, remedy: &str| {
        Err(source.fail(format!("AppendedData, byte {at}"), what, remedy))
    };
    let base64 = match get(attributes, "encoding").unwrap_or("base64") {
        "base64" => true,
        "raw" => false,
        other => {
            let what = format!("encoding is {}", shown(other.as_bytes()));
            return fail(from, what, "use raw or base64");
        }
    };
    let rest = source.bytes.get(from..).unwrap_or_default();
    let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    if rest.get(blank) != Some(&b'_') {
        return fail(from + blank, "expected an underscore before the data".into(), DAMAGED);
    }
    let start = from + blank + 1;
    let close = b"</AppendedData";
    let data = source.bytes.get(start..).unwrap_or_default();
    match data.windows(close.len()).rposition(|window| window == close) {
        Some(length) => Ok(Appended { base64, range: start..start + length }),
        None => fail(source.bytes.len(), "the file ends inside AppendedData".into(), DAMAGED),
    }
}
