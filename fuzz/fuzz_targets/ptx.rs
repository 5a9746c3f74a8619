#![no_main]
zeroset_fuzz::target!("ptx");
