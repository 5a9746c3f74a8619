//! The task [evolve]: from the coefficients of a case to the end of its motion, judged.

use std::cell::LazyCell;
use std::time::Instant;

use super::evolve::{Loop, Point};
use super::fields::{at_vertex, value_at};
use super::keep::Keeper;
use super::on_mesh::{MeshEvolution, OnMesh};
use super::planar::leaves_the_plane;
use super::prepared::{Job, Stages};
use super::states::{State, States, StoredMesh};
use super::{Options, Ready, identity, norms, setup, weight};
use crate::config::{
    Checkpoints, Coefficient, Component, Drawn, Evolve, HalfWidth, Precision, Rule, Velocity,
};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::geometry::Real;
use crate::levelset::check::gradient_norm_error;
use crate::levelset::evolution::cuda::DeviceEvolution;
use crate::levelset::evolution::{self, Breakdown, Evolution, Slivers, Snapshot, Terms, What};
use crate::output::checkpoint::{self, CHECKPOINT, Checkpoint, Position};
use crate::output::{Drift, MeasuresFile, Report, RunFolder, Status, Verdict};
use crate::surface::{self, Measurer};

impl Job<'_> {
    /// The task [evolve].
    pub(super) fn evolve(
        &self,
        folder: &RunFolder,
        checkpoint: Option<Checkpoint>,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        let (config, ready) = (self.config, self.ready);
        let default = Evolve::default();
        let evolve = config.evolve.as_ref().unwrap_or(&default);
        let mesh = &ready.mesh;
        let setup::Start { phi, warnings, .. } =
            self.cpu.run(|| setup::initial_phi(config, ready))?;
        report.warnings.extend(warnings);
        let half_width = self.half_width();
        let terms = setup::terms(config, ready)?;
        let mut options = evolution::Options::new(half_width)
            .with_cfl(config.cfl())
            .with_advection(evolve.advection())
            .with_normal_motion(evolve.normal_motion)
            .with_one_pass(evolve.one_pass)
            .with_clip(evolve.clip)
            .with_curvature_step(evolve.curvature_step)
            .with_least_quality(evolve.least_quality);
        options = options.with_rule(match config.rule() {
            Rule::Displacement => evolution::Rule::Displacement,
            Rule::Published => evolution::Rule::Published,
            Rule::Every(n) => evolution::Rule::Every(usize::try_from(n).unwrap_or(usize::MAX)),
            Rule::Never => evolution::Rule::Never,
        });
        let rule = config.output.checkpoint;
        let keeps = rule != Checkpoints::Never || checkpoint.is_some();
        let identity =
            keeps.then(|| identity::of(config, mesh, &self.patches, &phi)).transpose()?;
        if let (Some(now), Some(checkpoint)) = (&identity, &checkpoint) {
            identity::check_domain(config, now, &checkpoint.identity)?;
        }
        let snapshot = match checkpoint.as_ref().map(|checkpoint| &checkpoint.state) {
            Some(checkpoint::State::Mesh(snapshot)) => Some(snapshot),
            // The case is on a mesh, and it is that of the checkpoint.
            Some(checkpoint::State::Tiles(..)) | None => None,
        };
        let begin = |snapshot| -> Result<Box<dyn MeshEvolution>> {
            let options = options.clone();
            Ok(match config.precision() {
                Precision::F64 => self.moving::<f64>(&phi, &terms, options, snapshot)?,
                Precision::F32 => self.moving::<f32>(&phi, &terms, options, snapshot)?,
            })
        };
        // Before the evolution is there: making it takes memory on the way. A card measures by itself.
        let measurer = LazyCell::new(|| self.cpu.run(|| Measurer::new(mesh)));
        if self.card.is_none() {
            LazyCell::force(&measurer);
        }
        let mut moving = begin(snapshot)?;
        // Pictures of a series have the camera and the colors of the first state.
        let is_series = config.output.picture.as_ref().is_some_and(|p| p.every == Drawn::State);
        let first = match snapshot.is_some() && is_series {
            true => Some(begin(None)?.standing()?.phi()?),
            false => None,
        };
        let choices = moving.choices();
        report.poor_cells = choices.poor_cells;
        let implicit = choices.slivers.map(|slivers| implicit_because(&slivers, ready));
        let slow = choices.slow.map(|slow| slow_because(&slow, ready));
        let flat = leaves_the_plane(mesh, &terms);
        for warning in implicit.into_iter().chain(slow).chain(flat) {
            tracing::warn!("{warning}");
            report.warnings.push(warning);
        }
        let first_weight = self.mean_weight(&terms, &phi, 0.0);
        drop(phi);
        let patch_of = self.patches.patch_of_vertex();
        let stored = StoredMesh::new(ready, config.output.compression);
        let mut states = States::new(config, &stored, &patch_of, "phi", folder, self.card)?;
        let earlier = checkpoint.as_ref().map_or(0.0, |checkpoint| checkpoint.seconds.total);
        let keeper = identity
            .filter(|_| rule != Checkpoints::Never)
            .map(|identity| Keeper::new(folder.file(CHECKPOINT), rule, identity, earlier));
        let start = if checkpoint.is_some() { 0.0 } else { moving.totals().reinitialize_seconds };
        report.seconds.setup = (stage.next("moving the interface")? - start).max(0.0);
        let path = folder.file("measures.csv");
        let (mut measures, point) = match checkpoint {
            None => {
                folder.clear()?;
                (MeasuresFile::create(&path, mesh.kind)?, None)
            }
            Some(kept) => {
                let Position { steps, state_due, .. } = kept.position;
                let measures = MeasuresFile::resume(&path, &kept.written.measures)?;
                folder.tidy()?;
                states.resume(kept.written.states, steps, state_due)?;
                if let Some(phi) = first {
                    states.settle(&State { phi, ..State::default() })?;
                }
                report.states = states.len();
                (report.first, report.last) = (kept.first, kept.last);
                report.seconds.add(&kept.seconds);
                (measures, Some(Point::resumed(evolve, &config.output, &kept.position)))
            }
        };

        let work = Loop {
            evolve,
            output: &config.output,
            measures: &mut measures,
            interrupt: run.interrupt,
            observer: run.observer,
            keeper,
            threads: self.cpu.threads(),
        };
        let on_host = |phi: &[f64]| measurer.measure(mesh, phi);
        let mut subject = OnMesh { evolution: moving.as_mut(), on_host: &on_host };
        let done = work.run(&mut subject, &mut states, point, report).map_err(|error| {
            match (error, moving.breakdown()) {
                // By the numbers the user knows.
                (Error::Numerical { .. }, Some(found)) => named(evolve, ready, found),
                (error, _) => error,
            }
        });
        let totals = moving.totals();
        report.seconds.evolve = totals.evolve_seconds;
        report.seconds.reinitialize = totals.reinitialize_seconds;
        report.reinitializations = totals.reinitializations;
        report.cell_updates = totals.cell_updates;
        report.curvature_iterations = choices.implicit.then_some(totals.iterations);
        measures.finish()?;
        done?;
        let last = moving.standing()?;
        let phi = last.phi()?;
        let last_weight = self.mean_weight(&terms, &phi, report.time);
        report.mean_weight =
            first_weight.zip(last_weight).and_then(|(first, last)| Drift::between(first, last));
        let band = last.band()?;
        let error = self.cpu.run(|| gradient_norm_error(mesh, &phi, &band));
        report.grad_norm_error = Some(error);
        if let (Some(first), Some(last)) = (&report.first, &report.last) {
            report.drift = Drift::between(first.enclosed, last.enclosed);
        }
        // Bounds are for the end that was planned.
        if report.status == Status::Finished {
            self.judge(report, &phi);
        }
        let timer = Instant::now();
        let (step, time) = (report.steps, report.time);
        states.finish(&State { step, time, phi, band, ..State::default() })?;
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    /// An evolution that starts from `phi`, or goes on from a snapshot.
    fn moving<R: Real>(
        &self,
        phi: &[f64],
        terms: &Terms,
        options: evolution::Options,
        snapshot: Option<&Snapshot>,
    ) -> Result<Box<dyn MeshEvolution>> {
        let (cpu, mesh, patches) = (self.cpu.clone(), &self.ready.mesh, self.patches.clone());
        if let Some(card) = self.card {
            return Ok(Box::new(match snapshot {
                None => DeviceEvolution::<R>::new(card, cpu, mesh, patches, phi, terms, options)?,
                Some(snapshot) => DeviceEvolution::<R>::resume(
                    card, cpu, mesh, patches, terms, options, snapshot,
                )?,
            }));
        }
        Ok(Box::new(match snapshot {
            None => Evolution::<R>::new(cpu, mesh, patches, phi, terms, options)?,
            Some(snapshot) => Evolution::<R>::resume(cpu, mesh, patches, terms, options, snapshot)?,
        }))
    }

    /// Half width of the band in mesh units; `None` for the whole domain.
    fn half_width(&self) -> Option<f64> {
        match self.config.half_width() {
            HalfWidth::Whole => None,
            HalfWidth::Length { length } => Some(length),
            HalfWidth::Edges(n) => Some(self.cpu.run(|| n * setup::mean_edge(&self.ready.mesh))),
        }
    }

    /// Mean weight along the interface of a weighted curvature flow.
    fn mean_weight(&self, terms: &Terms, phi: &[f64], t: f64) -> Option<f64> {
        if terms.weight.is_zero() {
            return None;
        }
        self.cpu.run(|| weight::mean_weight(&self.ready.mesh, phi, &terms.weight, t))
    }

    /// Compares `[expect]` with the end of an evolution.
    fn judge(&self, report: &mut Report, phi: &[f64]) {
        let expect = &self.config.expect;
        let bounds = expect.bounds();
        let errors = expect.exact.as_ref().map(|exact| {
            let interface = surface::extract(&self.ready.mesh, phi);
            norms::interface_errors(&interface.vertices, exact)
        });
        let [interface, enclosed] = MeasuresFile::names(self.ready.mesh.kind);
        let last = report.last;
        let found = |name: &str| -> Option<f64> {
            let last = last.as_ref()?;
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
                "interface_error_mean" => errors.flatten().map(|(mean, _)| mean),
                "interface_error_max" => errors.flatten().map(|(_, max)| max),
                name if name == interface => Some(last.interface),
                name if name == enclosed => Some(last.enclosed),
                _ => None,
            }
        };
        let verdict = Verdict::of(&bounds, found);
        report.expect = verdict;
    }
}

