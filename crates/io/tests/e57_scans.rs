//! Tests of E57 files with several scans, written by the crate `e57`: poses, spherical coordinates,
//! invalid points, normals and classes.

use std::path::Path;

use e57::{
    E57Writer, Extension, Quaternion, Record, RecordDataType, RecordName, RecordValue, Transform,
    Translation,
};
use zeroset_core::cloud::Attribute;
use zeroset_io::{Attributes, CloudOptions, read_cloud, read_cloud_with};

const DOUBLE: RecordDataType = RecordDataType::Double { min: None, max: None };

fn record(name: RecordName, data_type: RecordDataType) -> Record {
    Record { name, data_type }
}

fn extension(name: &str) -> RecordName {
    RecordName::Unknown { namespace: "nor".into(), name: name.into() }
}

/// Returns the records of a scan in spherical or Cartesian coordinates, with the state of each
/// point, a normal and a class.
fn prototype(is_spherical: bool) -> Vec<Record> {
    use RecordName as Name;
    let (place, state) = match is_spherical {
        true => (
            [Name::SphericalRange, Name::SphericalAzimuth, Name::SphericalElevation],
            Name::SphericalInvalidState,
        ),
        false => {
            ([Name::CartesianX, Name::CartesianY, Name::CartesianZ], Name::CartesianInvalidState)
        }
    };
    let mut records: Vec<Record> = place.into_iter().map(|name| record(name, DOUBLE)).collect();
    records.push(record(state, RecordDataType::Integer { min: 0, max: 2 }));
    records.extend(["normalX", "normalY", "normalZ"].map(|name| record(extension(name), DOUBLE)));
    let class = RecordDataType::Integer { min: 0, max: 31 };
    records.push(record(extension("classification"), class));
    records
}

/// Writes two scans. The second one has spherical coordinates, is rotated by 90 degrees about z,
/// and is moved to (10, 0, 0).
fn write(path: &Path, normals: [bool; 2]) {
    let mut file = E57Writer::from_file(path, "file").unwrap();
    file.register_extension(Extension::new("nor", "http://example.org/nor")).unwrap();
    for (is_spherical, has_normals) in [false, true].into_iter().zip(normals) {
        let mut records = prototype(is_spherical);
        if !has_normals {
            records.drain(4..7);
        }
        let mut scan = file.add_pointcloud("scan", records).unwrap();
        if is_spherical {
            let half = 0.5_f64.sqrt();
            let rotation = Quaternion { w: half, x: 0.0, y: 0.0, z: half };
            let translation = Translation { x: 10.0, y: 0.0, z: 0.0 };
            scan.set_transform(Some(Transform { rotation, translation }));
        }
        for (state, class) in [(0, 2), (1, 2), (2, 7), (0, 6)] {
            let mut values: Vec<RecordValue> =
                [2.0, 0.0, 0.0].map(RecordValue::Double).into_iter().collect();
            values.push(RecordValue::Integer(state));
            if has_normals {
                values.extend([3.0, 0.0, 0.0].map(RecordValue::Double));
            }
            values.push(RecordValue::Integer(class));
            scan.add_point(values).unwrap();
        }
        scan.finalize().unwrap();
    }
    file.finalize().unwrap();
}

#[test]
fn scans_are_merged_in_the_frame_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.e57");
    write(&path, [true, true]);
    let (cloud, report) = read_cloud(&path).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    for (x, expected) in cloud.points.iter().zip([[2.0, 0.0], [2.0, 0.0], [10.0, 2.0], [10.0, 2.0]])
    {
        assert!(near(x[0], expected[0]) && near(x[1], expected[1]) && near(x[2], 0.0), "{x:?}");
    }
    // Points that are only directions, and invalid points, are left out and counted.
    assert_eq!((cloud.len(), report.stored, report.not_finite), (4, 8, 4));
    let normals = cloud.normals.unwrap();
    assert!((normals[0][0] - 1.0).abs() < 1e-6 && (normals[3][1] - 1.0).abs() < 1e-6);
    assert_eq!(report.classes, [(2, 2), (6, 2)]);
    assert!(cloud.attributes.is_empty() && report.warnings.is_empty(), "{report:?}");
}

#[test]
fn attributes_are_read_on_request_and_points_are_selected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.e57");
    write(&path, [true, false]);
    let selection = Some("classification == 6 && x > 5".parse().unwrap());
    let options = CloudOptions::default().selection(selection).attributes(Attributes::All);
    let (cloud, report) = read_cloud_with(&path, &options).unwrap();
    assert_eq!((cloud.len(), report.selected), (1, Some(1)));
    assert_eq!(report.warnings, ["normals are ignored: some scans have none"]);
    let names: Vec<&str> = cloud.attributes.iter().map(|a: &Attribute| a.name.as_str()).collect();
    assert_eq!(names, ["classification"]);
    let selection = Some("intensity > 5".parse().unwrap());
    let error = read_cloud_with(&path, &CloudOptions::default().selection(selection)).unwrap_err();
    assert!(error.to_string().contains("no attribute \"intensity\""), "{error}");
}
