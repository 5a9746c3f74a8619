//! Volumes on a GPU, in the type of their files.

use std::any::Any;
use std::fmt;

use crate::Cuda;
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::volume::{Samples, Scaling, Volume};

/// What to do about a volume that does not fit.
const TOO_LARGE: &str = "take a coarser volume, or device.use = \"cpu\"";

zeroset_gpu::cuda_header! {
    "sampled_volume";

    /// Types that volumes are stored in.
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

    /// A volume with its place in the world.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct VolumeArgument as SampledVolume {
        /// The stored numbers, x fastest; null without any.
        pub numbers: u64 as "const void *",
        /// Where the first one lies in the world.
        pub origin: [f64; 3],
        /// Rows give the change of each index with world coordinates.
        pub inverse: [[f64; 3]; 3],
        /// Values are `slope * stored + intercept`.
        pub slope: f64,
        /// See `slope`.
        pub intercept: f64,
        /// Numbers along the axes.
        pub shape: [u32; 3],
        /// Their type, a number of `Stored`.
        pub stored: u32,
        /// Whether there is a slope or an intercept.
        pub scaled: u32,
        /// Nothing.
        pub padding: u32,
    }
}

/// Numbers of a volume on a GPU, of the type they are stored in.
pub struct DeviceSamples {
    /// Address of the first number on the GPU.
    pub address: u64,
    /// A number of [`Stored`].
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
    /// # Errors
    /// [`Error::Device`] if there is not enough memory.
    pub fn new(cuda: &Cuda, samples: &Samples) -> Result<Self> {
        of_each_type!(samples, numbers, code => {
            let array = cuda.upload(numbers)?;
            Ok(DeviceSamples { address: array.address(), code, _numbers: Box::new(array) })
        })
    }
}

impl VolumeArgument {
    /// A volume whose numbers are where kernels find them on the host.
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

/// A volume on a GPU, whose values between voxels kernels take as [`Volume::sample_extended`] gives them.
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
    /// [`Error::Device`] if there is not enough memory, with the bytes needed and free, and for an axis of 2^32
    /// voxels or more.
    pub fn new(cuda: &Cuda, volume: &Volume) -> Result<Self> {
        let [x, y, z] = volume.shape();
        if [x, y, z].iter().any(|n| u32::try_from(*n).is_err()) {
            let what = format!("a volume of {x} x {y} x {z} voxels on a GPU: 2^32 along an axis");
            return Err(Error::device_fault(DeviceFault::Limit, what, TOO_LARGE));
        }
        let bytes = volume.n_voxels() * volume.samples().width();
        let what = format_args!("a volume of {x} x {y} x {z} voxels");
        cuda.check_room(bytes as u64, what, TOO_LARGE)?;
        let samples = DeviceSamples::new(cuda, volume.samples())?;
        let argument = VolumeArgument::new(volume, samples.address, samples.code);
        Ok(DeviceVolume { argument, _samples: samples })
    }

    /// What kernels take.
    pub fn argument(&self) -> VolumeArgument {
        self.argument
    }
}
