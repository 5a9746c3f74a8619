//! Tests that pictures of runs on a GPU match those of runs on the CPU.

use std::path::Path;

use zeroset::config::Config;

use crate::support;
use crate::tiled_runs::{Stop, go};

/// Two picture sizes. With the first, pictures are large enough to be drawn on the run's GPU. With
/// the second, the CPU draws them.
const SIZES: [&str; 2] = ["width = 520, height = 420", "width = 160, height = 120"];

const ON_TILES: &str = "version = 1\nprecision = \"f64\"\n[domain.tiled]\ndx = 0.06\n[initial]\n\
    ball = { center = [0.1, 0, 0], radius = 0.5 }\n[evolve]\nend_time = 0.1\n\
    velocity = [\"-y\", \"x\", \"0.5 - t\"]\n[output]\ninterval = 0.05\n";

/// A planar mesh, a sphere, and a mesh of tetrahedra.
const ON_MESHES: [&str; 3] = [
    "square = { cells = [40, 40] }",
    "sphere = { subdivisions = 4 }",
    "cube = { cells = [12, 12, 12] }",
];

/// Returns the names and bytes of all pictures of a run, sorted by name.
fn pictures(text: &str, size: &str, device: &str, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let sets =
        [format!("output.picture={{ every = \"state\", {size} }}"), format!("device.use={device}")];
    let config = Config::parse(text, "case.toml".as_ref(), &sets).unwrap();
    let done = go(&config, &Stop::after(u64::MAX), folder, false);
    assert_eq!(done.report.backend, device, "{}", done.report.backend_reason);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "png"));
    paths.sort();
    assert!(paths.len() >= 2, "{paths:?}");
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// Returns the colors of a picture, one byte per channel.
fn colors(bytes: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut colors = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut colors).unwrap();
    colors
}

#[test]
fn on_tiles_in_f64_they_have_the_bytes_of_the_cpu() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for (k, size) in SIZES.into_iter().enumerate() {
        let of = |device: &str| {
            pictures(ON_TILES, size, device, &place.path().join(format!("{device}{k}")))
        };
        assert!(of("cuda") == of("cpu"), "{size}");
    }
}

#[test]
fn on_meshes_they_are_the_same_within_one_grey_level() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for (m, mesh) in ON_MESHES.into_iter().enumerate() {
        let text = format!(
            "version = 1\n[domain.mesh]\ngenerate = {{ {mesh} }}\n[initial]\n\
             ball = {{ center = [0.5, 0.5, 0.5], radius = 0.6 }}\n[evolve]\nend_time = 0.1\n\
             normal_speed = 1\n[output]\ninterval = 0.05\n"
        );
        for (k, size) in SIZES.into_iter().enumerate() {
            let of = |device: &str| {
                let folder = place.path().join(format!("{device}{m}{k}"));
                pictures(&text, size, device, &folder)
            };
            let (found, expected) = (of("cuda"), of("cpu"));
            assert_eq!(found.len(), expected.len(), "{mesh}");
            for ((name, found), (other, expected)) in found.iter().zip(&expected) {
                assert_eq!(name, other, "{mesh}");
                let (found, expected) = (colors(found), colors(expected));
                let apart = found.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).max();
                assert!(found.len() == expected.len() && apart <= Some(1), "{name}: {apart:?}");
            }
        }
    }
}
