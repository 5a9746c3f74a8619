//! Tests the program itself: Ctrl-C followed by `--resume`, and kill -9 at any moment.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{assert_same, files};

/// A case with about a thousand steps and twenty states.
const CASE: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [16, 16], min = [-1, -1], max = [1, 1] }
[initial]
ball = { center = [0, 0, 0], radius = 0.6 }
[evolve]
end_time = 0.02
curvature = 1.0
cfl = 0.01
[reinitialize]
half_width = 3
[output]
interval = 0.001
measures_every = 7
gifti = true
checkpoint = { every = 11 }
";

/// A folder with a case file. Its subfolder `whole` contains the results of an uninterrupted run.
pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::write(place.path("case.toml"), CASE).unwrap();
        let whole = place.run("whole", &[]);
        assert_eq!(whole.status.code(), Some(0), "{whole:?}");
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, folder: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).args(["run", "case.toml", "-o", folder]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, folder: &str, more: &[&str]) -> Output {
        self.command(folder, more).output().unwrap()
    }

    /// Starts a run and waits until it has written a few lines of measures.
    pub fn begun(&self, folder: &str, more: &[&str]) -> Child {
        self.begun_as(folder, &mut self.command(folder, more))
    }

    /// Starts `command` like [`Place::begun`].
    pub fn begun_as(&self, folder: &str, command: &mut Command) -> Child {
        let mut child = command.spawn().unwrap();
        let measures = self.path(folder).join("measures.csv");
        let lines = || std::fs::read_to_string(&measures).map_or(0, |text| text.lines().count());
        let start = Instant::now();
        while lines() < 8 {
            assert!(start.elapsed() < Duration::from_secs(30), "the run does not start");
            assert_eq!(child.try_wait().unwrap(), None, "the run has ended");
            std::thread::sleep(Duration::from_millis(2));
        }
        child
    }
}

#[test]
fn after_ctrl_c_the_command_that_was_named_goes_on() {
    let place = Place::new();
    let child = place.begun("out", &[]);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("to continue: zeroset run case.toml -o out --resume"), "{said}");
    assert!(place.path("out/checkpoint.zeroset").exists());

    let fails = |more: &[&str], code: i32, message: &str| {
        let output = place.run("out", more);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(message), "`{message}` is not in: {said}");
    };
    fails(&[], 6, "stopped early; continue it with --resume, replace it with --overwrite");
    fails(&["--resume", "--overwrite"], 2, "cannot be used with");
    fails(
        &["--resume", "--set", "evolve.cfl=0.02"],
        2,
        "evolve.cfl is 0.02, but the interrupted run",
    );

    let output = place.run("out", &["--resume", "--threads", "3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    fails(&["--resume"], 6, "nothing to resume: the run in it has finished");
    // The reports contain the overrides, the hash of the case and the number of threads. These may
    // differ and are removed before the comparison.
    let place_of = |name: &str| place.path(name).join("report.json");
    for name in ["out", "whole"] {
        let text = std::fs::read_to_string(place_of(name)).unwrap();
        let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
        for key in ["threads", "overrides", "case_hash"] {
            assert!(report.as_object_mut().unwrap().remove(key).is_some());
        }
        report["config"]["device"].as_object_mut().unwrap().remove("threads");
        std::fs::write(place_of(name), report.to_string()).unwrap();
    }
    assert_same(&place.path("out"), &place.path("whole"), "Ctrl-C");
}

/// A process can receive a signal twice: `timeout` sends its signal both to the process and to its
/// group, and a system that shuts down sends its signal to all processes.
#[test]
fn a_signal_that_comes_twice_at_once_ends_the_run_in_order() {
    let place = Place::new();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = format!("out{signal}");
        let child = place.begun(&folder, &[]);
        let pid = child.id().to_string();
        for _ in 0..2 {
            Command::new("kill").args([signal, &pid]).status().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("--resume"), "{signal}: {said}");
        assert!(place.path(&folder).join("checkpoint.zeroset").exists(), "{signal}");
    }
}

/// Compares the files of a killed run that already have their final names with those of the
/// uninterrupted run. CSV and PVD files may end earlier. Checkpoints are not compared.
fn assert_whole(found: &Path, expected: &Path) {
    let expected = files(expected);
    for (name, bytes) in files(found) {
        let passing = [".zeroset-", "zeroset.lock", "checkpoint.zeroset"];
        if passing.iter().any(|begin| name.starts_with(begin)) {
            continue;
        }
        let Some(expected) = expected.get(&name) else { panic!("{name} must not exist") };
        match name.rsplit('.').next().unwrap() {
            "csv" => {
                assert!(expected.starts_with(&bytes), "{name}");
                assert!(bytes.is_empty() || bytes.ends_with(b"\n"), "{name}: incomplete line");
            }
            // The last two lines close the list. All other lines are compared.
            "pvd" => {
                let text = String::from_utf8(bytes).unwrap();
                let states = text.strip_suffix("  </Collection>\n</VTKFile>\n");
                let states = states.unwrap_or_else(|| panic!("{name}: {text}"));
                assert!(expected.starts_with(states.as_bytes()), "{name}");
                for state in text.split("file=\"").skip(1) {
                    let state = state.split('"').next().unwrap();
                    assert!(found.join(state).exists(), "{name} names {state}");
                }
            }
            _ => assert!(bytes == *expected, "{name} differs"),
        }
    }
}

#[test]
fn killed_at_any_moment_a_run_can_be_resumed() {
    let place = Place::new();
    let (out, whole) = (place.path("out"), place.path("whole"));
    // The duration of an uninterrupted run on this machine: the shorter of two measurements.
    let time = |folder: &str| {
        let start = Instant::now();
        assert_eq!(place.run(folder, &["--overwrite"]).status.code(), Some(0));
        start.elapsed()
    };
    let whole_time = time("whole").min(time("whole"));
    let mut random = 1_u64;
    let (mut kills, mut resumed) = (0_u32, 0_u32);
    loop {
        let can_go_on = out.join("checkpoint.zeroset").exists();
        let how = if can_go_on { "--resume" } else { "--overwrite" };
        resumed += u32::from(can_go_on);
        let mut child = place.command("out", &[how]).spawn().unwrap();
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 40) as f64 / (1_u64 << 24) as f64;
        // The program is killed at various times, from before the first step to a few checkpoints
        // later. The longest delay grows with each kill, so the run finishes regardless of how long
        // the program takes to start.
        let longest = whole_time.mul_f64(0.15 + 0.02 * f64::from(kills));
        let wait = longest.mul_f64(share);
        let start = Instant::now();
        let mut ended = None;
        while ended.is_none() && start.elapsed() < wait {
            std::thread::sleep(Duration::from_millis(1));
            ended = child.try_wait().unwrap();
        }
        if ended.is_none() {
            // `kill` sends SIGKILL.
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert_whole(&out, &whole);
        match output.status.code() {
            Some(0) => break,
            Some(code) => panic!("exit code {code}: {output:?}"),
            None => kills += 1,
        }
        assert!(kills < 200, "the run does not finish");
    }
    println!("killed {kills} times, resumed {resumed} times");
    assert!(kills >= 2 && resumed >= 2, "killed {kills} times, resumed {resumed} times");
    // No file stores how the program was called.
    assert_same(&out, &whole, "kill -9");
}
