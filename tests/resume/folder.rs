//! Compares the folders of two runs.

use std::collections::BTreeMap;
use std::path::Path;

/// Returns the report without the measured time and speed.
fn timeless(report: &[u8]) -> Vec<u8> {
    let mut report: serde_json::Value = serde_json::from_slice(report).unwrap();
    let fields = report.as_object_mut().unwrap();
    for timing in ["seconds", "cell_updates_per_second"] {
        assert!(fields.remove(timing).is_some(), "{timing}");
    }
    // The hash of the page differs, because the page shows the measured time.
    report["files"].as_object_mut().unwrap().remove("report.html").unwrap();
    serde_json::to_vec_pretty(&report).unwrap()
}

/// Returns the page of a report without measured times and without the line that states the number
/// of threads.
fn timeless_page(page: &[u8]) -> Vec<u8> {
    let without = |page: &str, begin: &str, end: &str| {
        let (before, after) = page.split_once(begin).unwrap();
        [before, after.split_once(end).unwrap().1].concat()
    };
    let page = std::str::from_utf8(page).unwrap();
    let page = without(page, "<h2>Stages</h2>", "</table>");
    without(&page, "<td>backend</td>", "</tr>").into_bytes()
}

/// Returns the contents of all files by name. Measured times and speeds are removed from the
/// reports.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            let bytes = std::fs::read(&path).unwrap();
            let bytes = match name.as_str() {
                "report.json" => timeless(&bytes),
                "report.html" => timeless_page(&bytes),
                _ => bytes,
            };
            (name, bytes)
        })
        .collect()
}

/// Asserts that two folders have the same files with the same contents, except for measured times.
#[track_caller]
pub fn assert_same(found: &Path, expected: &Path, case: &str) {
    let (found, expected) = (files(found), files(expected));
    let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected), "{case}");
    assert!(expected.len() >= 6, "{case}: only {:?}", names(&expected));
    for (name, bytes) in &expected {
        if name == "report.json" {
            let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).unwrap();
            assert_eq!(text(&found[name]), text(bytes), "{case}");
        }
        assert!(found[name] == *bytes, "{case}: {name} differs");
    }
}
