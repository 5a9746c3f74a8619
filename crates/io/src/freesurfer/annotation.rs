//! Reader of FreeSurfer annotations (`lh.aparc.annot`): a region for each vertex of a surface, with
//! a table of names and colors. Numbers are big endian. A vertex refers to its region by the color
//! of the region.

use std::collections::HashMap;
use std::path::Path;

use super::{CUT, name};
use crate::VertexData;
use crate::bytes::Cursor;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{DataArray, Group, Members, Values};

/// A region of the table.
struct Region {
    index: i64,
    name: String,
    code: i32,
}

/// Reads an annotation. The resulting array holds, for each vertex, the number that the table gives
/// to the region of the vertex, or NaN if the vertex has no region. The numbers are integers if all
/// vertices have a region. The vertices of each region with a name become a group with that name.
///
/// Without a table, or with an empty one, the array holds the color codes from the file, and there
/// are no groups. Returns a [`Flaw`] with the byte position if the file is truncated, if it refers
/// to a vertex that it does not have, or if the version of the table is unknown.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<VertexData, Flaw> {
    let mut cursor = Cursor::new(bytes, 0, true);
    let n = count(&mut cursor, "vertices")?;
    let n = cursor.promised(n, 8, "vertices")?;
    let mut codes = vec![0_i32; n];
    for _ in 0..n {
        let vertex = cursor.i32("the number of a vertex")?;
        let code = cursor.i32("the color of a vertex")?;
        let slot = usize::try_from(vertex).ok().and_then(|v| codes.get_mut(v));
        let Some(slot) = slot else {
            let what = format!("vertex {vertex}, but the file has {n} vertices");
            return Err(cursor.fail(what, "the file is damaged: copy it again"));
        };
        *slot = code;
    }
    let mut array_name = name(path);
    if let Some(stem) = array_name.strip_suffix(".annot").filter(|stem| !stem.is_empty()) {
        array_name = stem.to_string();
    }
    let has_table = cursor.remaining() >= 4 && cursor.i32("the mark of the table")? != 0;
    let table = if has_table { table(&mut cursor)? } else { Vec::new() };
    let index: HashMap<i32, i64> = table.iter().rev().map(|r| (r.code, r.index)).collect();
    let number = |code: &i32| match table.is_empty() {
        true => Some(i64::from(*code)),
        false => index.get(code).copied(),
    };
    let numbers: Vec<Option<i64>> = codes.iter().map(number).collect();
    let groups = groups(&numbers, table);
    let or_nan = |number: &Option<i64>| number.map_or(f64::NAN, |number| number as f64);
    let values = match numbers.iter().copied().collect() {
        Some(numbers) => Values::Int(numbers),
        None => Values::Float(numbers.iter().map(or_nan).collect()),
    };
    let arrays = vec![DataArray { name: array_name, components: 1, values }];
    Ok(VertexData { arrays, groups, ..VertexData::default() })
}

