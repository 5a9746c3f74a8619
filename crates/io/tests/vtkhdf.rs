//! Tests of series in one VTKHDF file. `.ci/check_vtk.py` checks such files with VTK itself.

use std::path::Path;

use hdf5_pure::{AttrValue, File};
use zeroset_io::vtk::{Compression, Geometry, HdfSeries, VtkOutput};

const POINTS: [[f64; 3]; 5] =
    [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
const CELLS: [u32; 8] = [0, 1, 2, 3, 4, 1, 3, 2];

fn phi(step: usize) -> Vec<f64> {
    (0..POINTS.len()).map(|k| (10 * step + k) as f64 + 0.5).collect()
}

/// Adds the states `steps` of a fixed mesh.
fn add(series: &mut HdfSeries, steps: std::ops::Range<usize>) {
    let geometry = Geometry::tetrahedra(&POINTS, &CELLS, Compression::None);
    for step in steps {
        let (phi, band) = (phi(step), [0_u8, 1, 1, 0, step as u8]);
        let state = VtkOutput::new(&geometry).time(0.25 * step as f64);
        series.add(&state.point_data("phi", 1, &phi[..]).point_data("band", 1, &band[..])).unwrap();
    }
}

fn whole(path: &Path, array: &str) -> Vec<i64> {
    File::open(path).unwrap().dataset(&format!("VTKHDF/{array}")).unwrap().read_i64().unwrap()
}

fn real(path: &Path, array: &str) -> Vec<f64> {
    File::open(path).unwrap().dataset(&format!("VTKHDF/{array}")).unwrap().read_f64().unwrap()
}

fn steps(path: &Path) -> AttrValue {
    File::open(path).unwrap().group("VTKHDF/Steps").unwrap().attrs().unwrap()["NSteps"].clone()
}

#[test]
fn states_grow_on_one_mesh() {
    for compression in [Compression::None, Compression::Zlib] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vtkhdf");
        let mut series = HdfSeries::new(&path, compression);
        assert!(!path.exists() && series.is_empty());
        add(&mut series, 0..100);
        assert_eq!(series.len(), 100);
        assert_eq!(steps(&path), AttrValue::I64(100));
        assert_eq!(real(&path, "Points"), POINTS.as_flattened());
        assert_eq!(whole(&path, "Connectivity"), CELLS.map(i64::from));
        assert_eq!(whole(&path, "Types"), [10, 10]);
        let all: Vec<f64> = (0..100).flat_map(phi).collect();
        assert_eq!(real(&path, "PointData/phi"), all);
        assert_eq!(real(&path, "Steps/Values")[99], 24.75);
        let offsets: Vec<i64> = (0..100).map(|k| 5 * k).collect();
        assert_eq!(whole(&path, "Steps/PointDataOffsets/band"), offsets);
        assert_eq!(whole(&path, "Steps/PointOffsets"), [0; 100]);
    }
}

#[test]
fn an_interrupted_write_leaves_the_states_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    let mut series = HdfSeries::new(&path, Compression::Zlib);
    for step in 0..70 {
        add(&mut series, step..step + 1);
        let before = std::fs::read(&path).unwrap();
        add(&mut series, step + 1..step + 2);
        let after = std::fs::read(&path).unwrap();
        // Only the superblock of the previous content changes. All new data follow that content.
        let superblock = 48;
        assert!(before[superblock..] == after[superblock..before.len()], "step {step}");
        let torn = [&before[..superblock], &after[superblock..]].concat();
        std::fs::write(&path, torn).unwrap();
        assert_eq!(steps(&path), AttrValue::I64(step as i64 + 1));
        assert_eq!(real(&path, "PointData/phi").len(), 5 * (step + 1));
        // The file can be extended by more states, and has no traces of the incomplete state.
        series = HdfSeries::open_existing(&path, Compression::Zlib, step + 1).unwrap();
        assert!(std::fs::read(&path).unwrap() == before, "step {step}");
    }
}

/// Adds states of triangles as poly data.
fn add_triangles(series: &mut HdfSeries, steps: std::ops::Range<usize>) {
    let geometry = Geometry::triangles(&POINTS, &CELLS[..6], Compression::None);
    for step in steps {
        let phi = phi(step);
        let state = VtkOutput::new(&geometry).time(step as f64).point_data("phi", 1, &phi[..]);
        series.add(&state).unwrap();
    }
}

#[test]
fn poly_data_have_rows_of_offsets_for_every_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    let mut series = HdfSeries::new(&path, Compression::None);
    add_triangles(&mut series, 0..150);
    assert_eq!(whole(&path, "Steps/CellOffsets"), [0; 4 * 256]);
    assert_eq!(whole(&path, "Polygons/Offsets"), [0, 3, 6]);
    assert_eq!(whole(&path, "Lines/Offsets"), [0]);
    assert_eq!(whole(&path, "NumberOfPoints"), [5]);
    assert_eq!(real(&path, "PointData/phi").len(), 750);
}

