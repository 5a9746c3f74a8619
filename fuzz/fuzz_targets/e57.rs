#![no_main]
zeroset_fuzz::target!("e57");
