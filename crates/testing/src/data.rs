//! Locates the shared test data.

use std::path::PathBuf;

use crate::checkout::root;

/// Returns the path of a file in the shared test data. Returns `None` and prints a notice if the
/// file is missing.
///
/// The folder is `ZEROSET_DATA`, by default `../shared/data` next to the checkout. With
/// `ZEROSET_REQUIRE_DATA=1`, a missing file fails the test.
pub fn data(relative: &str) -> Option<PathBuf> {
    find("ZEROSET_DATA", "../shared/data", relative)
}

/// Returns the path of one of the small real-world inputs, or `None` with a notice if it is
/// missing.
///
/// The folder is `ZEROSET_FIELD`, by default `../shared/field` next to the checkout. With
/// `ZEROSET_REQUIRE_DATA=1`, a missing file fails the test.
pub fn field(relative: &str) -> Option<PathBuf> {
    find("ZEROSET_FIELD", "../shared/field", relative)
}

fn find(variable: &str, default: &str, relative: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable);
    let folder = folder.map_or_else(|| root().join(default), PathBuf::from);
    let path = folder.join(relative);
    if path.exists() {
        return Some(path);
    }
    let message = format!("TEST DATA MISSING: {} (set {variable})", path.display());
    assert!(std::env::var_os("ZEROSET_REQUIRE_DATA").is_none_or(|v| v != "1"), "{message}");
    eprintln!("{message}: test skipped");
    None
}
