//! The Euclidean distance transform on a GPU: [`super::Edt::transform`] for arrays that stay on the
//! GPU.
//!
//! The kernels are in `kernels/point_distance/edt.cu`, and those for faces in `edt_faces.cu`.

mod faces;
mod kernel_arguments;

pub use self::faces::DeviceFaces;

use self::kernel_arguments::{EdtArgument, PIECE};
use super::Edt;
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};

/// The number of threads per block.
const THREADS: u32 = 256;
/// The largest number of voxels along an axis. It is limited because steps are stored in 15 bits.
const MOST: usize = (1 << 15) - 1;
/// A pass must have fewer lines than this, because each line has a thread and rows are counted in
/// 32 bits.
const MOST_LINES: usize = 1 << 31;

/// The kernels of a pass along lines.
struct Pass {
    /// The kernel that selects the lines whose nearest voxels are close.
    choose: Kernel,
    /// The kernel that computes the envelopes of the other lines.
    far: Kernel,
    near: Kernel,
}

impl Pass {
    fn new(cuda: &Cuda, unit: &Unit, axis: &str) -> Result<Self> {
        Ok(Pass {
            choose: cuda.kernel(unit, &format!("edt_choose_{axis}"))?,
            far: cuda.kernel(unit, &format!("edt_{axis}"))?,
            near: cuda.kernel(unit, &format!("edt_near_{axis}"))?,
        })
    }
}

/// A transform for volumes of one shape on a GPU. It owns its GPU memory: 12 bytes per voxel, or 14
/// for signed distances and for the nearest voxels.
#[doc(hidden)]
pub struct DeviceEdt {
    edt: Edt,
    shape: [usize; 3],
    to_zeros: bool,
    rows: Kernel,
    slabs: Pass,
    volume: Pass,
    /// The number of thread blocks of the first pass.
    grid_of_rows: u32,
    /// The steps along x of a signed transform, and of one that finds the nearest voxels.
    /// Otherwise, they share the memory of the distances, which are computed later.
    steps: Option<Array<u16>>,
    /// The kernel that finds the nearest voxels.
    indices: Option<Kernel>,
    /// The parabolas of the envelopes.
    list: Array<u32>,
    /// The squared distances within the slabs, which are planes of constant z.
    squares: Array<f32>,
    /// Whether each group of 32 lines of a pass is searched outward.
    near: Array<u8>,
    distances: Array<f32>,
}

impl DeviceEdt {
    /// Creates a transform for volumes of `shape`.
    ///
    /// # Errors
    /// Returns the errors of [`Edt::transform`]. Returns [`Error::Case`] if `edt` measures to faces
    /// ([`DeviceFaces`] does). Returns [`Error::Device`] if the GPU fails, if there is no voxel, if
    /// an axis has more than 32,767 voxels, or if there are 2^31 lines or more along an axis. The
    /// CPU has none of the last three restrictions.
    pub fn new(cuda: &Cuda, edt: Edt, shape: [usize; 3]) -> Result<Self> {
        let n = shape.iter().product();
        edt.check(n, shape)?;
        if edt.faces {
            let what = "the kernels for centers do not measure to faces";
            return Err(Error::usage(what, "create a DeviceFaces"));
        }
        let [nx, ny, nz] = shape;
        let lines = [ny * nz, nx * nz, nx * ny];
        if n == 0 || shape.iter().any(|&n| n > MOST) || lines.iter().any(|&n| n >= MOST_LINES) {
            let what = format!(
                "a volume of {nx} x {ny} x {nz} voxels, but a GPU supports 1 to {MOST} voxels per axis"
            );
            return Err(Error::device_fault(
                DeviceFault::Limit,
                what,
                "compute on the CPU (--device cpu)",
            ));
        }
        let unit = Unit::new("point_distance/edt", &[("REAL", "float")])?;
        let rows = cuda.kernel(&unit, "edt_rows")?;
        rows.allow_shared(shared_of_rows(nx))?;
        let resident = rows.resident_blocks(THREADS, shared_of_rows(nx))?;
        let grid_of_rows = resident.min((ny * nz).div_ceil(THREADS as usize / 32) as u32);
        let flags = (nx * ny.max(nz)).div_ceil(THREADS as usize) * THREADS as usize / 32;
        // SAFETY: each pass writes all steps, squares and flags that the next one reads. An
        // envelope writes its list before it reads it back. Side 0 writes all distances, and side 1
        // then overwrites those of the voxels inside.
        unsafe {
            Ok(DeviceEdt {
                edt,
                shape,
                to_zeros: false,
                rows,
                slabs: Pass::new(cuda, &unit, "slabs")?,
                volume: Pass::new(cuda, &unit, "volume")?,
                grid_of_rows,
                steps: edt.signed.then(|| cuda.unset(n)).transpose()?,
                indices: None,
                list: cuda.unset(n)?,
                squares: cuda.unset(n)?,
                near: cuda.unset(flags)?,
                distances: cuda.unset(n)?,
            })
        }
    }

