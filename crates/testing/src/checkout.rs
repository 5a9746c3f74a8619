//! Locates the checkout and the program, even for test executables that were built elsewhere.

use std::path::{Path, PathBuf};

/// Returns the checkout in which the tests were built.
fn built_in() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).expect("this crate is in a folder of the workspace")
}

/// Returns the checkout in which the tests were built, or the current folder if that checkout no
/// longer exists.
pub fn root() -> PathBuf {
    let built_in = built_in();
    if built_in.is_dir() { built_in.to_path_buf() } else { std::env::current_dir().unwrap() }
}

/// Returns the path of the program. Tries, in this order, the path at which cargo built it, the
/// folder of the test executable, the parent of that folder, and the same relative path in the
/// checkout. Panics if the program is in none of these places.
pub fn program(built: &str) -> PathBuf {
    let built = Path::new(built);
    let test = std::env::current_exe().unwrap();
    let name = built.file_name().unwrap();
    let mut places = vec![built.to_path_buf()];
    places.extend(test.ancestors().skip(1).take(2).map(|folder| folder.join(name)));
    places.extend(built.strip_prefix(built_in()).map(|relative| root().join(relative)));
    let found = places.iter().find(|place| place.is_file());
    found.unwrap_or_else(|| panic!("no program at any of {places:?}")).clone()
}
