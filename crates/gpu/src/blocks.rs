//! Sizes of blocks, and of what a block works on, which program and kernels share.

zeroset_gpu::cuda_header! {
    "blocks";

    /// Threads of a warp.
    pub const WARP: usize = 32;
    /// Threads of a block where a kernel says no other number.
    pub define DEFAULT_BLOCK: u32 = 256;

    /// Values that a block of the scan adds up.
    pub const SCAN_TILE: usize = 8192;
    /// Bytes of the values that a block of a reduction joins.
    pub const REDUCE_BYTES: usize = 256 * 8 * 16;
    /// Items that a block looks at for runs of equal ones.
    pub const UNIQUE_ITEMS: usize = 256 * 8;
    /// Flags that a block compacts in a round, of bytes.
    pub const COMPACT_ROUND: usize = 8192;
    /// Rounds of compaction that come at a time.
    pub const COMPACT_BATCH: usize = 4;
    /// Words of bits that a block compacts.
    pub const COMPACT_WORDS: usize = 8192;

    /// Threads of a block that sorts.
    pub define SORT_BLOCK: u32 = 512;
    /// Keys of 32 bits that a block sorts.
    pub const SORT_TILE_U32: usize = 7168;
    /// Keys of 64 bits that a block sorts.
    pub const SORT_TILE_U64: usize = 4096;
}
