//! The task [evolve]: runs a motion to its end and compares the result with `[expect]`.
//!
//! Motions on a mesh are set up in [`mesh`]. Motions on tiles are set up in
//! [`tiled`](super::tiled).

pub(super) mod mesh;
pub(super) mod mesh_motion;
pub(crate) mod stepping;

use std::time::Instant;

use super::checkpointing::{Keeper, Stopped};
use super::error_norms::interface_errors;
use super::motion::{Motion, State};
use super::task::Run;
use super::time_loop::{LoopInputs, Point};
use super::writer::Files;
use crate::config::{Checkpoints, Config, Evolve};
use crate::error::{Error, Result};
use crate::mesh::Kind;
use crate::output::checkpoint::{CHECKPOINT, Identity, Position};
use crate::output::{Drift, MeasuresFile, Report, Status, Verdict};
use crate::words::counted;

/// A motion that is ready to start or to resume.
pub(super) struct Begun<'a> {
    pub config: &'a Config,
    /// Time at which the run begins.
    pub start_time: f64,
    pub motion: Box<dyn Motion + 'a>,
    pub files: Box<dyn Files + 'a>,
    /// The identity stored in checkpoints, if the run writes any.
    pub identity: Option<Identity>,
    /// The first state of the run, if the run is resumed and its pictures depend on that state.
    pub first: Option<State>,
    /// The kind of mesh, which determines the names of the measures. `None` on tiles.
    pub kind: Option<Kind>,
    /// Number of threads that write states.
    pub threads: usize,
}

