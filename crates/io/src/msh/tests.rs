//! Tests with small handmade files for cases that the shared test data do not cover.

use super::*;
use zeroset_core::mesh::{Kind, Members};

fn read_bytes(bytes: &[u8]) -> Result<MeshFile, Flaw> {
    read(bytes)
}

fn refusal(bytes: &[u8]) -> String {
    read_bytes(bytes).unwrap_err().to_string()
}

/// A writer of binary numbers in either byte order.
struct Writer {
    bytes: Vec<u8>,
    big_endian: bool,
    size: usize,
}

impl Writer {
    fn new(version: &str, big_endian: bool, size: usize) -> Self {
        let bytes = format!("$MeshFormat\n{version} 1 {size}\n").into_bytes();
        let mut writer = Writer { bytes, big_endian, size };
        writer.ints(&[1]).text("\n$EndMeshFormat\n");
        writer
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self
    }

    fn raw(&mut self, mut little: Vec<u8>) {
        if self.big_endian {
            little.reverse();
        }
        self.bytes.extend(little);
    }

    fn ints(&mut self, values: &[i32]) -> &mut Self {
        values.iter().for_each(|v| self.raw(v.to_le_bytes().to_vec()));
        self
    }

    fn sizes(&mut self, values: &[u64]) -> &mut Self {
        values.iter().for_each(|v| self.raw(v.to_le_bytes()[..self.size].to_vec()));
        self
    }

    fn reals(&mut self, values: &[f64]) -> &mut Self {
        values.iter().for_each(|v| self.raw(v.to_le_bytes().to_vec()));
        self
    }
}

/// Creates a file with a tetrahedron, one face of which is in a group. The nodes are numbered 40,
/// 10, 30 and 20, in this order.
fn binary_41(big_endian: bool, size: usize) -> Vec<u8> {
    let mut file = Writer::new("4.1", big_endian, size);
    file.text("$PhysicalNames\n1\n2 7 \"a face\"\n$EndPhysicalNames\n$Entities\n");
    file.sizes(&[1, 0, 1, 1]);
    file.ints(&[5]).reals(&[0.0; 3]).sizes(&[0]);
    file.ints(&[1]).reals(&[0.0; 6]).sizes(&[1]).ints(&[-7]).sizes(&[1]).ints(&[5]);
    file.ints(&[2]).reals(&[0.0; 6]).sizes(&[2]).ints(&[3, 4]).sizes(&[0]);
    file.text("\n$EndEntities\n$Nodes\n").sizes(&[2, 4, 10, 40]);
    file.ints(&[2, 1, 0]).sizes(&[3, 40, 10, 30]);
    file.reals(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    file.ints(&[3, 2, 0]).sizes(&[1, 20]).reals(&[0.0, 0.0, 1.0]);
    file.text("\n$EndNodes\n$Elements\n").sizes(&[2, 2, 1, 2]);
    file.ints(&[2, 1, 2]).sizes(&[1, 1, 40, 10, 30]);
    file.ints(&[3, 2, 4]).sizes(&[1, 2, 40, 10, 30, 20]);
    file.text("\n$EndElements\n");
    file.bytes
}

#[test]
fn version_41_in_all_byte_orders_and_with_nodes_in_any_order() {
    for (big_endian, size) in [(false, 8), (true, 8), (false, 4), (true, 4)] {
        let mesh = read_bytes(&binary_41(big_endian, size)).unwrap().mesh;
        assert_eq!(mesh.kind, Kind::Volume);
        assert_eq!(mesh.cells, [0, 1, 2, 3], "tags, not positions, name nodes");
        assert_eq!(mesh.vertices[3], [0.0, 0.0, 1.0]);
        let names: Vec<_> = mesh.groups.iter().map(|g| g.name.as_str()).collect();
        assert_eq!(names, ["3", "4", "a face"], "one entity may be in two groups");
        assert_eq!(mesh.groups[1].members, Members::Cells(vec![0]));
        let face = Members::Simplices { dimension: 2, vertices: vec![0, 1, 2] };
        assert_eq!(mesh.groups[2].members, face);
    }
    // Tags 1 to 4 without gaps, but not in ascending order.
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n4\n1\n3\n2\n\
                0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 4 1 3 2\n\
                $EndElements\n";
    assert_eq!(read_bytes(text.as_bytes()).unwrap().mesh.cells, [0, 1, 2, 3]);
    let mesh = read_bytes(text.replace('\n', "\r\n").as_bytes()).unwrap().mesh;
    assert_eq!(mesh.cells, [0, 1, 2, 3], "line ends of Windows");
}

#[test]
fn version_41_coordinates_as_text_are_the_nearest_doubles() {
    // Numbers halfway between two doubles, extreme doubles, and numbers with more digits than a
    // double.
    let mut words: Vec<String> = [
        "9007199254740993",
        "9007199254740992.99999999999999999999",
        "9007199254740993.00000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "-0",
        "+7.5",
        ".5",
        "5.",
        "1E5",
        "0.1000000000000000055511151231257827021181583404541015625",
        "-1.00000000000000011102230246251565404236316680908203125",
    ]
    .map(String::from)
    .to_vec();
    // Pseudo-random doubles, each in up to four notations.
    let mut bits = 0x0123_4567_89ab_cdef_u64;
    while words.len() < 6_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = f64::from_bits(bits ^ bits >> 29);
        if x.is_finite() {
            words.extend([format!("{x:e}"), format!("{x:.16e}"), format!("{x:.20e}")]);
            if x.abs() < 1e30 && x.abs() > 1e-30 {
                words.push(format!("{x:.25}"));
            }
        }
    }
    words.truncate(words.len() / 3 * 3);
    let n = words.len() / 3;
    let tags: String = (1..=n).map(|tag| format!("{tag}\n")).collect();
    let rows: String = words.chunks(3).map(|row| row.join(" ") + "\n").collect();
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {n} 1 {n}\n2 1 0 {n}\n{tags}{rows}$EndNodes\n\
         $Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n"
    );
    let file = read_bytes(text.as_bytes()).unwrap();
    for (word, found) in words.iter().zip(file.mesh.vertices.iter().flatten()) {
        let nearest: f64 = word.parse().unwrap();
        assert_eq!(found.to_bits(), nearest.to_bits(), "{word}: {found:e}, not {nearest:e}");
    }
}

