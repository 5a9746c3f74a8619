//! Readers and writers of FreeSurfer files: surfaces, binary (`lh.pial`, `lh.white`, ...) and text
//! (`.asc`), values per vertex (`lh.curv`, `lh.sulc`, `lh.thickness`, ...), labels (`lh.V1.label`)
//! and annotations (`lh.aparc.annot`). Binary numbers are big endian, and lengths are in mm.

mod annotation;
mod ascii;
mod footer;
mod label;
mod quads;

use std::path::Path;

use crate::MeshFile;
use crate::bytes::{Cursor, finite};
use crate::faces::{Faces, check_index};
use crate::text::show;
use zeroset_core::error::{Element, Error, Flaw, FlawKind, Position, Result};
use zeroset_core::mesh::{DataArray, Values};

pub(super) use annotation::read as read_annotation;
pub(super) use ascii::MAGIC as TEXT_SURFACE;
pub use label::write_label;
pub(super) use label::{MAGIC as LABEL, read as read_label};
pub(super) use quads::is_surface as is_quad_surface;

/// The first bytes of a triangle surface.
pub(super) const SURFACE: [u8; 3] = [0xff, 0xff, 0xfe];
/// The first bytes of a file with values per vertex.
pub(super) const MORPH: [u8; 3] = [0xff, 0xff, 0xff];
/// The extensions (the part after the last dot) of FreeSurfer surfaces.
pub(super) const SURFACE_NAMES: [&str; 9] =
    ["pial", "white", "inflated", "sphere", "reg", "orig", "smoothwm", "midthickness", "graymid"];
/// The extensions of FreeSurfer files with values per vertex.
pub(super) const MORPH_NAMES: [&str; 7] =
    ["curv", "sulc", "thickness", "area", "volume", "avg_curv", "jacobian_white"];

const CUT: &str = "the file is truncated: copy it again";

/// Reads a surface of triangles or quadrangles. Coordinates stay as stored. The footer, which may
/// follow the faces, determines their frame.
///
/// # Errors
/// Returns a [`Flaw`] if the file is of a different kind, if it cannot hold the declared counts, if
/// a coordinate is not finite, or if an index is out of range.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    if bytes.starts_with(ascii::MAGIC) {
        return ascii::read(bytes);
    }
    if quads::is_surface(bytes) {
        return quads::read(bytes);
    }
    match bytes.first_chunk::<3>() {
        Some(&SURFACE) => {}
        Some(&MORPH) => {
            let what = "holds numbers per vertex, not a surface";
            return Err(Flaw::whole(what, "use it as data of a surface").kind_of(FlawKind::Unfit));
        }
        Some([0xff, 0xff, 0xfb]) => {
            let what = "is a FreeSurfer surface of an unknown kind (magic bytes FF FF FB)";
            return Err(Flaw::at(Position::Byte(0), what, "convert it with mris_convert")
                .kind_of(FlawKind::Unsupported));
        }
        _ => {
            let found = show(bytes.get(..12).unwrap_or(bytes));
            let expected = "the magic bytes FF FF FE of a FreeSurfer surface";
            return Err(Flaw::expected(
                Position::Byte(0),
                expected,
                found,
                "this is not a FreeSurfer surface",
            ));
        }
    }
    let (mut cursor, n_vertices, n_faces) = counts(bytes)?;
    let mut vertices = Vec::with_capacity(n_vertices);
    for i in 0..n_vertices {
        let mut x = [0.0; 3];
        for value in &mut x {
            *value = f64::from(cursor.f32("a coordinate")?);
        }
        vertices.push(finite(i, x)?);
    }
    let mut faces = Faces::default();
    faces.triangles.reserve_exact(3 * n_faces);
    for i in 0..n_faces {
        let mut face = [0; 3];
        for corner in &mut face {
            let index = i64::from(cursor.i32("a face")?);
            *corner = check_index(index, n_vertices).map_err(|what| {
                let remedy = "the file is damaged: export it again";
                Flaw::at(Position::element(Element::Face, i), what, remedy)
            })?;
        }
        faces.push(&face);
    }
    let mut file = faces.into_file(vertices, "freesurfer", "binary triangles")?;
    file.units = Some("mm".to_string());
    file.about = Box::new(footer::about(&mut cursor));
    Ok(file)
}

