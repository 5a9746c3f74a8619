//! Inputs that the fuzz targets have found (docs/fuzzing.md): what they broke stays mended.
//!
//! `tests/data/fuzz/TARGET/` holds them. A target is `case`, `expression`, or the name of a file with
//! the ending of a format.

#[path = "support/fuzzed.rs"]
mod fuzzed;
#[path = "support/sound.rs"]
mod sound;

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
            let bytes = std::fs::read(&input).unwrap();
            match name.as_str() {
                "case" => fuzzed::case(&bytes),
                "expression" => fuzzed::expression(&bytes),
                name => fuzzed::file(&bytes, name),
            }
            tried += 1;
        }
    }
    assert!(tried > 0, "no inputs");
}

/// A few of every kind by hand, so that what is shared with the targets is itself tried.
#[test]
fn what_must_hold_for_any_bytes_holds_for_these() {
    for text in ["1/x", "{a b}*t", "if(x<0,log(x),0)", "2*", "", "\u{e9}", "((((", "-x^-2"] {
        fuzzed::expression(text.as_bytes());
        fuzzed::case(format!("version = 1\n[initial]\nexpression = \"{text}\"\n").as_bytes());
    }
    let meshes =
        ["a.msh", "a.vtu", "a.ply", "a.off", "a.obj", "a.stl", "a.gii", "lh.pial", "a.xyz"];
    let volumes = ["a.nii", "a.nrrd", "a.mha", "a.npy", "a.vti", "a.png", "a.tif", "a.pgm"];
    for name in meshes.into_iter().chain(volumes) {
        for bytes in [&b""[..], b"\0\0\0", b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", b"ply\n"] {
            fuzzed::file(bytes, name);
        }
    }
}
