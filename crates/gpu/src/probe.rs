//! What the driver shows, asked in an order in which nothing panics, and without a context on any
//! GPU: making one takes tenths of a second.

use cudarc::driver::result::{self, DriverError, device};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

use super::{cache, nvrtc, sources};
use crate::{GpuInfo, Reason};

/// Oldest version of CUDA that a driver must know: that of the oldest NVRTC whose code it is given.
const LEAST_DRIVER: (u32, u32) = (12, 0);

/// The GPU of this number if kernels can run on it: there is a driver, the GPU is new enough,
/// and there is a compiler (found, not opened) or all kernels are in the cache.
///
/// # Errors
/// The [`Reason`] why not.
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

/// The newest CUDA that the driver knows, major and minor number.
///
/// # Errors
/// [`Reason::NoDriver`]; [`Reason::NoGpu`] where the driver starts with a GPU only;
/// [`Reason::Driver`] if it does not start or is too old.
pub fn driver_version() -> Result<(u32, u32), Reason> {
    // SAFETY: loads libcuda, which runs nothing before it is initialized.
    if !unsafe { sys::is_culib_present() } {
        return Err(Reason::NoDriver);
    }
    result::init().map_err(reason)?;
    let mut number = 0;
    // SAFETY: writes one integer.
    unsafe { sys::cuDriverGetVersion(&mut number) }.result().map_err(reason)?;
    let number = number.unsigned_abs();
    let version = (number / 1000, number % 1000 / 10);
    if version < LEAST_DRIVER {
        let ((a, b), (c, d)) = (version, LEAST_DRIVER);
        return Err(Reason::Driver(format!("it knows CUDA {a}.{b}, {c}.{d} is needed")));
    }
    Ok(version)
}

/// Number of GPUs; [`driver_version`] comes before it.
///
/// # Errors
/// [`Reason::Driver`].
pub fn count() -> Result<u32, Reason> {
    device::get_count().map(|n| n.unsigned_abs()).map_err(reason)
}

/// A GPU, whether kernels can run on it or not; [`driver_version`] comes before it.
///
/// # Errors
/// [`Reason::Driver`].
pub fn gpu(ordinal: u32) -> Result<GpuInfo, Reason> {
    let handle = device::get(ordinal as i32).map_err(reason)?;
    // SAFETY: the handle is the driver's.
    let attribute = |of| unsafe { device::get_attribute(handle, of) }.map(i32::unsigned_abs);
    let attribute = |of| attribute(of).map_err(reason);
    Ok(GpuInfo {
        ordinal,
        name: device::get_name(handle).map_err(reason)?,
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        // SAFETY: the handle is the driver's.
        memory: unsafe { device::total_mem(handle) }.map_err(reason)? as u64,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
    })
}

/// Finding the library by its file is cheap; opening it, where only the loader may know it, is the
/// last resort.
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

/// Name and text of a driver's error: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal ...".
pub fn message(error: DriverError) -> String {
    let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
    let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
    match (name, text) {
        (Ok(name), Ok(text)) => format!("{name}: {text}"),
        _ => format!("error {}", error.0 as u32),
    }
}
