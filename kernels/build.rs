//! Lists the CUDA sources of this folder, so that a new file becomes part of the crate
//! automatically, and omits their comments, which are a third of the text.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets this variable"));
    let mut files = Vec::new();
    list(&root, &mut files);
    files.sort();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets this variable"));
    let mut text = String::from("&[\n");
    for (k, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&root).expect("below the root");
        let name = name.to_str().expect("names of kernels are ASCII").replace('\\', "/");
        let source = fs::read_to_string(file).expect("kernels are UTF-8");
        let kept = out.join(format!("{k}.cu"));
        fs::write(&kept, without_comments(&source)).expect("OUT_DIR can be written");
        writeln!(text, "    ({name:?}, include_str!({kept:?})),")
            .expect("writing to a string cannot fail");
    }
    text.push_str("]\n");
    fs::write(out.join("files.rs"), text).expect("OUT_DIR can be written");
}

/// Returns the source without the lines that are comments. They become empty, so that messages of
/// the compiler state the lines of the file. The first comment of a file keeps what states how the
/// file is compiled.
fn without_comments(source: &str) -> String {
    let mut is_first = true;
    let mut text = String::with_capacity(source.len());
    for line in source.lines() {
        is_first &= line.starts_with("//");
        let comment = line.trim_start().strip_prefix("//");
        match comment {
            None => text.push_str(line),
            Some(words) if is_first => {
                text.push_str("//");
                let words = words.trim();
                if KEPT.iter().any(|start| words.starts_with(start)) {
                    text.push_str(words);
                }
            }
            Some(_) => {}
        }
        text.push('\n');
    }
    text
}

/// The starts of the lines of a first comment that `crates/gpu/src/header.rs` reads.
const KEPT: [&str; 4] = ["variants:", "|", "generated:", "fused:"];

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