/// Reads the numbers of vertices and faces, which follow the comment lines: "created by ..." and an
/// empty line. Some writers omit the empty line. Both layouts are tried, because only valid counts
/// fit the size of the file.
fn counts<'a>(bytes: &'a [u8]) -> Result<(Cursor<'a>, usize, usize), Flaw> {
    let ends = bytes.iter().enumerate().filter(|&(_, &b)| b == b'\n').map(|(i, _)| i + 1).take(2);
    let ends: Vec<usize> = ends.collect();
    let mut failure = None;
    for &at in ends.iter().rev() {
        match read_counts(bytes, at) {
            Ok(found) => return Ok(found),
            // The common layout is tried first. If both layouts fail, its error is reported.
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| {
        let what = "the file ends where the line \"created by\" was expected";
        Flaw::at(Position::byte(bytes.len()), what, CUT)
    }))
}

fn read_counts<'a>(bytes: &'a [u8], at: usize) -> Result<(Cursor<'a>, usize, usize), Flaw> {
    let mut cursor = Cursor::new(bytes, at, true);
    let n_vertices = count(&mut cursor, "vertices")?;
    let n_faces = count(&mut cursor, "faces")?;
    let n_vertices = cursor.promised(n_vertices, 12, "vertices")?;
    cursor.promised(n_vertices as u64 + n_faces, 12, "vertices and faces")?;
    Ok((cursor, n_vertices, n_faces as usize))
}

fn count(cursor: &mut Cursor, what: &str) -> Result<u64, Flaw> {
    let n = cursor.i32(&format!("the number of {what}"))?;
    u64::try_from(n).map_err(|_| cursor.fail(format!("the number of {what} is {n}"), CUT))
}

/// Reads values per vertex in the usual format (magic bytes FF FF FF), or in the old format
/// without magic bytes if its counts fit the size of the file.
///
/// # Errors
/// Returns a [`Flaw`] if the file is of a different kind, declares no values, or holds fewer than
/// declared.
pub(crate) fn read_morph(path: &Path, bytes: &[u8]) -> Result<Vec<DataArray>, Flaw> {
    if bytes.starts_with(&MORPH) {
        let mut cursor = Cursor::new(bytes, 3, true);
        let n = count(&mut cursor, "values")?;
        count(&mut cursor, "faces")?;
        let components = count(&mut cursor, "values per vertex")?;
        if components == 0 || n == 0 {
            let what = format!("{n} vertices with {components} values each");
            return Err(cursor.fail(what, "the file holds no data: create it again"));
        }
        let n = cursor.promised(n.saturating_mul(components), 4, "values")?;
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(f64::from(cursor.f32("a value")?));
        }
        return Ok(vec![array(path, components as usize, values)]);
    }
    match (bytes.split_first_chunk::<6>(), old_count(bytes)) {
        (Some((_, values)), Some(_)) => {
            // The old format stores hundredths as 16-bit integers.
            let values = values.chunks_exact(2).map(|b| i16::from_be_bytes([b[0], b[1]]));
            Ok(vec![array(path, 1, values.map(|v| f64::from(v) / 100.0).collect())])
        }
        _ => {
            let found = show(bytes.get(..12).unwrap_or(bytes));
            let expected = "the magic bytes FF FF FF of FreeSurfer data";
            Err(Flaw::expected(
                Position::Byte(0),
                expected,
                found,
                "this is not a FreeSurfer data file",
            ))
        }
    }
}

