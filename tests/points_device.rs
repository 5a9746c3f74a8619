//! Tests the choice of the device for `zeroset points`, including trees and matrices. Also tests
//! that all devices give the same results.

use std::path::Path;
use std::process::{Command, Output};

use zeroset::io::{WriteOptions, write_volume};
use zeroset::volume::{Placement, Scaling, Volume};

/// Creates a folder with a volume of scaled values, a small template for it, an image in two
/// formats, and another image with extra bytes after its pixels.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, shape: [usize; 3], scaling: Scaling| {
        let n = shape.iter().product::<usize>() as i64;
        let numbers: Vec<i16> = (0..n).map(|n| (n * 7919 % 1000 / 300) as i16).collect();
        let volume = Volume::new(shape, numbers.into(), Placement::identity()).unwrap();
        let volume = volume.with_scaling(scaling).unwrap();
        write_volume(&folder.path().join(name), &volume, &WriteOptions::default()).unwrap();
    };
    write("v.nii", [21, 10, 6], Scaling { slope: 0.5, intercept: 1.0 });
    write("m.nii", [2, 1, 1], Scaling { slope: 0.5, intercept: 1.0 });
    write("s.nrrd", [21, 60, 1], Scaling::NONE);
    write("s.npy", [21, 60, 1], Scaling::NONE);
    std::fs::write(folder.path().join("p.pgm"), b"P5 2 1 255\n\x01\x02and more").unwrap();
    folder
}

fn run(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(line.split(' '));
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every kind of query: its arguments without the output file, and the extension of the output
/// file.
const WAYS: [(&str, &str); 10] = [
    ("points v.nii --where v>1.5", "csv"),
    ("points v.nii --edge 0.25", "csv"),
    ("points v.nii --match m.nii --tolerance 0.5", "npy"),
    ("points v.nii --where i>3 --edge 0.25 --match m.nii --tolerance 1 --order blocks", "csv"),
    ("points v.nii --edge 0.25 --entries 7..19", "csv"),
    ("points v.nii --edge 0.25 --where v>1 --copies v+1", "csv"),
    ("points v.nii --where v>1 --edge 0.25 --blocks 4", "nrrd"),
    ("points v.nii --tree", "csv"),
    ("points v.nii --tree --where i!=7 --edge 0", "csv"),
    ("points s.npy --sparse --where v>1&&j!=3", "mtx"),
];

#[test]
fn a_gpu_that_is_not_there_is_said() {
    let folder = place();
    for (way, ending) in WAYS {
        let out = format!("o.{ending}");
        let with = |device: &str| {
            let mut command = run(folder.path(), &format!("{way} -o {out} --device {device}"));
            command.env("CUDA_VISIBLE_DEVICES", "").output().unwrap()
        };
        let asked = with("cuda");
        assert_eq!(asked.status.code(), Some(5), "{way}: {}", stderr(&asked));
        assert!(stderr(&asked).contains("error: device: "), "{way}: {}", stderr(&asked));
        assert!(!folder.path().join(&out).exists(), "{way}");
        let written = ["auto", "cpu"].map(|device| {
            let done = with(device);
            assert_eq!((done.status.code(), stderr(&done)), (Some(0), String::new()), "{way}");
            std::fs::read(folder.path().join(&out)).unwrap()
        });
        assert!(written[0] == written[1] && written[0].len() > 60, "{way}");
        std::fs::remove_file(folder.path().join(&out)).unwrap();
        assert_eq!(with("gpu").status.code(), Some(2), "{way}");
    }
}

/// If there is a GPU, both devices write the same files.
#[test]
fn a_gpu_writes_what_the_cpu_writes() {
    if let Err(error) = zeroset::gpu::available(0) {
        let required = std::env::var("ZEROSET_REQUIRE_CUDA").is_ok_and(|v| v == "1");
        assert!(!required, "ZEROSET_REQUIRE_CUDA is 1, but {error:?}");
        eprintln!("NOT TESTED on a GPU: {error:?}");
        return;
    }
    let folder = place();
    let more = [
        ("points s.npy --sparse", "mtx"),
        ("points s.nrrd --sparse", "mtx"),
        ("points s.nrrd --tree", "vtp"),
    ];
    for (way, ending) in WAYS.into_iter().chain(more) {
        let written = ["cpu", "cuda"].map(|device| {
            let out = format!("{device}.{ending}");
            let line = format!("{way} -o {out} --device {device}");
            let done = run(folder.path(), &line).output().unwrap();
            assert_eq!((done.status.code(), stderr(&done)), (Some(0), String::new()), "{way}");
            std::fs::read(folder.path().join(&out)).unwrap()
        });
        assert!(written[0] == written[1], "{way}");
    }
    for count in ["", " --box 3:9,:,2:4 --box :,5:,:"] {
        let printed = ["cpu", "cuda"].map(|device| {
            let line = format!("points v.nii --edge 0.25 --where v>1 --count{count}");
            let done = run(folder.path(), &format!("{line} --device {device}")).output().unwrap();
            assert_eq!((done.status.code(), stderr(&done)), (Some(0), String::new()), "{line}");
            done.stdout
        });
        assert_eq!(printed[0], printed[1], "{count}");
    }
}

#[test]
fn what_the_file_of_a_template_is_warned_of_is_said() {
    let folder = place();
    for line in ["points s.nrrd --count", "points s.nrrd --tree -o t.csv"] {
        let line = format!("{line} --match p.pgm --tolerance 2");
        let done = run(folder.path(), &line).output().unwrap();
        let said = stderr(&done);
        assert_eq!(done.status.code(), Some(0), "{said}");
        let warning = "warning: p.pgm: 8 bytes after the last pixel are ignored\n";
        assert_eq!(said, warning, "{line}");
    }
}
