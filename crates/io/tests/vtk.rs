//! Tests of reading VTK files: real files, with the counts in the README of the data, and every
//! encoding that VTK writes.

#[path = "support/vtk.rs"]
mod files;

use files::{assert_sound, by_type, fixtures, read_file, read_text};
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values};
use zeroset_testing::data;

fn negative_tetrahedra(mesh: &Mesh) -> usize {
    let volume = |cell: &[u32]| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| mesh.vertices[cell[k] as usize]);
        let edge = |x: [f64; 3]| [x[0] - a[0], x[1] - a[1], x[2] - a[2]];
        let ([x, y, z], [p, q, r], [u, v, w]) = (edge(b), edge(c), edge(d));
        x * (q * w - r * v) - y * (p * w - r * u) + z * (p * v - q * u)
    };
    mesh.iter_cells().filter(|cell| volume(cell) < 0.0).count()
}

/// The expected content of a file: its name, version and kind, the numbers of vertices and cells,
/// the cells by type, the names of the point arrays, and the number of warnings.
type Row = (
    &'static str,
    &'static str,
    Kind,
    usize,
    usize,
    &'static [(&'static str, usize)],
    &'static [&'static str],
    usize,
);

#[test]
fn real_files_have_the_counts_of_their_readme() {
    use Kind::{Planar, Surface, Volume};
    let all_linear: &[(&str, usize)] = &[
        ("hexahedron", 1),
        ("voxel", 1),
        ("tetra", 1),
        ("pixel", 1),
        ("polygon", 1),
        ("triangle_strip", 1),
        ("quad", 1),
        ("triangle", 1),
        ("poly_line", 1),
        ("line", 1),
        ("vertex", 1),
    ];
    let cow: &[(&str, usize)] = &[("polygon", 10), ("quad", 2519), ("triangle", 734)];
    let tri: &[(&str, usize)] = &[("line", 12), ("triangle", 22), ("vertex", 4)];
    let rows: &[Row] = &[
        (
            "CylinderLinear.vtk",
            "2.0 binary",
            Volume,
            465,
            1522,
            &[("tetra", 1522)],
            &["velocity", "vel_norm"],
            0,
        ),
        (
            "QuadraticTetra.vtu",
            "1.0 appended raw",
            Volume,
            189,
            96,
            &[("tetra10", 96)],
            &["DistanceToCenter", "Polynomial"],
            1,
        ),
        ("VTKCellTypes.vtk", "2.0 ascii", Volume, 27, 13, all_linear, &["scalars", "vectors"], 1),
        ("beam-hex.vtk", "3.0 ascii", Volume, 36, 6 * 8, &[("hexahedron", 8)], &[], 1),
        ("beam-tet.vtk", "3.0 ascii", Volume, 36, 48, &[("tetra", 48)], &[], 0),
        (
            "bunny_particles_7705.vtk",
            "4.1 binary",
            Surface,
            7706,
            0,
            &[("vertex", 7706)],
            &["id", "velocity"],
            1,
        ),
        ("cow.vtp", "0.1 appended base64 zlib", Surface, 2903, 5804, cow, &[], 0),
        (
            "disk_out_ref_surface.vtp",
            "0.1 appended base64 zlib",
            Surface,
            1990,
            3976,
            &[("quad", 1988)],
            &["GlobalNodeId", "PedigreeNodeId", "Temp", "V", "Pres", "AsH3", "GaMe3", "CH4", "H2"],
            0,
        ),
        ("escher-p2.vtk", "3.0 ascii", Volume, 117, 42, &[("tetra10", 42)], &[], 1),
        (
            "fluid_250_particles.vtu",
            "1.0 appended raw zlib",
            Surface,
            250,
            0,
            &[("vertex", 250)],
            &["velocity", "pressure", "density", "index"],
            1,
        ),
        ("hexahedron_lz4.vtu", "1.0 appended raw lz4", Volume, 8, 6, &[("hexahedron", 1)], &[], 1),
        (
            "hexahedron_zlib.vtu",
            "1.0 appended base64 zlib",
            Volume,
            8,
            6,
            &[("hexahedron", 1)],
            &[],
            1,
        ),
        ("square-disc-p2.vtk", "3.0 ascii", Planar, 356, 154, &[("triangle6", 154)], &[], 1),
        ("tet.vtu", "1.0 appended raw", Volume, 4, 1, &[("tetra", 1)], &["pressure"], 0),
        ("tetraMesh.vtk", "2.0 ascii", Volume, 55, 160, &[("tetra", 160)], &["scalars"], 0),
        ("torus_tetra_025.vtk", "2.0 ascii", Volume, 1801, 6661, &[("tetra", 6661)], &[], 0),
        ("tri_ascii.vtu", "0.1 ascii", Planar, 18, 22, tri, &[], 0),
        ("tri_zlib.vtu", "0.1 base64 zlib", Planar, 18, 22, tri, &[], 0),
        ("tri_lzma.vtu", "0.1 base64 lzma", Planar, 18, 22, tri, &[], 0),
    ];
    for &(name, version, kind, vertices, cells, types, arrays, warnings) in rows {
        let Some(path) = data(&format!("sim/vtk/{name}")) else { return };
        let file = read_file(&path).unwrap();
        assert_sound(&file, name);
        let mesh = &file.mesh;
        assert_eq!((file.version.as_str(), mesh.kind), (version, kind), "{name}");
        assert_eq!((mesh.n_vertices(), mesh.n_cells()), (vertices, cells), "{name}");
        assert_eq!(file.cells_by_type, by_type(types), "{name}");
        assert_eq!(mesh.vertex_data.iter().map(|a| &a.name[..]).collect::<Vec<_>>(), arrays);
        assert_eq!(file.warnings.len(), warnings, "{name}: {:?}", file.warnings);
        assert_eq!(file.format, path.extension().unwrap().to_str().unwrap());
        match name {
            "tetraMesh.vtk" => assert_eq!(negative_tetrahedra(mesh), 80),
            "tet.vtu" => assert_eq!(negative_tetrahedra(mesh), 1),
            _ if kind == Volume => assert_eq!(negative_tetrahedra(mesh), 0, "{name}"),
            _ => {}
        }
    }
}

