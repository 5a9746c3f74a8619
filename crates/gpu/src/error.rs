//! Words for what the driver says.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use zeroset_core::error::{DeviceFault, Error};

/// An error of the driver while `doing`, as ours.
pub(crate) fn device_error(doing: &str, error: DriverError) -> Error {
    let remedy = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            "free memory on the GPU, take precision = \"f32\", a smaller mesh, or use = \"cpu\""
        }
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION => {
            "this program cannot use the GPU any more: start it again, with --resume if a \
             checkpoint was kept, or with use = \"cpu\"; please report it"
        }
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => {
            "the GPU does not work as it should: see `nvidia-smi`, or take use = \"cpu\""
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU | CUresult::CUDA_ERROR_INVALID_PTX => {
            "the compiler of kernels (NVRTC) does not know this GPU: install a newer one"
        }
        _ => "see `zeroset devices`, or take use = \"cpu\"",
    };
    let fault = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => DeviceFault::Memory { needed: None, free: None },
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU | CUresult::CUDA_ERROR_INVALID_PTX => {
            DeviceFault::Compiler
        }
        _ => DeviceFault::Failed,
    };
    let what = format!("{doing}: {}", words(error));
    Error::device_fault(fault, what, remedy).because(error)
}

/// The driver's own words, or the number of the error.
fn words(error: DriverError) -> String {
    match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => {
            format!("{} ({})", text.to_string_lossy(), name.to_string_lossy())
        }
        _ => format!("error {:?}", error.0),
    }
}
