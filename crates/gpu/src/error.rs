//! Conversion of CUDA driver errors to zeroset errors with remedies.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use zeroset_core::error::{DeviceFault, Error};

/// Converts an error that the driver returned. `doing` describes the failed operation.
pub(crate) fn device_error(doing: &str, error: DriverError) -> Error {
    let remedy = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            "free memory on the GPU, set precision = \"f32\", use a smaller mesh, or set use = \"cpu\""
        }
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION => {
            "the program can no longer use the GPU: start it again, with --resume if there is a \
             checkpoint, or with use = \"cpu\"; please report this error"
        }
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => {
            "the GPU is not working properly: check `nvidia-smi`, or set use = \"cpu\""
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU | CUresult::CUDA_ERROR_INVALID_PTX => {
            "the kernel compiler (NVRTC) does not support this GPU: install a newer NVRTC"
        }
        _ => "see `zeroset devices`, or set use = \"cpu\"",
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

/// Returns the driver's message for an error code, or the code itself if there is no message.
fn words(error: DriverError) -> String {
    match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => {
            format!("{} ({})", text.to_string_lossy(), name.to_string_lossy())
        }
        _ => format!("error {:?}", error.0),
    }
}
