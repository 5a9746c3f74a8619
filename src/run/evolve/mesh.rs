//! The task [evolve] on a mesh: sets up the motion and starts or resumes it.

use std::sync::Arc;

use super::Begun;
use crate::Cpu;
use crate::config::{Config, Drawn, HalfWidth, Rule};
use crate::error::{Error, Result};
use crate::levelset::eikonal::Fit;
use crate::levelset::evolution::{self, Evolution, HALO_EDGES, Options, Slivers, Terms};
use crate::output::{Report, checkpoint};
use crate::patches::{PATCH_SIZE, Partition, Patches};
use crate::run::checkpointing::identify;
use crate::run::factory::{self, MeshStart};
use crate::run::mesh_setup::{self, MeshSetup};
use crate::run::motion::{Motion, other};
use crate::run::out_of_plane::leaves_the_plane;
use crate::run::states::{States, StoredMesh};
use crate::run::task::{Run, Task};
use crate::run::{CleanedMesh, clock, identity, setup, terms};

/// A case that moves an interface on a mesh.
pub(in crate::run) struct EvolveTask<'a> {
    pub config: &'a Config,
    pub cpu: Arc<Cpu>,
}

impl Task for EvolveTask<'_> {
    fn report(&self) -> Report {
        Report::new(self.config, self.cpu.threads())
    }

    fn check(&self) -> Result<String, Vec<Error>> {
        mesh_setup::check(self.config, "evolve", |cleaned, start| {
            match terms::terms(self.config, cleaned) {
                Ok(terms) => {
                    let warnings = leaves_the_plane(&cleaned.mesh, &terms);
                    warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
                    let phi = start.map(|start| &start.phi[..]);
                    let entry =
                        phi.map(|phi| check_entry(self.config, &self.cpu, cleaned, phi, &terms));
                    entry.into_iter().collect()
                }
                Err(first) => {
                    let problems = terms::problems(self.config, cleaned);
                    // Without such problems, the first concerns all coefficients together.
                    match problems.is_empty() {
                        true => vec![Err(first)],
                        false => problems.into_iter().map(|(_, error)| Err(error)).collect(),
                    }
                }
            }
        })
    }

    fn run(&self, mut run: Run<'_>, report: &mut Report) -> Result<()> {
        let config = self.config;
        let mut setup = MeshSetup::new(config, self.cpu.clone(), &mut run.stage)?;
        setup.note(report);
        let phi = begun_phi(config, &mut setup, report)?;
        let start_time = setup.cleaned.start_time;
        let MeshInputs { terms, options } = inputs(&setup, report)?;
        let (cleaned, mesh) = (&*setup.cleaned, &setup.cleaned.mesh);
        let (stopped, state) = run.stopped.take().unzip();
        let identity = identify(config, stopped.as_ref(), || {
            identity::of(config, mesh, &setup.patches, &phi)
        })?;
        let snapshot = match state {
            Some(checkpoint::State::Mesh(snapshot)) => Some(snapshot),
            Some(checkpoint::State::Tiles(..)) => return Err(other("tiles", "a mesh")),
            None => None,
        };
        let start = MeshStart { phi: &phi, terms: &terms, options: &options };
        let motion = factory::mesh_motion(&setup, start, snapshot.as_ref())
            .map_err(|error| without_interface(config, &phi, error))?;
        // All pictures of a series use the camera and the colors of the first state.
        let is_series = config.output.picture.as_ref().is_some_and(|p| p.every == Drawn::State);
        let first = match snapshot.is_some() && is_series {
            true => Some(factory::mesh_motion(&setup, start, None)?.view(0, start_time)?),
            false => None,
        };
        drop((snapshot, phi));
        note_choices(&*motion, cleaned, &terms, report);
        let patch_of = setup.patches.patch_of_vertex();
        let stored = StoredMesh::new(cleaned, config.compression());
        let files = States::new(config, &stored, &patch_of, "phi", run.folder, setup.gpu())?;
        let (kind, threads) = (Some(mesh.kind), self.cpu.threads());
        let files = Box::new(files);
        Begun { config, start_time, motion, files, identity, first, kind, threads }
            .run(run, stopped, report)
    }
}

/// The inputs of a motion besides its initial level set.
pub(super) struct MeshInputs {
    pub terms: Terms,
    pub options: Options,
}

/// Returns the initial level set of the case, and sets the time at which the run begins.
pub(super) fn begun_phi(
    config: &Config,
    setup: &mut MeshSetup,
    report: &mut Report,
) -> Result<Vec<f64>> {
    let cpu = setup.cpu.clone();
    let start = cpu.run(|| setup::initial_phi(config, &setup.cleaned))?;
    report.warnings.extend(start.warnings);
    let start_time = clock::start_time(config, start.dated.as_ref())?;
    clock::note(config, start.dated.as_ref(), start_time, report);
    setup.begin_at(start_time);
    Ok(start.phi)
}

/// Returns the coefficients and the solver options of the case.
pub(super) fn inputs(setup: &MeshSetup, report: &mut Report) -> Result<MeshInputs> {
    let (config, cleaned) = (&*setup.config, &*setup.cleaned);
    let terms = setup.cpu.run(|| terms::terms(config, cleaned))?;
    report.warnings.extend(cleaned.doubts());
    let options = setup.cpu.run(|| options(setup));
    Ok(MeshInputs { terms, options })
}