impl Begun<'_> {
    /// Moves the interface to the end of the run, writes outputs when they are due, and compares
    /// the final state with `[expect]`.
    ///
    /// # Errors
    /// Returns the errors of the steps and of writing.
    pub(super) fn run(
        mut self,
        mut run: Run<'_>,
        stopped: Option<Stopped>,
        report: &mut Report,
    ) -> Result<()> {
        let evolve = self.config.evolve.clone().unwrap_or_default();
        // The time of the initial reinitialization is counted separately, so it is subtracted from
        // the setup time. After a resume, the seconds of the checkpoint already contain it.
        let counted = match stopped {
            None => self.motion.totals().reinitialize_seconds,
            Some(_) => 0.0,
        };
        report.seconds.setup += (run.stage.next("moving the interface")? - counted).max(0.0);
        run.stage.writes()?;
        let keeper = self.keeper(&run, stopped.as_ref());
        let (mut measures, point) = self.open(&run, stopped, &evolve, report)?;
        let inputs = LoopInputs {
            start_time: self.start_time,
            evolve: &evolve,
            output: &self.config.output,
            measures: &mut measures,
            interrupt: run.stage.interrupt,
            observer: run.stage.observer,
            keeper,
            threads: self.threads,
        };
        let done = inputs.run(&mut *self.motion, &mut *self.files, point, report);
        self.count(report, &done);
        measures.finish()?;
        done?;
        self.end(report)
    }

    /// Returns the writer of checkpoints, unless the case disables checkpoints.
    fn keeper(&mut self, run: &Run<'_>, stopped: Option<&Stopped>) -> Option<Keeper> {
        let rule = self.config.output.checkpoint;
        let identity = self.identity.take().filter(|_| rule != Checkpoints::Never)?;
        let earlier = stopped.map_or(0.0, |stopped| stopped.seconds.total);
        Some(Keeper::new(run.folder.file(CHECKPOINT), rule, identity, (run.begun, earlier)))
    }

    /// Clears the folder for a new run, or continues the files of an interrupted run.
    fn open(
        &mut self,
        run: &Run<'_>,
        stopped: Option<Stopped>,
        evolve: &Evolve,
        report: &mut Report,
    ) -> Result<(MeasuresFile, Option<Point>)> {
        let path = run.folder.file("measures.csv");
        let head = MeasuresFile::head(self.kind);
        let Some(stopped) = stopped else {
            run.folder.clear()?;
            run.folder.note_text(&path, &head)?;
            let measures = match self.kind {
                Some(kind) => MeasuresFile::create(&path, kind)?,
                None => MeasuresFile::of_tiles(&path)?,
            };
            return Ok((measures, None));
        };
        let Position { steps, state_due, .. } = stopped.position;
        run.folder.resume()?;
        run.folder.note_text(&path, &head)?;
        let measures = MeasuresFile::resume(&path, &stopped.written.measures)?;
        run.folder.tidy()?;
        self.files.resume(stopped.written.states, steps, state_due)?;
        if let Some(first) = self.first.take() {
            self.files.settle(&first)?;
        }
        report.states = self.files.written().len();
        (report.first, report.last) = (stopped.first, stopped.last);
        report.seconds.add(&stopped.seconds);
        let point = Point::resumed(evolve, &self.config.output, &stopped.position);
        Ok((measures, Some(point)))
    }

    /// Writes the work and the seconds to the report, even if the run has failed.
    fn count(&mut self, report: &mut Report, done: &Result<()>) {
        let totals = self.motion.totals();
        report.seconds.evolve = totals.evolve_seconds;
        report.seconds.reinitialize = totals.reinitialize_seconds;
        report.reinitializations = totals.reinitializations;
        report.cell_updates = totals.cell_updates;
        let is_implicit = self.motion.choices().implicit;
        report.curvature_iterations = is_implicit.then_some(totals.iterations);
        report.volume_correction = self.motion.volume();
        report.map_restarts = self.config.has_map().then_some(totals.map_restarts);
        report.tiles = self.motion.tiles(matches!(done, Err(Error::Device { .. })));
        if let (Some(tiles), Some(first)) = (&mut report.tiles, &report.first) {
            tiles.first = first.active_patches as usize;
        }
    }

    /// Evaluates the final state, compares it with `[expect]` and draws it.
    fn end(&mut self, report: &mut Report) -> Result<()> {
        if let Some(n) = report.map_restarts.filter(|&n| n > 0) {
            let warning = restarted(n);
            tracing::warn!("{warning}");
            report.warnings.push(warning);
        }
        let quality = self.motion.quality(report.time)?;
        report.grad_norm_error = quality.grad_norm_error;
        report.mean_weight = quality.mean_weight;
        if let (Some(first), Some(last)) = (&report.first, &report.last) {
            report.drift = Drift::between(first.enclosed, last.enclosed);
        }
        // The bounds apply only to a run that ended as planned.
        if report.status == Status::Finished {
            self.judge(report)?;
        }
        let timer = Instant::now();
        if self.files.has_pictures() {
            self.files.finish(&self.motion.view(report.steps, report.time)?)?;
        }
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    /// Compares the final state with `[expect]`.
    fn judge(&mut self, report: &mut Report) -> Result<()> {
        let expect = &self.config.expect;
        let errors = match &expect.exact {
            Some(exact) => interface_errors(&self.motion.interface()?, exact),
            None => None,
        };
        // On tiles, the inside has a volume.
        let [interface, enclosed] = MeasuresFile::names(self.kind.unwrap_or(Kind::Volume));
        let found = |name: &str| -> Option<f64> {
            let last = report.last.as_ref()?;
            match name {
                "time" => Some(report.time),
                "steps" => Some(report.steps as f64),
                "components" => Some(last.components as f64),
                "euler_number" => Some(last.euler_number as f64),
                "phi_min" => Some(last.phi_min),
                "phi_max" => Some(last.phi_max),
                "mean_weight_drift" => report.mean_weight.map(|weight| weight.relative),
                "enclosed_drift" => report.drift.map(|drift| drift.relative),
                "grad_norm_error" => report.grad_norm_error,
                "interface_error_mean" => errors.map(|(mean, _)| mean),
                "interface_error_max" => errors.map(|(_, max)| max),
                name if name == interface => Some(last.interface),
                name if name == enclosed => Some(last.enclosed),
                _ => None,
            }
        };
        report.expect = Verdict::of(&expect.bounds(), found);
        Ok(())
    }
}

/// Returns a sentence that explains what a characteristic map lost that began again `n` times.
fn restarted(n: u64) -> String {
    let times = counted(n as usize, ["time", "times"]);
    format!(
        "the characteristic map began again {times}, because the cells no longer resolved it: parts \
         of the interface that were thinner than a cell then are lost; use a finer mesh"
    )
}
