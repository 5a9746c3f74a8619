//! Tests the program itself: exit codes, output streams, files, pipes and signals.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

/// A case with a circle that shrinks on a small square.
const CIRCLE: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [16, 16], min = [-1, -1], max = [1, 1] }
[initial]
ball = { center = [0, 0, 0], radius = 0.6 }
[evolve]
end_time = 0.02
curvature = 1.0
[output]
interval = 0.01
";

/// A case with the distance from a corner of a small square.
const CORNER: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [8, 8] }
[distance]
from = [\"vertex:0\"]
";

/// A folder with a case file. The program runs in this folder.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn with(case: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("case.toml"), case).unwrap();
        Place { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn report(&self, folder: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(&format!("{folder}/report.json"))).unwrap()
    }

    fn zeroset(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32, message: &str) {
        let assert = self.zeroset(arguments).assert().code(code).stdout(is_empty());
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(stderr.contains(message), "`{message}` is not in: {stderr}");
        let errors = stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(errors, 1, "the error must be printed once: {stderr}");
    }
}

#[test]
fn a_run_writes_series_measures_and_report() {
    let place = Place::with(CIRCLE);
    let summary = place.zeroset(&["run", "case.toml"]).assert().code(0);
    let summary = String::from_utf8(summary.get_output().stdout.clone()).unwrap();
    assert_eq!(summary.lines().count(), 11, "{summary}");
    let report = place.report("results/case");
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["status"], "finished");
    assert_eq!(report["time"], 0.02);
    assert_eq!(report["states"], 3);
    assert_eq!(report["backend"], "cpu");
    assert!(report["backend_reason"].as_str().unwrap().contains("auto"));
    assert_eq!(report["mesh"]["vertices"], 17 * 17);
    assert_eq!(report["case_hash"].as_str().unwrap().len(), 64);
    for stage in ["read", "partition", "setup", "reinitialize", "evolve", "output", "total"] {
        assert!(report["seconds"][stage].is_number(), "{stage}");
    }
    assert!(report["cell_updates_per_second"].as_f64().unwrap() > 0.0);
    // The exact radius satisfies R^2 = R0^2 - 2 t.
    let area = report["last"]["enclosed"].as_f64().unwrap();
    assert!((area - std::f64::consts::PI * 0.32).abs() < 0.02, "{area}");

    let measures = place.read("results/case/measures.csv");
    let mut lines = measures.lines();
    assert_eq!(
        lines.next().unwrap(),
        "step,time,dt,interface_length,enclosed_area,components,euler_number,band_vertices,\
         active_patches,phi_min,phi_max"
    );
    let times: Vec<&str> = lines.map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(times, ["0.0", "0.01", "0.02"]);
    for series in ["case", "interface"] {
        let list = place.read(&format!("results/case/{series}.pvd"));
        let last = format!("{series}_{:06}.vtp", report["steps"].as_u64().unwrap());
        assert!(list.contains(&last), "{list}");
        assert!(place.path(&format!("results/case/{last}")).exists());
    }
    assert!(!place.path("results/case/zeroset.lock").exists());
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    let place = Place::with(CIRCLE);
    for threads in ["1", "2", "5"] {
        place
            .zeroset(&["run", "case.toml", "-q", "--threads", threads, "-o", threads])
            .assert()
            .code(0);
        assert_eq!(place.report(threads)["threads"].to_string(), threads);
        // Compares all states and interfaces, in addition to the numbers in the table.
        for entry in std::fs::read_dir(place.path("1")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name != "report.json" && name != "report.html" {
                let bytes = |folder: &str| std::fs::read(place.path(&format!("{folder}/{name}")));
                assert_eq!(bytes(threads).unwrap(), bytes("1").unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn expectations_decide_between_0_and_1() {
    let place = Place::with(&format!("{CIRCLE}[expect]\nenclosed_area = 1.0053\n"));
    place
        .zeroset(&["run", "case.toml", "-o", "a"])
        .assert()
        .code(0)
        .stdout(contains("met (1 bound)"));
    let missed = ["run", "case.toml", "-o", "b", "--set", "expect.enclosed_area=2"];
    place
        .zeroset(&missed)
        .assert()
        .code(1)
        .stdout(contains("NOT MET: enclosed_area is ").and(contains("not in 1.98")));
    assert_eq!(place.report("b")["expect"]["met"], false);
}

#[test]
fn a_folder_that_holds_a_run_is_refused() {
    let place = Place::with(CIRCLE);
    place.zeroset(&["run", "case.toml", "-o", "out"]).assert().code(0);
    let before = place.read("out/report.json");
    std::fs::write(place.path("out/notes.txt"), "mine").unwrap();
    place.fails(&["run", "case.toml", "-o", "out"], 6, "--overwrite");
    let note = contains("note    out: holds").and(contains("--overwrite"));
    place.zeroset(&["check", "case.toml", "-o", "out"]).assert().code(0).stdout(note);
    assert_eq!(place.read("out/report.json"), before);
    let again = ["run", "case.toml", "-o", "out", "--overwrite", "--set", "evolve.end_time=0.005"];
    place.zeroset(&again).assert().code(0);
    assert_eq!(place.report("out")["time"], 0.005);
    assert_eq!(place.read("out/notes.txt"), "mine");
    let states = std::fs::read_dir(place.path("out"))
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with("case_"));
    assert_eq!(states.count(), 2, "the states of the first run must be removed");
}

#[test]
fn check_prints_all_problems_at_once() {
    let place = Place::with(CIRCLE);
    let check = |set: &[&str], code: i32, messages: &[&str]| {
        let mut command = place.zeroset(&["check", "case.toml", "-o", "out"]);
        let output = command.args(set.iter().flat_map(|set| ["--set", set])).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.matches("error: ").count(), messages.len(), "{said}");
        messages.iter().for_each(|message| assert!(said.contains(message), "{said}"));
    };
    let keys = ["evolve.cfl=-1", "output.every=0", "expect.phi_min={}", "device.threads=99999"];
    let messages = ["evolve.cfl", "output.every", "interval", "expect.phi_min", "device.threads"];
    check(&keys, 2, &messages);
    let mesh = "domain.mesh={ path = \"none.vtp\", data = [{ path = \"none.txt\" }] }";
    check(&[mesh], 3, &["none.vtp: cannot be read", "none.txt: cannot be read"]);
    check(&[mesh, "evolve.cfl=-1"], 2, &["evolve.cfl", "none.vtp", "none.txt"]);
    let unknown = ["expect.enclosed_volume=1", "evolve.normal_speed=\"beta\""];
    check(&unknown, 2, &["enclosed_volume does not exist on this mesh", "beta"]);
    // An unknown name in the mask or in a coefficient does not hide unknown names elsewhere.
    let unknown = [
        "evolve.mask=\"aa\"",
        "evolve.normal_speed=\"bb\"",
        "evolve.curvature=\"cc\"",
        "evolve.velocity=[\"dd\", 0, 0]",
    ];
    check(&unknown, 2, &["evolve.mask: ", "evolve.normal_speed: ", "evolve.curvature: ", "dd"]);
    std::fs::write(place.path("out"), "a file").unwrap();
    check(&["evolve.cfl=-1"], 2, &["evolve.cfl", "is not a folder"]);
}

#[test]
fn check_prints_the_problems_of_all_seeds() {
    let seeds = "from = [\"vertex:9999\", \"group:nix\", \"point:99,5,5\", \"vertex:1,9998\"]\n\
                 speed = \"foo\"\nmask = \"qq\"";
    let place = Place::with(&CORNER.replace("from = [\"vertex:0\"]", seeds));
    let output = place.zeroset(&["check", "case.toml"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.matches("error: ").count()), (Some(2), 6), "{said}");
    for part in ["vertex 9999", "\"nix\"", "point:99,5,5", "vertex 9998", "foo", "qq"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn wrong_words_are_code_2() {
    let place = Place::with(CIRCLE);
    for arguments in [&["runn"][..], &["run"], &["run", "case.toml", "--foo"], &["-q", "-v"]] {
        place.zeroset(arguments).assert().code(2).stdout(is_empty());
    }
    place.fails(&["run", "none.toml"], 2, "none.toml: cannot read the case file");
    place.fails(&["run", "case.toml", "--set", "evolve.clf=1"], 2, "did you mean `cfl`?");
    place.fails(&["check", "case.toml", "--set", "evolve.curvature=-1"], 2, "must be >= 0");
    place.fails(
        &["run", "case.toml", "--set", "initial.ball.center=[9,0,0]"],
        2,
        "the whole mesh is outside",
    );
    place.fails(
        &["check", "case.toml", "--set", "evolve.curvature.data=curv"],
        2,
        "evolve.curvature.data=curv: evolve.curvature.data: there is no vertex array \"curv\"",
    );
    place.fails(
        &["check", "case.toml", "--set", "expect.enclosed_volume=1"],
        2,
        "expect.enclosed_volume does not exist on this mesh",
    );
    assert!(!place.path("results").exists(), "a run that fails at the start must not leave files");
}

#[test]
fn what_only_the_mesh_can_tell_is_placed_in_the_case_file_too() {
    let seeds = CORNER.replace("\"vertex:0\"", "\"vertex:0\",\n  \"vertex:81\"");
    Place::with(&seeds).fails(
        &["check", "case.toml"],
        2,
        "case.toml:6: distance.from.1: there is no vertex 81; vertices are numbered 0 to 80",
    );
    let place = Place::with(&CIRCLE.replace("curvature = 1.0", "curvature = { data = \"c\" }"));
    place.fails(
        &["run", "case.toml"],
        2,
        "case.toml:8: evolve.curvature.data: there is no vertex array",
    );
    let place = Place::with(&CIRCLE.replace("radius = 0.6", "radius = 60"));
    place.fails(&["run", "case.toml"], 2, "case.toml:4: the whole mesh is inside [initial]");
}

#[test]
fn a_numerical_failure_is_code_4_and_keeps_what_was_written() {
    let place = Place::with(CIRCLE);
    let huge = ["--set", "precision=f32", "--set", "evolve.normal_speed=1e39*(2+x)"];
    place.fails(
        &[&["run", "case.toml"][..], &huge].concat(),
        4,
        "the time step 0.000e0 is too small to advance time",
    );
    let report = place.report("results/case");
    assert_eq!(report["status"], "failed");
    assert!(report["ended_by"].as_str().unwrap().starts_with("numerical failure"));
    assert_eq!(place.read("results/case/measures.csv").lines().count(), 2);
}

#[test]
fn wrong_files_are_code_3() {
    let place = Place::with(&CIRCLE.replace(
        "generate.square = { cells = [16, 16], min = [-1, -1], max = [1, 1] }",
        "path = \"mesh.vtu\"",
    ));
    place.fails(&["run", "case.toml"], 3, "mesh.vtu");
    place.fails(&["check", "case.toml"], 3, "mesh.vtu");
    place.fails(&["distance", "mesh.vtu", "--from", "vertex:0", "-o", "d.vtu"], 3, "mesh.vtu");
    std::fs::write(place.path("mesh.vtu"), "no mesh at all").unwrap();
    place.fails(&["check", "case.toml"], 3, "mesh.vtu");
}

#[test]
fn a_missing_device_is_code_5() {
    let place = Place::with(CIRCLE);
    // With this setting, the driver reports no GPU, regardless of the machine.
    let hidden = |arguments: &[&str]| {
        let mut command = place.zeroset(arguments);
        command.env("CUDA_VISIBLE_DEVICES", "");
        command
    };
    let distance = ["distance", "mesh.vtu", "--from", "vertex:0", "-o", "d.vtu"];
    hidden(&["generate", "square", "-o", "mesh.vtu"]).assert().code(0);
    for arguments in [
        &["run", "case.toml", "--set", "device.use=cuda"][..],
        &["run", "case.toml", "--device", "cuda"],
        &["check", "case.toml", "--device", "cuda"],
        &[&distance[..], &["--device", "cuda"]].concat(),
    ] {
        let said = contains("error: device: ").and(contains("or compute on the CPU"));
        hidden(arguments).assert().code(5).stderr(said);
    }
    assert!(!place.path("results").exists() && !place.path("d.vtu").exists());
    hidden(&["check", "case.toml", "--device", "cpu"]).assert().code(0);
    hidden(&["check", "case.toml", "--device", "gpu"]).assert().code(2);
    // The option overrides the file, and `auto` reports why it uses the CPU.
    std::fs::write(place.path("gpu.toml"), CIRCLE.to_string() + "[device]\nuse = \"cuda\"\n")
        .unwrap();
    hidden(&["run", "gpu.toml", "-o", "auto", "--device", "auto"]).assert().code(0);
    let report = place.report("auto");
    assert_eq!(report["backend"], "cpu");
    let reason = report["backend_reason"].as_str().unwrap();
    assert!(reason.starts_with("auto: ") && reason.len() > 20, "{reason}");
}

#[test]
fn an_unwritable_folder_is_code_6() {
    let place = Place::with(CIRCLE);
    std::fs::write(place.path("file"), "").unwrap();
    place.fails(&["run", "case.toml", "-o", "file"], 6, "file");
    place.fails(&["check", "case.toml", "-o", "file"], 6, "not a folder");
    place.fails(&["run", "case.toml", "-o", "file/below"], 6, "file");
}

#[test]
fn check_says_what_a_run_would_do_and_writes_nothing() {
    let place = Place::with(CIRCLE);
    place
        .zeroset(&["check", "case.toml"])
        .assert()
        .code(0)
        .stdout(contains("task    evolve").and(contains("289 vertices, 512 triangles")))
        .stdout(contains("case.toml is ready to run"));
    assert!(!place.path("results").exists());
}

#[test]
fn the_distance_task_writes_one_state() {
    let place = Place::with(&format!("{CORNER}[expect]\ndistance_max = 1.41421\n"));
    place
        .zeroset(&["run", "case.toml"])
        .assert()
        .code(0)
        .stdout(contains("81 vertices, not reached 0"))
        .stdout(contains("distance     0 to 1.41421"));
    assert!(place.path("results/case/case_000000.vtp").exists());
    let report = place.report("results/case");
    assert_eq!((&report["task"], &report["states"]), (&"distance".into(), &1.into()));
    place.fails(
        &["check", "case.toml", "-o", "b", "--set", "distance.from=[\"vertex:81\"]"],
        2,
        "there is no vertex 81; vertices are numbered 0 to 80",
    );
    place.fails(
        &["check", "case.toml", "-o", "b", "--set", "distance.from=[\"group:inlet\"]"],
        2,
        "there is no group \"inlet\"",
    );
    let off = "distance.from=[\"point:0.5,0.5,2\"]";
    place.fails(&["check", "case.toml", "-o", "b", "--set", off], 2, "--snap");
    let snapped = ["check", "case.toml", "-o", "b", "--set", off, "--set", "distance.snap=true"];
    place.zeroset(&snapped).assert().code(0).stderr(contains("warning: point:0.5,0.5,2 is 2"));
}

#[test]
fn an_old_word_for_the_partition_means_metis() {
    let old = "domain.mesh.partition=hilbert-metis";
    let place = Place::with(CORNER);
    let said = "partition \"hilbert-metis\" no longer exists, \"metis\" is used";
    let run = ["run", "case.toml", "--set", old];
    place.zeroset(&run).assert().code(0).stderr(contains(format!("warning: {said}")));
    let report = place.report("results/case");
    assert_eq!(report["mesh"]["partition"], "metis");
    assert!(report["warnings"][0].as_str().unwrap().starts_with(said), "{report:?}");
    let check = ["check", "case.toml", "-o", "b", "--set", old];
    place.zeroset(&check).assert().code(0).stderr(contains(said));
}

#[test]
fn sources_on_the_command_line_are_checked_first() {
    let place = Place::with(CORNER);
    for (from, message) in [
        ("vertex:x", "`x` is not a vertex number"),
        ("point:1,2", "2 coordinates instead of 3"),
        ("17", "allowed: vertex:17"),
    ] {
        let arguments = ["distance", "mesh.vtu", "--from", from, "-o", "d.vtu"];
        place.zeroset(&arguments).assert().code(2).stderr(contains(message));
    }
    let arguments = ["distance", "mesh.vtu", "--from", "vertex:0", "-o", "d.xyz"];
    place.fails(&arguments, 2, "d.xyz: unknown extension of the output file");
    let arguments = ["distance", "mesh.vtu", "--from", "vertex:0", "-o", "none/d.vtu"];
    place.fails(&arguments, 6, "none/d.vtu: cannot write there");
}

#[test]
fn help_teaches_with_examples() {
    let place = Place::with(CIRCLE);
    for command in
        [&["--help"][..], &["run", "--help"], &["check", "--help"], &["distance", "--help"]]
    {
        place.zeroset(command).assert().code(0).stdout(contains("Examples:")).stderr(is_empty());
    }
    place.zeroset(&["--version"]).assert().code(0).stdout(contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn quiet_says_results_only() {
    let place = Place::with(CIRCLE);
    place.zeroset(&["run", "-q", "case.toml"]).assert().code(0).stderr(is_empty());
    let stages = place.zeroset(&["run", "-v", "case.toml", "-o", "b"]).assert().code(0);
    stages.stderr(contains("partitioning the mesh"));
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let place = Place::with(CIRCLE);
    for arguments in [&["run", "case.toml"][..], &["check", "case.toml", "-o", "b"], &["--help"]] {
        let mut child =
            place.zeroset(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
        assert_eq!(stderr, "");
    }
    assert_eq!(place.report("results/case")["status"], "finished");
}

/// Starts a run that takes a long time because of its tiny steps, and waits for its first output.
fn long_run(place: &Place, folder: &str) -> std::process::Child {
    let arguments = ["run", "case.toml", "-o", folder, "--set", "evolve.cfl=1e-6"];
    let mut command = place.zeroset(&arguments);
    command.args(["--set", "output.every=1000000", "--set", "output={}"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let measures = place.path(folder).join("interface.pvd");
    for _ in 0..600 {
        if measures.exists() {
            return child;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("the run has not started after half a minute: {:?}", child.wait_with_output());
}

#[test]
fn two_runs_in_one_folder_are_kept_apart() {
    let place = Place::with(CIRCLE);
    let mut first = long_run(&place, "out");
    let named = format!("another run is writing here (process {})", first.id());
    place.fails(&["run", "case.toml", "-o", "out", "--overwrite"], 6, &named);
    place.fails(&["check", "case.toml", "-o", "out", "--overwrite"], 6, &named);
    // A killed run leaves its lock. The next run detects that the owner of the lock is dead.
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(Path::new(&place.path("out/zeroset.lock")).exists());
    let note = contains("note    out: holds").and(contains("--overwrite"));
    place.zeroset(&["check", "case.toml", "-o", "out"]).assert().code(0).stdout(note);
    place
        .zeroset(&["run", "case.toml", "-o", "out", "--overwrite"])
        .assert()
        .code(0)
        .stderr(contains("did not end cleanly"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_writes_the_current_state() {
    let place = Place::with(CIRCLE);
    let child = long_run(&place, "out");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("end          interrupted"));
    let report = place.report("out");
    assert_eq!(report["status"], "interrupted");
    let steps = report["steps"].as_u64().unwrap();
    assert!(steps > 0);
    let measures = place.read("out/measures.csv");
    assert!(measures.lines().last().unwrap().starts_with(&format!("{steps},")), "{measures}");
    assert!(place.path(&format!("out/case_{steps:06}.vtp")).exists());
    assert!(!place.path("out/zeroset.lock").exists());
}

#[test]
fn without_a_terminal_progress_is_plain_lines() {
    let place = Place::with(CIRCLE);
    let mut child = long_run(&place, "out");
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let said = ["left, step ", "time ", "dt ", " steps/s"];
    assert!(said.iter().all(|word| line.contains(word)), "{line}");
    assert!(!line.contains('\u{1b}'), "no escape codes: {line:?}");
}

/// Returns the width and height of a PNG file.
fn size_of_png(path: &Path) -> (u32, u32) {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n", "{}", path.display());
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn pictures_are_drawn_of_the_last_or_of_every_state() {
    let place = Place::with(CIRCLE);
    let set = ["--set", "output.picture={ width = 320, height = 240 }"];
    place.zeroset(&["run", "case.toml", "-o", "a"]).args(set).assert().code(0);
    assert_eq!(size_of_png(&place.path("a/case.png")), (320, 240));
    // With `--picture`, the same picture is written to another path, and no picture to the run
    // folder.
    let elsewhere = ["run", "case.toml", "-o", "b", "--picture", "b.png"];
    place.zeroset(&elsewhere).args(set).assert().code(0);
    assert!(!place.path("b/case.png").exists());
    let file = |name: &str| std::fs::read(place.path(name)).unwrap();
    assert!(file("a/case.png") == file("b.png"));
    let each = ["--set", "output.picture={ width = 64, height = 64, every = \"state\" }"];
    place.zeroset(&["run", "case.toml", "-o", "a", "--overwrite"]).args(each).assert().code(0);
    assert!(!place.path("a/case.png").exists(), "the picture of the previous run must be removed");
    let states = place.report("a")["states"].as_u64().unwrap();
    let files = std::fs::read_dir(place.path("a")).unwrap().map(|e| e.unwrap().path());
    let pictures: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "png")).collect();
    assert_eq!(pictures.len() as u64, states);
    assert_eq!(size_of_png(&place.path("a/case_000000.png")), (64, 64));
}

#[test]
fn distances_are_drawn_with_and_without_a_case() {
    let place = Place::with(CORNER);
    place.zeroset(&["run", "case.toml", "-o", "out", "--picture", "run.png"]).assert().code(0);
    assert_eq!(size_of_png(&place.path("run.png")), (1200, 900));
    let generate = ["generate", "sphere", "--subdivisions", "2", "-o", "ball.vtp"];
    place.zeroset(&generate).assert().code(0);
    let ask = ["distance", "ball.vtp", "--from", "vertex:0", "-o", "far.vtp"];
    place.zeroset(&ask).args(["--picture", "far.png"]).assert().code(0);
    assert_eq!(size_of_png(&place.path("far.png")), (1200, 900));
}

#[test]
fn what_cannot_become_a_picture_is_found_before_the_run() {
    let place = Place::with(CIRCLE);
    place.fails(&["run", "case.toml", "-o", "a", "--picture", "a.jpg"], 2, "end the name in .png");
    place.fails(&["run", "case.toml", "-o", "a", "--picture", "no/a.png"], 6, "no/a.png");
    let array = "output.picture.array=curv";
    place.fails(&["run", "case.toml", "-o", "a", "--set", array], 2, "no vertex array \"curv\"");
    place.fails(&["check", "case.toml", "--set", array], 2, "output.picture.array");
    assert!(!place.path("a").exists());
    let ask = ["distance", "x.vtp", "--from", "vertex:0", "-o", "far.vtp", "--picture", "a.gif"];
    place.fails(&ask, 2, "end the name in .png");
}

#[test]
fn json_says_events_and_the_end() {
    let events = |output: &[u8]| -> Vec<serde_json::Value> {
        let text = String::from_utf8(output.to_vec()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    };
    let place = Place::with(&format!("{CIRCLE}[expect]\nenclosed_area = 9\n"));
    let output = place.zeroset(&["run", "case.toml", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = events(&output.stderr);
    assert_eq!(told[0], serde_json::json!({ "event": "stage", "name": "reading the mesh" }));
    let end = events(&output.stdout);
    assert_eq!(end.len(), 1);
    assert_eq!((&end[0]["event"], &end[0]["exit_code"]), (&"end".into(), &1.into()));
    assert_eq!(end[0]["report"], place.report("results/case"));
    // The last step is always reported, even if steps are fast.
    let last = told.iter().rfind(|event| event["event"] == "step").unwrap();
    assert_eq!(last["step"], end[0]["report"]["steps"]);
    assert_eq!(last["time"], 0.02);
    assert_eq!(last["remaining_seconds"], 0.0);
    assert!(told.iter().filter(|event| event["event"] == "step").count() < 20);

    let output = place.zeroset(&["run", "case.toml", "--json"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(6), 0));
    let told = events(&output.stderr);
    let error = told.last().unwrap();
    assert_eq!((&error["event"], &error["kind"]), (&"error".into(), &"output".into()));
    assert_eq!(error["exit_code"], 6);
    assert!(error["message"].as_str().unwrap().contains("holds a run already"));

    let from = ["--from", "vertex:0", "-o", "d.vtp", "--json"];
    place.zeroset(&["generate", "square", "-o", "s.vtp", "-q"]).assert().success();
    let output = place.zeroset(&[&["distance", "s.vtp"], &from[..]].concat()).output().unwrap();
    assert_eq!(events(&output.stdout)[0]["report"]["task"], "distance");
    assert_eq!(events(&output.stdout)[0]["results"], "d.vtp");
    assert!(events(&output.stderr).iter().all(|event| event["event"] == "stage"));
}

#[test]
fn one_file_holds_all_states() {
    let place = Place::with(CIRCLE);
    let run = ["run", "case.toml", "--set", "output.format=vtkhdf"];
    place.zeroset(&run).assert().success().stdout(contains("case.vtkhdf, for ParaView"));
    let file = hdf5_pure::File::open(place.path("results/case/case.vtkhdf")).unwrap();
    let times = file.dataset("VTKHDF/Steps/Values").unwrap().read_f64().unwrap();
    assert_eq!(times, [0.0, 0.01, 0.02]);
    let phi = file.dataset("VTKHDF/PointData/phi").unwrap();
    assert_eq!(phi.shape().unwrap(), [3 * 17 * 17]);
    assert!(!place.path("results/case/case.pvd").exists());
    assert!(place.path("results/case/interface.pvd").exists());
    place.zeroset(&run).assert().code(6);
    place.zeroset(&["run", "case.toml", "--overwrite"]).assert().success();
    assert!(
        !place.path("results/case/case.vtkhdf").exists(),
        "the file must be removed with its run"
    );
}
