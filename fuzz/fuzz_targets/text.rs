//! Reads a point file as text, `a.xyz`.
#![no_main]
zeroset_fuzz::target!("text");
