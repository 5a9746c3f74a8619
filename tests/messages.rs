//! Compares the error messages of the program word by word with `messages.txt`.
//!
//! Each block of that file is a command after `$`, its exit code and its message. With
//! `ZEROSET_BLESS=1`, the file is rewritten with the current messages.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const CASE: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [8, 8], min = [-1, -1], max = [1, 1] }
[initial]
ball = { center = [0, 0, 0], radius = 0.6 }
[evolve]
end_time = 0.02
curvature = 1.0
";

const DISTANCE: &str = "\
version = 1
[domain.mesh]
path = \"ball.vtp\"
[distance]
from = [\"vertex:0\"]
";

const FLAT: &str = "MeshVersionFormatted 2\nDimension 2\nVertices 3\n0 0 0\n1 0 0\n0 1 0\n\
                    Triangles 1\n1 2 3 0\nEnd\n";

/// Creates a folder with the files that the commands use.
fn playground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("case.toml", CASE.as_bytes());
    write("distance.toml", DISTANCE.as_bytes());
    write("typo.toml", CASE.replace("curvature", "curvture").as_bytes());
    write("cut.toml", &CASE.as_bytes()[..60]);
    write("caret.toml", CASE.replace("1.0", "\"2*sqrt(x) + sinn(y)\"").as_bytes());
    write("nan.toml", CASE.replace("1.0", "\"2 + sqrt(x)*y\"").as_bytes());
    write("empty.ply", b"");
    write("words.txt", b"these are only words\n");
    write(
        "short.ply",
        b"ply\nformat binary_little_endian 1.0\nelement vertex 1000000000\n\
        property float x\nproperty float y\nproperty float z\nend_header\n0123456789ab",
    );
    write(
        "short.pcd",
        b"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1000000000\nPOINTS 1000000000\n\
        DATA binary\n0123456789ab",
    );
    write("head.las", b"LASF and nothing more");
    write("nan.xyz", b"nan 0 0\n");
    write("ball.xyz", b"0 0 0\n0 0 1\n");
    write("beyond.off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n");
    write(
        "swapped.ply",
        b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\n\
        property float y\nproperty float z\nend_header\n\x3f\x80\x00\x00\x40\x00\x00\x00\x40\x40\x00\x00",
    );
    write(
        "two.toml",
        CASE.replace("[evolve]", "box = { min = [0, 0, 0], max = [1, 1, 1] }\n[evolve]").as_bytes(),
    );
    let tiles = CASE.replace("[domain.mesh]", "[domain.tiled]\ndx = 0.1\n#");
    write("tiles.toml", tiles.replace("#\ngenerate", "# generate").as_bytes());
    write("none.toml.txt", CASE.replace("ball = {", "# ball = {").as_bytes());
    write("flat.mesh", FLAT.as_bytes());
    write("flat.sol", b"MeshVersionFormatted 2\nDimension 2\nSolAtVertices 1\n1 1\n0.5\nEnd\n");
    write("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write("cut.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b]);
    write("slip.plly", b"no format at all\n");
    write("alone.ele", b"1 4 0\n1 1 2 3 4\n");
    write("octa.elem", b"1\nOc 0 1 2 3 4 5 1\n");
    write("octa.pts", b"2\n0 0 0\n1 0 0\n");
    write(
        "beyond.mesh",
        b"MeshVersionFormatted 2\nDimension 3\nVertices 1\n0 0 0 0\nEdges 1\n1 2 0\nEnd\n",
    );
    write("lh.aparc.annot", b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0");
    write("far.label", b"#!ascii label\n1\n99999 0 0 0 1\n");
    write("cut.label", b"#!ascii label\n3\n0 0 0 0 1\n");
    write("gray.pgm", b"P2 2 2 255\n0 1 2 3\n");
    write("above.pgm", b"P2 2 2 9\n0 1 30 40\n");
    let wide = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".encode_utf16().flat_map(u16::to_le_bytes);
    write("wide.obj", &wide.collect::<Vec<_>>());
    write("comma.csv", b"0,0;1,5;2,5\n1,0;2,5;3,5\n");
    write("words.csv", b"a b c\nd e f\n");
    write(
        "cut.pcd",
        b"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1000\nPOINTS 1000\n\
        DATA binary_compressed\n\x40\x1f\x00\x00\xe0\x2e\x00\x00\x00\x00\x00",
    );
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let ball = ["generate", "sphere", "--subdivisions", "2", "-o", "ball.vtp", "-q"];
    assert_eq!(zeroset(folder.path(), &ball.map(String::from)).0, 0);
    std::fs::copy(folder.path().join("ball.vtp"), folder.path().join("named.stl")).unwrap();
    let cloud = ["sample", "ball.vtp", "-n", "500", "-o", "cloud.ply", "--normals", "-q"];
    assert_eq!(zeroset(folder.path(), &cloud.map(String::from)).0, 0);
    folder
}

/// Runs the program. Returns the exit code and standard error.
fn zeroset(folder: &Path, arguments: &[String]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).unwrap())
}

/// Splits a line into words. Single quotes group words.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match (c, quoted) {
            ('\'', _) => quoted = !quoted,
            (' ', false) => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn messages_are_as_they_were_read_last() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.txt");
    let expected = std::fs::read_to_string(&place).unwrap();
    let folder = playground();
    let mut found = String::new();
    for line in expected.lines() {
        if line.starts_with('#') {
            writeln!(found, "{line}").unwrap();
        }
        let Some(command) = line.strip_prefix("$ zeroset ") else { continue };
        let (code, said) = zeroset(folder.path(), &words(command));
        write!(found, "\n{line}\ncode {code}\n{said}").unwrap();
    }
    if std::env::var_os("ZEROSET_BLESS").is_some() {
        return std::fs::write(&place, &found).unwrap();
    }
    for (k, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "messages.txt:{}", k + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
    assert!(expected.matches("\n$ ").count() > 30);
}

/// Every error message also says what to do or what is allowed.
#[test]
fn every_error_has_a_remedy() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.txt");
    let text = std::fs::read_to_string(place).unwrap();
    let mut errors = 0;
    for block in text.split("\n$ ").skip(1) {
        let mut lines = block.lines();
        let (command, code) = (lines.next().unwrap(), lines.next().unwrap());
        let said: String = lines.collect();
        // The command-line parser has its own format, with a tip or the usage. The message about
        // text that cannot be read states what was expected.
        let signs = ["; ", "tip: ", "Usage: ", "expected", "is not in "];
        let tells = signs.iter().any(|sign| said.contains(sign));
        assert!(code == "code 0" || tells, "{command}: {said}");
        errors += usize::from(code != "code 0");
    }
    assert!(errors > 30, "{errors}");
}