    /// Sets whether the voxels marked 0, instead of those marked 1, count as inside.
    ///
    /// # Panics
    /// Panics if the transform is signed.
    pub fn to_zeros(mut self, to_zeros: bool) -> Self {
        assert!(!to_zeros || !self.edt.signed, "the sign depends on the voxels marked 1");
        self.to_zeros = to_zeros;
        self
    }

    /// Creates a transform that also finds the nearest voxels.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceEdt::new`], and [`Error::Case`] for a signed transform.
    pub fn with_indices(cuda: &Cuda, edt: Edt, shape: [usize; 3]) -> Result<Self> {
        if edt.signed {
            let what = "nearest voxels of a signed transform";
            return Err(Error::usage(what, "ask for the nearest voxels of each side on its own"));
        }
        let unit = Unit::new("point_distance/edt", &[("REAL", "float")])?;
        let indices = Some(cuda.kernel(&unit, "edt_indices")?);
        let made = DeviceEdt::new(cuda, edt, shape)?;
        // SAFETY: `edt_rows` writes all steps before they are read.
        let steps = Some(unsafe { cuda.unset(shape.iter().product()) }?);
        Ok(DeviceEdt { steps, indices, ..made })
    }

    /// Launches the search for the nearest voxels, after [`DeviceEdt::transform_between`] with the
    /// same `inside`. `indices` is the address of three `u64` per voxel: first the index along z of
    /// all voxels, then those along y and x. Among voxels at the same distance, the choice is
    /// fixed, but it may differ from that of the CPU. Without a voxel inside, a voxel is nearest to
    /// itself.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects the kernel.
    ///
    /// # Panics
    /// Panics unless the transform was created by [`DeviceEdt::with_indices`].
    ///
    /// # Safety
    /// See [`DeviceEdt::transform_between`].
    pub unsafe fn indices_between(&self, cuda: &Cuda, inside: u64, indices: u64) -> Result<()> {
        let (Some(kernel), Some(steps)) = (&self.indices, &self.steps) else {
            panic!("the transform must have been created for nearest voxels");
        };
        let n: usize = self.shape.iter().product();
        let grid = n.div_ceil(THREADS as usize).min(1 << 20) as u32;
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        let arguments = Arguments::default().with(self.argument(0)).with(inside);
        let arguments = arguments.with_array(steps).with_array(&self.squares).with(indices);
        // SAFETY: the arguments match `edt_indices`, with an entry per voxel and three indices.
        unsafe { cuda.launch(kernel, launch, &arguments) }
    }

    /// Returns the kernel argument for one side.
    fn argument(&self, side: u32) -> EdtArgument {
        let [sx, sy, sz] = self.edt.spacing;
        EdtArgument {
            shape: self.shape.map(|n| n as u32),
            words: self.shape[0].div_ceil(32) as u32,
            across: (sx / sy).powi(2) as f32,
            along: (sy / sz).powi(2) as f32,
            spacing: sz,
            side,
            to_zeros: self.to_zeros.into(),
        }
    }

