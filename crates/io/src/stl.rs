//! STL, text and binary: reader and writer. The reader merges corners with equal coordinates into
//! one vertex and does not keep normals.

use std::hash::BuildHasher;
use std::io::Write;
use std::path::Path;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::bytes::{Cursor, finite};
use super::faces::{Faces, index_limit};
use super::named_groups::Parts;
use super::text::{Lines, show};
use super::{MeshFile, atomic};
use zeroset_core::error::{Element, Flaw, Position, Result};
use zeroset_core::mesh::Mesh;

/// Bytes before the first facet of a binary file: an 80-byte comment and a 4-byte number of facets.
const HEAD: usize = 84;
/// The number of bytes of a facet in a binary file.
const FACET: usize = 50;

/// Reads an STL file. The encoding is determined from the file size first, because many binary
/// files also begin with the word "solid".
///
/// # Errors
/// Returns a [`Flaw`] that names the facet, line or byte if a coordinate is not finite, if a line
/// of text does not begin with a keyword, if a facet has fewer than three corners, or if there are
/// fewer facets than declared.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    if !has_binary_size(bytes) && is_text(bytes) { ascii(bytes) } else { binary(bytes) }
}

/// Returns true if the file has the length that the number of facets in a binary header implies.
pub(super) fn has_binary_size(bytes: &[u8]) -> bool {
    let Some(&raw) = bytes.get(HEAD - 4..).and_then(|b| b.first_chunk::<4>()) else { return false };
    let n = u32::from_le_bytes(raw) as u64;
    n > 0 && bytes.len() as u64 == HEAD as u64 + n * FACET as u64
}

/// Returns true if the file can be text STL: it begins with "solid" and its first bytes contain no
/// NUL.
fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..512).unwrap_or(bytes);
    let word = head.trim_ascii_start().get(..5).unwrap_or_default();
    word.eq_ignore_ascii_case(b"solid") && !head.contains(&0)
}

/// The vertices found so far, and a table that finds the index of a vertex by its coordinates.
///
/// The table holds only indices. It is small, and vertices of neighboring facets are close together
/// in memory, which saves most of the reading time. The seeds of the hash are random, so no file
/// can be made to collide. Indices follow the order of the file, regardless of the seeds.
#[derive(Default)]
struct Corners {
    vertices: Vec<[f64; 3]>,
    indices: HashTable<u32>,
    seeds: RandomState,
}

impl Corners {
    fn index(&mut self, x: [f64; 3]) -> u32 {
        // Adding 0 turns -0 into 0, so that both are the same vertex.
        let x = x.map(|v| v + 0.0);
        let Corners { vertices, indices, seeds } = self;
        let hash = |x: &[f64; 3]| seeds.hash_one(x.map(f64::to_bits));
        let is_same = |&index: &u32| vertices[index as usize] == x;
        if let Some(&index) = indices.find(hash(&x), is_same) {
            return index;
        }
        let next = vertices.len() as u32;
        indices.insert_unique(hash(&x), next, |&index| hash(&vertices[index as usize]));
        vertices.push(x);
        next
    }
}

fn binary(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut cursor = Cursor::new(bytes, 0, false);
    cursor.take(HEAD - 4, "the header of a binary STL file")?;
    let n = u64::from(cursor.u32("the number of facets")?);
    index_limit(n * 3, "corners")?;
    let n = cursor.promised(n, FACET, "facets")?;
    let (mut corners, mut faces) = (Corners::default(), Faces::default());
    // A closed surface has about half as many vertices as triangles.
    corners.vertices.reserve(n / 2);
    for i in 0..n {
        cursor.take(12, "a normal")?;
        let mut face = [0; 3];
        for index in &mut face {
            let mut x = [0.0; 3];
            for value in &mut x {
                *value = f64::from(cursor.f32("a corner")?);
            }
            let x = finite(0, x).map_err(|e| at_facet(e, i))?;
            *index = corners.index(x);
        }
        cursor.take(2, "the attributes of a facet")?;
        faces.push(&face);
    }
    let left = cursor.remaining();
    let mut file = faces.into_file(corners.vertices, "stl", "binary")?;
    if left > 0 {
        file.warnings.push(format!("{left} bytes after the last facet are ignored"));
    }
    Ok(file)
}

fn at_facet(flaw: Flaw, facet: usize) -> Flaw {
    let position = Position::element(Element::Facet, facet);
    flaw.moved_to(position).with_remedy("remove or fix this facet")
}