/// Returns the number of values in a data file of the old format, or `None` if it is 0 or does not
/// fit the size of the file. Such a file holds the numbers of vertices and faces with three bytes
/// each, then the values.
pub(super) fn old_count(bytes: &[u8]) -> Option<usize> {
    let &[a, b, c, _, _, _] = bytes.first_chunk::<6>()?;
    let n = u32::from_be_bytes([0, a, b, c]) as usize;
    (n > 0 && bytes.len() == 6 + 2 * n).then_some(n)
}

fn array(path: &Path, components: usize, values: Vec<f64>) -> DataArray {
    DataArray { name: name(path), components, values: Values::Float(values) }
}

/// Returns the file name without the hemisphere prefix and without `.gz`, `.mgh` or `.mgz`.
pub(super) fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let without = |name, ending| str::strip_suffix(name, ending).unwrap_or(name);
    without_hemisphere([".gz", ".mgh", ".mgz"].into_iter().fold(&name, without)).to_string()
}

/// Returns "curv" for "lh.curv", so that the arrays of both hemispheres have the same name.
pub(super) fn without_hemisphere(name: &str) -> &str {
    name.strip_prefix("lh.").or(name.strip_prefix("rh.")).unwrap_or(name)
}

/// Writes one number per vertex, `[n_vertices]`, in FreeSurfer's usual format, which FreeSurfer and
/// nibabel read. `n_faces` is the number of triangles in the surface.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be written, or if there are 2^31 or more values or
/// faces.
pub fn write_morph(path: &Path, values: &[f32], n_faces: usize) -> Result<()> {
    let limit = |n: usize| {
        let what = format!("{n} values or faces, but the format holds at most {}", i32::MAX);
        i32::try_from(n).map_err(|_| Error::output(path, what, "write GIFTI instead"))
    };
    let (n_values, n_faces) = (limit(values.len())?, limit(n_faces)?);
    zeroset_core::atomic::write(path, |out| {
        out.write_all(&MORPH)?;
        for n in [n_values, n_faces, 1] {
            out.write_all(&n.to_be_bytes())?;
        }
        values.iter().try_for_each(|value| out.write_all(&value.to_be_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(head: &str, n_vertices: i32, n_faces: i32, face: [i32; 3]) -> Vec<u8> {
        let mut bytes = [&SURFACE, head.as_bytes()].concat();
        bytes.extend([n_vertices, n_faces].map(i32::to_be_bytes).concat());
        let coordinates: [f32; 9] = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        bytes.extend(coordinates.map(f32::to_be_bytes).concat());
        bytes.extend(face.map(i32::to_be_bytes).concat());
        bytes.extend(b"a footer");
        bytes
    }

    #[test]
    fn one_or_two_lines_of_remarks() {
        for head in ["created by a\n\n", "created by a\n", "\n\n", "a\nb\n"] {
            let file = read(&surface(head, 3, 1, [0, 1, 2])).unwrap();
            assert_eq!(file.mesh.cells, [0, 1, 2], "{head:?}");
            assert_eq!(file.mesh.vertices[0], [0.0, 0.0, 1.0], "{head:?}");
        }
        for (n_vertices, n_faces, face, found) in [
            (4, 1, [0, 1, 2], "5 vertices and faces of 12 bytes declared (60 bytes), found 56"),
            (-3, 1, [0, 1, 2], "number of vertices is -3"),
            (3, 1, [0, 1, 3], "face 0: refers to vertex 3 of 3"),
            (3, 1, [0, -1, 2], "face 0: refers to vertex -1 of 3"),
        ] {
            let bytes = surface("created by a\n\n", n_vertices, n_faces, face);
            let error = read(&bytes).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn old_data_are_hundredths() {
        let bytes = [0, 0, 2, 0, 0, 1, 0, 150, 255, 156];
        let arrays = read_morph(Path::new("rh.curv"), &bytes).unwrap();
        assert_eq!((arrays[0].name.as_str(), arrays[0].rows()), ("curv", 2));
        assert_eq!(arrays[0].values, Values::Float(vec![1.5, -1.0]));
        assert!(read_morph(Path::new("rh.curv"), &bytes[..9]).is_err());
    }
}