#[test]
fn one_of_every_linear_cell() {
    let Some(path) = data("sim/vtk/VTKCellTypes.vtk") else { return };
    let file = read_file(&path).unwrap();
    assert_eq!(file.mesh.n_cells(), 6 + 6 + 1);
    assert_eq!(file.mesh.cells[48..], [6, 10, 9, 12]);
    // Cells 0 to 2 of 11 are the hexahedron, the voxel and the tetrahedron.
    let scalars = file.mesh.cell_array("scalars").unwrap();
    let expected = [[0.0; 6], [1.0; 6]].concat().into_iter().chain([2.0]).collect();
    assert_eq!(scalars.values, Values::Float(expected));
    let sizes: Vec<(&str, usize)> = (file.mesh.groups.iter())
        .map(|Group { name, members }| match members {
            Members::Simplices { dimension, vertices } => {
                (name.as_str(), vertices.len() / (dimension + 1))
            }
            _ => panic!("groups of simplices"),
        })
        .collect();
    // Pixel, hexagon, strip, quad and triangle give 2 + 4 + 4 + 2 + 1 triangles.
    assert_eq!(sizes, [("vertices", 1), ("lines", 3), ("triangles", 13)]);
    assert!(file.warnings[0].contains("1 voxel, 1 hexahedron"), "{:?}", file.warnings);
}

