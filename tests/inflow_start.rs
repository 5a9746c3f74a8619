//! Tests runs that start without an interface, or lose it, while an inflow can bring one in.

use std::path::Path;
use std::process::Command;

use zeroset_testing::field;
use zeroset_testing::slivers::cubes_with_slivers;

/// Runs the program. Returns its exit code and everything that it printed.
fn zeroset(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_zeroset")).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
}

/// A finished run: everything that it printed, and the enclosed areas in `measures.csv`.
struct Finished {
    said: String,
    enclosed: Vec<f64>,
}

impl Finished {
    #[track_caller]
    fn new(case: &Path, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("r");
        let arguments = ["run", case.to_str().unwrap(), "-o", results.to_str().unwrap()];
        let (code, said) = zeroset(&[&arguments[..], more].concat());
        assert_eq!(code, 0, "{said}");
        let text = std::fs::read_to_string(results.join("measures.csv")).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let names = lines.next().unwrap();
        let is_measure = |name: &&str| ["enclosed_area", "enclosed_volume"].contains(name);
        let at = names.iter().position(is_measure).unwrap();
        Finished { said, enclosed: lines.map(|line| line[at].parse().unwrap()).collect() }
    }

    fn last(&self) -> f64 {
        *self.enclosed.last().unwrap()
    }
}

/// Writes a case with a square of 32 by 32 cells, an initial circle far outside it, and the
/// given keys of `[evolve]`.
fn case(folder: &Path, evolve: &str) -> std::path::PathBuf {
    let text = format!(
        "version = 1\n[domain.mesh.generate.square]\ncells = [32, 32]\n\
         [initial]\nexpression = \"sqrt((x+9)^2 + y^2) - 0.2\"\n\
         [evolve]\nend_time = 0.5\n{evolve}\n[output]\nmeasures_every = 1\n"
    );
    let path = folder.join("case.toml");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_drop_enters_an_empty_mesh() {
    for file in ["drop.toml", "drop_touching.toml"] {
        let Some(case) = field(&format!("meshes/inflow_empty/{file}")) else { return };
        for more in [&[][..], &["--set", "domain.mesh.generate.square.jitter=0.0"]] {
            let area = Finished::new(&case, more).last();
            assert!((area / 0.1257 - 1.0).abs() < 0.01, "{file}: {area}");
        }
    }
}

#[test]
fn an_interface_enters_in_other_ways() {
    let folder = tempfile::tempdir().unwrap();
    let whole = ["--set", "reinitialize.half_width=\"whole\""];
    let line = [whole[0], whole[1], "--set", "initial.expression=\"x + 0.25\""];
    let entering = [
        // The given values do not change. A jet enters in the first step.
        ("velocity = [1, 0, 0]\ninflow = \"abs(y - 0.5) - 0.2\"", 0.2, &[][..]),
        // The inside enters through the whole inflow boundary.
        ("velocity = [1, 0, 0]\ninflow = -1", 0.5, &[]),
        // The velocity points inward only later.
        ("velocity = [\"-1 + 8*t\", 0, 0]\ninflow = \"abs(y - 0.5) - 0.2\"", 0.4 * 0.5625, &[]),
        // phi is advanced in the whole domain instead of only in a band.
        ("velocity = [1, 0, 0]\ninflow = \"abs(y - 0.5) - 0.2\"", 0.2, &whole),
        ("velocity = [1, 0, 0]\ninflow = \"0.25 - t\"", 0.25, &line),
        // A slow start is not a steady state.
        ("velocity = [1, 0, 0]\nsteady = 1e-6\ninflow = \"0.25 - t\"", 0.25, &[]),
    ];
    for (evolve, right, more) in entering {
        let case = case(folder.path(), evolve);
        let found = Finished::new(&case, more);
        let area = found.last();
        assert!((area - right).abs() < 0.03 * right + 0.02, "{evolve}: {area}, not {right}");
        assert!(found.said.contains("end_time reached"), "{}", found.said);
    }
}

#[test]
fn a_run_goes_on_between_two_drops() {
    let folder = tempfile::tempdir().unwrap();
    // A drop is inside at t = 0.5, has left at t = 1.5, and the next one is inside at t = 2.5.
    let evolve = "velocity = [1, 0, 0]\n\
                  inflow = \"sqrt((t - 2*floor(t/2) - 0.2)^2 + (y - 0.5)^2) - 0.15\"";
    let case = case(folder.path(), evolve);
    let found = Finished::new(&case, &["--set", "evolve.end_time=2.6"]);
    let first = found.enclosed.iter().position(|&area| area > 0.06).unwrap();
    let gap = first + found.enclosed[first..].iter().position(|&area| area == 0.0).unwrap();
    assert!(found.enclosed[gap..].iter().any(|&area| area > 0.06), "{}", found.said);
    assert!((found.last() / 0.0707 - 1.0).abs() < 0.04, "{}", found.last());
}

#[test]
fn a_drop_enters_tetrahedra() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version = 1\n[domain.mesh.generate.cube]\ncells = [20, 20, 20]\n\
                [initial]\nball = { center = [-5, 0.5, 0.5], radius = 0.3 }\n\
                [evolve]\nend_time = 0.9\nvelocity = [1, 0, 0]\n\
                inflow = \"sqrt((0.4 - t)^2 + (y-0.5)^2 + (z-0.5)^2) - 0.3\"\n";
    let path = folder.path().join("case.toml");
    std::fs::write(&path, text).unwrap();
    let volume = Finished::new(&path, &[]).last();
    assert!((volume / 0.1131 - 1.0).abs() < 0.04, "{volume}");
}

