//! The task [distance]: one solve, one state, its numbers.

use std::time::Instant;

use super::setup::{self, Pace, Ready};
use super::states::{State, States};
use super::{Job, Stages, norms};
use crate::config::{Distance, Precision, Seed};
use crate::error::{Error, Result};
use crate::geometry::{Real, Vec3};
use crate::levelset::eikonal::{self, EikonalState, Slowness, Width};
use crate::mesh::Mesh;
use crate::output::{Distances, Report, Status, Verdict};
use crate::patches::Coordinates;

impl Job<'_> {
    /// The task [distance].
    pub(super) fn distance(
        &self,
        distance: &Distance,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        let start = self.start_of(distance)?;
        let pace = setup::pace(distance.speed.as_ref(), self.ready)?;
        report.seconds.setup = stage.next("computing the distance");
        let timer = Instant::now();
        let (values, cell_updates) = match self.config.precision {
            Precision::F64 => self.solve::<f64>(distance, &start, &pace),
            Precision::F32 => self.solve::<f32>(distance, &start, &pace),
        };
        report.seconds.reinitialize = timer.elapsed().as_secs_f64();
        report.cell_updates = cell_updates;
        report.reinitializations = 1;
        stage.next("writing");
        let timer = Instant::now();
        let patch_of = self.patches.patch_of_vertex();
        let mut states = States::new(self.config, self.ready, &patch_of, "distance", self.folder);
        let state = State { phi: values.clone(), ..State::default() };
        states.write(&state)?;
        report.states = states.len();
        report.seconds.output = timer.elapsed().as_secs_f64();
        report.status = Status::Finished;
        report.ended_by = "distance computed".into();
        self.judge_distance(distance, report, &values);
        Ok(())
    }

    /// Where fronts start: vertices with values, or a function whose zero set counts.
    fn start_of(&self, distance: &Distance) -> Result<Start> {
        if distance.from.is_empty() {
            return Ok(Start::ZeroSet(setup::initial_phi(self.config, self.ready)?));
        }
        let mut seeds = Vec::new();
        for seed in &distance.from {
            match seed {
                Seed::Point { at, start } => {
                    seeds.extend(around_point(self.ready, *at, *start, distance.snap)?);
                }
                _ => seeds.extend(setup::seed_vertices(seed, self.ready)?),
            }
        }
        Ok(Start::Seeds(seeds))
    }

    /// Values in mesh order, infinite where no front has been, and cells updated.
    fn solve<R: Real>(&self, distance: &Distance, start: &Start, pace: &Pace) -> (Vec<f64>, u64) {
        let (patches, mesh) = (&self.patches, &self.ready.mesh);
        let coordinates = std::sync::Arc::new(Coordinates::<R>::new(mesh, patches));
        let slowness = match pace {
            Pace::Uniform(speed) => Slowness::Uniform(R::narrow(1.0 / speed)),
            Pace::PerCell(speeds) => {
                Slowness::PerCell(speeds.iter().map(|f| R::narrow(1.0 / f)).collect())
            }
        };
        let mut state = EikonalState::new(patches.clone(), coordinates, slowness);
        let width = distance.width.map(R::narrow);
        let (values, stats) = match start {
            Start::Seeds(seeds) => {
                state.seed(seeds);
                let stats = eikonal::solve(&self.cpu, &mut state, width);
                (state.u_in_mesh_order(), stats)
            }
            Start::ZeroSet(phi) => {
                let mut phi = patches.to_patch_order(phi, R::narrow);
                let all: Vec<u32> = (0..patches.len() as u32).collect();
                let width = width.map_or(Width::Whole, Width::Band);
                let stats = eikonal::redistance(&self.cpu, &mut state, &mut phi, &all, width);
                let signed = distance.signed.unwrap_or(true);
                let value = |x: R| if signed { x.widen() } else { x.widen().abs() };
                (patches.to_mesh_order(&phi, value), stats)
            }
        };
        let mean_cells = patches.n_patch_cells() as u64 / patches.len().max(1) as u64;
        (values, stats.patch_updates as u64 * mean_cells)
    }

    fn judge_distance(&self, distance: &Distance, report: &mut Report, values: &[f64]) {
        let limit = distance.width.unwrap_or(f64::INFINITY);
        let reached = || values.iter().copied().filter(|x| x.abs() < limit);
        let (mean, max) = norms::mean_and_max(reached()).unwrap_or((0.0, 0.0));
        let min = reached().fold(f64::INFINITY, f64::min);
        let n = reached().count();
        report.distances =
            Some(Distances { reached: n, not_reached: values.len() - n, min, mean, max });
        let errors = self.config.expect.exact.as_ref().and_then(|exact| {
            let signed = distance.from.is_empty() && distance.signed.unwrap_or(true);
            let pairs = values.iter().zip(&self.ready.mesh.vertices);
            norms::mean_and_max(pairs.filter(|(u, _)| u.abs() < limit).map(|(u, &x)| {
                let exact = exact.signed_distance(x);
                (u - if signed { exact } else { exact.abs() }).abs()
            }))
        });
        report.expect = Verdict::of(&self.config.expect.bounds(), |name| match name {
            "distance_max" | "phi_max" => Some(max),
            "phi_min" => Some(min),
            "distance_mean" => Some(mean),
            "distance_error_mean" => errors.map(|(mean, _)| mean),
            "distance_error_max" => errors.map(|(_, max)| max),
            _ => None,
        });
    }
}

