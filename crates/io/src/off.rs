//! OFF, the object file format of Geomview, in text form: reader and writer. Colors and normals are
//! read for point clouds only.

use std::path::Path;

use super::faces::{Faces, check_index, index_limit};
use super::text::{Lines, Row, parse, show};
use super::{MeshFile, atomic};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::mesh::{DataArray, Mesh, Values};

/// Reads an OFF file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if the header is not valid, if there are fewer rows than
/// declared, if a coordinate is not finite, or if an index is out of range.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read_with(bytes, None)
}

/// Reads an OFF file like [`read`], but keeps vertices whose coordinates are not finite, and
/// returns the normals and colors of vertices as the arrays `nx`, ..., `red`, ...
///
/// # Errors
/// Returns the errors of [`read`], except that coordinates may be infinite or NaN.
pub(super) fn read_points(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read_with(bytes, Some(Vec::new()))
}

/// Reads an OFF file. If `columns` is given, it receives up to six numbers per vertex that follow
/// the coordinates, padded with zeros, and coordinates may be infinite or NaN.
fn read_with(bytes: &[u8], mut columns: Option<Vec<[f64; 6]>>) -> Result<MeshFile, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let mut row = lines.row(format_args!("\"OFF\""))?;
    let prefix = header(&row)?;
    let counts = |row: &mut Row| -> Result<(u64, u64), Flaw> {
        Ok((row.number("number of vertices")?, row.number("number of faces")?))
    };
    if let Some(prefix) = &prefix {
        // The counts may follow the keyword on the same line, even without a blank.
        row.skip(prefix.len() + 3);
        if row.rest().trim_ascii().is_empty() {
            row = lines.row(format_args!("numbers of vertices and faces"))?;
        }
    }
    let (n_vertices, n_faces) = counts(&mut row)?;
    index_limit(n_vertices, "vertices")?;
    let n_vertices = lines.promised(n_vertices, 3, "vertices")?;
    let mut vertices = Vec::with_capacity(n_vertices);
    for i in 0..n_vertices {
        let mut row = lines.row(format_args!("vertex {i} of {n_vertices}"))?;
        let Some(columns) = &mut columns else {
            vertices.push([row.coordinate("x")?, row.coordinate("y")?, row.coordinate("z")?]);
            continue;
        };
        vertices.push([row.number("x")?, row.number("y")?, row.number("z")?]);
        let mut others = [0.0; 6];
        for other in &mut others {
            *other = row.next_word().and_then(parse).unwrap_or(0.0);
        }
        columns.push(others);
    }
    let n_faces = lines.promised(n_faces, 1, "faces")?;
    let (mut faces, mut face) = (Faces::default(), Vec::new());
    for i in 0..n_faces {
        let mut row = lines.row(format_args!("face {i} of {n_faces}"))?;
        read_face(&mut row, i, n_vertices, &mut face)?;
        faces.push(&face);
    }
    let prefix = prefix.unwrap_or_default();
    let mut file = faces.into_file(vertices, "off", format!("{prefix}OFF ascii"))?;
    if let Some(columns) = columns {
        file.mesh.vertex_data = arrays(&prefix, &columns);
    } else if !prefix.is_empty() {
        let what = "colors, normals and texture coordinates of vertices are ignored";
        file.warnings.push(what.to_string());
    }
    if lines.next_row().is_some() {
        let where_ = lines.position();
        file.warnings.push(format!("the text after the last face, from {where_} on, is ignored"));
    }
    Ok(file)
}

/// Converts the columns of vertices to arrays. Normals come before colors.
fn arrays(prefix: &str, columns: &[[f64; 6]]) -> Vec<DataArray> {
    let normals = prefix.contains('N');
    let array = |name: &str, k: usize| {
        let values = Values::Float(columns.iter().map(|row| row[k]).collect());
        DataArray { name: name.to_string(), components: 1, values }
    };
    let mut found = Vec::new();
    if normals {
        found.extend(["nx", "ny", "nz"].into_iter().enumerate().map(|(k, name)| array(name, k)));
    }
    if prefix.contains('C') {
        let first = if normals { 3 } else { 0 };
        let names = ["red", "green", "blue"].into_iter().enumerate();
        found.extend(names.map(|(k, name)| array(name, first + k)));
    }
    found
}

