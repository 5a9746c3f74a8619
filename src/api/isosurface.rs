//! Isosurfaces of a volume.

use std::sync::Arc;

use super::Subject;
use super::device::either;
use super::threads::pool;
use crate::Cpu;
use crate::config::Device;
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::mesh::Mesh;
use crate::surface::{
    self, FilledHoles, HoleSize, drop_flat, fill_holes, isosurface_on, largest_part, smooth,
};
use crate::volume::Volume;

/// Options of [`isosurface`]. The defaults are those of `zeroset isosurface`, which also computes
/// normals for file formats that hold them.
///
/// ```
/// use zeroset::api::IsosurfaceOptions;
/// use zeroset::volume::{Placement, Volume};
/// let volume = Volume::new([2; 3], vec![1.0; 8].into(), Placement::identity())?;
/// let found = zeroset::isosurface(&volume, 0.5, &IsosurfaceOptions::default().closed(true))?;
/// let (low, high) = found.mesh.bounds();
/// assert_eq!((low, high), ([-0.5; 3], [1.5; 3])); // half a voxel around the volume
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct IsosurfaceOptions {
    /// Whether to close the surface at the boundary of the volume, and whether to compute normals.
    pub surface: surface::IsosurfaceOptions,
    /// Whether to keep only the connected component with the largest area.
    pub largest: bool,
    /// The holes of the surface to fill. `None` fills no hole.
    pub fill_holes: Option<HoleSize>,
    /// Rounds of Taubin smoothing, which does not shrink the surface.
    pub smooth: u32,
    /// The device and the number of CPU threads. By default, a GPU is used for a large volume if
    /// there are few cores.
    pub device: Device,
}

impl IsosurfaceOptions {
    /// Sets whether to close the surface at the boundary of the volume.
    pub fn closed(mut self, closed: bool) -> Self {
        self.surface = self.surface.closed(closed);
        self
    }

    /// Sets whether to add the normals as the vertex arrays `nx`, `ny` and `nz`.
    pub fn normals(mut self, normals: bool) -> Self {
        self.surface = self.surface.normals(normals);
        self
    }

    /// Sets whether to keep only the connected component with the largest area.
    pub fn largest(mut self, largest: bool) -> Self {
        self.largest = largest;
        self
    }

    /// Sets the holes of the surface to fill.
    pub fn fill_holes(mut self, holes: HoleSize) -> Self {
        self.fill_holes = Some(holes);
        self
    }

    /// Sets the number of rounds of Taubin smoothing.
    pub fn smooth(mut self, rounds: u32) -> Self {
        self.smooth = rounds;
        self
    }

    /// Sets the device and the number of CPU threads.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }
}

/// An isosurface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Isosurface {
    /// The triangles, in world coordinates. They face the smaller values.
    pub mesh: Mesh,
    /// Number of zero-area triangles that were dropped. They arise at voxels whose value equals the
    /// level.
    pub flat: usize,
    /// The holes that were filled, if this was requested.
    pub filled: Option<FilledHoles>,
    /// The name of the GPU that computed the surface. `None` if the CPU did.
    pub device: Option<String>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
    /// The subject of each warning, `[warnings]`.
    pub subjects: Vec<Subject>,
}

/// Nanoseconds that one CPU thread needs per voxel.
const OF_A_THREAD: f64 = 6.0;
/// Nanoseconds per voxel for the copies to and from a GPU.
const OF_COPIES: f64 = 1.0;
/// Nanoseconds to start a GPU.
const OF_THE_START: f64 = 0.25e9;

/// Returns true if starting a GPU and copying the volume take less time than the computation on the
/// CPU.
fn is_worth_a_gpu(n_voxels: usize, threads: usize) -> bool {
    n_voxels as f64 * (OF_A_THREAD / threads as f64 - OF_COPIES) > OF_THE_START
}

/// Extracts the surface where the values of a volume cross `level`, in their unit, by marching
/// cubes.
///
/// The surface has no cracks, and its triangles never intersect. The inside has the larger values.
///
/// ```
/// use zeroset::volume::{Placement, Volume};
/// let mut values = vec![0.0; 27];
/// values[13] = 1.0; // the center of 3 x 3 x 3 voxels
/// let volume = Volume::new([3; 3], values.into(), Placement::identity())?;
/// let found = zeroset::isosurface(&volume, 0.5, &Default::default())?;
/// assert_eq!(found.mesh.n_cells(), 8); // an octahedron
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if the level is not finite or not between the values of the volume, and
/// [`Error::Device`] if a GPU is requested but not available, or if memory runs out.
pub fn isosurface(volume: &Volume, level: f64, options: &IsosurfaceOptions) -> Result<Isosurface> {
    let cpu = pool(options.device.threads)?;
    let mut warnings = Vec::new();
    let mut found = isosurface_with(&cpu, volume, level, options, &mut |text| warnings.push(text))?;
    let of_device = warnings.iter().map(|_| Subject::Device);
    let subjects = of_device.chain(found.subjects).collect();
    warnings.append(&mut found.warnings);
    Ok(Isosurface { warnings, subjects, ..found })
}

/// Extracts the surface of [`isosurface`] with the given threads or on a GPU. Warnings about the
/// device go to `warn`.
///
/// # Errors
/// Returns the errors of [`isosurface`].
pub(crate) fn isosurface_with(
    cpu: &Cpu,
    volume: &Volume,
    level: f64,
    options: &IsosurfaceOptions,
    warn: &mut dyn FnMut(String),
) -> Result<Isosurface> {
    let is_worth_it = is_worth_a_gpu(volume.n_voxels(), cpu.threads());
    let on_gpu = |gpu: Arc<Cuda>| {
        let name = gpu.info().name.clone();
        Ok((isosurface_on(&gpu, volume, level, &options.surface)?, Some(name)))
    };
    let on_cpu = || Ok((cpu.run(|| surface::isosurface(volume, level, &options.surface))?, None));
    let (mut mesh, device) = either(&options.device, is_worth_it, warn, on_gpu, on_cpu)?;
    let flat = cpu.run(|| drop_flat(&mut mesh));
    if mesh.n_cells() == 0 {
        return Err(no_surface(volume, level));
    }
    let (mesh, filled) = cpu.run(|| {
        let mut mesh = if options.largest { largest_part(mesh) } else { mesh };
        let filled = options.fill_holes.map(|size| fill_holes(&mut mesh, size));
        smooth(&mut mesh, options.smooth);
        (mesh, filled)
    });
    let warnings: Vec<String> = filled.iter().flat_map(FilledHoles::warnings).collect();
    let subjects = vec![Subject::Mesh; warnings.len()];
    Ok(Isosurface { mesh, flat, filled, device, warnings, subjects })
}

/// Returns the error for a level without a surface.
fn no_surface(volume: &Volume, level: f64) -> Error {
    let found = volume.statistics();
    let range = match (found.min, found.max) {
        (Some(min), Some(max)) => format!("values range from {min} to {max}"),
        _ => "no value is finite".into(),
    };
    let what = format!("level {level}: there is no isosurface, {range}");
    let remedy = "use a level in between, or close the surface if the whole volume is inside";
    Error::usage(what, remedy)
}
