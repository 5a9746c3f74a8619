//! Tests with files of `shared/field`, most of them in `meshes/formats_not_read`. Each file is
//! either read or rejected with the name of its format and a remedy. Formats that are rejected are
//! recognized under any file name.

use std::path::Path;

use zeroset_io as io;
use zeroset_testing::field;

/// Each file, and two parts of its message: the name of the format, and a program, a step or a
/// format that the remedy names.
const NAMED: [(&str, [&str; 2]); 16] = [
    ("lh.aparc.annot", ["a FreeSurfer annotation", "mris_convert --annot"]),
    ("x.dscalar.nii", ["a CIFTI file", "wb_command -cifti-separate"]),
    ("m.bdf", ["a Nastran mesh", "gmsh IN"]),
    ("m.cgns", ["a CGNS mesh", "ParaView"]),
    ("m.h5", ["an HDF5 file", ".xdmf"]),
    ("m.inp", ["an Abaqus mesh", "gmsh IN"]),
    ("m.med", ["a MED mesh", "gmsh IN"]),
    ("m.meshb", ["a binary MEDIT file", "gmsh in.meshb"]),
    ("m.su2", ["an SU2 mesh", "gmsh IN"]),
    ("m.vol", ["a Netgen mesh", "meshio"]),
    ("m.xdmf", ["an XDMF file", "ParaView"]),
    ("m.xml", ["a DOLFIN mesh", "meshio"]),
    ("mb.vtm", ["a multi-block VTK file (.vtm)", "Merge Blocks"]),
    ("rg.vtr", ["a structured or rectilinear VTK grid", "Tetrahedralize"]),
    ("sg.vts", ["a structured or rectilinear VTK grid", "Tetrahedralize"]),
    ("sg.vtk", ["a structured or rectilinear VTK grid", "Tetrahedralize"]),
];

fn read(path: &Path) -> Result<io::Content, String> {
    io::read(path, &io::VolumeOptions::default()).map_err(|error| error.to_string())
}

#[test]
fn formats_that_are_not_read_are_named_with_a_remedy() {
    let Some(folder) = field("meshes/formats_not_read") else { return };
    let other = tempfile::tempdir().unwrap();
    for (name, [format, program]) in NAMED {
        let error = read(&folder.join(name)).unwrap_err();
        assert!(error.contains(&format!(": is {format}")), "{name}: {error}");
        assert!(error.contains(program), "{name}: {error}");
        for wrong in ["x", "x.ply", "x.msh", "x.obj", "x.nii.gz", "x.dat"] {
            let path = other.path().join(wrong);
            std::fs::copy(folder.join(name), &path).unwrap();
            let error = read(&path).unwrap_err();
            assert!(error.contains(&format!(": is {format}")), "{name} as {wrong}: {error}");
        }
    }
    let error = read(&folder.join("part.pvtu")).unwrap_err();
    for part in ["PUnstructuredGrid only lists other files", "merge them"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn volumes_and_values_of_freesurfer_are_read() {
    let Some(folder) = field("meshes/formats_not_read") else { return };
    let Ok(io::Content::Volume(file)) = read(&folder.join("T1.mgz")) else { panic!() };
    let volume = &file.volume;
    assert_eq!((file.format, volume.shape()), ("mgh", [16; 3]));
    assert_eq!((volume.placement().origin(), volume.placement().spacing()), ([0.0; 3], [1.0; 3]));
    assert!((volume.to_f64().iter().sum::<f64>() - 2055.147).abs() < 1e-3);
    let data = io::read_data(&folder.join("lh.thickness.mgh")).unwrap();
    let array = &data.arrays[0];
    assert_eq!((&*array.name, array.rows()), ("thickness", 2562));
    assert!((array.values.to_f64()[1] - 42.532_543).abs() < 1e-5);
}

#[test]
fn a_vtkhdf_file_of_three_parts_is_joined() {
    let Some(file) = mesh("parted.vtkhdf") else { return };
    assert_eq!((file.format, file.version.as_str()), ("vtkhdf", "2.8"));
    assert_eq!(file.mesh.n_vertices(), 66 + 73 + 66);
    assert_eq!(file.cells_by_type["tetra"], 384);
    assert_eq!(file.mesh.n_cells(), 384);
    // Together, the parts fill a unit cube, and f equals the first coordinate.
    let volume: f64 = file.mesh.iter_cells().map(|cell| volume_of(&file.mesh, cell)).sum();
    assert!((volume - 1.0).abs() < 1e-12, "{volume}");
    let f = file.mesh.vertex_array("f").unwrap().values.to_f64();
    for (f, x) in f.iter().zip(&file.mesh.vertices) {
        assert!((f - x[0]).abs() < 1e-12, "{f} at {x:?}");
    }
}

fn volume_of(mesh: &zeroset_core::mesh::Mesh, cell: &[u32]) -> f64 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| mesh.vertices[cell[k] as usize]);
    let from = |x: [f64; 3]| [x[0] - a[0], x[1] - a[1], x[2] - a[2]];
    let (u, v, w) = (from(b), from(c), from(d));
    let cross = [v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]];
    (u[0] * cross[0] + u[1] * cross[1] + u[2] * cross[2]).abs() / 6.0
}

#[test]
fn a_vtkhdf_surface_is_read() {
    let Some(file) = mesh("w_s.vtkhdf") else { return };
    assert_eq!((file.mesh.n_vertices(), file.mesh.n_cells()), (530, 1056));
    let radius = |x: &[f64; 3]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(file.mesh.vertices.iter().all(|x| (radius(x) - 0.5).abs() < 1e-6));
}

