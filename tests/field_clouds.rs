//! Tests reconstruction with point clouds from the field (`ZEROSET_FIELD`): normals without a
//! consistent orientation, outliers, thin plates, narrow gaps and line-by-line scans. Each cloud
//! must give the right surface, or exit code 1 or 4 with the reason.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::cloud::PointCloud;
use zeroset::io::vtk::Compression;
use zeroset::io::{read_cloud, read_mesh, write_cloud};
use zeroset::surface::Parts;
use zeroset_testing::field;
use zeroset_testing::samples::{Random, plate};

/// A reconstructed surface.
struct Surface {
    code: i32,
    said: String,
    report: serde_json::Value,
    /// Volumes of the components, negative if they face inward.
    volumes: Vec<f64>,
    vertices: Vec<[f64; 3]>,
}

impl Surface {
    /// Runs `zeroset reconstruct` with the given options.
    #[track_caller]
    fn of(cloud: &Path, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(folder.path()).arg("reconstruct").arg(cloud).args(options);
        let output = command.args(["-o", "o.ply", "--report", "o.json"]).output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let code = output.status.code().unwrap();
        let file = folder.path().join("o.ply");
        assert_eq!(file.exists(), code <= 1, "{said}");
        let mut found = Surface {
            code,
            said,
            report: serde_json::Value::Null,
            volumes: Vec::new(),
            vertices: Vec::new(),
        };
        if code <= 1 {
            let text = std::fs::read_to_string(folder.path().join("o.json")).unwrap();
            found.report = serde_json::from_str(&text).unwrap();
            let mesh = read_mesh(&file).unwrap().mesh;
            let extents = Parts::new(&mesh).extents(&mesh);
            found.volumes = extents.iter().map(|part| part.volume / 6.0).collect();
            found.vertices = mesh.vertices;
            assert_eq!(found.report["check"]["passed"], code == 0, "{}", found.said);
        }
        found
    }

    fn number(&self, path: &str) -> f64 {
        self.report.pointer(path).and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN)
    }

    /// Asserts that the surface consists of closed components with the given volumes.
    #[track_caller]
    fn assert_closed(&self, volumes: &[f64], tolerance: f64) {
        assert_eq!(self.code, 0, "{}", self.said);
        assert_eq!(self.report["surface"]["closed"], true, "{}", self.said);
        assert_eq!(self.volumes.len(), volumes.len(), "{}", self.said);
        for (found, expected) in self.volumes.iter().zip(volumes) {
            assert!(
                (found / expected - 1.0).abs() < tolerance,
                "{:?}: {}",
                self.volumes,
                self.said
            );
        }
    }

    fn has_warning(&self, part: &str) -> bool {
        self.said.contains(part)
            && self.report["warnings"].as_array().is_some_and(|warnings| {
                warnings.iter().any(|warning| warning.as_str().unwrap().contains(part))
            })
    }
}

/// Returns the path of a copy of a cloud without normals, and the folder that holds it.
fn without_normals(cloud: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions.ply");
    let (cloud, _) = read_cloud(cloud).unwrap();
    write_cloud(&path, &PointCloud::new(cloud.points), Compression::default()).unwrap();
    (folder, path)
}

const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI;

#[test]
fn flipped_normals_are_turned_and_counted() {
    for name in ["half_flipped", "two_percent_flipped"] {
        let Some(cloud) = field(&format!("clouds/normals_unoriented/{name}.ply")) else { return };
        let found = Surface::of(&cloud, &[]);
        found.assert_closed(&[BALL], 0.02);
        assert!(found.has_warning("normals point the opposite way"), "{}", found.said);
        assert!(found.number("/sides/turned") > 50.0);
    }
}

#[test]
fn outliers_are_left_out_and_counted() {
    let Some(cloud) = field("clouds/outliers_5pct/sphere_outliers_normals.ply") else { return };
    let (_folder, positions) = without_normals(&cloud);
    for cloud in [&cloud, &positions] {
        let found = Surface::of(cloud, &[]);
        found.assert_closed(&[BALL], 0.03);
        assert!(found.has_warning("off the surface"), "{}", found.said);
        let dropped = found.number("/samples/off_surface") + found.number("/samples/outliers");
        assert!((170.0..=205.0).contains(&dropped), "{dropped} of 200");
    }
}

#[test]
fn a_thin_plate_is_a_closed_box() {
    let Some(cloud) = field("clouds/thin_plate/plate_1x1x0.05_6000.ply") else { return };
    let (_folder, positions) = without_normals(&cloud);
    for cloud in [&cloud, &positions] {
        let found = Surface::of(cloud, &[]);
        found.assert_closed(&[0.05], 0.1);
        // No spikes at the rim.
        let is_near = |x: &[f64; 3]| (0..3).all(|k| x[k].abs() < [0.515, 0.515, 0.04][k]);
        assert!(found.vertices.iter().all(is_near), "{}", found.said);
    }
}

/// Writes a cloud to a folder, without its normals unless `has_normals`.
fn written(folder: &Path, cloud: PointCloud, has_normals: bool) -> PathBuf {
    let path = folder.join("cloud.ply");
    let normals = cloud.normals.filter(|_| has_normals);
    let cloud = PointCloud { points: cloud.points, normals, ..PointCloud::default() };
    write_cloud(&path, &cloud, Compression::default()).unwrap();
    path
}

