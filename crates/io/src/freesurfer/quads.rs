//! Reader of quadrangle surfaces, which FreeSurfer wrote before it wrote triangle surfaces. Their
//! coordinates are 16-bit integers in hundredths of a millimeter, or 32-bit floating-point numbers
//! in millimeters. The footer of triangle surfaces may follow the quadrangles.

use super::{MORPH, footer};
use crate::MeshFile;
use crate::bytes::{Cursor, finite};
use crate::faces::{Faces, check_index};
use zeroset_core::error::{Element, Flaw, Position, Result};

/// The first bytes of a surface with 16-bit coordinates. Files with values per vertex begin with
/// the same bytes.
pub(super) const OLD: [u8; 3] = MORPH;
/// The first bytes of a surface with 32-bit coordinates.
pub(super) const NEW: [u8; 3] = [0xff, 0xff, 0xfd];

/// Bytes before the coordinates: the magic bytes and two counts.
const HEAD: usize = 9;
/// Bytes of a quadrangle: four vertex indices of three bytes each.
const QUAD: usize = 12;

/// Returns true if the file is a quadrangle surface. Surfaces with 16-bit coordinates and files
/// with values per vertex begin with the same bytes, but the counts fit the size of the file only
/// if they are read as the right kind.
pub(crate) fn is_surface(bytes: &[u8]) -> bool {
    if !bytes.starts_with(&OLD) {
        return bytes.starts_with(&NEW);
    }
    let Some(&[_, _, _, a, b, c, d, e, f]) = bytes.first_chunk::<HEAD>() else { return false };
    let [n, quads] = [[0, a, b, c], [0, d, e, f]].map(|raw| u64::from(u32::from_be_bytes(raw)));
    let size = HEAD as u64 + 6 * n + QUAD as u64 * quads;
    let count = |at: usize| {
        let raw = bytes.get(at..at + 4).and_then(<[u8]>::first_chunk);
        raw.map_or(0, |raw| u64::from(u32::from_be_bytes(*raw)))
    };
    let numbers = 15 + 4 * u128::from(count(3)) * u128::from(count(11));
    let rest = usize::try_from(size).ok().and_then(|size| bytes.get(size..));
    let is_whole = rest.is_some_and(|rest| rest.is_empty() || footer::is_footer(rest));
    n > 0 && quads > 0 && is_whole && numbers != bytes.len() as u128
}

/// Reads a surface of quadrangles. Each is split along the diagonal that FreeSurfer and nibabel
/// choose: the one through its first corner if the index of that vertex is odd, else the other one.
///
/// # Errors
/// Returns a [`Flaw`] if the file cannot hold the declared counts, if a coordinate is not finite,
/// or if an index is out of range.
pub(super) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let old = bytes.starts_with(&OLD);
    let mut cursor = Cursor::new(bytes, 3, true);
    let n_vertices = count(&mut cursor, "the number of vertices")?;
    let n_quads = count(&mut cursor, "the number of quadrangles")?;
    let size = if old { 6 } else { 12 };
    let n_vertices = cursor.promised(n_vertices, size, "vertices")?;
    let mut vertices = Vec::with_capacity(n_vertices);
    for i in 0..n_vertices {
        let mut x = [0.0; 3];
        for value in &mut x {
            *value = match old {
                true => f64::from(cursor.i16("a coordinate")?) / 100.0,
                false => f64::from(cursor.f32("a coordinate")?),
            };
        }
        vertices.push(finite(i, x)?);
    }
    let n_quads = cursor.promised(n_quads, QUAD, "quadrangles")?;
    let mut faces = Faces::default();
    faces.triangles.reserve_exact(6 * n_quads);
    for i in 0..n_quads {
        let mut quad = [0; 4];
        for corner in &mut quad {
            let index = count(&mut cursor, "a corner")? as i64;
            *corner = check_index(index, n_vertices).map_err(|what| {
                let remedy = "the file is damaged: export it again";
                Flaw::at(Position::element(Element::Face, i), what, remedy)
            })?;
        }
        let [a, b, c, d] = quad;
        // The fan splits the quadrangle along the diagonal through its first corner.
        faces.push(&if a % 2 == 0 { [d, a, b, c] } else { quad });
    }
    let version = if old { "binary quadrangles, 16 bit" } else { "binary quadrangles" };
    let mut file = faces.into_file(vertices, "freesurfer", version)?;
    file.units = Some("mm".to_string());
    file.about = Box::new(footer::about(&mut cursor));
    Ok(file)
}