#[test]
fn the_states_of_a_list_are_read() {
    let Some(path) = field("meshes/formats_not_read/t.pvd") else { return };
    for (time, name) in [(0.0, "part_0.vtu"), (1.0, "part_1.vtu")] {
        let moment = io::MeshOptions::default().time(Some(io::Moment::At(time)));
        let found = io::read_mesh_with(&path, &moment).unwrap();
        let expected = mesh(name).unwrap();
        assert_eq!(found.mesh.vertices, expected.mesh.vertices);
        assert_eq!(found.mesh.cells, expected.mesh.cells);
        assert_eq!((found.about.state.time, found.format), (Some(time), "vtu"));
    }
    let last = io::read_mesh(&path).unwrap();
    assert_eq!(last.about.state.time, Some(1.0));
    assert!(last.warnings.iter().any(|w| w.contains("the last of 2 states is read, at time 1")));
    let wrong = io::MeshOptions::default().time(Some(io::Moment::At(0.5)));
    let error = io::read_mesh_with(&path, &wrong).unwrap_err().to_string();
    assert!(
        error.contains("t.pvd: there is no state at time 0.5; there are the times 0, 1"),
        "{error}"
    );
}

fn mesh(name: &str) -> Option<io::MeshFile> {
    field(&format!("meshes/formats_not_read/{name}")).map(|path| io::read_mesh(&path).unwrap())
}

#[test]
fn quadrangle_surfaces_of_freesurfer_are_read() {
    for (name, version) in
        [("lh.quad", "binary quadrangles, 16 bit"), ("lh.quad3", "binary quadrangles")]
    {
        let Some(file) = mesh(name) else { return };
        assert_eq!((file.format, file.version.as_str()), ("freesurfer", version));
        assert_eq!(file.cells_by_type["quad"], 2, "{name}");
        let x = [0.0, 10.0, 20.0];
        let expected: Vec<[f64; 3]> =
            [0.0, 10.0].iter().flat_map(|&y| x.map(|x| [x, y, 0.0])).collect();
        assert_eq!(file.mesh.vertices, expected, "{name}");
        // The function nibabel.read_geometry chooses the same diagonals.
        assert_eq!(file.mesh.cells, [3, 0, 1, 3, 1, 4, 1, 2, 5, 1, 5, 4], "{name}");
    }
}

#[test]
fn mni_objects_and_little_endian_vtk_files_are_read() {
    let Some(file) = mesh("mni.obj") else { return };
    assert_eq!((file.format, file.mesh.cells.as_slice()), ("mni", &[0, 1, 2][..]));
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    let Some(file) = mesh("le.vtk") else { return };
    assert!(file.mesh.n_cells() > 0 && file.mesh.n_vertices() == 4);
    assert!(file.mesh.vertices.iter().flatten().all(|x| [0.0, 1.0].contains(x)));
    assert!(file.warnings[0].contains("little-endian and read as such"), "{:?}", file.warnings);
}

#[test]
fn tiff_files_of_one_bit_and_with_zstd_are_read() {
    let read = |name: &str| {
        let path = field(&format!("clouds/tiff_stacks/{name}"))?;
        Some(io::read_volume(&path, &io::VolumeOptions::default()))
    };
    let Some(file) = read("one_bit.tif") else { return };
    let volume = file.unwrap().volume;
    let values: Vec<f64> = (0..volume.samples().len()).map(|k| volume.samples().get(k)).collect();
    assert_eq!((volume.shape(), values.len()), ([30, 40, 12], 30 * 40 * 12));
    assert!(values.iter().all(|&x| x == 0.0 || x == 1.0));
    let Some(file) = read("zstd.tif") else { return };
    assert_eq!(file.unwrap().volume.to_f64().iter().sum::<f64>(), 355_842.0);
}

#[test]
fn clouds_of_cloudcompare_leica_and_pcd_in_the_other_case_are_read() {
    for (name, n, normals, colors) in [
        ("pcd_upper_case/upper.pcd", 1_500, false, false),
        ("pcd_upper_case/lower_type.pcd", 1_500, false, true),
        ("cloudcompare_asc/titles_and_count.asc", 1_500, true, false),
        ("ptx/scan.ptx", 1_500, false, false),
    ] {
        let Some(path) = field(&format!("clouds/{name}")) else { return };
        let (cloud, report) = io::read_cloud(&path).unwrap();
        assert_eq!(cloud.len(), n, "{name}");
        assert_eq!((cloud.normals.is_some(), cloud.colors.is_some()), (normals, colors), "{name}");
        assert!(report.warnings.is_empty(), "{name}: {:?}", report.warnings);
        // The points are on the unit sphere, which the matrix in the PTX file shifts.
        let center = if name.ends_with(".ptx") { [10.0, 20.0, 30.0] } else { [0.0; 3] };
        let square = |(x, c): (&f64, f64)| (x - c) * (x - c);
        let error = |x: &[f64; 3]| (x.iter().zip(center).map(square).sum::<f64>() - 1.0).abs();
        assert!(cloud.points.iter().all(|x| error(x) < 1e-4), "{name}");
        let io::Content::Mesh(file) = read(&path).unwrap() else {
            panic!("{name}: a mesh expected")
        };
        assert_eq!(file.mesh.n_vertices(), n, "{name}");
        assert_eq!(file.mesh.vertex_array("nx").is_some(), normals, "{name}");
    }
}
