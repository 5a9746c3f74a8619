//! Directed distances on a GPU, with results bitwise identical to [`super::reconstruct`].
//!
//! All steps from the samples to the triangles run on the GPU. The kernels are in
//! `kernels/reconstruct/directed/`, one file per step.

mod boundary_signs;
mod density;
mod field;
mod kernel_arguments;
mod lattice;
mod seeds;
mod spacing;
mod surface;

use std::time::Instant;

pub(in crate::reconstruct) use self::spacing::far_from_others;

use self::field::Field;
use self::seeds::{Points, Seeds};
use super::spheres::Spacings;
use super::{Clock, Cubes, Directed, Fit, Given, Seconds, Sizes};
use crate::cloud::PointCloud;
use crate::error::{DeviceFault, Error, Result};
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};
use crate::mesh::Mesh;
use crate::primitives::memory::gibibytes;

/// Threads per block.
const THREADS: u32 = 512;
/// The largest number of samples that can be sorted.
const MOST_SAMPLES: usize = (1 << 30) - 1;
/// Upper bound on the bytes per sample. During the sort, a sample takes its position and normal in
/// the cloud (36), the key (8), two key-index pairs (24), and a flag for the count of runs (1).
/// After the sort, the position in lattice units replaces the two pairs.
const SAMPLE: u64 = 76;

/// Returns the GPU memory, in bytes, for the samples of a cloud. The field and the surface need
/// additional memory.
pub fn bytes_of_samples(n: usize) -> u64 {
    n as u64 * SAMPLE
}

/// Reconstructs the surface of a cloud with normals on a GPU. The counterpart of
/// [`super::reconstruct`].
///
/// # Errors
/// Returns the errors of [`super::reconstruct`]. Returns [`Error::Device`] for 2^30 samples or
/// more, for more than 1,677,721 tiles of 8^3 cubes, if the GPU does not have enough memory, and if
/// it fails.
pub fn reconstruct(
    cuda: &Cuda,
    cloud: &PointCloud,
    cubes: Cubes,
    fit: Fit,
) -> Result<(Mesh, Directed)> {
    let given = Given::new(cloud)?;
    let mut seconds = Seconds::default();
    let mut memory = Memory::default();
    if cloud.len() > MOST_SAMPLES {
        let what = format!("{} samples; a GPU supports {MOST_SAMPLES}", cloud.len());
        return Err(Error::device_fault(DeviceFault::Limit, what, "compute on the CPU"));
    }
    memory.take(cuda, "samples", cloud.len(), bytes_of_samples(cloud.len()))?;
    let mut clock = Clock(Instant::now());
    let mut lap = || -> Result<f64> {
        cuda.synchronize()?;
        Ok(clock.lap())
    };
    let points = Points::new(cuda, cloud, given.normals)?;
    seconds.copies = lap()?;
    let sizes = match fit {
        Fit::Planes => Sizes::Planes(density::of(cuda, given.bounds, &points)?),
        Fit::Spheres => Sizes::Spheres(Spacings::new(cloud, given.normals, given.bounds)?),
    };
    seconds.density = lap()?;
    let lattice = given.lattice(cubes, &sizes)?;
    let seeds = Seeds::new(cuda, &points, &lattice)?;
    seconds.sort = lap()?;
    let radii = match &sizes {
        Sizes::Planes(_) => None,
        Sizes::Spheres(spacings) => {
            memory.take(cuda, "radii", cloud.len(), 8 * cloud.len() as u64)?;
            Some(cuda.upload(&spacings.radii(given.normals, lattice.cube()))?)
        }
    };
    let mut field = Field::new(cuda, &points, &seeds, &lattice, radii.as_ref(), &mut memory)?;
    seconds.field = lap()?;
    let border = boundary_signs::settle(cuda, &mut field)?;
    seconds.signs = lap()?;
    let surface =
        surface::extract(cuda, &points, &seeds, &lattice, &field, border.names, &mut memory)?;
    seconds.surface = lap()?;
    let (mut mesh, dropped_pieces) = surface.download(cuda, cloud)?;
    let repairs = sizes.repair(&mut mesh, &lattice);
    seconds.copies += lap()?;
    let report = Directed {
        fit,
        cube: lattice.cube(),
        size: lattice.size(),
        seed_cubes: seeds.n_cubes(),
        turned: border.turned,
        dropped_pieces,
        closed_gaps: repairs.closed_gaps,
        cut_handles: repairs.handles.count,
        may_have_handles: repairs.handles.is_partial,
        density: sizes.density(),
        safe_cube: sizes.safe_cube(),
        seconds,
        device_bytes: Some(memory.most),
    };
    Ok((mesh, report))
}

/// GPU memory in bytes, counted before it is allocated.
#[derive(Default)]
struct Memory {
    held: u64,
    most: u64,
}

impl Memory {
    /// Counts the memory of `n` items. Returns an error if the GPU does not have enough.
    fn take(&mut self, cuda: &Cuda, name: &str, n: usize, bytes: u64) -> Result<()> {
        let remedy = "use larger cubes, or compute on the CPU";
        cuda.check_room(bytes, format_args!("{n} {name}"), remedy)?;
        tracing::info!("{n} {name} take {} of GPU memory", gibibytes(bytes));
        self.held += bytes;
        self.most = self.most.max(self.held);
        Ok(())
    }
}

/// Launches a kernel of this method whose threads share `n` items.
///
/// # Safety
/// The arguments must be those of the kernel, and arrays must be as long as the kernel expects.
unsafe fn share(
    cuda: &Cuda,
    file: &str,
    kernel: &str,
    n: usize,
    arguments: &Arguments,
) -> Result<()> {
    let most = 8 * cuda.info().multiprocessors as usize;
    let grid = n.div_ceil(THREADS as usize).min(most) as u32;
    // SAFETY: the caller upholds the contract of `share`, which is also that of `launch`.
    unsafe { launch(cuda, file, kernel, grid, arguments) }
}

/// Launches a kernel of this method with `grid` blocks.
///
/// # Safety
/// The contract is that of [`share`]. The arguments must be those of the kernel, and arrays must be
/// as long as the kernel expects.
unsafe fn launch(
    cuda: &Cuda,
    file: &str,
    kernel: &str,
    grid: u32,
    arguments: &Arguments,
) -> Result<()> {
    let unit = Unit::new(&format!("reconstruct/directed/{file}"), &[])?;
    let kernel = cuda.kernel(&unit, kernel)?;
    let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
    // SAFETY: the caller upholds the contract of `launch`.
    unsafe { cuda.launch(&kernel, launch, arguments) }
}

/// Returns element `at` of an array on the GPU.
fn number(cuda: &Cuda, array: &Array<u32>, at: usize) -> Result<usize> {
    Ok(cuda.download_part(array, at..at + 1)?[0] as usize)
}
