//! Parsing of GIFTI documents: data arrays with their attributes, and the label table.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::decode::{self, Beside};
use crate::about::Entry;
use crate::budget::Budget;
use crate::frame::{Affine, determinant};
use crate::text::one_line;
use zeroset_core::error::{Flaw, Position, Result};
use zeroset_core::mesh::Values;

/// The content of a document.
#[derive(Default)]
pub(super) struct Document {
    pub(super) version: String,
    /// Encoding of the first array, as named in the document.
    pub(super) encoding: String,
    pub(super) arrays: Vec<Array>,
    /// Keys and names of the label table.
    pub(super) labels: Vec<(i64, String)>,
    /// Metadata of the whole document.
    pub(super) metadata: Vec<Entry>,
}

/// A coordinate system and a system into which it can be transformed.
#[derive(Default)]
pub(super) struct Space {
    /// The space of the coordinates as stored, such as "NIFTI_XFORM_TALAIRACH".
    pub(super) data: String,
    /// The space to which `matrix` transforms.
    pub(super) transformed: String,
    /// The numbers of the 4 x 4 matrix, as text.
    pub(super) matrix: String,
}

impl Space {
    /// Returns the matrix if it is an invertible affine map.
    pub(super) fn affine(&self) -> Option<Affine> {
        let words = self.matrix.split_whitespace().take(17);
        let numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        let rows = <[f64; 16]>::try_from(numbers).ok()?;
        let row = |k: usize| [0, 1, 2, 3].map(|i| rows[4 * k + i]);
        let affine = [row(0), row(1), row(2)];
        let size = determinant(&affine).abs();
        let is_finite = affine.as_flattened().iter().all(|x| x.is_finite());
        (is_finite && row(3) == [0.0, 0.0, 0.0, 1.0] && size > 1e-9).then_some(affine)
    }

    /// Returns true if the matrix is the identity or missing.
    pub(super) fn is_same(&self) -> bool {
        let numbers = self.matrix.split_whitespace().map(|word| word.parse::<f64>());
        numbers.enumerate().all(|(k, x)| x == Ok(if k % 5 == 0 { 1.0 } else { 0.0 }))
    }
}

/// A `DataArray` element.
pub(super) struct Array {
    /// The intent, such as "NIFTI_INTENT_POINTSET".
    pub(super) intent: String,
    /// The "Name" of the metadata, which may be empty.
    pub(super) name: String,
    /// All metadata of the array, including the name.
    pub(super) metadata: Vec<Entry>,
    /// Coordinate systems. Only arrays of coordinates have them.
    pub(super) spaces: Vec<Space>,
    pub(super) rows: usize,
    pub(super) components: usize,
    /// Numbers of shape `[rows * components]`, row by row.
    pub(super) values: Values,
}

/// The attributes of an XML element.
pub(super) type Attributes = HashMap<String, String>;

/// The state of an array while its elements are parsed.
struct Open {
    attributes: Attributes,
    name: String,
    metadata: Vec<Entry>,
    spaces: Vec<Space>,
    decoded: Option<decode::Decoded>,
}

