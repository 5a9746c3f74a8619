//! Gmsh's MSH format: versions 1.0 and 4.0 as text, 2.0 to 2.2 and 4.1 as text and binary.
//!
//! The elements of highest dimension are the domain, split into triangles or tetrahedra if
//! necessary. Physical groups of that dimension become groups of cells, and those of lower
//! dimensions become groups of simplices. A group is named by `$PhysicalNames`, or else by its
//! number. Node and element data are read and written too.

mod data;
mod elements;
mod mshio_adapter;
mod nodes;
mod partitioned;
mod source;
#[cfg(test)]
mod tests;
mod v1;
mod v2;
mod v4;
mod v40;
mod v41;
mod write;

use std::fmt::Display;

use super::MeshFile;
use super::elements::Names;
use super::text::{show, words};
use source::{Encoding, Source};
pub(super) use write::write;
use zeroset_core::error::{Flaw, Result};

/// The remedy for a file that violates the format.
const AGAIN: &str = "the file is damaged: export the mesh again";
const TO_41: &str = "convert it with `gmsh in.msh -save -format msh41 -o out.msh`";

/// Reads an MSH file.
///
/// # Errors
/// Returns a [`Flaw`] that names the line (text) or byte (binary) if the version is not supported,
/// if a section ends early, if the file cannot hold the declared counts, if a coordinate is not
/// finite, or if an element has an unknown type or unknown nodes.
pub(crate) fn read(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    let mut source = Source::new(bytes);
    loop {
        match source.next_section()? {
            Some("MeshFormat") => break,
            Some("NOD") => return v1::read(source),
            Some("Comments") => {
                source.skip_section("Comments")?;
            }
            other => {
                let found = other.map_or("the end of the file".to_string(), |n| format!("${n}"));
                let what = format!("$MeshFormat expected, found {found}");
                return Err(source.fail(what, "this is not a complete MSH file"));
            }
        }
    }
    let begin = source.at;
    let line = source.line();
    let behind = std::mem::replace(&mut source.at, begin);
    let mut row = words(line).map(|w| String::from_utf8_lossy(w).into_owned());
    let (version, kind) = (row.next().unwrap_or_default(), row.next().unwrap_or_default());
    let size = row.next().unwrap_or_default();
    let bad = |what: String| source.fail(what, "the header is damaged: export the file again");
    let binary = match kind.as_str() {
        "0" => false,
        "1" => true,
        _ => return Err(bad(format!("file type 0 or 1 expected, found {}", show(line)))),
    };
    let size = match size.as_str() {
        "8" => 8,
        "4" => 4,
        _ => return Err(bad(format!("data size 4 or 8 expected, found {}", show(line)))),
    };
    enum Reader {
        V2,
        V4(v4::Minor),
    }
    let reader = match version.parse::<f64>() {
        Ok(v) if (2.0..3.0).contains(&v) => Reader::V2,
        Ok(4.0) if !binary => Reader::V4(v4::Minor::V40),
        Ok(4.1) => Reader::V4(v4::Minor::V41),
        number => {
            let is_40 = number == Ok(4.0);
            let found = if is_40 { "4.0 binary" } else { &version };
            let what = format!(
                "MSH version {found} is not supported, only 1.0, 2.0 to 2.2, 4.0 as text, 4.1"
            );
            return Err(source.fail(what, TO_41));
        }
    };
    source.at = behind;
    if binary {
        source.encoding = Encoding::Binary { big_endian: big_endian(&mut source)?, size };
    }
    source.end_section("MeshFormat")?;
    let version = format!("{version} {}", if binary { "binary" } else { "ascii" });
    match reader {
        Reader::V2 => v2::read(source, version),
        Reader::V4(minor) => v4::read(source, minor, version),
    }
}

/// Returns true for big-endian data, as determined from the number 1, which follows the header of
/// binary files.
fn big_endian(source: &mut Source) -> Result<bool, Flaw> {
    source.encoding = Encoding::Binary { big_endian: false, size: 4 };
    match source.int("the number 1")? {
        1 => Ok(false),
        0x0100_0000 => Ok(true),
        other => {
            let what = format!("the number 1 in either byte order expected, found {other:#010x}");
            Err(source.fail(
                what,
                "the file is damaged, perhaps by a transfer in text mode: transfer it again",
            ))
        }
    }
}

/// Reads $PhysicalNames, which is text even in binary files.
fn physical_names(source: &mut Source) -> Result<Names, Flaw> {
    let n: u64 = source.text("number of physical names")?;
    let n = source.promised(n, 2, 4, "physical names")?;
    source.line();
    let mut names = Names::new();
    for i in 0..n {
        let begin = source.at;
        let line = String::from_utf8_lossy(source.line()).into_owned();
        let behind = std::mem::replace(&mut source.at, begin);
        let Some((head, name)) = line.split_once('"').map(|(h, n)| (h, n.trim_end_matches('"')))
        else {
            let what =
                format!("physical name {i} of {n} expected, found {}", show(line.as_bytes()));
            return Err(source.fail(what, "export the file again"));
        };
        let numbers: Vec<i64> = head.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        let key = match *numbers {
            [dimension, number] => (usize::try_from(dimension).ok(), number),
            [number] => (None, number),
            _ => return Err(source.fail(format!("numbers of group \"{name}\" expected"), AGAIN)),
        };
        names.insert(key, name.to_string());
        source.at = behind;
    }
    source.end_section("PhysicalNames")?;
    Ok(names)
}

/// Creates the error for an element that refers to a node that does not exist.
fn unknown_node(
    source: &Source,
    element: impl Display,
    node: impl Display,
    n_nodes: usize,
) -> Flaw {
    let what =
        format!("element {element} refers to node {node}, which is not among the {n_nodes} nodes");
    source.fail(what, "the file is damaged: export it again")
}
