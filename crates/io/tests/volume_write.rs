//! Tests of the volume writers: content is the same when it is read back, and lost content is
//! reported.

use std::path::Path;

use zeroset_core::volume::{Placement, Samples, Scaling, Volume};
use zeroset_io::vtk::Compression;
use zeroset_io::{VolumeOptions, WriteOptions, read_volume, write_volume};

/// Returns one volume of each number type, with an oblique placement in RAS.
fn volumes() -> Vec<Volume> {
    let n = 5 * 4 * 3;
    macro_rules! of {
        ($($t:ty),*) => {
            vec![$(Samples::from((0..n).map(|k| (k * 37 % 101) as $t).collect::<Vec<$t>>())),*]
        };
    }
    let all: Vec<Samples> = of![u8, i8, u16, i16, u32, i32, u64, i64, f32, f64];
    let steps = [[-2.0, 0.0, 0.25], [0.0, 0.5, 0.0], [0.5, 0.0, 3.0]];
    let volume = |samples: Samples| {
        let volume = Volume::new([5, 4, 3], samples, Placement::identity()).unwrap();
        let mut volume = volume.placed([10.0, -20.5, 30.0], steps).unwrap();
        volume.frame = Some("RAS".into());
        volume.units = Some("mm".into());
        volume.name = "small".into();
        volume
    };
    all.into_iter().map(volume).collect()
}

fn there_and_back(volume: &Volume, name: &str) -> (Volume, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let lost = write_volume(&path, volume, &WriteOptions::default()).unwrap();
    let file = read_volume(&path, &VolumeOptions::default()).unwrap();
    assert!(file.warnings.is_empty(), "{name}: {:?}", file.warnings);
    (file.volume, lost)
}

fn assert_placed(found: &Placement, expected: &Placement, what: &str) {
    let numbers = |p: &Placement| [p.steps().as_flattened(), &p.origin()].concat();
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
    let (a, b) = (numbers(found), numbers(expected));
    assert!(a.iter().zip(&b).all(close), "{what}: {a:?}, expected {b:?}");
}

#[test]
fn every_type_comes_back_from_every_format() {
    for volume in volumes() {
        for name in ["a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.vti", "a.npy"] {
            let (found, lost) = there_and_back(&volume, name);
            let what = format!("{} in {name}", volume.samples().type_name());
            assert_eq!(found.samples(), volume.samples(), "{what}");
            assert_eq!(found.shape(), volume.shape(), "{what}");
            let states_frame = !matches!(name, "a.vti" | "a.npy");
            assert_eq!(found.frame.is_some(), states_frame, "{what}");
            match name {
                "a.npy" => assert_eq!(*found.placement(), Placement::identity()),
                "a.mha" => {
                    assert_eq!(found.frame.as_deref(), Some("LPS"));
                    assert!(lost[0].contains("coordinates change from RAS to LPS"), "{lost:?}");
                    let [x, y, z] = found.placement().origin();
                    assert_eq!([-x, -y, z], volume.placement().origin());
                    assert_eq!(found.orientation(), volume.orientation(), "{what}");
                }
                _ => assert_placed(found.placement(), volume.placement(), &what),
            }
            if matches!(name, "a.nii" | "a.nii.gz" | "a.nrrd") {
                assert!(lost.is_empty(), "{what}: {lost:?}");
                assert_eq!(
                    (found.frame, found.units),
                    (volume.frame.clone(), volume.units.clone())
                );
                assert_eq!(found.name, "small");
            }
        }
    }
}

#[test]
fn frames_change_signs_and_never_the_order() {
    let mut volume = volumes().pop().unwrap();
    volume.frame = Some("LPS".into());
    let (found, lost) = there_and_back(&volume, "a.nii");
    assert!(lost[0].contains("from LPS to RAS"), "{lost:?}");
    let [x, y, z] = volume.placement().origin();
    assert_eq!(found.placement().origin(), [-x, -y, z]);
    assert_eq!(found.orientation(), volume.orientation());
    assert_eq!(found.samples(), volume.samples());
    let (found, lost) = there_and_back(&volume, "a.mha");
    assert!(lost.is_empty(), "{lost:?}");
    assert_placed(found.placement(), volume.placement(), "LPS in mha");
    volume.frame = None;
    let (found, lost) = there_and_back(&volume, "a.nii");
    assert!(lost[0].contains("the frame is unknown"), "{lost:?}");
    assert_placed(found.placement(), volume.placement(), "unknown in nii");
    let (found, lost) = there_and_back(&volume, "a.nrrd");
    assert_eq!((found.frame, lost.len()), (None, 0));
    volume.frame = Some("scanner-xyz".into());
    let lost = there_and_back(&volume, "a.nrrd").1;
    assert!(lost[0].contains("scanner-xyz cannot be stated"), "{lost:?}");
}

