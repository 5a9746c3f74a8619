//! Passes the bytes to the target `gifti_external` of tests/support/fuzzed.rs, which holds the
//! checks.
#![no_main]
zeroset_fuzz::target!("gifti_external");
