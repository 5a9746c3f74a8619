//! Tests with small handmade files for cases that the shared test data do not cover.

use super::*;
use zeroset_core::mesh::Kind;

fn read_bytes(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read(bytes)
}

const VERTEX: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
const POINTS: &str = "0 0 0\n1 0 0\n0 1 0\n1 1 1\n";

fn file(elements: &str, body: &str) -> String {
    format!("ply\nformat ascii 1.0\n{elements}end_header\n{body}")
}

#[test]
fn strips_are_cut_at_minus_one() {
    let strips = "element tristrips 1\nproperty list int int vertex_indices\n";
    let text = file(&format!("{VERTEX}{strips}"), &format!("{POINTS}8 0 1 2 3 -1 3 2 1\n"));
    let file = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(file.mesh.cells, [0, 1, 2, 2, 1, 3, 3, 2, 1]);
    assert_eq!(file.cells_by_type["triangle_strip"], 2);
}

#[test]
fn faces_before_vertices_and_any_line_end() {
    let face = "element face 2\nproperty uchar tag\nproperty list uchar uint vertex_index\n";
    let text = file(&format!("{face}{VERTEX}"), &format!("7 4 0 1 3 2\n8 3 0 1 2\n{POINTS}"));
    for text in [text.clone(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
        let file = read_bytes(text.as_bytes()).unwrap();
        assert_eq!(file.mesh.cells, [0, 1, 3, 0, 3, 2, 0, 1, 2]);
        let tags = Values::Int(vec![7, 7, 8]);
        assert_eq!(file.mesh.cell_array("tag").unwrap().values, tags, "a row per triangle");
        assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    }
}

#[test]
fn all_number_types_in_both_byte_orders() {
    let types = ["char", "uchar", "short", "ushort", "int", "uint", "float", "double"];
    let names = ["x", "y", "z", "d", "e", "f", "g", "h"];
    let properties: String =
        types.iter().zip(names).map(|(t, n)| format!("property {t} {n}\n")).collect();
    for (format, big_endian) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        let mut bytes =
            format!("ply\nformat {format} 1.0\nelement vertex 1\n{properties}end_header\n")
                .into_bytes();
        let values: [&[u8]; 8] = [
            &(-2i8).to_le_bytes(),
            &200u8.to_le_bytes(),
            &(-300i16).to_le_bytes(),
            &60_000u16.to_le_bytes(),
            &(-70_000i32).to_le_bytes(),
            &4_000_000_000u32.to_le_bytes(),
            &1.5f32.to_le_bytes(),
            &(-0.1f64).to_le_bytes(),
        ];
        for value in values {
            let mut value = value.to_vec();
            if big_endian {
                value.reverse();
            }
            bytes.extend(value);
        }
        let mesh = read_bytes(&bytes).unwrap().mesh;
        assert_eq!(mesh.vertices, [[-2.0, 200.0, -300.0]]);
        let values: Vec<_> = mesh.vertex_data.iter().map(|a| a.values.clone()).collect();
        let expected = [
            Values::Int(vec![60_000]),
            Values::Int(vec![-70_000]),
            Values::Int(vec![4_000_000_000]),
            Values::Float(vec![1.5]),
            Values::Float(vec![-0.1]),
        ];
        assert_eq!(values, expected);
        for length in 0..bytes.len() {
            assert!(read_bytes(&bytes[..length]).is_err(), "cut at {length}");
        }
    }
}

#[test]
fn lists_of_every_integer_type_in_both_byte_orders() {
    let types: [(&str, usize, bool); 8] = [
        ("char", 1, true),
        ("uint8", 1, false),
        ("short", 2, true),
        ("ushort", 2, false),
        ("int32", 4, true),
        ("uint", 4, false),
        ("int64", 8, true),
        ("ulong", 8, false),
    ];
    for (length, length_size, _) in types {
        for (item, size, signed) in types {
            for big_endian in [false, true] {
                let order = if big_endian { "big" } else { "little" };
                let mut bytes = format!(
                    "ply\nformat binary_{order}_endian 1.0\n{VERTEX}element tristrips 1\n\
                     property list {length} {item} vertex_indices\nend_header\n"
                )
                .into_bytes();
                let mut put = |little: &[u8]| {
                    let mut raw = little.to_vec();
                    if big_endian {
                        raw.reverse();
                    }
                    bytes.extend(raw);
                };
                (0..12_i16).for_each(|x| put(&f32::from(x % 5).to_le_bytes()));
                put(&8_u64.to_le_bytes()[..length_size]);
                // -1 ends the first strip. In unsigned lists of up to 32 bits, the largest number
                // takes its place.
                let wide = !signed && size == 8;
                for index in [0, 1, 2, 3, if wide { 3 } else { -1 }, 3, 2, 1] {
                    put(&i64::to_le_bytes(index)[..size]);
                }
                let mesh = read_bytes(&bytes).unwrap().mesh;
                if wide {
                    assert_eq!(mesh.n_cells(), 6, "{length} {item}");
                } else {
                    assert_eq!(mesh.cells, [0, 1, 2, 2, 1, 3, 3, 2, 1], "{length} {item}");
                }
            }
        }
    }
}

