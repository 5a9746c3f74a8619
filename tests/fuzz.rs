//! Tests inputs that the fuzz targets have found (docs/fuzzing.md), so that fixed errors do not
//! come back.
//!
//! The inputs are in `tests/data/fuzz/TARGET/`.

#[path = "support/fuzzed.rs"]
mod fuzzed;

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn inputs_that_were_found_once_do_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz");
    let mut tried = 0;
    for target in std::fs::read_dir(folder).unwrap() {
        let target = target.unwrap().path();
        let name = target.file_name().unwrap().to_str().unwrap().to_string();
        for input in std::fs::read_dir(&target).unwrap() {
            let input = input.unwrap().path();
            println!("{}", input.display());
            fuzzed::target(&name, &std::fs::read(&input).unwrap());
            tried += 1;
        }
    }
    assert!(tried > 0, "no inputs");
}

/// A few handwritten inputs of every kind, which test the code shared with the targets.
#[test]
fn what_must_hold_for_any_bytes_holds_for_these() {
    for text in ["1/x", "{a b}*t", "if(x<0,log(x),0)", "2*", "", "\u{e9}", "((((", "-x^-2"] {
        fuzzed::target("expression", text.as_bytes());
        let case = format!("version = 1\n[initial]\nexpression = \"{text}\"\n");
        fuzzed::target("case", case.as_bytes());
    }
    for name in fuzzed::names() {
        for bytes in [
            &b""[..],
            b"\0\0\0",
            b"\x03\x1c\x1c\x1c\x1c",
            b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
            b"ply\n",
            b"1 2\n0 0 0\x1c1\n",
        ] {
            fuzzed::target(name, bytes);
        }
    }
}

/// Every target has its own program, and every seed belongs to a target.
#[test]
fn targets_and_seeds_are_known() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    if !fuzz.is_dir() {
        // The package does not contain the fuzz targets.
        return;
    }
    let stems = |folder: &str| -> BTreeSet<String> {
        let entries = std::fs::read_dir(fuzz.join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect()
    };
    let known: BTreeSet<String> = fuzzed::names().map(String::from).collect();
    assert_eq!(stems("fuzz_targets"), known);
    assert!(stems("seeds").is_subset(&known));
    let listed = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for name in &known {
        assert!(listed.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}
