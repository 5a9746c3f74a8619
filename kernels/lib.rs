//! The CUDA sources of zeroset, as texts.
//!
//! Every file `.cu` or `.cuh` below this folder is part of the crate, except those of `bench/`.
//! `zeroset-gpu` compiles them at run time; nothing here needs a GPU or a toolkit.
//!
//! It is the lowest layer, and the compiler keeps it so:
//!
//! ```compile_fail,E0432
//! use zeroset_gpu::Cuda; // a higher layer
//! ```

/// Name of a file relative to this folder, with `/` between folders, and its text.
pub type File = (&'static str, &'static str);

/// All files, sorted by name.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The folder of the files where the crate was compiled: tests compare and write headers there.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// The headers, by the name that `#include` gives them.
pub fn headers() -> impl Iterator<Item = File> {
    FILES.iter().copied().filter(|(name, _)| name.ends_with(".cuh"))
}

/// The programs: files with kernels.
pub fn programs() -> impl Iterator<Item = File> {
    FILES.iter().copied().filter(|(name, _)| name.ends_with(".cu"))
}

/// Name and text of the program `<stem>.cu`, if there is one.
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
