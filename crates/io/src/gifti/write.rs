//! Writer of GIFTI: surfaces, values per vertex as shape files, and labels of vertices.

use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::about::{About, Entry, SCANNER, UNKNOWN, written};
use crate::frame::{Frame, IDENTITY};
use zeroset_core::atomic;
use zeroset_core::error::Result;
use zeroset_core::mesh::Mesh;

/// The number of bytes encoded at a time. It is a multiple of 3, so that base64 pads only at the
/// end.
const PIECE: usize = 3 << 14;

/// Writes one number per vertex, `[n_vertices]`, under `name` (intent `NIFTI_INTENT_SHAPE`, 32-bit
/// floats, GZipBase64Binary). Connectome Workbench, FreeSurfer and nibabel read this form.
///
/// `metadata` becomes the metadata of the file.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub fn write_shape(path: &Path, name: &str, values: &[f32], metadata: &[Entry]) -> Result<()> {
    let array = Array {
        intent: "SHAPE",
        kind: "FLOAT32",
        rows: values.len(),
        columns: 1,
        inner: called(name),
    };
    let bytes = packed(values.iter().map(|value| value.to_le_bytes()));
    atomic::write(path, |out| {
        head(out, 1, metadata.iter(), "  <LabelTable/>\n")?;
        array.write(out, &bytes?)?;
        out.write_all(b"</GIFTI>\n")
    })
}

/// Writes one label per vertex, `[n_vertices]`, under `name` (intent `NIFTI_INTENT_LABEL`), with a
/// table of label names in distinct colors. Keys are indices in `table`. `metadata` becomes the
/// metadata of the file.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub fn write_label(
    path: &Path,
    name: &str,
    labels: &[i32],
    table: &[String],
    metadata: &[Entry],
) -> Result<()> {
    let array = Array {
        intent: "LABEL",
        kind: "INT32",
        rows: labels.len(),
        columns: 1,
        inner: called(name),
    };
    let mut rows = String::from("  <LabelTable>\n");
    for (key, name) in table.iter().enumerate() {
        let [red, green, blue] = color(key);
        let (name, alpha) = (quick_xml::escape::escape(name), u8::from(key > 0));
        rows += &format!(
            "    <Label Key=\"{key}\" Red=\"{red:.3}\" Green=\"{green:.3}\" Blue=\"{blue:.3}\" \
             Alpha=\"{alpha}\">{name}</Label>\n"
        );
    }
    rows += "  </LabelTable>\n";
    let bytes = packed(labels.iter().map(|label| label.to_le_bytes()));
    atomic::write(path, |out| {
        head(out, 1, metadata.iter(), &rows)?;
        array.write(out, &bytes?)?;
        out.write_all(b"</GIFTI>\n")
    })
}

/// Returns the color of the label with the given key. Hues advance by the golden ratio, so that
/// neighbors in a table differ clearly.
fn color(key: usize) -> [f64; 3] {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let hue = (key as f64 * GOLDEN).fract();
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
        let angle = std::f64::consts::TAU * (hue + shift);
        0.5 + 0.45 * angle.cos()
    })
}

/// Returns the `MetaData` element that states the name of an array.
fn called(name: &str) -> String {
    entries("    ", [&("Name".to_string(), name.to_string())].into_iter())
}

/// Returns a `MetaData` element with the given entries.
fn entries<'a>(indent: &str, all: impl Iterator<Item = &'a Entry>) -> String {
    let mut text = format!("{indent}<MetaData>\n");
    for (name, value) in all {
        let [name, value] = [name, value].map(|text| quick_xml::escape::escape(text.as_str()));
        text += &format!("{indent}  <MD><Name>{name}</Name><Value>{value}</Value></MD>\n");
    }
    text + indent + "</MetaData>\n"
}

