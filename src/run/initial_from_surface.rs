//! The initial level set from a closed surface or closed curves that are read from a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::clock::Dated;
use super::{CleanedMesh, frames, units};
use crate::Cpu;
use crate::config::{Config, InitialCurve, InitialMesh, Inside};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::io::{self, Curves};
use crate::levelset::eikonal::{EikonalState, Slowness, solve};
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;
use crate::patches::{Coordinates, PATCH_SIZE, Partition, Patches};
use crate::surface::{self, PlaneCurves, Side, Solid, TriangleIndex};

/// Warnings about a file, printed immediately and kept for the report.
struct Warnings<'a> {
    path: &'a Path,
    kept: &'a mut Vec<String>,
}

impl Warnings<'_> {
    fn add(&mut self, what: impl std::fmt::Display) {
        let warning = format!("{}: {what}", self.path.display());
        self.add_whole(Some(warning));
    }

    /// Adds a warning that already names the file.
    fn add_whole(&mut self, warning: Option<String>) {
        if let Some(warning) = warning {
            tracing::warn!("{warning}");
            self.kept.push(warning);
        }
    }
}

/// A closed surface from a file.
pub(super) struct ClosedSurface {
    pub path: PathBuf,
    pub frame: io::FileFrame,
    /// The time and the units that the file states, if any.
    pub state: io::StateTime,
    pub solid: Solid,
    /// The thickness of the shell around the surface, if the inside is a shell.
    pub thickness: Option<f64>,
}

/// Returns the signed distance from the vertices of the case's mesh to a triangle mesh. It is
/// negative inside.
///
/// Warnings about the surface are added to `warnings`. `dated` receives the time that the file
/// states, if any.
///
/// # Errors
/// Returns the same errors as [`ClosedSurface::read`].
pub(super) fn from_mesh(
    config: &Config,
    from: &InitialMesh,
    cleaned: &CleanedMesh,
    warnings: &mut Vec<String>,
    dated: &mut Option<Dated>,
) -> Result<Vec<f64>> {
    let surface = ClosedSurface::read(config, from, warnings)?;
    *dated = surface.dated();
    let mixed = frames::different(&surface.path, &surface.frame, &cleaned.about.frame);
    Warnings { path: &surface.path, kept: warnings }.add_whole(mixed);
    let level = SurfaceLevel::new(surface);
    let distances = level.signed_distances(&cleaned.mesh.vertices);
    level.doubts("vertices", warnings);
    Ok(distances)
}

/// A surface with an index for distances to it.
pub(super) struct SurfaceLevel {
    pub surface: ClosedSurface,
    index: TriangleIndex,
    undecided: AtomicUsize,
    inverted: AtomicUsize,
}

impl SurfaceLevel {
    /// Reads a mesh. Warnings about it are added to `warnings`.
    ///
    /// # Errors
    /// Returns the errors of [`ClosedSurface::read`].
    pub(super) fn read(
        config: &Config,
        from: &InitialMesh,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        Ok(Self::new(ClosedSurface::read(config, from, warnings)?))
    }

    fn new(surface: ClosedSurface) -> Self {
        let index = surface.index();
        SurfaceLevel { surface, index, undecided: 0.into(), inverted: 0.into() }
    }

    /// Returns the signed distances of points, negative inside the surface or its shell, and counts
    /// uncertain signs.
    pub(super) fn signed_distances(&self, points: &[[f64; 3]]) -> Vec<f64> {
        if let Some(thickness) = self.surface.thickness {
            let distance = |&x: &[f64; 3]| match self.index.closest(x) {
                Some(closest) => closest.distance - 0.5 * thickness,
                None => f64::INFINITY,
            };
            return points.par_iter().map(distance).collect();
        }
        let found = self.index.signed_distances(points);
        self.undecided.fetch_add(found.undecided, Ordering::Relaxed);
        self.inverted.fetch_add(found.inverted, Ordering::Relaxed);
        found.values
    }

    /// Returns the signed distance of a point without counting an uncertain sign.
    pub(super) fn signed_distance(&self, x: [f64; 3]) -> f64 {
        self.surface.signed_distance(&self.index, x)
    }

    /// Forgets the points with uncertain signs counted so far.
    pub(super) fn forget_doubts(&self) {
        self.undecided.store(0, Ordering::Relaxed);
        self.inverted.store(0, Ordering::Relaxed);
    }

    /// Warns about the points with uncertain signs. `points` names their kind.
    pub(super) fn doubts(&self, points: &str, warnings: &mut Vec<String>) {
        let counts = [&self.undecided, &self.inverted].map(|n| n.load(Ordering::Relaxed));
        self.surface.doubts(points, counts[0], counts[1], warnings);
    }
}

