//! NumPy arrays as data of a mesh.

use std::path::{Path, PathBuf};

use zeroset_core::mesh::{Kind, Mesh, Values};
use zeroset_io::{Added, add_data};

/// Writes an array with this type, order and shape.
fn npy(path: &Path, descr: &str, fortran: bool, shape: &str, data: &[u8]) {
    let order = if fortran { "True" } else { "False" };
    let head = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).unwrap();
}

/// Returns a strip of two triangles, with 4 vertices and 2 cells.
fn strip() -> Mesh {
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 1, 3, 2])
}

fn added(path: &Path, name: Option<&str>) -> Result<(Mesh, Added), String> {
    let mut mesh = strip();
    let added = add_data(path, name, None, &mut mesh).map_err(|error| error.to_string())?;
    Ok((mesh, added))
}

fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("dist.npy")
}

#[test]
fn arrays_of_every_kind_are_data_of_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let doubles = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
    let numbers = [1.0, f64::NAN, -3.0, 0.5];
    for shape in ["(4,)", "(4, 1)", "(1, 4)"] {
        npy(&path, "<f8", false, shape, &doubles(&numbers));
        let (mesh, added) = added(&path, None).unwrap();
        assert_eq!(added.arrays, ["dist"]);
        let array = &mesh.vertex_data[0];
        assert_eq!((array.name.as_str(), array.components), ("dist", 1), "{shape}");
        let found = array.values.to_f64();
        assert!(found[0] == 1.0 && found[1].is_nan() && found[2..] == [-3.0, 0.5]);
    }
    let singles: Vec<u8> = [1.5_f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    npy(&path, ">f4", false, "(4,)", &singles);
    let (mesh, _) = added(&path, Some("speed")).unwrap();
    assert_eq!(mesh.vertex_data[0].name, "speed");
    assert_eq!(mesh.vertex_data[0].values, Values::Float(vec![1.5, 2.0, 3.0, 4.0]));
    // Rows of two numbers, row by row and column by column.
    let rows = [1_i16, 10, 2, 20, 3, 30, -4, 40];
    let columns = [1_i16, 2, 3, -4, 10, 20, 30, 40];
    for (fortran, numbers) in [(false, rows), (true, columns)] {
        for (descr, big) in [("<i2", false), (">i2", true)] {
            let bytes = |x: &i16| if big { x.to_be_bytes() } else { x.to_le_bytes() };
            let data: Vec<u8> = numbers.iter().flat_map(bytes).collect();
            npy(&path, descr, fortran, "(4, 2)", &data);
            let (mesh, _) = added(&path, None).unwrap();
            assert_eq!(mesh.vertex_data[0].components, 2);
            assert_eq!(mesh.vertex_data[0].values, Values::Int(rows.map(i64::from).to_vec()));
        }
    }
}

#[test]
fn rows_for_each_cell_are_cell_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    npy(&path, "|u1", false, "(2,)", &[7, 9]);
    let (mesh, found) = added(&path, None).unwrap();
    assert!(mesh.vertex_data.is_empty() && found.arrays == ["dist"]);
    assert_eq!(mesh.cell_data[0].values, Values::Int(vec![7, 9]));
    // Text columns do not state where their rows belong either.
    let text = folder.path().join("a.txt");
    std::fs::write(&text, "0.5\n1.5\n").unwrap();
    let (mesh, _) = added(&text, None).unwrap();
    assert_eq!(mesh.cell_data[0].values, Values::Float(vec![0.5, 1.5]));
}

#[test]
fn arrays_that_do_not_suit_the_mesh_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    for (descr, shape, size, expected) in [
        ("|u1", "(5,)", 5, "5 values for a mesh of 4 vertices and 2 cells; use data"),
        ("|u1", "(3, 4)", 12, "transpose the array"),
        ("|u1", "(4, 2, 3)", 24, "an array of shape [4, 2, 3], expected (n,) or (n, k)"),
        ("<f8", "(4,)", 31, "found 31 bytes"),
        ("<f8", "(0,)", 0, "shape [0]"),
        ("<c16", "(4,)", 64, "numbers of type \"<c16\" are not supported"),
        ("<f8", "(4000000000, 4000000000)", 8, "more bytes than any memory"),
    ] {
        npy(&path, descr, false, shape, &vec![0; size]);
        let said = added(&path, None).unwrap_err();
        assert!(said.contains(expected) && said.contains("dist.npy"), "{said}");
    }
}
