//! Drawing of meshes on a GPU: [`super::draw`] for a mesh that stays on the GPU. The GPU draws,
//! lights and colors all triangles. The CPU draws the lines, the title and the color bar. The
//! picture is bitwise identical to the one drawn on the CPU.
//!
//! The kernels are in `kernels/render/raster.cu`.

mod kernel_arguments;

use self::kernel_arguments::DrawingArgument;
use super::color::{NO_VALUE, SOLID, Srgb};
use super::prepared_mesh::Stage;
use super::raster::{SAMPLES, ruled};
use super::{Camera, Image, Options, Subject};
use crate::render::cuda::{FrameArgument, RAYS_TALL, RAYS_WIDE, check};
use crate::render::{Axes, Extent, Eye, Frame};
use zeroset_core::error::{Error, Result};
use zeroset_gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};

/// The width and height, in pixels, of the rectangle that a thread block colors.
const RECTANGLE: [u32; 2] = [RAYS_WIDE, RAYS_TALL];
/// The number of threads per block.
const THREADS: u32 = RAYS_WIDE * RAYS_TALL;
/// The number of 32-bit words per corner.
const CORNER: usize = 3;
/// The number of values in an extent.
const EXTENT: usize = 5;

struct Kernels {
    extent: Kernel,
    corners: Kernel,
    triangles: Kernel,
    wide: Kernel,
    paint: Kernel,
    heights: Kernel,
}

/// A mesh on a GPU that can be drawn from any direction.
pub struct DeviceMesh<'a> {
    cuda: &'a Cuda,
    stage: Stage<'a>,
    kernels: Kernels,
    argument: DrawingArgument,
    _points: Array<f64>,
    _triangles: Array<u32>,
    _values: Array<f64>,
    _normals: Array<f32>,
    _map: Array<f32>,
    _screen: Array<f32>,
    eye: Option<Eye>,
    extent: Array<u64>,
    corners: Array<u32>,
    large: Array<u32>,
    n_large: Array<u32>,
    samples: Array<u64>,
    pixels: Array<f32>,
    /// The frame of the picture painted last.
    frame: Option<Frame>,
}

impl<'a> DeviceMesh<'a> {
    /// Copies a subject to the GPU, for pictures with the size and range of `options`. The copy
    /// takes 44 bytes per point, 52 per triangle and 124 per pixel.
    ///
    /// # Errors
    /// Returns the errors of [`super::draw`]. Returns [`Error::Device`] if there is not enough
    /// memory. The message states how many bytes are needed and how many are free. Returns
    /// [`Error::Case`] if vertices have their own colors or if there are labels. [`draw_on`]
    /// supports both.
    pub fn new(cuda: &'a Cuda, subject: &Subject<'a>, options: &Options) -> Result<Self> {
        if subject.is_for_cpu() {
            let what = "a mesh with vertex colors or labels on a GPU";
            return Err(Error::usage(what, "draw it on the CPU"));
        }
        let stage = Stage::new(subject, options)?;
        check(cuda, bytes(&stage), "a picture of a mesh")?;
        Self::of(cuda, stage)
    }

