//! Tests of writing meshes in every format: contents that the format can hold come back unchanged,
//! and all others are reported as lost.

use proptest::prelude::*;
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values, vertex_normals};
use zeroset_io::{WriteOptions, read_data, read_mesh, write_mesh};

const SURFACES: [(&str, bool); 9] = [
    ("vtu", false),
    ("vtp", false),
    ("msh", false),
    ("msh", true),
    ("ply", false),
    ("ply", true),
    ("off", false),
    ("obj", false),
    ("mesh", false),
];

fn array(name: &str, components: usize, values: Values) -> DataArray {
    DataArray { name: name.into(), components, values }
}

/// Writes a mesh to a file and reads it back. Returns the mesh read and the messages about what was
/// lost.
fn there_and_back(mesh: &Mesh, extension: &str, ascii: bool) -> (Mesh, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("mesh.{extension}"));
    let lost = write_mesh(&path, mesh, &WriteOptions::default().ascii(ascii)).unwrap();
    let file = read_mesh(&path).unwrap();
    assert_eq!(file.warnings, [""; 0], "{extension}");
    (file.mesh, lost)
}

fn assert_same_shape(found: &Mesh, mesh: &Mesh, what: &str) {
    let bits = |mesh: &Mesh| -> Vec<u64> {
        mesh.vertices.as_flattened().iter().map(|x| x.to_bits()).collect()
    };
    assert_eq!(bits(found), bits(mesh), "{what}: coordinates");
    assert_eq!(found.cells, mesh.cells, "{what}: cells");
}

/// Checks that arrays are equal, except that labels may have become floating-point numbers.
fn assert_same_arrays(found: &[DataArray], expected: &[DataArray], what: &str) {
    let names = |arrays: &[DataArray]| -> Vec<(String, usize)> {
        arrays.iter().map(|a| (a.name.clone(), a.components)).collect()
    };
    assert_eq!(names(found), names(expected), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let bits = |a: &DataArray| -> Vec<u64> {
            a.values.to_f64().iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect()
        };
        assert_eq!(bits(found), bits(expected), "{what}: {}", expected.name);
    }
}

/// Returns the simplices of a group in sorted order and without duplicates, each with sorted
/// vertices.
fn simplices(group: &Group) -> Vec<Vec<u32>> {
    let (arity, all) = match &group.members {
        Members::Cells(cells) => (1, cells),
        Members::Simplices { dimension, vertices } => (dimension + 1, vertices),
    };
    let sorted = |simplex: &[u32]| {
        let mut simplex = simplex.to_vec();
        simplex.sort_unstable();
        simplex
    };
    let mut all: Vec<Vec<u32>> = all.chunks(arity).map(sorted).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Generates a valid coordinate: a small number, any finite number, -0 or 0.1.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -10.0..10.0,
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        Just(-0.0),
        Just(0.1)
    ]
}

/// Generates triangles or tetrahedra on arbitrary points, with arrays and overlapping groups.
fn mesh(kind: Kind) -> impl Strategy<Value = Mesh> {
    let arity = kind.arity();
    (arity..12, 1..9_usize).prop_flat_map(move |(n, m)| {
        let n32 = n as u32;
        let point = prop::array::uniform3(number());
        (
            prop::collection::vec(point, n),
            prop::collection::vec(0..n32, m * arity),
            prop::collection::vec(prop_oneof![number(), Just(f64::NAN)], n * 3),
            prop::collection::vec(-3..300_i64, m),
            prop::collection::vec(prop::collection::btree_set(0..m as u32, 1..=m), 0..4),
            prop::collection::btree_set(0..n32, 1..=n),
            prop::collection::vec((0..n32, 0..n32), 1..5),
        )
            .prop_map(move |(vertices, cells, vectors, labels, parts, points, edges)| {
                let mut mesh = Mesh::new(kind, vertices, cells);
                let scalars = vectors.iter().step_by(3).copied().collect();
                mesh.vertex_data = vec![
                    array("u", 1, Values::Float(scalars)),
                    array("a vector", 3, Values::Float(vectors)),
                ];
                mesh.cell_data = vec![array("label", 1, Values::Int(labels))];
                let cells = parts.into_iter().enumerate().map(|(k, cells)| Group {
                    name: ["7", "part \u{e9}", "third", "x"][k].into(),
                    members: Members::Cells(cells.into_iter().collect()),
                });
                mesh.groups = cells.collect();
                let edges = edges.into_iter().flat_map(|(a, b)| [a, b]).collect();
                let points = points.into_iter().collect();
                for (name, dimension, vertices) in [("edges", 1, edges), ("dots", 0, points)] {
                    let members = Members::Simplices { dimension, vertices };
                    mesh.groups.push(Group { name: name.into(), members });
                }
                mesh
            })
    })
}

