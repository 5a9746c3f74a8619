//! Lists the CUDA sources of this folder, so that a new file becomes part of the crate
//! automatically.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets this variable"));
    let mut files = Vec::new();
    list(&root, &mut files);
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("below the root");
        let name = name.to_str().expect("names of kernels are ASCII").replace('\\', "/");
        writeln!(text, "    ({name:?}, include_str!({file:?})),")
            .expect("writing to a string cannot fail");
    }
    text.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets this variable"));
    fs::write(out.join("files.rs"), text).expect("OUT_DIR can be written");
}

/// Adds the sources below `folder`, except those of the benchmarks.
fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() && !path.ends_with("bench") {
            list(&path, files);
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cuh") {
            files.push(path);
        }
    }
}