    /// Copies a stage without vertex colors or labels to the GPU. The caller checks that there is
    /// enough memory.
    fn of(cuda: &'a Cuda, stage: Stage<'a>) -> Result<Self> {
        let (drawing, options) = (&stage.drawing, &stage.options);
        let (n_points, n_triangles) = (drawing.points.len(), drawing.triangles.len() / 3);
        let n = options.width as usize * options.height as usize;
        let unit = Unit::new("render/raster", &[])?;
        let kernel = |name: &str| cuda.kernel(&unit, name);
        let kernels = Kernels {
            extent: kernel("raster_extent")?,
            corners: kernel("raster_corners")?,
            triangles: kernel("raster_triangles")?,
            wide: kernel("raster_wide")?,
            paint: kernel("raster_paint")?,
            heights: kernel("raster_heights")?,
        };
        let points = cuda.upload(drawing.points.as_flattened())?;
        let triangles = cuda.upload(&drawing.triangles)?;
        let values = cuda.upload(&drawing.values)?;
        let normals = cuda.upload(drawing.normals.as_flattened().as_flattened())?;
        let map = cuda.upload(stage.map.lights.as_flattened())?;
        let screen = cuda.upload(&Srgb::new().encoded)?;
        let [low, high] = stage.range;
        let argument = DrawingArgument {
            points: points.address(),
            triangles: triangles.address(),
            values: values.address(),
            normals: if normals.is_empty() { 0 } else { normals.address() },
            map: map.address(),
            screen: screen.address(),
            low,
            high,
            solid: Srgb::decode(SOLID),
            no_value: Srgb::decode(NO_VALUE),
            n_points: n_points as u32,
            n_triangles: n_triangles as u32,
            n_colored: drawing.n_colored as u32,
            open: drawing.open.into(),
            transparent: options.transparent.into(),
            padding: 0,
        };
        Ok(DeviceMesh {
            cuda,
            kernels,
            argument,
            _points: points,
            _triangles: triangles,
            _values: values,
            _normals: normals,
            _map: map,
            _screen: screen,
            eye: options.perspective.map(|angle| Eye::around(&stage.drawing.points, angle)),
            extent: cuda.zeros(EXTENT)?,
            corners: cuda.zeros(CORNER * n_points)?,
            large: cuda.zeros(n_triangles)?,
            n_large: cuda.zeros(1)?,
            samples: cuda.zeros(SAMPLES * SAMPLES * n)?,
            pixels: cuda.zeros(4 * n)?,
            frame: None,
            stage,
        })
    }

    /// Returns the camera given in the options or, if there is none, the camera for their view.
    pub fn camera(&self) -> Camera {
        self.stage.camera()
    }

    fn size(&self) -> [u32; 2] {
        [self.stage.options.width, self.stage.options.height]
    }

    /// Launches the kernels that compute the pixel colors as seen by a camera. The host waits only
    /// for the extent of the mesh.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects a kernel.
    pub fn paint(&mut self, camera: &Camera) -> Result<()> {
        let extent = self.extent(camera)?;
        let frame = self.frame.insert(self.stage.framed(camera, self.eye, &extent));
        let size = [self.stage.options.width, self.stage.options.height];
        let samples = SAMPLES as u32;
        let seen = FrameArgument::new(frame, size.map(|n| n * samples), samples);
        self.cuda.clear(&mut self.samples)?;
        self.cuda.clear(&mut self.n_large)?;
        let with = || Arguments::default().with(self.argument).with(seen);
        let drawn = || {
            let with = with().with_array(&self.corners).with_array(&self.samples);
            with.with_array(&self.large).with_array(&self.n_large)
        };
        let resident = |kernel: &Kernel| kernel.resident_blocks(THREADS, 0);
        let launch = |grid: u32| Launch { grid, block: THREADS, shared: 0, cooperative: false };
        let for_all = |n: u32, kernel: &Kernel| {
            Ok::<_, Error>(launch(n.div_ceil(THREADS).min(8 * resident(kernel)?)))
        };
        let Kernels { corners, triangles, wide, paint, .. } = &self.kernels;
        let blocks = [0, 1].map(|k| size[k].div_ceil(RECTANGLE[k]));
        let arguments = with().with_array(&self.corners);
        // SAFETY: the arguments match `raster_corners`, with one corner per point.
        unsafe {
            self.cuda.launch(corners, for_all(self.argument.n_points, corners)?, &arguments)
        }?;
        // SAFETY: the arguments match `raster_triangles`, with one word per sample and one entry
        // per triangle.
        unsafe {
            self.cuda.launch(triangles, for_all(self.argument.n_triangles, triangles)?, &drawn())
        }?;
        // SAFETY: the arguments match `raster_wide`, with the same arrays.
        unsafe { self.cuda.launch(wide, launch(resident(wide)?), &drawn()) }?;
        let painted =
            with().with_array(&self.corners).with_array(&self.samples).with_array(&self.pixels);
        // SAFETY: the arguments match `raster_paint`, with four numbers per pixel.
        unsafe { self.cuda.launch(paint, launch(blocks[0] * blocks[1]), &painted) }
    }