#[test]
fn the_same_mesh_in_three_encodings() {
    let names = ["ascii", "zlib", "lzma"].map(|name| format!("sim/vtk/tri_{name}.vtu"));
    let [Some(ascii), Some(zlib), Some(lzma)] = names.map(|name| data(&name)) else {
        return;
    };
    let [ascii, zlib, lzma] = [ascii, zlib, lzma].map(|path| read_file(&path).unwrap().mesh);
    assert_eq!((&ascii.cells, &ascii.groups), (&zlib.cells, &zlib.groups));
    assert_eq!(
        (&lzma.cells, &lzma.groups, &lzma.vertices),
        (&zlib.cells, &zlib.groups, &zlib.vertices)
    );
    // The ASCII file was written with twelve digits.
    for (a, b) in ascii.vertices.iter().flatten().zip(zlib.vertices.iter().flatten()) {
        assert!((a - b).abs() < 1e-11);
    }
}

#[test]
fn lengths_of_every_type() {
    use base64::Engine;
    let encode = |bytes: Vec<u8>| base64::engine::general_purpose::STANDARD.encode(bytes);
    for (header, width) in [
        ("UInt8", 1),
        ("Int16", 2),
        ("UInt16", 2),
        ("UInt32", 4),
        ("Int32", 4),
        ("UInt64", 8),
        ("Int64", 8),
    ] {
        for big_endian in [false, true] {
            let order = if big_endian { "BigEndian" } else { "LittleEndian" };
            let number = |x: u64, width: usize| {
                let mut raw = x.to_le_bytes()[..width].to_vec();
                if big_endian {
                    raw.reverse();
                }
                raw
            };
            let array = |name: &str, kind: &str, numbers: &[u64], size: usize| {
                let data: Vec<u8> = numbers.iter().flat_map(|&x| number(x, size)).collect();
                let stream = [number(data.len() as u64, width), data].concat();
                format!(
                    "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{}\" \
                     format=\"binary\">{}</DataArray>",
                    if name == "Points" { 3 } else { 1 },
                    encode(stream)
                )
            };
            let corner = |x: [f64; 3]| x.map(f64::to_bits);
            let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(corner).concat();
            let text = format!(
                "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{order}\" \
                 header_type=\"{header}\"><PolyData><Piece NumberOfPoints=\"3\" \
                 NumberOfPolys=\"1\"><Points>{}</Points><Polys>{}{}</Polys></Piece></PolyData>\
                 </VTKFile>",
                array("Points", "Float64", &points, 8),
                array("connectivity", "Int16", &[0, 1, 2], 2),
                array("offsets", "UInt8", &[3], 1),
            );
            let mesh = read_text(&text).unwrap_or_else(|e| panic!("{header} {order}: {e}")).mesh;
            assert_eq!((mesh.cells, mesh.vertices[1]), (vec![0, 1, 2], [1.0, 0.0, 0.0]));
        }
    }
    let text = "<VTKFile type=\"PolyData\" header_type=\"Float32\"></VTKFile>";
    let message = read_text(text).unwrap_err().to_string();
    assert!(message.contains("header_type is 'Float32'"), "{message}");
}

#[test]
fn images_are_refused_with_a_remedy() {
    for (name, what) in [
        ("volumes/hydrogen.vti", "ImageData"),
        ("volumes/ironProt.vtk", "STRUCTURED_POINTS"),
        (
            "bad/escher_points_short.vtk",
            "line 123: POINTS: expected number 352 of 381, found 'CELLS'",
        ),
    ] {
        let Some(path) = data(name) else { return };
        let message = read_file(&path).unwrap_err().to_string();
        assert!(message.contains(what) && !message.contains('\n'), "{message}");
    }
}

