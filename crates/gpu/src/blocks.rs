//! Sizes of thread blocks and of their work items, shared between host code and kernels.

zeroset_gpu::cuda_header! {
    "blocks";

    /// The number of threads per warp.
    pub const WARP: usize = 32;
    /// The number of threads per block, unless a kernel states a different number.
    pub define DEFAULT_BLOCK: u32 = 256;

    /// The number of values that a block of the scan sums.
    pub const SCAN_TILE: usize = 8192;
    /// The number of bytes of values that a block of a reduction combines.
    pub const REDUCE_BYTES: usize = 256 * 8 * 16;
    /// The number of items that a block searches for runs of equal items.
    pub const UNIQUE_ITEMS: usize = 256 * 8;
    /// The number of byte flags that a block compacts per round.
    pub const COMPACT_ROUND: usize = 8192;
    /// The number of compaction rounds per batch.
    pub const COMPACT_BATCH: usize = 4;
    /// The number of 32-bit words of flags that a block compacts.
    pub const COMPACT_WORDS: usize = 8192;

    /// The number of threads per block of the sort.
    pub define SORT_BLOCK: u32 = 512;
    /// The number of 32-bit keys that a block sorts.
    pub const SORT_TILE_U32: usize = 7168;
    /// The number of 64-bit keys that a block sorts.
    pub const SORT_TILE_U64: usize = 4096;
}
