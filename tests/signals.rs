//! Tests that a program that is told to end during its preparations ends at once and leaves nothing
//! behind.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[path = "support/place.rs"]
mod place;
use place::Place;

/// A volume of 216 bytes whose voxels are so large that the search for its interface takes minutes.
const TILES: &str = "version = 1\ndomain.tiled.dx = 50\n\
                     initial.volume = { path = \"volume.mhd\", level = 128 }\n\
                     evolve = { normal_speed = 1, max_steps = 3 }\n";
/// A mesh that is generated, cleaned, partitioned and solved.
const DISTANCE: &str = "version = 1\ndomain.mesh.generate.square = { cells = [1200, 1200] }\n\
                        distance.from = [\"vertex:0\"]\n";
const EVOLVE: &str = "version = 1\ndomain.mesh.path = \"large.vtu\"\n\
                      initial.ball = { center = [0.5, 0.5, 0], radius = 0.3 }\n\
                      evolve = { normal_speed = 1, max_steps = 3 }\n";

impl Place {
    fn prepared() -> Self {
        let place = Place::new();
        let voxels: Vec<u8> =
            (0..216_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        std::fs::write(place.path("volume.raw"), voxels).unwrap();
        place.put(
            "volume.mhd",
            "NDims = 3\nDimSize = 6 6 6\nElementSpacing = 122880 122880 122880\n\
             ElementType = MET_UCHAR\nElementDataFile = volume.raw\n",
        );
        place.put("tiles.toml", TILES);
        place.put("distance.toml", DISTANCE);
        place.put("evolve.toml", EVOLVE);
        place
    }

    fn spawn(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Returns the sizes of all files, and 0 for each folder.
    fn files(&self) -> BTreeMap<PathBuf, u64> {
        let mut folders = vec![self.0.path().to_path_buf()];
        let mut found = BTreeMap::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let size = std::fs::metadata(&path).unwrap();
                found.insert(path.clone(), if size.is_dir() { 0 } else { size.len() });
                folders.extend(size.is_dir().then_some(path));
            }
        }
        found
    }
}

#[test]
fn a_signal_during_the_setup_ends_the_program_at_once() {
    let place = Place::prepared();
    let made = place.spawn("generate square --cells 1000,1000 -o large.vtu").wait_with_output();
    assert!(made.unwrap().status.success());
    let small = "run evolve.toml -o earlier --set domain.mesh={generate.square={cells=[9,9]}}";
    let made = place.spawn(small).wait_with_output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let before = place.files();
    for (line, signal) in [
        ("run tiles.toml -o out/deep", "-TERM"),
        ("run tiles.toml -o out", "-INT"),
        ("check tiles.toml", "-TERM"),
        ("run distance.toml -o out", "-TERM"),
        ("run evolve.toml -o out --json", "-HUP"),
        ("run evolve.toml -o earlier --overwrite", "-TERM"),
        ("distance large.vtu --from vertex:0 -o d.vtu", "-TERM"),
    ] {
        let child = place.spawn(line);
        std::thread::sleep(Duration::from_millis(500));
        let sent = Instant::now();
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let took = sent.elapsed();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{line}: {said}");
        assert!(took < Duration::from_secs(2), "{line}: {took:?}");
        assert!(said.trim_end().ends_with("error: interrupted") || line.contains("json"), "{said}");
        assert_eq!(place.files(), before, "{line}");
    }
}
