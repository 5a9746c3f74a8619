//! OBJ, Wavefront's text format: reader and writer of vertices, faces and lines. Objects and groups
//! become cell groups, and lines become the group `lines`.

mod attributes;
mod write;

use crate::MeshFile;
use crate::faces::{Faces, index_limit};
use crate::named_groups::Parts;
use crate::text::{Lines, Row, parse, show, words};
use attributes::Attributes;
pub(super) use write::write;
use zeroset_core::error::{Flaw, Position, Result};
use zeroset_core::mesh::{Group, Members};
use zeroset_core::words::counted;

/// Reads an OBJ file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if a coordinate is not finite or if an index refers to no
/// vertex.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read_with(bytes, Reader::default())
}

/// Reads an OBJ file like [`read`], but keeps vertices whose coordinates are not finite, and
/// returns the normals and colors of vertices as the arrays `nx`, ..., `red`, ...
///
/// # Errors
/// Returns the errors of [`read`], except that coordinates may be infinite or NaN.
pub(super) fn read_points(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read_with(bytes, Reader { attributes: Some(Attributes::default()), ..Reader::default() })
}

fn read_with(bytes: &[u8], mut reader: Reader) -> Result<MeshFile, Flaw> {
    let joined = join_lines(bytes);
    let bytes = joined.as_deref().unwrap_or(bytes);
    let mut lines = Lines::new(bytes).with_comments(b'#');
    while let Some(mut row) = lines.next_row() {
        match row.next_word().unwrap_or_default() {
            b"v" => reader.vertex(&mut row)?,
            b"vn" => reader.normal(&mut row)?,
            b"f" => reader.face(&mut row, lines.number())?,
            b"l" => reader.line(&mut row, lines.number())?,
            b"p" => reader.points += 1,
            b"o" => reader.object = text(row.rest()),
            b"g" => reader.begin_groups(&row),
            _ => {}
        }
    }
    reader.finish()
}

/// Joins every line that ends in a backslash with the next one, except comment lines. The removed
/// line endings are appended after the joined line, so that later lines keep their numbers. Returns
/// `None` if there is no backslash.
fn join_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.contains(&b'\\') {
        return None;
    }
    let mut joined = Vec::with_capacity(bytes.len());
    let mut taken = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let text = line.trim_ascii_end();
        match text.strip_suffix(b"\\").filter(|_| !text.trim_ascii_start().starts_with(b"#")) {
            Some(text) => {
                joined.extend(text);
                joined.push(b' ');
                taken += 1;
            }
            None => {
                joined.extend(line);
                joined.extend(std::iter::repeat_n(b'\n', std::mem::take(&mut taken)));
            }
        }
    }
    Some(joined)
}

fn text(words: &[u8]) -> String {
    String::from_utf8_lossy(words.trim_ascii()).into_owned()
}

#[derive(Default)]
struct Reader {
    vertices: Vec<[f64; 3]>,
    faces: Faces,
    face: Vec<u32>,
    /// The largest vertex index so far, the line of the file that contains it, and the word "face"
    /// or "line". The check must wait for the end of the file, because a face may come before its
    /// vertices.
    largest: Option<(u32, usize, &'static str)>,
    object: String,
    groups: Vec<String>,
    /// The number of group names that were ignored because a face belongs to at most `MOST_GROUPS`
    /// groups.
    groups_left: usize,
    parts: Parts,
    lines: usize,
    /// The vertices at the ends of the line segments, `[n * 2]`.
    segments: Vec<u32>,
    points: usize,
    /// Normals and colors, if they are requested.
    attributes: Option<Attributes>,
}

/// The largest number of groups to which a face is added.
const MOST_GROUPS: usize = 16;

impl Reader {
    /// Reads the names of the groups to which the next faces belong.
    fn begin_groups(&mut self, row: &Row) {
        self.groups = words(row.rest()).take(MOST_GROUPS).map(text).collect();
        self.groups_left += words(row.rest()).skip(MOST_GROUPS).count();
    }

    fn vertex(&mut self, row: &mut Row) -> Result<(), Flaw> {
        let Some(attributes) = &mut self.attributes else {
            let x = row.coordinate("x")?;
            let y = row.coordinate("y")?;
            self.vertices.push([x, y, row.coordinate("z")?]);
            return Ok(());
        };
        self.vertices.push([row.number("x")?, row.number("y")?, row.number("z")?]);
        attributes.color(row.rest());
        Ok(())
    }

    fn normal(&mut self, row: &mut Row) -> Result<(), Flaw> {
        if let Some(attributes) = &mut self.attributes {
            attributes.normals.push([row.number("x")?, row.number("y")?, row.number("z")?]);
        }
        Ok(())
    }

    fn face(&mut self, row: &mut Row, line: usize) -> Result<(), Flaw> {
        self.corners(row, line, "face")?;
        let begin = self.faces.len();
        self.faces.push(&self.face);
        let made = begin..self.faces.len();
        self.parts.add(&self.object, made.clone());
        for group in &self.groups {
            self.parts.add(group, made.clone());
        }
        Ok(())
    }

    fn line(&mut self, row: &mut Row, line: usize) -> Result<(), Flaw> {
        self.corners(row, line, "line")?;
        self.lines += 1;
        self.segments.extend(self.face.windows(2).flatten());
        Ok(())
    }

