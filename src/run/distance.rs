//! The task [distance]: one solve, one state, its numbers.

use std::sync::Arc;
use std::time::Instant;

use super::setup;
use super::states::{State, States, StoredMesh};
use super::{Job, Stages, norms};
use crate::config::{Distance, Precision};
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::eikonal::{self, EikonalState, Slowness, Width};
use crate::output::{Distances, Report, RunFolder, Status, Verdict};
use crate::patches::Coordinates;

impl Job<'_> {
    /// Computes the distance of the case, in the order of the cleaned mesh, and judges it.
    pub(super) fn distance(
        &self,
        distance: &Distance,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<Vec<f64>> {
        let slowness = setup::slowness(self.config, self.ready)?;
        let start = if distance.from.is_empty() {
            Start::ZeroSet(setup::initial_phi(self.config, self.ready)?)
        } else {
            let seeds = || setup::seeds(self.config, &slowness, self.ready);
            Start::Seeds(self.cpu.run(seeds)?)
        };
        report.seconds.setup = stage.next("computing the distance");
        let (values, cell_updates) = match self.config.precision {
            Precision::F64 => self.solve::<f64>(distance, &start, &slowness)?,
            Precision::F32 => self.solve::<f32>(distance, &start, &slowness)?,
        };
        report.seconds.reinitialize = stage.next("writing");
        report.cell_updates = cell_updates;
        report.reinitializations = 1;
        self.judge_distance(distance, report, &values);
        Ok(values)
    }

    /// Writes the distance as the only state of a run.
    pub(super) fn write_distance(
        &self,
        folder: &RunFolder,
        report: &mut Report,
        phi: Vec<f64>,
    ) -> Result<()> {
        folder.clear()?;
        let timer = Instant::now();
        let patch_of = self.patches.patch_of_vertex();
        let mesh = StoredMesh::new(self.ready, self.config.output.compression);
        let mut states = States::new(self.config, &mesh, &patch_of, "distance", folder)?;
        let state = State { phi, ..State::default() };
        states.write(&state)?;
        states.finish(&state)?;
        report.states = states.len();
        report.seconds.output = timer.elapsed().as_secs_f64();
        report.status = Status::Finished;
        report.ended_by = "distance computed".into();
        Ok(())
    }

    /// Values in mesh order, not a number where no front has been, and cells updated.
    fn solve<R: Real>(
        &self,
        distance: &Distance,
        start: &Start,
        slowness: &Slowness<f64>,
    ) -> Result<(Vec<f64>, u64)> {
        let (patches, mesh) = (&self.patches, &self.ready.mesh);
        let coordinates = Arc::new(Coordinates::<R>::new(mesh, patches));
        self.cpu.run(|| coordinates.check(patches))?;
        let slowness = match slowness {
            Slowness::Uniform(f) => Slowness::Uniform(R::narrow(*f)),
            Slowness::PerCell(f) => Slowness::PerCell(f.iter().map(|&f| R::narrow(f)).collect()),
        };
        let mut state = EikonalState::new(patches.clone(), coordinates, slowness);
        let width = distance.width.map(R::narrow);
        let limit = distance.width.unwrap_or(f64::INFINITY);
        let (values, stats) = match start {
            Start::Seeds(seeds) => {
                state.seed(seeds);
                let stats = eikonal::solve(&self.cpu, &mut state, width);
                (state.u_in_mesh_order().into_iter().map(|u| u.min(limit)).collect(), stats)
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
        let values: Vec<f64> = values;
        let values = match distance.width {
            Some(_) => values,
            None => {
                let reached = state.u_in_mesh_order();
                let value = |(x, u): (f64, f64)| if u < f64::INFINITY { x } else { f64::NAN };
                values.into_iter().zip(reached).map(value).collect()
            }
        };
        let mean_cells = patches.n_patch_cells() as u64 / patches.len().max(1) as u64;
        Ok((values, stats.patch_updates as u64 * mean_cells))
    }

    fn judge_distance(&self, distance: &Distance, report: &mut Report, values: &[f64]) {
        let limit = distance.width.unwrap_or(f64::INFINITY);
        let reached = || values.iter().copied().filter(|x| x.abs() < limit);
        let (mean, max) = norms::mean_and_max(reached()).unzip();
        let min = reached().reduce(f64::min);
        let n = reached().count();
        if n == 0 {
            let warning =
                "no vertex lies within distance.width of the source: nothing was computed";
            tracing::warn!("{warning}");
            report.warnings.push(warning.into());
        }
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
            "distance_max" | "phi_max" => max,
            "phi_min" => min,
            "distance_mean" => mean,
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
