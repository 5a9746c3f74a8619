//! One attempt to reconstruct a surface: a method with its resolution, and the self-check of the
//! result.

use std::time::Instant;

use super::attributes::take_attributes;
use super::depth::Chosen;
use super::directed::{Cubes, Directed, Fit, supported};
use super::layers;
use super::left_behind;
use super::potential::{self, Levels};
use super::self_check::{Checked, SelfCheck};
use super::thickness;
use super::{Device, Method, Options, Seconds};
use crate::cloud::PointCloud;
use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::surface::{
    Extent, FilledHoles, Gaps, Parts, Topology, Trimmed, drop_flat, fill_holes, largest_part,
    smooth, trim,
};
use crate::words::counted;

/// A small component is dropped if its area, in squared mean distances between samples, is less
/// than this.
const FEWEST: f64 = 12.0;
/// A small component is shorter than this along every axis, in cubes.
const SMALL: f64 = 6.0;
/// A component whose normals contradict those of most of its samples is dropped if it is shorter
/// than this along every axis, in cubes.
const UNSUPPORTED: f64 = 16.0;
/// An open surface that was made from estimated normals is doubtful if it has more boundary loops
/// than this.
const MANY_LOOPS: usize = 3;

/// A clean cloud, and what is known about it.
pub(super) struct Prepared {
    pub cloud: PointCloud,
    /// Mean distance to the nearest samples: the median over the samples. 0 if it is unknown.
    pub around: f64,
    pub noise: Option<f64>,
    /// Diagonal of the bounding box.
    pub diagonal: f64,
    /// Whether the cloud had normals of its own, and they are on a common side.
    pub has_common_side: bool,
}

/// A method with its resolution.
pub(super) enum Plan<'a> {
    /// The level-set method at a depth.
    Levelset(&'a Chosen),
    /// Signed distances to fitted spheres, with cubes of a size.
    Spheres(Cubes),
    /// Directed distances to tangent planes.
    Planes,
}

/// The result of an attempt.
pub(super) struct Attempt {
    pub mesh: Mesh,
    pub method: Method,
    pub directed: Option<Directed>,
    pub levelset: Option<Levels>,
    /// Name of the GPU that was used, if any.
    pub name: Option<String>,
    pub trimmed: Option<Trimmed>,
    pub filled: Option<FilledHoles>,
    pub surface: Topology,
    pub gaps: Gaps,
    pub check: SelfCheck,
    pub warnings: Vec<String>,
    /// The reason to try something else, if there is one.
    pub doubt: Option<String>,
}

impl Attempt {
    /// Returns 0 if the surface passes the self-check, 1 if it passes but is doubtful, and 2 if it
    /// fails.
    pub fn rank(&self) -> u32 {
        match (self.check.passed, &self.doubt) {
            (false, _) => 2,
            (true, Some(_)) => 1,
            (true, None) => 0,
        }
    }
}

/// The surface that a method made, before trimming, smoothing and the other final steps.
struct Made {
    mesh: Mesh,
    directed: Option<Directed>,
    levelset: Option<Levels>,
    name: Option<String>,
    warnings: Vec<String>,
    doubt: Option<String>,
}

impl Options {
    /// Reconstructs, finishes and checks a surface.
    ///
    /// # Errors
    /// Returns the errors of the method, and [`Error::Numerical`] if the surface has no triangles.
    pub(super) fn attempt(
        &self,
        plan: &Plan,
        prepared: &Prepared,
        device: Device,
        seconds: &mut Seconds,
    ) -> Result<Attempt> {
        let mut start = Instant::now();
        let mut lap = || {
            let before = std::mem::replace(&mut start, Instant::now());
            start.duration_since(before).as_secs_f64()
        };
        let made = match plan {
            Plan::Levelset(chosen) => self.by_levelset(prepared, chosen, device)?,
            Plan::Spheres(cubes) => by_spheres(prepared, *cubes, device)?,
            Plan::Planes => by_directed(&prepared.cloud, self.cubes, Fit::Planes, device)?,
        };
        seconds.method += lap();
        let Made { mut mesh, directed, levelset, name, mut warnings, mut doubt } = made;
        drop_flat(&mut mesh);
        let mut trimmed = None;
        if let Some(factor) = self.trim.filter(|_| prepared.around > 0.0) {
            let (rest, found) = trim(mesh, &prepared.cloud.points, factor * prepared.around)?;
            (mesh, trimmed) = (rest, Some(found));
        }
        if self.largest {
            mesh = largest_part(mesh);
        }
        let filled = self.fill_holes.map(|size| fill_holes(&mut mesh, size));
        warnings.extend(filled.iter().flat_map(FilledHoles::warnings));
        smooth(&mut mesh, self.smooth);
        seconds.finish += lap();
        let points = &prepared.cloud.points;
        let Some(gaps) = device.gaps(&mesh, points) else {
            return Err(Error::Numerical {
                what: "the surface has no triangles".into(),
                remedy: "check that the normals of neighbors point to the same side; if sheets \
                         are closer to each other than the samples within a sheet, give more \
                         samples; use larger cubes (`--cell`) if the cloud is sparse"
                    .into(),
            });
        };
        let surface = Topology::of(&mesh);
        let of_directed = directed.as_ref().map(|directed| directed.cube);
        let cube = of_directed.or(levelset.as_ref().map(|levels| levels.voxel)).unwrap_or(0.0);
        // Cubes may be smaller than the distance between samples.
        let cube = cube.max(prepared.around);
        let check = SelfCheck::of(&Checked {
            mesh: &mesh,
            points,
            gaps,
            diagonal: prepared.diagonal,
            cube,
            noise: prepared.noise,
            is_closed: levelset.is_some(),
            is_determined: directed.as_ref().is_none_or(Directed::is_density_known),
            layers: layers::distance_between(&mesh, points, &gaps, cube),
        });
        if check.passed && directed.is_some() {
            warnings.extend(left_behind::warning(&mesh, points, &check)?);
        }
        if surface.closed {
            let has_normals = directed.is_some() && prepared.has_common_side;
            warnings.extend(thickness::warning(&mesh, points.len(), has_normals));
        }
        seconds.check += lap();
        let method = match plan {
            Plan::Levelset(_) => Method::Levelset,
            Plan::Spheres(_) => Method::Spheres,
            Plan::Planes => Method::Directed,
        };
        if let Some(failure) = check.failures.first() {
            doubt = Some(failure.clone());
        } else if matches!(plan, Plan::Spheres(_)) && surface.holes.len() > MANY_LOOPS {
            doubt = Some(format!("the surface has {} boundary loops", surface.holes.len()));
        }
        Ok(Attempt {
            mesh,
            method,
            directed,
            levelset,
            name,
            trimmed,
            filled,
            surface,
            gaps,
            check,
            warnings,
            doubt,
        })
    }

