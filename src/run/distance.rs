//! The task [distance] on a mesh: a single solve, whose result is the only state of the run.

mod exact;
mod isochrones;
mod part;
mod regions;
mod report;
mod sensitivity;
mod solve;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::mesh_setup::{self, MeshSetup};
use super::region::Region;
use super::sources::Method;
use super::states::{Extras, MeshState, States, StoredMesh};
use super::task::{self, Run, Stages, Task};
use super::writer::Files;
use super::{factory, marks, setup, sources};
use crate::Cpu;
use crate::config::{Config, Distance, Units};
use crate::error::{Error, Result};
use crate::io::vtk::{self, Compression, Geometry, VtkOutput};
use crate::levelset::eikonal::path::{self, Paths};
use crate::levelset::eikonal::source::{self, Part, Source};
use crate::levelset::eikonal::{self, Front, Isochrones, Slowness, skinny};
use crate::mesh::Mesh;
use crate::output::{Report, RunFolder, Status};
use crate::picture::Marks;
use exact::ExactStart;
use report::{note_extras, note_skinny};
pub use sensitivity::Sensitivity;
pub(super) use solve::Solved;

/// The result of a distance computation, in the order of the cleaned mesh.
pub(crate) struct Found {
    /// Distances. Vertices that no front has reached have the width of the case, with the sign of
    /// their side, or NaN without a width.
    pub values: Vec<f64>,
    /// Labels and gradients, if requested.
    pub extras: Extras,
    /// The requested paths to the sources.
    pub paths: Vec<path::Path>,
    /// The requested isochrones.
    pub isochrones: Option<Isochrones>,
}

/// A case that computes a distance on a mesh.
pub(super) struct DistanceTask<'a> {
    pub config: &'a Config,
    pub distance: &'a Distance,
    pub cpu: Arc<Cpu>,
}

impl Task for DistanceTask<'_> {
    fn report(&self) -> Report {
        Report::new(self.config, self.cpu.threads())
    }

    fn check(&self) -> Result<String, Vec<Error>> {
        let config = self.config;
        mesh_setup::check(config, "distance", |cleaned, _| {
            let method = setup::slowness(config, cleaned, &mut Vec::new())
                .and_then(|slowness| sources::method(config, &slowness, cleaned));
            if let Ok(Method::Fronts(front)) = method {
                let doubt = skinny::doubt(&cleaned.mesh, front);
                doubt.iter().for_each(|doubt| tracing::warn!("{doubt}"));
            }
            let seeds = sources::problems(config, cleaned).into_iter().map(|(_, error)| Err(error));
            let paths = sources::path_starts(config, cleaned).map(drop);
            let regions = regions::numbers(config, self.distance, cleaned).map(drop);
            [method.map(drop)].into_iter().chain(seeds).chain([paths, regions]).collect()
        })
    }

    fn run(&self, mut run: Run<'_>, report: &mut Report) -> Result<()> {
        let setup = MeshSetup::new(self.config, self.cpu.clone(), &mut run.stage)?;
        setup.note(report);
        let found = setup.distance(self.distance, report, &mut run.stage)?;
        run.stage.writes()?;
        setup.write_distance(run.folder, report, found)
    }

    fn sample(
        &self,
        run: Run<'_>,
        report: &mut Report,
        seconds: f64,
    ) -> Result<Option<task::Part>> {
        self.part(run, report, seconds).map(Some)
    }
}

