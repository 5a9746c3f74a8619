//! The code that the fuzz targets share with `tests/fuzz.rs`.

#[path = "../tests/support/fuzzed.rs"]
pub mod fuzzed;

/// Defines the fuzz target with this name.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zeroset_fuzz::fuzzed::target($name, bytes));
    };
}