    /// Runs the level-set method.
    fn by_levelset(&self, prepared: &Prepared, chosen: &Chosen, device: Device) -> Result<Made> {
        let Prepared { cloud, noise, .. } = prepared;
        let mut asked = potential::Options::of_depth(chosen.depth);
        asked.curvature = self.curvature.unwrap_or(asked.curvature);
        asked.storage = self.storage.unwrap_or(asked.storage);
        let mut warnings = Vec::new();
        let (mut mesh, done, name) = device.levelset(&cloud.points, &asked, &mut warnings)?;
        let outside = done.levels.last().map_or(0, |level| level.outside);
        let doubt = chosen.lost(cloud.len(), outside, *noise, done.voxel);
        warnings.extend(doubt.clone());
        for level in done.levels.iter().filter(|level| !level.at_rest) {
            warnings.push(format!(
                "level {} is not steady after {} steps",
                level.level, level.iterations
            ));
        }
        warnings.extend(chosen.why.clone());
        take_attributes(&mut mesh, cloud)?;
        let levelset = Some(done);
        Ok(Made { mesh, directed: None, levelset, name, warnings, doubt })
    }
}

/// Reconstructs from fitted spheres, and removes the remains of outliers.
fn by_spheres(prepared: &Prepared, cubes: Cubes, device: Device) -> Result<Made> {
    let mut made = by_directed(&prepared.cloud, cubes, Fit::Spheres, device)?;
    let cube = made.directed.as_ref().map_or(0.0, |directed| directed.cube);
    let cut = made.directed.as_ref().map_or(0, |directed| directed.cut_handles);
    if cut > 0 {
        made.warnings.push(format!(
            "cut: {} of the surface without samples on the walls, where its sheets are closer to \
             each other than samples resolve",
            counted(cut, ["handle", "handles"])
        ));
    }
    if made.directed.as_ref().is_some_and(|directed| directed.may_have_handles) {
        made.warnings.push(
            "the search for handles that no sample supports ended early, because the samples \
             contradict much of the surface; the surface may have such handles"
                .into(),
        );
    }
    let (mesh, dropped) = without_remains(made.mesh, cube, prepared.around);
    if dropped > 0 {
        made.warnings.push(format!(
            "left out: {} of the surface that a few samples or none support",
            counted(dropped, ["component", "components"])
        ));
    }
    Ok(Made { mesh, ..made })
}

/// Reconstructs from signed distances to planes or spheres.
fn by_directed(cloud: &PointCloud, cubes: Cubes, fit: Fit, device: Device) -> Result<Made> {
    let mut warnings = Vec::new();
    let (mesh, done, name) = device.directed(cloud, cubes, fit, &mut warnings)?;
    if done.is_density_known() && done.cube < done.safe_cube {
        warnings.push(format!(
            "cubes of edge {:.3e} may leave holes: the cloud is dense enough for {:.3e}",
            done.cube, done.safe_cube
        ));
    }
    let directed = Some(done);
    Ok(Made { mesh, directed, levelset: None, name, warnings, doubt: None })
}

/// Removes small components that are remains of outliers, of sharp edges and of narrow folds: those
/// with the area of only a few samples, those that are thinner than a cube, and those whose normals
/// contradict those of the nearest samples at most vertices. Returns the rest and the number of
/// removed components. If all components are small, they are kept.
fn without_remains(mesh: Mesh, cube: f64, around: f64) -> (Mesh, usize) {
    let parts = Parts::new(&mesh);
    let extents = parts.extents(&mesh);
    // The number of vertices at which the nearest sample contradicts the surface, minus the others.
    let mut contradicted = vec![0_i64; parts.count()];
    for (v, is_supported) in supported(&mesh).into_iter().enumerate() {
        if let Some(part) = parts.of_vertex(v) {
            contradicted[part] += if is_supported { -1 } else { 1 };
        }
    }
    let is_remains = |(part, &contradicted): (&Extent, &i64)| {
        // `area` is twice the area, and `volume` is six times the volume.
        let is_tiny = part.area < 2.0 * FEWEST * around * around;
        let is_thin = 2.0 * part.volume.abs() < 3.0 * cube * part.area;
        part.longest() < SMALL * cube && (is_tiny || is_thin)
            || part.longest() < UNSUPPORTED * cube && contradicted > 0
    };
    let is_remains: Vec<bool> = extents.iter().zip(&contradicted).map(is_remains).collect();
    match is_remains.iter().filter(|is| **is).count() {
        n if n == 0 || n == parts.count() => (mesh, 0),
        n => (parts.keep(mesh, |part| !is_remains[part]), n),
    }
}
