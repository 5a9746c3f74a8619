//! Compilation units of the kernels in `kernels/bench/`, which are not part of the program.
//! `tests/devices/` also compiles them.

use std::borrow::Cow;

use zeroset::gpu::Unit;

/// Threads per block of the copy kernel.
pub const COPY_BLOCK: u32 = 256;

/// Returns the compilation unit of the kernel that copies an array.
pub fn copy() -> Unit {
    let source = include_str!("../../kernels/bench/copy.cu");
    unit("bench/copy", source, vec![("BLOCK", COPY_BLOCK.to_string())])
}

/// Threads per block of the lookup kernels.
pub const LOOKUP_BLOCK: u32 = 256;

/// Returns the compilation unit of the kernels that find the neighbors of tiles in three ways.
pub fn lookup() -> Unit {
    let source = include_str!("../../kernels/bench/lookup.cu");
    let defines = [("BLOCK_THREADS", LOOKUP_BLOCK), ("TILE_EDGE", 4)];
    let defines = defines.map(|(name, value)| (name, value.to_string()));
    unit("bench/lookup", source, defines.to_vec())
}

/// Returns the compilation unit of the kernel that takes a step with atomic additions.
///
/// `patches` holds the macro definitions for the patches. `block` is the number of threads per
/// block. `min_blocks` is the number of blocks that must fit on a multiprocessor. `bytes` is the
/// size of the argument struct.
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
