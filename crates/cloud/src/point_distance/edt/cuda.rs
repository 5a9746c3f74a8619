//! The Euclidean distance transform on a GPU: [`super::Edt::transform`] with arrays that stay on the GPU.
//!
//! The kernels are in `kernels/point_distance/edt.cu`.

mod kernel_arguments;

use self::kernel_arguments::{EdtArgument, PIECE};
use super::Edt;
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};

/// Threads of a block.
const THREADS: u32 = 256;
/// Most voxels along an axis: steps have 15 bits.
const MOST: usize = (1 << 15) - 1;
/// Most voxels: all kernels of a pass have a thread for each line, and rows are counted in 32 bits.
const MOST_LINES: usize = 1 << 31;

/// The kernels of a pass along lines.
struct Pass {
    /// Tells which lines are near.
    choose: Kernel,
    /// Envelopes of those that are not.
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

/// A transform of volumes of one shape on a GPU, with its memory: 12 bytes a voxel, 14 with signs.
pub struct DeviceEdt {
    edt: Edt,
    shape: [usize; 3],
    rows: Kernel,
    slabs: Pass,
    volume: Pass,
    /// Blocks of the first pass.
    grid_of_rows: u32,
    /// Steps along x; without signs the distances, which come later, have place for them.
    steps: Option<Array<u16>>,
    /// What envelopes are made of.
    list: Array<u32>,
    /// Squares in the slabs.
    squares: Array<f32>,
    /// Which lines of the pass are near, of 32 each.
    near: Array<u8>,
    distances: Array<f32>,
}

impl DeviceEdt {
    /// A transform of volumes of `shape`.
    ///
    /// # Errors
    /// Those of [`Edt::transform`]; [`Error::Device`], also for an axis of more than 32,767 voxels and for no voxel, which
    /// the CPU takes.
    pub fn new(cuda: &Cuda, edt: Edt, shape: [usize; 3]) -> Result<Self> {
        let n = shape.iter().product();
        edt.check(n, shape)?;
        let [nx, ny, nz] = shape;
        let lines = [ny * nz, nx * nz, nx * ny];
        if n == 0 || shape.iter().any(|&n| n > MOST) || lines.iter().any(|&n| n >= MOST_LINES) {
            let what = format!(
                "a volume of {nx} x {ny} x {nz} voxels on a GPU, which takes 1 to {MOST} along an axis"
            );
            return Err(Error::device_fault(
                DeviceFault::Limit,
                what,
                "compute it on the CPU (--device cpu)",
            ));
        }
        let unit = Unit::new("point_distance/edt", &[("REAL", "float")])?;
        let rows = cuda.kernel(&unit, "edt_rows")?;
        rows.allow_shared(shared_of_rows(nx))?;
        let resident = rows.resident_blocks(THREADS, shared_of_rows(nx))?;
        let grid_of_rows = resident.min((ny * nz).div_ceil(THREADS as usize / 32) as u32);
        let flags = (nx * ny.max(nz)).div_ceil(THREADS as usize) * THREADS as usize / 32;
        // SAFETY: each pass writes all that the next one reads of steps, squares and flags, and an envelope its list
        // before it goes back along it; distances of voxels of side 1 are written by side 0.
        unsafe {
            Ok(DeviceEdt {
                edt,
                shape,
                rows,
                slabs: Pass::new(cuda, &unit, "slabs")?,
                volume: Pass::new(cuda, &unit, "volume")?,
                grid_of_rows,
                steps: edt.signed.then(|| cuda.unset(n)).transpose()?,
                list: cuda.unset(n)?,
                squares: cuda.unset(n)?,
                near: cuda.unset(flags)?,
                distances: cuda.unset(n)?,
            })
        }
    }

    /// Launches the transform of `inside`, a byte of 0 or 1 for each voxel, x fastest; its distances are
    /// there when the GPU has done what was launched. Where voxels are cubes and the volume is less than 4,096 voxels
    /// across, they have the bits of the CPU; others are within 4e-7 of it.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses a kernel.
    ///
    /// # Panics
    /// If there is not one byte for each voxel.
    pub fn transform(&self, cuda: &Cuda, inside: &Array<u8>) -> Result<&Array<f32>> {
        assert_eq!(inside.len(), self.squares.len(), "one byte for each voxel");
        let steps = self.steps.as_ref().map_or(self.distances.address(), Array::address);
        let [nx, ny, nz] = self.shape;
        let [sx, sy, sz] = self.edt.spacing;
        let blocks = |n: usize| n.div_ceil(THREADS as usize) as u32;
        let grid = |grid: u32| Launch { grid, block: THREADS, shared: 0, cooperative: false };
        for side in 0..=u32::from(self.edt.signed) {
            let argument = EdtArgument {
                shape: self.shape.map(|n| n as u32),
                words: nx.div_ceil(32) as u32,
                across: (sx / sy).powi(2) as f32,
                along: (sy / sz).powi(2) as f32,
                spacing: sz,
                side,
            };
            let with = || Arguments::default().with(argument);
            let arguments = with().with_array(inside).with(steps);
            let rows = Launch { shared: shared_of_rows(nx), ..grid(self.grid_of_rows) };
            // SAFETY: the arguments of `edt_rows`, 16 bits for the steps of a voxel.
            unsafe { cuda.launch(&self.rows, rows, &arguments) }?;

            let lines = blocks(nx * nz);
            let given = || with().with(steps).with_array(&self.near);
            let far = given().with_array(&self.list).with_array(&self.squares);
            let near = given().with_array(&self.squares);
            // SAFETY: the arguments of the kernels along y: a place for each voxel, a flag for 32 lines.
            unsafe {
                cuda.launch(&self.slabs.choose, grid(lines), &given())?;
                cuda.launch(&self.slabs.far, grid(lines), &far)?;
                cuda.launch(&self.slabs.near, grid(lines * pieces(ny)), &near)?;
            }

            let lines = blocks(nx * ny);
            let given = || with().with_array(&self.squares).with_array(&self.near);
            let far = given().with_array(inside).with_array(&self.list).with_array(&self.distances);
            let near = given().with_array(inside).with_array(&self.distances);
            // SAFETY: the arguments of the kernels along z, as above.
            unsafe {
                cuda.launch(&self.volume.choose, grid(lines), &given())?;
                cuda.launch(&self.volume.far, grid(lines), &far)?;
                cuda.launch(&self.volume.near, grid(lines * pieces(nz)), &near)?;
            }
        }
        Ok(&self.distances)
    }
}

impl Edt {
    /// [`Edt::transform`] on a GPU, with both copies.
    ///
    /// # Errors
    /// Those of [`DeviceEdt::new`].
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
        let edt = DeviceEdt::new(cuda, *self, shape)?;
        cuda.download(edt.transform(cuda, &cuda.upload(&bytes)?)?)
    }
}

/// Parts of a line of n voxels.
fn pieces(n: usize) -> u32 {
    n.div_ceil(PIECE) as u32
}

/// Bytes of shared memory of a block of `edt_rows`, for rows of n voxels: three words of 32 voxels for each warp.
fn shared_of_rows(n: usize) -> u32 {
    3 * (n.div_ceil(32) * size_of::<u32>()) as u32 * (THREADS / 32)
}
