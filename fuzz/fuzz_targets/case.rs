#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zeroset_fuzz::fuzzed::case(bytes));
