//! Properties of a GPU as reported by the driver, and the reasons why no GPU can be used.

use serde::Serialize;

use zeroset_core::error::{DeviceFault, Error};

/// The properties of a GPU as reported by the driver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuInfo {
    /// The index of the GPU in the driver's list.
    pub ordinal: u32,
    /// The name, such as "NVIDIA H200".
    pub name: String,
    /// The compute capability: major and minor number.
    pub capability: (u32, u32),
    /// The total memory in bytes.
    pub memory: u64,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
}

impl GpuInfo {
    /// The lowest compute capability that the kernels support.
    pub const LEAST_CAPABILITY: (u32, u32) = (7, 5);

    /// Returns the architecture for which kernels are compiled, such as "sm_90".
    pub fn arch(&self) -> String {
        let (major, minor) = self.capability;
        format!("sm_{major}{minor}")
    }
}

/// The reason why a GPU cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The driver library libcuda was not found.
    #[error("no NVIDIA driver (libcuda) found")]
    NoDriver,
    /// The driver reports an error.
    #[error("the NVIDIA driver cannot be used: {0}")]
    Driver(String),
    /// The driver lists no GPU.
    #[error("the NVIDIA driver lists no GPU")]
    NoGpu,
    /// There are GPUs, but none with the requested index.
    #[error("there is no GPU {ordinal}: the driver lists {count}, numbered from 0")]
    NoSuchGpu {
        /// The requested index, counted from 0.
        ordinal: u32,
        /// The number of GPUs that the driver lists.
        count: u32,
    },
    /// The GPU is too old for the kernels.
    #[error("{name} has compute capability {}.{}, but {}.{} is required", .capability.0, .capability.1,
        GpuInfo::LEAST_CAPABILITY.0, GpuInfo::LEAST_CAPABILITY.1)]
    TooOld {
        /// The name of the GPU.
        name: String,
        /// The compute capability of the GPU.
        capability: (u32, u32),
    },
    /// NVRTC was not found. The string lists the locations that were tried.
    #[error("NVRTC not found; tried {0}")]
    NoCompiler(String),
}

impl Reason {
    /// Returns the remedy to suggest to the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            Reason::NoDriver => "install the NVIDIA driver, or compute on the CPU",
            Reason::Driver(_) => "check nvidia-smi, or compute on the CPU",
            Reason::NoGpu => {
                "check the list of nvidia-smi and CUDA_VISIBLE_DEVICES, or compute on the CPU"
            }
            Reason::NoSuchGpu { .. } => "see `zeroset devices` for the available numbers",
            Reason::TooOld { .. } => "use a newer GPU, or compute on the CPU",
            Reason::NoCompiler(_) => {
                "run `pip install nvidia-cuda-nvrtc`, install a CUDA toolkit, or set ZEROSET_NVRTC \
                 to the library file"
            }
        }
    }
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        let fault = match &reason {
            Reason::Driver(_) => DeviceFault::Failed,
            Reason::NoCompiler(_) => DeviceFault::Compiler,
            _ => DeviceFault::Missing,
        };
        Error::device_fault(fault, reason.to_string(), reason.remedy()).because(reason)
    }
}
