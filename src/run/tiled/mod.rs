//! The task [evolve] on sparse tiles: from the case to the end of its motion, judged.

mod coefficients;
mod moving;
mod start;
mod states;

use std::sync::Arc;
use std::time::Instant;

use super::evolve::Loop;
use super::prepared::Stages;
use super::{Options, norms};
use crate::backend::Cpu;
use crate::config::{Config, Evolve, HalfWidth, Method, Precision, Rule, TiledSource};
use crate::error::Result;
use crate::levelset::tiled::{self, Reinitialize, Wide};
use crate::output::{Drift, MeasuresFile, Report, RunFolder, Seconds, Status, TileCounts, Verdict};
use crate::surface::cubes::Placement;
use moving::OnTiles;
use states::States;

/// A case on tiles.
pub(super) struct Job<'a> {
    pub config: &'a Config,
    pub source: &'a TiledSource,
    pub cpu: Arc<Cpu>,
}

impl Job<'_> {
    /// Report of a run that has not begun.
    pub(super) fn report(&self) -> Report {
        let mut report = Report::new(self.config, Seconds::default(), Vec::new());
        report.backend_reason = "tiles are computed on the CPU".into();
        report.threads = self.cpu.threads();
        report
    }

    /// Finds what can be wrong before the first step, and says what a run would do.
    ///
    /// # Errors
    /// What [`Job::evolve`] would fail with before its first step.
    pub(super) fn check(&self) -> Result<String> {
        let n_tiles = match (self.config.precision(), self.source.tile_edge) {
            (Precision::F64, 4) => self.start::<f64, 4>()?.0.n_tiles(),
            (Precision::F64, _) => self.start::<f64, 8>()?.0.n_tiles(),
            (Precision::F32, 4) => self.start::<f32, 4>()?.0.n_tiles(),
            (Precision::F32, _) => self.start::<f32, 8>()?.0.n_tiles(),
        };
        self.terms::<f64>()?;
        let TiledSource { dx, tile_edge, .. } = self.source;
        Ok(format!("task    evolve\ntiles   {n_tiles} of {tile_edge}^3 voxels, dx {dx}\n"))
    }

    /// The task [evolve].
    ///
    /// # Errors
    /// All kinds of [`Error`](crate::Error).
    pub(super) fn evolve(
        &self,
        folder: &RunFolder,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        match (self.config.precision(), self.source.tile_edge) {
            (Precision::F64, 4) => self.evolve_as::<f64, 4>(folder, run, report, stage),
            (Precision::F64, _) => self.evolve_as::<f64, 8>(folder, run, report, stage),
            (Precision::F32, 4) => self.evolve_as::<f32, 4>(folder, run, report, stage),
            (Precision::F32, _) => self.evolve_as::<f32, 8>(folder, run, report, stage),
        }
    }

    fn evolve_as<R: Wide, const E: usize>(
        &self,
        folder: &RunFolder,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        let config = self.config;
        let default = Evolve::default();
        let evolve = config.evolve.as_ref().unwrap_or(&default);
        stage.next("finding the tiles of the initial interface")?;
        let (grid, phi) = self.start::<R, E>()?;
        let terms = self.terms::<R>()?;
        let evolution = tiled::TiledEvolution::<R, E>::new(
            grid,
            phi,
            &terms,
            self.options(),
            self.cpu.clone(),
        )?;
        let states = States::new(config, folder);
        let mut moving = OnTiles::new(evolution, self.placement(), states);
        if !start::is_distance(config) {
            moving.redistance()?;
        }
        let first = moving.n_tiles();
        report.seconds.setup = stage.next("moving the interface")?;
        folder.clear()?;
        let mut measures = MeasuresFile::of_tiles(&folder.file("measures.csv"))?;
        let work = Loop {
            evolve,
            output: &config.output,
            measures: &mut measures,
            interrupt: run.interrupt,
            observer: run.observer,
            keeper: None,
        };
        let done = work.run(&mut moving, None, report);
        let seconds = moving.seconds();
        report.seconds.evolve = seconds.blocks + seconds.speed + seconds.stages;
        report.seconds.reinitialize = seconds.reinitialize;
        report.reinitializations = moving.reinitializations();
        report.cell_updates = moving.voxel_updates();
        report.tiles = Some(TileCounts {
            dx: self.source.dx,
            edge: E,
            first,
            last: moving.n_tiles(),
            most: moving.most_tiles(),
            bytes: moving.most_bytes(),
        });
        measures.finish()?;
        done?;
        if let (Some(first), Some(last)) = (&report.first, &report.last) {
            report.drift = Drift::between(first.enclosed, last.enclosed);
        }
        // Bounds are for the end that was planned.
        if report.status == Status::Finished {
            self.judge(report, &moving)?;
        }
        let timer = Instant::now();
        moving.finish(report.steps, report.time)?;
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    fn options(&self) -> tiled::Options {
        let config = self.config;
        let every = match config.rule() {
            Rule::Every(n) => Some(n),
            _ => None,
        };
        let reinitialize = match (config.reinitialize.rescaling, every, config.method()) {
            (Some(speed), ..) => Reinitialize::Rescaling { factor: speed / self.source.dx },
            (None, None, _) => Reinitialize::Never,
            (None, Some(every), Method::Direct) => Reinitialize::Direct { every },
            (None, Some(every), Method::Equation) => {
                let iterations = config.reinitialize.iterations.unwrap_or(1);
                let iterations = usize::try_from(iterations).unwrap_or(usize::MAX);
                Reinitialize::Equation { iterations, every }
            }
        };
        tiled::Options::new(self.gamma())
            .with_scheme(config.scheme())
            .with_time(config.time_scheme())
            .with_nu(config.cfl())
            .with_reinitialize(reinitialize)
    }

    /// Half width of the band, voxels.
    fn gamma(&self) -> f64 {
        match self.config.half_width() {
            HalfWidth::Edges(n) => n,
            HalfWidth::Length { length } => length / self.source.dx,
            // The case has been checked for it.
            HalfWidth::Whole => f64::INFINITY,
        }
    }

    fn placement(&self) -> Placement {
        Placement { origin: self.source.origin, spacing: self.source.dx }
    }

    /// Compares `[expect]` with the end of an evolution.
    fn judge<R: Wide, const E: usize>(
        &self,
        report: &mut Report,
        moving: &OnTiles<'_, R, E>,
    ) -> Result<()> {
        let expect = &self.config.expect;
        let errors = match &expect.exact {
            Some(exact) => norms::interface_errors(&moving.surface(false)?.vertices, exact),
            None => None,
        };
        let (last, drift) = (report.last, report.drift);
        let (time, steps) = (report.time, report.steps);
        let found = |name: &str| -> Option<f64> {
            let last = last.as_ref()?;
            match name {
                "time" => Some(time),
                "steps" => Some(steps as f64),
                "interface_area" => Some(last.interface),
                "enclosed_volume" => Some(last.enclosed),
                "components" => Some(last.components as f64),
                "euler_number" => Some(last.euler_number as f64),
                "phi_min" => Some(last.phi_min),
                "phi_max" => Some(last.phi_max),
                "enclosed_drift" => drift.map(|drift| drift.relative),
                "interface_error_mean" => errors.map(|(mean, _)| mean),
                "interface_error_max" => errors.map(|(_, max)| max),
                _ => None,
            }
        };
        report.expect = Verdict::of(&expect.bounds(), found);
        Ok(())
    }
}
