#![no_main]
zeroset_fuzz::reads!("lh.pial");
