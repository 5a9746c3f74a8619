//! Passes the bytes to the target `gzip` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("gzip");
