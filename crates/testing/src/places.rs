//! Where the checkout and the program are, also for a test executable that was built elsewhere.

use std::path::{Path, PathBuf};

/// The checkout that the tests were built in.
fn built_in() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).expect("this crate is in a folder of the workspace")
}

/// The checkout: the one the test was built in, or the current folder where there is none.
pub fn root() -> PathBuf {
    let built_in = built_in();
    if built_in.is_dir() { built_in.to_path_buf() } else { std::env::current_dir().unwrap() }
}

/// The program from where cargo put it, or else from beside the test executable, its folder, or the
/// same place in the checkout.
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