#[test]
fn version_41_cut_anywhere_is_refused() {
    let whole = binary_41(false, 8);
    let nodes = whole.windows(9).position(|w| w == b"$EndNodes").unwrap() + 9;
    for length in 0..whole.len() - 1 {
        let outcome = read_bytes(&whole[..length]);
        // A file may end after $EndNodes. It then holds only points.
        assert!(outcome.is_err() || (nodes..nodes + 2).contains(&length), "cut at {length}");
    }
}

#[test]
fn version_41_with_wrong_counts_is_refused_at_once() {
    let file = |nodes: &str, elements: &str| {
        format!(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n{nodes}\n$EndNodes\n$Elements\n\
             {elements}\n$EndElements\n"
        )
    };
    let (nodes, elements) =
        ("1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0", "1 1 1 1\n2 1 2 1\n1 1 2 3");
    assert_eq!(read_bytes(file(nodes, elements).as_bytes()).unwrap().mesh.n_cells(), 1);
    for (nodes, elements, found) in [
        ("1 4000000000 1 9\n2 1 0 3", elements, "line 5: 4000000000 nodes declared"),
        ("1 18446744073709551615 1 9", elements, "nodes, at most"),
        ("18446744073709551615 0 0 0", elements, "$EndNodes found where block of nodes 0 of"),
        ("1 3 1 3\n2 1 0 -3", elements, "number of nodes in a block expected, found \"-3\""),
        ("1 3 1 3\n4 1 1 3", elements, "line 6: block 0 of dimension 4 is parametric (1)"),
        ("1 3 1 3\n2 1 0 3\n1\n2\n2\n0 0 0\n1 0 0\n0 1 0", elements, "two nodes have the tag 2"),
        ("1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 nan 0\n0 1 0", elements, "y of node 2 is NaN"),
        ("1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 1e999 0\n0 1 0", elements, "y of node 2 is inf"),
        ("1 4 1 4\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0", elements, "4 nodes declared, 3 found"),
        (nodes, "1 1 1 1\n2 1 2 4000000000\n1 1 2 3", "4000000000 elements in a block declared"),
        (
            nodes,
            "1 1 1 1\n2 1 2 1\n1 1 2 4",
            "element 1 refers to node 4, which is not among the 3 nodes",
        ),
        (nodes, "1 1 1 1\n2 1 2 1\n1 1 2", "$EndElements found where a node was"),
        (nodes, "1 1 1 1\n2 1 34 1\n1 1 2 3", "elements of type 34 are not supported"),
        (nodes, "1 1 1 1\n2 1 99999999999 1\n1 1 2 3", "elements of type 99999999999"),
        (nodes, "1 2 1 1\n2 1 2 1\n1 1 2 3", "2 elements declared, 1 found"),
    ] {
        let error = refusal(file(nodes, elements).as_bytes());
        assert!(error.contains(found), "{nodes:?} {elements:?}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn version_41_with_words_that_are_no_numbers_is_refused_at_their_line() {
    let file = |entities: &str, nodes: &str, elements: &str| {
        format!(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n{entities}\n$EndEntities\n$Nodes\n\
             1 3 1 3\n2 1 0 3\n1\n2\n3\n{nodes}\n$EndNodes\n$Elements\n1 2 1 2\n2 1 2 2\n\
             {elements}\n$EndElements\n"
        )
    };
    let entities = "1 0 1 0\n7 0 0 0 0\n1 0 0 0 1 1 0 1 5 0";
    let (nodes, elements) = ("0 0 0\n1 0 0\n0 1 0", "1 1 2 3\n2 1 3 2");
    let good = read_bytes(file(entities, nodes, elements).as_bytes()).unwrap();
    assert_eq!(good.mesh.groups[0].name, "5");
    let surface = "1 0 1 0\n7 0 0 0 0\n1 0 0 0 1 x 0 1 5 0";
    let short = "1 0 1 0\n7 0 0 0 0\n1 0 0 0 1 1 0 2 5";
    let long = "1 0 1 0\n7 0 0 0 0\n1 0 0 0 1 1 0 1 5 0 8";
    for (entities, nodes, elements, found) in [
        (
            surface,
            nodes,
            elements,
            "line 7: max x-coordinate of surface entity (1 of 1) expected, found \"x\"",
        ),
        (short, nodes, elements, "line 8: Expected 2 valid physical tags"),
        (long, nodes, elements, "line 7: $EndEntities expected, found \"8\""),
        (
            entities,
            "0 0 0\n1 0 0.5.5\n0 1 0",
            elements,
            "line 16: a coordinate expected, found \"0.5.5\"",
        ),
        (
            entities,
            "0 0 0\n1 0 0\n0 1 x1",
            elements,
            "line 17: a coordinate expected, found \"x1\"",
        ),
        (
            entities,
            "0 0 0\n1 0 0\n0 1",
            elements,
            "line 18: $EndNodes found where coordinates of a node",
        ),
        (entities, nodes, "1 1 2 3\n2 1 -3 2", "line 23: a node expected, found \"-3\""),
        (entities, nodes, "1 1 2 3\n2 1 3 2.5", "line 23: a node expected, found \"2.5\""),
        (
            entities,
            nodes,
            "1 1 2 3\n2 1 9 2",
            "line 23: element 2 refers to node 9, which is not among the 3 nodes",
        ),
        (entities, nodes, "1 1 2 3\n2 1 3 2 4", "$EndElements expected, found \"4\""),
    ] {
        let error = refusal(file(entities, nodes, elements).as_bytes());
        assert!(error.contains(found), "{entities:?} {nodes:?} {elements:?}: {error}");
        assert!(!error.contains('\n') && error.contains("; "), "{error}");
    }
}

#[test]
fn version_41_with_tags_that_run_backwards() {
    // Tags run backward from n to 1. Element k has the nodes k, k + 1, k + 2.
    let n = 5_000_u64;
    let tags: String = (1..=n).rev().map(|tag| format!("{tag}\n")).collect();
    let places: Vec<String> = (1..=n).rev().map(|tag| format!("{tag} {} 0\n", tag % 7)).collect();
    let lines: Vec<String> =
        (1..=n - 2).map(|k| format!("{k} {k} {} {}\n", k + 1, k + 2)).collect();
    let text = |places: &[String], lines: &[String]| {
        format!(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {n} 1 {n}\n2 1 0 {n}\n{tags}{}$EndNodes\n\
             $Elements\n1 {m} 1 {m}\n2 1 2 {m}\n{}$EndElements\n",
            places.concat(),
            lines.concat(),
            m = lines.len()
        )
    };
    let mut file = Writer::new("4.1", true, 8);
    file.text("$Nodes\n").sizes(&[1, n, 1, n]).ints(&[2, 1, 0]).sizes(&[n]);
    file.sizes(&(1..=n).rev().collect::<Vec<_>>());
    for tag in (1..=n).rev() {
        file.reals(&[tag as f64, (tag % 7) as f64, 0.0]);
    }
    file.text("\n$EndNodes\n$Elements\n").sizes(&[1, n - 2, 1, n - 2]);
    file.ints(&[2, 1, 2]).sizes(&[n - 2]);
    for k in 1..=n - 2 {
        file.sizes(&[k, k, k + 1, k + 2]);
    }
    file.text("\n$EndElements\n");
    let (as_text, as_bytes) = (text(&places, &lines).into_bytes(), file.bytes);
    for bytes in [as_text, as_bytes.clone()] {
        let mesh = read_bytes(&bytes).unwrap().mesh;
        let expected = (1..=n).rev().map(|tag| [tag as f64, (tag % 7) as f64, 0.0]);
        assert!(mesh.vertices.iter().copied().eq(expected));
        let expected = (1..=n as u32 - 2).flat_map(|k| [k, k + 1, k + 2]);
        assert!(mesh.cells.iter().map(|&v| n as u32 - v).eq(expected));
    }
    let (mut nan, mut far) = (places.clone(), lines.clone());
    nan[4_000] = "1 nan 0\n".to_string();
    far[4_321] = "4322 1 2 5001\n".to_string();
    let line = 6 + n + 4_001;
    let error = refusal(text(&nan, &lines).as_bytes());
    assert!(error.contains(&format!("line {line}: y of node 1000 is NaN")), "{error}");
    let line = 6 + 2 * n + 4 + 4_322;
    let error = refusal(text(&places, &far).as_bytes());
    assert!(error.contains(&format!("line {line}: element 4322 refers to node 5001")), "{error}");
    let mut bytes = as_bytes;
    let at = bytes.len() - "\n$EndElements\n".len() - 8;
    bytes[at] = 1;
    let error = refusal(&bytes);
    assert!(error.contains(&format!("byte {}: element 4998 refers to", at + 8)), "{error}");
}

#[test]
fn version_41_prisms_of_second_order() {
    let mut file = Writer::new("4.1", false, 8);
    file.text("$Nodes\n").sizes(&[1, 18, 1, 18]).ints(&[3, 1, 0]).sizes(&[18]);
    file.sizes(&(1..=18).collect::<Vec<_>>());
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let of = |k: usize| [corners[k % 3][0], corners[k % 3][1], (k / 3) as f64];
    for k in 0..18 {
        file.reals(&of(k));
    }
    file.text("\n$EndNodes\n$Elements\n").sizes(&[1, 2, 1, 2]).ints(&[3, 1, 13]).sizes(&[2]);
    for tag in 1..=2 {
        file.sizes(&[tag]).sizes(&(1..=18).collect::<Vec<_>>());
    }
    file.text("\n$EndElements\n");
    assert_eq!(read_bytes(&file.bytes).unwrap().mesh.n_cells(), 6);
}

/// Checks that a file in which any one byte is changed is either read or rejected with a one-line
/// message.
#[test]
fn version_41_with_any_byte_changed() {
    let text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 1 0\n7 0 0 0 0\n\
                1 0 0 0 1 1 0 1 5 0\n$EndEntities\n$Nodes\n2 4 1 4\n2 1 0 3\n1\n2\n3\n0 0 0\n\
                1 0 0\n0 1 0\n1 1 1 1\n4\n1 1 0 .5\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n\
                1 1 2 3\n1 1 1 1\n2 1 4\n$EndElements\n";
    for whole in [text.as_bytes().to_vec(), binary_41(false, 8), binary_41(true, 4)] {
        assert!(read_bytes(&whole).is_ok());
        for at in 0..whole.len() {
            for byte in [0, 1, 7, b' ', b'\n', b'-', b'0', b'9', b'.', b'$', b'e', 0x7f, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                if let Err(error) = read_bytes(&bytes) {
                    let error = error.to_string();
                    assert!(!error.contains('\n') && error.contains("; "), "{error}");
                }
            }
        }
    }
}

fn binary_22(big_endian: bool) -> Vec<u8> {
    let mut file = Writer::new("2.2", big_endian, 8);
    file.text("$Nodes\n4\n");
    for (number, x) in
        [(9, [0.0; 3]), (2, [1.0, 0.0, 0.0]), (3, [1.0, 1.0, 0.0]), (4, [0.0, 1.0, 0.0])]
    {
        file.ints(&[number]).reals(&x);
    }
    file.text("\n$EndNodes\n$Elements\n3\n");
    file.ints(&[1, 2, 2]).ints(&[1, 5, 1, 9, 2]).ints(&[2, 0, 1, 2, 3]);
    file.ints(&[3, 1, 1]).ints(&[3, 6, 9, 2, 3, 4]);
    file.text("\n$EndElements\n");
    file.bytes
}

#[test]
fn version_22_in_both_byte_orders() {
    for big_endian in [false, true] {
        let file = read_bytes(&binary_22(big_endian)).unwrap();
        assert_eq!((file.mesh.kind, file.version.as_str()), (Kind::Planar, "2.2 binary"));
        assert_eq!(file.mesh.cells, [0, 1, 2, 0, 2, 3], "a quad is cut in two");
        let simplices = |vertices| Members::Simplices { dimension: 1, vertices };
        let groups: Vec<_> = file.mesh.groups.into_iter().map(|g| (g.name, g.members)).collect();
        let expected = [
            ("6".to_string(), Members::Cells(vec![0, 1])),
            ("5".to_string(), simplices(vec![0, 1])),
            ("lines".to_string(), simplices(vec![1, 2])),
        ];
        assert_eq!(groups, expected);
    }
    let whole = binary_22(false);
    let nodes = whole.windows(9).position(|w| w == b"$EndNodes").unwrap() + 9;
    for length in 0..whole.len() - 1 {
        let outcome = read_bytes(&whole[..length]);
        assert!(outcome.is_err() || (nodes..nodes + 2).contains(&length), "cut at {length}");
    }
}

#[test]
fn version_22_with_faults_is_refused() {
    let file = |nodes: &str, elements: &str| {
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 \"no dimension\"\n\
             $EndPhysicalNames\n$Nodes\n{nodes}\n$EndNodes\n$Elements\n{elements}\n$EndElements\n"
        )
    };
    let (nodes, elements) = ("3\n1 0 0 0\n2 1 0 0\n3 0 1 0", "1\n1 2 2 1 1 1 2 3");
    let good = read_bytes(file(nodes, elements).as_bytes()).unwrap();
    assert_eq!(good.mesh.groups[0].name, "no dimension");
    for (nodes, elements, found) in [
        ("4000000000\n1 0 0 0", elements, "line 9: 4000000000 nodes declared"),
        ("-3\n1 0 0 0", elements, "line 9: number of nodes expected, found \"-3\""),
        ("1\n1 0 nan 0.000", elements, "line 10: y of node 1 is NaN"),
        ("1\n1 0 x 0", elements, "line 10: y expected, found \"x\""),
        ("2\n1 0 0 0\n1 0 0 0", elements, "two nodes have number 1"),
        ("1\n-1 0 0 0", elements, "node number -1 is negative"),
        (nodes, "4000000000\n1 2 2 1 1 1 2 3", "line 15: 4000000000 elements declared"),
        (
            nodes,
            "1\n1 2 2 1 1 1 2 9",
            "line 16: element 1 refers to node 9, which is not among the 3 nodes",
        ),
        (nodes, "1\n1 2 2 1 1 1 2 -3", "element 1 refers to node -3"),
        (nodes, "1\n1 34 2 1 1 1 2 3", "element 1 has the unknown type 34"),
        (nodes, "1\n1 2 -1 1 1 1 2 3", "element 1 has -1 tags"),
        (nodes, "1\n1 2 2 1 1 1 2", "line 17: $EndElements found where a node was expected"),
    ] {
        let error = refusal(file(nodes, elements).as_bytes());
        assert!(error.contains(found), "{nodes:?} {elements:?}: {error}");
    }
}

#[test]
fn headers_that_cannot_serve() {
    for (text, found) in [
        (
            "$MeshFormat\n4 1 8\n",
            "line 2: MSH version 4.0 binary is not supported, only 1.0, 2.0 to",
        ),
        ("$MeshFormat\n5.0 0 8\n", "MSH version 5.0 is not supported"),
        ("$NOD\n1\n", "line 2: 1 nodes declared"),
        ("$MeshFormat\n4.1 2 8\n", "line 2: file type 0 or 1 expected, found \"4.1 2 8\""),
        ("$MeshFormat\n4.1 0 16\n", "data size 4 or 8 expected"),
        ("$MeshFormat\n4.1 1 8\nabcd", "the number 1 in either byte order expected"),
        ("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "no section $Nodes"),
        ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n0\n$EndNodes\n", "holds no vertices"),
        ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Odd\n1\n", "file ends where $EndOdd was expected"),
        (
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\nhello\n",
            "line 4: $Section expected, found \"hello\"",
        ),
    ] {
        let error = refusal(text.as_bytes());
        assert!(error.contains(found), "{text:?}: {error}");
    }
}

#[test]
fn solids_beside_tetrahedra_and_lines_alone() {
    let file = |elements: &str| {
        let nodes: String = (1..=8).map(|i| format!("{i} {i} {} 0\n", i * i)).collect();
        let text = format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}$EndNodes\n$Elements\n\
             {elements}\n$EndElements\n$ElementNodeData\n1\n$EndElementNodeData\n"
        );
        read_bytes(text.as_bytes()).unwrap()
    };
    let mixed = file("3\n1 4 1 9 1 2 3 4\n2 7 1 9 1 2 3 4 5\n3 4 1 9 2 3 4 5");
    assert_eq!((mixed.mesh.n_cells(), mixed.mesh.kind), (4, Kind::Volume));
    assert_eq!(mixed.mesh.groups[0].members, Members::Cells(vec![0, 1, 2, 3]));
    let expected =
        ["data in $ElementNodeData is ignored", "1 pyramid cell is split into tetrahedra"];
    assert_eq!(mixed.warnings, expected);
    let lines = file("1\n1 1 1 9 1 2");
    assert_eq!((lines.mesh.n_cells(), lines.mesh.kind), (0, Kind::Surface));
    assert_eq!(lines.mesh.groups[0].name, "9");
    assert!(lines.warnings[1].contains("lines cannot form a domain"), "{:?}", lines.warnings);
}