#[test]
fn a_start_that_stays_empty_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = [
        ("velocity = [1, 0, 0]", "so there is no interface"),
        ("velocity = [1, 0, 0]\ninflow = 1", "values of inflow, which do not change"),
        (
            "velocity = [\"x - 0.5\", \"y - 0.5\", 0]\ninflow = \"0.3 - t\"",
            "points inward nowhere on the boundary",
        ),
    ];
    for (evolve, why) in refused {
        let case = case(folder.path(), evolve);
        let path = case.to_str().unwrap();
        for command in [&["check", path][..], &["run", path, "-o", "never"]] {
            let (code, said) = zeroset(command);
            assert_eq!(code, 2, "{evolve}: {said}");
            assert!(said.contains(why) && said.contains("case.toml:"), "{said}");
        }
        let sphere =
            ["--set", "domain.mesh.generate={ sphere = { radius = 1.0, subdivisions = 3 } }"];
        let (code, said) = zeroset(&[&["check", path][..], &sphere].concat());
        assert_eq!(code, 2, "{evolve}: {said}");
    }
}

#[test]
fn check_accepts_an_empty_start_with_an_inflow() {
    let Some(case) = field("meshes/inflow_empty/drop.toml") else { return };
    let (code, said) = zeroset(&["check", case.to_str().unwrap()]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn slivers_that_were_left_out_are_no_inflow_boundary() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, _) = cubes_with_slivers(4, 1e-8);
    zeroset::io::write_mesh(&folder.path().join("m.vtu"), &mesh, &Default::default()).unwrap();
    // The given values hold only at x = 0. At the gap, x = 1, they would be wrong by 1.
    let text = "version = 1\n[domain.mesh]\npath = \"m.vtu\"\n[initial]\n\
                expression = \"x - 0.3\"\n[evolve]\nend_time = 1\nvelocity = [1, 0, 0]\n\
                inflow = \"-0.3 - t\"\n[output]\nmeasures_every = 1\n";
    let path = folder.path().join("case.toml");
    std::fs::write(&path, text).unwrap();
    let finished = Finished::new(&path, &[]);
    assert!(finished.said.contains("flat tetrahedra left out"), "{}", finished.said);
    assert!((finished.last() - 1.3).abs() < 0.02, "{}", finished.last());
    // The velocity is along the y-axis and depends on time. The walls of the gap could then count
    // as inflow.
    let text = text
        .replace("velocity = [1, 0, 0]", "velocity = [0, \"1 + 0*t\", 0]")
        .replace("\"x - 0.3\"", "\"y - 0.3\"");
    std::fs::write(&path, text.replace("end_time = 1\n", "end_time = 0.4\n")).unwrap();
    let enclosed = Finished::new(&path, &[]).last();
    assert!((enclosed - 2.0 * 0.7).abs() < 0.02, "{enclosed}");
}