/// Returns a group for each region that has a name and vertices. If several such regions have the
/// same name, only the first becomes a group.
fn groups(numbers: &[Option<i64>], table: Vec<Region>) -> Vec<Group> {
    let mut members: HashMap<i64, Vec<u32>> = HashMap::new();
    for (vertex, number) in (0_u32..).zip(numbers) {
        if let Some(number) = number {
            members.entry(*number).or_default().push(vertex);
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for Region { index, name, .. } in table {
        let vertices = members.remove(&index).unwrap_or_default();
        if !vertices.is_empty() && !name.is_empty() && !groups.iter().any(|g| g.name == name) {
            let members = Members::Simplices { dimension: 0, vertices };
            groups.push(Group { name, members });
        }
    }
    groups
}

fn count(cursor: &mut Cursor, what: &str) -> Result<u64, Flaw> {
    let n = cursor.i32(&format!("the number of {what}"))?;
    u64::try_from(n).map_err(|_| cursor.fail(format!("the number of {what} is {n}"), CUT))
}

/// Reads the table of regions, in its old form, which begins with the number of regions, or in
/// version 2, which begins with -2.
fn table(cursor: &mut Cursor) -> Result<Vec<Region>, Flaw> {
    let first = cursor.i32("the number of regions")?;
    if first >= 0 {
        text(cursor, "the name of the table")?;
        let n = cursor.promised(first as u64, 20, "regions")?;
        return (0..n as i64).map(|index| region(cursor, index)).collect();
    }
    if first != -2 {
        let what = format!("the table of regions has version {}", -i64::from(first));
        return Err(cursor.fail(what, "export the annotation again with FreeSurfer"));
    }
    cursor.i32("the largest number of regions")?;
    text(cursor, "the name of the table")?;
    let n = count(cursor, "regions")?;
    let n = cursor.promised(n, 24, "regions")?;
    let numbered = |cursor: &mut Cursor| {
        let index = i64::from(cursor.i32("the number of a region")?);
        region(cursor, index)
    };
    (0..n).map(|_| numbered(cursor)).collect()
}

fn region(cursor: &mut Cursor, index: i64) -> Result<Region, Flaw> {
    let name = text(cursor, "the name of a region")?;
    let mut code = 0_i32;
    for (shift, color) in ["red", "green", "blue", "the transparency"].into_iter().enumerate() {
        let value = cursor.i32(color)?;
        code = code.wrapping_add(value.wrapping_shl(8 * shift as u32));
    }
    Ok(Region { index, name, code })
}

/// Reads the length of a string and then the string. The length includes the zero byte at the end.
fn text(cursor: &mut Cursor, what: &str) -> Result<String, Flaw> {
    let n = count(cursor, &format!("bytes of {what}"))?;
    let n = cursor.promised(n, 1, "bytes")?;
    let bytes = cursor.take(n, what)?;
    let text = bytes.split(|&b| b == 0).next().unwrap_or_default();
    Ok(String::from_utf8_lossy(text).trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: i32) -> [u8; 4] {
        n.to_be_bytes()
    }

    fn text_bytes(text: &str) -> Vec<u8> {
        [&number(text.len() as i32 + 1)[..], text.as_bytes(), b"\0"].concat()
    }

    fn code([r, g, b]: [i32; 3]) -> i32 {
        r + 256 * g + 65_536 * b
    }

    const REGIONS: [(&str, [i32; 3]); 3] =
        [("unknown", [25, 5, 25]), ("insula", [255, 192, 32]), ("cuneus", [220, 20, 100])];

    /// Returns an annotation of four vertices with a table of the given version, or without a
    /// table.
    fn annotation(version: Option<i32>) -> Vec<u8> {
        let colors = [REGIONS[1].1, REGIONS[2].1, REGIONS[1].1, [1, 2, 3]];
        let mut bytes = number(4).to_vec();
        for (vertex, color) in colors.into_iter().enumerate() {
            bytes.extend([number(vertex as i32), number(code(color))].concat());
        }
        let Some(version) = version else { return bytes };
        bytes.extend(number(1));
        match version {
            1 => bytes.extend([&number(3)[..], &text_bytes("colors.txt")].concat()),
            _ => {
                bytes.extend([number(-version), number(40)].concat());
                bytes.extend([&text_bytes("colors.txt")[..], &number(3)].concat());
            }
        }
        for (index, (name, color)) in REGIONS.into_iter().enumerate() {
            if version == 2 {
                bytes.extend(number(10 * index as i32));
            }
            bytes.extend(text_bytes(name));
            bytes.extend(color.into_iter().chain([0]).flat_map(number));
        }
        bytes
    }

    #[test]
    fn regions_have_numbers_and_names() {
        for (version, [insula, cuneus]) in [(1, [1, 2]), (2, [10, 20])] {
            let found = read(Path::new("lh.aparc.annot"), &annotation(Some(version))).unwrap();
            let array = &found.arrays[0];
            assert_eq!(array.name, "aparc");
            let values = array.values.to_f64();
            assert_eq!(values[..3], [insula, cuneus, insula].map(f64::from));
            assert!(values[3].is_nan(), "the last vertex has no region");
            let group = |name: &str, vertices| Group {
                name: name.into(),
                members: Members::Simplices { dimension: 0, vertices },
            };
            assert_eq!(found.groups, [group("insula", vec![0, 2]), group("cuneus", vec![1])]);
        }
        let plain = read(Path::new("lh.x.annot"), &annotation(None)).unwrap();
        let expected = [REGIONS[1].1, REGIONS[2].1, REGIONS[1].1, [1, 2, 3]];
        let expected = expected.map(|color| i64::from(code(color))).to_vec();
        assert_eq!((&plain.arrays[0].values, plain.groups.len()), (&Values::Int(expected), 0));
    }

    #[test]
    fn every_cut_and_every_huge_count_is_refused() {
        for version in [1, 2] {
            let whole = annotation(Some(version));
            for n in (0..whole.len()).filter(|n| !(36..40).contains(n)) {
                assert!(read(Path::new("lh.a.annot"), &whole[..n]).is_err(), "{n} bytes");
            }
            for at in (0..whole.len() - 3).step_by(4) {
                let mut huge = whole.clone();
                huge[at..at + 4].copy_from_slice(&number(i32::MAX));
                // Reading may still succeed, but it must not panic or allocate memory for the huge
                // count.
                drop(read(Path::new("lh.a.annot"), &huge));
            }
        }
        let mut wrong = annotation(Some(2));
        wrong[4..8].copy_from_slice(&number(9));
        let error = read(Path::new("lh.a.annot"), &wrong).unwrap_err().to_string();
        assert!(error.contains("vertex 9, but the file has 4 vertices"), "{error}");
    }
}
