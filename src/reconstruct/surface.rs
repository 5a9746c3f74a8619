//! Reconstructs a surface, with a report, from a point cloud. The command line and case files use
//! this module.

use std::time::Instant;

use super::attributes::take_attributes;
use super::depth::Chosen;
use super::directed::{Directed, Fit};
use super::potential::{self, Levels};
use super::{Device, Method, Options};
use crate::cloud::{Estimate, PointCloud, clean_by, estimate_normals};
use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::surface::{
    FilledHoles, Topology, Trimmed, drop_flat, fill_holes, largest_part, smooth, trim,
};

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
    /// The estimate of the normals. `None` if no normals were estimated.
    pub estimated_normals: Option<Estimate>,
    /// The report of directed distances, if that method was used.
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
    /// Mean distance, as a percentage of the diagonal of the bounding box of the samples.
    pub mean_percent: f64,
    /// Largest distance, as a percentage of the same diagonal.
    pub max_percent: f64,
    /// The diagonal of the bounding box of the samples, in units of the cloud.
    pub diagonal: f64,
}

/// Time spent in each step, in seconds.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Seconds {
    /// Removal of duplicates and outliers.
    pub clean: f64,
    /// Estimation of normals.
    pub normals: f64,
    /// Directed distances or the level-set method.
    pub method: f64,
    /// Selection of the largest component, filling of holes and smoothing.
    pub finish: f64,
    /// Topology of the surface, and distances of the samples from it.
    pub check: f64,
}

/// Cleans a cloud, reconstructs its surface, and returns the surface with a report.
///
/// # Errors
/// Returns the errors of [`directed::reconstruct`](super::directed::reconstruct) and
/// [`potential::reconstruct`]. Returns [`Error::Case`] for options of the method that is not used,
/// [`Error::Numerical`] if the surface is empty, and [`Error::Device`] if a required GPU cannot be
/// used.
pub fn surface(cloud: PointCloud, options: &Options, device: Device<'_>) -> Result<(Mesh, Report)> {
    let mut seconds = Seconds::default();
    let mut start = Instant::now();
    let mut lap = || {
        let before = std::mem::replace(&mut start, Instant::now());
        start.duration_since(before).as_secs_f64()
    };
    options.check(&cloud)?;
    let given = cloud.len();
    let far = |points: &[[f64; 3]], factor| device.far_from_others(points, factor);
    let (mut cloud, survey) = clean_by(cloud, options.clean, far)?;
    seconds.clean = lap();
    let used = cloud.len();
    let (duplicates, outliers) = (survey.duplicates, survey.outliers.len());
    let (low, high) = cloud.bounds();
    let samples = Samples { given, used, duplicates, outliers, low, high };
    let mut warnings = Vec::new();
    let mut estimated_normals = None;
    let mut method = options.method.of(cloud.normals.is_some());
    let mut made = None;
    if method == Method::Levelset {
        let chosen = Chosen::of(&cloud, options.cubes, survey.spacing, device)?;
        made = options.by_levelset(&cloud, &chosen, device, &mut warnings)?;
        if made.is_some() {
            warnings.extend(chosen.why);
        }
        seconds.method = lap();
    }
    let made = match made {
        Some(made) => made,
        None => {
            method = match method {
                Method::Directed => Method::Directed,
                _ => Method::Spheres,
            };
            if cloud.normals.is_none() && used > 0 {
                let (normals, estimate) = estimate_normals(&cloud)?;
                let parts = match estimate.parts {
                    1 => String::new(),
                    n => format!(", separately for each of its {n} components"),
                };
                warnings.push(format!("the cloud has no normals: they are estimated{parts}"));
                (cloud.normals, estimated_normals) = (Some(normals), Some(estimate));
            }
            seconds.normals = lap();
            options.by_directed(&cloud, method, device, &mut warnings)?
        }
    };
    let Made { mut mesh, directed, levelset, name } = made;
    seconds.method += lap();
    drop_flat(&mut mesh);
    let mut trimmed = None;
    if let (Some(factor), Some(spacing)) = (options.trim, survey.spacing) {
        let (rest, found) = trim(mesh, &cloud.points, factor * spacing.around)?;
        (mesh, trimmed) = (rest, Some(found));
    }
    if options.largest {
        mesh = largest_part(mesh);
    }
    let filled = options.fill_holes.map(|size| fill_holes(&mut mesh, size));
    warnings.extend(filled.iter().flat_map(FilledHoles::warnings));
    smooth(&mut mesh, options.smooth);
    seconds.finish = lap();
    let Some(gaps) = device.gaps(&mesh, &cloud.points) else {
        return Err(Error::Numerical {
            what: "the surface has no triangles".into(),
            remedy: "check the normals of the cloud; use larger cubes if it is sparse, or smaller \
                     cubes if it has fine detail"
                .into(),
        });
    };
    let surface = Topology::of(&mesh);
    seconds.check = lap();
    let diagonal = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    let percent = |x: f64| 100.0 * x / diagonal;
    let error = Distance {
        mean: gaps.mean,
        max: gaps.max,
        mean_percent: percent(gaps.mean),
        max_percent: percent(gaps.max),
        diagonal,
    };
    let report = Report {
        method,
        device: name,
        samples,
        estimated_normals,
        directed,
        levelset,
        trimmed,
        filled,
        surface,
        error,
        seconds,
        warnings,
    };
    Ok((mesh, report))
}

