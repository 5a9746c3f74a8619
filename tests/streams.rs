//! Tests the output streams of the program: with `-q` only results and errors are printed, and `-`
//! stands for standard input.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CASE: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [8, 8], min = [-1, -1], max = [1, 1] }
[initial]
ball = { center = [0, 0, 0], radius = 0.6 }
[evolve]
max_steps = 2
velocity = [0.5, 0, 0.5]
";

/// A circle that grows at unit speed.
const CIRCLE: &str = "\
version = 1
domain.mesh.generate.square = { cells = [8, 8], min = [-1, -1], max = [1, 1] }
initial.ball = { center = [0, 0, 0], radius = 0.4 }
evolve = { end_time = 0.1, normal_speed = 1.0 }
";

/// Runs the program in a folder.
fn zeroset(folder: &Path, arguments: &str, input: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(arguments.split_whitespace()).stdin(input);
    command.env("CUDA_VISIBLE_DEVICES", "").output().unwrap()
}

/// Creates a folder with a case, a surface, a point cloud, a volume and an image.
fn playground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("case.toml"), CASE).unwrap();
    std::fs::write(folder.path().join("circle.toml"), CIRCLE).unwrap();
    let disks = CIRCLE.replace("0.4", "{{radius}}");
    std::fs::write(folder.path().join("disks.toml"), disks).unwrap();
    std::fs::write(folder.path().join("radii.csv"), "radius\n0.3\n0.4\n").unwrap();
    std::fs::write(folder.path().join("gray.pgm"), "P2 2 2 255\n0 1 2 3\n").unwrap();
    for arguments in [
        "generate sphere --subdivisions 3 -o ball.vtp",
        "sample ball.vtp -n 2000 --normals -o cloud.ply",
        "voxelize ball.vtp --size 12 --margin 2 -o ball.nii",
        "distance ball.vtp --from vertex:0 -o distance.vtp",
    ] {
        let output = zeroset(folder.path(), arguments, Stdio::null());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    folder
}

/// Removes all digits and decimal points, because measured seconds differ.
fn without_numbers(text: &[u8]) -> String {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let words = text.split_inclusive(|c: char| !is_part(c));
    words
        .map(|word| if word.starts_with(is_part) { word.trim_start_matches(is_part) } else { word })
        .collect()
}

/// One command of each kind, and whether it prints anything besides its results.
const COMMANDS: [(&str, bool); 26] = [
    ("run case.toml -o out --overwrite", true),
    ("batch disks.toml --table radii.csv -o disks --overwrite", false),
    ("check case.toml", true),
    ("compare ball.vtp distance.vtp", false),
    ("converge circle.toml --levels 2 -o study --overwrite", true),
    ("distance ball.vtp --from point:0,0,1.01 -o d.vtp", true),
    ("dt ball.nii --where v --queries cloud.ply -o d.csv -v", false),
    ("edt ball.nii --where v -o d.nii", false),
    ("sdf ball.vtp --size 8 -o s.nii", true),
    ("generate square --cells 4 -o s.vtp", false),
    ("convert distance.vtp d.stl", true),
    ("render ball.nii --level 300 -o r.png", true),
    ("points gray.pgm --where v>9 -o p.csv", true),
    ("points gray.pgm --tree -o t.vtp", false),
    ("points gray.pgm --sparse -o m.mtx", false),
    ("isosurface ball.nii --level 0.5 -o i.ply --holes -v", true),
    ("reconstruct cloud.ply -o r.stl", true),
    ("voxelize ball.vtp --size 8 -o v.nii", true),
    ("sample ball.vtp -n 50 -o c.ply", false),
    ("schema", false),
    ("defaults", false),
    ("info gray.pgm", false),
    ("devices", false),
    ("completions fish", false),
    ("manual -o out --overwrite", false),
    ("view ball.vtp -o v.html", false),
];

