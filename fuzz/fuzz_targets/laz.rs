#![no_main]
zeroset_fuzz::target!("laz");
