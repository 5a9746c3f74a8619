//! The headers of point files.

use super::{Attribute, CloudLayout};
use crate::unique_names::UnusedNames;
use zeroset_core::cloud::NumberType;

/// Returns the names of the attributes as words: characters other than letters, digits, `_`, `.`
/// and `-` become `_`. A name that is already taken gets a number.
pub(super) fn names(attributes: &[Attribute]) -> Vec<String> {
    let mut unused = UnusedNames::default();
    for name in ["x", "y", "z", "nx", "ny", "nz", "red", "green", "blue", "rgb", "Normals", "RGB"] {
        unused.of("column", name);
    }
    let letter = |c: char| if c.is_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    let word = |attribute: &Attribute| {
        let word: String = attribute.name.chars().map(letter).collect();
        // A word that reads as a number would make a row of names a row of numbers.
        match word.is_empty() || word.parse::<f64>().is_ok() {
            true => format!("attribute_{word}"),
            false => word,
        }
    };
    attributes.iter().map(|attribute| unused.of("column", &word(attribute))).collect()
}

/// Returns the names of all columns.
pub(super) fn columns(layout: CloudLayout, attributes: &[Attribute], separator: &str) -> String {
    let mut all: Vec<String> = ["x", "y", "z"].map(String::from).to_vec();
    if layout.normals {
        all.extend(["nx", "ny", "nz"].map(String::from));
    }
    if layout.colors {
        all.extend(["red", "green", "blue"].map(String::from));
    }
    all.extend(names(attributes));
    all.join(separator)
}

/// Returns the header of a PLY file.
pub(super) fn ply(layout: CloudLayout, attributes: &[Attribute], is_binary: bool) -> String {
    let encoding = if is_binary { "binary_little_endian" } else { "ascii" };
    let mut head = format!(
        "ply\nformat {encoding} 1.0\ncomment written by zeroset\nelement vertex {}\n",
        layout.n
    );
    let mut add = |kind: &str, name: &str| head += &format!("property {kind} {name}\n");
    ["x", "y", "z"].iter().for_each(|name| add("double", name));
    if layout.normals {
        ["nx", "ny", "nz"].iter().for_each(|name| add("float", name));
    }
    if layout.colors {
        ["red", "green", "blue"].iter().for_each(|name| add("uchar", name));
    }
    for (attribute, name) in attributes.iter().zip(names(attributes)) {
        let kind = match attribute.numbers.kind() {
            NumberType::U8 => "uchar",
            NumberType::I16 => "short",
            NumberType::U16 => "ushort",
            NumberType::I32 => "int",
            NumberType::U32 => "uint",
            NumberType::F32 => "float",
            NumberType::F64 => "double",
        };
        add(kind, &name);
    }
    head + "end_header\n"
}

/// Returns the header of a PCD file.
pub(super) fn pcd(layout: CloudLayout, attributes: &[Attribute]) -> String {
    let n = layout.n;
    let [mut fields, mut sizes, mut types, mut counts] = [const { String::new() }; 4];
    let mut add = |name: &str, size: usize, kind: char| {
        fields += &format!(" {name}");
        sizes += &format!(" {size}");
        types += &format!(" {kind}");
        counts += " 1";
    };
    ["x", "y", "z"].iter().for_each(|name| add(name, 8, 'F'));
    if layout.normals {
        ["normal_x", "normal_y", "normal_z"].iter().for_each(|name| add(name, 4, 'F'));
    }
    if layout.colors {
        add("rgb", 4, 'U');
    }
    for (attribute, name) in attributes.iter().zip(names(attributes)) {
        let (size, kind) = match attribute.numbers.kind() {
            NumberType::U8 => (1, 'U'),
            NumberType::I16 => (2, 'I'),
            NumberType::U16 => (2, 'U'),
            NumberType::I32 => (4, 'I'),
            NumberType::U32 => (4, 'U'),
            NumberType::F32 => (4, 'F'),
            NumberType::F64 => (8, 'F'),
        };
        add(&name, size, kind);
    }
    format!(
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS{fields}\nSIZE{sizes}\n\
         TYPE{types}\nCOUNT{counts}\nWIDTH {n}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\n\
         DATA binary\n"
    )
}
