//! The neighbors of each patch (patches that share a cell with it) on the GPU.

use crate::error::Result;
use crate::gpu::{Array, Cuda};
use crate::patches::Patches;

/// The neighbors of all patches.
pub(super) struct Neighbors {
    offsets: Array<u32>,
    patches: Array<u32>,
}

impl Neighbors {
    /// Copies the neighbors to the GPU.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory.
    pub fn new(cuda: &Cuda, patches: &Patches) -> Result<Self> {
        let mut offsets = vec![0u32];
        let mut all: Vec<u32> = Vec::new();
        for p in 0..patches.len() {
            all.extend(patches.neighbors(p));
            offsets.push(all.len() as u32);
        }
        // A single patch has no neighbors, but the uploaded array must still have an address.
        Ok(Neighbors { offsets: cuda.upload(&offsets)?, patches: cuda.upload(&all)? })
    }

    /// Returns the number of bytes that the neighbors take on the GPU.
    pub fn bytes(patches: &Patches) -> usize {
        let n: usize = (0..patches.len()).map(|p| patches.neighbors(p).len()).sum();
        4 * (n + patches.len() + 1)
    }

    /// Returns the addresses of the offsets, `[n_patches + 1]`, and of the neighbors.
    pub fn addresses(&self) -> (u64, u64) {
        (self.offsets.address(), self.patches.address())
    }
}
