//! The CUDA sources of zeroset, as strings, without their comments.
//!
//! Every `.cu` and `.cuh` file below this folder is part of the crate, except those of `bench/`.
//! `zeroset-gpu` compiles them at run time. Nothing here needs a GPU or a CUDA toolkit.
//!
//! This crate is the lowest layer and depends on no other, which the compiler enforces:
//!
//! ```compile_fail,E0432
//! use zeroset_gpu::Cuda; // a higher layer
//! ```

/// The name of a file relative to this folder, with `/` between folders, and its text.
pub type File = (&'static str, &'static str);

/// All files, sorted by name. A static, because each use of a constant may copy the texts into the
/// program.
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The folder of the files at compile time. Tests compare and write headers there.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the headers, with the names that `#include` uses.
pub fn headers() -> impl Iterator<Item = File> {
    FILES.iter().copied().filter(|(name, _)| name.ends_with(".cuh"))
}

/// Returns the programs: files with kernels.
pub fn programs() -> impl Iterator<Item = File> {
    FILES.iter().copied().filter(|(name, _)| name.ends_with(".cu"))
}

/// Returns the name and the text of the program `<stem>.cu`, if it exists.
pub fn program(stem: &str) -> Option<File> {
    programs().find(|(name, _)| name.strip_suffix(".cu") == Some(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_headers_are_found_by_name() {
        let (name, text) = program("primitives/scan").unwrap();
        assert_eq!(name, "primitives/scan.cu");
        assert!(text.contains("__global__"));
        assert!(program("primitives/no_such").is_none());
        assert!(headers().any(|(name, _)| name == "common/real.cuh"));
    }

    #[test]
    fn comments_are_left_out_and_lines_stay_where_they_are() {
        for (name, text) in FILES {
            let path = std::path::Path::new(FOLDER).join(name);
            let source = std::fs::read_to_string(path).unwrap();
            assert_eq!(source.lines().count(), text.lines().count(), "{name}");
            let is_first = |line: &&str| line.starts_with("//");
            let begin = text.lines().take_while(is_first).count();
            for (line, kept) in source.lines().zip(text.lines()).skip(begin) {
                let is_comment = line.trim_start().starts_with("//");
                assert_eq!(kept, if is_comment { "" } else { line }, "{name}");
            }
        }
        let (_, text) = program("primitives/reduce").unwrap();
        assert!(text.starts_with("//\n") && text.contains("//variants:"));
    }

    #[test]
    fn kernels_of_benches_are_left_out() {
        assert!(FILES.iter().all(|(name, _)| !name.starts_with("bench/")));
    }
}
