//! The CUDA sources of zeroset, as strings.
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
    fn kernels_of_benches_are_left_out() {
        assert!(FILES.iter().all(|(name, _)| !name.starts_with("bench/")));
    }
}