#[test]
fn quiet_leaves_results_and_errors_of_every_command() {
    let folder = playground();
    for (arguments, says_more) in COMMANDS {
        let loud = zeroset(folder.path(), arguments, Stdio::null());
        let quiet = format!("{} -q", arguments.trim_end_matches(" -v"));
        let quiet = zeroset(folder.path(), &quiet, Stdio::null());
        assert_eq!(loud.status.code(), quiet.status.code(), "{arguments}: {quiet:?}");
        let said = String::from_utf8_lossy(&loud.stderr);
        assert_eq!(!said.is_empty(), says_more, "{arguments}: {said}");
        assert_eq!(String::from_utf8_lossy(&quiet.stderr), "", "{arguments}");
        let [loud, quiet] = [loud, quiet].map(|output| without_numbers(&output.stdout));
        assert!(!quiet.is_empty(), "{arguments}");
        assert_eq!(loud, quiet, "{arguments}");
    }
    let help = zeroset(folder.path(), "--help", Stdio::null()).stdout;
    let help = String::from_utf8(help).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let all: BTreeSet<&str> =
        names.filter_map(|line| line.split_whitespace().next()).filter(|n| *n != "help").collect();
    let tried = COMMANDS.map(|(line, _)| line.split(' ').next().unwrap());
    assert_eq!(all, BTreeSet::from(tried));
    let failed = zeroset(folder.path(), "info none.ply -q", Stdio::null());
    assert!(failed.stdout.is_empty() && failed.stderr.starts_with(b"error: none.ply: "));
}

/// Runs the program and passes it bytes on standard input, through a pipe.
#[cfg(unix)]
fn piped(folder: &Path, arguments: &str, bytes: &[u8]) -> Output {
    use std::io::Write;
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command.env("CUDA_VISIBLE_DEVICES", "");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses the bytes need not read all of them.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn what_the_program_writes_it_reads_through_a_pipe() {
    let folder = playground();
    let folder = folder.path();
    std::fs::write(folder.join("q.csv"), "1,2,0\n").unwrap();
    let points = zeroset(folder, "points gray.pgm --where v>0", Stdio::null()).stdout;
    assert!(points.starts_with(b"x,y,z,v,i,j,k\n"), "{}", String::from_utf8_lossy(&points));
    std::fs::write(folder.join("p.csv"), &points).unwrap();
    let none = b"x,y,z,v,i,j,k\n";
    let words = String::from_utf8(points.clone()).unwrap().replace(',', " ");
    let sampled = zeroset(folder, "sample ball.vtp -n 900 --normals -o c.csv", Stdio::null());
    assert_eq!(sampled.status.code(), Some(0), "{sampled:?}");
    let cloud = std::fs::read(folder.join("c.csv")).unwrap();
    for bytes in [points.as_slice(), words.as_bytes()] {
        let output = piped(folder, "dt --points - --queries q.csv -o d.csv", bytes);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let found = std::fs::read_to_string(folder.join("d.csv")).unwrap();
        zeroset(folder, "dt --points p.csv --queries q.csv -o e.csv", Stdio::null());
        assert_eq!(found, std::fs::read_to_string(folder.join("e.csv")).unwrap());
        let output = piped(folder, "info -", bytes);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        let named = zeroset(folder, "info p.csv", Stdio::null()).stdout;
        let named = String::from_utf8(named).unwrap();
        assert_eq!(said, named.replace("p.csv", "standard input"));
    }
    let output = piped(folder, "reconstruct - -o a.ply", &cloud);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for (bytes, found) in [
        (&none[..], "error: standard input: holds no numbers"),
        (b"hello", "error: standard input: unknown format, the content begins with \"hello\""),
        (b"x,y,z\n1,2,a\n", "error: standard input: unknown format"),
        (b"x,y,z\n1,2,3\n1,2,a\n", "error: standard input: line 3: a number expected"),
    ] {
        let output = piped(folder, "dt --points - --queries q.csv -o d.csv", bytes);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(found) && output.status.code() == Some(3), "{said}");
    }
}

