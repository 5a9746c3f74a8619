//! Passes the bytes to the target `vtkhdf` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("vtkhdf");