impl MeshSetup {
    /// Computes the distance of the case in the order of the cleaned mesh and compares it with
    /// `[expect]`.
    pub(crate) fn distance(
        &self,
        distance: &Distance,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<Found> {
        let slowness = setup::slowness(&self.config, &self.cleaned, &mut report.warnings)?;
        let method = sources::method(&self.config, &slowness, &self.cleaned)?;
        let starts = sources::path_starts(&self.config, &self.cleaned)?;
        let regions = regions::numbers(&self.config, distance, &self.cleaned)?;
        let has_paths = !starts.is_empty();
        let with_parts = has_paths || distance.velocity || self.config.output.picture.is_some();
        let places: Vec<path::Start> = starts.iter().map(|(_, start)| *start).collect();
        let mut start = self.start(distance, &slowness, method, &places, with_parts, report)?;
        report.warnings.extend(self.cleaned.doubts());
        let parts = match (&start, with_parts) {
            // The picture shows the zero set as a line, so it needs no simplices.
            (DistanceStart::ZeroSet(_), true) if !has_paths && !distance.velocity => Vec::new(),
            (_, true) => start.take_parts(&self.cleaned.mesh, &slowness),
            (_, false) => Vec::new(),
        };
        let mut marks = marks::of_sources(&parts);
        report.seconds.setup = stage.next("computing the distance")?;
        let mut solved = factory::distance(self, distance, &start, &slowness)?;
        let mesh = &self.cleaned.mesh;
        let velocity = || self.cpu.run(|| eikonal::velocity(mesh, &solved.arrival, &parts));
        let velocity = distance.velocity.then(velocity);
        let mut paths = std::mem::take(&mut solved.paths);
        let mut behind_skinny = 0;
        if let Method::Fronts(front) = method {
            let (arrival, at) = (&solved.arrival, &slowness);
            if has_paths {
                paths = self.cpu.run(|| {
                    let paths = Paths::new(mesh, arrival, at, front, parts);
                    places.iter().map(|start| paths.from(*start)).collect()
                });
            }
            behind_skinny = self.cpu.run(|| skinny::behind_skinny(mesh, arrival, at, front));
        }
        marks.paths = paths.iter().map(|path| path.points.clone()).collect();
        let cell_updates = solved.cell_updates;
        let inside = self.inside_of_seed(distance)?;
        let labels = solved.labels.clone();
        let times = arrival_times(distance, method, &solved.arrival);
        let regions = self.regions(&regions, &times);
        let isochrones = self.isochrones(distance, &times, report)?;
        let mut found = self.found(distance, method, solved, (paths, marks), &inside);
        (found.isochrones, found.extras.velocity) = (isochrones, velocity);
        report.seconds.reinitialize = stage.next("writing")?;
        report.cell_updates = cell_updates;
        report.reinitializations = 1;
        self.judge_distance(distance, report, &found.values, &found.paths);
        note_extras(distance, report, method, &starts, &found);
        self.note_stimuli(distance, report, &labels);
        if let Some(distances) = &mut report.distances {
            distances.regions = regions;
            distances.activation_time = distance.speed.as_ref().and_then(|_| range(&times));
        }
        note_skinny(report, behind_skinny);
        Ok(found)
    }

    /// Returns the data from which the fronts start. `with_parts` states whether the sources keep
    /// their simplices. Exact fronts compute the paths from `paths_from` themselves.
    fn start(
        &self,
        distance: &Distance,
        slowness: &Slowness<f64>,
        method: Method,
        paths_from: &[path::Start],
        with_parts: bool,
        report: &mut Report,
    ) -> Result<DistanceStart> {
        if distance.from.is_empty() {
            let found = self.cpu.run(|| setup::initial_phi(&self.config, &self.cleaned))?;
            report.warnings.extend(found.warnings);
            return Ok(match method {
                Method::Fronts(_) => DistanceStart::ZeroSet(found.phi),
                Method::Exact(slowness) => {
                    let mesh = &self.cleaned.mesh;
                    let start = || ExactStart::of_zero_set(mesh, found.phi, slowness, paths_from);
                    DistanceStart::Exact(self.cpu.run(start))
                }
            });
        }
        let (config, cleaned) = (&*self.config, &*self.cleaned);
        let seeds = || sources::sources(config, slowness, method, cleaned, with_parts);
        let seeds = self.cpu.run(seeds)?;
        Ok(match method {
            Method::Fronts(front) => DistanceStart::Seeds(seeds, front),
            Method::Exact(slowness) => {
                DistanceStart::Exact(ExactStart::of_seeds(seeds, slowness, paths_from))
            }
        })
    }

    /// Returns, for each vertex, whether its distance is negative because it lies inside the region
    /// whose surface is the source. The list is empty if the distance from seeds has no sign.
    fn inside_of_seed(&self, distance: &Distance) -> Result<Vec<bool>> {
        let (true, [seed]) = (distance.signed == Some(true), distance.from.as_slice()) else {
            return Ok(Vec::new());
        };
        let region = Region::new(&self.config, &self.cleaned, seed, "distance.from.0")?;
        Ok(region.vertices_inside(&self.cleaned.mesh))
    }

    /// Returns the data for the files: the solution with the start values and signs, its gradient,
    /// and the paths. `inside` marks the vertices whose distance is negative.
    fn found(
        &self,
        distance: &Distance,
        method: Method,
        solved: Solved,
        (paths, marks): (Vec<path::Path>, Marks),
        inside: &[bool],
    ) -> Found {
        let Solved { mut values, labels, .. } = solved;
        let mesh = &self.cleaned.mesh;
        // Circular fronts are computed with value 0 at their sources. The start value is added
        // here.
        if method == Method::Fronts(Front::Circular) {
            let start = solve::first_value(distance, Front::Circular);
            let limit = distance.width.unwrap_or(f64::INFINITY);
            // `min` would turn NaN, which marks an unreached vertex, into the limit.
            let reached = values.iter_mut().filter(|u| !u.is_nan());
            reached.for_each(|u| *u = (*u + start).min(limit));
        }
        let inside = values.iter_mut().zip(inside).filter(|(_, inside)| **inside);
        inside.for_each(|(u, _)| *u = -*u);
        let gradient = || self.cpu.run(|| eikonal::gradient(mesh, &values));
        let extras = Extras {
            labels: distance.labels.then_some(labels),
            gradient: distance.gradient.then(gradient),
            velocity: None,
            marks,
        };
        Found { values, extras, paths, isochrones: None }
    }

    /// Writes the distance as the only state of a run.
    fn write_distance(&self, folder: &RunFolder, report: &mut Report, found: Found) -> Result<()> {
        folder.clear()?;
        let timer = Instant::now();
        let (config, patch_of) = (&*self.config, self.patches.patch_of_vertex());
        let mesh = StoredMesh::new(&self.cleaned, config.compression());
        let mut states = States::new(config, &mesh, &patch_of, "distance", folder, self.gpu())?;
        let Found { values, extras, paths, isochrones } = found;
        let state = MeshState { phi: values, extras, ..MeshState::default() };
        states.write_mesh(&state)?;
        states.finish_mesh(&state)?;
        let file = folder.file(&format!("{}_paths.vtp", config.name()));
        write_paths(&file, &paths, &self.cleaned.units, config.compression())?;
        let file = folder.file(&format!("{}_isochrones.vtp", config.name()));
        self.write_isochrones(&file, isochrones.as_ref())?;
        report.states = states.written().len();
        report.seconds.output = timer.elapsed().as_secs_f64();
        report.status = Status::Finished;
        report.ended_by = "distance computed".into();
        Ok(())
    }
}

/// Returns the time at which a front arrives at each vertex, or infinity where none arrives within
/// the width. `arrival` are the arrival times of the solver, which starts circular fronts at 0.
fn arrival_times(distance: &Distance, method: Method, arrival: &[f64]) -> Vec<f64> {
    let start = match method {
        Method::Fronts(front) => solve::first_value(distance, front),
        Method::Exact(_) => 0.0,
    };
    let limit = distance.width.unwrap_or(f64::INFINITY);
    let time = |u: &f64| if u + start < limit { u + start } else { f64::INFINITY };
    arrival.iter().map(time).collect()
}

/// Returns the time from the first to the last of the finite arrival times, if there are any.
fn range(times: &[f64]) -> Option<f64> {
    let reached = || times.iter().copied().filter(|time| time.is_finite());
    Some(reached().reduce(f64::max)? - reached().reduce(f64::min)?)
}

/// The data from which the fronts start, on the cleaned mesh.
pub(super) enum DistanceStart {
    Seeds(Vec<(u32, Source)>, Front),
    ZeroSet(Vec<f64>),
    Exact(ExactStart),
}

impl DistanceStart {
    /// Removes and returns the simplices at which paths end.
    fn take_parts(&mut self, mesh: &Mesh, slowness: &Slowness<f64>) -> Vec<Part> {
        match self {
            DistanceStart::Seeds(sources, _) => {
                sources.iter_mut().flat_map(|(_, s)| std::mem::take(&mut s.parts)).collect()
            }
            DistanceStart::ZeroSet(phi) => source::around_zero_set(mesh, phi, slowness).parts,
            // The solver needs the parts, too.
            DistanceStart::Exact(start) => start.parts.clone(),
        }
    }
}

/// Writes paths as lines with their lengths and the index of the source that each path reaches (-1
/// for none). Writes no file if there are no paths.
pub(super) fn write_paths(
    file: &Path,
    paths: &[path::Path],
    units: &Units,
    compression: Compression,
) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let points: Vec<[f64; 3]> = paths.iter().flat_map(|path| path.points.iter().copied()).collect();
    let numbers: Vec<u32> = (0..points.len() as u32).collect();
    let mut ends: Vec<u32> = Vec::with_capacity(paths.len());
    let mut end = 0;
    for path in paths {
        end += path.points.len() as u32;
        ends.push(end);
    }
    let lengths: Vec<f64> = paths.iter().map(|path| path.length).collect();
    let sources: Vec<i32> =
        paths.iter().map(|path| path.source.map_or(-1, |source| source as i32)).collect();
    let geometry = Geometry::chains(&points, &numbers, &ends, compression);
    let output = VtkOutput::new(&geometry)
        .units(units)
        .cell_data("length", 1, &lengths[..])
        .cell_data("source", 1, &sources[..])
        .array_unit("length", units.of_length());
    vtk::write(file, &output)
}
