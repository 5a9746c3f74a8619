//! Tests full disks, missing inputs and insufficient memory: no due output is lost, and `--resume`
//! gives bitwise identical results.
#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::folder::assert_same;
use crate::program::Place;

/// Runs a script as root of its own namespace, in which it may mount file systems. `$ZEROSET` is
/// the program. Returns `None` and prints a notice if the system does not allow this.
fn as_root(place: &Place, script: &str) -> Option<Output> {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command.current_dir(place.path(".")).env("ZEROSET", env!("CARGO_BIN_EXE_zeroset"));
    let output = command.output().ok()?;
    if output.status.code() == Some(77) || !output.status.success() && output.stdout.is_empty() {
        eprintln!("MOUNTS NOT ALLOWED, test skipped: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(output)
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_run_on_a_full_disk_goes_on_when_there_is_room() {
    let place = Place::new();
    std::fs::create_dir(place.path("disk")).unwrap();
    let script = "\
        mount -t tmpfs -o size=120k none disk || exit 77
        $ZEROSET run case.toml -o disk/out; echo code $?
        ls -a disk/out | grep -c part; ls disk/out/checkpoint.zeroset
        mount -o remount,size=64m disk
        $ZEROSET run case.toml -q -o disk/out --resume > /dev/null; echo code $?
        cp -r disk/out kept";
    let Some(output) = as_root(&place, script) else { return };
    let (out, err) = said(&output);
    assert_eq!(out, "code 6\n0\ndisk/out/checkpoint.zeroset\ncode 0\n", "{err}");
    assert!(err.contains("No space left on device"), "{err}");
    assert!(
        err.contains("check that the folder exists and is writable, and that the disk is not full"),
        "{err}"
    );
    assert!(err.contains("is kept: continue from it with `zeroset run --resume`"), "{err}");
    assert_same(&place.path("kept"), &place.path("whole"), "full disk");
}

#[test]
fn a_folder_that_cannot_be_written_is_named_before_any_work() {
    let place = Place::new();
    std::fs::create_dir(place.path("disk")).unwrap();
    let script = "\
        mount -t tmpfs -o ro none disk || exit 77
        $ZEROSET run case.toml -o disk/out; echo code $?
        $ZEROSET check case.toml -o disk/out; echo code $?
        $ZEROSET generate square -o disk/a.vtp; echo code $?";
    let Some(output) = as_root(&place, script) else { return };
    let (out, err) = said(&output);
    assert_eq!(out, "code 6\ncode 6\ncode 6\n", "{err}");
    assert!(err.contains("disk/out: cannot create the folder: Read-only file system"), "{err}");
    assert!(err.contains("disk/a.vtp: cannot write there: Read-only file system"), "{err}");
    assert!(err.matches("choose another with -o").count() == 2, "{err}");
}

/// The test limits file sizes instead, which requires no mounts.
#[test]
fn files_that_may_not_grow_end_the_run_in_order() {
    let place = Place::new();
    let limited = |blocks: u32, more: &str| {
        // By default, SIGXFSZ would kill the program.
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec \"$ZEROSET\" run case.toml -o out {more}"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(place.path("."));
        command.env("ZEROSET", env!("CARGO_BIN_EXE_zeroset")).output().unwrap()
    };
    // The limit is too small for the first state. Neither its file nor a report may remain.
    let output = limited(4, "");
    let (_, err) = said(&output);
    assert_eq!(output.status.code(), Some(6), "{err}");
    assert!(err.contains("File too large"), "{err}");
    assert!(!place.path("out/report.json").exists());
    assert!(!place.path("out/case_000000.vtp").exists());
    let output = place.run("out", &["--overwrite"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_same(&place.path("out"), &place.path("whole"), "limited files");
}

#[test]
fn an_input_that_has_vanished_is_named_and_the_run_goes_on_when_it_is_back() {
    let place = Place::new();
    let generate = |command: &mut Command| {
        let args = ["generate", "square", "--cells", "16,16", "--min", "-1,-1", "--max", "1,1"];
        command.args(args).args(["-o", "mesh.vtp"]).current_dir(place.path("."));
        assert!(command.output().unwrap().status.success());
    };
    generate(&mut Command::new(env!("CARGO_BIN_EXE_zeroset")));
    let text = std::fs::read_to_string(place.path("case.toml")).unwrap();
    let old = "generate.square = { cells = [16, 16], min = [-1, -1], max = [1, 1] }";
    assert!(text.contains(old));
    std::fs::write(place.path("case.toml"), text.replace(old, "path = \"mesh.vtp\"")).unwrap();
    let whole = place.run("read", &[]);
    assert_eq!(whole.status.code(), Some(0), "{whole:?}");

    let child = place.begun("out", &[]);
    std::fs::rename(place.path("mesh.vtp"), place.path("away.vtp")).unwrap();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let output = place.run("out", &["--resume"]);
    let (_, err) = said(&output);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("mesh.vtp: cannot be read: No such file"), "{err}");
    assert!(place.path("out/checkpoint.zeroset").exists());
    std::fs::rename(place.path("away.vtp"), place.path("mesh.vtp")).unwrap();
    let output = place.run("out", &["--resume"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_same(&place.path("out"), &place.path("read"), "vanished input");
}

#[test]
fn memory_that_gives_out_is_code_5_and_the_run_goes_on_with_more() {
    let place = Place::new();
    // With these settings, freed blocks of 64 KiB or more are returned to the system and must be
    // requested again, and threads keep no memory in reserve.
    let mut command = place.command("out", &[]);
    command.env("MALLOC_MMAP_THRESHOLD_", "65536").env("MALLOC_ARENA_MAX", "1");
    let child = place.begun_as("out", &mut command);
    // From now on, the process gets no more memory.
    let limit = ["--pid", &child.id().to_string(), "--as=1000000", "--data=1000000"];
    let limited = Command::new("prlimit").args(limit).status().is_ok_and(|status| status.success());
    let output = child.wait_with_output().unwrap();
    if !limited {
        eprintln!("prlimit MISSING, test skipped");
        return;
    }
    let (_, err) = said(&output);
    assert_eq!(output.status.signal(), None, "{err}");
    assert_eq!(output.status.code(), Some(5), "{err}");
    assert!(err.contains("out of memory while moving the interface"), "{err}");
    assert!(err.contains("continues with --resume"), "{err}");
    for entry in std::fs::read_dir(place.path("out")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".part") && name != "zeroset.lock", "{name} must not exist");
    }
    let output = place.run("out", &["--resume"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_same(&place.path("out"), &place.path("whole"), "out of memory");
}

/// A ball grows until its tiles no longer fit into memory.
#[test]
fn tiles_that_fill_the_memory_leave_a_checkpoint() {
    let place = Place::new();
    let case = "version = 1\n[domain.tiled]\ndx = 0.02\n[initial]\n\
                ball = { center = [0, 0, 0], radius = 0.5 }\n[evolve]\nend_time = 9\nnormal_speed = 1\n\
                cfl = 0.9\n[reinitialize]\nrule = \"never\"\n[output]\ncheckpoint = { every = 100000 }\n";
    std::fs::write(place.path("case.toml"), case).unwrap();
    let run = |folder: &str, limit: Option<u64>, more: &str| {
        let limit = limit.map_or(String::new(), |kib| format!("ulimit -v {kib}; "));
        let script = format!("{limit}exec \"$ZEROSET\" run case.toml -o {folder} {more}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(place.path(".")).stdin(Stdio::null());
        // Otherwise, each thread would reserve memory that counts toward the limit.
        command.env("MALLOC_ARENA_MAX", "1").env("ZEROSET", env!("CARGO_BIN_EXE_zeroset"));
        command.output().unwrap()
    };
    let ended = |folder: &str| -> Option<serde_json::Value> {
        let report = std::fs::read_to_string(place.path(folder).join("report.json")).ok()?;
        Some(serde_json::from_str(&report).unwrap())
    };
    for (name, set) in [
        ("three", "--threads 2 --set precision=f64"),
        ("two", "--threads 2 --set evolve.scheme=first-order --set domain.tiled.tile_edge=4"),
    ] {
        // The loop finds about the smallest limit under which the program can write its report.
        let mut limit = 40_000_u64;
        while ended(name).is_none() {
            assert!(limit < 400_000);
            limit += limit / 16;
            run(name, Some(limit), &format!("{set} --overwrite"));
        }
        let output = run(name, Some(limit + 20_000), &format!("{set} --overwrite"));
        let (_, err) = said(&output);
        assert_eq!(output.status.code(), Some(5), "{err}");
        assert!(err.contains("memory for ") && err.contains("use a larger dx"), "{err}");
        assert!(place.path(name).join("checkpoint.zeroset").exists(), "{err}");
        let report = ended(name).unwrap();
        let why = report["ended_by"].as_str().unwrap();
        assert!(why.contains("memory for "), "{report}");
        // The run continues with more memory.
        run(name, Some(limit + 40_000), &format!("{set} --resume"));
        assert!(ended(name).unwrap()["steps"].as_u64() > report["steps"].as_u64(), "{report}");
    }
}

/// Messages about a thread that cannot start.
const NO_THREAD: [&str; 2] =
    ["failed to allocate an alternative stack", "failed to register TLS destructor"];

#[test]
fn under_any_limit_of_memory_a_run_ends_in_order() {
    let place = Place::new();
    let limited = |limit: u64, arguments: &str| {
        let script = format!("ulimit -v {limit}; exec \"$ZEROSET\" {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(place.path(".")).stdin(Stdio::null());
        command.env("ZEROSET", env!("CARGO_BIN_EXE_zeroset")).output().unwrap()
    };
    // The test begins with about the smallest limit under which the system can load the program.
    let mut limit = 20_000_u64;
    while limited(limit, "--version").status.code() != Some(0) {
        limit += limit / 16;
    }
    let (mut refused, mut ran) = (0, 0);
    let start = Instant::now();
    while ran < 2 && start.elapsed() < Duration::from_secs(60) {
        let output = limited(
            limit,
            "run case.toml -o out --overwrite --threads 2 --set evolve.max_steps=20 \
             --set output.checkpoint=never",
        );
        let (_, err) = said(&output);
        match output.status.code() {
            Some(0) => ran += 1,
            Some(5) => {
                refused += 1;
                let named = ["out of memory while ", "cannot start", "are free", "memory for"];
                assert!(named.iter().any(|what| err.contains(what)), "{limit}: {err}");
            }
            // The system reports that it has no memory for an operation.
            Some(3 | 6) if err.contains("Cannot allocate memory") => refused += 1,
            // If a thread starts when all memory is in use, the libraries of Rust and C end the
            // program.
            None if NO_THREAD.iter().any(|what| err.contains(what)) => refused += 1,
            code => panic!("{limit} KiB: {code:?} {:?}: {err}", output.status.signal()),
        }
        limit += limit / 16;
    }
    assert!(ran == 2 && refused > 0, "{ran} ran, {refused} refused, up to {limit} KiB");
}
