//! The surface of a dense volume on a GPU, bitwise identical to [`isosurface`](super::isosurface).
//!
//! The kernels are in `kernels/surface/`. The first pass reads all values and computes one bit per
//! voxel. The second pass uses these bits to count the vertices and triangles of each row of voxels
//! and to scan the counts. The third pass writes vertices and reads only values next to the
//! surface. The fourth pass writes triangles from the bits.

mod number_types;
mod state;

use std::marker::PhantomData;
use std::sync::Arc;

pub use number_types::{DeviceNumber, Ranked};
pub use state::{SurfaceArgument, Totals};

use super::{Field, Options, check, determinant, placed};
use crate::error::{DeviceFault, Error, Result};
use crate::gpu::volume::Stored;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Pinned, Unit};
use crate::mesh::Mesh;
use crate::surface::DeviceSurface;
use crate::surface::cubes::{CASES, check_vertices};
use crate::volume::{Placement, Samples, Scaling, Volume};

/// Voxels per word.
const WORD: usize = 32;
/// Threads per block of the counting kernel, and rows per block.
const ROWS: usize = 256;
/// Threads per block of the other kernels.
const BLOCK: u32 = 128;
/// The number of rows of voxels, and the number of voxels in a row, must be below this value.
const MOST_ROWS: usize = 1 << 31;

/// Extracts surfaces from volumes of one shape and type on a GPU, and keeps its memory between
/// calls. This memory has room for one bit per voxel, or two if values may be infinite or NaN, for
/// 16 bytes per row of voxels, and for the largest surface so far.
pub struct DeviceIsosurface<T> {
    cuda: Arc<Cuda>,
    masks: Launched,
    count: Kernel,
    vertices: Launched,
    triangles: Launched,
    argument: SurfaceArgument,
    shape: [usize; 3],
    scaling: Scaling,
    normals: bool,
    bits: [Array<u32>; 2],
    rows: [Array<u32>; 3],
    told: Array<u64>,
    totals: Array<Totals>,
    seen: Pinned<Totals>,
    cases: Array<u64>,
    surface: DeviceSurface,
    of: PhantomData<T>,
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

impl<T: DeviceNumber> DeviceIsosurface<T> {
    /// Returns the number of bytes of GPU memory for a volume of `shape`, without its values, and a
    /// surface of the given size.
    pub fn bytes(shape: [usize; 3], options: &Options, vertices: usize, triangles: usize) -> usize {
        let size = Self::size(shape, options);
        let rows = size[1] * size[2];
        let kinds = if T::WHOLE { 1 } else { 2 };
        4 * rows * (size[0].div_ceil(WORD) * kinds + 4)
            + 16 * rows.div_ceil(ROWS)
            + DeviceSurface::bytes(vertices, triangles, options.normals)
    }

    fn size(shape: [usize; 3], options: &Options) -> [usize; 3] {
        shape.map(|n| n + 2 * usize::from(options.closed))
    }

