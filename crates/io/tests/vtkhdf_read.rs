//! Tests of reading VTKHDF files: files written by this program, by VTK and by h5py (see make.py in
//! `tests/data/vtkhdf`), and damaged files.

use std::path::{Path, PathBuf};

use zeroset_core::mesh::{Kind, Values};
use zeroset_io as io;
use zeroset_io::vtk::{Compression, Geometry, HdfSeries, VtkOutput};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vtkhdf").join(name)
}

fn at(time: f64) -> Option<io::Moment> {
    Some(io::Moment::At(time))
}

fn mesh_at(path: &Path, time: Option<io::Moment>) -> Result<io::MeshFile, String> {
    let options = io::MeshOptions::default().time(time);
    io::read_mesh_with(path, &options).map_err(|error| error.to_string())
}

fn values(file: &io::MeshFile, name: &str) -> Vec<f64> {
    file.mesh.vertex_array(name).unwrap().values.to_f64()
}

#[test]
fn meshes_of_vtk_that_change_from_state_to_state() {
    for name in ["polydata_series.vtkhdf.gz", "grid_series.vtkhdf.gz"] {
        let path = fixture(name);
        for (time, n) in [(0.0, 3), (0.5, 4), (1.5, 6)] {
            let file = mesh_at(&path, at(time)).unwrap();
            assert_eq!((file.format, file.version.as_str()), ("vtkhdf", "2.8"));
            assert_eq!(file.about.state.time, Some(time));
            assert_eq!(file.about.state.series, [0.0, 0.5, 1.5]);
            let row = |k: u32| [f64::from(k), f64::from(k % 2) + time, 0.0];
            assert_eq!(file.mesh.vertices, (0..n).map(row).collect::<Vec<_>>(), "{name}");
            let cells: Vec<u32> = (0..n - 2).flat_map(|k| [k, k + 1, k + 2]).collect();
            assert_eq!(file.mesh.cells, cells, "{name}");
            let phi: Vec<f64> = (0..n).map(|k| f64::from(k) + 10.0 * time).collect();
            assert_eq!(values(&file, "phi"), phi, "{name}");
            let vectors: Vec<f64> = (0..n).flat_map(|k| [f64::from(k), time, 0.0]).collect();
            assert_eq!(values(&file, "v"), vectors, "{name}");
            // In poly data, the line comes before the triangles.
            let lines = u32::from(name.starts_with("poly"));
            let c: Vec<f64> = (lines..n - 2 + lines).map(|k| f64::from(k) + 10.0 * time).collect();
            assert_eq!(file.mesh.cell_data[0].values.to_f64(), c, "{name}");
        }
        let last = mesh_at(&path, None).unwrap();
        assert_eq!(last.mesh.n_vertices(), 6);
        let said = "the last of 3 states is read, at time 1.5";
        assert!(last.warnings.iter().any(|w| w.contains(said)), "{:?}", last.warnings);
        assert_eq!(mesh_at(&path, Some(io::Moment::Last)).unwrap().warnings, Vec::<String>::new());
        let error = mesh_at(&path, at(1.0)).unwrap_err();
        let expected =
            format!("{name}: there is no state at time 1; there are the times 0, 0.5, 1.5");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn the_series_of_this_program_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for compression in [Compression::None, Compression::Zlib] {
        for solid in [false, true] {
            let path = folder.path().join("a.vtkhdf");
            let geometry = match solid {
                true => Geometry::tetrahedra(&points, &[0, 1, 2, 3], compression),
                false => Geometry::triangles(&points, &[0, 1, 2, 1, 3, 2], compression),
            };
            let mut series = HdfSeries::new(&path, compression);
            for step in 0..70 {
                let phi = [0.5, 1.5, 2.5, f64::from(step)];
                let state = VtkOutput::new(&geometry).time(0.25 * f64::from(step));
                series.add(&state.point_data("phi", 1, &phi[..])).unwrap();
            }
            for step in [0, 1, 63, 64, 69] {
                let time = 0.25 * f64::from(step);
                let file = mesh_at(&path, at(time)).unwrap();
                assert_eq!(file.mesh.kind, if solid { Kind::Volume } else { Kind::Surface });
                assert_eq!(file.mesh.vertices, points);
                assert_eq!(values(&file, "phi"), [0.5, 1.5, 2.5, f64::from(step)]);
                let data = io::read_data_at(&path, at(time)).unwrap();
                assert_eq!(data.state.time, Some(time));
                assert_eq!(data.arrays[0].values, Values::Float(values(&file, "phi")));
            }
            let states = io::Series::open(&path).unwrap().unwrap();
            assert_eq!(states.times().len(), 70);
            let file = states.read_mesh(7, &io::MeshOptions::default()).unwrap();
            assert_eq!(values(&file, "phi")[3], 7.0);
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn images_have_the_values_of_their_state() {
    let read = |name: &str, time| {
        let options = io::VolumeOptions::default().time(time);
        io::read_volume(&fixture(name), &options).unwrap()
    };
    let file = read("image.vtkhdf.gz", None);
    assert_eq!(file.volume.shape(), [4, 3, 2]);
    assert_eq!(file.volume.name, "phi", "the active scalars, not the first array");
    assert_eq!(file.volume.placement().world([0.0; 3]), [1.0, 2.0, 3.0]);
    assert_eq!(file.volume.placement().spacing(), [0.5, 0.25, 2.0]);
    assert_eq!(file.volume.to_f64(), (0..24).map(f64::from).collect::<Vec<_>>());
    assert_eq!((file.state.time, file.state.series), (Some(2.5), vec![]));
    for (state, time) in [(0, at(0.0)), (1, at(0.5)), (2, None)] {
        let file = read("image_series.vtkhdf.gz", time);
        let expected: Vec<f64> = (0..24).map(|k| f64::from(k + 100 * state)).collect();
        assert_eq!(file.volume.to_f64(), expected);
        assert_eq!(file.state.time, Some(0.5 * f64::from(state)));
    }
    let error = mesh_at(&fixture("image.vtkhdf.gz"), None).unwrap_err();
    assert!(error.contains("an image, not a mesh"), "{error}");
    let array = io::VolumeOptions::default().array(Some("other".into()));
    let other = io::read_volume(&fixture("image.vtkhdf.gz"), &array).unwrap();
    assert_eq!(other.volume.to_f64()[0], 1000.0);
}

#[test]
fn parts_are_joined_and_ghosts_left_out() {
    let file = mesh_at(&fixture("parts.vtkhdf.gz"), None).unwrap();
    assert_eq!(file.mesh.vertices[4..6], [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    assert_eq!(file.mesh.cells, [0, 1, 2, 1, 3, 2, 4, 5, 6]);
    assert_eq!(values(&file, "x"), (0..8).map(f64::from).collect::<Vec<_>>());
    assert!(file.warnings.iter().any(|w| w == "1 ghost cell is left out"), "{:?}", file.warnings);
    let said = "array 'names' does not hold numbers and is ignored";
    assert!(file.warnings.iter().any(|w| w == said), "{:?}", file.warnings);
    let error = mesh_at(&fixture("parts.vtkhdf.gz"), at(1.0)).unwrap_err();
    assert!(error.contains("time 1 is asked for, but the file states no time"), "{error}");
}

/// Returns the content of a fixture, unpacked.
fn unpacked(name: &str) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(fixture(name)).unwrap();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Checks that a damaged file gives a mesh or an error, and never causes a panic.
#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        for time in [None, at(0.5)] {
            let options = io::VolumeOptions::default().time(time);
            let _ = io::read(&path, &options).map_err(|error| {
                let text = error.to_string();
                assert!(text.chars().count() < 2000 && !text.contains('\n'), "{text}");
            });
        }
    };
    let mut random = 12345_u64;
    let mut next = move |n: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % n
    };
    for name in [
        "polydata_series.vtkhdf.gz",
        "grid_series.vtkhdf.gz",
        "image_series.vtkhdf.gz",
        "parts.vtkhdf.gz",
    ] {
        let good = unpacked(name);
        let used: Vec<usize> = (0..good.len()).filter(|&k| good[k] != 0).collect();
        for _ in 0..120 {
            let mut bytes = good.clone();
            for _ in 0..1 + next(3) {
                let place = used[next(used.len())] + next(4);
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = [0, 1, 0x7f, 0x80, 0xff, next(256) as u8][next(6)];
                }
            }
            read(&bytes);
        }
        for _ in 0..20 {
            read(&good[..next(good.len())]);
        }
    }
}

/// Checks that an array with fewer rows than the file declares is rejected.
#[test]
fn promised_sizes_are_checked() {
    use hdf5_pure::{AttrValue, FileBuilder};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    let mut file = FileBuilder::new();
    let mut root = file.create_group("VTKHDF");
    root.set_attr("Version", AttrValue::I64Array(vec![2, 0]));
    root.set_attr("Type", AttrValue::AsciiString("UnstructuredGrid".into()));
    for (name, numbers) in [
        ("NumberOfPoints", [1_i64 << 36]),
        ("NumberOfCells", [1 << 36]),
        ("NumberOfConnectivityIds", [1 << 38]),
    ] {
        root.create_dataset(name).with_data(&numbers);
    }
    let points = root.create_dataset("Points").with_data(&[0.0_f64; 3]);
    points.with_shape(&[1, 3]).with_chunks(&[1, 3]).with_deflate(1);
    file.add_group(root.finish());
    let mut bytes = Vec::new();
    file.finish_to(&mut std::io::Cursor::new(&mut bytes)).unwrap();
    std::fs::write(&path, bytes).unwrap();
    let error = mesh_at(&path, None).unwrap_err();
    assert!(error.contains("'Points'") && error.contains("has 1 rows"), "{error}");
}

#[test]
fn other_data_sets_are_named_with_a_remedy() {
    use hdf5_pure::{AttrValue, FileBuilder};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    for (kind, found, remedy) in [
        ("PartitionedDataSetCollection", "of several data sets", "Merge Blocks"),
        ("MultiBlockDataSet", "of several data sets", "Merge Blocks"),
        ("OverlappingAMR", "an adaptive VTKHDF grid", "Resample To Image"),
        ("HyperTreeGrid", "an adaptive VTKHDF grid", "Resample To Image"),
        ("RectilinearGrid", "a structured or rectilinear VTKHDF grid", "Tetrahedralize"),
        ("Table", "has the type 'Table'", "ParaView"),
    ] {
        let mut file = FileBuilder::new();
        let mut root = file.create_group("VTKHDF");
        root.set_attr("Version", AttrValue::I64Array(vec![2, 0]));
        root.set_attr("Type", AttrValue::AsciiString(kind.into()));
        file.add_group(root.finish());
        let mut bytes = Vec::new();
        file.finish_to(&mut std::io::Cursor::new(&mut bytes)).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let error = mesh_at(&path, None).unwrap_err();
        assert!(error.contains(found) && error.contains(remedy), "{error}");
    }
}