#[test]
fn points_without_z_lie_in_the_plane() {
    let elements = "element vertex 3\nproperty float x\nproperty float y\nelement face 1\n\
                    property list uchar int vertex_indices\nproperty list uchar float texcoord\n";
    let text = file(elements, "0 0\n1 0\n0 1\n3 0 1 2 0\n");
    let file = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(file.mesh.kind, Kind::Planar);
    let expected =
        ["vertices have no z, which is taken as 0", "list property texcoord of face is ignored"];
    assert_eq!(file.warnings, expected);
}

#[test]
fn faults_are_named_with_their_place() {
    let face = "element face 1\nproperty list char int vertex_indices\n";
    let faces =
        |elements: &str, row: &str| file(&format!("{VERTEX}{elements}"), &format!("{POINTS}{row}"));
    for (text, found) in [
        ("ply\nformat ascii 1.0\n".to_string(), "file ends where \"end_header\" was expected"),
        (file("element vertex 4\n", ""), "does not have the properties x and y"),
        (file("", ""), "the header has no element \"vertex\""),
        (file("element vertex -4\n", ""), "number of vertex elements expected, found \"-4\""),
        (file("property float x\n", ""), "property before any element"),
        (file("element vertex 4\nproperty quad x\n", ""), "number type expected, found \"quad\""),
        (file("hello\n", ""), "line 3: header keyword expected, found \"hello\""),
        ("ply\nformat text 1.0\nend_header\n".to_string(), "format \"text\" is unknown"),
        ("ply\nend_header\n".to_string(), "the header has no \"format\" line"),
        (file(&VERTEX.replace('4', "4000000000"), POINTS), "4000000000 vertices declared"),
        (file(&VERTEX.replace('4', "9999999999"), POINTS), "9999999999 vertices, at most"),
        (file(VERTEX, "0 0 0\n1 0 0\n0 nan 0\n1 1 1\n"), "vertex 2 (line 10): coordinate y is NaN"),
        (
            file(VERTEX, "0 0 0\n1 0\n0 1 0\n1 1 1.00\n"),
            "line 9: z expected, found the end of the line",
        ),
        (file(VERTEX, "0 0 0\n1 0 0 5\n0 1 0\n1 1 1\n"), "end of vertex 1 expected, found \"5\""),
        (faces(face, "3 0 1 4"), "face 0 (line 14): refers to vertex 4 of 4"),
        (faces(face, "3 0 1 -1"), "refers to vertex -1 of 4"),
        (faces(face, "3 0 1 1.5"), "refers to vertex 1.5, expected a whole"),
        (faces(face, "-3 0 1 2"), "length of a list is -3"),
        (faces(face, "4 0 1 2"), "line 14: vertex_indices expected, found the end of the line"),
        (
            faces(&face.replace("indices", "numbers"), "3 0 1 2"),
            "does not have the list vertex_indices",
        ),
        (faces(&face.replace("face 1", "face 2"), "3 0 1 2"), "file ends where face 1 of 2 was"),
    ] {
        let error = read_bytes(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(found), "{text:?}: {error}");
    }
}

#[test]
fn no_faces_need_no_list() {
    let text = file(&format!("{VERTEX}element face 0\n"), POINTS);
    assert_eq!(read_bytes(text.as_bytes()).unwrap().mesh.n_cells(), 0);
}

#[test]
fn what_no_element_accounts_for_is_said() {
    let file = read_bytes(file(VERTEX, &format!("{POINTS}2 2 2\n")).as_bytes()).unwrap();
    assert_eq!(file.warnings, ["ignored: text after the last element, from line 12 on"]);
}

