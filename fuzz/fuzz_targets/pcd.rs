//! Passes the bytes to the target `pcd` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("pcd");
