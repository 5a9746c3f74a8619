//! What is known of a GPU before anything runs on it, and why there is none to run on.

use serde::Serialize;

use zeroset_core::error::{DeviceFault, Error};

/// A GPU, as the driver describes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuInfo {
    /// Number of the GPU, from 0, among those that the driver shows.
    pub ordinal: u32,
    /// Name, such as "NVIDIA H200".
    pub name: String,
    /// Compute capability: major and minor number.
    pub capability: (u32, u32),
    /// Memory in bytes.
    pub memory: u64,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
}

impl GpuInfo {
    /// Lowest compute capability that the kernels are compiled for.
    pub const LEAST_CAPABILITY: (u32, u32) = (7, 5);

    /// The architecture kernels are compiled for: "sm_90".
    pub fn arch(&self) -> String {
        let (major, minor) = self.capability;
        format!("sm_{major}{minor}")
    }
}

/// Why a GPU cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// There is no libcuda to load.
    #[error("no NVIDIA driver (libcuda) found")]
    NoDriver,
    /// The driver refuses to work.
    #[error("the NVIDIA driver fails: {0}")]
    Driver(String),
    /// The driver shows no GPU.
    #[error("the NVIDIA driver shows no GPU")]
    NoGpu,
    /// There are GPUs, but not that one.
    #[error("no GPU number {ordinal}: there are {count}, numbered from 0")]
    NoSuchGpu {
        /// The number asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },
    /// The GPU is older than the kernels.
    #[error("{name} has compute capability {}.{}, {}.{} is needed", .capability.0, .capability.1,
        GpuInfo::LEAST_CAPABILITY.0, GpuInfo::LEAST_CAPABILITY.1)]
    TooOld {
        /// Name of the GPU.
        name: String,
        /// Its compute capability.
        capability: (u32, u32),
    },
    /// There is no compiler for the kernels; holds what was tried.
    #[error("NVRTC not found; tried {0}")]
    NoCompiler(String),
}

impl Reason {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Reason::NoDriver => "install the NVIDIA driver, or compute on the CPU",
            Reason::Driver(_) => "see what nvidia-smi says, or compute on the CPU",
            Reason::NoGpu => {
                "see what nvidia-smi lists and CUDA_VISIBLE_DEVICES hides, or compute on the CPU"
            }
            Reason::NoSuchGpu { .. } => "see the numbers in `zeroset devices`",
            Reason::TooOld { .. } => "take a newer GPU, or compute on the CPU",
            Reason::NoCompiler(_) => {
                "`pip install nvidia-cuda-nvrtc`, install a CUDA toolkit, or set ZEROSET_NVRTC to \
                 the library"
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
