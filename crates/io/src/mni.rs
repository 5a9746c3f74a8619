//! Reader of MNI objects in text form (`.obj` of CIVET, BrainBrowser and Display): polygons. Their
//! normals and colors are left out. Lengths are in mm.
//!
//! Source: the library bicpl, `Objects/polygons.c` and `Objects/object_io.c`. The file holds "P",
//! five surface properties, the number of points, the points, their normals, the number of
//! polygons, the kind of colors, the colors, the end of each polygon in a list of corners, and that
//! list.

use super::MeshFile;
use super::bytes::finite;
use super::faces::{Faces, check_index, index_limit};
use super::text::{Words, parse, words};
use zeroset_core::error::{Element, Flaw, Position, Result};

const DAMAGED: &str = "the file is damaged: export it again";

/// Returns true if the text `head` begins like a polygon object: "P", five properties and a count.
/// Wavefront's OBJ, which has the same extension, has no such line.
pub(super) fn is_polygons(head: &[u8]) -> bool {
    let mut words = words(head);
    words.next() == Some(b"P")
        && (0..5).all(|_| words.next().and_then(parse::<f64>).is_some())
        && words.next().and_then(parse::<u64>).is_some()
}

/// Reads a surface.
///
/// # Errors
/// Returns a [`Flaw`] that names the line or element if the file cannot hold the declared counts,
/// if a coordinate is not finite, or if an index is out of range.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut words = Words::new(bytes);
    words.next_word();
    for _ in 0..5 {
        words.number::<f64>("a surface property")?;
    }
    let n: u64 = words.number("the number of points")?;
    index_limit(n, "points")?;
    // Each point has three coordinates and three components of a normal.
    let n = words.promised(n, 6, "points")?;
    let mut vertices = Vec::with_capacity(n);
    for i in 0..n {
        let mut x = [0.0; 3];
        for (value, axis) in x.iter_mut().zip(["x", "y", "z"]) {
            *value = words.number(format_args!("{axis} of point {i}"))?;
        }
        vertices.push(finite(i, x)?);
    }
    skip(&mut words, 3 * n, "normals")?;
    let n_polygons: u64 = words.number("the number of polygons")?;
    let n_polygons = words.promised(n_polygons, 1, "polygons")?;
    let colors = match words.number::<u8>("the kind of colors")? {
        0 => 1,
        1 => n_polygons,
        2 => n,
        other => {
            let what = format!("the kind of colors is {other}, expected 0, 1 or 2");
            return Err(words.fail(what, DAMAGED));
        }
    };
    skip(&mut words, colors.saturating_mul(4), "colors")?;
    let faces = faces(&mut words, n_polygons, n)?;
    let mut file = faces.into_file(vertices, "mni", "ascii")?;
    file.units = Some("mm".to_string());
    Ok(file)
}

/// Reads the ends of the polygons, then their corners.
fn faces(words: &mut Words, n_polygons: usize, n_points: usize) -> Result<Faces, Flaw> {
    let mut ends: Vec<usize> = Vec::with_capacity(n_polygons);
    for i in 0..n_polygons {
        let end = words.number(format_args!("the end of polygon {i}"))?;
        if end < ends.last().copied().unwrap_or(0) {
            let what = format!("polygon {i} ends at corner {end}, before it begins");
            return Err(words.fail(what, DAMAGED));
        }
        ends.push(end);
    }
    words.promised(ends.last().copied().unwrap_or(0) as u64, 1, "corners")?;
    let mut faces = Faces::default();
    let (mut begin, mut face) = (0, Vec::new());
    for (i, end) in ends.into_iter().enumerate() {
        face.clear();
        for _ in begin..end {
            let index = words.number(format_args!("a corner of polygon {i}"))?;
            face.push(
                check_index(index, n_points)
                    .map_err(|what| Flaw::at(Position::element(Element::Face, i), what, DAMAGED))?,
            );
        }
        faces.push(&face);
        begin = end;
    }
    Ok(faces)
}

/// Skips `n` numbers.
fn skip(words: &mut Words, n: usize, what: &str) -> Result<(), Flaw> {
    for _ in 0..n {
        words.number::<f64>(what)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(polygons: &str) -> String {
        format!(
            "P 0.3 0.3 0.4 10 1 4\n 0 0 0\n 1 0 0\n 1 1 0\n 0 1 0.5\n\n 0 0 1\n 0 0 1\n 0 0 1\n \
             0 0 1\n\n{polygons}"
        )
    }

    #[test]
    fn polygons_with_all_kinds_of_colors() {
        let colors = |n: usize| "1 1 1 1\n".repeat(n);
        for (kind, n) in [(0, 1), (1, 2), (2, 4)] {
            let text = file(&format!("2\n{kind} {}\n3 7\n0 1 2\n0 1 2 3\n", colors(n)));
            assert!(is_polygons(text.as_bytes()));
            let file = read(text.as_bytes()).unwrap();
            assert_eq!(file.mesh.cells, [0, 1, 2, 0, 1, 2, 0, 2, 3]);
            assert_eq!((file.mesh.vertices[3], file.cells_by_type["quad"]), ([0.0, 1.0, 0.5], 1));
            for n in 0..text.len() - 3 {
                assert!(read(&text.as_bytes()[..n]).is_err(), "cut at {n}");
            }
        }
        for wavefront in ["v 0 0 0\np 1\n", "P x", "p 0 0 0 0 0 1"] {
            assert!(!is_polygons(wavefront.as_bytes()), "{wavefront}");
        }
    }

    #[test]
    fn damage_is_named() {
        for (polygons, said) in [
            ("1\n0 1 1 1 1\n3\n0 1 4", "face 0: refers to vertex 4 of 4"),
            ("1\n3 1 1 1 1\n3\n0 1 2", "the kind of colors is 3"),
            ("2\n0 1 1 1 1\n3 2\n0 1 2", "polygon 1 ends at corner 2, before it begins"),
            ("1\n0 1 1 1 1\n3000000000\n0 1 2", "3000000000 corners declared"),
            ("4000000000\n0", "4000000000 polygons declared"),
        ] {
            let error = read(file(polygons).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let error = read(b"P 0 0 0 0 1 4000000000\n0 0 0").unwrap_err().to_string();
        assert!(error.contains("4000000000 points declared"), "{error}");
    }
}