impl ClosedSurface {
    /// Reads the mesh of `initial.mesh`. Warnings about it are added to `warnings`.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the file does not contain a triangle mesh in space.
    pub(super) fn read(
        config: &Config,
        from: &InitialMesh,
        warnings: &mut Vec<String>,
    ) -> Result<Self> {
        let path = config.resolve(&from.path)?;
        let options = io::MeshOptions::default().frame(from.frame).time(from.time);
        let read = io::read_mesh_with(&path, &options)?;
        let mut warnings = Warnings { path: &path, kept: warnings };
        read.warnings.iter().for_each(|w| warnings.add(w));
        // A scale may convert the units, so only unscaled coordinates are checked.
        if from.scale == 1.0 {
            warnings.kept.extend(units::differ(config, &path, &read.stated_units()));
        }
        let solid = match from.thickness {
            Some(_) => Solid::sheets(&read.mesh),
            None => Solid::new(&read.mesh),
        };
        let solid = solid.map_err(|error| error.in_file(&path))?;
        solid.warnings.iter().for_each(|w| warnings.add(w));
        let place = |x: &[f64; 3]| std::array::from_fn(|k| from.scale * x[k] + from.translate[k]);
        let (solid, thickness) = (solid.moved(place), from.thickness);
        let io::About { frame, state, .. } = *read.about;
        Ok(ClosedSurface { solid, thickness, path, frame, state })
    }

    /// Returns the time that the file states, if any.
    pub(super) fn dated(&self) -> Option<Dated> {
        Dated::of(self.state.time, self.path.clone())
    }

    /// Returns an index for distances to the surface.
    pub(super) fn index(&self) -> TriangleIndex {
        self.solid.index()
    }

    /// Returns the signed distance of a point, negative inside the surface or its shell. `index` is
    /// that of [`ClosedSurface::index`].
    pub(super) fn signed_distance(&self, index: &TriangleIndex, x: [f64; 3]) -> f64 {
        let Some(closest) = index.closest(x) else { return f64::INFINITY };
        match self.thickness {
            Some(thickness) => closest.distance - 0.5 * thickness,
            None if index.winding_number(x).abs() > 0.5 => -closest.distance,
            None => closest.distance,
        }
    }

    /// Returns whether the signed distance is continuous. It jumps across a hole.
    pub(super) fn is_continuous(&self) -> bool {
        self.thickness.is_some() || self.solid.open_edges == 0
    }

    /// Returns a box that contains the boundary of the inside.
    pub(super) fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let (low, high) = self.solid.bounds();
        let more = 0.5 * self.thickness.unwrap_or(0.0);
        (low.map(|x| x - more), high.map(|x| x + more))
    }

    /// Warns about points whose side is uncertain, and about points with negative winding numbers.
    /// `points` names their kind, such as "vertices".
    pub(super) fn doubts(
        &self,
        points: &str,
        undecided: usize,
        inverted: usize,
        warnings: &mut Vec<String>,
    ) {
        let mut warnings = Warnings { path: &self.path, kept: warnings };
        surface::doubts(points, undecided, inverted).iter().for_each(|doubt| warnings.add(doubt));
    }
}

/// Returns the signed distance from the vertices of the case's mesh to closed curves. It is
/// negative inside.
///
/// # Errors
/// Returns [`Error::Input`] if the file does not contain curves that bound a region of the mesh.
/// Returns [`Error::Case`] for a mesh of tetrahedra, and for a value of `inside` that does not
/// apply.
pub(super) fn from_curve(
    config: &Config,
    from: &InitialCurve,
    cleaned: &CleanedMesh,
    warnings: &mut Vec<String>,
    dated: &mut Option<Dated>,
) -> Result<Vec<f64>> {
    let path = config.resolve(&from.path)?;
    let mesh = &cleaned.mesh;
    if mesh.kind == Kind::Volume {
        return Err(config.error_at(
            "initial.curve",
            "initial.curve: a curve has no inside in a mesh of tetrahedra",
            "use initial.mesh with a closed surface",
        ));
    }
    let mut found = io::read_curves_at(&path, from.time)?;
    *dated = Dated::of(found.state.time, path.clone());
    let mut warnings = Warnings { path: &path, kept: warnings };
    found.warnings.iter().for_each(|w| warnings.add(w));
    warnings.kept.extend(units::differ(config, &path, &found.state.units));
    close(&path, &mut found, &mut warnings)?;
    if mesh.kind == Kind::Planar {
        return in_plane(config, from, mesh, &found);
    }
    let side = match from.inside {
        None | Some(Inside::Smaller) => Side::Smaller,
        Some(Inside::Left) => Side::Left,
        Some(Inside::Right) => Side::Right,
        Some(Inside::Enclosed) => {
            return Err(config.error_at(
                "initial.curve.inside",
                "initial.curve.inside is \"enclosed\", but a curve on a surface has two sides",
                "use \"smaller\", \"left\" or \"right\"",
            ));
        }
    };
    on_surface(side, mesh, &found, &mut warnings)
}

