//! Tests reading series of states (`.pvd`, `.vtkhdf`) with commands and cases: as the mesh, as data
//! and as the initial level set.

#[path = "support/place.rs"]
mod place;

use std::path::Path;
use std::process::Command;

use place::Place;
use zeroset::io::{self, MeshOptions, Moment};

const CASE: &str = "\
version = 1
device.threads = 1
[domain.mesh.generate]
square = { cells = [12, 12] }
[initial]
ball = { center = [0.5, 0.5, 0], radius = 0.2 }
[evolve]
end_time = 0.1
normal_speed = 1
[output]
interval = 0.05
";

/// Runs a command. Returns the exit code and the text of both streams.
fn run(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code().unwrap(), text.concat())
}

/// Runs a command that succeeds, and returns what it prints, including warnings.
fn good(place: &Place, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let (code, text) = run(command.current_dir(place.0.path()).args(line.split(' ')));
    assert_eq!(code, 0, "{line}: {text}");
    text
}

fn refused(place: &Place, line: &str, code: i32, parts: &[&str]) {
    let (found, text) = run(&mut place.command(line));
    assert_eq!(found, code, "{line}: {text}");
    for part in parts {
        assert!(text.contains(part), "{line}: {text}");
    }
}

/// Returns a folder with the states 0, 0.05 and 0.1 of a growing disk, as `r/case.pvd` and as
/// `h/case.vtkhdf`.
fn grown() -> Place {
    let place = Place::new();
    place.put("case.toml", CASE);
    good(&place, "run case.toml -o r");
    good(&place, "run case.toml -o h --set output.format=vtkhdf");
    place
}

fn phi(path: &Path, time: Option<Moment>) -> Vec<f64> {
    let file = io::read_mesh_with(path, &MeshOptions::default().time(time)).unwrap();
    file.mesh.vertex_array("phi").unwrap().values.to_f64()
}

