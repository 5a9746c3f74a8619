//! From a case to the types of its solver: the only place that chooses the numbers that are computed with, those that are
//! kept, the edge of tiles, and between the solvers of the CPU and of a GPU.

use super::checkpointing::Stopped;
use super::distance::{DistanceStart, Solved};
use super::evolve::mesh_motion::{MeshMotion, MeshSolver};
use super::mesh_setup::MeshSetup;
use super::motion::Motion;
use super::task::Stages;
use super::tiled::{BegunTiles, TiledCase};
use crate::config::{Distance, Precision, Storage};
use crate::error::Result;
use crate::geometry::Real;
use crate::grid::Fixed16;
use crate::levelset::eikonal::Slowness;
use crate::levelset::evolution::cuda::DeviceEvolution;
use crate::levelset::evolution::{Evolution, Options, Snapshot, Terms};
use crate::output::{Report, checkpoint};
use crate::surface::Measurer;

/// Does something with the scalar type `R` of a case.
macro_rules! with_scalar {
    ($config:expr, $R:ident => $body:expr) => {
        match $config.precision() {
            Precision::F64 => {
                type $R = f64;
                $body
            }
            Precision::F32 => {
                type $R = f32;
                $body
            }
        }
    };
}

/// Does something with the numbers `R` that a case on tiles computes with, `S` that it keeps, and the edge `E` of its tiles.
macro_rules! with_tiles {
    ($case:expr, $R:ident, $S:ident, $E:ident => $body:expr) => {{
        macro_rules! with {
            ($r:ty, $s:ty, $e:literal) => {{
                type $R = $r;
                type $S = $s;
                const $E: usize = $e;
                $body
            }};
        }
        match ($case.config.precision(), $case.source.storage, $case.source.tile_edge) {
            (Precision::F64, _, 4) => with!(f64, f64, 4),
            (Precision::F64, ..) => with!(f64, f64, 8),
            (Precision::F32, Storage::Full, 4) => with!(f32, f32, 4),
            (Precision::F32, Storage::Full, _) => with!(f32, f32, 8),
            (Precision::F32, Storage::Fixed16, 4) => with!(f32, Fixed16, 4),
            (Precision::F32, Storage::Fixed16, _) => with!(f32, Fixed16, 8),
        }
    }};
}

/// What a motion on a mesh begins with.
#[derive(Clone, Copy)]
pub(super) struct MeshStart<'a, 'p> {
    /// That of `[initial]`, in the order of the cleaned mesh; not needed once the motion is there.
    pub phi: &'p [f64],
    pub terms: &'a Terms,
    pub options: &'p Options,
}

/// A motion on a mesh that begins, or goes on from a snapshot.
///
/// # Errors
/// Those of [`Evolution::new`] and [`Evolution::resume`]; [`Error::Device`](crate::Error::Device).
pub(super) fn mesh_motion<'a>(
    setup: &'a MeshSetup<'a>,
    start: MeshStart<'a, '_>,
    snapshot: Option<&Snapshot>,
) -> Result<Box<dyn Motion + 'a>> {
    with_scalar!(setup.config, R => {
        let solver = mesh_solver::<R>(setup, start, snapshot)?;
        Ok(Box::new(MeshMotion::new(solver, setup, &start.terms.weight, start.phi)))
    })
}

fn mesh_solver<R: Real>(
    setup: &MeshSetup<'_>,
    MeshStart { phi, terms, options }: MeshStart<'_, '_>,
    snapshot: Option<&Snapshot>,
) -> Result<MeshSolver<R>> {
    let (cpu, mesh) = (setup.cpu.clone(), &setup.cleaned.mesh);
    let (patches, options) = (setup.patches.clone(), options.clone());
    if let Some(gpu) = setup.gpu() {
        return Ok(MeshSolver::Gpu(Box::new(match snapshot {
            None => DeviceEvolution::new(gpu, cpu, mesh, patches, phi, terms, options)?,
            Some(snapshot) => {
                DeviceEvolution::resume(gpu, cpu, mesh, patches, terms, options, snapshot)?
            }
        })));
    }
    // Before the evolution is there: making it takes memory on the way.
    let measurer = Box::new(cpu.run(|| Measurer::new(mesh)));
    let evolution = match snapshot {
        None => Evolution::new(cpu, mesh, patches, phi, terms, options)?,
        Some(snapshot) => Evolution::resume(cpu, mesh, patches, terms, options, snapshot)?,
    };
    Ok(MeshSolver::Cpu(Box::new(evolution), measurer))
}

/// Solves for the distance of a case on a mesh.
///
/// # Errors
/// Those of the solver; [`Error::Device`](crate::Error::Device).
pub(super) fn distance(
    setup: &MeshSetup<'_>,
    distance: &Distance,
    start: &DistanceStart,
    slowness: &Slowness<f64>,
) -> Result<Solved> {
    with_scalar!(setup.config, R => setup.solve::<R>(distance, start, slowness))
}

/// A motion on tiles that begins, or goes on from the state of a run that stopped early.
///
/// # Errors
/// As [`TiledCase::begin`].
pub(super) fn tiled_motion<'a>(
    case: &'a TiledCase<'a>,
    stopped: Option<(&Stopped, checkpoint::State)>,
    report: &mut Report,
    stage: &mut Stages<'_>,
) -> Result<BegunTiles<'a>> {
    with_tiles!(case, R, S, E => case.begin::<R, S, E>(stopped, report, stage))
}

/// Looks for what can be wrong with a case on tiles; says which tiles there are and what they take.
///
/// # Errors
/// As [`TiledCase::check_start`].
pub(super) fn check_tiles(case: &TiledCase<'_>) -> Result<String> {
    with_tiles!(case, R, S, E => case.check_start::<R, S, E>())
}
