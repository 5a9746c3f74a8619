//! Launching kernels: the only place that does.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction_attribute, CUstreamCaptureMode};
use cudarc::driver::{CudaEvent, CudaFunction, CudaGraph, result};

use super::{Array, Cuda, Element, device_error};
use zeroset_core::Plain;
use zeroset_core::error::{DeviceFault, Error, Result};

/// A kernel ready to be launched.
#[derive(Clone)]
pub struct Kernel {
    function: CudaFunction,
    name: Arc<str>,
    multiprocessors: u32,
}

/// Grid and block of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
    /// All blocks are on the GPU at once, so that they can wait for each other.
    pub cooperative: bool,
}

/// Arguments of a launch, in the order of the kernel's parameters.
#[derive(Clone, Default)]
pub struct Arguments {
    /// Each argument in memory of its own, aligned for anything.
    values: Vec<Box<[u128]>>,
}

impl Arguments {
    /// Adds an argument that the kernel takes by value: a number, an address, or a struct of those.
    pub fn with<A: Plain>(mut self, value: A) -> Self {
        let mut memory = vec![0u128; size_of::<A>().div_ceil(size_of::<u128>()).max(1)];
        // SAFETY: the memory is large enough, aligned, and A is plain data.
        unsafe { memory.as_mut_ptr().cast::<A>().write(value) };
        self.values.push(memory.into_boxed_slice());
        self
    }

    /// Adds the address of an array.
    pub fn with_array<T: Element>(self, array: &Array<T>) -> Self {
        self.with(array.address())
    }

    fn pointers(&self) -> Vec<*mut c_void> {
        self.values.iter().map(|value| value.as_ptr().cast_mut().cast()).collect()
    }
}

impl Kernel {
    pub(super) fn new(function: CudaFunction, name: &str, multiprocessors: u32) -> Self {
        Kernel { function, name: name.into(), multiprocessors }
    }

    /// Allows this much dynamic shared memory per block.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU has less.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.function.set_attribute(attribute, bytes as i32).map_err(|_| {
            Error::device_fault(
                DeviceFault::Limit,
                format!(
                    "{} needs {bytes} bytes of shared memory, more than the GPU has",
                    self.name
                ),
                "take a smaller patch_size, precision = \"f32\", or use = \"cpu\"",
            )
        })
    }

    /// Blocks that are on the GPU at once.
    ///
    /// # Errors
    /// [`Error::Device`] if not even one fits.
    pub fn resident_blocks(&self, block: u32, shared: u32) -> Result<u32> {
        let each = self.function.occupancy_max_active_blocks_per_multiprocessor(
            block,
            shared as usize,
            None,
        );
        let each = each.map_err(|e| device_error(&format!("asking about {}", self.name), e))?;
        if each == 0 {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{} does not fit: {block} threads, {shared} bytes", self.name),
                "take a smaller patch_size, or use = \"cpu\"",
            ));
        }
        Ok(each * self.multiprocessors)
    }
}

impl Cuda {
    /// Launches a kernel behind everything launched before.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses it. What goes wrong inside is found later.
    ///
    /// # Safety
    /// The arguments must be those of the kernel, with arrays as long as it takes them to be.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &Arguments,
    ) -> Result<()> {
        if launch.grid == 0 {
            return Ok(());
        }
        let fail = |e| device_error(&format!("launching {}", kernel.name), e);
        self.context().bind_to_thread().map_err(fail)?;
        let mut pointers = arguments.pointers();
        let function = kernel.function.cu_function();
        let (grid, block) = ((launch.grid, 1, 1), (launch.block, 1, 1));
        let stream = self.stream().cu_stream();
        // SAFETY: the caller's.
        let done = unsafe {
            match launch.cooperative {
                false => result::launch_kernel(
                    function,
                    grid,
                    block,
                    launch.shared,
                    stream,
                    &mut pointers,
                ),
                true => result::launch_cooperative_kernel(
                    function,
                    grid,
                    block,
                    launch.shared,
                    stream,
                    &mut pointers,
                ),
            }
        };
        done.map_err(fail)
    }

    /// The same, and the kernel may begin before the one ahead of it has ended, where the GPU and
    /// its driver can: it waits by itself (`await_kernel_before` of `kernels/common/grid.cuh`).
    ///
    /// # Errors
    /// Those of [`Self::launch`].
    ///
    /// # Safety
    /// Those of [`Self::launch`]; all threads of the kernel must wait before they touch what the
    /// kernel ahead works on, and before they end.
    pub unsafe fn launch_overlapping(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &Arguments,
    ) -> Result<()> {
        if !self.overlaps {
            // SAFETY: the caller's.
            return unsafe { self.launch(kernel, launch, arguments) };
        }
        let fail = |e| device_error(&format!("launching {}", kernel.name), e);
        self.context().bind_to_thread().map_err(fail)?;
        let mut pointers = arguments.pointers();
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let config = sys::CUlaunchConfig {
            gridDimX: launch.grid,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: launch.block,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: launch.shared,
            hStream: self.stream().cu_stream(),
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        let function = kernel.function.cu_function();
        // SAFETY: the configuration and its attribute outlive the call; the rest is the caller's.
        let done = unsafe {
            sys::cuLaunchKernelEx(&config, function, pointers.as_mut_ptr(), std::ptr::null_mut())
        };
        done.result().map_err(fail)
    }

    /// Records the launches of `work` so that they can be repeated at once.
    ///
    /// # Errors
    /// Those of `work`, and [`Error::Device`] if they cannot be recorded.
    pub fn record(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let fail = |e| device_error("recording launches", e);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream().begin_capture(mode).map_err(fail)?;
        let done = work();
        let graph = self.stream().end_capture(sys::CUgraphInstantiate_flags(0)).map_err(fail);
        done?;
        let graph = graph?.ok_or_else(|| {
            Error::device(
                "recording launches gave nothing",
                "please report it, and take use = \"cpu\"",
            )
        })?;
        // The first launch need not wait for it.
        graph.upload().map_err(fail)?;
        Ok(Graph { graph })
    }

    /// A point in the order of launches, for timing.
    ///
    /// # Errors
    /// [`Error::Device`] if the GPU does not answer.
    pub fn mark(&self) -> Result<Mark> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = self.stream().record_event(flags).map_err(|e| device_error("timing", e))?;
        Ok(Mark { event })
    }
}

/// Launches that are repeated as one.
pub struct Graph {
    graph: CudaGraph,
}

impl Graph {
    /// Launches all of them behind everything launched before.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses it.
    pub fn launch(&self) -> Result<()> {
        self.graph.launch().map_err(|e| device_error("launching a graph", e))
    }
}

/// A point in the order of launches.
pub struct Mark {
    event: CudaEvent,
}

impl Mark {
    /// Waits until everything before it is done.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel before failed.
    pub fn wait(&self) -> Result<()> {
        self.event.synchronize().map_err(|e| device_error("waiting for the GPU", e))
    }

    /// Milliseconds from here to a later point.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel between failed.
    pub fn milliseconds_to(&self, later: &Mark) -> Result<f64> {
        let time = self.event.elapsed_ms(&later.event);
        time.map(f64::from).map_err(|e| device_error("timing", e))
    }
}
