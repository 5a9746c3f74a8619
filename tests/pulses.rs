//! Tests that runs notice what a coefficient does between the times at which it is evaluated:
//! valves, pulses, moving sources.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::read_mesh;
use zeroset_testing::field;

/// Runs a case with the given settings. Returns the last line of measures.csv as column-value
/// pairs.
fn last_measures(case: &Path, settings: &[&str]) -> Vec<(String, f64)> {
    let results = tempfile::tempdir().unwrap();
    let folder = results.path().join("r");
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.arg("run").arg(case).arg("-o").arg(&folder);
    for setting in settings {
        command.args(["--set", setting]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.join("measures.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let numbers = lines.last().unwrap().split(',').map(|x| x.parse().unwrap_or(f64::NAN));
    lines[0].split(',').map(str::to_string).zip(numbers).collect()
}

fn measure(measures: &[(String, f64)], name: &str) -> f64 {
    measures.iter().find(|(column, _)| column == name).unwrap().1
}

/// Runs a case. Returns the distance by which the center of its interface moved along x.
fn traveled(case: &Path) -> f64 {
    let results = tempfile::tempdir().unwrap();
    let folder = results.path().join("r");
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.arg("run").arg(case).arg("-o").arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let is_interface = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("interface_") && name.ends_with(".vtp")
    };
    let mut files: Vec<PathBuf> = files.filter(is_interface).collect();
    files.sort();
    let center = |path: &PathBuf| {
        let (low, high) = read_mesh(path).unwrap().mesh.bounds();
        (low[0] + high[0]) / 2.0
    };
    center(files.last().unwrap()) - center(&files[0])
}

/// Writes and runs a case with a disk of radius 0.15 that grows with the given speed until
/// `end_time`. Returns the distance by which the disk grew.
fn growth(speed: &str, end_time: f64, settings: &[&str]) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("grow.toml");
    let text = format!(
        "version = 1\n[domain.mesh.generate.square]\ncells = [48, 48]\n\
         [initial]\nball = {{ center = [0.5, 0.5, 0], radius = 0.15 }}\n\
         [evolve]\nnormal_speed = \"{speed}\"\nend_time = {end_time}\n"
    );
    std::fs::write(&case, text).unwrap();
    let area = measure(&last_measures(&case, settings), "enclosed_area");
    (area / PI).sqrt() - 0.15
}

#[test]
fn disks_grow_by_the_integral_of_pulses() {
    for (case, area) in [("rectified_sine", 0.1893), ("small_base", 0.2124)] {
        let Some(case) = field(&format!("meshes/pulse/{case}.toml")) else { return };
        let found = measure(&last_measures(&case, &[]), "enclosed_area");
        assert!((found / area - 1.0).abs() < 0.01, "{}: {found}", case.display());
    }
}

#[test]
fn a_valve_moves_the_front_by_the_duration_of_its_opening() {
    let Some(case) = field("meshes/pulse/valve.toml") else { return };
    // The center of the disk moves from x = 0.3 to 0.5. The area stays the same.
    let area = |settings: &[&str]| measure(&last_measures(&case, settings), "enclosed_area");
    assert!((area(&[]) / 0.0707 - 1.0).abs() < 0.01);
    let distance = traveled(&case);
    assert!((distance - 0.2).abs() < 0.002, "{distance}");
    for (duration, distance) in [(0.2, 0.2), (0.05, 0.05), (0.001, 0.001)] {
        let speed = format!("if(t > 1 && t < {}, 1, 0)", 1.0 + duration);
        let found = growth(&speed, 3.0, &[]);
        assert!((found - distance).abs() < 0.002, "{duration}: {found}");
    }
}

#[test]
fn tiles_see_a_pulse() {
    let Some(case) = field("meshes/pulse/tiled.toml") else { return };
    // A ball of radius 0.2 that has grown by 0.05.
    let found = measure(&last_measures(&case, &[]), "enclosed_volume");
    assert!((found / 0.0654 - 1.0).abs() < 0.02, "{found}");
}

#[test]
fn pulses_of_every_kind_have_their_exact_growth() {
    for (speed, end, distance) in [
        ("exp(-((t - 5)/0.02)^2)", 10.0, 0.02 * PI.sqrt()),
        ("0.03*max(0, sin(2*pi*t/5))", 5.0, 0.03 * 5.0 / PI),
        // A pulse that lasts 1e-4, every 1e-3.
        ("if(t/0.001 - floor(t/0.001) < 0.1, 1, 0)", 1.0, 0.1),
        ("0.02*abs(sin(300*t))", 2.0, 0.02 * 2.0 * 2.0 / PI),
        // A beam crosses the square. It covers a point on the interface for a time of 0.1 / (2 -
        // 0.4 cos a), where a is the angle of the point. This time is longer where the interface
        // moves along with the beam.
        ("if(abs(x - 2*(t - 1)) < 0.05, 0.4, 0)", 3.0, 0.04 / (4.0f64 - 0.16).sqrt()),
    ] {
        let found = growth(speed, end, &[]);
        assert!((found / distance - 1.0).abs() < 0.03, "{speed}: {found} instead of {distance}");
    }
}

#[test]
fn shorter_steps_change_little() {
    for speed in [
        "0.03*max(0, sin(2*pi*t/5))",
        "if(t > 1 && t < 1.2, 0.5, 0)",
        "0.001 + if(t > 1 && t < 1.1, 1, 0)",
        "if(abs(x - 2*(t - 1)) < 0.05, 1, 0)",
        "exp(-((t - 1.5)/0.02)^2)",
    ] {
        let radius = |settings: &[&str]| 0.15 + growth(speed, 3.0, settings);
        let (long, short) = (radius(&[]), radius(&["evolve.max_step=0.015", "evolve.cfl=0.5"]));
        assert!(((long / short).powi(2) - 1.0).abs() < 0.01, "{speed}: {long} and {short}");
    }
}
