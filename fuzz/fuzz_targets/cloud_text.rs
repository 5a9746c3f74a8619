//! Passes the bytes to the target `cloud_text` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("cloud_text");
