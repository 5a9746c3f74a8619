//! Tests that no command replaces a file that it reads or that the user has not named.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

#[path = "support/place.rs"]
mod place;
use place::Place;

/// A case that moves a circle on `mesh.mesh` and writes one state.
const CASE: &str = "version = 1\ndomain.mesh.path = \"mesh.mesh\"\n\
                    initial.ball = { center = [0.5, 0.5, 0], radius = 0.3 }\n\
                    evolve = { normal_speed = 1, max_steps = 1 }\n";

/// A folder with inputs of every kind, in which the program runs.
impl Place {
    fn prepared() -> Self {
        let place = Place::new();
        place.put("case.toml", CASE);
        let run = |line: &str| {
            let output = place.run(line);
            assert!(output.status.success(), "{line}: {output:?}");
        };
        run("generate square --cells 6,6 -o mesh.mesh");
        run("generate sphere --subdivisions 3 -o ball.vtp");
        run("run case.toml -o done");
        place.put("mesh.sol", &solution(49));
        run("distance mesh.mesh --from vertex:0 -o k.morph");
        place.put("curve.txt", "0.2 0.2 0\n0.8 0.7 0\n");
        place.put("points.csv", "0,0,0\n1,0,1\n");
        place.put("pair.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
        place.put("pair.ele", "1 4 0\n0 0 1 2 3\n");
        place.put("seen.csv", "vertex,time\n9,0.5\n");
        place.put("stimuli.csv", "vertex,time\n0,0.5\n");
        place.put("first.vtx", "1\nextra\n0\n");
        place.put("queries.csv", "0,0,0\n1,1,1\n");
        let head = |n: usize, data: &str| {
            format!(
                "NDims = 3\nDimSize = {n} {n} {n}\nElementType = MET_UCHAR\nElementDataFile = {data}\n"
            )
        };
        place.put("volume.mhd", &head(4, "volume.raw"));
        place.put("small.mhd", &head(2, "small.raw"));
        std::fs::write(place.path("small.raw"), [3; 8]).unwrap();
        let voxels: Vec<u8> = (0..64).map(|k| if matches!(k, 21..=42) { 200 } else { 3 }).collect();
        std::fs::write(place.path("volume.raw"), voxels).unwrap();
        place
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Returns all files with their contents. A link is described by its target.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        fn walk(folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.display().to_string();
                match std::fs::read_link(&path) {
                    Ok(target) => {
                        drop(found.insert(name, target.into_os_string().into_encoded_bytes()))
                    }
                    Err(_) if path.is_dir() => walk(&path, found),
                    Err(_) => drop(found.insert(name, std::fs::read(&path).unwrap())),
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(self.0.path(), &mut found);
        found
    }

    /// Asserts that a command is refused and changes nothing.
    #[track_caller]
    fn refused(&self, line: &str, codes: &[i32], message: &str) {
        let before = self.files();
        let output = self.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(codes.contains(&output.status.code().unwrap_or(-1)), "{line}: {said}");
        assert!(said.contains(message), "{line}: `{message}` is not in: {said}");
        let after = self.files();
        let changed: Vec<&String> = before
            .iter()
            .filter(|(name, bytes)| after.get(*name) != Some(bytes))
            .map(|(name, _)| name)
            .collect();
        assert!(changed.is_empty(), "{line} has changed {changed:?}");
        assert_eq!(after.len(), before.len(), "{line} has left files");
    }
}

/// Returns a solution file with one number per vertex.
fn solution(n: usize) -> String {
    format!(
        "MeshVersionFormatted 2\nDimension 2\nSolAtVertices\n{n}\n1 1\n{}End\n",
        "0.5\n".repeat(n)
    )
}

/// Commands with the files that they read. OUT stands for the name of the result.
const COMMANDS: [(&str, &[&str]); 49] = [
    ("convert mesh.mesh OUT", &["mesh.mesh", "mesh.sol"]),
    ("convert volume.mhd OUT", &["volume.mhd", "volume.raw"]),
    ("convert done/case.pvd OUT", &["done/case.pvd", "done/case_000001.vtp"]),
    ("convert ball.vtp OUT --repair --fill-holes --decimate 100", &["ball.vtp"]),
    ("convert points.csv OUT", &["points.csv"]),
    ("convert points.csv queries.csv OUT --thin 0.5", &["points.csv", "queries.csv"]),
    ("convert points.csv OUT --where x>0.5 --crop 0,1,0,1,0,1", &["points.csv"]),
    ("convert pair.node OUT", &["pair.node", "pair.ele"]),
    ("generate from mesh.mesh --refine 1 -o OUT", &["mesh.mesh", "mesh.sol"]),
    ("distance mesh.mesh --from vertex:0 -o OUT", &["mesh.mesh", "mesh.sol"]),
    ("distance mesh.mesh --from vertex:0 -o d.vtp --picture OUT", &["mesh.mesh", "mesh.sol"]),
    (
        "distance mesh.mesh --from vertex:0 --path-from vertex:9 -o d.vtp --paths OUT",
        &["mesh.mesh"],
    ),
    (
        "distance mesh.mesh --from vertex:0 --front plane -o d.vtp --misfit seen.csv \
         --misfit-gradient OUT",
        &["mesh.mesh", "seen.csv"],
    ),
    ("distance mesh.mesh --stimuli stimuli.csv -o OUT", &["mesh.mesh", "stimuli.csv"]),
    ("distance mesh.mesh --from vtx:first.vtx -o OUT", &["mesh.mesh", "first.vtx"]),
    ("distance volume.mhd --from surface:200 -o OUT", &["volume.mhd", "volume.raw"]),
    ("distance mesh.mesh --from curve:curve.txt -o OUT", &["curve.txt"]),
    ("distance mesh.mesh --from vertex:0 --data k.morph -o OUT", &["k.morph"]),
    ("edt volume.mhd --where v>9 -o OUT", &["volume.mhd", "volume.raw"]),
    (
        "dt volume.mhd --where v>9 --queries queries.csv -o OUT",
        &["volume.mhd", "volume.raw", "queries.csv"],
    ),
    ("dt --points points.csv --queries queries.csv -o OUT", &["points.csv", "queries.csv"]),
    ("points volume.mhd --where v>9 -o OUT", &["volume.mhd", "volume.raw"]),
    ("points volume.mhd --where v>9 --blocks 2 -o OUT", &["volume.mhd", "volume.raw"]),
    ("points volume.mhd --match small.mhd -o OUT", &["volume.mhd", "small.mhd", "small.raw"]),
    ("points volume.mhd --tree -o OUT", &["volume.mhd", "volume.raw"]),
    ("points volume.mhd --sparse -o OUT", &["volume.mhd", "volume.raw"]),
    ("isosurface volume.mhd --level 9 -o OUT", &["volume.mhd", "volume.raw"]),
    ("isosurface volume.mhd --level 9 -o s.ply --report OUT", &["volume.mhd", "volume.raw"]),
    ("isosurface volume.mhd --level 9 -o s.ply --picture OUT", &["volume.mhd", "volume.raw"]),
    ("render volume.mhd --level 9 -o OUT", &["volume.mhd", "volume.raw"]),
    ("render mesh.mesh -o OUT", &["mesh.mesh", "mesh.sol"]),
    ("render mesh.mesh --data k.morph -o OUT", &["mesh.mesh", "mesh.sol", "k.morph"]),
    ("render done/case.pvd -o OUT", &["done/case.pvd", "done/case_000001.vtp"]),
    ("render done/measures.csv -o OUT", &["done/measures.csv"]),
    ("render done -o OUT", &["done/case.pvd", "done/case_000001.vtp"]),
    ("view volume.mhd --level 9 -o OUT", &["volume.mhd", "volume.raw"]),
    ("view mesh.mesh --data k.morph -o OUT", &["mesh.mesh", "mesh.sol", "k.morph"]),
    ("view done/case.pvd -o OUT", &["done/case.pvd", "done/case_000001.vtp"]),
    ("view done -o OUT", &["done/case.pvd", "done/case_000001.vtp"]),
    ("reconstruct ball.vtp -o OUT", &["ball.vtp"]),
    ("reconstruct ball.vtp --where z>0 --trim 3 -o OUT", &["ball.vtp"]),
    ("reconstruct ball.vtp -o s.ply --report OUT", &["ball.vtp"]),
    ("reconstruct ball.vtp -o s.ply --picture OUT", &["ball.vtp"]),
    ("voxelize ball.vtp --size 8 -o OUT", &["ball.vtp"]),
    ("sample ball.vtp -n 9 -o OUT", &["ball.vtp"]),
    ("sdf ball.vtp --size 8 -o OUT", &["ball.vtp"]),
    ("sdf ball.vtp --size 8 -o d.nrrd --report OUT", &["ball.vtp"]),
    ("sdf ball.vtp --at queries.csv -o OUT", &["ball.vtp", "queries.csv"]),
    ("run case.toml -o new --picture OUT", &["case.toml", "mesh.mesh", "mesh.sol"]),
];

/// The options of each command whose values are files or folders. Those of [`READ`] are read, and
/// all others are written.
const OPTIONS: [(&str, &[&str]); 24] = [
    ("run", &["--output", "--picture"]),
    ("batch", &["--output", "--table"]),
    ("check", &["--output"]),
    ("compare", &[]),
    ("converge", &["--output"]),
    (
        "distance",
        &[
            "--data",
            "--misfit",
            "--misfit-gradient",
            "--output",
            "--paths",
            "--picture",
            "--stimuli",
        ],
    ),
    ("dt", &["--output", "--points", "--queries"]),
    ("edt", &["--output"]),
    ("sdf", &["--at", "--output", "--report"]),
    ("generate", &["--output"]),
    ("convert", &[]),
    ("render", &["--data", "--output"]),
    ("view", &["--data", "--output"]),
    ("points", &["--match", "--output"]),
    ("isosurface", &["--output", "--picture", "--report"]),
    ("reconstruct", &["--output", "--picture", "--report"]),
    ("voxelize", &["--output"]),
    ("sample", &["--output"]),
    ("schema", &[]),
    ("defaults", &[]),
    ("info", &[]),
    ("devices", &[]),
    ("completions", &[]),
    ("manual", &["--output"]),
];

/// The options that name input files.
const READ: [&str; 8] =
    ["--at", "--data", "--match", "--misfit", "--points", "--queries", "--stimuli", "--table"];

/// Every option in the help of the program that writes a file has a row in [`COMMANDS`].
#[test]
fn every_result_of_every_command_is_in_the_table() {
    let place = Place::prepared();
    let help = |command: &str| {
        let output = place.run(format!("{command} --help").trim_start());
        String::from_utf8(output.stdout).unwrap()
    };
    let names = |text: &str| -> Vec<String> {
        let section = text.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
        let names =
            section.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names.map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
    };
    let mut commands = names(&help(""));
    commands.retain(|name| name != "help");
    let known: Vec<&str> = OPTIONS.iter().map(|row| row.0).collect();
    assert_eq!(commands, known);
    for (command, options) in OPTIONS {
        let text = help(command);
        let is_file = |line: &&str| {
            ["<FILE>", "<DIR>", "<OUT>", "<FILE[=NAME]>", "<TEMPLATE>"]
                .iter()
                .any(|value| line.trim_start().starts_with('-') && line.contains(value))
        };
        let mut found: Vec<&str> = text
            .lines()
            .filter(is_file)
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .collect();
        found.sort_unstable();
        assert_eq!(found, options, "{command}");
        let written = options.iter().filter(|option| !READ.contains(option));
        for option in written.filter(|_| command != "check" && command != "generate") {
            let names = [format!("{option} OUT"), format!("-{} OUT", &option[2..3])];
            // These folders have their own tests.
            let is_folder =
                ["run", "batch", "converge", "manual"].contains(&command) && *option == "--output";
            let is_tried = COMMANDS.iter().any(|(line, _)| {
                line.starts_with(&format!("{command} ")) && names.iter().any(|n| line.ends_with(n))
            });
            assert!(is_tried || is_folder, "{command} {option}");
        }
    }
}

/// Every result of every command is compared with every file that the command reads: by its own
/// name, by another path, and by links.
#[test]
fn no_command_replaces_a_file_that_it_reads() {
    let place = Place::prepared();
    for (line, inputs) in COMMANDS {
        for input in inputs {
            let ending = Path::new(input).extension().unwrap().to_str().unwrap();
            let mut names = vec![input.to_string(), format!("./{input}")];
            let known = ["ply", "vtp", "vti", "nrrd", "csv", "png", "json", "html", ending];
            for (k, ending) in known.iter().enumerate() {
                let (soft, hard) = (format!("soft{k}.{ending}"), format!("hard{k}.{ending}"));
                let _ = std::fs::remove_file(place.path(&soft));
                let _ = std::fs::remove_file(place.path(&hard));
                #[cfg(unix)]
                std::os::unix::fs::symlink(place.path(input), place.path(&soft)).unwrap();
                std::fs::hard_link(place.path(input), place.path(&hard)).unwrap();
                names.extend([soft, hard]);
            }
            for name in names {
                // A name that the command cannot write to is refused for that reason.
                place.refused(&line.replace("OUT", &name), &[2], "");
            }
            let message = "is an input file, and the result would overwrite it";
            if !line.starts_with("distance") && !line.starts_with("run") {
                place.refused(&line.replace("OUT", input), &[2], message);
            }
        }
    }
}

#[test]
fn a_companion_of_another_program_is_kept_and_not_adopted() {
    let place = Place::prepared();
    place.put("b.sol", "mine");
    let ours = "exists, and this command did not create it";
    for line in [
        "convert ball.vtp b.mesh",
        "convert mesh.mesh b.mesh",
        "generate square --cells 6,6 -o b.mesh",
        "isosurface volume.mhd --level 9 -o b.mesh",
        "reconstruct ball.vtp -o b.mesh",
    ] {
        place.refused(line, &[6], ours);
    }
    let distance = "distance mesh.mesh --from vertex:0 --path-from vertex:9 -o d.vtp";
    place.put("d_paths.vtp", "mine");
    place.refused(distance, &[6], ours);
    place.put("d.vtp", "old");
    place.refused(distance, &[6], ours);
    assert!(place.run(&format!("{distance} --paths d_paths.vtp")).status.success());
    // The same command gives the same paths, so the file need not be replaced.
    assert!(place.run(distance).status.success());
    place.refused(&distance.replace("vertex:9", "vertex:10"), &[6], ours);
    place.refused("convert mesh.mesh mesh.sol", &[2], "mesh.sol: is an input file");
    // If the mesh file exists next to the solution file, the contents decide.
    place.put("b.mesh", "old");
    place.refused("convert mesh.mesh b.mesh", &[6], ours);
    place.refused("generate square --cells 6,6 -o b.mesh", &[6], ours);
    std::fs::remove_file(place.path("b.sol")).unwrap();
    for _ in 0..2 {
        assert!(place.run("convert mesh.mesh b.mesh").status.success());
        assert!(place.path("b.sol").exists());
    }
}

/// On file systems that ignore case, such names denote the same file.
#[test]
fn two_results_do_not_differ_in_case_alone() {
    let place = Place::prepared();
    for line in [
        "isosurface volume.mhd --level 9 -o s.ply --report S.PLY",
        "reconstruct ball.vtp -o s.ply --report ./s.ply",
        "distance mesh.mesh --from vertex:0 --path-from vertex:9 -o d.vtp --paths D.vtp",
        "distance mesh.mesh --from vertex:0 -o d_paths.vtp --path-from vertex:9 --paths D_PATHS.vtp",
    ] {
        place.refused(line, &[2], "is the path of two results");
    }
}

#[cfg(unix)]
#[test]
fn a_dangling_link_stays_a_link() {
    let place = Place::prepared();
    std::os::unix::fs::symlink("far.vtu", place.path("link.vtu")).unwrap();
    assert!(place.run("convert mesh.mesh link.vtu").status.success());
    assert_eq!(std::fs::read_link(place.path("link.vtu")).unwrap(), Path::new("far.vtu"));
    assert!(place.path("far.vtu").is_file());
    std::fs::create_dir(place.path("out")).unwrap();
    std::os::unix::fs::symlink("none.vtp", place.path("out/case.pvd")).unwrap();
    for more in ["", " --overwrite"] {
        place.refused(&format!("run case.toml -o out{more}"), &[6], "case.pvd: exists");
    }
}

/// Every file name that a run may write is tried as the name of an existing user file.
#[test]
fn a_run_replaces_no_file_that_no_run_wrote() {
    let set = " --set output.interface_files=[\"stl\",\"obj\"] --set output.gifti=true \
               --set output.freesurfer=true --set output.html=true --set output.picture={}";
    for name in [
        "case.pvd",
        "case_000000.vtp",
        "case_000001.vtu",
        "case_1000000.vtp",
        "case_000001.shape.gii",
        "case_000001.morph",
        "case.png",
        "interface.pvd",
        "interface_000000.vtp",
        "interface_000001.stl",
        "interface_000001.obj",
        "measures.csv",
        "report.json",
        "report.html",
        "case_view.html",
        "checkpoint.zeroset",
        "zeroset.lock",
        ".zeroset-files",
    ] {
        let place = Place::prepared();
        place.put(name, "the user's own file, which is longer than the number of a process");
        for more in ["", " --overwrite"] {
            place.refused(&format!("run case.toml -o .{set}{more}"), &[6], "");
        }
    }
    let place = Place::prepared();
    place.put("case.vtkhdf", "mine");
    for more in ["", " --overwrite"] {
        let line = format!("run case.toml -o . --set output.format=vtkhdf{more}");
        place.refused(&line, &[6], "case.vtkhdf: exists");
    }
    assert!(place.run("run case.toml -o .").status.success());
    assert_eq!(std::fs::read_to_string(place.path("case.vtkhdf")).unwrap(), "mine");
}

#[test]
fn a_run_replaces_none_of_its_inputs() {
    let place = Place::prepared();
    std::fs::create_dir(place.path("out")).unwrap();
    std::fs::copy(place.path("ball.vtp"), place.path("out/case_000100.vtp")).unwrap();
    let reads = "domain.mesh.path=\"out/case_000100.vtp\"";
    for command in ["run", "check", "run --overwrite", "check --overwrite"] {
        let line = format!("{command} case.toml -o out --set {reads}");
        place.refused(&line, &[6], "case_000100.vtp: is an input of this run");
    }
    std::fs::copy(place.path("case.toml"), place.path("case.png")).unwrap();
    for command in
        ["run case.png -o new --picture case.png", "run case.toml -o new --picture case.toml"]
    {
        place.refused(command, &[2], "");
    }
    place.refused("run case.png -o new --picture ./case.png", &[2], "is an input file");
}

/// `--overwrite` removes what the list of the earlier run contains, and nothing else.
#[test]
fn overwrite_removes_only_what_the_list_contains() {
    let place = Place::prepared();
    assert!(place.run("run case.toml -o .").status.success());
    for (name, text) in [
        (
            "other.pvd",
            "<VTKFile><Collection><DataSet timestep=\"0\" file=\"other_000000.vtp\"/></Collection></VTKFile>",
        ),
        ("other_000000.vtp", "mine"),
        ("interface_000777.stl", "mine"),
        (".zeroset-case_000001.vtp-zzzzzz.part", "of another command"),
    ] {
        place.put(name, text);
    }
    let before = place.files();
    let again = "run case.toml -o . --overwrite --set initial.ball.radius=0.2";
    assert!(place.run(again).status.success());
    let after = place.files();
    for name in ["other.pvd", "other_000000.vtp", "interface_000777.stl", "mesh.mesh", "mesh.sol"] {
        let path = place.path(name).display().to_string();
        let path = before.keys().find(|other| Path::new(other) == Path::new(&path)).unwrap();
        assert_eq!(after.get(path), before.get(path), "{name}");
    }
    // A file that the user has changed since then is kept, and so are all others.
    place.put("case_000001.vtp", "changed");
    place.refused(again, &[6], "case_000001.vtp: has changed since the earlier run wrote it");
    std::fs::remove_file(place.path("case_000001.vtp")).unwrap();
    assert!(place.run(again).status.success());
    // Results of older versions have no list.
    let report = std::fs::read_to_string(place.path("report.json")).unwrap();
    let mut report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report.as_object_mut().unwrap().remove("files").is_some());
    place.put("report.json", &report.to_string());
    place.refused(again, &[6], "holds results without a list of their files");
}
