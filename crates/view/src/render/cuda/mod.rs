//! Ray marching on a GPU: [`super::march`] for a volume and space skipping data that stay on the
//! GPU. The hits are bitwise identical to those of the CPU.
//!
//! The kernels are in `kernels/render/`.

mod arguments;
mod kernel_arguments;
mod space_skipping;

use self::kernel_arguments::SolidArgument;
pub(crate) use self::kernel_arguments::{FrameArgument, RAYS_TALL, RAYS_WIDE};
use self::space_skipping::DeviceSpaceSkipping;
use super::solid_cubes::Kind;
use super::{Frame, Hit, Rule, Shade, Solid};
use zeroset_core::error::{Error, Result};
use zeroset_core::primitives::memory;
use zeroset_gpu::definitions::Define;
use zeroset_gpu::volume::DeviceSamples;
use zeroset_gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};

/// The width and height of the rectangle of rays that a thread block follows.
const RECTANGLE: [u32; 2] = [RAYS_WIDE, RAYS_TALL];
/// The number of threads per block.
const THREADS: u32 = RAYS_WIDE * RAYS_TALL;
/// The number of bytes per ray: its distance, cube, steps and lighting.
const RAY: usize = 24;

/// A solid on a GPU, with the data that a step rule needs.
pub struct DeviceMarch<'a> {
    cuda: &'a Cuda,
    solid: &'a Solid<'a>,
    march: Kernel,
    shade: Kernel,
    argument: SolidArgument,
    guide: DeviceSpaceSkipping,
    _inside: Array<u8>,
    _values: Option<DeviceSamples>,
}

impl std::fmt::Debug for DeviceMarch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceMarch").field("solid", &self.argument).finish_non_exhaustive()
    }
}

impl<'a> DeviceMarch<'a> {
    /// Returns the largest number of bytes that a solid takes on the GPU under a step rule, not
    /// counting the rays.
    pub fn bytes(rule: Rule, solid: &Solid<'_>) -> usize {
        let samples = solid.volume().samples();
        let values = match solid.kind {
            Kind::Voxels => 0,
            Kind::Level(_) => samples.len() * samples.width(),
        };
        solid.inside().len() + values + DeviceSpaceSkipping::bytes(rule, solid)
    }

    /// Copies a solid to the GPU and computes the data of the rule there: the distance transform,
    /// the pyramid, or the list of cubes.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory. The message states how many bytes
    /// are needed and how many are free. Returns [`Error::Device`] if an axis has more than 32,767
    /// voxels with [`Rule::Isotropic`]. Returns [`Error::Case`] if the cone angle is negative, or
    /// pi / 2 or more.
    pub fn new(cuda: &'a Cuda, rule: Rule, solid: &'a Solid<'a>) -> Result<Self> {
        check(cuda, Self::bytes(rule, solid), "a volume for rays")?;
        let level = match solid.kind {
            Kind::Voxels => "0",
            Kind::Level(_) => "1",
        };
        let bytes: Vec<u8> = solid.inside().iter().map(|&inside| inside.into()).collect();
        let inside = cuda.upload(&bytes)?;
        let values = match solid.kind {
            Kind::Voxels => None,
            Kind::Level(_) => Some(DeviceSamples::new(cuda, solid.volume().samples())?),
        };
        let guide = DeviceSpaceSkipping::new(cuda, rule, solid, &inside)?;
        let defines = vec![("LEVEL", level.to_string())];
        let march = Unit::with("render/march", [&defines[..], &[guide.way.define()]].concat())?;
        let stored = values.as_ref().map_or((0, 0), |values| (values.address, values.code));
        Ok(DeviceMarch {
            cuda,
            solid,
            march: cuda.kernel(&march, "march_rays")?,
            shade: cuda.kernel(&Unit::with("render/shade", defines)?, "shade_hits")?,
            argument: SolidArgument::new(solid, inside.address(), stored),
            guide,
            _inside: inside,
            _values: values,
        })
    }

    /// Returns the solid.
    pub fn solid(&self) -> &'a Solid<'a> {
        self.solid
    }