#[test]
fn plates_of_one_to_three_spacings_are_closed_boxes_or_fail_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let spacing = 0.025;
    for thickness in [1.0, 1.7, 2.5] {
        for is_even in [true, false] {
            let cloud = plate(thickness * spacing, spacing, is_even);
            let volumes = [thickness * spacing];
            // The remedy for plates without normals is to give them.
            let path = written(folder.path(), cloud.clone(), true);
            Surface::of(&path, &[]).assert_closed(&volumes, 0.1);
            let found = Surface::of(&written(folder.path(), cloud, false), &[]);
            if is_even && thickness == 1.0 {
                assert_eq!(found.code, 1, "{}", found.said);
                assert!(found.has_warning("give normals of the scanner"), "{}", found.said);
            } else {
                found.assert_closed(&volumes, 0.15);
                assert_eq!(found.number("/surface/genus"), 0.0, "{}", found.said);
            }
        }
    }
}

#[test]
fn thin_plates_without_normals_are_named_with_the_uncertainty_of_their_volume() {
    let folder = tempfile::tempdir().unwrap();
    let spacing = 0.025;
    for (thickness, has_normals, is_named) in
        [(1.0, false, true), (1.3, false, true), (1.3, true, false), (2.5, false, false)]
    {
        let cloud = plate(thickness * spacing, spacing, false);
        let found = Surface::of(&written(folder.path(), cloud, has_normals), &[]);
        let is_said = found.has_warning("distance between samples") && found.has_warning("volume");
        assert_eq!(is_said, is_named, "{thickness} {has_normals}: {}", found.said);
    }
}

#[test]
fn contradictory_normals_of_close_layers_have_a_remedy_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    let thickness = 0.0158;
    // Random samples on both sides of a plate.
    let layers = |n: usize| {
        let mut random = Random::new(7);
        let side = |k: usize| (k % 2) as f64;
        let points: Vec<[f64; 3]> =
            (0..n).map(|k| [random.unit(), random.unit(), thickness * side(k)]).collect();
        let normals = (0..n).map(|k| [0.0, 0.0, 2.0 * side(k) as f32 - 1.0]).collect();
        PointCloud { points, normals: Some(normals), ..PointCloud::default() }
    };
    let found = Surface::of(&written(folder.path(), layers(2_000), true), &[]);
    assert!(found.has_warning("they are not used"), "{}", found.said);
    assert!(found.has_warning("use denser samples"), "{}", found.said);
    assert!(!found.said.contains("give normals"), "{}", found.said);
    let found = Surface::of(&written(folder.path(), layers(8_000), true), &[]);
    assert_eq!(found.code, 0, "{}", found.said);
    assert!(found.number("/error/max") < 0.3 * thickness, "{}", found.said);
}

#[test]
fn a_plate_thinner_than_a_cube_gets_smaller_cubes() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), plate(0.01, 0.02, true), true);
    let found = Surface::of(&path, &[]);
    found.assert_closed(&[0.01], 0.05);
    assert!(found.has_warning("are used instead"), "{}", found.said);
}

#[test]
fn a_surface_that_follows_one_of_two_layers_fails() {
    let folder = tempfile::tempdir().unwrap();
    let shell = |radius: f64, n: usize| {
        (0..n).map(move |k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let (across, angle) = ((1.0 - z * z).sqrt(), 2.399_963 * k as f64);
            [across * angle.cos(), across * angle.sin(), z].map(|x| radius * x)
        })
    };
    let points = shell(1.0, 6000).chain(shell(0.954, 5400)).collect();
    let found = Surface::of(&written(folder.path(), PointCloud::new(points), false), &[]);
    assert_eq!(found.code, 1, "{}", found.said);
    assert!(found.has_warning("two layers"), "{}", found.said);
}

#[test]
fn two_close_spheres_stay_two() {
    let Some(cloud) = field("clouds/two_close_spheres/two_gap0.07_normals.ply") else { return };
    let (_folder, positions) = without_normals(&cloud);
    for cloud in [&cloud, &positions] {
        Surface::of(cloud, &[]).assert_closed(&[BALL / 8.0, BALL / 8.0], 0.05);
    }
}

#[test]
fn scan_lines_are_a_tube_or_a_failure() {
    let Some(cloud) = field("clouds/scan_lines/rings_normals.ply") else { return };
    let (_folder, positions) = without_normals(&cloud);
    for options in [&["--cell", "0.1"][..], &[]] {
        let found = Surface::of(&cloud, options);
        assert_eq!(found.code, 0, "{}", found.said);
        assert_eq!(found.number("/surface/components"), 1.0, "{}", found.said);
        assert_eq!(found.report["surface"]["holes"].as_array().unwrap().len(), 2, "{}", found.said);
        assert!(found.number("/error/max_percent") < 1.0, "{}", found.said);
        let found = Surface::of(&positions, options);
        let is_tube = found.code == 0 && found.number("/error/max_percent") < 2.0;
        let has_reason = found.code == 4 || found.code == 1 && found.said.contains("warning");
        assert!(is_tube || has_reason, "{}", found.said);
    }
}
