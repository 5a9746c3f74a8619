//! Patches that share a cell, on the GPU.

use crate::error::Result;
use crate::gpu::{Array, Cuda};
use crate::patches::Patches;

/// Neighbors of every patch.
pub(super) struct Neighbors {
    offsets: Array<u32>,
    patches: Array<u32>,
}

impl Neighbors {
    /// Copies them to the GPU.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn new(cuda: &Cuda, patches: &Patches) -> Result<Self> {
        let mut offsets = vec![0u32];
        let mut all: Vec<u32> = Vec::new();
        for p in 0..patches.len() {
            all.extend(patches.neighbors(p));
            offsets.push(all.len() as u32);
        }
        // A single patch has none, and an array has something in it.
        Ok(Neighbors { offsets: cuda.upload(&offsets)?, patches: cuda.upload(&all)? })
    }

    /// Bytes on the GPU.
    pub fn bytes(patches: &Patches) -> usize {
        let n: usize = (0..patches.len()).map(|p| patches.neighbors(p).len()).sum();
        4 * (n + patches.len() + 1)
    }

    /// Addresses of the offsets, `[n_patches + 1]`, and of the patches.
    pub fn addresses(&self) -> (u64, u64) {
        (self.offsets.address(), self.patches.address())
    }
}
