//! The CUDA backend of zeroset: the list of the GPUs, and the reasons why a GPU cannot be used.
//!
//! Calls choose their device by `zeroset::config::Device`. This program lists the GPUs:
//!
//! ```
//! use zeroset_gpu::{available, gpus};
//!
//! match gpus() {
//!     Ok(gpus) => gpus.iter().for_each(|gpu| println!("{}: {}", gpu.ordinal, gpu.name)),
//!     Err(reason) => println!("{reason}; remedy: {}", reason.remedy()),
//! }
//! println!("kernels can run on GPU 0: {}", available(0).is_ok());
//! ```
//!
//! The other public items are for the solvers of zeroset, may change in every version, and are
//! hidden from these pages. `Cuda` is one GPU, with one stream for kernels and another for
//! concurrent copies. It provides arrays on the GPU (`Array`), kernels by name (`Cuda::kernel`),
//! which it compiles at run time, and kernel launches (`Launch`). This crate does not depend on
//! what the kernels compute. Building it needs neither a CUDA toolkit nor a GPU.
//!
//! Of the other zeroset crates, this one uses only `zeroset-core` and `zeroset-kernels`. The
//! compiler enforces this:
//!
//! ```compile_fail,E0432
//! use zeroset_cloud::cloud::clean; // a higher layer
//! ```

// Shared definitions refer to this crate by name, because kernel tests include their files.
extern crate self as zeroset_gpu;

mod array;
#[doc(hidden)]
pub mod blocks;
#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod definitions;
mod error;
mod header;
mod info;
mod launch;
#[doc(hidden)]
pub mod nvrtc;
#[doc(hidden)]
pub mod points;
#[doc(hidden)]
pub mod primitives;
#[doc(hidden)]
pub mod probe;
#[doc(hidden)]
pub mod resources;
#[doc(hidden)]
pub mod self_test;
#[doc(hidden)]
pub mod sources;
#[doc(hidden)]
pub mod volume;

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaStream, result, sys};
use cudarc::nvrtc::Ptx;

#[doc(hidden)]
pub use array::{Array, Element, Outgoing, Pinned};
pub(crate) use error::device_error;
pub use info::{GpuInfo, Reason};
#[doc(hidden)]
pub use launch::{Arguments, Graph, Kernel, Launch, Mark};
pub use probe::{available, gpus};
#[doc(hidden)]
pub use sources::Unit;
#[doc(hidden)]
pub use zeroset_core::Plain;

use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::primitives::memory::gibibytes;

/// A GPU with its streams and the kernels loaded so far.
#[doc(hidden)]
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// The stream for copies to the host while kernels of `stream` continue.
    copies: Arc<CudaStream>,
    info: GpuInfo,
    /// Whether a kernel may begin before the previous one has ended.
    overlaps: bool,
    modules: Mutex<HashMap<String, Arc<CudaModule>>>,
    /// The buffers for large copies to the host, allocated at the first such copy.
    staging: Mutex<Option<array::Staging>>,
}

impl Cuda {
    /// Opens the GPU with the given index, counted from 0.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the driver or the GPU is missing or too old, or
    /// if both the kernel compiler and the compiled kernels are missing. The message says which.
    pub fn new(ordinal: u32) -> Result<Self> {
        let info = probe::available(ordinal).map_err(Error::from)?;
        let fail = |e| device_error("opening the GPU", e);
        let context = CudaContext::new(ordinal as usize).map_err(fail)?;
        // Event tracking between arrays would prevent graph capture. It is not needed, because one
        // stream defines the order.
        // SAFETY: every array of this context is used on one stream, after a synchronization, or
        // after an event ([`Cuda::send`]).
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(fail)?;
        let copies = context.new_stream().map_err(fail)?;
        keep_freed_memory(&context);
        let overlaps = info.capability >= (9, 0)
            && probe::driver_version().is_ok_and(|version| version >= OVERLAPS_IN_GRAPHS);
        let (modules, staging) = (Mutex::default(), Mutex::default());
        Ok(Cuda { context, stream, copies, info, overlaps, modules, staging })
    }

    /// Returns the properties of the GPU.
    pub fn info(&self) -> &GpuInfo {
        &self.info
    }

    /// Returns the free and the total GPU memory in bytes.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    pub fn memory(&self) -> Result<(usize, usize)> {
        self.context.mem_get_info().map_err(|e| device_error("querying the free memory", e))
    }

    /// Checks that the given number of bytes is free, before an allocation.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if there is not enough memory or if the GPU does not
    /// respond. In the first case, the message states `what`, the memory that is needed, the free
    /// memory and the remedy.
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

    /// Returns the largest number of bytes of shared memory that a block can use.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the GPU does not respond.
    pub fn shared_memory(&self) -> Result<u32> {
        let attribute =
            sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let bytes = self.context.attribute(attribute);
        bytes.map(i32::unsigned_abs).map_err(|e| device_error("querying the GPU", e))
    }

    /// Returns a kernel of a compilation unit, which is compiled if necessary.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] with the message of the compiler or driver.
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
        let context = self.context.clone();
        Ok(Kernel::new(function, name, self.info.multiprocessors, context))
    }

    /// Waits until all launches have finished.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if one of the kernels failed.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize().map_err(|e| device_error("waiting for the GPU", e))
    }

    /// Lets later launches wait for the work that is now in a stream of another library. Does not
    /// wait itself.
    ///
    /// # Errors
    /// Returns [`zeroset_core::Error::Device`] if the driver refuses the stream.
    ///
    /// # Safety
    /// `stream` must be a stream of the primary context of this GPU, as a number. 0 and 1 stand for
    /// the legacy default stream, and 2 for the default stream of this thread.
    pub unsafe fn wait_for(&self, stream: u64) -> Result<()> {
        let fail = |e| device_error("waiting for a stream", e);
        self.context.bind_to_thread().map_err(fail)?;
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let event = result::event::create(flags).map_err(fail)?;
        // SAFETY: the caller guarantees the stream. A destroyed event still completes.
        let waits = unsafe {
            let recorded = result::event::record(event, stream as sys::CUstream);
            let waits = recorded.and_then(|()| {
                let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
                result::stream::wait_event(self.stream.cu_stream(), event, flags)
            });
            waits.and(result::event::destroy(event))
        };
        waits.map_err(fail)
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

/// The first CUDA version whose driver records overlapping launches in graphs.
const OVERLAPS_IN_GRAPHS: (u32, u32) = (12, 3);

/// Keeps freed memory in the memory pool of the program, because a new allocation from the system
/// costs 100 microseconds.
fn keep_freed_memory(context: &CudaContext) {
    let mut threshold = u64::MAX;
    let mut set = || -> std::result::Result<(), result::DriverError> {
        // SAFETY: the pool belongs to an open device, and the attribute takes a 64-bit number.
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
        tracing::debug!("the memory pool of the GPU returns freed memory to the system: {e:?}");
    }
}
