//! A self-test of a GPU: runs a small kernel and checks that the result is bitwise identical to
//! that of the host. This shows that compilation, loading, launches and copies work.

use crate::blocks::DEFAULT_BLOCK;
use std::time::Instant;

use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;

use super::array::item::{Item, items, values};
use super::probe::message;
use super::{cache, sources::Unit};
use crate::GpuInfo;
use zeroset_core::error::{Error, Result};
use zeroset_core::geometry::Real;

/// The length of the vectors, chosen so that the last block is not full.
const N: usize = 100_003;

/// The measurements of a successful test.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// The free memory on the GPU in bytes.
    pub free_memory: u64,
    /// The time to create the driver context on the GPU, in seconds.
    pub context_seconds: f64,
    /// The time for the rest of the test, in seconds: loading or compiling kernels, copies,
    /// launches and comparison.
    pub test_seconds: f64,
}

/// Tests a GPU in both precisions.
///
/// # Errors
/// Returns [`Error::Device`] with a description of the failure.
pub fn self_test(gpu: &GpuInfo) -> Result<Passed> {
    let start = Instant::now();
    let context = CudaContext::new(gpu.ordinal as usize).map_err(failed)?;
    let context_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    test::<f64>(&context, gpu, "double")?;
    test::<f32>(&context, gpu, "float")?;
    let (free, _) = context.mem_get_info().map_err(failed)?;
    let test_seconds = start.elapsed().as_secs_f64();
    Ok(Passed { free_memory: free as u64, context_seconds, test_seconds })
}

fn test<R: Real>(context: &Arc<CudaContext>, gpu: &GpuInfo, real: &'static str) -> Result<()> {
    let unit = Unit::new("self_test", &[("REAL", real)])?;
    let cubin = cache::cubin(&unit, &gpu.arch())?;
    // These numbers have products and sums that need rounding.
    let number = |k: usize| R::of(1.0) / R::of(k as f64 + 3.0);
    let a = number(4);
    let x: Vec<R> = (0..N).map(number).collect();
    let y: Vec<R> = (0..N).map(|k| number(N - k)).collect();
    let (y_device, sums_device) = saxpy_sum(context, cubin, a, &x, &y).map_err(failed)?;
    let (y_host, sums_host) = on_the_host(a, &x, &y);
    if y_device != y_host || sums_device != sums_host {
        return Err(Error::device(
            format!("{}: the self-test in {} gives wrong results", gpu.name, R::NAME),
            "remove the kernel cache (`zeroset devices` names its folder) and try again; if that \
             does not help, the GPU or its driver is faulty",
        ));
    }
    Ok(())
}

/// Returns the results of the kernel: y, and the sums of the blocks.
fn saxpy_sum<R: Real>(
    context: &Arc<CudaContext>,
    cubin: Vec<u8>,
    a: R,
    x: &[R],
    y: &[R],
) -> std::result::Result<(Vec<R>, Vec<R>), DriverError> {
    let stream: Arc<CudaStream> = context.default_stream();
    let kernel =
        context.load_module(Ptx::from_binary(cubin))?.load_function("self_test_saxpy_sum")?;
    let blocks = x.len().div_ceil(DEFAULT_BLOCK as usize);
    let x_device = stream.clone_htod(items(x))?;
    let mut y_device = stream.clone_htod(items(y))?;
    let mut sums: CudaSlice<Item<R>> = stream.clone_htod(items(&vec![R::zero(); blocks]))?;
    let n = x.len() as u32;
    let launch = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (DEFAULT_BLOCK, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut builder = stream.launch_builder(&kernel);
    let a = Item(a);
    builder.arg(&a).arg(&x_device).arg(&mut y_device).arg(&mut sums).arg(&n);
    // SAFETY: the arguments match the kernel, with R = REAL. x and y have n numbers, and `sums` has
    // one per block.
    unsafe { builder.launch(launch) }?;
    let y = stream.clone_dtoh(&y_device)?;
    let sums = stream.clone_dtoh(&sums)?;
    Ok((values(&y).to_vec(), values(&sums).to_vec()))
}

/// Computes the expected results with the same operations on the host.
fn on_the_host<R: Real>(a: R, x: &[R], y: &[R]) -> (Vec<R>, Vec<R>) {
    let y: Vec<R> = x.iter().zip(y).map(|(&x, &y)| a * x + y).collect();
    let sum = |block: &[R]| {
        let mut partial = [R::zero(); DEFAULT_BLOCK as usize];
        partial[..block.len()].copy_from_slice(block);
        let mut half = DEFAULT_BLOCK as usize / 2;
        while half > 0 {
            for k in 0..half {
                partial[k] += partial[k + half];
            }
            half /= 2;
        }
        partial[0]
    };
    let sums = y.chunks(DEFAULT_BLOCK as usize).map(sum).collect();
    (y, sums)
}

fn failed(error: DriverError) -> Error {
    let remedy = "check nvidia-smi; a kernel compiled by a newer CUDA than that of the driver may fail to load";
    Error::device(format!("the self-test failed: {}", message(error)), remedy).because(error)
}