/// Every command reads the points of a scanner in the same way, from a file or through a pipe, with
/// or without a count.
#[cfg(unix)]
#[test]
fn points_of_a_scanner_are_read_in_one_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = "0 0 0 -12 10 20 30\n1 0 0 7 11 21 31\n0 2 0 9 12 22 32\n";
    std::fs::write(folder.join("q.xyz"), "0 2 1\n").unwrap();
    for (text, points) in [
        (format!("3\n{rows}"), "3"),
        (rows.to_string(), "3"),
        (format!("4\n{rows}nan 0 0 1 1 2 3\n"), "3 of 4, 1 not finite dropped"),
    ] {
        std::fs::write(folder.join("scan.pts"), &text).unwrap();
        let named = zeroset(folder, "info scan.pts", Stdio::null());
        let said = String::from_utf8(named.stdout).unwrap();
        assert!(said.contains("text ascii") && !said.contains(" um"), "{said}");
        assert!(said.contains(points) && said.contains("r g b"), "{said}");
        let json = zeroset(folder, "info scan.pts --json", Stdio::null()).stdout;
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["format"], "text");
        let is_finite = !text.contains("nan");
        if text.starts_with(|c: char| c != '0') {
            let output = piped(folder, "info -", text.as_bytes());
            let by_pipe = String::from_utf8(output.stdout).unwrap();
            assert_eq!(by_pipe, said.replace("scan.pts", "standard input"));
        }
        let asked = "dt --points scan.pts --queries q.xyz -o d.csv";
        let output = zeroset(folder, asked, Stdio::null());
        assert_eq!(output.status.success(), is_finite, "{output:?}");
        if is_finite {
            let found = std::fs::read_to_string(folder.join("d.csv")).unwrap();
            assert_eq!(found, "x,y,z,distance,site\n0,2,1,1,2\n");
        }
    }
    // If there is an element file with the same name, the point file holds the vertices of a CARP
    // mesh.
    std::fs::write(folder.join("scan.elem"), "1\nTr 0 1 2 3\n").unwrap();
    std::fs::write(folder.join("scan.pts"), "3\n0 0 0\n1 0 0\n0 1 0\n").unwrap();
    let said = zeroset(folder, "info scan.pts", Stdio::null()).stdout;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("carp ascii, lengths in um"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_dash_is_standard_input_and_no_output() {
    let folder = playground();
    for (arguments, file) in [
        ("info -", "gray.pgm"),
        ("convert - a.ply", "ball.vtp"),
        ("distance - --from vertex:0 -o a.vtp", "ball.vtp"),
        ("reconstruct - -o a.ply", "cloud.ply"),
        ("edt - --where v -o a.nii", "ball.nii"),
        ("points gray.pgm --match - -o p.csv", "gray.pgm"),
    ] {
        // The input is a pipe, which can be read only once, and then a file.
        let mut cat = Command::new("cat");
        let cat = cat.arg(folder.path().join(file)).stdout(Stdio::piped());
        let mut cat = cat.spawn().unwrap();
        let pipe = Stdio::from(cat.stdout.take().unwrap());
        let file = std::fs::File::open(folder.path().join(file)).unwrap();
        for input in [pipe, file.into()] {
            let output = zeroset(folder.path(), arguments, input);
            assert_eq!(output.status.code(), Some(0), "{arguments}: {output:?}");
        }
        cat.wait().unwrap();
    }
    for arguments in
        ["convert ball.vtp -", "run -", "run case.toml -o -", "sample ball.vtp -n 9 -o -"]
    {
        let output = zeroset(folder.path(), arguments, Stdio::null());
        assert_eq!(output.status.code(), Some(2), "{arguments}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("invalid value '-'") && said.contains("; name "), "{said}");
    }
    assert!(!folder.path().join("-").exists());
}