    /// Allocates the rays of a picture of `width` x `height` pixels with `samples` x `samples` rays
    /// per pixel. A ray takes 24 bytes.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory. The message states how many bytes
    /// are needed and how many are free. Returns [`Error::Case`] if there are 2^32 rays or more
    /// along a side.
    pub fn rays(&self, [width, height]: [u32; 2], samples: u32) -> Result<DeviceRays<'_>> {
        let side = |pixels: u32| pixels.checked_mul(samples);
        let Some((wide, tall)) = side(width).zip(side(height)) else {
            let what = format!("{samples} x {samples} rays per pixel of {width} x {height} pixels");
            return Err(Error::usage(what, "choose a smaller picture"));
        };
        let (size, n) = ([wide, tall], wide as usize * tall as usize);
        check(self.cuda, RAY * n, "the rays of a picture")?;
        let cuda = self.cuda;
        Ok(DeviceRays {
            with: self,
            size,
            samples,
            t: cuda.zeros(n)?,
            cubes: cuda.zeros(n)?,
            steps: cuda.zeros(n)?,
            strength: cuda.zeros(n)?,
            gloss: cuda.zeros(n)?,
        })
    }
}

/// The rays of a picture on a GPU, and their hits.
pub struct DeviceRays<'a> {
    with: &'a DeviceMarch<'a>,
    size: [u32; 2],
    samples: u32,
    t: Array<f64>,
    cubes: Array<u32>,
    steps: Array<u32>,
    strength: Array<f32>,
    gloss: Array<f32>,
}

impl DeviceRays<'_> {
    /// Launches the kernel that follows all rays of a frame.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the kernel.
    pub fn march(&self, frame: &Frame) -> Result<()> {
        let arguments = Arguments::default()
            .with(self.with.argument)
            .with(self.with.guide.argument)
            .with(FrameArgument::new(frame, self.size, self.samples))
            .with_array(&self.t)
            .with_array(&self.cubes)
            .with_array(&self.steps);
        // SAFETY: the arguments match `march_rays`, with one entry per ray.
        unsafe { self.with.cuda.launch(&self.with.march, self.launch(), &arguments) }
    }

    /// Launches the kernel that lights the hits of [`DeviceRays::march`] for the same frame.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the kernel.
    pub fn shade(&self, frame: &Frame) -> Result<()> {
        let arguments = Arguments::default()
            .with(self.with.argument)
            .with(FrameArgument::new(frame, self.size, self.samples))
            .with_array(&self.t)
            .with_array(&self.cubes)
            .with_array(&self.strength)
            .with_array(&self.gloss);
        // SAFETY: the arguments match `shade_hits`, with one entry per ray. Hits refer to cubes of
        // the solid.
        unsafe { self.with.cuda.launch(&self.with.shade, self.launch(), &arguments) }
    }

    fn launch(&self) -> Launch {
        let blocks = [0, 1].map(|k| self.size[k].div_ceil(RECTANGLE[k]));
        Launch { grid: blocks[0] * blocks[1], block: THREADS, shared: 0, cooperative: false }
    }

    /// Returns the hits, like [`super::march`].
    ///
    /// # Errors
    /// Returns [`Error::Device`] if a previously launched kernel failed, or if the host is out of
    /// memory.
    pub fn hits(&self) -> Result<Vec<Hit>> {
        let cuda = self.with.cuda;
        let (t, cubes) = (cuda.download(&self.t)?, cuda.download(&self.cubes)?);
        let steps = cuda.download(&self.steps)?;
        let mut hits = Vec::new();
        memory::reserve(&mut hits, t.len(), "the hits of the rays", "choose a smaller picture")?;
        let parts = t.into_iter().zip(cubes).zip(steps);
        hits.extend(parts.map(|((t, cube), steps)| Hit { t, cube, steps }));
        Ok(hits)
    }

    /// Returns the lighting of the hits.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceRays::hits`].
    pub(crate) fn shades(&self) -> Result<Vec<Shade>> {
        let cuda = self.with.cuda;
        let (strength, gloss) = (cuda.download(&self.strength)?, cuda.download(&self.gloss)?);
        let parts = strength.into_iter().zip(gloss);
        Ok(parts.map(|(strength, gloss)| Shade { strength, gloss }).collect())
    }
}

/// Checks that `bytes` bytes of GPU memory are free. The error names `what`.
pub(crate) fn check(cuda: &Cuda, bytes: usize, what: &str) -> Result<()> {
    let remedy = "draw on the CPU (--device cpu), or choose a smaller picture or volume";
    cuda.check_room(bytes as u64, what, remedy)
}
