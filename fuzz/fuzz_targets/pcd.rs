#![no_main]
zeroset_fuzz::target!("pcd");
