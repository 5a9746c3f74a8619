//! Kernel launches: the only code that launches kernels, apart from the self-test.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction_attribute, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaGraph, result};

use super::{Array, Cuda, Element, device_error};
use zeroset_core::Plain;
use zeroset_core::error::{DeviceFault, Error, Result};

/// A kernel that is loaded and ready to launch.
#[derive(Clone)]
pub struct Kernel {
    function: CudaFunction,
    name: Arc<str>,
    multiprocessors: u32,
    /// The context of the kernel. Queries use the context of the calling thread, which may have
    /// none.
    context: Arc<CudaContext>,
}

/// The configuration of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The number of blocks.
    pub grid: u32,
    /// The number of threads per block.
    pub block: u32,
    /// The dynamic shared memory per block in bytes.
    pub shared: u32,
    /// Whether all blocks must be resident at the same time, so that they can wait for each other.
    pub cooperative: bool,
}

/// The arguments of a launch, in the order of the kernel's parameters.
#[derive(Clone, Default)]
pub struct Arguments {
    /// The arguments, each in its own allocation, aligned like `u128`.
    values: Vec<Box<[u128]>>,
}

impl Arguments {
    /// Adds an argument that is passed by value: a number, an address, or a struct of these.
    pub fn with<A: Plain>(mut self, value: A) -> Self {
        let mut memory = vec![0u128; size_of::<A>().div_ceil(size_of::<u128>()).max(1)];
        // SAFETY: the memory is large enough and aligned, and `A` is plain data.
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
    pub(super) fn new(
        function: CudaFunction,
        name: &str,
        multiprocessors: u32,
        context: Arc<CudaContext>,
    ) -> Self {
        Kernel { function, name: name.into(), multiprocessors, context }
    }

    /// Makes the context of the kernel current in the calling thread.
    fn bind(&self) -> Result<()> {
        let fail = |e| device_error(&format!("querying {}", self.name), e);
        self.context.bind_to_thread().map_err(fail)
    }

    /// Allows the kernel to use `bytes` bytes of dynamic shared memory per block.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU does not provide that much shared memory per block.
    pub fn allow_shared(&self, bytes: u32) -> Result<()> {
        self.bind()?;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        self.function.set_attribute(attribute, bytes as i32).map_err(|_| {
            Error::device_fault(
                DeviceFault::Limit,
                format!(
                    "{} needs {bytes} bytes of shared memory, more than the GPU provides",
                    self.name
                ),
                "use a smaller patch_size, set precision = \"f32\", or set use = \"cpu\"",
            )
        })
    }

    /// Returns the number of blocks that can be resident on the GPU at the same time. Each block
    /// has `block` threads and `shared` bytes of dynamic shared memory.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if not even one block fits.
    pub fn resident_blocks(&self, block: u32, shared: u32) -> Result<u32> {
        self.bind()?;
        let each = self.function.occupancy_max_active_blocks_per_multiprocessor(
            block,
            shared as usize,
            None,
        );
        let each = each.map_err(|e| device_error(&format!("querying {}", self.name), e))?;
        if each == 0 {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!(
                    "{} does not fit on a multiprocessor with {block} threads and {shared} bytes per block",
                    self.name
                ),
                "use a smaller patch_size, or set use = \"cpu\"",
            ));
        }
        Ok(each * self.multiprocessors)
    }
}

impl Cuda {
    /// Launches a kernel. It runs after all earlier launches. An empty grid launches nothing.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the launch. Errors during execution are
    /// reported by later calls.
    ///
    /// # Safety
    /// The arguments must match the parameters of the kernel, and arrays must be as long as the
    /// kernel expects.
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
        // SAFETY: the caller guarantees that the arguments match.
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

    /// Launches a kernel that may begin before the previous kernel has ended, if the GPU and its
    /// driver support this. The kernel itself waits for the previous one (`await_kernel_before` in
    /// `kernels/common/grid.cuh`).
    ///
    /// # Errors
    /// Returns the errors of [`Self::launch`].
    ///
    /// # Safety
    /// The conditions of [`Self::launch`] apply. In addition, all threads of the kernel must wait
    /// before they access data of the previous kernel, and before they end.
    pub unsafe fn launch_overlapping(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &Arguments,
    ) -> Result<()> {
        if !self.overlaps {
            // SAFETY: the caller guarantees the conditions of `launch`.
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
        // SAFETY: the configuration and its attribute outlive the call. The caller guarantees the
        // conditions of `launch_overlapping`.
        let done = unsafe {
            sys::cuLaunchKernelEx(&config, function, pointers.as_mut_ptr(), std::ptr::null_mut())
        };
        done.result().map_err(fail)
    }

    /// Records the launches of `work` as a graph, so that they can be repeated with one launch.
    ///
    /// # Errors
    /// Returns the errors of `work`, and [`Error::Device`] if the launches cannot be recorded.
    pub fn record(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let fail = |e| device_error("recording launches", e);
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream().begin_capture(mode).map_err(fail)?;
        let done = work();
        let graph = self.stream().end_capture(sys::CUgraphInstantiate_flags(0)).map_err(fail);
        done?;
        let graph = graph?.ok_or_else(|| {
            Error::device(
                "recording launches gave an empty graph",
                "please report this error, and set use = \"cpu\"",
            )
        })?;
        // Upload the graph now, so that its first launch does not have to wait.
        graph.upload().map_err(fail)?;
        Ok(Graph { graph })
    }

    /// Records an event in the stream, for timing.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU does not respond.
    pub fn mark(&self) -> Result<Mark> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let event = self.stream().record_event(flags).map_err(|e| device_error("timing", e))?;
        Ok(Mark { event })
    }
}

/// A recorded sequence of launches that is launched as a whole.
pub struct Graph {
    graph: CudaGraph,
}

// SAFETY: The driver allows any thread to use a graph, one at a time. `Graph` is not `Sync`, so a
// graph that is moved to another thread is used only there. cudarc binds the context to the calling
// thread before each use.
unsafe impl Send for Graph {}

impl Graph {
    /// Launches the whole graph. It runs after all earlier launches.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the launch.
    pub fn launch(&self) -> Result<()> {
        self.graph.launch().map_err(|e| device_error("launching a graph", e))
    }
}

/// An event in the stream.
pub struct Mark {
    event: CudaEvent,
}

impl Mark {
    /// Waits until the event has occurred, that is, until all earlier launches have finished.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if an earlier kernel failed.
    pub fn wait(&self) -> Result<()> {
        self.event.synchronize().map_err(|e| device_error("waiting for the GPU", e))
    }

    /// Returns the time from this event to a later one in milliseconds.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if a kernel between the events failed.
    pub fn milliseconds_to(&self, later: &Mark) -> Result<f64> {
        let time = self.event.elapsed_ms(&later.event);
        time.map(f64::from).map_err(|e| device_error("timing", e))
    }
}
