//! Reconstructs a surface, with a report, from a point cloud. The command line and case files use
//! this module.

use std::time::Instant;

use super::choice::Choice;
use super::directed::Directed;
use super::potential::Levels;
use super::preparation::{prepare, settle};
use super::{Device, Method, Options, SelfCheck};
use crate::cloud::{Estimate, PointCloud, Sides};
use crate::error::Result;
use crate::mesh::Mesh;
use crate::surface::{FilledHoles, Topology, Trimmed};

/// The report of a reconstruction and of its surface.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The method that was used.
    pub method: Method,
    /// The name of the GPU that computed the surface. `None` if the CPU did.
    pub device: Option<String>,
    /// Counts and bounding box of the samples.
    pub samples: Samples,
    /// Whether the given normals agree with their neighbors. `None` if normals were not used.
    pub sides: Option<Sides>,
    /// The estimate of the normals. `None` if no normals were estimated.
    pub estimated_normals: Option<Estimate>,
    /// The report of fitted spheres or directed distances, if such a method was used.
    pub directed: Option<Directed>,
    /// The report of the level-set method, if that method was used.
    pub levelset: Option<Levels>,
    /// The triangles far from all samples that were removed, if this was requested.
    pub trimmed: Option<Trimmed>,
    /// The holes that were filled, if this was requested.
    pub filled: Option<FilledHoles>,
    /// Topology of the surface.
    pub surface: Topology,
    /// Distances of the used samples from the surface.
    pub error: Distance,
    /// The self-check of the surface.
    pub check: SelfCheck,
    /// Time spent in each step of the reconstruction, in seconds.
    pub seconds: Seconds,
    /// Warnings for the user, one sentence each.
    pub warnings: Vec<String>,
}

/// Counts and bounding box of the samples.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Samples {
    /// Number of samples given.
    pub given: usize,
    /// Number of samples used.
    pub used: usize,
    /// Number of samples left out because another one has the same position.
    pub duplicates: u64,
    /// Number of samples left out because they are far from all others.
    pub outliers: usize,
    /// Number of samples left out because they are off the surface of the samples around them.
    pub off_surface: usize,
    /// Smallest coordinates of the used samples, in units of the cloud.
    pub low: [f64; 3],
    /// Largest coordinates of the used samples, in units of the cloud.
    pub high: [f64; 3],
}

/// True distances of the samples from the surface.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Distance {
    /// Mean distance, in units of the cloud.
    pub mean: f64,
    /// Largest distance, in units of the cloud.
    pub max: f64,
    /// Mean distance, as a percentage of the diagonal of the samples' bounding box.
    pub mean_percent: f64,
    /// Largest distance, as a percentage of the same diagonal.
    pub max_percent: f64,
    /// The diagonal of the samples' bounding box, in units of the cloud.
    pub diagonal: f64,
}

/// Time spent in each step, in seconds.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Seconds {
    /// Removal of duplicates and outliers.
    pub clean: f64,
    /// Estimation of normals.
    pub normals: f64,
    /// Fitted spheres, directed distances or the level-set method.
    pub method: f64,
    /// Selection of the largest component, filling of holes and smoothing.
    pub finish: f64,
    /// Topology of the surface, and distances of the samples from it.
    pub check: f64,
}

