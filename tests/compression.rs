//! Tests the compression of VTK files: the default, the option of every command that writes them,
//! and the keys of a case.

#[path = "support/place.rs"]
mod place;

use std::path::Path;

use assert_cmd::assert::OutputAssertExt;
use place::Place;
use predicates::str::contains;
use zeroset::io::{VolumeOptions, WriteOptions, read, write_volume};
use zeroset::volume::{Placement, Samples, Volume};

/// The option as written on the command line, and the `compressor` attribute of the resulting file.
const WORDS: [(&str, &str); 4] = [
    ("", "vtkZLibDataCompressor"),
    (" --compression zlib", "vtkZLibDataCompressor"),
    (" --compression lz4", "vtkLZ4DataCompressor"),
    (" --compression none", ""),
];

/// Every command that writes VTK files, each without the option.
const COMMANDS: [&str; 16] = [
    "generate sphere --subdivisions 2 -o o.vtp",
    "generate from ball.vtp --refine 1 -o o.vtu",
    "convert ball.vtp o.vtu",
    "convert ball.npy o.vti",
    "distance ball.vtp --from vertex:0 -o o.vtp",
    "distance ball.vtp --from vertex:0 --path-from vertex:9 -o o.shape.gii --paths o.vtp",
    "edt ball.npy --where v>4 -o o.vti",
    "points ball.npy --where v>4 -o o.vtp",
    "points ball.npy --where v>4 --blocks 4 -o o.vti",
    "points ball.npy --where v>4 --tree -o o.vtu",
    "isosurface ball.npy --level 4.5 -o o.vtp",
    "reconstruct cloud.ply -o o.vtp",
    "voxelize ball.vtp --size 8 -o o.vti",
    "sdf ball.vtp --size 8 -o o.vti",
    "sample ball.vtp -n 3000 --normals -o o.vtp",
    "run case.toml -o results --overwrite",
];

const CASE: &str = "version = 1\n[domain.mesh.generate.square]\ncells = [8, 8]\n\
                    [initial]\nball = { center = [0.5, 0.5, 0.0], radius = 0.3 }\n\
                    [evolve]\nnormal_speed = 1.0\nend_time = 0.05\n";

fn place() -> Place {
    let place = Place::new();
    let run = |line: &str| place.command(line).assert().success();
    run("generate sphere --subdivisions 3 -o ball.vtp");
    run("sample ball.vtp -n 3000 --normals -o cloud.ply");
    let square = |i: usize| (i as f32 - 4.0).powi(2);
    let values = (0..9 * 9 * 9)
        .map(|i| (square(i % 9) + square(i / 9 % 9) + square(i / 81)).sqrt())
        .collect();
    let volume = Volume::new([9; 3], Samples::F32(values), Placement::identity()).unwrap();
    write_volume(&place.path("ball.npy"), &volume, &WriteOptions::default()).unwrap();
    place.put("case.toml", CASE);
    place
}

/// Checks the `compressor` attribute of a file, and that the file can be read.
fn assert_compressor(path: &Path, compressor: &str, what: &str) {
    let bytes = std::fs::read(path).unwrap();
    let head = String::from_utf8_lossy(&bytes[..300.min(bytes.len())]).to_string();
    let found =
        head.split_once("compressor=\"").map_or("", |(_, rest)| rest.split_once('"').unwrap().0);
    assert_eq!(found, compressor, "{what}");
    assert!(read(path, &VolumeOptions::default()).is_ok(), "{what}");
}

#[test]
fn every_command_that_writes_vtk_files_has_the_option() {
    let place = place();
    for command in COMMANDS {
        for (option, compressor) in WORDS {
            let line = format!("{command}{option}");
            place.command(&line).assert().success();
            let name = command.split(' ').find(|word| word.starts_with("o.v"));
            let path = name.map_or("results/case_000000.vtp".to_string(), str::to_string);
            assert_compressor(&place.path(&path), compressor, &line);
        }
    }
}

#[test]
fn the_option_is_refused_where_it_does_not_apply() {
    let place = place();
    for command in [
        "generate sphere -o o.ply",
        "convert ball.vtp o.stl",
        "distance ball.vtp --from vertex:0 -o o.morph",
        "edt ball.npy --where v>4 -o o.nii.gz",
        "points ball.npy --where v>4 -o o.csv",
        "points ball.npy --where v>4",
        "isosurface ball.npy --level 4.5 -o o.ply",
        "voxelize ball.vtp -o o.nrrd",
        "sample ball.vtp -n 30 -o o.xyz",
    ] {
        let refused = place.command(&format!("{command} --compression lz4")).assert().code(2);
        refused.stderr(contains("--compression is for .vtu, .vtp and .vti files"));
    }
    let refused = place.command("convert ball.vtp o.vtu --compression lzma").assert().code(2);
    refused.stderr(contains("lz4"));
}

#[test]
fn a_case_chooses_the_compression_of_all_its_files() {
    for (keys, compressor) in [
        ("", "vtkZLibDataCompressor"),
        ("defaults=\"0.1\"", "vtkLZ4DataCompressor"),
        ("output.compression=lz4", "vtkLZ4DataCompressor"),
        ("output.compression=none", ""),
    ] {
        let place = place();
        let set = if keys.is_empty() { String::new() } else { format!(" --set {keys}") };
        place.command(&format!("run case.toml -o results{set}")).assert().success();
        for name in ["case_000000.vtp", "interface_000000.vtp"] {
            assert_compressor(&place.path(&format!("results/{name}")), compressor, keys);
        }
    }
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let place = place();
    let bytes = |threads: usize| {
        let line = format!("distance big.vtp --from vertex:0 --threads {threads} -o d.vtp");
        place.command(&line).assert().success();
        std::fs::read(place.path("d.vtp")).unwrap()
    };
    place.command("generate square --cells 300,300 -o big.vtp").assert().success();
    assert!(bytes(1) == bytes(3));
}
