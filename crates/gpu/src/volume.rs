//! Volumes on a GPU, stored in the number type of their files.

use std::any::Any;
use std::fmt;

use crate::Cuda;
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::volume::{Samples, Scaling, Volume};

/// The remedy for a volume that is too large for the GPU.
const TOO_LARGE: &str = "use a coarser volume, or set device.use = \"cpu\"";

zeroset_gpu::cuda_header! {
    "sampled_volume";

    /// The number type in which a volume is stored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stored as STORED_ {
        /// `u8`
        U8 = 0,
        /// `i8`
        I8 = 1,
        /// `u16`
        U16 = 2,
        /// `i16`
        I16 = 3,
        /// `u32`
        U32 = 4,
        /// `i32`
        I32 = 5,
        /// `u64`
        U64 = 6,
        /// `i64`
        I64 = 7,
        /// `f32`
        F32 = 8,
        /// `f64`
        F64 = 9,
    }

    /// A volume and its position in space.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct VolumeArgument as SampledVolume {
        /// The stored numbers, x fastest, or null if there are none.
        pub numbers: u64 as "const void *",
        /// The world coordinates of the first number.
        pub origin: [f64; 3],
        /// The derivative of the indices with respect to world coordinates, one row per index.
        pub inverse: [[f64; 3]; 3],
        /// The slope of the scaling: values are `slope * stored + intercept`.
        pub slope: f64,
        /// The intercept of the scaling.
        pub intercept: f64,
        /// The numbers of voxels along the axes.
        pub shape: [u32; 3],
        /// The number type, as a value of `Stored`.
        pub stored: u32,
        /// Whether a slope or an intercept is set.
        pub scaled: u32,
        /// Unused.
        pub padding: u32,
    }
}

/// The numbers of a volume on a GPU, in their stored type.
pub struct DeviceSamples {
    /// The address of the first number on the GPU.
    pub address: u64,
    /// The number type, as a value of [`Stored`].
    pub code: u32,
    _numbers: Box<dyn Any + Send + Sync>,
}

macro_rules! of_each_type {
    ($samples:expr, $numbers:ident, $code:ident => $body:expr) => {
        of_each_type!(@ $samples, $numbers, $code => $body;
            U8, I8, U16, I16, U32, I32, U64, I64, F32, F64)
    };
    (@ $samples:expr, $numbers:ident, $code:ident => $body:expr; $($variant:ident),*) => {
        match $samples {
            $(Samples::$variant($numbers) => {
                let $code = Stored::$variant as u32;
                $body
            })*
        }
    };
}

impl DeviceSamples {
    /// Copies the stored numbers of a volume to the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory.
    pub fn new(cuda: &Cuda, samples: &Samples) -> Result<Self> {
        of_each_type!(samples, numbers, code => {
            let array = cuda.upload(numbers)?;
            Ok(DeviceSamples { address: array.address(), code, _numbers: Box::new(array) })
        })
    }
}

impl VolumeArgument {
    /// Returns the argument of a volume for kernels that run on the host.
    pub fn on_host(volume: &Volume) -> Self {
        let (numbers, stored) = of_each_type!(volume.samples(), numbers, code => {
            (numbers.as_ptr() as u64, code)
        });
        Self::new(volume, numbers, stored)
    }

    fn new(volume: &Volume, numbers: u64, stored: u32) -> Self {
        let (placement, scaling) = (volume.placement(), volume.scaling());
        VolumeArgument {
            numbers,
            origin: placement.origin(),
            inverse: placement.inverse(),
            slope: scaling.slope,
            intercept: scaling.intercept,
            shape: volume.shape().map(|n| n as u32),
            stored,
            scaled: u32::from(scaling != Scaling::NONE),
            padding: 0,
        }
    }
}

/// A volume on a GPU. Kernels interpolate its values between voxels as [`Volume::sample_extended`]
/// does.
pub struct DeviceVolume {
    argument: VolumeArgument,
    _samples: DeviceSamples,
}

impl fmt::Debug for DeviceVolume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceVolume").field("volume", &self.argument).finish_non_exhaustive()
    }
}

impl DeviceVolume {
    /// Copies the numbers of a volume to the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory (the error states how many bytes are
    /// needed and how many are free), or if an axis has 2^32 voxels or more.
    pub fn new(cuda: &Cuda, volume: &Volume) -> Result<Self> {
        let [x, y, z] = volume.shape();
        if [x, y, z].iter().any(|n| u32::try_from(*n).is_err()) {
            let what = format!(
                "a volume of {x} x {y} x {z} voxels, but an axis can have at most 2^32 - 1 on a GPU"
            );
            return Err(Error::device_fault(DeviceFault::Limit, what, TOO_LARGE));
        }
        let bytes = volume.n_voxels() * volume.samples().width();
        let what = format_args!("a volume of {x} x {y} x {z} voxels");
        cuda.check_room(bytes as u64, what, TOO_LARGE)?;
        let samples = DeviceSamples::new(cuda, volume.samples())?;
        let argument = VolumeArgument::new(volume, samples.address, samples.code);
        Ok(DeviceVolume { argument, _samples: samples })
    }

    /// Returns the kernel argument.
    pub fn argument(&self) -> VolumeArgument {
        self.argument
    }
}
