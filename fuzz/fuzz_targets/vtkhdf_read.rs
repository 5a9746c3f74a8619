#![no_main]
zeroset_fuzz::target!("vtkhdf_read");
