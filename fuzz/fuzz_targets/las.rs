//! Passes the bytes to the target `las` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("las");