/// Returns the letters before "OFF" in the first word: "", "C", "N", "ST" or several of these.
/// Returns `None` if the file begins with the counts, as written by some programs.
fn header(row: &Row) -> Result<Option<String>, Flaw> {
    let text = row.rest().trim_ascii_start();
    if let Some(prefix) = keyword(text) {
        let behind = text.get(prefix.len() + 3..).unwrap_or_default().trim_ascii_start();
        if behind.starts_with(b"BINARY") {
            return Err(row
                .fail("binary OFF is not supported", "save the mesh as text OFF or PLY")
                .kind_of(FlawKind::Unsupported));
        }
        if prefix.contains(['4', 'n']) {
            let what = format!("{prefix}OFF holds points whose dimension is not 3");
            return Err(row.fail(what, "save the mesh as OFF or PLY"));
        }
        return Ok(Some(prefix));
    }
    if text.first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    Err(row.expected("\"OFF\"", show(text), "this is not an OFF file"))
}

/// Returns the letters before "OFF" if `text` begins with an OFF keyword, or `None` otherwise.
pub(super) fn keyword(text: &[u8]) -> Option<String> {
    let mut rest = text;
    for part in [&b"ST"[..], b"C", b"N", b"4", b"n"] {
        rest = rest.strip_prefix(part).unwrap_or(rest);
    }
    let behind = rest.strip_prefix(b"OFF")?;
    if behind.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let prefix = text.get(..text.len() - rest.len())?;
    Some(String::from_utf8_lossy(prefix).into_owned())
}

fn read_face(row: &mut Row, i: usize, n_vertices: usize, face: &mut Vec<u32>) -> Result<(), Flaw> {
    let remedy = "renumber or fix the face";
    let n_corners: u32 = row.number("number of corners")?;
    face.clear();
    for k in 0..n_corners {
        let word = row.next_word();
        let Some(index) = word.and_then(parse::<i64>) else {
            let found = word.map_or("the end of the line".to_string(), show);
            return Err(row.expected(
                format_args!("face {i}: corner {k} of {n_corners}"),
                found,
                remedy,
            ));
        };
        let index = check_index(index, n_vertices);
        face.push(index.map_err(|what| row.fail(format!("face {i} {what}"), remedy))?);
    }
    Ok(())
}

/// Writes the triangles of a mesh as OFF. Numbers have enough digits to be read back exactly.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub(super) fn write(path: &Path, mesh: &Mesh) -> Result<()> {
    atomic::write(path, |out| {
        writeln!(out, "OFF\n{} {} 0", mesh.n_vertices(), mesh.n_cells())?;
        for [x, y, z] in &mesh.vertices {
            writeln!(out, "{x} {y} {z}")?;
        }
        mesh.iter_cells().try_for_each(|t| writeln!(out, "3 {} {} {}", t[0], t[1], t[2]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::error::Position;

    fn read_text(text: &str) -> Result<MeshFile, Flaw> {
        read(text.as_bytes())
    }

    #[test]
    fn headers_of_all_spellings() {
        let body = "0 0 0 9 9\n1 0 0\n0 1 1\n# remark\n3 0 1 2 255 0 0\n";
        let heads = ["OFF\n3 1 0\n", "OFF3 1\n", " COFF 3 1 0\n", "#\nSTCNOFF\n\n3 1\n", "3 1 0\n"];
        for head in heads {
            let file = read_text(&format!("{head}{body}")).unwrap();
            assert_eq!(file.mesh.cells, [0, 1, 2], "{head:?}");
        }
        for (head, found) in [
            ("OFF BINARY\n", "binary OFF"),
            ("4OFF\n3 1 0\n", "whose dimension is not 3"),
            ("OFFER\n", "\"OFF\" expected"),
            ("OFF\n-3 1\n", "number of vertices expected, found \"-3\""),
            ("OFF\n3000 1\n", "line 2: 3000 vertices declared, but only"),
            ("OFF\n3 2 0\n", "file ends where face 1 of 2 was expected"),
        ] {
            let error = read_text(&format!("{head}{body}")).unwrap_err().to_string();
            assert!(error.contains(found), "{head:?}: {error}");
        }
    }

    #[test]
    fn wrong_faces_are_named() {
        for (face, found) in [
            ("3 0 1 3", "line 5: face 0 refers to vertex 3 of 3 (0-based, so 0 to 2 exist)"),
            ("3 0 1 -1", "line 5: face 0 refers to vertex -1 of 3"),
            ("4 0 1 2", "line 5: face 0: corner 3 of 4 expected, found the end of the line"),
        ] {
            let text = format!("OFF 3 1 0\n0 0 0\n1 0 0\n0 1 1\n{face}\n");
            let error = read_text(&text).unwrap_err().to_string();
            assert!(error.contains(found), "{face}: {error}");
        }
    }

    #[test]
    fn an_error_names_a_wrong_coordinate() {
        let error = read_text("OFF 1 0 0\n0 nan 0\n").unwrap_err();
        assert_eq!(*error.position(), Position::Line(2), "{error}");
    }
}
