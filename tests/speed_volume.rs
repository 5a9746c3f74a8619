//! Tests distances whose speed is given by a volume.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;
use zeroset::io::{WriteOptions, write_volume};
use zeroset::volume::{Placement, Samples, Volume};

/// Runs a command line in a folder.
fn run(folder: &Path, line: &str) -> Output {
    let mut command = Command::cargo_bin("zeroset").unwrap();
    command.current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

/// Returns the numbers of an `.npy` file.
fn numbers(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[head..].chunks_exact(8).map(|row| f64::from_le_bytes(row.try_into().unwrap())).collect()
}

/// Writes a volume of `shape` voxels of size 0.25 whose first voxel is centered at the origin.
fn write(folder: &Path, name: &str, shape: [usize; 3], value: impl Fn([f64; 3]) -> f64) {
    let [nx, ny, nz] = shape;
    let at = |n: usize| [n % nx, n / nx % ny, n / (nx * ny)].map(|i| 0.25 * i as f64);
    let values: Vec<f64> = (0..nx * ny * nz).map(|n| value(at(n))).collect();
    let steps = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]];
    let volume = Volume::new(shape, Samples::from(values), Placement::identity()).unwrap();
    let volume = volume.placed([0.0; 3], steps).unwrap();
    write_volume(&folder.join(name), &volume, &WriteOptions::default()).unwrap();
}

/// A folder with the unit square as `m.vtu`.
fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = run(folder.path(), "generate square --cells 16,16 --jitter 0.2 -o m.vtu");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    folder
}

#[test]
fn values_of_a_volume_are_speeds_at_the_centroids() {
    let folder = place();
    let folder = folder.path();
    // Interpolation is exact for linear values.
    write(folder, "v.nrrd", [5, 5, 2], |[x, y, _]| 1.0 + x - 0.5 * y);
    let from = |speed: &str, output: &str| {
        let line = format!("distance m.vtu --from vertex:0 --speed {speed} -o {output}");
        let done = run(folder, &line);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && !said.contains("warning"), "{said}");
        numbers(&folder.join(output))
    };
    let (found, expected) = (from("volume=v.nrrd", "a.npy"), from("1+x-0.5*y", "b.npy"));
    let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-12, "{off:e}");
    // A case has the same key.
    let case = "version = 1\n[domain.mesh]\npath = \"m.vtu\"\n[distance]\nfrom = [\"vertex:0\"]\n\
                speed = { volume = \"v.nrrd\" }\n";
    std::fs::write(folder.join("case.toml"), case).unwrap();
    let done = run(folder, "check case.toml");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn doubtful_and_unusable_volumes_are_named() {
    let folder = place();
    let folder = folder.path();
    let distance = |speed: &str| {
        let line = format!("distance m.vtu --from vertex:0 --speed {speed} -o a.npy");
        let done = run(folder, &line);
        (done.status.code().unwrap(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    // The volume covers only half of the mesh.
    write(folder, "small.nrrd", [3, 5, 2], |_| 2.0);
    let (code, said) = distance("volume=small.nrrd");
    assert!(code == 0 && said.contains("outside the volume"), "{code} {said}");
    write(folder, "nan.nrrd", [5, 5, 2], |[x, ..]| if x > 0.6 { f64::NAN } else { 1.0 });
    let (code, said) = distance("volume=nan.nrrd");
    assert!(code == 3 && said.contains("nan.nrrd") && said.contains("not finite"), "{code} {said}");
    write(folder, "zero.nrrd", [5, 5, 2], |[x, ..]| if x > 0.6 { 0.0 } else { 1.0 });
    let (code, said) = distance("volume=zero.nrrd");
    assert!(code == 2 && said.contains("in cell"), "{code} {said}");
    let (code, said) = distance("volume=absent.nrrd");
    assert!(code != 0 && said.contains("absent.nrrd"), "{code} {said}");
    let (code, said) = distance("volume=");
    assert!(code == 2 && said.contains("volume=FILE"), "{code} {said}");
}
