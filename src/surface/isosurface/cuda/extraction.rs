//! The passes over a volume on a GPU, for all number types. They are compiled once, because only
//! the kernels depend on the type.

use std::sync::Arc;

use super::state::{SurfaceArgument, Totals};
use crate::error::{DeviceFault, Error, Result};
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Pinned, Unit};
use crate::surface::DeviceSurface;
use crate::surface::cubes::{CASES, check_vertices};
use crate::surface::isosurface::{Options, check, determinant, placed};
use crate::volume::{Placement, Scaling};

/// Voxels per word.
const WORD: usize = 32;
/// Threads per block of the counting kernel, and rows per block.
const ROWS: usize = 256;
/// Threads per block of the other kernels.
const BLOCK: u32 = 128;
/// The number of rows of voxels, and the number of voxels in a row, must be below this value.
const MOST_ROWS: usize = 1 << 31;

/// The number type of the voxels.
#[derive(Clone, Copy)]
pub(super) struct NumberType {
    /// The name in CUDA C++.
    pub name: &'static str,
    /// Whether all numbers are finite.
    pub is_whole: bool,
}

/// The passes, with their memory.
pub(super) struct Extraction {
    cuda: Arc<Cuda>,
    masks: Launched,
    count: Kernel,
    vertices: Launched,
    triangles: Launched,
    argument: SurfaceArgument,
    pub shape: [usize; 3],
    pub scaling: Scaling,
    normals: bool,
    bits: [Array<u32>; 2],
    rows: [Array<u32>; 3],
    told: Array<u64>,
    totals: Array<Totals>,
    seen: Pinned<Totals>,
    cases: Array<u64>,
    pub surface: DeviceSurface,
}

/// A kernel, launched with as many blocks as can be resident on the GPU at once.
struct Launched(Kernel, Launch);

impl Launched {
    fn new(cuda: &Cuda, unit: &Unit, name: &str) -> Result<Self> {
        let kernel = cuda.kernel(unit, name)?;
        let grid = kernel.resident_blocks(BLOCK, 0)?;
        Ok(Launched(kernel, Launch { grid, block: BLOCK, shared: 0, cooperative: false }))
    }
}

impl Extraction {
    /// Returns [`DeviceIsosurface::bytes`](super::DeviceIsosurface::bytes).
    pub fn bytes(
        shape: [usize; 3],
        of: NumberType,
        options: &Options,
        [vertices, triangles]: [usize; 2],
    ) -> usize {
        let size = Self::size(shape, options);
        let rows = size[1] * size[2];
        let kinds = if of.is_whole { 1 } else { 2 };
        4 * rows * (size[0].div_ceil(WORD) * kinds + 4)
            + 16 * rows.div_ceil(ROWS)
            + DeviceSurface::bytes(vertices, triangles, options.normals)
    }

    fn size(shape: [usize; 3], options: &Options) -> [usize; 3] {
        shape.map(|n| n + 2 * usize::from(options.closed))
    }