/// If the case has an inflow and the initial level set has no interface, checks that the inflow can
/// bring one in.
fn check_entry(
    config: &Config,
    cpu: &Arc<Cpu>,
    cleaned: &CleanedMesh,
    phi: &[f64],
    terms: &Terms,
) -> Result<()> {
    let has_inflow = config.evolve.as_ref().is_some_and(|evolve| evolve.inflow.is_some());
    if !has_inflow || !is_one_sided(phi) {
        return Ok(());
    }
    let (mesh, options) = (&cleaned.mesh, Options::new(None).with_start_time(cleaned.start_time));
    let patches = Patches::new(mesh, Partition::Hilbert, PATCH_SIZE)?;
    Evolution::<f64>::new(cpu.clone(), mesh, Arc::new(patches), phi, terms, options)
        .map(drop)
        .map_err(|error| without_interface(config, phi, error))
}

/// Returns whether no vertex or every vertex is inside.
fn is_one_sided(phi: &[f64]) -> bool {
    let inside = phi.iter().filter(|&&x| x < 0.0).count();
    inside == 0 || inside == phi.len()
}

/// Adds the line of `[initial]` to an error if the initial level set has no interface.
pub(super) fn without_interface(config: &Config, phi: &[f64], error: Error) -> Error {
    if is_one_sided(phi) { config.locate("initial")(error) } else { error }
}

/// Returns the solver options of the case.
pub(super) fn options(setup: &MeshSetup) -> Options {
    let config = &setup.config;
    let evolve = config.evolve.clone().unwrap_or_default();
    let mean_edge = || setup::mean_edge(&setup.cleaned.mesh);
    let half_width = match config.half_width() {
        HalfWidth::Whole => None,
        HalfWidth::Length { length } => Some(length),
        HalfWidth::Edges(n) => Some(n * mean_edge()),
    };
    let fit = config.reinitialize.fit.unwrap_or_default();
    let halo = if fit == Fit::Quadratic { HALO_EDGES * mean_edge() } else { 0.0 };
    Options::new(half_width)
        .with_fit(fit, halo)
        .with_cfl(config.cfl())
        .with_max_step(config.max_step(setup.cleaned.start_time))
        .with_start_time(setup.cleaned.start_time)
        .with_advection(evolve.advection())
        .with_normal_motion(evolve.normal_motion)
        .with_one_pass(evolve.one_pass)
        .with_clip(evolve.clip)
        .with_curvature_step(evolve.curvature_step)
        .with_least_quality(config.least_quality(&evolve))
        .with_volume_correction(evolve.volume_correction)
        .with_rule(match config.rule() {
            Rule::Displacement => evolution::Rule::Displacement,
            Rule::Published => evolution::Rule::Published,
            Rule::Every(n) => evolution::Rule::Every(usize::try_from(n).unwrap_or(usize::MAX)),
            Rule::Never => evolution::Rule::Never,
        })
}

/// Writes the number of poor cells to the report. Warns about choices that depend on the mesh, and
/// about a velocity that leaves the plane.
pub(super) fn note_choices(
    motion: &dyn Motion,
    cleaned: &CleanedMesh,
    terms: &Terms,
    report: &mut Report,
) {
    let choices = motion.choices();
    report.poor_cells = choices.poor_cells;
    let implicit = choices.slivers.map(|slivers| implicit_because(&slivers, cleaned));
    let slow = choices.slow.map(|slow| slow_because(&slow, cleaned));
    let many_thin = choices.many_thin.map(|sizes| short_because_of_many(&sizes));
    let flat = leaves_the_plane(&cleaned.mesh, terms);
    // This is no doubt: the summary and the report name the scheme.
    if let Some(reason) = implicit {
        tracing::info!("{reason}");
    }
    for warning in slow.into_iter().chain(many_thin).chain(flat) {
        tracing::warn!("{warning}");
        report.warnings.push(warning);
    }
}

/// Returns a sentence that explains why the velocity and the normal speed require short time steps.
fn slow_because(slow: &Slivers, cleaned: &CleanedMesh) -> String {
    format!(
        "steps are up to {:.0} times shorter than typical cells with an inradius of {:.3e} allow: \
         cell {} has an inradius of {:.3e}; improve such cells where the interface passes, see \
         `zeroset info`",
        slow.first_order_factor(),
        slow.typical_inradius,
        cleaned.stored_cell(slow.cell as usize),
        slow.inradius
    )
}

/// Returns a sentence that explains why a mesh with many thin cells requires short time steps.
fn short_because_of_many(sizes: &Slivers) -> String {
    format!(
        "many thin cells make the steps short: a tenth of the cells have inradii of at most {:.3e}, \
         while half of the cells have at least {:.3e}; improve the mesh, as no repair of single \
         cells makes the steps longer",
        sizes.typical_inradius, sizes.median_inradius
    )
}

/// Returns a sentence that explains why curvature steps are semi-implicit.
fn implicit_because(slivers: &Slivers, cleaned: &CleanedMesh) -> String {
    format!(
        "curvature steps are semi-implicit, because cell {} would make explicit steps {:.0} times \
         shorter than typical cells do: its inradius is {:.3e}, and theirs is {:.3e} \
         (curvature_step = \"explicit\" forces them)",
        cleaned.stored_cell(slivers.cell as usize),
        slivers.factor(),
        slivers.inradius,
        slivers.typical_inradius
    )
}
