//! Surfaces from point clouds.

use std::borrow::Cow;

use super::Subject;
use super::device::{alone, gpu};
use super::threads::pool;
use crate::cloud::PointCloud;
use crate::config::{Device, DeviceKind};
use crate::error::Result;
use crate::mesh::Mesh;
use crate::reconstruct::{self, Options, Report, WORTH_A_GPU, surface};

/// Options of [`reconstruct()`]. The defaults are those of `zeroset reconstruct`.
///
/// ```
/// use zeroset::api::ReconstructOptions;
/// use zeroset::reconstruct::{Method, Options, directed::Cubes};
/// # use zeroset::mesh::generate::{Generate, Sphere, generate};
/// # let points = generate(&Generate::Sphere(Sphere::default()))?.vertices;
/// let cloud = zeroset::cloud::PointCloud::new(points); // on a sphere
/// let surface = Options::default().method(Method::Levelset).cubes(Cubes::Depth(4));
/// let options = ReconstructOptions::default().surface(surface.largest(true));
/// let found = zeroset::reconstruct(&cloud, &options)?;
/// assert_eq!(found.report.surface.genus, Some(0));
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReconstructOptions {
    /// The method, its resolution, and the treatment of points, holes and components.
    pub surface: Options,
    /// The device and the number of CPU threads. By default, a GPU is used for at least 100,000
    /// samples.
    pub device: Device,
}

impl ReconstructOptions {
    /// Sets the method, its resolution, and the treatment of points, holes and components.
    pub fn surface(mut self, surface: Options) -> Self {
        self.surface = surface;
        self
    }

    /// Sets the device and the number of CPU threads.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }
}

/// A reconstructed surface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reconstruction {
    /// The triangles, in the units of the cloud.
    pub mesh: Mesh,
    /// The method, the topology of the surface, its distances from the samples, warnings, and the
    /// result of the self-check.
    pub report: Report,
    /// The subject of each warning of the report, `[warnings]`.
    pub subjects: Vec<Subject>,
}

/// Reconstructs a surface from a point cloud with or without normals.
///
/// The cloud is passed by reference, or by value, which saves the memory of a copy.
///
/// ```
/// # use zeroset::mesh::generate::{Generate, Sphere, generate};
/// # let points = generate(&Generate::Sphere(Sphere::default()))?.vertices;
/// let cloud = zeroset::cloud::PointCloud::new(points); // on a sphere
/// let found = zeroset::reconstruct(&cloud, &Default::default())?;
/// assert!(found.report.check.passed && found.report.surface.genus == Some(0));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) for options out of range and for points that have no
/// extent, [`Error::Numerical`](crate::Error::Numerical) if there is no surface, and
/// [`Error::Device`](crate::Error::Device) if a GPU is requested but not available, or if memory
/// runs out.
pub fn reconstruct<'a>(
    cloud: impl Into<Cow<'a, PointCloud>>,
    options: &ReconstructOptions,
) -> Result<Reconstruction> {
    let cloud = cloud.into();
    let cpu = pool(options.device.threads)?;
    options.surface.check(&cloud)?;
    let mut warnings = Vec::new();
    let warn = &mut |text| warnings.push(text);
    let opened = gpu(&options.device, cloud.len() >= WORTH_A_GPU, warn)?;
    let _alone = opened.is_some().then(alone);
    let device = match &opened {
        None => reconstruct::Device::Cpu,
        Some(gpu) if options.device.kind == DeviceKind::Cuda => reconstruct::Device::Gpu(gpu),
        Some(gpu) => reconstruct::Device::Auto(gpu),
    };
    let (mesh, mut report) = cpu.run(|| surface(cloud.into_owned(), &options.surface, device))?;
    let mut subjects = vec![Subject::Device; warnings.len()];
    report.warnings.splice(0..0, warnings);
    subjects.resize(report.warnings.len(), Subject::Accuracy);
    Ok(Reconstruction { mesh, report, subjects })
}
