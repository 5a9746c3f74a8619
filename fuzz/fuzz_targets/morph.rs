#![no_main]
zeroset_fuzz::reads!("lh.curv");
