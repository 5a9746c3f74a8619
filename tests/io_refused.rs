//! Tests that almost valid files are refused instead of misread. Each message states what is wrong
//! and what to do.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

const OFF: &str = "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn zeroset(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn packed(text: &str) -> Vec<u8> {
    let mut stream = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    stream.write_all(text.as_bytes()).unwrap();
    stream.finish().unwrap()
}

#[test]
fn what_is_almost_right_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let utf16 = |text: &str| -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let files: [(&str, Vec<u8>, &str); 12] = [
        ("empty.csv", b"1,,3\n4,5,6\n".into(), "column 2, found nothing"),
        ("last.csv", b"1,2\n3,\n".into(), "column 2, found nothing"),
        ("decimal.csv", b"1,5;2,5\n3,5;4,5\n".into(), "as in 1.5"),
        ("behind.off.gz", [packed(OFF), b"junkjunk".to_vec()].concat(), "8 bytes after the gzip"),
        ("wide.obj", utf16("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "UTF-16"),
        ("packed.ply", b"\xfd7zXZ\0rest".into(), "decompress it"),
        ("pointer.ply", b"version https://git-lfs.github.com/spec/v1\n".into(), "git lfs pull"),
        ("many.off", b"OFF 4294967296 1 0\n0 0 0\n".into(), "correct the count"),
        ("below.nrrd", b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: -1 2 2\nencoding: raw\n\nabcd".into(), "positive whole numbers"),
        ("alone.mhd", b"ObjectType = Image\nNDims = 3\nDimSize = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = away.raw\n".into(), "put the file beside the header"),
        ("wide.toml", utf16("version = 1\n"), "UTF-8"),
        ("path.toml", b"version = 1\n[domain.mesh]\npath = \"\"\n[distance]\nfrom = [\"vertex:0\"]\n".into(), "name a file"),
    ];
    for (name, bytes, expected) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let command = if name.ends_with(".toml") { "check" } else { "info" };
        let output = zeroset(folder.path(), &[command, name]);
        let found = said(&output);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{name}: {found}");
        assert!(found.contains(expected) && found.contains(name), "{name}: {found}");
    }
}

/// The trailing zeros of a padded file, and concatenated streams, are valid.
#[test]
fn streams_in_a_row_are_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let (head, tail) = OFF.split_at(20);
    std::fs::write(folder.path().join("two.off.gz"), [packed(head), packed(tail)].concat())
        .unwrap();
    let output = zeroset(folder.path(), &["info", "two.off.gz"]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn names_of_data_and_of_volumes_hold_no_surface() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.off"), OFF).unwrap();
    for (target, expected) in [
        ("a.shape.gii", ".surf.gii"),
        ("a.label.gii", ".surf.gii"),
        ("a.nrd", "did you mean .nrrd"),
    ] {
        let output = zeroset(folder.path(), &["convert", "a.off", target]);
        assert_eq!(output.status.code(), Some(2), "{target}");
        assert!(said(&output).contains(expected), "{target}: {}", said(&output));
        assert!(!folder.path().join(target).exists());
    }
}

#[test]
fn arrays_with_numbers_that_are_none_are_told_about() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "1\nnan\n3\ninf\n").unwrap();
    let output = zeroset(folder.path(), &["info", "a.txt"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1 .. 3, 2 not finite"), "{text}");
    let output = zeroset(folder.path(), &["info", "--json", "a.txt"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["arrays"][0]["not_finite"], 2, "{json}");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_not_read_and_help_that_cannot_be_printed_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = zeroset(folder.path(), &["info", "/dev/zero"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("is a device"), "{}", said(&output));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let status = command.arg("--help").stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(6));
}