/// Checks that the files of make.py, which hold the same two meshes in many encodings, have the
/// content that make.py wrote.
#[test]
fn every_encoding_of_vtk_gives_the_same_mesh() {
    for path in fixtures() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = read_file(&path).unwrap();
        assert_sound(&file, &name);
        assert!(file.warnings.is_empty(), "{name}: {:?}", file.warnings);
        let mesh = &file.mesh;
        let (n, parents): (usize, Vec<i64>) = if name.starts_with("volume") {
            assert_eq!(
                file.cells_by_type,
                by_type(
                    &[("vertex", 1), ("triangle", 2), ("tetra", 12), ("quad", 1), ("line", 1),]
                )
            );
            assert_eq!(
                (mesh.kind, &mesh.cells[..8]),
                (Kind::Volume, &[0, 1, 2, 8, 1, 3, 2, 8][..])
            );
            let group = |name: &str, dimension, vertices| Group {
                name: name.into(),
                members: Members::Simplices { dimension, vertices },
            };
            assert_eq!(
                mesh.groups,
                [
                    group("vertices", 0, vec![8]),
                    group("lines", 1, vec![0, 1]),
                    group("triangles", 2, vec![0, 2, 1, 1, 2, 3, 4, 5, 7, 4, 7, 6]),
                ]
            );
            (9, (3..15).collect())
        } else {
            assert_eq!(
                file.cells_by_type,
                by_type(&[
                    ("vertex", 1),
                    ("poly_line", 1),
                    ("triangle", 2),
                    ("quad", 3),
                    ("triangle_strip", 1),
                ])
            );
            assert_eq!((mesh.kind, &mesh.cells[..9]), {
                (Kind::Surface, &[0, 2, 1, 1, 2, 3, 4, 5, 7][..])
            });
            assert_eq!(mesh.cells[24..], [0, 4, 2, 2, 4, 6]);
            assert_eq!(mesh.groups[1].members, {
                Members::Simplices { dimension: 1, vertices: vec![0, 1, 1, 3, 3, 2] }
            });
            // Vertices and lines come first. Quads and the strip give two triangles each.
            (8, vec![2, 3, 4, 4, 5, 5, 6, 6, 7, 7])
        };
        let corners: Vec<[f64; 3]> =
            (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f64::from)).collect();
        assert_eq!(mesh.vertices[..8], corners);
        let rows = |f: &dyn Fn(f64) -> Vec<f64>| (0..n).flat_map(|i| f(i as f64)).collect();
        let ints = |f: &dyn Fn(i64) -> i64| Values::Int((0..n as i64).map(f).collect());
        let array =
            |name: &str, components, values| DataArray { name: name.into(), components, values };
        let velocity = Values::Float(rows(&|i| vec![i, 0.5, -i]));
        assert_eq!(
            mesh.vertex_data[1..],
            [
                array("velocity", 3, velocity),
                array("mask", 1, ints(&|i| i % 2)),
                array("big label", 1, ints(&|i| i << 33)),
            ],
            "{name}"
        );
        let Values::Float(phi) = &mesh.vertex_array("phi").unwrap().values else { panic!() };
        for (i, phi) in phi.iter().enumerate() {
            // Text holds fewer digits than a double.
            let tolerance = if name.contains("ascii") { 1e-5 } else { 0.0 };
            assert!((phi - (i as f64 / 3.0 - 1.0)).abs() <= tolerance, "{name}: {phi}");
        }
        assert_eq!(
            mesh.cell_data,
            [
                array("id", 1, Values::Int(parents.iter().map(|p| 100 + p).collect())),
                array(
                    "quality",
                    1,
                    Values::Float(parents.iter().map(|&p| p as f64 / 8.0).collect())
                ),
            ],
            "{name}"
        );
    }
}

