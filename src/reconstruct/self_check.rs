//! The self-check of a reconstruction: whether the surface follows its samples.
//!
//! A surface can be closed and smooth and still have lost parts of the samples, or consist of
//! shreds around them. The bounds are stated in units of the cubes or voxels, plus the noise of the
//! samples. An open surface is not a failure: scans of terrain and single range images are open.

use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::surface::{Gaps, Locator, Parts};

/// The largest mean distance of the samples from the surface, in cubes.
const MEAN: f64 = 0.5;
/// A sample is left behind if it is farther than this from the surface, in cubes.
const BEHIND: f64 = 3.0;
/// At most one in this many samples may be left behind.
const LEFT: usize = 50;
/// The largest distance of a sample from the surface, in percent of the diagonal.
const MOST_PERCENT: f64 = 10.0;
/// A component is a shred if it is shorter than this along every axis, in cubes.
const SHRED: f64 = 4.0;
/// The largest share of the area that shreds may have.
const SHREDS_AREA: f64 = 0.1;
/// The smallest number of shreds for which the check can fail. A few small objects may be real.
const FEW: usize = 10;
/// The smallest mean thickness that a surface from the level-set method may have, in voxels. The
/// mean thickness is twice the volume divided by the area. A thinner surface is a film around
/// samples that enclose nothing.
const FILM: f64 = 1.5;

/// The result of the self-check.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[non_exhaustive]
pub struct SelfCheck {
    /// Whether the surface is within all bounds.
    pub passed: bool,
    /// The unit of the bounds, in units of the cloud: the edge of a cube or voxel, or the mean
    /// distance to the nearest samples if it is larger.
    pub cube: f64,
    /// Noise of the samples, in units of the cloud. `None` if it is unknown.
    pub noise: Option<f64>,
    /// Largest permitted mean distance of the samples from the surface, in units of the cloud.
    pub mean_at_most: f64,
    /// The distance from the surface beyond which a sample is left behind, in units of the cloud:
    /// three cubes and three times the noise.
    pub behind: f64,
    /// Number of samples that are left behind.
    pub left_behind: usize,
    /// Number of shreds: components that are shorter than four cubes along every axis.
    pub shreds: usize,
    /// Share of the area that belongs to shreds, in percent.
    pub shreds_percent: f64,
    /// The bounds that are not met, one sentence each, with the remedy.
    pub failures: Vec<String>,
}

/// The surface and the samples that the self-check compares.
pub(super) struct Checked<'a> {
    pub mesh: &'a Mesh,
    pub points: &'a [[f64; 3]],
    pub gaps: Gaps,
    /// Diagonal of the bounding box of the samples.
    pub diagonal: f64,
    /// The unit of the bounds.
    pub cube: f64,
    pub noise: Option<f64>,
    /// Whether the surface comes from the level-set method, which gives closed surfaces.
    pub is_closed: bool,
    /// Whether the samples determine a surface. A few samples, or samples on a line, do not.
    pub is_determined: bool,
    /// The distance between two layers of the samples, if the surface follows at most one of them.
    pub layers: Option<f64>,
}

impl SelfCheck {
    /// Compares a surface with its samples.
    pub(super) fn of(checked: &Checked) -> Self {
        let Checked { mesh, points, gaps, diagonal, cube, noise, .. } = *checked;
        let blur = noise.unwrap_or(0.0);
        let mut check = SelfCheck { cube, noise, ..SelfCheck::default() };
        check.mean_at_most = MEAN * cube + blur;
        let percent = |x: f64| 100.0 * x / diagonal;
        if !checked.is_determined {
            check.failures.push(
                "the density of the cloud is unknown, because it has few samples or they lie on a \
                 line; the surface is a small patch around them: use samples that cover a surface"
                    .into(),
            );
        }
        if gaps.mean > check.mean_at_most {
            check.failures.push(format!(
                "the samples are {:.3e} ({:.2} % of the diagonal) from the surface on average, \
                 more than {:.3e}, which is half a cube plus the noise: {REMEDY}",
                gaps.mean,
                percent(gaps.mean),
                check.mean_at_most
            ));
        }
        if let Some(apart) = checked.layers {
            check.failures.push(format!(
                "the samples lie in two layers that are {apart:.3e} apart, and the surface does not \
                 follow both of them: if they belong to two scans, align the scans; if they are the two \
                 sides of a thin wall, give normals that point to opposite sides, or more samples"
            ));
        }
        let behind = BEHIND * (cube + blur);
        check.behind = behind;
        if gaps.max > behind {
            check.left_behind = n_beyond(mesh, points, behind);
        }
        if check.left_behind > points.len() / LEFT {
            check.failures.push(format!(
                "{} of {} samples are more than {behind:.3e} from the surface, which is three \
                 cubes plus three times the noise: {REMEDY}",
                check.left_behind,
                points.len()
            ));
        }
        if percent(gaps.max) > MOST_PERCENT && gaps.max > behind {
            check.failures.push(format!(
                "a sample is {:.3e} from the surface ({:.1} % of the diagonal, at most \
                 {MOST_PERCENT} % are permitted): {REMEDY}",
                gaps.max,
                percent(gaps.max)
            ));
        }
        check.judge_parts(checked);
        check.passed = check.failures.is_empty();
        check
    }