fn ascii(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let (mut corners, mut faces, mut parts) =
        (Corners::default(), Faces::default(), Parts::default());
    let (mut solid, mut begin, mut face) = (String::new(), 0, Vec::new());
    let (mut open, mut facet) = (false, 0);
    let mut lines = Lines::new(bytes);
    while let Some(mut row) = lines.next_row() {
        let word = row.next_word().unwrap_or_default();
        match word.to_ascii_lowercase().as_slice() {
            b"solid" => {
                solid = String::from_utf8_lossy(row.rest().trim_ascii()).into_owned();
                (open, begin) = (true, faces.len());
            }
            b"vertex" => {
                let x = [row.coordinate("x")?, row.coordinate("y")?, row.coordinate("z")?];
                face.push(corners.index(x));
                index_limit(corners.vertices.len() as u64, "vertices")?;
            }
            b"endloop" => {
                if face.len() < 3 {
                    let what =
                        format!("facet {facet} has {} corners, but 3 are needed", face.len());
                    return Err(row.fail(what, "remove or fix this facet"));
                }
                faces.push(&face);
                facet += 1;
                face.clear();
            }
            b"endsolid" => {
                parts.add(&solid, begin..faces.len());
                (open, begin) = (false, faces.len());
            }
            b"facet" | b"outer" | b"endfacet" => {}
            _ => {
                return Err(row.expected(
                    "a keyword of text STL",
                    show(word),
                    "the file is damaged: export it again",
                ));
            }
        }
    }
    if open || !face.is_empty() {
        let what = "the file ends where \"endsolid\" was expected";
        return Err(lines.fail(what, "the file is truncated: copy it again"));
    }
    let n_triangles = faces.len();
    let mut file = faces.into_file(corners.vertices, "stl", "ascii")?;
    file.mesh.groups = parts.into_groups(n_triangles);
    Ok(file)
}

/// Writes triangles with their normals. Binary files store 32-bit numbers. Text files keep all
/// digits of the coordinates.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be written.
pub(super) fn write(path: &Path, mesh: &Mesh, ascii: bool) -> Result<()> {
    // Cells have 32-bit indices, so their number fits in 32 bits.
    let n = mesh.n_cells() as u32;
    let facets = || {
        mesh.iter_cells().map(|cell| {
            let at = |k: usize| mesh.vertices[cell[k] as usize];
            let corners = [at(0), at(1), at(2)];
            (normal(corners), corners)
        })
    };
    atomic::write(path, |out| {
        if ascii {
            return text(out, facets());
        }
        out.write_all(format!("{:<80}", "written by zeroset").as_bytes())?;
        out.write_all(&n.to_le_bytes())?;
        for (normal, corners) in facets() {
            for x in normal.iter().chain(corners.as_flattened()) {
                out.write_all(&(*x as f32).to_le_bytes())?;
            }
            out.write_all(&[0; 2])?;
        }
        Ok(())
    })
}

fn text(
    out: &mut dyn Write,
    facets: impl Iterator<Item = ([f64; 3], [[f64; 3]; 3])>,
) -> std::io::Result<()> {
    out.write_all(b"solid zeroset\n")?;
    for ([x, y, z], corners) in facets {
        writeln!(out, "facet normal {} {} {}\nouter loop", x as f32, y as f32, z as f32)?;
        for [x, y, z] in corners {
            writeln!(out, "vertex {x} {y} {z}")?;
        }
        out.write_all(b"endloop\nendfacet\n")?;
    }
    out.write_all(b"endsolid zeroset\n")
}

/// Returns the unit normal of a triangle whose corners run counterclockwise when seen from the tip
/// of the normal. Returns zeros for a degenerate triangle, as the format requires.
fn normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let [u, v] = [b, c].map(|x| [0, 1, 2].map(|k| x[k] - a[k]));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    let unit = n.map(|x| x / length);
    if unit.iter().all(|x| x.is_finite()) { unit } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facet(bytes: &mut Vec<u8>, corners: [[f32; 3]; 3]) {
        bytes.extend([0; 12]);
        corners.iter().flatten().for_each(|v| bytes.extend(v.to_le_bytes()));
        bytes.extend([0; 2]);
    }

    #[test]
    fn binary_that_begins_with_solid_and_minus_zero() {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(2u32.to_le_bytes());
        facet(&mut bytes, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        facet(&mut bytes, [[-0.0, 0.0, 0.0], [0.0, 1.0, -0.0], [-1.0, 0.0, 0.0]]);
        let file = read(&bytes).unwrap();
        assert_eq!(file.version, "binary");
        assert_eq!(file.mesh.vertices.len(), 4, "-0 equals 0");
        assert_eq!(file.mesh.cells, [0, 1, 2, 0, 2, 3]);
        let error = read(&bytes[..150]).unwrap_err().to_string();
        let found = "2 facets of 50 bytes declared (100 bytes), found 66 bytes, enough for 1";
        assert!(error.contains(found), "{error}");
    }

    #[test]
    fn text_solids_are_groups() {
        let facet = "FACET normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
                     endloop\nendfacet\n";
        let text = format!("solid a b\n{facet}endsolid\nsolid\n{facet}endsolid\n");
        let file = read(text.as_bytes()).unwrap();
        assert_eq!((file.mesh.vertices.len(), file.mesh.n_cells()), (3, 2));
        assert_eq!(file.mesh.groups.len(), 1);
        assert_eq!(file.mesh.groups[0].name, "a b");
        let cut = &text[..text.len() - 9];
        let error = read(cut.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("file ends where \"endsolid\" was expected"), "{error}");
    }
}