/// Mean distance of the samples, in voxels, above which the level-set surface no longer follows the
/// sampled surface. Either it bridges parts of that surface, or it has shrunk away from it. The
/// criterion applies only if more than a quarter of the samples are outside of the band. (Noise of
/// two voxels leaves 45 % of the samples outside of the band, with a mean distance of 1.6 voxels.)
const LEFT_BEHIND: f64 = 3.0;

/// The result of a method.
struct Made {
    mesh: Mesh,
    directed: Option<Directed>,
    levelset: Option<Levels>,
    /// Name of the GPU that was used, if any.
    name: Option<String>,
}

impl Options {
    fn by_directed(
        &self,
        cloud: &PointCloud,
        method: Method,
        device: Device,
        warnings: &mut Vec<String>,
    ) -> Result<Made> {
        let fit = if method == Method::Directed { Fit::Planes } else { Fit::Spheres };
        let (mesh, done, name) = device.directed(cloud, self.cubes, fit, warnings)?;
        if done.density.is_some_and(|density| !density.is_known()) || done.safe_cube == 0.0 {
            warnings.push(
                "the density of the cloud is unknown, because it has few samples or they lie on a \
                 line; the surface is a small patch around them"
                    .into(),
            );
        } else if done.cube < done.safe_cube {
            warnings.push(format!(
                "cubes of edge {:.3e} may leave holes: the cloud is dense enough for {:.3e}",
                done.cube, done.safe_cube
            ));
        }
        Ok(Made { mesh, directed: Some(done), levelset: None, name })
    }

    /// Runs the level-set method. Returns `None`, with a warning that states the reason, if the
    /// samples do not belong to a closed surface and the options specify neither the method nor one
    /// of its parameters.
    fn by_levelset(
        &self,
        cloud: &PointCloud,
        chosen: &Chosen,
        device: Device,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Made>> {
        let is_free =
            self.method == Method::Auto && self.curvature.is_none() && self.storage.is_none();
        let mut asked = potential::Options::of_depth(chosen.depth);
        asked.curvature = self.curvature.unwrap_or(asked.curvature);
        asked.storage = self.storage.unwrap_or(asked.storage);
        let mut said = Vec::new();
        let why = match device.levelset(&cloud.points, &asked, &mut said) {
            Ok((mut mesh, done, name)) => {
                let (outside, n) =
                    (done.levels.last().map_or(0, |level| level.outside), cloud.len());
                let leaves = outside > n / 4
                    && (device.gaps(&mesh, &cloud.points))
                        .is_some_and(|gaps| gaps.mean > LEFT_BEHIND * done.voxel);
                let why = format!("the closed surface is far from {outside} of {n} samples");
                if !(leaves && is_free) {
                    warnings.append(&mut said);
                    if leaves {
                        warnings.push(format!(
                            "{why}; the method directed can reconstruct open surfaces"
                        ));
                    } else {
                        warnings.extend(chosen.lost(cloud, outside, done.voxel)?);
                    }
                    for level in done.levels.iter().filter(|level| !level.at_rest) {
                        warnings.push(format!(
                            "level {} is not steady after {} steps",
                            level.level, level.iterations
                        ));
                    }
                    take_attributes(&mut mesh, cloud)?;
                    return Ok(Some(Made { mesh, directed: None, levelset: Some(done), name }));
                }
                why
            }
            Err(Error::Numerical { what, .. }) if is_free => what,
            Err(error) => return Err(error),
        };
        warnings.push(format!("{why}; the method directed is used instead"));
        Ok(None)
    }
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
        assert_eq!(report.samples.used + report.samples.outliers, 6_003);
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
        assert!(report.warnings[0].contains("they are estimated"), "{:?}", report.warnings);
        assert_eq!((report.surface.components, report.surface.genus), (1, Some(0)));
        assert!(surface(PointCloud::default(), &Options::default(), Device::Cpu).is_err());
    }
}
