#![no_main]
zeroset_fuzz::target!("las");
