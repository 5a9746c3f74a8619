//! Reader and writer of FreeSurfer labels. A label is a set of vertices of a surface, each with a
//! position and a number. A file has a comment line, the number of rows, and then rows of vertex,
//! x, y, z and number.

use std::path::Path;

use crate::text::Lines;
use crate::{PartialArray, VertexData, atomic};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{Group, Members};

/// The first bytes of a label.
pub(crate) const MAGIC: &[u8] = b"#!ascii label";

/// Reads a label. Its vertices become a group, and its numbers become an array at these vertices.
/// Both are named after the file (`V1` for `lh.V1.label`). If a vertex has several rows, the last
/// one counts.
///
/// Returns a [`Flaw`] that names the line if the number of rows differs from the declared one, if a
/// word is not a number, if a vertex is not between 0 and 2^32 - 1, or if the label has no
/// vertices.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<VertexData, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let mut head = lines.row(format_args!("the number of vertices"))?;
    let n: u64 = head.number("the number of vertices")?;
    if n == 0 {
        return Err(head.fail("the label has no vertices", "export the label again"));
    }
    let n = lines.promised(n, 5, "vertices")?;
    let mut rows: Vec<(u32, f64)> = Vec::with_capacity(n);
    for i in 0..n {
        let mut row = lines.row(format_args!("vertex {i} of {n}"))?;
        let number: i64 = row.number("the number of a vertex")?;
        let Ok(vertex) = u32::try_from(number) else {
            let remedy = "assign the label to the vertices of a surface: mri_label2label";
            return Err(row.fail(format!("vertex {number}, expected 0 to 4294967295"), remedy));
        };
        for axis in ["x", "y", "z"] {
            row.number::<f64>(axis)?;
        }
        rows.push((vertex, row.number("a number")?));
    }
    if lines.next_row().is_some() {
        let what = format!("{n} vertices declared, but more found");
        return Err(lines.fail(what, "the count is wrong: export the label again"));
    }
    rows.sort_by_key(|row| row.0);
    // `dedup_by_key` keeps the first row of each vertex. After the reversal, this is the last row
    // in the file.
    rows.reverse();
    rows.dedup_by_key(|row| row.0);
    rows.reverse();
    let (vertices, numbers): (Vec<u32>, Vec<f64>) = rows.into_iter().unzip();
    let mut array = super::array(path, 1, numbers);
    if let Some(name) = array.name.strip_suffix(".label").filter(|name| !name.is_empty()) {
        array.name = name.to_string();
    }
    let members = Members::Simplices { dimension: 0, vertices: vertices.clone() };
    let groups = vec![Group { name: array.name.clone(), members }];
    let partial = vec![PartialArray { vertices, rows: array }];
    Ok(VertexData { partial, groups, ..VertexData::default() })
}

/// Writes a label of the vertices whose value is finite, with these values. `vertices` and `values`
/// have one entry for each vertex of the surface, and coordinates are in millimeters. The file has
/// the form that FreeSurfer and nibabel read (`mri_cor2label`, `nibabel.freesurfer.read_label`).
/// Numbers have enough digits to be read back exactly.
///
/// # Errors
/// Returns [`zeroset_core::Error::Output`] if the file cannot be written.
pub fn write_label(path: &Path, vertices: &[[f64; 3]], values: &[f64]) -> Result<()> {
    let rows = || {
        let rows = vertices.iter().zip(values).enumerate();
        rows.filter(|(_, (_, value))| value.is_finite())
    };
    atomic::write(path, |out| {
        writeln!(out, "#!ascii label, written by zeroset\n{}", rows().count())?;
        for (vertex, ([x, y, z], value)) in rows() {
            writeln!(out, "{vertex} {x} {y} {z} {value}")?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::Values;

    fn read_text(name: &str, text: &str) -> Result<VertexData, Flaw> {
        read(Path::new(name), text.as_bytes())
    }

    #[test]
    fn vertices_without_a_number_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lh.a.label");
        let vertices = [[0.0; 3], [1.5, 0.0, -2.0], [0.1, 0.2, 0.3]];
        write_label(&path, &vertices, &[f64::NAN, 3.0, 0.25]).unwrap();
        let expected = "#!ascii label, written by zeroset\n2\n1 1.5 0 -2 3\n2 0.1 0.2 0.3 0.25\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        let found = crate::read_data(&path).unwrap();
        let array = found.partial[0].spread(4).unwrap();
        let Values::Float(values) = array.values else { panic!("whole numbers") };
        assert!(values[0].is_nan() && values[3].is_nan());
        assert_eq!((array.name.as_str(), &values[1..3]), ("a", &[3.0, 0.25][..]));
        assert_eq!(found.partial[0].spread(2), Err(2));
    }

    #[test]
    fn rows_become_a_group_and_an_array() {
        let text = "#!ascii label  , from subject a vox2ras=TkReg\r\n3\r\n7  1 2 3 0.5\r\n\
                    2  -1.5 0 0 1\r\n7 1 2 3 0.25\r\n";
        let found = read_text("sub/rh.V1 exvivo.label.gz", text).unwrap();
        let members = Members::Simplices { dimension: 0, vertices: vec![2, 7] };
        assert_eq!(found.groups, [Group { name: "V1 exvivo".to_string(), members }]);
        assert_eq!(found.partial[0].rows.values, Values::Float(vec![1.0, 0.25]));
        assert!(found.arrays.is_empty());
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, found) in [
            ("#!ascii label\n", "file ends where the number of vertices was expected"),
            ("#!ascii label\n0\n", "line 2: the label has no vertices"),
            ("#!ascii label\n-2\n0 0 0 0 0", "number of vertices expected, found \"-2\""),
            ("#!ascii label\n4000000000\n0 0 0 0 0", "4000000000 vertices declared"),
            ("#!ascii label\n1\n-1 0 0 0 0\n", "line 3: vertex -1, expected 0 to 4294967295"),
            ("#!ascii label\n1\n4294967296 0 0 0 0\n", "line 3: vertex 4294967296"),
            ("#!ascii label\n1\n0 0 0 0      \n", "line 3: a number expected, found the end"),
            ("#!ascii label\n1\n0 0 0 0 0\n1 0 0 0 0\n", "line 4: 1 vertices declared, but more"),
        ] {
            let error = read_text("lh.a.label", text).unwrap_err().to_string();
            assert!(error.contains(found), "{text:?}: {error}");
        }
    }
}
