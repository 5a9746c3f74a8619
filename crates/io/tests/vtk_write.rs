//! Tests of writing VTK files: content is the same when it is read back. `.ci/check_vtk.py` checks
//! such files with VTK itself.

#[path = "support/vtk.rs"]
mod files;

use files::{by_type, fixture, read_file};
use zeroset_core::Error;
use zeroset_core::mesh::{Members, Values};
use zeroset_io::vtk::{Compression, Field, Geometry, VtkOutput, read, write, write_pvd};

/// Returns the vertices and the triangles of a bumpy surface over `n` x `n` lattice points. If `n`
/// is large, its coordinates fill several blocks of a file.
fn lattice(n: usize) -> (Vec<[f64; 3]>, Vec<u32>) {
    let points = (0..n * n).map(|i| {
        let (x, y) = ((i % n) as f64, (i / n) as f64);
        [x, y, (0.3 * x).sin() * (0.2 * y).cos()]
    });
    let corner = |i: usize| [i, i + 1, i + 1 + n, i, i + 1 + n, i + n].map(|v| v as u32);
    let squares = (0..n * (n - 1)).filter(|i| i % n != n - 1);
    (points.collect(), squares.flat_map(corner).collect())
}

#[test]
fn what_is_written_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let (points, triangles) = lattice(120);
    let tetrahedra: Vec<u32> = triangles.chunks(6).flat_map(|t| [t[0], t[1], t[2], t[5]]).collect();
    let phi: Vec<f64> = points.iter().map(|p| p[0].hypot(p[1]) - 40.0).collect();
    let single: Vec<f32> = phi.iter().map(|&x| x as f32).collect();
    let flat = points.as_flattened();
    let band: Vec<u8> = phi.iter().map(|x| (x.abs() < 5.0).into()).collect();
    let patch: Vec<u32> = (0..points.len() as u32).map(|i| i / 64).collect();
    for compression in [Compression::None, Compression::Lz4, Compression::Zlib] {
        for (geometry, cells, name) in [
            (Geometry::triangles(&points, &triangles, compression), &triangles, "a.vtp"),
            (Geometry::triangles(&points, &triangles, compression), &triangles, "a.vtu"),
            (Geometry::tetrahedra(&points, &tetrahedra, compression), &tetrahedra, "b.vtu"),
        ] {
            let arity = if name == "b.vtu" { 4 } else { 3 };
            let number: Vec<i64> = (0..(cells.len() / arity) as i64).map(|i| i << 36).collect();
            let output = VtkOutput::new(&geometry)
                .time(1e-7)
                .point_data("phi", 1, &phi)
                .point_data("x < \"1\" & more", 3, flat)
                .point_data("single", 1, &single)
                .point_data("band", 1, &band)
                .point_data("patch", 1, &patch)
                .cell_data("number", 1, &number);
            let path = folder.path().join(name);
            write(&path, &output).unwrap();
            let file = read_file(&path).unwrap();
            let mesh = &file.mesh;
            assert_eq!((&mesh.vertices, &mesh.cells), (&points, cells));
            let back: Vec<&Values> = mesh.vertex_data.iter().map(|a| &a.values).collect();
            assert_eq!(
                back,
                [
                    &Values::Float(phi.clone()),
                    &Values::Float(flat.to_vec()),
                    &Values::Float(single.iter().map(|&x| x.into()).collect()),
                    &Values::Int(band.iter().map(|&x| x.into()).collect()),
                    &Values::Int(patch.iter().map(|&x| x.into()).collect()),
                ]
            );
            assert_eq!(mesh.vertex_data[1].name, "x < \"1\" & more");
            assert_eq!(mesh.cell_data[0].values, Values::Int(number));
        }
    }
}