/// Why a step broke down, by the numbers that stand in the file; of an expression with its text.
fn named(evolve: &Evolve, ready: &Ready, found: &Breakdown) -> Error {
    let (vertex, cell) = (found.vertex as usize, found.cell as usize);
    let error = found.error(ready.stored_vertex(vertex), ready.stored_cell(cell));
    let (What::Coefficient(name, _), Error::Numerical { what, remedy }) = (found.what, &error)
    else {
        return error;
    };
    let expressions = expressions(evolve, name);
    let is_broken = |e: &&&Expression| !value_at(ready, e, vertex, found.time).is_finite();
    match expressions.iter().find(is_broken).or(expressions.first()) {
        None => error,
        Some(expression) => {
            let flaw = at_vertex(ready, expression, vertex, found.time, what, remedy);
            Error::Numerical { what: flaw.to_string(), remedy: String::new() }
        }
    }
}

/// The expressions that are written at the key `name`.
pub(super) fn expressions<'a>(evolve: &'a Evolve, name: &str) -> Vec<&'a Expression> {
    let scalar = match name {
        "velocity" => {
            let Some(Velocity::Components(all)) = &evolve.velocity else { return Vec::new() };
            let expression = |component: &'a Component| match component {
                Component::Expression(expression) => Some(expression),
                Component::Number(_) | Component::Volume(_) => None,
            };
            return all.iter().filter_map(expression).collect();
        }
        "normal_speed" => &evolve.normal_speed,
        "curvature" => &evolve.curvature,
        "weighted_curvature" => &evolve.weighted_curvature,
        _ => &evolve.inflow,
    };
    match scalar {
        Some(Coefficient::Expression(expression)) => vec![expression],
        _ => Vec::new(),
    }
}

/// Why steps of velocity and normal speed are short, in a sentence.
fn slow_because(slow: &Slivers, ready: &Ready) -> String {
    format!(
        "steps are up to {:.0} times shorter than typical cells allow, with an inradius of {:.3e}: \
         cell {} has {:.3e}; mend such cells where the interface goes, see `zeroset info`",
        slow.first_order_factor(),
        slow.typical_inradius,
        ready.stored_cell(slow.cell as usize),
        slow.inradius
    )
}

/// Why curvature steps are semi-implicit, in a sentence.
fn implicit_because(slivers: &Slivers, ready: &Ready) -> String {
    format!(
        "curvature steps are semi-implicit: cell {}, whose inradius is {:.3e}, would make explicit \
         steps {:.0} times shorter than typical cells do, with {:.3e} (curvature_step = \
         \"explicit\" forces them)",
        ready.stored_cell(slivers.cell as usize),
        slivers.inradius,
        slivers.factor(),
        slivers.typical_inradius
    )
}
