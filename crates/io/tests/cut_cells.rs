//! Tests that the readers of all formats cut polygons and polyhedra into valid triangles and
//! tetrahedra.

use zeroset_core::mesh::Mesh;
use zeroset_io::{MeshFile, MeshOptions, read_mesh, read_mesh_with};
use zeroset_testing::cell_geometry::measures;
use zeroset_testing::field;

fn total(mesh: &Mesh) -> f64 {
    measures(mesh).iter().sum()
}

fn read_text(name: &str, text: &str) -> zeroset_core::Result<MeshFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    read_mesh(&path)
}

/// Returns one polygon with the given corners in every format that has polygons of this size, as
/// file names and contents.
fn in_all_formats(corners: &[[f64; 2]]) -> Vec<(&'static str, String)> {
    let n = corners.len();
    let rows = |first: &str, last: &str| {
        let rows = corners.iter().map(|[x, y]| format!("{first}{x} {y} 0{last}\n"));
        rows.collect::<String>()
    };
    let list = |shift: usize| {
        let numbers: Vec<String> = (0..n).map(|k| (k + shift).to_string()).collect();
        numbers.join(" ")
    };
    let (points, zero, one) = (rows("", ""), list(0), list(1));
    let legacy = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET";
    let mut all = vec![
        ("a.obj", format!("{}f {one}\n", rows("v ", ""))),
        ("a.off", format!("OFF\n{n} 1 0\n{points}{n} {zero}\n")),
        (
            "a.ply",
            format!(
                "ply\nformat ascii 1.0\nelement vertex {n}\nproperty float x\nproperty float y\n\
                 property float z\nelement face 1\nproperty list uchar int vertex_indices\n\
                 end_header\n{points}{n} {zero}\n"
            ),
        ),
        (
            "a.vtk",
            format!(
                "{legacy} POLYDATA\nPOINTS {n} float\n{points}POLYGONS 1 {}\n{n} {zero}\n",
                n + 1
            ),
        ),
        (
            "b.vtk",
            format!(
                "{legacy} UNSTRUCTURED_GRID\nPOINTS {n} float\n{points}CELLS 1 {}\n{n} {zero}\n\
                 CELL_TYPES 1\n7\n",
                n + 1
            ),
        ),
        (
            "a.vtu",
            format!(
                "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\"><UnstructuredGrid><Piece \
                 NumberOfPoints=\"{n}\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" \
                 NumberOfComponents=\"3\" format=\"ascii\">{points}</DataArray></Points><Cells>\
                 <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{zero}</DataArray>\
                 <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">{n}</DataArray>\
                 <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">7</DataArray></Cells>\
                 </Piece></UnstructuredGrid></VTKFile>"
            ),
        ),
    ];
    if n == 4 {
        let numbered: String =
            (1..).zip(corners).map(|(k, [x, y])| format!("{k} {x} {y} 0\n")).collect();
        all.push((
            "a.msh",
            format!(
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{numbered}$EndNodes\n$Elements\n1\n\
                 1 3 2 1 1 {one}\n$EndElements\n"
            ),
        ));
        all.push((
            "a.mesh",
            format!(
                "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n{}Quadrilaterals\n1\n{one} 1\nEnd\n",
                rows("", " 0")
            ),
        ));
    }
    all
}

#[test]
fn concave_polygons_keep_their_area_in_every_format() {
    let l = [[2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0]];
    let dart = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
    for (polygon, expected) in [(&l[..], 3.0), (&dart, 0.5)] {
        for first in 0..polygon.len() {
            let mut corners = polygon.to_vec();
            corners.rotate_left(first);
            for (name, text) in in_all_formats(&corners) {
                let file = read_text(name, &text).unwrap();
                assert!(
                    (total(&file.mesh) - expected).abs() < 1e-12,
                    "{name}: {:?}",
                    file.mesh.cells
                );
                assert_eq!(file.mesh.n_cells(), polygon.len() - 2, "{name}");
            }
        }
    }
}

#[test]
fn a_corner_in_the_middle_of_an_edge_gives_no_flat_triangle_in_any_format() {
    let square = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let quad = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.0, 1.0]];
    for polygon in [&square[..], &quad] {
        for first in 0..polygon.len() {
            let mut corners = polygon.to_vec();
            corners.rotate_left(first);
            for (name, text) in in_all_formats(&corners) {
                let mesh = read_text(name, &text).unwrap().mesh;
                assert!(measures(&mesh).iter().all(|&a| a > 0.1), "{name}: {:?}", mesh.cells);
            }
        }
    }
}

#[test]
fn polygons_that_cross_themselves_are_an_error_or_left_out() {
    let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in in_all_formats(&bow) {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let message = read_mesh(&path).unwrap_err().to_string();
        for part in [name, " 0: the boundary of the polygon crosses itself", "--skip-unsupported"] {
            assert!(message.contains(part), "{name}: {message}");
        }
        let file = read_mesh_with(&path, &MeshOptions::default().skip_unsupported(true)).unwrap();
        assert_eq!(file.mesh.n_cells(), 0, "{name}");
        assert!(file.warnings.iter().any(|w| w.contains("1 cell that cannot be cut")), "{name}");
    }
}

