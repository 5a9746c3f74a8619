//! The CUDA backend: one GPU, one stream, another for copies beside it, kernels compiled at run time.
//!
//! [`Cuda`] is all that solvers see: arrays on the GPU ([`Array`]), kernels by name
//! ([`Cuda::kernel`]) and the only place where kernels are launched ([`Launch`]). Nothing here knows
//! what the kernels compute. Neither a toolkit nor a GPU is needed to build this.
//!
//! It stands on `zeroset-core` and `zeroset-kernels` alone, and the compiler keeps it so:
//!
//! ```compile_fail,E0432
//! use zeroset_cloud::cloud::clean; // a higher layer
//! ```

// The definitions that kernels share name the crate as others do: tests of kernels take their files.
extern crate self as zeroset_gpu;

mod array;
pub mod blocks;
pub mod cache;
pub mod definitions;
mod error;
mod header;
mod info;
mod launch;
pub mod nvrtc;
pub mod points;
pub mod primitives;
pub mod probe;
pub mod resources;
pub mod self_test;
pub mod sources;
pub mod volume;

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, result, sys};
use cudarc::nvrtc::Ptx;

pub use array::{Array, Element, Outgoing, Pinned};
pub(crate) use error::device_error;
pub use info::{GpuInfo, Reason};
pub use launch::{Arguments, Graph, Kernel, Launch, Mark};
pub use probe::available;
pub use sources::Unit;
pub use zeroset_core::Plain;

use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::primitives::memory::gibibytes;

/// A GPU with its stream and the kernels compiled for it so far.
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// Copies to the host while kernels of `stream` go on.
    copies: Arc<CudaStream>,
    info: GpuInfo,
    /// Whether a kernel may be launched to begin before the one ahead has ended.
    overlaps: bool,
    modules: Mutex<HashMap<String, Arc<CudaModule>>>,
    /// For large copies to the host, once there was one.
    staging: Mutex<Option<array::Staging>>,
}

impl Cuda {
    /// Opens a GPU by its number, from 0.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] saying what is missing: driver, GPU, or the compiler of kernels.
    pub fn new(ordinal: u32) -> Result<Self> {
        let info = probe::available(ordinal).map_err(Error::from)?;
        let fail = |e| device_error("opening the GPU", e);
        let context = CudaContext::new(ordinal as usize).map_err(fail)?;
        // Events between arrays would forbid graphs; there is one stream, so order is given.
        // SAFETY: every array of this context is used on one stream, after a synchronization, or
        // behind an event ([`Cuda::send`]).
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(fail)?;
        let copies = context.new_stream().map_err(fail)?;
        keep_freed_memory(&context);
        let overlaps = info.capability >= (9, 0)
            && probe::driver_version().is_ok_and(|version| version >= OVERLAPS_IN_GRAPHS);
        let (modules, staging) = (Mutex::default(), Mutex::default());
        Ok(Cuda { context, stream, copies, info, overlaps, modules, staging })
    }

    /// The name, capability and memory of the GPU.
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// Bytes free and in all.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    pub fn memory(&self) -> Result<(usize, usize)> {
        self.context.mem_get_info().map_err(|e| device_error("asking for free memory", e))
    }

    /// Refuses what needs more bytes than are free, before any are taken.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] that names `what`, both numbers and the remedy, or if the GPU does not answer.
    pub fn check_room(&self, bytes: u64, what: impl Display, remedy: &str) -> Result<()> {
        let (free, _) = self.memory()?;
        let free = free as u64;
        if bytes <= free {
            return Ok(());
        }
        let what = format!(
            "no memory on the GPU for {what}: {} needed, {} free",
            gibibytes(bytes),
            gibibytes(free)
        );
        Err(Error::device_fault(DeviceFault::memory(bytes, free), what, remedy))
    }

    /// Bytes of shared memory that a block can have at most.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if the GPU does not answer.
    pub fn shared_memory(&self) -> Result<u32> {
        let attribute =
            sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let bytes = self.context.attribute(attribute);
        bytes.map(i32::unsigned_abs).map_err(|e| device_error("asking about the GPU", e))
    }

    /// A kernel of a unit, compiled unless it was before.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] with the words of the compiler or the driver.
    pub fn kernel(&self, unit: &Unit, name: &str) -> Result<Kernel> {
        let key = format!(
            "{} {}",
            unit.title(),
            unit.extra.iter().map(|(_, text)| text.as_str()).collect::<String>()
        );
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match modules.get(&key) {
            Some(module) => module.clone(),
            None => {
                let cubin = cache::cubin(unit, &self.info.arch())?;
                let fail = |e| device_error(&format!("loading the kernels of {}", unit.name), e);
                let module = self.context.load_module(Ptx::from_binary(cubin)).map_err(fail)?;
                modules.insert(key, module.clone());
                module
            }
        };
        let function: CudaFunction = module
            .load_function(name)
            .map_err(|e| device_error(&format!("loading the kernel {name}"), e))?;
        Ok(Kernel::new(function, name, self.info.multiprocessors))
    }

    /// Waits until everything launched is done.
    ///
    /// # Errors
    /// [`zeroset_core::Error::Device`] if one of the kernels failed.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| device_error("waiting for the GPU", e))
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    pub(crate) fn copies(&self) -> &Arc<CudaStream> {
        &self.copies
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

/// First CUDA whose driver records launches that overlap in graphs.
const OVERLAPS_IN_GRAPHS: (u32, u32) = (12, 3);

/// Freed memory stays with the program: taking it from the system anew costs 100 microseconds.
fn keep_freed_memory(context: &CudaContext) {
    let mut threshold = u64::MAX;
    let mut set = || -> std::result::Result<(), result::DriverError> {
        // SAFETY: the pool is that of an open device, and the attribute takes a 64-bit number.
        unsafe {
            let pool = result::device::get_default_mem_pool(context.cu_device())?;
            result::mem_pool::set_attribute(
                pool,
                sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut threshold).cast(),
            )
        }
    };
    if let Err(e) = set() {
        tracing::debug!("the GPU's memory pool gives memory back: {e:?}");
    }
}
