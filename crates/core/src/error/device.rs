//! What a device lacks.

/// Why a device cannot do what it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceFault {
    /// There is no such device, or no driver for it.
    Missing,
    /// Its memory is too small, or taken. In bytes, where they are known.
    Memory {
        /// Bytes that are needed.
        needed: Option<u64>,
        /// Bytes that are free.
        free: Option<u64>,
    },
    /// More than its indices, its launches or its other limits reach.
    Limit,
    /// The compiler of kernels is missing, or refuses a kernel.
    Compiler,
    /// It or its driver fails.
    Failed,
}

impl DeviceFault {
    /// Not enough memory: `needed` bytes, of which `free` are there.
    pub fn memory(needed: u64, free: u64) -> Self {
        DeviceFault::Memory { needed: Some(needed), free: Some(free) }
    }

    /// True where memory is what lacks.
    pub fn is_memory(&self) -> bool {
        matches!(self, DeviceFault::Memory { .. })
    }
}