#[test]
fn higher_order_and_odd_cells() {
    let cells = |points: usize, list: &str, types: &str| {
        let coordinates: String =
            (0..points).map(|i| format!("{i} {} {} ", i * i, i % 3)).collect();
        let (n, size) = (types.split(' ').count(), list.split(' ').count());
        read_text(&format!(
            "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n\
             POINTS {points} float\n{coordinates}\nCELLS {n} {size}\n{list}\nCELL_TYPES {n}\n{types}\n\
             CELL_DATA {n}\nSCALARS a int\nLOOKUP_TABLE default\n{types}\n"
        ))
    };
    // Quadratic triangle, biquadratic quad, Lagrange triangle: reduced to their corners.
    let file = cells(10, "6 0 1 2 3 4 5 9 0 1 2 3 4 5 6 7 8 3 7 8 9", "22 28 69").unwrap();
    assert_eq!(file.mesh.cells, [0, 1, 2, 0, 1, 2, 0, 2, 3, 7, 8, 9]);
    assert_eq!(file.mesh.cell_data[0].values, Values::Int(vec![22, 28, 28, 69]));
    assert!(file.warnings[0].contains("1 triangle6, 1 vtk_type_28, 1 vtk_type_69 reduced"));
    // The points of a pixel are ordered by rows. A polygon with two points gives nothing. Type 200
    // is unknown.
    let file = cells(6, "4 0 1 2 3 2 4 5 1 0", "8 7 200").unwrap();
    assert_eq!(file.mesh.cells, [0, 1, 3, 0, 3, 2]);
    assert_eq!(file.warnings.len(), 1, "{:?}", file.warnings);
    assert!(file.uncut.summary().unwrap().contains("the cell type 200 is unknown"));
    // A wedge next to a triangle gives three tetrahedra, and the triangle becomes a group.
    let file = cells(6, "6 0 1 2 3 4 5 3 0 1 2", "13 5").unwrap();
    assert_eq!((file.mesh.kind, file.mesh.n_cells()), (Kind::Volume, 3));
    assert_eq!(file.mesh.cell_data[0].values, Values::Int(vec![13; 3]));
    assert_eq!(file.warnings, ["1 wedge cell is split into tetrahedra"]);
    // A quadratic hexahedron is reduced to its corners. A polyhedron without faces cannot be cut.
    let list = "20 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 1 0";
    let file = cells(20, list, "25 42").unwrap();
    assert_eq!(file.mesh.cell_data[0].values, Values::Int(vec![25; 6]));
    assert!(file.mesh.cells.iter().all(|&v| v < 8));
    assert_eq!(file.warnings.len(), 3, "{:?}", file.warnings);
    // A convex point set next to a triangle gives no tetrahedra, and the triangle becomes the mesh.
    let file = cells(6, "6 0 1 2 3 4 5 3 0 1 2", "41 5").unwrap();
    assert_eq!((file.mesh.kind, file.mesh.n_cells()), (Kind::Surface, 1));
    assert_eq!(file.mesh.cell_data[0].values, Values::Int(vec![5]));
    assert!(file.uncut.summary().unwrap().contains("the faces of this convex_point_set"));
    // Wrong numbers of points, and points that do not exist.
    for (list, types, what) in [
        ("3 0 1 2", "10", "cell 0: a tetra with 3 points, expected 4"),
        (
            "3 0 1 2 3 0 1 6",
            "5 5",
            "cell 1: it refers to point 6, but points are numbered from 0 to 6 - 1",
        ),
        ("3 0 1 -2", "5", "cell 0: it refers to point -2"),
        ("3 0 1 2", "500", "the type of cell 0"),
        ("4 0 1 2", "5", "cell 0 of 1 has 4 points, but only 3 of 4 numbers are left"),
        ("-1 0 1 2", "5", "cell 0 of 1 has -1 points"),
    ] {
        let message = cells(6, list, types).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn legacy_sections_of_every_kind() {
    let file = read_text(
        "# vtk DataFile Version 4.2\n\nASCII\nDATASET POLYDATA\nFIELD FieldData 1\n\
         TIME 1 1 double\n0.5\nPOINTS 3 double\n0 0 1  1 0 1  0 1 1\n\
         POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\n\
         SCALARS two%20words unsigned_char 2\nLOOKUP_TABLE default\n1 2 3 4 5 6\n\
         LOOKUP_TABLE t 1\n0 0 0 1\n\
         COLOR_SCALARS color 3\n0 0.5 1  0 0.5 1  0 0.5 1\n\
         NORMALS n float\n0 0 1 0 0 1 0 0 1\n\
         TEXTURE_COORDINATES uv 2 float\n0 0 1 0 0 1\n\
         TENSORS6 t float\n1 2 3 4 5 6 1 2 3 4 5 6 1 2 3 4 5 6\n\
         METADATA\nINFORMATION 0\n\n\
         FIELD f 3\nlabel 1 3 vtkIdType\n7 8 9\nother 1 2 int\n1 2\nwords 1 3 string\na\nb\nc\n\
         CELL_DATA 1\nSCALARS phi double\nLOOKUP_TABLE default\nnan\n",
    )
    .unwrap();
    let mesh = &file.mesh;
    assert_eq!((mesh.kind, &mesh.cells[..]), (Kind::Planar, &[0, 1, 2][..]));
    let names: Vec<&str> = mesh.vertex_data.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["two words", "color", "n", "uv", "t", "label"]);
    assert_eq!(mesh.vertex_array("two words").unwrap().components, 2);
    assert_eq!(mesh.vertex_array("color").unwrap().values, {
        Values::Int([0, 128, 255].repeat(3))
    });
    assert_eq!(mesh.vertex_array("label").unwrap().values, Values::Int(vec![7, 8, 9]));
    let Values::Float(phi) = &mesh.cell_array("phi").unwrap().values else { panic!() };
    assert!(phi[0].is_nan());
    assert_eq!(file.warnings.len(), 2, "{:?}", file.warnings);
}

#[test]
fn points_without_cells() {
    let file = read_text(
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0 1 1 1\n\
         POINT_DATA 2\nSCALARS phi float\nLOOKUP_TABLE default\n-1 1\n",
    )
    .unwrap();
    assert_eq!((file.mesh.n_vertices(), file.mesh.n_cells()), (2, 0));
    assert_eq!(file.mesh.vertex_data[0].values, Values::Float(vec![-1.0, 1.0]));
    assert_eq!(file.warnings.len(), 1);
    let empty =
        "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='0'/></PolyData></VTKFile>";
    assert_eq!(read_text(empty).unwrap().mesh.n_vertices(), 0);
}

#[test]
fn pieces_are_joined() {
    let piece = |z: f64, more: &str| {
        format!(
            "<Piece NumberOfPoints='3' NumberOfPolys='1'>\
             <PointData><DataArray type='Float32' Name='u' format='ascii'>{z} {z} {z}</DataArray>{more}\
             </PointData><Points><DataArray type='Float64' NumberOfComponents='3' format='ascii'>\
             0 0 {z}<!-- a comment --> 1 0 {z} 0 1 {z}</DataArray></Points><Polys>\
             <DataArray type='Int64' Name='connectivity' format='ascii'>0 1 2</DataArray>\
             <DataArray type='Int64' Name='offsets' format='ascii'>3</DataArray></Polys></Piece>"
        )
    };
    let extra = "<DataArray type='Int8' Name='only here' format='ascii'>1 2 3</DataArray>";
    let text = format!(
        "\u{feff}<VTKFile type='PolyData' version='0.1'><PolyData>{}{}</PolyData></VTKFile>",
        piece(0.0, extra),
        piece(1.0, "")
    );
    let file = read_text(&text).unwrap();
    assert_eq!(file.mesh.cells, [0, 1, 2, 3, 4, 5]);
    assert_eq!(file.mesh.vertices[5], [0.0, 1.0, 1.0]);
    assert_eq!(file.mesh.vertex_data.len(), 1);
    assert_eq!(file.mesh.vertex_data[0].values, Values::Float(vec![0., 0., 0., 1., 1., 1.]));
    assert!(file.warnings[0].contains("only here"));
}