/// Where fronts start, on the cleaned mesh.
enum Start {
    Seeds(Vec<(u32, f64)>),
    ZeroSet(Vec<f64>),
}

/// Vertices around a point of the mesh, with the start value plus their straight distance to it.
///
/// # Errors
/// [`Error::Case`] if the point is more than one edge length off the mesh, unless `snap`.
fn around_point(ready: &Ready, at: [f64; 3], start: f64, snap: bool) -> Result<Vec<(u32, f64)>> {
    let mesh = &ready.mesh;
    let x = |v: u32| Vec3::from(mesh.vertices[v as usize]);
    let point = Vec3::from(at);
    let nearest = (0..mesh.n_vertices() as u32)
        .min_by(|&a, &b| (x(a) - point).norm().total_cmp(&(x(b) - point).norm()))
        .ok_or_else(|| Error::mesh("", "has no vertex", ""))?;
    let ring = ring_of(mesh, nearest);
    let edge = ring.iter().map(|&v| (x(v) - x(nearest)).norm()).fold(0.0, f64::max);
    let gap = gap_to_mesh(mesh, point, nearest);
    let stored = ready.cleaning.kept_vertices.get(nearest as usize).copied().unwrap_or(nearest);
    let place = format!("point {at:?} is {gap:.6} off the mesh, nearest vertex {stored}");
    if gap > edge && !snap {
        return Err(Error::usage(
            format!("{place}, where edges are at most {edge:.6} long"),
            "correct the point, or take the nearest place with --snap",
        ));
    }
    if gap > 1e-9 * edge {
        tracing::warn!("{place}");
    }
    let foot = if gap > edge { x(nearest) } else { point };
    Ok(ring.into_iter().map(|v| (v, start + (x(v) - foot).norm())).collect())
}

/// A vertex and all that share a cell with it, ascending.
fn ring_of(mesh: &Mesh, vertex: u32) -> Vec<u32> {
    let mut ring: Vec<u32> =
        mesh.iter_cells().filter(|cell| cell.contains(&vertex)).flatten().copied().collect();
    ring.sort_unstable();
    ring.dedup();
    ring
}

/// Distance of a point to the cells around its nearest vertex.
fn gap_to_mesh(mesh: &Mesh, point: Vec3, nearest: u32) -> f64 {
    mesh.iter_cells()
        .filter(|cell| cell.contains(&nearest))
        .map(|cell| {
            let x: Vec<Vec3> =
                cell.iter().map(|&v| Vec3::from(mesh.vertices[v as usize])).collect();
            (crate::geometry::simplex::closest_point(point, &x) - point).norm()
        })
        .fold(f64::INFINITY, f64::min)
}
