//! Passes the bytes to the target `checkpoint` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("checkpoint");