#[test]
fn lines_empty_files_and_series() {
    let folder = tempfile::tempdir().unwrap();
    let (points, _) = lattice(3);
    for compression in [Compression::None, Compression::Lz4, Compression::Zlib] {
        let geometry = Geometry::lines(&points, &[0, 1, 1, 4], compression);
        let path = folder.path().join("interface_0001.vtp");
        write(&path, &VtkOutput::new(&geometry)).unwrap();
        let file = read_file(&path).unwrap();
        assert_eq!(file.cells_by_type, by_type(&[("line", 2)]));
        assert_eq!(file.mesh.groups[0].members, {
            Members::Simplices { dimension: 1, vertices: vec![0, 1, 1, 4] }
        });
        // An empty interface gives a file without points.
        let nothing = Geometry::lines(&[], &[], compression);
        write(&path, &VtkOutput::new(&nothing).point_data("phi", 1, &[0.0; 0][..])).unwrap();
        assert_eq!(read_file(&path).unwrap().mesh.n_vertices(), 0);
    }
    let series = folder.path().join("case.pvd");
    write_pvd(&series, &[(0.0, "a & b.vtp"), (0.25, "c.vtp")]).unwrap();
    let text = std::fs::read_to_string(&series).unwrap();
    assert!(text.contains(r#"<DataSet timestep="0.25" part="0" file="c.vtp"/>"#), "{text}");
    assert!(text.contains("a &amp; b.vtp"));
}

#[test]
fn a_mesh_as_read_is_written_with_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.vtu");
    let mesh = read(&fixture("volume_raw.vtu")).unwrap().mesh;
    let geometry = Geometry::mesh(&mesh, Compression::default());
    assert_eq!(geometry.extension(), "vtu");
    let mut output = VtkOutput::new(&geometry);
    output.point_data.extend(mesh.vertex_data.iter().map(Field::from));
    output.cell_data.extend(mesh.cell_data.iter().map(Field::from));
    write(&path, &output).unwrap();
    let again = read_file(&path).unwrap().mesh;
    assert_eq!((&again.vertices, &again.cells), (&mesh.vertices, &mesh.cells));
    assert_eq!((&again.vertex_data, &again.cell_data), (&mesh.vertex_data, &mesh.cell_data));
}

#[test]
fn what_does_not_fit_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (points, triangles) = lattice(3);
    let surface = Geometry::triangles(&points, &triangles, Compression::None);
    let volume = Geometry::tetrahedra(&points, &triangles[..4], Compression::None);
    let lines = Geometry::lines(&points, &[0, 1], Compression::None);
    let short = [0.0; 8];
    for (name, output, what) in [
        ("a.vtp", VtkOutput::new(&volume), "end the name in .vtu"),
        ("a.vtu", VtkOutput::new(&lines), "end the name in .vtp"),
        ("a.vtk", VtkOutput::new(&surface), "end the name in .vtp"),
        ("a.vtp", VtkOutput::new(&surface).point_data("phi", 1, &short[..]), "8 numbers"),
        ("a.vtp", VtkOutput::new(&surface).cell_data("q", 0, &short[..0]), "'q' has 0 numbers"),
        ("no/a.vtp", VtkOutput::new(&surface), "check that the folder exists"),
    ] {
        let error = write(&folder.path().join(name), &output).unwrap_err();
        assert!(matches!(error, Error::Output { .. }));
        assert!(error.to_string().contains(what), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (points, triangles) = lattice(150);
    let phi: Vec<f64> = points.iter().map(|p| p[0].sin()).collect();
    for compression in [Compression::None, Compression::Lz4, Compression::Zlib] {
        let files = [1, 2, 5].map(|threads| {
            let path = folder.path().join(format!("{threads}.vtp"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let geometry = Geometry::triangles(&points, &triangles, compression);
                write(&path, &VtkOutput::new(&geometry).point_data("phi", 1, &phi)).unwrap();
            });
            std::fs::read(&path).unwrap()
        });
        assert!(files[0] == files[1] && files[0] == files[2]);
    }
}

/// Checks arrays that fill their blocks of 2^18 bytes exactly, so that there is no shorter last
/// block.
#[test]
fn a_last_block_may_be_full() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full.vtp");
    let phi: Vec<f64> = (0..2 << 15).map(f64::from).collect();
    let points: Vec<[f64; 3]> = phi.iter().map(|&x| [x, 0.0, 1.0]).collect();
    for compression in [Compression::None, Compression::Lz4, Compression::Zlib] {
        let geometry = Geometry::lines(&points, &[0, 1], compression);
        write(&path, &VtkOutput::new(&geometry).point_data("phi", 1, &phi)).unwrap();
        let mesh = read_file(&path).unwrap().mesh;
        assert_eq!(mesh.vertex_data[0].values, Values::Float(phi.clone()));
        assert_eq!(mesh.vertices, points);
    }
}