    /// Adds a bound that is not met.
    pub(super) fn fail(&mut self, failure: String) {
        self.failures.push(failure);
        self.passed = false;
    }

    /// Judges the components: shreds, and films of the level-set method.
    fn judge_parts(&mut self, checked: &Checked) {
        let extents = Parts::new(checked.mesh).extents(checked.mesh);
        let area: f64 = extents.iter().map(|part| part.area).sum();
        let shreds = extents.iter().filter(|part| part.longest() < SHRED * checked.cube);
        self.shreds = shreds.clone().count();
        let of_shreds: f64 = shreds.map(|part| part.area).sum();
        self.shreds_percent = 100.0 * of_shreds / area;
        if self.shreds >= FEW && of_shreds > SHREDS_AREA * area {
            self.failures.push(format!(
                "{} of {} components are shorter than four cubes, with {:.0} % of the area: the \
                 cubes are too small for the samples; use larger ones (a smaller --depth or a \
                 larger --cell)",
                self.shreds,
                extents.len(),
                self.shreds_percent
            ));
        }
        let volume: f64 = extents.iter().map(|part| part.volume.abs()).sum();
        // `volume` is six times the volume, and `area` is twice the area.
        let thickness = 2.0 / 3.0 * volume / area;
        if checked.is_closed && thickness < FILM * checked.cube {
            self.failures.push(format!(
                "the surface is a film of {:.1} voxels around the samples, which enclose nothing: \
                 use the method directed, or larger voxels (a smaller --depth or a larger --cell)",
                thickness / checked.cube
            ));
        }
    }
}

const REMEDY: &str = "compare with another --depth or the other --method, and look for points that \
                      belong to no surface";

/// Returns the number of points that are farther than `limit` from the surface.
fn n_beyond(mesh: &Mesh, points: &[[f64; 3]], limit: f64) -> usize {
    let locator = Locator::new(mesh);
    let is_beyond =
        |x: &&[f64; 3]| locator.closest(Vec3::from(**x)).is_some_and(|found| found.gap > limit);
    points.par_iter().filter(is_beyond).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    fn check(mesh: &Mesh, points: &[[f64; 3]], cube: f64, noise: Option<f64>) -> SelfCheck {
        let gaps = Gaps::new(mesh, points).unwrap();
        SelfCheck::of(&Checked {
            mesh,
            points,
            gaps,
            diagonal: 3.5,
            cube,
            noise,
            is_closed: true,
            is_determined: true,
            layers: None,
        })
    }

    #[test]
    fn surfaces_that_lost_their_samples_fail() {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let mut points = mesh.vertices.clone();
        let found = check(&mesh, &points, 0.05, None);
        assert!(found.passed && found.left_behind == 0 && found.shreds == 0, "{found:?}");
        // One stray sample is permitted, but not a tenth of the samples.
        points.push([1.3, 0.0, 0.0]);
        assert!(check(&mesh, &points, 0.05, None).passed);
        points.extend((0..points.len() / 10).map(|k| [1.3, 0.001 * k as f64, 0.0]));
        let found = check(&mesh, &points, 0.05, None);
        let is_behind = |failure: &String| failure.contains("samples are more than");
        assert!(!found.passed && found.failures.iter().any(is_behind), "{found:?}");
        assert!(check(&mesh, &points, 0.05, Some(0.1)).passed, "noise explains it");
        let off: Vec<[f64; 3]> = mesh.vertices.iter().map(|x| x.map(|c| 1.1 * c)).collect();
        let found = check(&mesh, &off, 0.05, None);
        assert!(found.failures[0].contains("on average"), "{found:?}");
        points.push([3.0, 0.0, 0.0]);
        let found = check(&mesh, &points, 0.1, Some(0.1));
        let is_far = |failure: &String| failure.contains("a sample is");
        assert!(found.failures.iter().any(is_far), "{found:?}");
    }

    #[test]
    fn shreds_and_films_fail() {
        let small = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let mut all = Mesh::new(small.kind, Vec::new(), Vec::new());
        for k in 0..20 {
            let first = all.vertices.len() as u32;
            all.vertices
                .extend(small.vertices.iter().map(|x| [x[0] + 3.0 * f64::from(k), x[1], x[2]]));
            all.cells.extend(small.cells.iter().map(|v| v + first));
        }
        let found = check(&all, &all.vertices.clone(), 0.6, None);
        assert_eq!(found.shreds, 20);
        assert!(found.failures[0].contains("components are shorter"), "{found:?}");
        assert!(check(&all, &all.vertices.clone(), 0.4, None).passed);
        // The mean thickness of the ball is 0.67.
        let found = check(&small, &small.vertices, 0.5, None);
        assert!(found.failures[0].contains("a film"), "{found:?}");
    }
}