/// Writes the triangles of a mesh as a surface. Coordinates are stored as 32-bit floats, as the
/// format requires, and are not transformed. The metadata of `about` are kept, except entries that
/// describe only the original file.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub fn write_surface(path: &Path, mesh: &Mesh, about: &About) -> Result<()> {
    let points = Array {
        intent: "POINTSET",
        kind: "FLOAT32",
        rows: mesh.n_vertices(),
        columns: 3,
        inner: entries("    ", about.kept_of_points()) + &space(about),
    };
    let triangles = Array {
        intent: "TRIANGLE",
        kind: "INT32",
        rows: mesh.n_cells(),
        columns: 3,
        inner: "    <MetaData/>\n".to_string(),
    };
    let coordinates = mesh.vertices.as_flattened().iter();
    let coordinates = packed(coordinates.map(|&x| (x as f32).to_le_bytes()));
    let corners = packed(mesh.cells.iter().map(|v| v.to_le_bytes()));
    atomic::write(path, |out| {
        head(out, 2, about.kept_of_file(), "  <LabelTable/>\n")?;
        points.write(out, &coordinates?)?;
        triangles.write(out, &corners?)?;
        out.write_all(b"</GIFTI>\n")
    })
}

/// Returns the element that states the space of the coordinates and its transformation.
fn space(about: &About) -> String {
    let unknown = || [UNKNOWN.to_string(), UNKNOWN.to_string(), written(&IDENTITY)];
    let of_frame = || {
        let scanner = SCANNER.to_string();
        match (about.frame.coordinates, &about.frame.to_scanner) {
            (Some(Frame::Scanner), _) => [scanner.clone(), scanner, written(&IDENTITY)],
            (_, Some(affine)) => [UNKNOWN.to_string(), scanner, written(affine)],
            (_, None) => unknown(),
        }
    };
    let [data, transformed, matrix] = about.space.clone().unwrap_or_else(of_frame);
    let [data, transformed] = [&data, &transformed].map(quick_xml::escape::escape);
    let matrix = quick_xml::escape::escape(&matrix);
    format!(
        "    <CoordinateSystemTransformMatrix>
      <DataSpace>{data}</DataSpace>
      <TransformedSpace>{transformed}</TransformedSpace>
      <MatrixData>{matrix}</MatrixData>
    </CoordinateSystemTransformMatrix>
"
    )
}

/// The description that precedes the numbers of an array.
struct Array {
    intent: &'static str,
    kind: &'static str,
    rows: usize,
    columns: usize,
    /// XML elements before the data.
    inner: String,
}

impl Array {
    fn write(&self, out: &mut dyn Write, packed: &[u8]) -> std::io::Result<()> {
        let Array { intent, kind, rows, columns, inner } = self;
        let shape = match columns {
            1 => format!("Dimensionality=\"1\" Dim0=\"{rows}\""),
            _ => format!("Dimensionality=\"2\" Dim0=\"{rows}\" Dim1=\"{columns}\""),
        };
        write!(
            out,
            r#"  <DataArray Intent="NIFTI_INTENT_{intent}" DataType="NIFTI_TYPE_{kind}"
             ArrayIndexingOrder="RowMajorOrder" {shape}
             Encoding="GZipBase64Binary" Endian="LittleEndian"
             ExternalFileName="" ExternalFileOffset="">
{inner}    <Data>"#
        )?;
        for piece in packed.chunks(PIECE) {
            out.write_all(STANDARD.encode(piece).as_bytes())?;
        }
        out.write_all(b"</Data>\n  </DataArray>\n")
    }
}

fn head<'a>(
    out: &mut dyn Write,
    n: usize,
    metadata: impl Iterator<Item = &'a Entry>,
    labels: &str,
) -> std::io::Result<()> {
    let metadata = entries("  ", metadata);
    write!(
        out,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE GIFTI SYSTEM "http://www.nitrc.org/frs/download.php/115/gifti.dtd">
<GIFTI Version="1.0" NumberOfDataArrays="{n}">
{metadata}{labels}"#
    )
}

fn packed(numbers: impl Iterator<Item = [u8; 4]>) -> std::io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for number in numbers {
        packed.write_all(&number)?;
    }
    packed.finish()
}
