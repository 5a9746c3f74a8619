//! The reasons why a device cannot be used.

/// The reason why a device cannot do what was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceFault {
    /// The device or its driver does not exist.
    Missing,
    /// The device does not have enough free memory.
    Memory {
        /// The number of bytes needed, if known.
        needed: Option<u64>,
        /// The number of bytes free, if known.
        free: Option<u64>,
    },
    /// The problem exceeds a limit of the device, such as the range of indices or the size of a
    /// kernel launch.
    Limit,
    /// The kernel compiler is missing, or it rejects a kernel.
    Compiler,
    /// The device or its driver reported a failure.
    Failed,
}

impl DeviceFault {
    /// Creates a memory fault from the number of bytes that are needed and the number that are
    /// free.
    pub fn memory(needed: u64, free: u64) -> Self {
        DeviceFault::Memory { needed: Some(needed), free: Some(free) }
    }

    /// Returns true if the device does not have enough memory.
    pub fn is_memory(&self) -> bool {
        matches!(self, DeviceFault::Memory { .. })
    }
}