/// Closes the open curves of a text file, with a warning for each. An open curve is an error if the
/// file has a different format, or if the curve has fewer than three points.
fn close(path: &Path, found: &mut Curves, warnings: &mut Warnings<'_>) -> Result<()> {
    let is_text = found.format == "text";
    for (k, curve) in found.curves.iter_mut().enumerate() {
        let (Some(&first), Some(&last)) = (curve.points.first(), curve.points.last()) else {
            continue;
        };
        if curve.closed {
            continue;
        }
        let (number, gap) = (k + 1, (Vec3::from(first) - Vec3::from(last)).norm());
        let ends = format!("its ends {first:?} and {last:?} are {gap:.3e} apart");
        if !is_text || curve.points.len() < 3 {
            return Err(Error::input(
                path,
                format!("curve {number}"),
                format!("is open, but only a closed curve has an inside; {ends}"),
                "close it",
            ));
        }
        warnings.add(format!("curve {number} is closed by a straight line: {ends}"));
        curve.closed = true;
    }
    Ok(())
}

fn in_plane(config: &Config, from: &InitialCurve, mesh: &Mesh, found: &Curves) -> Result<Vec<f64>> {
    let plane = PlaneCurves::new(&found.curves);
    let mut phi = plane.signed_distances(&mesh.vertices);
    let swap = match from.inside {
        None | Some(Inside::Enclosed) => false,
        Some(Inside::Smaller) => {
            let [enclosed, rest] = areas(mesh, &phi);
            enclosed > rest
        }
        Some(side @ (Inside::Left | Inside::Right)) => {
            let lefts = plane.enclose_left(&found.curves);
            if let Some(k) = lefts.iter().position(|&left| left != lefts[0]) {
                return Err(config.error_at(
                    "initial.curve.inside",
                    format!(
                        "initial.curve.inside: curve {} has its inside on the other side than \
                         curve 1",
                        k + 1
                    ),
                    "reverse one of them, or use \"enclosed\"",
                ));
            }
            lefts.first() != Some(&(side == Inside::Left))
        }
    };
    if swap {
        phi.iter_mut().for_each(|x| *x = -*x);
    }
    Ok(phi)
}

/// Returns two numbers that are proportional to the area where phi < 0 and to the remaining area.
/// Each vertex gets an equal part of the area of each triangle around it.
fn areas(mesh: &Mesh, phi: &[f64]) -> [f64; 2] {
    let mut areas = [0.0; 2];
    for t in mesh.cells.as_chunks::<3>().0 {
        let [a, b, c]: [Vec3; 3] = t.map(|v| mesh.vertices[v as usize].into());
        let area = (b - a).cross(&(c - a)).norm();
        t.iter().for_each(|&v| areas[usize::from(phi[v as usize] >= 0.0)] += area);
    }
    areas
}

fn on_surface(
    side: Side,
    mesh: &Mesh,
    found: &Curves,
    warnings: &mut Warnings<'_>,
) -> Result<Vec<f64>> {
    let sides = surface::sides(mesh, &found.curves, side);
    let sides = sides.map_err(|error| error.in_file(warnings.path))?;
    if sides.lost > 0 {
        warnings.add(format!("{} curves are too small for the mesh and bound nothing", sides.lost));
    }
    if sides.even {
        warnings.add("both sides have nearly the same area; set inside = \"left\" or \"right\"");
    }
    let (low, high) = mesh.bounds();
    let diagonal = (Vec3::from(high) - Vec3::from(low)).norm();
    if sides.gap > 1e-3 * diagonal {
        warnings.add(format!(
            "curve points were up to {:.3e} off the mesh and were moved onto it",
            sides.gap
        ));
    }
    // The distances at vertices near the curve are given. The eikonal solver computes the distances
    // at all other vertices.
    let patches = Arc::new(Patches::new(mesh, Partition::Hilbert, PATCH_SIZE)?);
    let coordinates = Arc::new(Coordinates::<f64>::new(mesh, &patches));
    let mut state = EikonalState::new(patches, coordinates, Slowness::Uniform(1.0));
    state.fix(&sides.near);
    solve(&Cpu::current(), &mut state, None)?;
    // Fronts do not reach connected components that contain no curve. Their vertices get a large
    // distance.
    let far = |u: f64| if u.is_finite() { u } else { diagonal };
    let signed = |(u, &inside): (f64, &bool)| if inside { -far(u) } else { far(u) };
    Ok(state.u_in_mesh_order().into_iter().zip(&sides.inside).map(signed).collect())
}