    /// Launches the transform of `inside`, one byte of 0 or 1 per voxel, x fastest. The distances
    /// are valid when the launched work has finished. If voxels are cubes and the volume is less
    /// than 4,096 voxels across, they are bitwise identical to those computed on the CPU.
    /// Otherwise, the relative difference is at most 4e-7.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects a kernel.
    ///
    /// # Panics
    /// Panics if there is not exactly one byte per voxel.
    pub fn transform(&self, cuda: &Cuda, inside: &Array<u8>) -> Result<&Array<f32>> {
        assert_eq!(inside.len(), self.squares.len(), "there must be one byte per voxel");
        let distances = self.distances.address();
        // SAFETY: both arrays have one entry per voxel and belong to this GPU.
        unsafe { self.transform_between(cuda, inside.address(), distances) }?;
        Ok(&self.distances)
    }

    /// Launches the transform like [`DeviceEdt::transform`], but takes the addresses of its input
    /// and output arrays: one byte, 0 or 1, and one `f32` per voxel.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the driver rejects a kernel.
    ///
    /// # Safety
    /// The arrays must have these sizes, lie in GPU memory, and exist until the launched work has
    /// finished. No other work may use them until then.
    pub unsafe fn transform_between(&self, cuda: &Cuda, inside: u64, distances: u64) -> Result<()> {
        let steps = self.steps.as_ref().map_or(distances, Array::address);
        let [nx, ny, nz] = self.shape;
        let blocks = |n: usize| n.div_ceil(THREADS as usize) as u32;
        let grid = |grid: u32| Launch { grid, block: THREADS, shared: 0, cooperative: false };
        for side in 0..=u32::from(self.edt.signed) {
            let with = || Arguments::default().with(self.argument(side));
            let arguments = with().with(inside).with(steps);
            let rows = Launch { shared: shared_of_rows(nx), ..grid(self.grid_of_rows) };
            // SAFETY: the arguments match `edt_rows`, with 16 bits for the steps of each voxel.
            unsafe { cuda.launch(&self.rows, rows, &arguments) }?;

            let lines = blocks(nx * nz);
            let given = || with().with(steps).with_array(&self.near);
            let far = given().with_array(&self.list).with_array(&self.squares);
            let near = given().with_array(&self.squares);
            // SAFETY: the arguments match the kernels along y, with an entry per voxel and a flag
            // per 32 lines.
            unsafe {
                cuda.launch(&self.slabs.choose, grid(lines), &given())?;
                cuda.launch(&self.slabs.far, grid(lines), &far)?;
                cuda.launch(&self.slabs.near, grid(lines * pieces(ny)), &near)?;
            }

            let lines = blocks(nx * ny);
            let given = || with().with_array(&self.squares).with_array(&self.near);
            let far = given().with(inside).with_array(&self.list).with(distances);
            let near = given().with(inside).with(distances);
            // SAFETY: the arguments match the kernels along z, with an entry per voxel and a flag
            // per 32 lines.
            unsafe {
                cuda.launch(&self.volume.choose, grid(lines), &given())?;
                cuda.launch(&self.volume.far, grid(lines), &far)?;
                cuda.launch(&self.volume.near, grid(lines * pieces(nz)), &near)?;
            }
        }
        Ok(())
    }
}

impl Edt {
    /// Computes [`Edt::transform`] on a GPU. The volume is copied to the GPU, and the distances are
    /// copied back.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceEdt::new`] or [`DeviceFaces::new`].
    #[doc(hidden)]
    pub fn transform_on(
        &self,
        cuda: &Cuda,
        inside: &[bool],
        shape: [usize; 3],
    ) -> Result<Vec<f32>> {
        self.check(inside.len(), shape)?;
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        let bytes: Vec<u8> = inside.iter().map(|&inside| inside.into()).collect();
        let marks = cuda.upload(&bytes)?;
        if self.faces {
            return cuda.download(DeviceFaces::new(cuda, *self, shape)?.transform(cuda, &marks)?);
        }
        let edt = DeviceEdt::new(cuda, *self, shape)?;
        cuda.download(edt.transform(cuda, &marks)?)
    }
}

/// Returns the number of pieces of a line of n voxels.
fn pieces(n: usize) -> u32 {
    n.div_ceil(PIECE) as u32
}

/// Returns the number of bytes of shared memory for a block of `edt_rows` with rows of n voxels:
/// three words per 32 voxels for each warp.
fn shared_of_rows(n: usize) -> u32 {
    3 * (n.div_ceil(32) * size_of::<u32>()) as u32 * (THREADS / 32)
}
