//! The task [distance] on a mesh: a single solve, whose result is the only state of the run.

mod exact;
mod part;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::mesh_setup::{self, MeshSetup};
use super::region::Region;
use super::sources::Method;
use super::states::{Extras, MeshState, States, StoredMesh};
use super::task::{self, Run, Stages, Task};
use super::writer::Files;
use super::{error_norms, factory, marks, setup, sources};
use crate::Cpu;
use crate::config::{Config, Distance, Units};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::io::vtk::{self, Compression, Geometry, VtkOutput};
use crate::levelset::eikonal::path::{self, Paths};
use crate::levelset::eikonal::source::{self, Part, Source};
use crate::levelset::eikonal::{
    self, EikonalState, Front, Metric, NO_SOURCE, Slowness, Stats, Width, skinny,
};
use crate::mesh::Mesh;
use crate::output::{Distances, PathFound, Report, RunFolder, Status, Verdict};
use crate::patches::Coordinates;
use crate::picture::Marks;
use crate::words::counted;
use exact::ExactStart;

/// The result of a distance computation, in the order of the cleaned mesh.
pub(crate) struct Found {
    /// Distances. Vertices that no front has reached have the width of the case, with the sign of
    /// their side, or NaN without a width.
    pub values: Vec<f64>,
    /// Labels and gradients, if requested.
    pub extras: Extras,
    /// The requested paths to the sources.
    pub paths: Vec<path::Path>,
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
            let method = setup::slowness(config, cleaned)
                .and_then(|slowness| sources::method(config, &slowness, cleaned));
            if let Ok(Method::Fronts(front)) = method {
                let doubt = skinny::doubt(&cleaned.mesh, front);
                doubt.iter().for_each(|doubt| tracing::warn!("{doubt}"));
            }
            let seeds = sources::problems(config, cleaned).into_iter().map(|(_, error)| Err(error));
            let paths = sources::path_starts(config, cleaned).map(drop);
            [method.map(drop)].into_iter().chain(seeds).chain([paths]).collect()
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
        let slowness = setup::slowness(&self.config, &self.cleaned)?;
        let method = sources::method(&self.config, &slowness, &self.cleaned)?;
        let starts = sources::path_starts(&self.config, &self.cleaned)?;
        let has_paths = !starts.is_empty();
        let with_parts = has_paths || self.config.output.picture.is_some();
        let places: Vec<path::Start> = starts.iter().map(|(_, start)| *start).collect();
        let mut start = self.start(distance, &slowness, method, &places, with_parts, report)?;
        report.warnings.extend(self.cleaned.doubts());
        let parts = match (&start, with_parts) {
            // The picture shows the zero set as a line, so it needs no simplices.
            (DistanceStart::ZeroSet(_), true) if !has_paths => Vec::new(),
            (_, true) => start.take_parts(&self.cleaned.mesh, &slowness),
            (_, false) => Vec::new(),
        };
        let mut marks = marks::of_sources(&parts);
        report.seconds.setup = stage.next("computing the distance")?;
        let mut solved = factory::distance(self, distance, &start, &slowness)?;
        let mesh = &self.cleaned.mesh;
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
        let found = self.found(distance, method, solved, (paths, marks), &inside);
        report.seconds.reinitialize = stage.next("writing")?;
        report.cell_updates = cell_updates;
        report.reinitializations = 1;
        self.judge_distance(distance, report, &found.values, &found.paths);
        note_extras(distance, report, method, &starts, &found);
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
        // Circular fronts are computed with value 0 at their sources. The start value is added
        // here.
        if method == Method::Fronts(Front::Circular) {
            let start = distance.from.first().map_or(0.0, |seed| seed.start());
            let limit = distance.width.unwrap_or(f64::INFINITY);
            // `min` would turn NaN, which marks an unreached vertex, into the limit.
            let reached = values.iter_mut().filter(|u| !u.is_nan());
            reached.for_each(|u| *u = (*u + start).min(limit));
        }
        let inside = values.iter_mut().zip(inside).filter(|(_, inside)| **inside);
        inside.for_each(|(u, _)| *u = -*u);
        let gradient = || self.cpu.run(|| eikonal::gradient(&self.cleaned.mesh, &values));
        let extras = Extras {
            labels: distance.labels.then_some(labels),
            gradient: distance.gradient.then(gradient),
            marks,
        };
        Found { values, extras, paths }
    }

    /// Writes the distance as the only state of a run.
    fn write_distance(&self, folder: &RunFolder, report: &mut Report, found: Found) -> Result<()> {
        folder.clear()?;
        let timer = Instant::now();
        let (config, patch_of) = (&*self.config, self.patches.patch_of_vertex());
        let mesh = StoredMesh::new(&self.cleaned, config.compression());
        let mut states = States::new(config, &mesh, &patch_of, "distance", folder, self.gpu())?;
        let Found { values, extras, paths } = found;
        let state = MeshState { phi: values, extras, ..MeshState::default() };
        states.write_mesh(&state)?;
        states.finish_mesh(&state)?;
        let file = folder.file(&format!("{}_paths.vtp", config.name()));
        write_paths(&file, &paths, &self.cleaned.units, config.compression())?;
        report.states = states.written().len();
        report.seconds.output = timer.elapsed().as_secs_f64();
        report.status = Status::Finished;
        report.ended_by = "distance computed".into();
        Ok(())
    }

    /// Solves for the distance in the scalar type `R`. The results are in the order of the cleaned
    /// mesh. At vertices that no front has reached, the values are the width, or NaN without a
    /// width.
    pub(super) fn solve<R: Real>(
        &self,
        distance: &Distance,
        start: &DistanceStart,
        slowness: &Slowness<f64>,
    ) -> Result<Solved> {
        let mut solved = match start {
            DistanceStart::Seeds(sources, front) => {
                let state = self.state::<R>(slowness)?.with_front(*front)?;
                self.solve_from_seeds(distance, state, sources, *front)?
            }
            DistanceStart::ZeroSet(phi) => {
                self.solve_from_zero_set(distance, self.state::<R>(slowness)?, phi)?
            }
            DistanceStart::Exact(start) => self.solve_exactly(distance, start)?,
        };
        if distance.width.is_none() {
            let all = solved.values.iter_mut().zip(&solved.arrival);
            all.filter(|(_, u)| **u == f64::INFINITY).for_each(|(value, _)| *value = f64::NAN);
        }
        let limit = distance.width.unwrap_or(f64::INFINITY);
        solved.arrival.iter_mut().for_each(|u| *u = if *u < limit { *u } else { f64::INFINITY });
        Ok(solved)
    }

    /// Returns the state of the local solvers at this slowness, without a source.
    fn state<R: Real>(&self, slowness: &Slowness<f64>) -> Result<EikonalState<R>> {
        let patches = &self.patches;
        let coordinates = Arc::new(Coordinates::<R>::new(&self.cleaned.mesh, patches));
        self.cpu.run(|| coordinates.check(patches))?;
        let slowness = match slowness {
            Slowness::Uniform(f) => Slowness::Uniform(R::of(*f)),
            Slowness::PerCell(f) => Slowness::PerCell(f.iter().map(|&f| R::of(f)).collect()),
            Slowness::Tensor(metrics) => {
                Slowness::Tensor(metrics.iter().map(Metric::rounded).collect())
            }
        };
        Ok(EikonalState::new(patches.clone(), coordinates, slowness))
    }

    fn solve_from_seeds<R: Real>(
        &self,
        distance: &Distance,
        mut state: EikonalState<R>,
        sources: &[(u32, Source)],
        front: Front,
    ) -> Result<Solved> {
        // Circular fronts start with the value 0, regardless of the start value of the seeds.
        let start = match front {
            Front::Circular => distance.from.first().map_or(0.0, |seed| seed.start()),
            Front::Plane => 0.0,
        };
        let width = distance.width.map(|width| R::of(width - start));
        let found = match self.gpu() {
            Some(gpu) => eikonal::nearest(gpu, &mut state, sources, width)?,
            None => eikonal::nearest(&*self.cpu, &mut state, sources, width)?,
        };
        let limit = distance.width.unwrap_or(f64::INFINITY) - start;
        Ok(Solved {
            labels: labels(&found.u, &found.source, limit),
            values: found.u.iter().map(|u| u.min(limit)).collect(),
            arrival: found.u,
            paths: Vec::new(),
            cell_updates: self.cell_updates(&found.stats),
        })
    }

    fn solve_from_zero_set<R: Real>(
        &self,
        distance: &Distance,
        mut state: EikonalState<R>,
        phi: &[f64],
    ) -> Result<Solved> {
        let (patches, cpu) = (&self.patches, &*self.cpu);
        let mut phi = patches.to_patch_order(phi, R::of);
        let all: Vec<u32> = (0..patches.len() as u32).collect();
        let width = distance.width.map_or(Width::Whole, |width| Width::Band(R::of(width)));
        let stats = match self.gpu() {
            Some(gpu) => eikonal::reinitialize(gpu, cpu, &mut state, &mut phi, &all, width)?,
            None => eikonal::reinitialize(cpu, cpu, &mut state, &mut phi, &all, width)?,
        };
        let signed = distance.signed.unwrap_or(true);
        let value = |x: R| if signed { x.to_f64() } else { x.to_f64().abs() };
        Ok(Solved {
            values: patches.to_mesh_order(&phi, value),
            arrival: state.u_in_mesh_order(),
            labels: Vec::new(),
            paths: Vec::new(),
            cell_updates: self.cell_updates(&stats),
        })
    }

    fn cell_updates(&self, stats: &Stats) -> u64 {
        let patches = &self.patches;
        let mean_cells = patches.n_patch_cells() as u64 / patches.len().max(1) as u64;
        stats.patch_updates as u64 * mean_cells
    }

    fn judge_distance(
        &self,
        distance: &Distance,
        report: &mut Report,
        values: &[f64],
        paths: &[path::Path],
    ) {
        let limit = distance.width.unwrap_or(f64::INFINITY);
        let reached = || values.iter().copied().filter(|x| x.abs() < limit);
        let (mean, max) = error_norms::mean_and_max(reached()).unzip();
        let min = reached().reduce(f64::min);
        let n = reached().count();
        if n == 0 {
            let warning = "no vertex lies within the width of the source: nothing was computed";
            tracing::warn!("{warning}");
            report.warnings.push(warning.into());
        }
        let outside_mask = self.cleaned.n_outside_mask();
        let not_reached = values.len() - n + outside_mask;
        report.distances = Some(Distances {
            front: "plane",
            reached: n,
            not_reached,
            outside_mask,
            min,
            mean,
            max,
            labeled: None,
            behind_skinny: 0,
            paths: Vec::new(),
        });
        let errors = self.config.expect.exact.as_ref().and_then(|exact| {
            let signed = distance.signed.unwrap_or(distance.from.is_empty());
            let pairs = values.iter().zip(&self.cleaned.mesh.vertices);
            error_norms::mean_and_max(pairs.filter(|(u, _)| u.abs() < limit).map(|(u, &x)| {
                let exact = exact.signed_distance(x);
                (u - if signed { exact } else { exact.abs() }).abs()
            }))
        });
        report.expect = Verdict::of(&self.config.expect.bounds(), |name| match name {
            "distance_max" | "phi_max" => max,
            "phi_min" => min,
            "distance_mean" => mean,
            "distance_error_mean" => errors.map(|(mean, _)| mean),
            "distance_error_max" => errors.map(|(_, max)| max),
            "distance_not_reached" => Some(not_reached as f64),
            "path_length" => {
                let all = paths.iter().all(|path| path.source.is_some()) && !paths.is_empty();
                all.then(|| paths.iter().map(|path| path.length).sum())
            }
            _ => None,
        });
    }
}

