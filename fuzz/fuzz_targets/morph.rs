//! Passes the bytes to the target `morph` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("morph");
