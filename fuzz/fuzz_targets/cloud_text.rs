#![no_main]
zeroset_fuzz::target!("cloud_text");