    /// Prepares the extraction like [`DeviceIsosurface::new`](super::DeviceIsosurface::new).
    pub fn new(
        cuda: &Arc<Cuda>,
        shape: [usize; 3],
        of: NumberType,
        (place, scaling): (&Placement, Scaling),
        options: &Options,
    ) -> Result<Self> {
        check(shape, 0.0, options)?;
        let size = Self::size(shape, options);
        let n_rows = size[1].saturating_mul(size[2]);
        if n_rows >= MOST_ROWS || size[0] >= MOST_ROWS {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("a volume of {shape:?} voxels; a GPU supports fewer than 2^31 rows"),
                "compute on the CPU (--device cpu)",
            ));
        }
        has_memory(cuda, Self::bytes(shape, of, options, [0, 0]))?;
        let place = placed(place, usize::from(options.closed));
        let of_values = Unit::with(
            "surface/isosurface",
            vec![
                ("STORED", of.name.to_string()),
                ("IS_WHOLE", u8::from(of.is_whole).to_string()),
                ("NORMALS", u8::from(options.normals).to_string()),
            ],
        )?;
        let words = size[0].div_ceil(WORD);
        let n_words = n_rows * words;
        let bits = [cuda.zeros(n_words)?, cuda.zeros(if of.is_whole { 0 } else { n_words })?];
        let rows = [cuda.zeros(n_rows)?, cuda.zeros(n_rows)?, cuda.zeros(2 * n_rows)?];
        let (told, totals) = (cuda.zeros(2 * n_rows.div_ceil(ROWS))?, cuda.zeros(1)?);
        let argument = SurfaceArgument {
            inside: bits[0].address(),
            missing: if of.is_whole { 0 } else { bits[1].address() },
            first_vertex: rows[0].address(),
            first_triangle: rows[1].address(),
            along: rows[2].address(),
            told: told.address(),
            totals: totals.address(),
            slope: scaling.slope,
            intercept: scaling.intercept,
            origin: place.origin(),
            steps: place.steps(),
            inverse: place.inverse(),
            shape: shape.map(|n| n as u32),
            size: size.map(|n| n as u32),
            layers: u32::from(options.closed),
            words: words as u32,
            lanes: words.next_power_of_two().min(32) as u32,
            is_scaled: u32::from(scaling != Scaling::NONE),
            ..SurfaceArgument::default()
        };
        Ok(Extraction {
            masks: Launched::new(cuda, &of_values, "surface_masks")?,
            count: cuda.kernel(&Unit::new("surface/count", &[])?, "surface_count")?,
            vertices: Launched::new(cuda, &of_values, "surface_vertices")?,
            triangles: Launched::new(
                cuda,
                &Unit::new("surface/triangles", &[])?,
                "surface_triangles",
            )?,
            argument,
            shape,
            scaling,
            normals: options.normals,
            bits,
            rows,
            told,
            totals,
            seen: cuda.pinned(1)?,
            // A left-handed placement reverses the orientation of triangles.
            cases: cuda.upload(&cases(determinant(place.steps()) < 0.0))?,
            surface: DeviceSurface {
                vertices: cuda.zeros(0)?,
                normals: options.normals.then(|| cuda.zeros(0)).transpose()?,
                triangles: cuda.zeros(0)?,
                n_vertices: 0,
                n_triangles: 0,
            },
            cuda: cuda.clone(),
        })
    }

    /// Extracts the surface from the values at an address. Numbers from `inside[0]` to `inside[1]`
    /// are inside; the bits of these numbers are in the lowest bits.
    ///
    /// # Safety
    /// See [`DeviceIsosurface::extract_at`](super::DeviceIsosurface::extract_at).
    pub unsafe fn extract(&mut self, values: u64, level: f64, inside: [u64; 2]) -> Result<()> {
        self.argument.level = level;
        self.argument.values = values;
        self.argument.range = inside;
        let cuda = self.cuda.clone();
        cuda.clear(&mut self.told)?;
        cuda.clear(&mut self.totals)?;
        let with = |argument: SurfaceArgument| Arguments::default().with(argument);
        let Launched(masks, launch) = &self.masks;
        // SAFETY: this is the argument of `surface_masks`. There is one value per voxel, and one
        // word per 32 voxels of a row.
        unsafe { cuda.launch(masks, *launch, &with(self.argument)) }?;
        let tiles = self.rows[0].len().div_ceil(ROWS) as u32;
        let launch = Launch { grid: tiles, block: ROWS as u32, shared: 0, cooperative: false };
        let arguments = with(self.argument).with_array(&self.cases);
        // SAFETY: these are the arguments of `surface_count`. Arrays have room for all rows and
        // tiles of rows, and `told` and `totals` are zero.
        unsafe { cuda.launch(&self.count, launch, &arguments) }?;
        // Try the memory of the previous surface first, because surfaces of successive calls
        // usually have similar sizes. If there is not enough room, nothing is written.
        self.generate()?;
        cuda.fetch(&self.totals, &mut self.seen)?;
        let found = self.seen.get()?[0];
        check_vertices(found.vertices)?;
        if found.triangles > u64::from(u32::MAX) {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("a surface of {} triangles; a GPU supports 2^32 - 1", found.triangles),
                "compute on the CPU (--device cpu)",
            ));
        }
        let [n_vertices, n_triangles] = [found.vertices, found.triangles].map(|n| n as usize);
        if found.vertices > self.argument.room[0] || found.triangles > self.argument.room[1] {
            self.make_room(n_vertices, n_triangles)?;
            self.generate()?;
        }
        (self.surface.n_vertices, self.surface.n_triangles) = (n_vertices, n_triangles);
        Ok(())
    }

    /// Returns whether the last volume had a value that is not finite.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if an earlier kernel failed.
    pub fn has_missing(&self) -> Result<bool> {
        Ok(self.seen.get()?[0].has_missing != 0)
    }

    fn generate(&self) -> Result<()> {
        let with = || Arguments::default().with(self.argument);
        let Launched(kernel, launch) = &self.vertices;
        // SAFETY: this is the argument of `surface_vertices`, which writes only if there is room.
        unsafe { self.cuda.launch(kernel, *launch, &with()) }?;
        let Launched(kernel, launch) = &self.triangles;
        // SAFETY: these are the arguments of `surface_triangles`, which writes only if there is
        // room.
        unsafe { self.cuda.launch(kernel, *launch, &with().with_array(&self.cases)) }
    }

    fn make_room(&mut self, vertices: usize, triangles: usize) -> Result<()> {
        let (cuda, surface) = (&self.cuda, &mut self.surface);
        // Free the old arrays first.
        surface.vertices = cuda.zeros(0)?;
        surface.normals = None;
        surface.triangles = cuda.zeros(0)?;
        self.argument.room = [0, 0];
        has_memory(cuda, DeviceSurface::bytes(vertices, triangles, self.normals))?;
        surface.vertices = cuda.zeros(vertices)?;
        surface.normals = self.normals.then(|| cuda.zeros(vertices)).transpose()?;
        surface.triangles = cuda.zeros(triangles)?;
        self.argument.vertices = surface.vertices.address();
        self.argument.normals = surface.normals.as_ref().map_or(0, Array::address);
        self.argument.triangles = surface.triangles.address();
        self.argument.room = [vertices as u64, triangles as u64];
        Ok(())
    }

    /// Returns the number of bytes of GPU memory that this value holds.
    pub fn held(&self) -> usize {
        let words: usize = self.bits.iter().chain(&self.rows).map(Array::len).sum();
        let [vertices, triangles] = self.argument.room.map(|n| n as usize);
        4 * words + 8 * self.told.len() + DeviceSurface::bytes(vertices, triangles, self.normals)
    }
}

/// Returns an error if the GPU does not have `need` bytes of free memory.
pub(super) fn has_memory(cuda: &Cuda, need: usize) -> Result<()> {
    let remedy = "use a coarser volume, or compute on the CPU (--device cpu)";
    cuda.check_room(need as u64, "the surface", remedy)
}

/// Returns the triangles of each case in the format of the kernels: four bits for the edge on which
/// each triangle corner lies, and the number of triangles in the four highest bits.
pub fn cases(flipped: bool) -> [u64; 256] {
    std::array::from_fn(|case| {
        let triangles = CASES[case].triangles();
        let turned = triangles.iter().map(|&[a, b, c]| if flipped { [a, c, b] } else { [a, b, c] });
        let corners = turned.flatten().enumerate();
        let edges = corners.fold(0, |edges, (n, e)| edges | u64::from(e) << (4 * n));
        edges | (triangles.len() as u64) << 60
    })
}
