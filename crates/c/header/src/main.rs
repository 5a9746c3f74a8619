//! Generates `include/zeroset.h` from the sources of zeroset-c, or checks with `--check` that it is
//! current.

use std::error::Error;
use std::fs::{read_to_string, write};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))?;
    let builder = cbindgen::Builder::new().with_config(config);
    let mut header = Vec::new();
    builder.with_src(folder.join("../src/lib.rs")).generate()?.write(&mut header);
    let header = without_safety(&String::from_utf8(header)?);
    let path = folder.join("../include/zeroset.h");
    if !std::env::args().any(|word| word == "--check") {
        write(path, header)?;
    } else if read_to_string(path)? != header {
        return Err("include/zeroset.h is not current: run this program without --check".into());
    }
    Ok(())
}

/// Removes the sections on safety at the end of comments. They repeat for Rust what the text before
/// them says.
fn without_safety(header: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_safety = false;
    for line in header.lines() {
        let line = line.trim_end();
        let is_comment = line.trim_start().starts_with("//");
        is_safety = is_comment && (is_safety || line == "// # Safety");
        match (is_safety, kept.last()) {
            (true, Some(&"//")) => drop(kept.pop()),
            (true, _) => {}
            (false, _) => kept.push(line),
        }
    }
    kept.join("\n") + "\n"
}
