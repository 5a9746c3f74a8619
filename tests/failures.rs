//! Tests how the program handles problems with its environment: pipes, signals, memory and clocks.
#![cfg(unix)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        let made = ["generate", "sphere", "--subdivisions", "3", "-o", "ball.vtp"];
        assert!(place.run(&made).status.success());
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs the program with an address space of `kib` KiB. Returns the exit code and standard
    /// error.
    #[cfg(target_os = "linux")]
    fn limited(&self, kib: u64, arguments: &str) -> (Option<i32>, String) {
        let script = format!("ulimit -v {kib}; exec \"$ZEROSET\" {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(self.path("."));
        let output = command.env("ZEROSET", env!("CARGO_BIN_EXE_zeroset")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.path(".")).unwrap().map(|e| e.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let place = Place::new();
    for arguments in [
        &["info", "ball.vtp"][..],
        &["info", "ball.vtp", "--json"],
        &["convert", "ball.vtp", "ball.ply"],
        &["distance", "ball.vtp", "--from", "vertex:0", "-o", "d.vtp"],
        &["distance", "ball.vtp", "--from", "vertex:0", "-o", "d.vtp", "--json"],
        &["generate", "square", "-o", "square.vtp"],
        &["schema"],
        &["defaults"],
    ] {
        let mut child = place.command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}: {said}");
        assert!(!said.contains("panic") && !said.contains("error"), "{arguments:?}: {said}");
    }
    assert!(place.path("ball.ply").exists() && place.path("d.vtp").exists());
    // If nobody reads standard error, its text is lost, but the results are not.
    let mut child = place.command(&["convert", "ball.vtp", "b.off", "-vv"]).spawn().unwrap();
    drop((child.stderr.take(), child.stdout.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(place.path("b.off").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_without_room_is_code_6() {
    let place = Place::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = place.command(&["info", "ball.vtp"]).stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("standard output: No space left"), "{said}");
    assert!(said.contains("check where it is redirected"), "{said}");
}

/// If a file of any command exceeds its size limit, the error names the file, and no file remains.
#[cfg(target_os = "linux")]
#[test]
fn files_that_may_not_grow_are_named_by_every_command() {
    let place = Place::new();
    let before = place.names().len();
    for (arguments, file) in [
        ("generate square -o out.vtp", "out.vtp"),
        ("generate cube -o out.vtu", "out.vtu"),
        ("convert ball.vtp out.msh", "out.msh"),
        ("convert ball.vtp out.msh --ascii", "out.msh"),
        ("convert ball.vtp out.ply", "out.ply"),
        ("convert ball.vtp out.obj", "out.obj"),
        ("convert ball.vtp out.off", "out.off"),
        ("convert ball.vtp out.stl", "out.stl"),
        ("convert ball.vtp out.mesh", "out.mesh"),
        ("convert ball.vtp out.gii", "out.gii"),
        ("distance ball.vtp --from vertex:0 -o out.vtp", "out.vtp"),
        ("distance ball.vtp --from vertex:0 -o out.shape.gii", "out.shape.gii"),
        ("distance ball.vtp --from vertex:0 -o out.morph", "out.morph"),
        ("distance ball.vtp --from vertex:0 -o out.label", "out.label"),
    ] {
        // By default, SIGXFSZ would kill the program.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$ZEROSET\" {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(place.path("."));
        let output = command.env("ZEROSET", env!("CARGO_BIN_EXE_zeroset")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(6), "{arguments}: {said}");
        let line = said.lines().last().unwrap_or_default();
        assert!(line.starts_with(&format!("error: {file}: ")), "{arguments}: {said}");
        assert!(line.contains("File too large") && line.contains("; "), "{arguments}: {said}");
        assert_eq!(place.names().len(), before, "{arguments}: {:?}", place.names());
    }
}

/// Runs the program and interrupts it as soon as it writes a file. The program may finish before
/// the file is noticed.
fn interrupted_while_writing(place: &Place, arguments: &[&str]) -> Output {
    let mut child = place.command(arguments).spawn().unwrap();
    let start = Instant::now();
    while !place.names().iter().any(|name| name.ends_with(".part")) {
        assert!(start.elapsed() < Duration::from_secs(60), "{arguments:?}: nothing is written");
        if child.try_wait().unwrap().is_some() {
            return child.wait_with_output().unwrap();
        }
    }
    interrupt(&child);
    child.wait_with_output().unwrap()
}

fn interrupt(child: &Child) {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
}

#[test]
fn ctrl_c_leaves_no_file_in_the_making() {
    let place = Place::new();
    let made = place.run(&["generate", "square", "--cells", "500,500", "-o", "large.vtu"]);
    assert!(made.status.success(), "{made:?}");
    let made = place.run(&["generate", "square", "--cells", "120,120", "-o", "small.vtu"]);
    assert!(made.status.success(), "{made:?}");
    let before = place.names().len();
    for arguments in [
        &["convert", "large.vtu", "out.msh", "--ascii"][..],
        &["generate", "square", "--cells", "500,500", "-o", "out.ply", "--ascii"],
        &["distance", "small.vtu", "--from", "vertex:0", "-o", "out.vtu", "--gradient", "--json"],
    ] {
        let made = arguments.iter().find(|word| word.starts_with("out.")).unwrap();
        // The program may finish before the file is noticed or before the signal arrives. In both
        // cases, the file is complete.
        let attempt = |_| {
            let output = interrupted_while_writing(&place, arguments);
            let done = std::fs::remove_file(place.path(made)).is_ok();
            (!done).then_some(output)
        };
        let Some(output) = (0..10).find_map(attempt) else {
            eprintln!("{arguments:?} always finished before the interrupt");
            continue;
        };
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{said}");
        let left = place.names();
        assert!(!left.iter().any(|name| name.ends_with(".part")), "{arguments:?}: {left:?}");
        assert_eq!(left.len(), before, "{left:?}");
        let last = said.lines().last().unwrap_or_default();
        if arguments.contains(&"--json") {
            let event: serde_json::Value = serde_json::from_str(last).unwrap();
            assert_eq!((&event["kind"], &event["exit_code"]), (&"interrupted".into(), &130.into()));
        } else {
            assert_eq!(last, "error: interrupted");
        }
    }
}

#[test]
fn json_says_an_event_for_wrong_words_and_for_interrupts() {
    let place = Place::new();
    let output = place.run(&["run", "case.toml", "--json", "--no-such-word"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let event: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&event["event"], &event["kind"]), (&"error".into(), &"case".into()));
    assert!(event["message"].as_str().unwrap().contains("--no-such-word"), "{event}");

    let case = "version = 1\n[domain.mesh]\ngenerate.square = {}\n[initial]\n\
                ball = { center = [0.5, 0.5, 0], radius = 0.3 }\n[evolve]\nend_time = 1\n\
                curvature = 0.01\ncfl = 1e-6\n";
    std::fs::write(place.path("case.toml"), case).unwrap();
    let child = place.command(&["run", "case.toml", "-o", "out", "--json"]).spawn().unwrap();
    let start = Instant::now();
    while !place.path("out/interface.pvd").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "the run does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stderr).unwrap();
    let event: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!((&event["event"], &event["exit_code"]), (&"interrupted".into(), &130.into()));
    assert_eq!(event["resume"], "zeroset run case.toml -o out --resume");
}

#[test]
fn a_result_never_replaces_what_is_read() {
    let place = Place::new();
    let square = ["generate", "square", "--cells", "8,8", "-o", "frame_000001.vtp"];
    for made in [&square[..], &["voxelize", "ball.vtp", "--size", "8", "-o", "ball.nrrd"]] {
        assert!(place.run(made).status.success());
    }
    std::os::unix::fs::symlink("ball.vtp", place.path("link.vtp")).unwrap();
    std::fs::write(place.path("q.csv"), "0,0,0\n").unwrap();
    for arguments in [
        &["convert", "ball.vtp", "ball.vtp"][..],
        &["convert", "ball.vtp", "./ball.vtp", "--normals"],
        &["generate", "from", "ball.vtp", "--refine", "1", "-o", "link.vtp"],
        &["sample", "ball.vtp", "-n", "9", "-o", "ball.vtp"],
        &["reconstruct", "ball.vtp", "-o", "ball.vtp"],
        &["reconstruct", "ball.vtp", "-o", "new.vtp", "--report", "ball.vtp"],
        &["distance", "ball.vtp", "--from", "vertex:0", "-o", "link.vtp"],
        &["edt", "ball.nrrd", "--where", "v", "-o", "ball.nrrd"],
        &["points", "ball.nrrd", "--where", "v", "--blocks", "2", "-o", "ball.nrrd"],
        &["dt", "ball.nrrd", "--where", "v", "--queries", "q.csv", "-o", "q.csv"],
    ] {
        let output = place.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(
            said.contains("is an input file, and the result would overwrite it"),
            "{arguments:?}: {said}"
        );
    }
    assert!(place.run(&["info", "ball.vtp"]).status.success());
    assert_eq!(std::fs::read_to_string(place.path("q.csv")).unwrap(), "0,0,0\n");
}

#[test]
fn overwrite_takes_the_files_of_the_run_alone() {
    const CASE: &str = "version = 1\ndomain.mesh.path = \"frame_000001.vtp\"\n\
                        initial.ball = { center = [0.5, 0.5, 0], radius = 0.3 }\n\
                        evolve = { normal_speed = 1, max_steps = 2 }\n";
    let place = Place::new();
    let square = ["generate", "square", "--cells", "8,8", "-o", "frame_000001.vtp"];
    assert!(place.run(&square).status.success());
    std::fs::write(place.path("case.toml"), CASE).unwrap();
    std::fs::write(place.path("scan_000002.ply"), "mine").unwrap();
    for more in [&[][..], &["--overwrite", "--set", "evolve.max_steps=1"]] {
        let output = place.run(&[&["run", "case.toml", "-o", "."], more].concat());
        assert!(output.status.success(), "{output:?}");
    }
    let names = place.names();
    for kept in ["frame_000001.vtp", "scan_000002.ply", "case.toml", "case_000001.vtp"] {
        assert!(names.iter().any(|name| name == kept), "{kept} is gone: {names:?}");
    }
    assert!(!names.iter().any(|name| name == "case_000002.vtp"), "{names:?}");

    let reads = "domain.mesh.path=\"case_000001.vtp\"";
    for command in ["check", "run"] {
        let arguments = [command, "case.toml", "-o", ".", "--overwrite", "--set", reads];
        let output = place.run(&arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(6), "{said}");
        assert!(said.contains("case_000001.vtp: is an input of this run"), "{said}");
    }
    assert!(place.path("case_000001.vtp").exists());
}

/// All durations come from monotonic clocks. No source file reads the time of day, so setting the
/// clock back cannot end or delay anything.
#[test]
fn no_source_reads_the_time_of_day() {
    fn walk(folder: &Path, found: &mut usize) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                *found += 1;
                for word in ["SystemTime", "UNIX_EPOCH", "chrono::"] {
                    assert!(!text.contains(word), "{}: {word}", path.display());
                }
            }
        }
    }
    let mut found = 0;
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found > 100, "only {found} files");
}