#[test]
fn a_header_with_the_wrong_order_of_bytes_is_told_from_damage() {
    let face = "element face 1\nproperty list uchar int vertex_indices\n";
    for (stated, real, faces) in [
        ("binary_little_endian", "binary_big_endian", face),
        ("binary_big_endian", "binary_little_endian", face),
        ("binary_little_endian", "binary_big_endian", ""),
    ] {
        let mut bytes =
            format!("ply\nformat {stated} 1.0\n{VERTEX}{faces}end_header\n").into_bytes();
        let big_endian = real == "binary_big_endian";
        for x in [0.5_f32, 1.0, 0.0, 1.1, 0.0, 0.3, -7.25, 1.0, 1e3, 0.1, 0.2, 0.3] {
            bytes.extend(if big_endian { x.to_be_bytes() } else { x.to_le_bytes() });
        }
        if !faces.is_empty() {
            bytes.push(3);
            for k in [0_i32, 3, 2] {
                bytes.extend(if big_endian { k.to_be_bytes() } else { k.to_le_bytes() });
            }
        }
        let error = read_bytes(&bytes).unwrap_err().to_string();
        let expected = format!("the header states {stated}, but the numbers are {real}; correct");
        assert!(error.starts_with(&expected), "{error}");
        // If the file is also damaged, the error describes that damage.
        bytes.truncate(bytes.len() - 1);
        let error = read_bytes(&bytes).unwrap_err().to_string();
        assert!(!error.contains("header states"), "{error}");
    }
}

#[test]
fn long_texts_are_read_by_many_threads_and_their_faults_have_the_same_lines() {
    let n = 70_000;
    let elements = format!(
        "element vertex {n}\nproperty float x\nproperty float y\nproperty float z\nproperty int k\n\
         element face {n}\nproperty list uchar int vertex_indices\nproperty float q\n"
    );
    // The vertices are on a parabola, so that the quads are convex.
    let [y, z] = [|i: usize| (i * i) as f64, |i: usize| (i % 2) as f64 * 0.25];
    let vertex = |i: usize| format!("{i} {} {} {}\n", y(i), z(i), 3 * i);
    let face = |i: usize| match i % 3 {
        0 => format!("3 0 {i} 2 {i}.5\n"),
        1 => format!("4 0 1 2 {i} {i}.5\n\n"),
        _ => format!("2 1 {i} 7\n"),
    };
    let vertices: Vec<String> = (0..n).map(vertex).collect();
    let faces: Vec<String> = (0..n).map(face).collect();
    let whole = |vertices: &[String], faces: &[String]| {
        file(&elements, &(vertices.concat() + &faces.concat()))
    };
    let mesh = read_bytes(whole(&vertices, &faces).as_bytes()).unwrap().mesh;
    let place = |i: usize| [i as f64, y(i), z(i)];
    assert!(mesh.vertices.iter().enumerate().all(|(i, x)| *x == place(i)));
    let Values::Int(k) = &mesh.vertex_data[0].values else { panic!() };
    assert!(k.iter().enumerate().all(|(i, k)| *k == 3 * i as i64) && k.len() == n);
    let (cells, q): (Vec<_>, Vec<_>) = (0..n as u32)
        .flat_map(|i| {
            let of = |cell: [u32; 3]| (cell, f64::from(i) + 0.5);
            match i % 3 {
                0 => vec![of([0, i, 2])],
                1 => vec![of([0, 1, 2]), of([0, 2, i])],
                _ => vec![],
            }
        })
        .unzip();
    assert!(mesh.cells == cells.as_flattened());
    assert_eq!(mesh.cell_data[0].values, Values::Float(q));
    // Line numbers include the header.
    let header = file(&elements, "").lines().count();
    let mut wrong = vertices.clone();
    (wrong[60_000], wrong[65_000]) = ("1 2 x 4\n".into(), "1\n".into());
    let error = read_bytes(whole(&wrong, &faces).as_bytes()).unwrap_err().to_string();
    let line = format!("line {}: z expected, found \"x\"", header + 60_001);
    assert!(error.contains(&line), "{error}");
    let error = read_bytes(whole(&vertices, &faces[..n - 1]).as_bytes()).unwrap_err().to_string();
    let missing = format!("file ends where face {} of {n} was expected", n - 1);
    assert!(error.contains(&missing), "{error}");
    let mut wrong = faces.clone();
    wrong[69_999] = format!("3 0 1 {n} 2\n");
    let error = read_bytes(whole(&vertices, &wrong).as_bytes()).unwrap_err().to_string();
    let blank = (0..69_999).filter(|i| i % 3 == 1).count();
    let line = format!("face 69999 (line {})", header + n + 69_999 + blank + 1);
    assert!(error.contains(&line), "{error}");
}
