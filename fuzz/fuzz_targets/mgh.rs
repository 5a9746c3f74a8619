//! Passes the bytes to the target `mgh` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("mgh");