#[cfg(target_os = "linux")]
#[test]
fn a_mesh_too_large_for_the_memory_is_refused_before_the_run() {
    let place = Place::new();
    let case = "version = 1\n[domain.mesh]\ngenerate.square = { cells = [1200, 1200] }\n[initial]\n\
                ball = { center = [0.5, 0.5, 0], radius = 0.3 }\n[evolve]\nend_time = 1\n\
                curvature = 0.01\n";
    std::fs::write(place.path("case.toml"), case).unwrap();
    // With 1.44 million vertices, the mesh needs about 0.2 GB while it is created, and the run
    // needs twice as much.
    let limited = |kib: u64| place.limited(kib, "check case.toml --threads 1");
    let (code, said) = limited(70_000);
    assert_eq!(code, Some(5), "{said}");
    let expected = "square: 1442401 vertices and 2880000 cells need at least 66.0 MiB, ";
    assert!(said.contains(expected) && said.contains(" are free; use fewer cells"), "{said}");
    let (code, said) = limited(420_000);
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("the run needs at least") && said.contains("1442401 vertices"), "{said}");
}

/// Out-of-memory errors of other commands name the file, and a remedy that fits the command.
#[cfg(target_os = "linux")]
#[test]
fn other_commands_without_memory_name_the_file_and_their_own_remedy() {
    let place = Place::new();
    let head = b"\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (400, 500, 600), }";
    let mut bytes = head.to_vec();
    bytes.resize(127, b' ');
    bytes.push(b'\n');
    bytes.resize(128 + 400 * 500 * 600, 0);
    std::fs::write(place.path("big.npy"), &bytes).unwrap();
    let mut rows = String::from("OFF\n300000 1 0\n");
    (0..300_000).for_each(|k| rows += &format!("{k} 0 {}\n", k % 2));
    rows += "3 0 1 2\n";
    std::fs::write(place.path("many.off"), &rows).unwrap();
    for (kib, arguments, named, remedy) in [
        (
            70_000,
            "info big.npy",
            "while reading the file (big.npy): cannot allocate 114 MiB",
            "free memory or",
        ),
        (
            70_000,
            "convert big.npy a.mha",
            "while converting the file (big.npy): cannot allocate 114 MiB",
            "free memory or",
        ),
        (
            70_000,
            "generate sphere --subdivisions 9 -o a.vtp",
            "sphere: 2621442 vertices",
            "use fewer",
        ),
        (
            70_000,
            "generate square --refine 5 -o a.vtp",
            "square: 4194304 vertices and 8388608 cells need at least 240.0 MiB, ",
            "use fewer cells or refinements",
        ),
        (
            70_000,
            "generate from ball.vtp --refine 6 -o a.vtp",
            "the mesh refined 6 times: ",
            "use fewer",
        ),
    ] {
        let (code, said) = place.limited(kib, arguments);
        assert_eq!(code, Some(5), "{arguments}: {said}");
        assert!(said.contains(named) && said.contains(remedy), "{arguments}: {said}");
        assert!(!said.contains("--resume") && !said.contains("narrower"), "{arguments}: {said}");
    }
    // The limits range from too little memory for the start to enough memory. Between these, the
    // program reports the error itself.
    let mut found = 0;
    for kib in (20_000..100_000).step_by(500) {
        let (code, said) = place.limited(kib, "info many.off");
        if said.contains("failed to allocate an alternative stack") {
            // If a thread starts when all memory is in use, the Rust standard library ends the
            // program.
            continue;
        }
        assert!(!said.contains("panicked") && !said.contains("Fatal"), "{kib} KiB: {said}");
        if said.contains("out of memory while starting") {
            // The memory is too small to read the command line, so no file name is known yet.
            assert_eq!(code, Some(5), "{said}");
            assert!(said.contains("see `ulimit -v`") && found == 0, "{said}");
        } else if said.contains("out of memory while") {
            assert_eq!(code, Some(5), "{said}");
            assert!(said.contains("while reading the file (many.off): "), "{said}");
            assert!(said.contains("free memory or") && !said.contains("--resume"), "{said}");
            found += 1;
        }
    }
    assert!(found > 0, "no limit caused an error while reading");
}

#[test]
fn too_many_threads_are_refused_at_once() {
    let place = Place::new();
    let mut command = place.command(&["info", "ball.vtp"]);
    let output = command.env("RAYON_NUM_THREADS", "99999").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(
        said.contains("RAYON_NUM_THREADS asks for 99999, but at most 256 are allowed"),
        "{said}"
    );
}
