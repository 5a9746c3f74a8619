//! Reader of CARP lists of vertices, `.vtx`: the number of vertices, the word `intra` or `extra`,
//! then one vertex index per line, counted from 0.

use std::path::Path;

use crate::VertexData;
use crate::text::{Lines, show};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{Group, Members};

/// Reads a list. Its vertices become a group that is named after the file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if the declared number of vertices is 0 or wrong, if the
/// domain is neither `intra` nor `extra`, or if a vertex index is not an integer from 0 to
/// 4,294,967,295.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<VertexData, Flaw> {
    let mut lines = Lines::new(bytes).with_comments(b'#');
    let mut head = lines.row(format_args!("the number of vertices"))?;
    let n: u64 = head.number("the number of vertices")?;
    if n == 0 {
        return Err(head.fail("the list has no vertices", "export the list again"));
    }
    let mut domain = lines.row(format_args!("intra or extra"))?;
    let word = domain.next_word().unwrap_or_default();
    if ![&b"intra"[..], b"extra"].iter().any(|known| word.eq_ignore_ascii_case(known)) {
        let what = format!("intra or extra expected, found {}", show(word));
        return Err(domain.fail(what, "this is not a CARP list of vertices"));
    }
    let n = lines.promised(n, 1, "vertices")?;
    let mut vertices = Vec::with_capacity(n);
    for i in 0..n {
        let mut row = lines.row(format_args!("vertex {i} of {n}"))?;
        let number: i64 = row.number("the number of a vertex")?;
        let vertex = u32::try_from(number).map_err(|_| {
            let what = format!("vertex {number}, expected 0 to 4294967295");
            row.fail(what, "vertices are counted from 0")
        })?;
        vertices.push(vertex);
    }
    if lines.next_row().is_some() {
        let what = format!("{n} vertices declared, but more found");
        return Err(lines.fail(what, "the count is wrong: export the list again"));
    }
    vertices.sort_unstable();
    vertices.dedup();
    let members = Members::Simplices { dimension: 0, vertices };
    let groups = vec![Group { name: name(path), members }];
    Ok(VertexData { groups, ..VertexData::default() })
}

/// Returns the file name without `.vtx` and `.gz`.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".vtx").filter(|name| !name.is_empty()).unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<VertexData, Flaw> {
        read(Path::new("sub/apex pacing.vtx"), text.as_bytes())
    }

    #[test]
    fn rows_become_a_group() {
        for text in ["3\nintra\n7\n0\n7\n", "# sites\r\n3\r\nExtra\r\n0 \r\n7\r\n7"] {
            let found = read_text(text).unwrap();
            let members = Members::Simplices { dimension: 0, vertices: vec![0, 7] };
            assert_eq!(found.groups, [Group { name: "apex pacing".to_string(), members }]);
            assert!(found.arrays.is_empty() && found.partial.is_empty());
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, found) in [
            ("", "file ends where the number of vertices was expected"),
            ("0\nintra\n", "line 1: the list has no vertices"),
            ("1\n5\n", "line 2: intra or extra expected, found \"5\""),
            ("4000000000\nintra\n1\n", "4000000000 vertices declared"),
            ("2\nintra\n1    \n", "file ends where vertex 1 of 2 was expected"),
            ("1\nintra\n-1\n", "line 3: vertex -1, expected 0 to 4294967295"),
            ("1\nintra\n4294967296\n", "line 3: vertex 4294967296"),
            ("1\nintra\n1.5\n", "line 3: the number of a vertex expected, found \"1.5\""),
            ("1\nintra\n1\n2\n", "line 4: 1 vertices declared, but more found"),
        ] {
            let error = read_text(text).unwrap_err().in_file(Path::new("a.vtx")).to_string();
            assert!(error.contains(found), "{text:?}: {error}");
        }
    }
}