#[test]
fn a_series_is_cut_back_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    for triangles in [false, true] {
        let fill = if triangles { add_triangles } else { add };
        let whole_run = folder.path().join("whole.vtkhdf");
        let resumed = folder.path().join("resumed.vtkhdf");
        let mut series = HdfSeries::new(&whole_run, Compression::None);
        fill(&mut series, 0..9);
        let mut series = HdfSeries::new(&resumed, Compression::None);
        fill(&mut series, 0..8);
        for keep in [8, 5, 3, 0] {
            series = HdfSeries::open_existing(&resumed, Compression::None, keep).unwrap();
            assert_eq!(series.len(), keep);
            assert_eq!(resumed.exists(), keep > 0);
            fill(&mut series, keep..9);
            let cells = if triangles { "Polygons/Connectivity" } else { "Connectivity" };
            for name in [
                "NumberOfPoints",
                "Points",
                cells,
                "PointData/phi",
                "Steps/Values",
                "Steps/PartOffsets",
                "Steps/NumberOfParts",
                "Steps/CellOffsets",
                "Steps/PointDataOffsets/phi",
            ] {
                assert_eq!(real(&resumed, name), real(&whole_run, name), "{name}, {keep}");
            }
            assert_eq!(steps(&resumed), AttrValue::I64(9));
        }
        let error = HdfSeries::open_existing(&resumed, Compression::None, 10).unwrap_err();
        assert_eq!(error.exit_code(), 6);
        assert!(error.to_string().contains("holds 9 states, but 10 are needed"), "{error}");
    }
    let other = folder.path().join("other.vtkhdf");
    std::fs::write(&other, "no HDF5").unwrap();
    assert!(HdfSeries::open_existing(&other, Compression::None, 1).is_err());
    let missing = folder.path().join("missing.vtkhdf");
    assert!(HdfSeries::open_existing(&missing, Compression::None, 0).is_ok());
}

/// Checks that a series that is cut back and extended again has the bytes of an uninterrupted one.
#[test]
fn a_series_that_goes_on_has_the_same_bytes() {
    for compression in [Compression::None, Compression::Zlib] {
        for fill in [add, add_triangles] {
            let folder = tempfile::tempdir().unwrap();
            let [whole, resumed] =
                ["whole.vtkhdf", "resumed.vtkhdf"].map(|n| folder.path().join(n));
            let bytes = |path: &Path| std::fs::read(path).unwrap();
            fill(&mut HdfSeries::new(&whole, compression), 0..140);
            fill(&mut HdfSeries::new(&resumed, compression), 0..100);
            for (keep, end) in [(100, 101), (1, 2), (2, 70), (64, 66), (65, 130), (129, 140)] {
                let mut series = HdfSeries::open_existing(&resumed, compression, keep).unwrap();
                fill(&mut series, keep..end);
            }
            assert!(bytes(&resumed) == bytes(&whole), "{compression:?}");
        }
    }
}

#[test]
fn arrays_that_do_not_fit_are_refused_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    let mut series = HdfSeries::new(&path, Compression::None);
    add(&mut series, 0..1);
    let before = std::fs::read(&path).unwrap();
    let geometry = Geometry::tetrahedra(&POINTS, &CELLS, Compression::None);
    for (name, numbers) in [("phi", vec![0.0; 4]), ("a/b", vec![0.0; 5]), ("other", vec![0.0; 5])] {
        let state = VtkOutput::new(&geometry).point_data(name, 1, &numbers[..]);
        assert_eq!(series.add(&state).unwrap_err().exit_code(), 6, "{name}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
    }
    let more = Geometry::tetrahedra(&POINTS[..4], &CELLS[..4], Compression::None);
    let phi = [0.0; 4];
    let error = series.add(&VtkOutput::new(&more).point_data("phi", 1, &phi[..])).unwrap_err();
    assert!(error.to_string().contains("a state has 4 points, but the mesh has 5"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(series.len(), 1);
    add(&mut series, 1..2);
    assert_eq!(series.len(), 2);
}

#[test]
fn every_state_has_the_arrays_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtkhdf");
    let mut series = HdfSeries::new(&path, Compression::None);
    add_triangles(&mut series, 0..2);
    let geometry = Geometry::triangles(&POINTS, &CELLS[..6], Compression::None);
    let values = phi(2);
    let of = |names: &[&'static str]| {
        let mut state = VtkOutput::new(&geometry);
        for &name in names {
            state = state.point_data(name, 1, &values[..]);
        }
        state
    };
    let before = std::fs::read(&path).unwrap();
    let reopened = HdfSeries::open_existing(&path, Compression::None, 2).unwrap();
    for mut series in [series, reopened] {
        for names in [&["phi", "band"][..], &["band"], &[]] {
            let error = series.add(&of(names)).unwrap_err();
            assert_eq!(error.exit_code(), 6);
            assert!(error.to_string().contains("but the first state has phi"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
    }
    let mut series = HdfSeries::open_existing(&path, Compression::None, 2).unwrap();
    series.add(&of(&["phi"])).unwrap();
    assert_eq!(steps(&path), AttrValue::I64(3));
}