fn check_msh(mesh: &Mesh, ascii: bool) {
    let (found, lost) = there_and_back(mesh, "msh", ascii);
    assert_eq!(lost, [""; 0]);
    assert_same_shape(&found, mesh, "msh");
    assert_same_arrays(&found.vertex_data, &mesh.vertex_data, "msh");
    assert_same_arrays(&found.cell_data, &mesh.cell_data, "msh");
    assert_eq!(found.groups.len(), mesh.groups.len());
    for group in &mesh.groups {
        let back = found.group(&group.name).unwrap_or_else(|| panic!("no {}", group.name));
        assert_eq!(simplices(back), simplices(group), "{}", group.name);
    }
}

fn check_masks(found: &Mesh, mesh: &Mesh, what: &str) {
    for group in &mesh.groups {
        let back = found.group(&group.name.replace(' ', "_"));
        let back = back.or(found.group(&group.name)).unwrap_or_else(|| panic!("{what}"));
        match &group.members {
            Members::Cells(_) => assert_eq!(simplices(back), simplices(group), "{what}"),
            Members::Simplices { vertices, .. } => {
                let mut vertices = vertices.clone();
                vertices.sort_unstable();
                vertices.dedup();
                let members = Members::Simplices { dimension: 0, vertices };
                assert_eq!(back.members, members, "{what}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn surfaces_come_back(mesh in mesh(Kind::Surface)) {
        for (extension, ascii) in SURFACES {
            if extension == "msh" {
                check_msh(&mesh, ascii);
                continue;
            }
            let (found, lost) = there_and_back(&mesh, extension, ascii);
            let what = format!("{extension} {ascii}");
            assert_same_shape(&found, &mesh, &what);
            match extension {
                "off" => {
                    prop_assert!(found.vertex_data.is_empty() && found.groups.is_empty());
                    let said = "not written, because .off holds only vertices and triangles: point \
                                data u, a vector; cell data label; groups ";
                    prop_assert!(lost[0].starts_with(said), "{}", lost[0]);
                }
                "ply" => {
                    let names = ["u", "a_vector_0", "a_vector_1", "a_vector_2"];
                    let vectors = mesh.vertex_data[1].values.to_f64();
                    let expected: Vec<DataArray> = names
                        .iter()
                        .enumerate()
                        .map(|(k, name)| {
                            let column = vectors.iter().skip(k.saturating_sub(1)).step_by(3);
                            array(name, 1, Values::Float(column.copied().collect()))
                        })
                        .collect();
                    assert_same_arrays(&found.vertex_data, &expected, &what);
                    prop_assert_eq!(&found.cell_data, &mesh.cell_data);
                    check_masks(&found, &mesh, &what);
                    prop_assert!(lost.contains(&"\"a vector_0\" is renamed to a_vector_0".into()));
                }
                "obj" => {
                    check_obj_groups(&found, &mesh);
                    let said = "not written, because .obj holds no data: u, a vector, label";
                    prop_assert!(lost.iter().any(|lost| lost == said), "{:?}", lost);
                }
                "mesh" => check_medit(&found, &mesh, &lost),
                _ => {
                    prop_assert_eq!(&lost, &["only the vertices of these groups are kept: edges"]);
                    assert_same_arrays(&found.vertex_data, &mesh.vertex_data, &what);
                    prop_assert_eq!(&found.cell_data, &mesh.cell_data);
                    check_masks(&found, &mesh, &what);
                }
            }
        }
    }

    #[test]
    fn tetrahedra_come_back(mesh in mesh(Kind::Volume)) {
        check_msh(&mesh, false);
        check_msh(&mesh, true);
        let (found, _) = there_and_back(&mesh, "vtu", false);
        assert_same_shape(&found, &mesh, "vtu");
        check_masks(&found, &mesh, "vtu");
        let (found, lost) = there_and_back(&mesh, "mesh", false);
        assert_same_shape(&found, &mesh, "mesh");
        check_medit(&found, &mesh, &lost);
    }
}

/// Checks the groups of cells, whose names become one word each, and the lines. A group of cells
/// that is empty or contains the whole mesh may be missing.
fn check_obj_groups(found: &Mesh, mesh: &Mesh) {
    for group in &mesh.groups {
        let Members::Cells(cells) = &group.members else { continue };
        let back = found.group(&group.name.replace(' ', "_"));
        match back {
            Some(back) => assert_eq!(simplices(back), simplices(group), "{}", group.name),
            None => assert!(cells.is_empty() || cells.len() == mesh.n_cells(), "{}", group.name),
        }
    }
    let edges = found.group("lines").map(simplices);
    assert_eq!(edges, mesh.group("edges").map(simplices));
}

/// Checks that every cell is in the first of its groups, that edges keep their groups, and that
/// point data become the solution.
fn check_medit(found: &Mesh, mesh: &Mesh, lost: &[String]) {
    let mut taken = vec![false; mesh.n_cells()];
    let mut next = 1;
    for group in &mesh.groups {
        // A group whose name is a number keeps that number. The others are numbered from 1.
        let numbered = group.name == "7";
        let name = if numbered { 7 } else { next };
        next += i64::from(!numbered);
        let back = found.group(&name.to_string()).or(found.group(&format!("{name}-lines")));
        match &group.members {
            Members::Cells(cells) => {
                let fresh = |cell: &&u32| !std::mem::replace(&mut taken[**cell as usize], true);
                let expected: Vec<u32> = cells.iter().filter(fresh).copied().collect();
                let none = Members::Cells(vec![]);
                assert_eq!(back.map_or(&none, |g| &g.members), &Members::Cells(expected));
            }
            Members::Simplices { dimension: 1, .. } => {
                assert_eq!(back.map(simplices), Some(simplices(group)));
            }
            _ => assert!(lost.iter().any(|lost| lost.contains("has no groups of points"))),
        }
    }
    let expected: Vec<DataArray> = mesh
        .vertex_data
        .iter()
        .zip(["sol", "sol_2"])
        .map(|(array, name)| DataArray { name: name.into(), ..array.clone() })
        .collect();
    assert_same_arrays(&found.vertex_data, &expected, "mesh");
    for said in [
        "cell data not written: label; .mesh cannot hold them",
        "mesh.sol holds u, a vector, but not",
    ] {
        assert!(lost.iter().any(|lost| lost.contains(said)), "{lost:?}");
    }
}

#[test]
fn normals_go_into_obj_and_ply() {
    let mut mesh = pyramid(1.0);
    mesh.vertex_data.clear();
    let normals = vertex_normals(&mesh);
    for (k, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        mesh.vertex_data.push(array(
            name,
            1,
            Values::Float(normals.iter().map(|n| n[k]).collect()),
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    assert_eq!(write_mesh(&path, &mesh, &WriteOptions::default()).unwrap(), [""; 0]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("vn ")).count(), 4);
    assert!(text.contains("\nf 1//1 3//3 2//2\n"), "{text}");
    assert_eq!(read_mesh(&path).unwrap().mesh.cells, mesh.cells);
    let (found, _) = there_and_back(&mesh, "ply", false);
    assert_eq!(found.vertex_array("nz").unwrap(), &mesh.vertex_data[2]);
}

#[test]
fn colors_go_into_obj() {
    let mut mesh = pyramid(1.0);
    mesh.vertex_data.clear();
    let colors = [[0, 1, 254], [255, 128, 3], [77, 200, 13], [9, 8, 7]];
    for (k, name) in ["red", "green", "blue"].into_iter().enumerate() {
        let values = colors.iter().map(|color| color[k]).collect();
        mesh.vertex_data.push(array(name, 1, Values::Int(values)));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    assert_eq!(write_mesh(&path, &mesh, &WriteOptions::default()).unwrap(), [""; 0]);
    let (cloud, report) = zeroset_io::read_cloud(&path).unwrap();
    assert_eq!(cloud.colors.unwrap(), colors.map(|color| color.map(|c| c as u8)));
    assert_eq!(report.colors, Some("0 to 1"));
    // Numbers beyond 8 bits are not colors.
    mesh.vertex_data[1].values = Values::Int(vec![0, 1, 2, 256]);
    let lost = write_mesh(&path, &mesh, &WriteOptions::default()).unwrap();
    assert_eq!(lost, ["not written, because .obj holds no data: red, green, blue"]);
}

#[test]
fn lines_alone_go_into_obj() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("front.obj");
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.5], [1.0, 1.0, 0.0]];
    let mut mesh = Mesh::new(Kind::Surface, vertices, vec![]);
    let members = Members::Simplices { dimension: 1, vertices: vec![0, 1, 1, 2] };
    mesh.groups = vec![Group { name: "lines".into(), members }];
    assert_eq!(write_mesh(&path, &mesh, &WriteOptions::default()).unwrap(), [""; 0]);
    let found = read_mesh(&path).unwrap().mesh;
    assert_eq!((found.vertices, &found.groups), (mesh.vertices.clone(), &mesh.groups));
    let error = write_mesh(&path.with_extension("stl"), &mesh, &WriteOptions::default());
    assert!(error.unwrap_err().to_string().contains("there is nothing to write"));
}

#[test]
fn a_solution_alone_needs_point_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sol");
    let mut mesh = pyramid(1.0);
    let lost = write_mesh(&path, &mesh, &WriteOptions::default()).unwrap();
    assert_eq!(lost, ["a.sol holds u, but not the names"]);
    let found = read_data(&path).unwrap().arrays;
    assert_eq!(found[0].values.to_f64(), [1.0, 2.0, 3.0, 4.0]);
    mesh.vertex_data.clear();
    let error = write_mesh(&path, &mesh, &WriteOptions::default()).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
}

/// Returns the surface of a tetrahedron. All coordinates except possibly `x` are exact in 32 bits.
fn pyramid(x: f64) -> Mesh {
    let vertices = vec![[0.0; 3], [x, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, 1.0]];
    let mut mesh = Mesh::new(Kind::Surface, vertices, vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]);
    mesh.vertex_data = vec![array("u", 1, Values::Float(vec![1.0, 2.0, 3.0, 4.0]))];
    mesh
}

#[test]
fn formats_of_32_bits_say_what_they_round() {
    for extension in ["stl", "gii"] {
        let (found, lost) = there_and_back(&pyramid(1.0), extension, false);
        assert_eq!(found.n_cells(), 4, "{extension}");
        let said = format!(
            "not written, because .{extension} holds only vertices and triangles: point data u"
        );
        assert_eq!(lost, [said]);
        let (found, lost) = there_and_back(&pyramid(1.0 / 3.0), extension, false);
        assert!(found.vertices.contains(&[f64::from(1.0_f32 / 3.0), 0.0, 0.0]), "{extension}");
        assert_eq!(lost[1], "1 of 12 coordinates are rounded to 32 bits, by at most 9.9e-9");
        // The digits of 0.1 survive the rounding to 32 bits, so no rounding is reported.
        let (found, lost) = there_and_back(&pyramid(0.1), extension, false);
        assert!(found.vertices.contains(&[f64::from(0.1_f32), 0.0, 0.0]), "{extension}");
        assert_eq!(lost.len(), 1, "{lost:?}");
    }
    let (found, lost) = there_and_back(&pyramid(1.0 / 3.0), "gii", false);
    assert_eq!((found.cells, lost.len()), (pyramid(1.0).cells, 2));
    // Text STL keeps all digits. The vertices come in the order of their first use.
    let (found, lost) = there_and_back(&pyramid(0.1), "stl", true);
    assert_eq!(lost.len(), 1);
    assert_eq!(found.vertices[2], [0.1, 0.0, 0.0]);
    assert_eq!(found.cells[..6], [0, 1, 2, 0, 2, 3]);
}

#[test]
fn names_a_format_cannot_hold_are_changed_and_said() {
    let mut mesh = pyramid(1.0);
    let u = || Values::Int(vec![1 << 60, 2, 3, 4]);
    mesh.vertex_data = vec![array("x", 1, u()), array("a b", 1, u()), array("a_b", 1, u())];
    let (found, lost) = there_and_back(&mesh, "ply", false);
    let names: Vec<&str> = found.vertex_data.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["x_2", "a_b", "a_b_2"]);
    for said in
        ["\"x\" is renamed to x_2", "\"a b\" is renamed to a_b", "\"a_b\" is renamed to a_b_2"]
    {
        assert!(lost.iter().any(|l| l == said), "{lost:?}");
    }
    mesh.vertex_data = vec![array("pair", 2, Values::Float(vec![0.0; 8]))];
    mesh.groups = vec![
        Group { name: "say \"a\"".into(), members: Members::Cells(vec![1]) },
        Group { name: "none".into(), members: Members::Cells(vec![]) },
    ];
    let (found, lost) = there_and_back(&mesh, "msh", false);
    assert_eq!(found.group("say 'a'").unwrap().members, Members::Cells(vec![1]));
    assert_eq!((found.groups.len(), found.vertex_data.len()), (1, 0));
    assert_eq!(lost.len(), 3, "{lost:?}");
}
