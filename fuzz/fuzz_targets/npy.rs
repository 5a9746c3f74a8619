#![no_main]
zeroset_fuzz::reads!("a.npy");
