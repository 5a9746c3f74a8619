//! Tests that every malformed file of the shared test data gets the verdict stated in the README of
//! the data. The file is rejected with a one-line message that names the file and the position in
//! it, or accepted with a warning that contains a count. The program never panics. Its memory use
//! never depends on unchecked numbers in a header.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The verdict on a file in the table.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    /// The file is rejected with a message that contains this text.
    Reject(&'static str),
    /// The file is rejected, or accepted with a warning that contains a count.
    Choose,
    /// The file is valid. Another file of the table needs it.
    Partner,
}

const TABLE: [(&str, Verdict); 16] = [
    ("white_left_cut.gii.gz", Verdict::Reject("gzip stream ends early")),
    ("hippo1_vertex_count_high.ply", Verdict::Reject("6999 vertices of 48 bytes declared")),
    ("3holes_index_beyond.off", Verdict::Reject("refers to vertex 3596 of 3596")),
    ("sphere_nan.stl", Verdict::Reject("facet 10: coordinate x is NaN")),
    ("spot_missing_vertex.obj", Verdict::Reject("refers to vertex 99999")),
    ("nested_cubes_element_count.msh", Verdict::Reject("$EndElements found where element 760")),
    ("component8_cut_v41bin.msh", Verdict::Reject("2489 elements in a block declared")),
    ("sphere334_beyond.ele", Verdict::Reject("")),
    ("sphere334_beyond.node", Verdict::Partner),
    ("escher_points_short.vtk", Verdict::Reject("'CELLS'")),
    ("avg152_half.nii.gz", Verdict::Reject("91 x 109 x 91 voxels of uint8 need")),
    ("lh.pial", Verdict::Reject("FF FF FE of a FreeSurfer surface expected")),
    ("lh.curv_short", Verdict::Reject("163842 values of 4 bytes declared")),
    ("empty.ply", Verdict::Reject("file is empty")),
    ("knot2_three_on_an_edge.off", Verdict::Choose),
    ("octopus_inverted_and_flat.mesh", Verdict::Choose),
];

/// The limit of the address space in KiB. It is far above what any of these files needs, and far
/// below what some of their headers request.
const MEMORY: &str = "1500000";

/// Runs the program with limited memory and time. Returns the exit code and standard error.
fn zeroset(arguments: &str, file: &Path) -> (i32, String) {
    let script = format!("ulimit -v {MEMORY}; exec \"$ZEROSET\" {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("FILE", file);
    let start = Instant::now();
    let output = command.env("ZEROSET", env!("CARGO_BIN_EXE_zeroset")).output().unwrap();
    // A release build needs at most a second.
    assert!(start.elapsed() < Duration::from_secs(10), "{}: too long", file.display());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("panic"), "{}: {said}", file.display());
    (output.status.code().unwrap_or(-1), said)
}

fn assert_rejected(file: &Path, what: &str) {
    let (code, said) = zeroset("info -q \"$FILE\"", file);
    assert_eq!(code, 3, "{}: {said}", file.display());
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with(&format!("error: {}: ", file.display())), "{said}");
    assert!(said.contains(what), "`{what}` is not in: {said}");
}

#[test]
fn every_bad_file_gets_the_verdict_of_its_table() {
    let Some(folder) = zeroset_testing::data("bad") else { return };
    let out = tempfile::tempdir().unwrap();
    let mut rest: BTreeSet<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap().to_string();
        let row = TABLE.iter().find(|(known, _)| *known == name);
        let (known, verdict) = row.unwrap_or_else(|| panic!("{name} has no row in the table"));
        rest.remove(known);
        match verdict {
            Verdict::Reject(what) => assert_rejected(&file, what),
            Verdict::Partner => {
                let (code, said) = zeroset("info -q \"$FILE\"", &file);
                assert!(code == 0 || code == 3, "{name}: {said}");
            }
            Verdict::Choose => {
                let result = out.path().join("d.vtu");
                let command = format!(
                    "distance \"$FILE\" --from vertex:5 -o '{}' --threads 1",
                    result.display()
                );
                let (code, said) = zeroset(&command, &file);
                let counted =
                    said.contains("warning: ") && said.contains(|c: char| c.is_ascii_digit());
                assert!(code == 3 || code == 0 && counted, "{name}: code {code}: {said}");
            }
        }
    }
    assert!(rest.is_empty(), "not in the test data: {rest:?}");
}