    /// Reads the vertices of a face or line into `self.face`.
    fn corners(&mut self, row: &mut Row, line: usize, of: &'static str) -> Result<(), Flaw> {
        self.face.clear();
        while let Some(word) = row.next_word() {
            let index = self.index(word, of).map_err(|what| {
                row.fail(what, &format!("renumber or fix the {of}; OBJ numbers vertices from 1"))
            })?;
            if self.largest.is_none_or(|(largest, ..)| index > largest) {
                self.largest = Some((index, line, of));
            }
            self.face.push(index);
            if let Some(attributes) = &mut self.attributes {
                attributes.corner(word, index);
            }
        }
        Ok(())
    }

    /// Returns the 0-based vertex index of a corner `v`, `v/vt`, `v/vt/vn` or `v//vn`. A negative
    /// `v` counts backward from the last vertex so far.
    fn index(&self, corner: &[u8], of: &str) -> Result<u32, String> {
        let word = corner.split(|&b| b == b'/').next().unwrap_or(corner);
        let n = self.vertices.len() as i64;
        let number: i64 =
            parse(word).ok_or_else(|| format!("vertex number expected, found {}", show(corner)))?;
        let index = if number < 0 { n.checked_add(number) } else { number.checked_sub(1) };
        match index.map(u32::try_from) {
            Some(Ok(index)) if number != 0 => Ok(index),
            _ => Err(format!("{of} refers to vertex {number} after {n} vertices")),
        }
    }

    fn finish(self) -> Result<MeshFile, Flaw> {
        let n = self.vertices.len();
        index_limit(n as u64, "vertices")?;
        if let Some((index, line, of)) = self.largest.filter(|l| l.0 as usize >= n) {
            let number = u64::from(index) + 1;
            let what = format!("{of} refers to vertex {number} of {n} (numbered from 1)");
            let remedy = format!("the file is truncated or the {of} is wrong");
            return Err(Flaw::at(Position::Line(line), what, remedy));
        }
        let n_triangles = self.faces.len();
        let mut file = self.faces.into_file(self.vertices, "obj", "ascii")?;
        if let Some(attributes) = self.attributes {
            file.mesh.vertex_data = attributes.into_arrays(n);
        }
        file.mesh.groups = self.parts.into_groups(n_triangles);
        if self.lines > 0 {
            file.cells_by_type.insert("line".to_string(), self.lines);
            let members = Members::Simplices { dimension: 1, vertices: self.segments };
            file.mesh.groups.push(Group { name: "lines".to_string(), members });
        }
        if self.groups_left > 0 {
            let names = counted(self.groups_left, ["group name is", "group names are"]);
            file.warnings.push(format!("{names} ignored: a line can have at most {MOST_GROUPS}"));
        }
        if self.points > 0 && file.mesh.n_cells() > 0 {
            let count = self.points;
            file.cells_by_type.insert("vertex".to_string(), count);
            let points = counted(count, ["point element is", "point elements are"]);
            file.warnings.push(format!("{points} ignored: only faces and lines are read"));
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::Members;

    fn read_text(text: &str) -> Result<MeshFile, Flaw> {
        read(text.as_bytes())
    }

    #[test]
    fn corners_of_all_spellings() {
        let text = "v 0 0 0\nv 1 0 0 # comment\nv 0 1 1\nf 1/5 2/7/1 \\\r\n 3//4\nf -1 -3 -2\n";
        let file = read_text(text).unwrap();
        assert_eq!(file.mesh.cells, [0, 1, 2, 2, 0, 1]);
    }

    #[test]
    fn groups_are_cells_and_the_whole_is_no_group() {
        let text = "o all\nv 0 0 0\nv 1 0 0\nv 0 1 1\ng a b\nf 1 2 3\ng b\nf 3 2 1\ng\nf 1 3 2\n";
        let file = read_text(text).unwrap();
        let members = |name| file.mesh.group(name).map(|g| g.members.clone());
        assert_eq!(members("a"), Some(Members::Cells(vec![0])));
        assert_eq!(members("b"), Some(Members::Cells(vec![0, 1])));
        assert_eq!(members("all"), None);
    }

    #[test]
    fn of_many_groups_in_a_line_the_first_count() {
        let names: String = (0..20).map(|k| format!(" g{k}")).collect();
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 1\ng{names}\nf 1 2 3\ng\nf 3 2 1\n");
        let file = read_text(&text).unwrap();
        assert_eq!(file.mesh.groups.len(), MOST_GROUPS);
        assert_eq!(file.warnings, ["4 group names are ignored: a line can have at most 16"]);
    }

    #[test]
    fn lines_are_a_group_of_segments() {
        let file = read_text("v 0 0 0\nv 1 0 0\nv 0 1 1\nl 1 2/4 -1\nl 3 1\n").unwrap();
        let vertices = vec![0, 1, 1, 2, 2, 0];
        let expected = Members::Simplices { dimension: 1, vertices };
        assert_eq!(file.mesh.group("lines").map(|g| &g.members), Some(&expected));
        let error = read_text("v 0 0 0\nl 1 2\n").unwrap_err().to_string();
        assert!(error.contains("line 2: line refers to vertex 2 of 1"), "{error}");
    }

    #[test]
    fn wrong_corners_are_named() {
        let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 1\n";
        for (face, found) in [
            ("f 1 2 4", "line 4: face refers to vertex 4 of 3 (numbered from 1)"),
            ("f 0 1 2", "line 4: face refers to vertex 0 after 3 vertices"),
            ("f 1 2 -4", "line 4: face refers to vertex -4 after 3 vertices"),
            ("f 1 2 x", "line 4: vertex number expected, found \"x\""),
            ("f 1 2 9223372036854775807", "face refers to vertex 9223372036854775807"),
        ] {
            let error = read_text(&format!("{vertices}{face}\n")).unwrap_err().to_string();
            assert!(error.contains(found), "{face}: {error}");
        }
    }
}