#[test]
fn scaling_is_kept_or_applied() {
    let volume = volumes().swap_remove(3);
    let kept = volume.clone().with_scaling(Scaling { slope: 0.5, intercept: -3.0 }).unwrap();
    let (found, lost) = there_and_back(&kept, "a.nii.gz");
    assert_eq!((found.scaling(), lost.len()), (kept.scaling(), 0));
    assert_eq!(found.samples().type_name(), "int16");
    for name in ["a.nrrd", "a.mha", "a.vti", "a.npy"] {
        let (found, lost) = there_and_back(&kept, name);
        assert_eq!((found.samples().type_name(), found.to_f64()), ("float32", kept.to_f64()));
        assert!(lost[0].contains("scaled values become float32"), "{lost:?}");
    }
    let odd = volume.with_scaling(Scaling { slope: 0.1, intercept: 0.0 }).unwrap();
    let (found, lost) = there_and_back(&odd, "a.nii.gz");
    assert_eq!((found.scaling(), found.samples().type_name()), (Scaling::NONE, "float32"));
    assert!(lost[0].contains("scaled values become float32"), "{lost:?}");
}

#[test]
fn places_that_lose_digits_in_nifti_are_said() {
    let volume = volumes().swap_remove(3);
    let at = |x: f64| {
        let moved = volume.clone().placed([x, -20.5, 30.0], volume.placement().steps());
        there_and_back(&moved.unwrap(), "a.nii").1
    };
    assert_eq!([at(10.0), at(10.1)], [Vec::<String>::new(), Vec::new()]);
    let said = "origin and steps are rounded to 32 bits, by at most 2.5e-6";
    assert_eq!(at(100.0 + 1.0 / 3.0), [said]);
}

#[test]
fn long_rows_go_into_nifti_2() {
    let samples = Samples::from((0..40_000).map(|k| (k % 251) as u8).collect::<Vec<_>>());
    let mut volume = Volume::new([40_000, 1, 1], samples, Placement::identity()).unwrap();
    let steps = [[0.1, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    volume = volume.placed([0.3, 0.0, 0.0], steps).unwrap();
    volume = volume.with_scaling(Scaling { slope: 0.1, intercept: 0.0 }).unwrap();
    volume.frame = Some("RAS".into());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nii.gz");
    assert!(write_volume(&path, &volume, &WriteOptions::default()).unwrap().is_empty());
    let file = read_volume(&path, &VolumeOptions::default()).unwrap();
    assert!(file.version.starts_with("2 little-endian"), "{}", file.version);
    assert_eq!(file.volume.placement(), volume.placement());
    assert_eq!(
        (file.volume.scaling(), file.volume.samples()),
        (volume.scaling(), volume.samples())
    );
}

#[test]
fn vti_is_compressed_as_asked() {
    let samples = Samples::from(vec![7_u16; 300_000]);
    let volume = Volume::new([300, 1000, 1], samples, Placement::identity()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vti");
    for (compression, version, most) in [
        (Compression::None, "1.0 appended raw", 700_000),
        (Compression::Lz4, "1.0 appended raw lz4", 20_000),
        (Compression::Zlib, "1.0 appended raw zlib", 20_000),
    ] {
        let mut options = WriteOptions::default();
        options.compression = compression;
        write_volume(&path, &volume, &options).unwrap();
        let file = read_volume(&path, &VolumeOptions::default()).unwrap();
        assert_eq!((file.version.as_str(), file.volume.samples()), (version, volume.samples()));
        assert!(std::fs::metadata(&path).unwrap().len() < most);
    }
}

#[test]
fn names_decide_and_wrong_ones_are_refused() {
    let volume = volumes().swap_remove(0);
    for (name, found) in [
        ("a.nii.xz", "no volume format has this extension"),
        ("a.nrr", "did you mean .nrrd?"),
        ("a.npy.gz", "only .nii can be compressed"),
    ] {
        let error = write_volume(Path::new(name), &volume, &WriteOptions::default()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(found), "{error}");
    }
    let text = WriteOptions::default().ascii(true);
    let error = write_volume(Path::new("a.nii"), &volume, &text).unwrap_err().to_string();
    assert!(error.contains("cannot be written as text"), "{error}");
}
