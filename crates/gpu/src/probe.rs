//! Driver queries that need no context on a GPU, because creating a context takes tenths of a
//! second. The first query checks that the driver exists, because the driver bindings panic without
//! it.

use cudarc::driver::result::{self, DriverError, device};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

use super::{cache, nvrtc, sources};
use crate::{GpuInfo, Reason};

/// The lowest CUDA version that a driver must support. It is the version of the oldest supported
/// NVRTC.
const LEAST_DRIVER: (u32, u32) = (12, 0);

/// Returns the properties of the GPU with the index `ordinal` if kernels can run on it. Kernels
/// need a driver, a GPU that is new enough, and either a compiler or a cache with all kernels. The
/// compiler library is opened only if its file is not found and the cache is incomplete.
///
/// # Errors
/// Returns the [`Reason`] why kernels cannot run.
pub fn available(ordinal: u32) -> Result<GpuInfo, Reason> {
    driver_version()?;
    let count = count()?;
    if count == 0 {
        return Err(Reason::NoGpu);
    }
    if ordinal >= count {
        return Err(Reason::NoSuchGpu { ordinal, count });
    }
    let gpu = gpu(ordinal)?;
    if gpu.capability < GpuInfo::LEAST_CAPABILITY {
        return Err(Reason::TooOld { name: gpu.name, capability: gpu.capability });
    }
    compiler_or_cache(&gpu.arch())?;
    Ok(gpu)
}

/// Returns the newest CUDA version that the driver supports, as major and minor number.
///
/// # Errors
/// Returns [`Reason::NoDriver`] if there is no driver, [`Reason::NoGpu`] if the driver does not
/// start because there is no GPU, and [`Reason::Driver`] if it does not start for another reason or
/// is too old.
pub fn driver_version() -> Result<(u32, u32), Reason> {
    // SAFETY: this loads libcuda, which executes nothing before its initialization.
    if !unsafe { sys::is_culib_present() } {
        return Err(Reason::NoDriver);
    }
    result::init().map_err(reason)?;
    let mut number = 0;
    // SAFETY: the call writes one integer.
    unsafe { sys::cuDriverGetVersion(&mut number) }.result().map_err(reason)?;
    let number = number.unsigned_abs();
    let version = (number / 1000, number % 1000 / 10);
    if version < LEAST_DRIVER {
        let ((a, b), (c, d)) = (version, LEAST_DRIVER);
        return Err(Reason::Driver(format!("it supports CUDA {a}.{b}, but {c}.{d} is required")));
    }
    Ok(version)
}

/// Returns the properties of all GPUs in the order of their indices, whether or not kernels can run
/// on them.
///
/// # Errors
/// Returns [`Reason::NoDriver`] if there is no driver, [`Reason::NoGpu`] if the driver does not
/// start because there is no GPU, and [`Reason::Driver`] if it reports another error or is too old.
pub fn gpus() -> Result<Vec<GpuInfo>, Reason> {
    driver_version()?;
    (0..count()?).map(gpu).collect()
}

/// Returns the number of GPUs. Call [`driver_version`] first.
fn count() -> Result<u32, Reason> {
    device::get_count().map(|n| n.unsigned_abs()).map_err(reason)
}

/// Returns the properties of a GPU, whether or not kernels can run on it. Call [`driver_version`]
/// first.
fn gpu(ordinal: u32) -> Result<GpuInfo, Reason> {
    let handle = device::get(ordinal as i32).map_err(reason)?;
    // SAFETY: the handle comes from the driver.
    let attribute = |of| unsafe { device::get_attribute(handle, of) }.map(i32::unsigned_abs);
    let attribute = |of| attribute(of).map_err(reason);
    Ok(GpuInfo {
        ordinal,
        name: device::get_name(handle).map_err(reason)?,
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        // SAFETY: the handle comes from the driver.
        memory: unsafe { device::total_mem(handle) }.map_err(reason)? as u64,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
    })
}

/// Checks that there is a compiler or a complete cache. Locating the file of the NVRTC library is
/// cheap. Opening the library is the last resort, for a library that only the loader can find.
fn compiler_or_cache(arch: &str) -> Result<(), Reason> {
    if nvrtc::locate().is_some() || sources::all_units().iter().all(|u| cache::contains(u, arch)) {
        return Ok(());
    }
    nvrtc::Nvrtc::get().map(|_| ())
}

fn reason(error: DriverError) -> Reason {
    match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => Reason::NoGpu,
        _ => Reason::Driver(message(error)),
    }
}

/// Returns the name and text of a driver error, or its number if the driver has no name or text for
/// it. An example is "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
pub fn message(error: DriverError) -> String {
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    match (name, text) {
        (Ok(name), Ok(text)) => format!("{name}: {text}"),
        _ => format!("error {}", error.0 as u32),
    }
}