    /// Prepares the extraction from volumes of shape `shape` at a placement.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for a shape that has no cubes. Returns [`Error::Device`] if there is
    /// not enough memory, for 2^31 or more rows of voxels or voxels in a row, and if a kernel
    /// cannot be compiled.
    pub fn new(
        cuda: &Arc<Cuda>,
        shape: [usize; 3],
        place: &Placement,
        scaling: Scaling,
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
        has_memory(cuda, Self::bytes(shape, options, 0, 0))?;
        let place = placed(place, usize::from(options.closed));
        let of_values = Unit::with(
            "surface/isosurface",
            vec![
                ("STORED", T::NAME.to_string()),
                ("IS_WHOLE", u8::from(T::WHOLE).to_string()),
                ("NORMALS", u8::from(options.normals).to_string()),
            ],
        )?;
        let words = size[0].div_ceil(WORD);
        let n_words = n_rows * words;
        let bits = [cuda.zeros(n_words)?, cuda.zeros(if T::WHOLE { 0 } else { n_words })?];
        let rows = [cuda.zeros(n_rows)?, cuda.zeros(n_rows)?, cuda.zeros(2 * n_rows)?];
        let (told, totals) = (cuda.zeros(2 * n_rows.div_ceil(ROWS))?, cuda.zeros(1)?);
        let argument = SurfaceArgument {
            inside: bits[0].address(),
            missing: if T::WHOLE { 0 } else { bits[1].address() },
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
        Ok(DeviceIsosurface {
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
            of: PhantomData,
        })
    }

    /// Extracts the surface where the values cross `level`. The surface stays on the GPU until the
    /// next call. Next to values that are not finite, some vertices may belong to no triangle.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the level is not finite, and [`Error::Numerical`] for more than
    /// 2^32 - 1 vertices. Returns [`Error::Device`] for more than 2^32 - 1 triangles, if there is
    /// not enough memory, or if the GPU fails.
    ///
    /// # Panics
    /// Panics if there is not one value per voxel.
    pub fn extract(&mut self, values: &Array<T>, level: f64) -> Result<&DeviceSurface> {
        assert_eq!(values.len(), self.shape.iter().product::<usize>(), "a number for each voxel");
        // SAFETY: the array has one value per voxel, and lives until the end of this call, which
        // waits for the results.
        unsafe { self.extract_at(values.address(), level) }
    }

    /// Extracts the surface of [`DeviceIsosurface::extract`] from the values at an address.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceIsosurface::extract`].
    ///
    /// # Safety
    /// The address must be that of an array on this GPU with one value per voxel. No other work may
    /// use it.
    pub unsafe fn extract_at(&mut self, values: u64, level: f64) -> Result<&DeviceSurface> {
        if !level.is_finite() {
            return Err(Error::usage(format!("level {level}"), "give a finite number"));
        }
        let field =
            Field { values: &[][..], shape: self.shape, scaling: self.scaling, level, layers: 0 };
        let inside = number_types::range(|v: T| field.phi(v) < 0.0, self.scaling.slope < 0.0);
        self.argument.level = level;
        self.argument.values = values;
        self.argument.range = inside.map(T::low_bits);
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
        Ok(&self.surface)
    }

    /// Returns the surface of the last call.
    pub fn into_surface(self) -> DeviceSurface {
        self.surface
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
fn has_memory(cuda: &Cuda, need: usize) -> Result<()> {
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

/// Extracts a surface on a GPU, including the copies to and from the GPU. The mesh is bitwise
/// identical to that of [`isosurface`](super::isosurface).
///
/// # Errors
/// Returns the errors of [`isosurface`](super::isosurface) and of [`DeviceIsosurface::extract`].
pub fn isosurface_on(
    cuda: &Arc<Cuda>,
    volume: &Volume,
    level: f64,
    options: &Options,
) -> Result<Mesh> {
    check(volume.shape(), level, options)?;
    macro_rules! of {
        ($($variant:ident),*) => {
            match volume.samples() {
                $(Samples::$variant(values) => of(cuda, volume, values, level, options),)*
            }
        };
    }
    of!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64)
}

/// Extracts the surface where values that are on the GPU cross `level`. The surface stays on the
/// GPU. Also returns whether a value is not finite; some vertices may then belong to no triangle.
/// `values` is the address of numbers of the type `stored`, x fastest.
///
/// # Errors
/// Returns the errors of [`DeviceIsosurface::new`] and [`DeviceIsosurface::extract`].
///
/// # Safety
/// The values must be an array on this GPU with one number per voxel. No other work may use it.
pub unsafe fn isosurface_between(
    cuda: &Arc<Cuda>,
    (values, stored): (u64, Stored),
    (shape, place): ([usize; 3], &Placement),
    level: f64,
    options: &Options,
) -> Result<(DeviceSurface, bool)> {
    check(shape, level, options)?;
    macro_rules! of {
        ($($variant:ident $type:ty),*) => {
            match stored {
                $(Stored::$variant => {
                    let none = Scaling::NONE;
                    let mut on_gpu =
                        DeviceIsosurface::<$type>::new(cuda, shape, place, none, options)?;
                    // SAFETY: the caller promises that the values are valid.
                    unsafe { on_gpu.extract_at(values, level) }?;
                    let has_missing = on_gpu.has_missing()?;
                    Ok((on_gpu.into_surface(), has_missing))
                })*
            }
        };
    }
    of!(U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64)
}

fn of<T: DeviceNumber>(
    cuda: &Arc<Cuda>,
    volume: &Volume,
    values: &[T],
    level: f64,
    options: &Options,
) -> Result<Mesh> {
    let shape = volume.shape();
    has_memory(cuda, size_of_val(values) + DeviceIsosurface::<T>::bytes(shape, options, 0, 0))?;
    let (place, scaling) = (volume.placement(), volume.scaling());
    let mut on_gpu = DeviceIsosurface::<T>::new(cuda, shape, place, scaling, options)?;
    let mut mesh = on_gpu.extract(&cuda.upload(values)?, level)?.mesh(cuda)?;
    if on_gpu.has_missing()? {
        // Vertices next to a missing value may belong to no triangle. They are removed.
        let keep = vec![true; mesh.n_cells()];
        mesh = crate::mesh::part(mesh, &keep).0;
    }
    Ok(mesh)
}