/// Reads a whole document, including the numbers of its arrays.
pub(super) fn read(path: &Path, bytes: &[u8], budget: Budget) -> Result<Document, Flaw> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut document = Document::default();
    // The key of the label being read.
    let mut label: Option<i64> = None;
    let mut open: Option<Open> = None;
    // The text of the current element, if that text is needed.
    let mut content: Option<Cow<str>> = None;
    let (mut beside, mut budget) = (Beside::new(path), budget);
    let (mut key, mut value) = (String::new(), String::new());
    let mut whole = false;
    loop {
        let position = reader.buffer_position();
        let fail = |what: String, remedy: &str| Flaw::at(Position::Byte(position), what, remedy);
        let damaged = |what: String| fail(what, "the file is damaged: export it again");
        let event = reader.read_event();
        let event = event.map_err(|e| damaged(format!("damaged XML: {}", one_line(&e))))?;
        match event {
            Event::Start(element) => match element.name().as_ref() {
                "GIFTI" => {
                    let mut attributes = attributes(&element).map_err(damaged)?;
                    document.version = attributes.remove("Version").unwrap_or_default();
                }
                "DataArray" => {
                    let attributes = attributes(&element).map_err(damaged)?;
                    if document.encoding.is_empty() {
                        let encoding = attributes.get("Encoding").cloned();
                        document.encoding = encoding.unwrap_or_default();
                    }
                    let (name, metadata, spaces) = Default::default();
                    open = Some(Open { attributes, name, metadata, spaces, decoded: None });
                }
                "CoordinateSystemTransformMatrix" => {
                    if let Some(array) = &mut open {
                        array.spaces.push(Space::default());
                    }
                }
                "Label" => {
                    let attributes = attributes(&element).map_err(damaged)?;
                    // Older files call the key an index.
                    let key = attributes.get("Key").or(attributes.get("Index"));
                    label = key.and_then(|key| key.parse().ok());
                    content = Some(Cow::Borrowed(""));
                }
                "Data" | "Name" | "Value" | "DataSpace" | "TransformedSpace" | "MatrixData" => {
                    content = Some(Cow::Borrowed(""));
                }
                _ => {}
            },
            Event::Empty(element) if element.name().as_ref() == "Data" => {
                finish_data(&mut beside, &mut budget, &mut open, "")?;
            }
            Event::Text(text) => append(&mut content, text.into_inner()),
            Event::CData(text) => append(&mut content, text.into_inner()),
            Event::GeneralRef(reference) => append(&mut content, resolve(&reference)),
            Event::End(element) => {
                let text = content.take().unwrap_or_default();
                match element.name().as_ref() {
                    "Data" => finish_data(&mut beside, &mut budget, &mut open, &text)?,
                    "Label" => {
                        if let Some(key) = label.take() {
                            document.labels.push((key, text.trim().to_string()));
                        }
                    }
                    name @ ("DataSpace" | "TransformedSpace" | "MatrixData") => {
                        let space = open.as_mut().and_then(|array| array.spaces.last_mut());
                        if let Some(space) = space {
                            let slot = match name {
                                "DataSpace" => &mut space.data,
                                "TransformedSpace" => &mut space.transformed,
                                _ => &mut space.matrix,
                            };
                            *slot = text.trim().to_string();
                        }
                    }
                    "Name" => key = text.trim().to_string(),
                    "Value" => value = text.trim().to_string(),
                    "MD" => {
                        let entry = (std::mem::take(&mut key), std::mem::take(&mut value));
                        match &mut open {
                            Some(array) => {
                                if entry.0 == "Name" {
                                    array.name.clone_from(&entry.1);
                                }
                                array.metadata.push(entry);
                            }
                            None => document.metadata.push(entry),
                        }
                    }
                    "DataArray" => {
                        if let Some(array) = open.take() {
                            document.arrays.push(close(array).map_err(damaged)?);
                        }
                    }
                    "GIFTI" => whole = true,
                    _ => {}
                }
            }
            Event::Eof if whole => return Ok(document),
            Event::Eof => {
                let what = "the XML ends where </GIFTI> was expected".to_string();
                return Err(fail(what, "the file is truncated: copy it again"));
            }
            _ => {}
        }
    }
}

/// Returns the character of a reference such as `&lt;` or `&#65;`, or an empty string if it is
/// unknown.
fn resolve(reference: &BytesRef) -> Cow<'static, str> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Cow::Owned(character.to_string());
    }
    Cow::Borrowed(quick_xml::escape::resolve_predefined_entity(reference).unwrap_or_default())
}

/// Appends to the text of the current element. Text that comes in one piece is not copied.
fn append<'a>(content: &mut Option<Cow<'a, str>>, text: Cow<'a, str>) {
    match content {
        Some(content) if content.is_empty() => *content = text,
        Some(content) => content.to_mut().push_str(&text),
        None => {}
    }
}

fn attributes(element: &BytesStart) -> Result<Attributes, String> {
    let mut attributes = Attributes::new();
    // The check for repeated names takes quadratic time, which malicious files could exploit.
    for attribute in element.attributes().with_checks(false) {
        let attribute =
            attribute.map_err(|e| format!("damaged XML attribute: {}", one_line(&e)))?;
        let key: &str = attribute.key.as_ref();
        attributes.insert(key.to_string(), attribute.value.trim().to_string());
    }
    Ok(attributes)
}

fn finish_data(
    beside: &mut Beside,
    budget: &mut Budget,
    open: &mut Option<Open>,
    text: &str,
) -> Result<(), Flaw> {
    let Some(array) = open else { return Ok(()) };
    let decoded = decode::decode(beside, budget, &array.attributes, text);
    let decoded = decoded.map_err(|(what, remedy)| {
        let intent = array.attributes.get("Intent").map_or("DataArray", String::as_str);
        Flaw::at(intent, what, remedy)
    })?;
    array.decoded = Some(decoded);
    Ok(())
}

fn close(array: Open) -> Result<Array, String> {
    let intent = array.attributes.get("Intent").cloned().unwrap_or_default();
    match array.decoded {
        Some(decode::Decoded { rows, components, values }) => {
            let Open { name, metadata, spaces, .. } = array;
            Ok(Array { intent, name, metadata, spaces, rows, components, values })
        }
        None => Err(format!("array {intent} has no element Data")),
    }
}