/// Reads an unsigned integer of three bytes.
fn count(cursor: &mut Cursor, what: &str) -> Result<u64, Flaw> {
    let raw = cursor.take(3, what)?;
    Ok(u64::from(u32::from_be_bytes([0, raw[0], raw[1], raw[2]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a surface of two quadrangles in a row, whose first corners are 0 and 1.
    fn surface(magic: [u8; 3]) -> Vec<u8> {
        let mut bytes = [&magic[..], &[0, 0, 6, 0, 0, 2]].concat();
        for k in 0..6 {
            for x in [10 * (k % 3), 5 * (k / 3), 0] {
                match magic == OLD {
                    true => bytes.extend((100 * x as i16).to_be_bytes()),
                    false => bytes.extend((x as f32).to_be_bytes()),
                }
            }
        }
        [0, 1, 4, 3, 1, 2, 5, 4].iter().for_each(|&k| bytes.extend([0, 0, k]));
        bytes
    }

    #[test]
    fn both_kinds_are_read_and_split_like_by_freesurfer() {
        for magic in [OLD, NEW] {
            let bytes = surface(magic);
            assert!(is_surface(&bytes));
            let file = read(&bytes).unwrap();
            assert_eq!(file.mesh.vertices[5], [20.0, 5.0, 0.0]);
            assert_eq!(file.mesh.cells, [3, 0, 1, 3, 1, 4, 1, 2, 5, 1, 5, 4]);
            assert_eq!(file.cells_by_type["quad"], 2);
            assert_eq!(file.about.frame.coordinates, Some(crate::Frame::Tkr));
            assert_eq!(file.about.frame.offset(), None);
            for n in 0..bytes.len() {
                assert!(read(&bytes[..n]).is_err(), "cut at {n}");
            }
            let footer = b"valid = 1\nvolume = 256 256 256\nvoxelsize = 1 1 1\nxras = -1 0 0\n\
                           yras = 0 0 -1\nzras = 0 1 0\ncras = 3 0 4\n";
            for flag in [None, Some(0), Some(1)] {
                let tags = flag.map_or(vec![20], |flag| vec![2, flag, 20]);
                let tags: Vec<u8> = tags.into_iter().flat_map(i32::to_be_bytes).collect();
                let bytes = [&bytes[..], &tags, footer].concat();
                assert!(is_surface(&bytes), "{flag:?}");
                let frame = read(&bytes).unwrap().about.frame.clone();
                let offset = if flag == Some(1) { 0.0 } else { 5.0 };
                assert_eq!((frame.c_ras, frame.offset()), (Some([3.0, 0.0, 4.0]), Some(offset)));
            }
            let last = bytes.len() - 1;
            let mut wrong = bytes;
            wrong[last] = 6;
            let error = read(&wrong).unwrap_err().to_string();
            assert!(error.contains("face 1: refers to vertex 6 of 6"), "{error}");
        }
    }

    #[test]
    fn numbers_per_vertex_are_not_surfaces() {
        let numbers = |n: u32| {
            let counts = [n, 4, 1].map(u32::to_be_bytes).concat();
            [&OLD[..], &counts, &vec![0; 4 * n as usize]].concat()
        };
        for n in 1..3_000 {
            assert!(!is_surface(&numbers(n)), "{n}");
        }
    }
}
