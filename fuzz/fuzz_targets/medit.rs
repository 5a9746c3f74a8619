//! Passes the bytes to the target `medit` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("medit");
