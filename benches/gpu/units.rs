//! The kernels of `kernels/bench/`, which are no part of the program; `tests/devices/` compiles them too.

use std::borrow::Cow;

use zeroset::gpu::Unit;

/// Threads of a block of the copy kernel.
pub const COPY_BLOCK: u32 = 256;

/// A copy of an array.
pub fn copy() -> Unit {
    let source = include_str!("../../kernels/bench/copy.cu");
    unit("bench/copy", source, vec![("BLOCK", COPY_BLOCK.to_string())])
}

/// Threads of a block of the look-ups.
pub const LOOKUP_BLOCK: u32 = 256;

/// Neighbors of tiles by three ways.
pub fn lookup() -> Unit {
    let source = include_str!("../../kernels/bench/lookup.cu");
    let defines = [("BLOCK_THREADS", LOOKUP_BLOCK), ("TILE_EDGE", 4)];
    let defines = defines.map(|(name, value)| (name, value.to_string()));
    unit("bench/lookup", source, defines.to_vec())
}

/// A step by atomic additions: for patches by their defines, with so many threads of a block and blocks that must fit a
/// multiprocessor, and the size of the struct of its arguments in bytes.
pub fn atomics(
    mut patches: Vec<(&'static str, String)>,
    [block, min_blocks]: [u32; 2],
    bytes: usize,
) -> Unit {
    patches.push(("BLOCK", block.to_string()));
    patches.push(("MIN_BLOCKS", min_blocks.to_string()));
    patches.push(("ATOMICS_BYTES", bytes.to_string()));
    unit("bench/atomics", include_str!("../../kernels/bench/atomics.cu"), patches)
}

fn unit(name: &'static str, source: &'static str, defines: Vec<(&'static str, String)>) -> Unit {
    Unit { name, source: Cow::Borrowed(source), defines, extra: Vec::new() }
}
