//! Curves: the lines of a mesh file, or points in a text.

use std::path::Path;

use super::sniff::{self, Format};
use super::text::{self, Lines, parse, show};
use super::{load, read_as};
use crate::error::{Error, Result};
use crate::mesh::Members;

/// A curve of segments.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// Its points, mesh units.
    pub vertices: Vec<[f64; 3]>,
    /// Two points each, by number.
    pub segments: Vec<[u32; 2]>,
}

/// Reads a curve: the lines of a VTK file (`.vtp`, `.vtu`, `.vtk`, such as an interface of ours), of
/// a Gmsh file (its groups of edges) or of an OBJ file (`l`), or a text with a point `x y z` per
/// line, where an empty line ends one curve and begins another.
///
/// # Errors
/// Those of [`super::read_mesh`]; [`Error::Input`] for a file without lines.
pub fn read_curve(path: &Path) -> Result<Curve> {
    let bytes = load::load(path)?;
    let curve = match sniff::format(path, &bytes) {
        Ok((Format::Obj, _)) => obj(path, text::without_mark(&bytes))?,
        Ok((format @ (Format::Vtk | Format::Msh), _)) => {
            let mesh = read_as(format, path, &bytes)?.mesh;
            let mut segments: Vec<[u32; 2]> = Vec::new();
            for group in &mesh.groups {
                if let Members::Simplices { dimension: 1, vertices } = &group.members {
                    segments.extend(vertices.as_chunks().0);
                }
            }
            Curve { vertices: mesh.vertices, segments }
        }
        Ok((format, _)) => {
            let what = format!("is {format:?}, which has no lines");
            let remedy = "give lines as .vtp, .vtu, .vtk, .msh, .obj, or as a text of points";
            return Err(Error::input(path, "", what, remedy));
        }
        Err(unknown) => match points(path, text::without_mark(&bytes))? {
            Some(curve) => curve,
            None => return Err(unknown),
        },
    };
    if curve.segments.is_empty() {
        let what = "holds no lines";
        let remedy = "a curve has segments: cells of type line, or two points of a text at least";
        return Err(Error::input(path, "", what, remedy));
    }
    Ok(curve)
}

/// `v x y z` and `l a b c ...`, counted from 1, backwards if negative.
fn obj(path: &Path, bytes: &[u8]) -> Result<Curve> {
    let mut curve = Curve::default();
    let mut lines = Lines::new(path, bytes).with_comments(b'#');
    while let Some(mut row) = lines.next_row() {
        match row.next_word() {
            Some(b"v") => {
                let x = row.coordinate("x")?;
                let y = row.coordinate("y")?;
                curve.vertices.push([x, y, row.coordinate("z")?]);
            }
            Some(b"l") => {
                let n = curve.vertices.len() as i64;
                let mut last = None;
                while let Some(word) = row.next_word() {
                    let number = word.split(|&b| b == b'/').next().and_then(parse::<i64>);
                    let index = number.map(|k| if k < 0 { n.saturating_add(k) } else { k - 1 });
                    let index = index.filter(|k| (0..n).contains(k)).ok_or_else(|| {
                        let what = format!("line refers to vertex {} of {n}", show(word));
                        row.fail(what, "OBJ counts vertices from 1")
                    })?;
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    curve.segments.extend(last.map(|last| [last, index]));
                    last = Some(index);
                }
            }
            _ => {}
        }
    }
    Ok(curve)
}

/// Points, three numbers per line between blanks or commas; `None` if the first line with a word
/// is none.
fn points(path: &Path, bytes: &[u8]) -> Result<Option<Curve>> {
    let mut curve = Curve::default();
    let mut lines = Lines::new(path, bytes);
    let mut begun = false;
    while let Some(line) = lines.next_line() {
        let line = line.split(|&b| b == b'#').next().unwrap_or(line);
        if line.trim_ascii().is_empty() {
            begun = false;
            continue;
        }
        let words = line.split(|&b| b == b',' || b.is_ascii_whitespace());
        let numbers: Option<Vec<f64>> = words.filter(|w| !w.is_empty()).map(parse).collect();
        let point = numbers.and_then(|n| <[f64; 3]>::try_from(n).ok());
        match point.filter(|x| x.iter().all(|c| c.is_finite())) {
            Some(x) => {
                let k = curve.vertices.len() as u32;
                curve.vertices.push(x);
                if begun {
                    curve.segments.push([k - 1, k]);
                }
                begun = true;
            }
            None if curve.vertices.is_empty() => return Ok(None),
            None => {
                let what = format!("three finite numbers expected, found {}", show(line));
                return Err(lines.fail(what, "write a point as x y z"));
            }
        }
    }
    Ok(Some(curve))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Curve> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_curve(&path)
    }

    #[test]
    fn texts_and_obj_lines_are_curves() {
        let curve = read("a.txt", "# two\n0 0 0\n1,0,0\n2 0 1e-1\n\n5 5 5\n6 5 5\n").unwrap();
        assert_eq!(curve.vertices.len(), 5);
        assert_eq!(curve.segments, [[0, 1], [1, 2], [3, 4]]);
        let curve = read("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nl 1 2/7 -1\n").unwrap();
        assert_eq!(curve.segments, [[0, 1], [1, 2]]);
    }

    #[test]
    fn what_holds_no_lines_is_refused() {
        for (name, text, expected) in [
            ("a.txt", "0 0 0\n", "holds no lines"),
            ("a.txt", "0 0 0\n1 0\n", "line 2: three finite numbers expected, found \"1 0\""),
            ("a.txt", "hello\n", "unknown format"),
            ("a.obj", "v 0 0 0\nl 1 2\n", "line 2: line refers to vertex \"2\" of 1"),
            ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "is Off, which has no lines"),
        ] {
            let message = read(name, text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