#[test]
fn both_kinds_of_series_hold_the_same_states() {
    let place = grown();
    let series = [place.path("r/case.pvd"), place.path("h/case.vtkhdf")];
    for time in [0.0, 0.05, 0.1] {
        let [a, b] = series.each_ref().map(|path| phi(path, Some(Moment::At(time))));
        assert!(a == b && a.len() == 169, "{time}");
    }
    assert_eq!(phi(&series[0], None), phi(&series[1], Some(Moment::At(0.1))));
    for path in ["r/case.pvd", "h/case.vtkhdf"] {
        let text = good(&place, &format!("info {path}"));
        assert!(text.contains("time      0.1, one of the times 0, 0.05, 0.1"), "{text}");
        let json = good(&place, &format!("info {path} --json --time 0.05"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["time"], 0.05);
        assert_eq!(json["times"], serde_json::json!([0.0, 0.05, 0.1]));
        refused(&place, &format!("info {path} --time 0.07"), 2, &["no state at time 0.07", path]);
    }
}

#[test]
fn a_state_is_converted_with_its_time_and_all_states_to_files_of_their_own() {
    let place = grown();
    for path in ["r/case.pvd", "h/case.vtkhdf"] {
        let text = good(&place, &format!("convert {path} last.vtp"));
        assert!(text.contains("the last of 3 states is read, at time 0.1"), "{text}");
        let file = io::read_mesh(&place.path("last.vtp")).unwrap();
        assert_eq!(file.about.state.time, Some(0.1));
        good(&place, &format!("convert {path} one.vtp --time 0.05"));
        assert_eq!(
            phi(&place.path("one.vtp"), None),
            phi(&place.path(path), Some(Moment::At(0.05)))
        );
        let text = good(&place, &format!("convert {path} all.ply --time all"));
        assert!(text.contains("time 0.05: all_000001.ply: 169 vertices"), "{text}");
        assert!(!place.path("all.ply").exists());
        for k in 0..3 {
            let name = place.path(&format!("all_00000{k}.ply"));
            let time = Some(Moment::At(0.05 * f64::from(k)));
            assert_eq!(phi(&name, None), phi(&place.path(path), time));
        }
        let all = format!("convert {path} all.ply --time all");
        refused(&place, &all, 6, &["all_000000.ply: exists"]);
        (0..3)
            .for_each(|k| std::fs::remove_file(place.path(&format!("all_00000{k}.ply"))).unwrap());
        // A single existing file is enough to refuse the command, and nothing is written.
        place.put("all_000002.ply", "mine");
        refused(&place, &all, 6, &["all_000002.ply: exists"]);
        assert!(!place.path("all_000000.ply").exists());
        std::fs::remove_file(place.path("all_000002.ply")).unwrap();
    }
    let state = std::fs::read_dir(place.path("r")).unwrap().map(|entry| entry.unwrap().path());
    let state = state.filter(|p| p.extension().is_some_and(|e| e == "vtp")).min().unwrap();
    let line = format!("convert {} x.ply --time all", state.display());
    refused(&place, &line, 2, &["--time all is for a series of states"]);
}

#[test]
fn states_serve_as_mesh_data_and_initial_level_set() {
    let place = grown();
    for path in ["r/case.pvd", "h/case.vtkhdf"] {
        let from = "--from levelset:phi --width 0.1";
        good(&place, &format!("distance {path} --time 0 {from} -o mesh.vtp"));
        good(&place, "generate square --cells 12,12 -o plain.vtp");
        good(&place, &format!("distance plain.vtp --data {path} --time 0 {from} -o data.vtp"));
        let read = |name: &str| {
            let file = io::read_mesh(&place.path(name)).unwrap();
            file.mesh.vertex_array("distance").unwrap().values.to_f64()
        };
        assert!(read("mesh.vtp") == read("data.vtp"));
        let line = format!("distance plain.vtp --data {path} --time 7 {from} -o data.vtp");
        refused(&place, &line, 2, &[path, "no state at time 7; there are the times 0, 0.05, 0.1"]);
        refused(&place, &format!("distance {path} --time all {from} -o x.vtp"), 2, &["one state"]);
        for (key, time) in [("0.05", 0.05), ("\"last\"", 0.1)] {
            let case = format!(
                "version = 1\n[domain.mesh]\npath = \"{path}\"\ntime = {key}\n[initial]\n\
                 data = \"phi\"\n[distance]\n[output]\n"
            );
            place.put("d.toml", &case);
            good(&place, "run d.toml -o d --overwrite");
            let file = io::read_mesh(&place.path("d/d.pvd")).unwrap();
            let values = file.mesh.vertex_array("distance").unwrap().values.to_f64();
            // The distance has the signs of phi in its state, and not those of phi in any other
            // state.
            for state in [0.0, 0.05, 0.1] {
                let phi = phi(&place.path(path), Some(Moment::At(state)));
                let same = values.iter().zip(&phi).all(|(d, phi)| (*d < 0.0) == (*phi < 0.0));
                assert_eq!(same, state == time, "{path} {key} {state}");
            }
        }
        place.put(
            "w.toml",
            &format!(
                "version = 1\n[domain.mesh]\npath = \"{path}\"\ntime = \"first\"\n\
            [initial]\ndata = \"phi\"\n[distance]\n"
            ),
        );
        refused(&place, "check w.toml", 2, &["w.toml:4", "last"]);
    }
}

#[test]
fn commands_for_one_state_refuse_all_and_files_without_times() {
    let place = grown();
    good(&place, "generate sphere --subdivisions 1 -o ball.ply");
    for line in ["sample ball.ply -n 9 -o x.ply", "voxelize ball.ply --size 9 -o x.nii.gz"] {
        refused(&place, &format!("{line} --time all"), 2, &["this command reads one state"]);
        let parts = ["time 3 is asked for, but the file states no time"];
        refused(&place, &format!("{line} --time 3"), 2, &parts);
        good(&place, &format!("{line} --time last"));
    }
}
