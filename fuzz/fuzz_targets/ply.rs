//! Passes the bytes to the target `ply` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("ply");