/// Cleans a cloud, reconstructs its surface, and returns the surface with a report.
///
/// The report states in [`SelfCheck`] whether the surface follows its samples.
///
/// # Errors
/// Returns the errors of [`directed::reconstruct`](super::directed::reconstruct) and
/// [`potential::reconstruct`](super::potential::reconstruct). Returns
/// [`Error::Case`](crate::Error::Case) for options of the method that is not used,
/// [`Error::Numerical`](crate::Error::Numerical) if the surface is empty, and
/// [`Error::Device`](crate::Error::Device) if a required GPU cannot be used.
pub fn surface(cloud: PointCloud, options: &Options, device: Device<'_>) -> Result<(Mesh, Report)> {
    let mut seconds = Seconds::default();
    options.check(&cloud)?;
    let mut warnings = Vec::new();
    let start = Instant::now();
    let (mut prepared, samples) = prepare(cloud, options, device, &mut warnings)?;
    seconds.clean = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let sides = settle(&mut prepared.cloud, options.method, &mut warnings)?;
    let n = prepared.cloud.len();
    prepared.has_common_side = sides.is_some_and(|sides| sides.is_common(n));
    let had_normals =
        sides.is_some_and(|sides| sides.estimated < n) && prepared.cloud.normals.is_none();
    seconds.normals = start.elapsed().as_secs_f64();
    let mut choice = Choice { options, device, seconds, warnings, estimated: None, had_normals };
    let made = match options.method.of(prepared.cloud.normals.is_some()) {
        Method::Levelset => choice.without_normals(&mut prepared)?,
        _ => choice.with_normals(&mut prepared)?,
    };
    let Choice { seconds, mut warnings, estimated, .. } = choice;
    warnings.extend(made.warnings);
    warnings.extend(made.check.failures.iter().cloned());
    let (gaps, diagonal) = (made.gaps, prepared.diagonal);
    let percent = |x: f64| 100.0 * x / diagonal;
    let error = Distance {
        mean: gaps.mean,
        max: gaps.max,
        mean_percent: percent(gaps.mean),
        max_percent: percent(gaps.max),
        diagonal,
    };
    let report = Report {
        method: made.method,
        device: made.name,
        samples,
        sides,
        estimated_normals: estimated.filter(|_| made.method != Method::Levelset),
        directed: made.directed,
        levelset: made.levelset,
        trimmed: made.trimmed,
        filled: made.filled,
        surface: made.surface,
        error,
        check: made.check,
        seconds,
        warnings,
    };
    Ok((made.mesh, report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::{Noise, Sampler, Sampling};
    use crate::mesh::generate::{Generate, Sphere, generate};

    #[test]
    fn clouds_are_cleaned_and_reports_say_what_was_done() {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let noise = Noise::Length(0.0);
        let options = Sampling { n: 6_000, normals: true, noise, outliers: 3, seed: 5 };
        let mut cloud = Sampler::new(&mesh, options).unwrap().cloud();
        cloud.points.push(cloud.points[7]);
        let normals = cloud.normals.as_mut().unwrap();
        normals.push(normals[7]);
        let (found, report) = surface(cloud.clone(), &Options::default(), Device::Cpu).unwrap();
        assert_eq!((report.samples.given, report.samples.duplicates), (6_004, 1));
        let Samples { used, outliers, off_surface, .. } = report.samples;
        assert_eq!(used + outliers + off_surface, 6_003);
        assert!(report.surface.closed, "{:?}", report.surface.holes);
        assert!(report.error.mean_percent < 0.1 && report.estimated_normals.is_none());
        assert_eq!(report.surface.triangles, found.n_cells());
        assert!(report.directed.is_some() && report.levelset.is_none());
        let options = Options { curvature: Some(0.1), ..Options::default() };
        assert!(
            surface(cloud.clone(), &options, Device::Cpu)
                .unwrap_err()
                .to_string()
                .contains("curvature is for the method levelset")
        );
        // Without normals, the level-set method is used. Its depth follows from the spacing.
        cloud.normals = None;
        let (_, report) = surface(cloud.clone(), &options, Device::Cpu).unwrap();
        assert_eq!(report.method, Method::Levelset);
        assert!(report.surface.closed && report.directed.is_none());
        let depth = report.levelset.unwrap().levels.last().unwrap().level;
        assert_eq!(depth, 6);
        // The directed method estimates the normals and reports this. The largest component is the
        // sphere.
        let method = Method::Directed;
        let options = Options { method, largest: true, smooth: 2, ..Options::default() };
        let (_, report) = surface(cloud, &options, Device::Cpu).unwrap();
        assert!(
            report.warnings.iter().any(|said| said.contains("they are estimated")),
            "{:?}",
            report.warnings
        );
        assert_eq!((report.surface.components, report.surface.genus), (1, Some(0)));
        assert!(surface(PointCloud::default(), &Options::default(), Device::Cpu).is_err());
    }
}
