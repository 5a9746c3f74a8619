//! Passes the bytes to the target `e57` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("e57");