#[test]
fn data_of_nodes_and_elements_find_their_rows() {
    let text = |version: &str, nodes: &str, elements: &str, rows: &str| {
        format!(
            "$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$Nodes\n{nodes}$EndNodes\n$Elements\n\
             {elements}$EndElements\n$NodeData\n1\n\"a b\"\n1\n0.5\n3\n0\n1\n2\n7 2.5\n5 nan\n\
             $EndNodeData\n$ElementData\n1\n\"v\"\n0\n4\n0\n3\n{rows}$EndElementData\n"
        )
    };
    let v2 = text(
        "2.2",
        "4\n5 0 0 0\n6 1 0 0\n7 0 1 0\n8 1 1 0\n",
        "3\n1 1 0 5 6\n2 3 0 5 6 8 7\n9 2 0 5 6 7\n",
        "2\n1\n9 1 2 3\n2 4 5 6\n",
    );
    let v4 = text(
        "4.1",
        "1 4 5 8\n2 1 0 4\n5\n6\n7\n8\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n",
        "3 3 1 9\n1 1 1 1\n1 5 6\n2 1 3 1\n2 5 6 8 7\n2 1 2 1\n9 5 6 7\n",
        "2\n1\n9 1 2 3\n2 4 5 6\n",
    );
    for text in [v2, v4] {
        let mesh = read_bytes(text.as_bytes()).unwrap().mesh;
        let data = &mesh.vertex_data[0];
        assert_eq!((data.name.as_str(), data.components), ("a b", 1));
        let values = data.values.to_f64();
        assert!(values[0].is_nan() && values[1].is_nan() && values[3].is_nan());
        assert_eq!(values[2], 2.5);
        // The quad was split into two triangles.
        let rows = mesh.cell_array("v").unwrap().values.to_f64();
        assert_eq!(rows, [4.0, 5.0, 6.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    }
    let v2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$NodeData\n";
    for (section, found) in [
        ("0\n0\n3\n0\n12\n1\n1 1\n$EndNodeData\n", "1 rows of 12 numbers, expected 1 to 9 numbers"),
        ("0\n0\n3\n0\n1\n1000\n1 1\n$EndNodeData\n", "1000 rows of data declared"),
        ("0\n0\n3\n0\n1\n1\n1 x\n$EndNodeData\n", "a value expected, found \"x\""),
    ] {
        let error = refusal(format!("{v2}{section}").as_bytes());
        assert!(error.contains(found), "{error}");
    }
}

#[test]
fn parameters_of_nodes_are_passed_over() {
    let elements = "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n";
    let v41 = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n3 3 1 3\n0 1 1 1\n1\n0 0 0\n\
         1 1 1 1\n2\n1 0 0 0.5\n2 1 1 1\n3\n0 1 0 0.5 0.25\n$EndNodes\n{elements}"
    );
    let v40 = "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n1 0 1 0\n4 0 0 0 0 0 0 0\n\
               1 0 0 0 1 1 0 1 9 0\n$EndEntities\n$Nodes\n3 3\n4 0 1 1\n1 0 0 0\n\
               1 1 1 1\n2 1 0 0 0.5\n1 2 1 1\n3 0 1 0 0.5 0.25\n$EndNodes\n\
               $Elements\n1 1\n1 2 2 1\n1 1 2 3\n$EndElements\n";
    let v2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n3\n1 0 0 0 0 1\n\
              2 1 0 0 1 1 0.5\n3 0 1 0 2 1 0.5 0.25\n$EndParametricNodes\n\
              $Elements\n1\n1 2 2 9 1 1 2 3\n$EndElements\n";
    for text in [v41.as_str(), v40, v2] {
        let mesh = read_bytes(text.as_bytes()).unwrap().mesh;
        assert_eq!(mesh.vertices, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "{text}");
        assert_eq!((mesh.cells.as_slice(), mesh.kind), (&[0, 1, 2][..], Kind::Planar));
        assert_eq!(mesh.group("9").is_some(), text != v41);
    }
}

#[test]
fn version_1() {
    let text = "$NOD\n4\n7 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$ENDNOD\n$ELM\n2\n\
                1 3 5 1 4 7 2 3 4\n2 1 0 1 2 7 2\n$ENDELM\n";
    let file = read_bytes(text.replace('\n', "\r\n").as_bytes()).unwrap();
    assert_eq!(
        (file.mesh.cells.as_slice(), file.version.as_str()),
        (&[0, 1, 2, 0, 2, 3][..], "1.0 ascii")
    );
    assert_eq!(file.mesh.groups[0].members, Members::Cells(vec![0, 1]));
    for (text, found) in [
        (text.replace("2 3 4\n2", "2 3 9\n2"), "element 1 refers to node 9"),
        (
            text.replace("1 3 5 1 4", "1 3 5 1 3"),
            "element 1 of type 3 with 3 nodes is not supported",
        ),
        (text.replace("$NOD\n4", "$NOD\n4000000000"), "line 2: 4000000000 nodes declared"),
        (text.replace("$ENDNOD", "$EndNOD"), "$ENDNOD expected, found \"$EndNOD\""),
        (text.replace("$ELM\n2", "$ELM\n3"), "$ENDELM found where element 2 of 3 was expected"),
        (text.replace("1 1 0\n", "1 nan 0\n"), "y of node 3 is NaN"),
    ] {
        let error = refusal(text.as_bytes());
        assert!(error.contains(found), "{error}");
    }
}

#[test]
fn what_would_fill_the_memory_is_refused() {
    let nodes: String = (1..=500).map(|i| format!("{i} {i} 0 0\n")).collect();
    let data = "$NodeData\n1\n\"a\"\n0\n3\n0\n1\n1\n1 1\n$EndNodeData\n";
    let file = |sections: usize| {
        let text = format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n500\n{nodes}$EndNodes\n{}",
            data.repeat(sections)
        );
        read_bytes(text.as_bytes())
    };
    let names: Vec<_> = file(3).unwrap().mesh.vertex_data.into_iter().map(|a| a.name).collect();
    assert_eq!(names, ["a", "a_2", "a_3"]);
    let error = file(100).unwrap_err().to_string();
    assert!(error.contains("write fewer data sections, each with all rows"), "{error}");
    let groups = "9 ".repeat(65);
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 0 0 0 65 {groups} 0\n\
         $EndEntities\n"
    );
    let error = refusal(text.as_bytes());
    assert!(error.contains("entity 1 is in 65 physical groups, but at most 64"), "{error}");
}
