//! Reader of FreeSurfer surfaces in text form (`.asc`): a comment line, the numbers of vertices and
//! faces, then a row for each vertex and each face. A row has three numbers and a flag that is 0.
//! The volume geometry may follow, in lines such as `cras = 5 18 -2`.

use super::footer;
use crate::MeshFile;
use crate::faces::{Faces, check_index, index_limit};
use crate::text::Lines;
use zeroset_core::error::{Flaw, Result};

/// The first bytes of a text surface.
pub(crate) const MAGIC: &[u8] = b"#!ascii version";

/// Reads a surface that begins with [`MAGIC`].
///
/// # Errors
/// Returns a [`Flaw`] that names the line if there are fewer rows than declared, if a coordinate is
/// not finite, or if an index is out of range.
pub(super) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let mut head = lines.row(format_args!("numbers of vertices and faces"))?;
    let n_vertices: u64 = head.number("number of vertices")?;
    let n_faces: u64 = head.number("number of faces")?;
    index_limit(n_vertices, "vertices")?;
    let n_vertices = lines.promised(n_vertices, 3, "vertices")?;
    let mut vertices = Vec::with_capacity(n_vertices);
    for i in 0..n_vertices {
        let mut row = lines.row(format_args!("vertex {i} of {n_vertices}"))?;
        vertices.push([row.coordinate("x")?, row.coordinate("y")?, row.coordinate("z")?]);
    }
    let n_faces = lines.promised(n_faces, 3, "faces")?;
    let mut faces = Faces::default();
    for i in 0..n_faces {
        let mut row = lines.row(format_args!("face {i} of {n_faces}"))?;
        let mut face = [0; 3];
        for corner in &mut face {
            let index = check_index(row.number("a vertex")?, n_vertices);
            *corner = index.map_err(|what| {
                row.fail(format!("face {i} {what}"), "renumber or fix this face")
            })?;
        }
        faces.push(&face);
    }
    let mut file = faces.into_file(vertices, "freesurfer", "ascii triangles")?;
    file.units = Some("mm".to_string());
    file.about = Box::new(footer::about_text(&bytes[lines.consumed()..]));
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_and_its_faults() {
        let good = "#!ascii version of lh.x\n3 1\n0 0 0 0\n1 0 0 0\n0 1 1 0\n0 1 2 0\n";
        let read = |text: &str| read(text.as_bytes());
        let file = read(good).unwrap();
        assert_eq!(file.mesh.cells, [0, 1, 2]);
        let frame = &file.about.frame;
        assert_eq!((frame.coordinates, frame.offset()), (Some(crate::Frame::Tkr), None));
        let footer = "valid = 1\nvolume = 256 256 256\nvoxelsize = 1 1 1\nxras = -1 0 0\n\
                      yras = 0 0 -1\nzras = 0 1 0\ncras = 3 0 4\n";
        for text in [format!("{good}{footer}"), format!("{good}\n# {footer}# end\n{footer}")] {
            let frame = read(&text).unwrap().about.frame.clone();
            assert_eq!((frame.c_ras, frame.offset()), (Some([3.0, 0.0, 4.0]), Some(5.0)));
        }
        for (text, found) in [
            (good.replace("0 1 2 0", "0 1 3 0"), "line 6: face 0 refers to vertex 3 of 3"),
            (good.replace("3 1\n", "4000000 1\n"), "line 2: 4000000 vertices declared"),
            (good.replace("3 1\n", "3 2\n"), "2 faces declared"),
            (good.replace("1 0 0 0", "1 nan 0 0"), "line 4: y is NaN"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