#[test]
fn holes_behind_a_bridge_stay_open() {
    let text = "v 0 0 0\nv 3 0 0\nv 3 3 0\nv 0 3 0\nv 1 1 0\nv 1 2 0\nv 2 2 0\nv 2 1 0\n\
                f 1 2 3 4 1 5 6 7 8 5\n";
    let mesh = read_text("a.obj", text).unwrap().mesh;
    assert!((total(&mesh) - 8.0).abs() < 1e-12);
}

#[test]
fn bent_polygons_are_counted() {
    let text = "v 0 0 0.4\nv 1 0 0\nv 1 1 0.4\nv 0 1 0\nf 1 2 3 4\n";
    let file = read_text("a.obj", text).unwrap();
    assert!(
        file.warnings.iter().any(|w| w.starts_with("1 polygon is bent")),
        "{:?}",
        file.warnings
    );
}

#[test]
fn meshes_from_the_field() {
    let read = |name: &str| Some(read_mesh(&field(&format!("meshes/{name}"))?).unwrap().mesh);
    for (name, expected) in [
        ("concave/L.obj", 3.0),
        ("concave/L.vtp", 3.0),
        ("collinear_polygon/pent1.obj", 2.0),
        ("collinear_polygon/pent2.obj", 2.0),
        ("polyhedra/onlypoly.vtu", 1.0),
        ("polyhedra/pent.vtu", 2.3776),
        ("polyhedra/hexprism.vtu", 2.598),
        ("polyhedra/poly.vtu", 4.0 / 3.0),
    ] {
        let Some(mesh) = read(name) else { return };
        let found = total(&mesh);
        assert!((found - expected).abs() < 1e-4, "{name}: {found}");
    }
    let Some(mesh) = read("collinear_polygon/pent1.obj") else { return };
    assert!(measures(&mesh).iter().all(|&a| a > 0.2));
    let Some(mesh) = read("polyhedra/poly.vtu") else { return };
    assert!(measures(&mesh).iter().all(|&v| v > 0.0));
}

/// Checks a polyhedron in the older layouts: a stream in legacy files, and `faces` in XML.
#[test]
fn polyhedra_are_read_in_every_layout() {
    let corners = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1";
    let stream = "6 4 0 3 2 1 4 4 5 6 7 4 0 1 5 4 4 1 2 6 5 4 2 3 7 6 4 3 0 4 7";
    let head = "x\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double";
    let old = format!(
        "# vtk DataFile Version 3.0\n{head}\n{corners}\nCELLS 1 32\n31 {stream}\nCELL_TYPES 1\n42\n"
    );
    let new = format!(
        "# vtk DataFile Version 5.1\n{head}\n{corners}\nCELLS 2 31\nOFFSETS vtktypeint64\n0 31\n\
         CONNECTIVITY vtktypeint64\n{stream}\nCELL_TYPES 1\n42\n"
    );
    let xml = format!(
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\"><UnstructuredGrid><Piece \
         NumberOfPoints=\"8\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" \
         NumberOfComponents=\"3\" format=\"ascii\">{corners}</DataArray></Points><Cells>\
         <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 4 5 6 7</DataArray>\
         <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">8</DataArray>\
         <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">42</DataArray>\
         <DataArray type=\"Int64\" Name=\"faces\" format=\"ascii\">{stream}</DataArray>\
         <DataArray type=\"Int64\" Name=\"faceoffsets\" format=\"ascii\">31</DataArray></Cells>\
         </Piece></UnstructuredGrid></VTKFile>"
    );
    for (name, text) in [("a.vtk", &old), ("b.vtk", &new), ("a.vtu", &xml)] {
        let file = read_text(name, text).unwrap();
        assert!((total(&file.mesh) - 1.0).abs() < 1e-12, "{name}");
        assert_eq!(file.cells_by_type["polyhedron"], 1);
    }
    let cut = old.replace("31 6 4", "31 7 4");
    let message = read_text("a.vtk", &cut).unwrap_err().to_string();
    assert!(
        message.contains("cell 0, a polyhedron: the list of its faces ends early"),
        "{message}"
    );
    let open = old.replace("CELLS 1 32\n31 6", "CELLS 1 27\n26 5").replace(" 4 3 0 4 7", "");
    let message = read_text("a.vtk", &open).unwrap_err().to_string();
    assert!(message.contains("cell 0: the faces do not form one closed surface"), "{message}");
}

#[test]
fn ghost_cells_are_left_out_in_every_layout() {
    let grid = |name: &str, flags: &str| {
        format!(
            "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
             0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 2 8\n3 0 1 2 3 1 3 2\nCELL_TYPES 2\n5 5\n\
             CELL_DATA 2\nFIELD f 2\n{name} 1 2 unsigned_char\n{flags}\na 1 2 int\n5 6\n"
        )
    };
    for (name, flags, kept) in [
        ("vtkGhostType", "0 1", 5.0),
        ("vtkGhostType", "32 0", 6.0),
        ("vtkGhostLevels", "0 1", 5.0),
    ] {
        let file = read_text("a.vtk", &grid(name, flags)).unwrap();
        assert_eq!(file.mesh.n_cells(), 1);
        assert_eq!(file.mesh.cell_data.len(), 1, "the flags are used up");
        assert_eq!(file.mesh.cell_data[0].values.to_f64(), [kept]);
        assert_eq!(file.warnings, ["1 ghost cell is left out"]);
    }
}