    /// Computes the extent of the mesh as seen by a camera.
    fn extent(&mut self, camera: &Camera) -> Result<Extent> {
        self.cuda.clear(&mut self.extent)?;
        let seen = FrameArgument::looking(&Axes::new(camera), self.eye.as_ref());
        let arguments = Arguments::default().with(self.argument).with(seen);
        let kernel = &self.kernels.extent;
        let grid =
            kernel.resident_blocks(THREADS, 0)?.min(self.argument.n_points.div_ceil(THREADS));
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        // SAFETY: the arguments match `raster_extent`, with five numbers.
        unsafe { self.cuda.launch(kernel, launch, &arguments.with_array(&self.extent)) }?;
        let found = self.cuda.download(&self.extent)?;
        let most = |k: usize| match found[k] {
            0 => f64::NEG_INFINITY,
            bits if bits >> 63 == 1 => f64::from_bits(bits ^ 1 << 63),
            bits => f64::from_bits(!bits),
        };
        let (low, high) = ([-most(0), -most(1)], [most(2), most(3)]);
        Ok(Extent { low, high, front: most(4) })
    }

    /// Returns the last painted picture with its lines, title and color bar.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if a kernel failed, or if there is not enough memory.
    ///
    /// # Panics
    /// Panics if no picture has been painted.
    pub fn image(&self) -> Result<Image> {
        let frame = self.frame.as_ref().expect("a picture must be painted first");
        let drawing = &self.stage.drawing;
        let heights = match drawing.lines.is_empty() {
            true => Vec::new(),
            false => self.heights()?,
        };
        let colors = self.cuda.download(&self.pixels)?.as_chunks().0.to_vec();
        let transparent = self.stage.options.transparent;
        let mut image = ruled(drawing, frame, self.size(), transparent, colors, &heights);
        self.stage.label(&mut image);
        Ok(image)
    }

    fn draw(mut self) -> Result<Image> {
        self.paint(&self.camera())?;
        self.image()
    }

    fn heights(&self) -> Result<Vec<f32>> {
        let heights = self.cuda.zeros::<f32>(self.samples.len())?;
        let arguments = Arguments::default()
            .with_array(&self.samples)
            .with(self.samples.len() as u64)
            .with_array(&heights);
        let kernel = &self.kernels.heights;
        let grid = kernel.resident_blocks(THREADS, 0)?;
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        // SAFETY: the arguments match `raster_heights`, with one number per sample.
        unsafe { self.cuda.launch(kernel, launch, &arguments) }?;
        self.cuda.download(&heights)
    }
}

/// Draws a mesh on a GPU like [`super::draw`]. If vertices have their own colors, or if there are
/// labels, the CPU draws the mesh instead.
///
/// # Errors
/// Returns the errors of [`DeviceMesh::new`], [`DeviceMesh::paint`] and [`DeviceMesh::image`].
pub fn draw_on(cuda: &Cuda, subject: &Subject<'_>, options: &Options) -> Result<Image> {
    if subject.is_for_cpu() {
        return super::draw(subject, options);
    }
    DeviceMesh::new(cuda, subject, options)?.draw()
}

/// Draws a mesh as [`draw_on`] does, for use during a run whose arrays may grow. The CPU draws it
/// if a picture would take more than half of the free GPU memory.
///
/// # Errors
/// Returns the errors of [`super::draw`]. Returns [`Error::Device`] if the GPU fails.
pub fn draw_beside(cuda: &Cuda, subject: &Subject<'_>, options: &Options) -> Result<Image> {
    let stage = Stage::new(subject, options)?;
    let (free, _) = cuda.memory()?;
    if subject.is_for_cpu() || bytes(&stage) > free / 2 {
        return Ok(stage.draw());
    }
    DeviceMesh::of(cuda, stage)?.draw()
}

/// Returns the number of bytes that a stage takes on a GPU.
fn bytes(stage: &Stage) -> usize {
    let (drawing, options) = (&stage.drawing, &stage.options);
    let pixels = options.width as usize * options.height as usize;
    44 * drawing.points.len() + 52 * (drawing.triangles.len() / 3) + 124 * pixels
}
