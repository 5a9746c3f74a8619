//! Passes the bytes to the target `vtk` of tests/support/fuzzed.rs, which holds the checks.
#![no_main]
zeroset_fuzz::target!("vtk");