/// Returns the labels of vertices with these values and sources: the number of the source, or -1
/// beyond the limit and where no front has arrived.
fn labels(u: &[f64], sources: &[u32], limit: f64) -> Vec<i32> {
    let label = |(u, source): (&f64, &u32)| match *source {
        source if source != NO_SOURCE && *u < limit => source as i32,
        _ => -1,
    };
    u.iter().zip(sources).map(label).collect()
}

/// Writes the number of vertices behind skinny triangles to the report, and warns if they are 1 %
/// or more of the reached vertices.
fn note_skinny(report: &mut Report, n: usize) {
    let Some(distances) = &mut report.distances else { return };
    distances.behind_skinny = n;
    if n == 0 || n * 100 < distances.reached {
        return;
    }
    let warning = format!(
        "the distances of {} may be off by several percent: more than a tenth of the path runs \
         through or along triangles with angles above {} or below {} degrees; remesh the surface, or \
         refine it to estimate the error",
        counted(n, ["vertex", "vertices"]),
        skinny::LARGEST_ANGLE,
        skinny::SMALLEST_ANGLE
    );
    tracing::warn!("{warning}");
    report.warnings.push(warning);
}

/// Writes the shape of the front, the label counts and the paths to the report.
fn note_extras(
    distance: &Distance,
    report: &mut Report,
    method: Method,
    starts: &[(String, path::Start)],
    found: &Found,
) {
    let Some(distances) = &mut report.distances else { return };
    distances.front = match method {
        Method::Fronts(Front::Circular) => "circular",
        Method::Fronts(Front::Plane) => "plane",
        Method::Exact(_) => "exact",
    };
    distances.labeled = found.extras.labels.as_ref().map(|labels| {
        let mut counts = vec![0; distance.from.len()];
        labels.iter().filter(|&&l| l >= 0).for_each(|&l| counts[l as usize] += 1);
        counts
    });
    let named = starts.iter().zip(&found.paths).map(|((from, _), path)| PathFound {
        from: from.clone(),
        length: path.length,
        source: path.source,
    });
    distances.paths = named.collect();
    for path in distances.paths.iter().filter(|path| path.source.is_none()) {
        let warning = format!("the path from {} does not reach a source", path.from);
        tracing::warn!("{warning}");
        report.warnings.push(warning);
    }
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

/// The solution of the eikonal equation, in the order of the cleaned mesh.
pub(super) struct Solved {
    values: Vec<f64>,
    /// Arrival times. Infinite beyond the width and at vertices that no front has reached.
    arrival: Vec<f64>,
    labels: Vec<i32>,
    /// The paths of exact fronts.
    paths: Vec<path::Path>,
    cell_updates: u64,
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
