//! The choice of solver types for a case.
//!
//! This is the only place that chooses the scalar type, the storage type, the tile edge, and the
//! solver for the CPU or a GPU.

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

/// Evaluates an expression with `R` as the scalar type of a case.
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

/// Evaluates an expression for a case on tiles, where `R` is its scalar type, `S` is its storage
/// type, and `E` is the edge of its tiles.
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

/// The inputs of a motion on a mesh.
#[derive(Clone, Copy)]
pub(super) struct MeshStart<'p> {
    /// phi of `[initial]` in the order of the cleaned mesh. It is not needed once the motion
    /// exists. Without values, the motion is on a GPU, and its phi is set there.
    pub phi: &'p [f64],
    pub terms: &'p Terms,
    pub options: &'p Options,
}

/// Creates a motion on a mesh, or resumes it from a snapshot.
///
/// # Errors
/// Returns the errors of [`Evolution::new`] and [`Evolution::resume`]. Returns
/// [`Error::Device`](crate::Error::Device) if the GPU fails or runs out of memory.
pub(super) fn mesh_motion(
    setup: &MeshSetup,
    start: MeshStart<'_>,
    snapshot: Option<&Snapshot>,
) -> Result<Box<dyn Motion>> {
    with_scalar!(setup.config, R => {
        let solver = mesh_solver::<R>(setup, start, snapshot)?;
        Ok(Box::new(MeshMotion::new(solver, setup, &start.terms.weight, start.phi)))
    })
}

fn mesh_solver<R: Real>(
    setup: &MeshSetup,
    MeshStart { phi, terms, options }: MeshStart<'_>,
    snapshot: Option<&Snapshot>,
) -> Result<MeshSolver<R>> {
    let (cpu, mesh) = (setup.cpu.clone(), &setup.cleaned.mesh);
    let (patches, options) = (setup.patches.clone(), options.clone());
    if let Some(gpu) = setup.gpu() {
        return Ok(MeshSolver::Gpu(Box::new(match snapshot {
            None if phi.is_empty() => {
                DeviceEvolution::without_phi(gpu, cpu, mesh, patches, terms, options)?
            }
            None => DeviceEvolution::new(gpu, cpu, mesh, patches, phi, terms, options)?,
            Some(snapshot) => {
                DeviceEvolution::resume(gpu, cpu, mesh, patches, terms, options, snapshot)?
            }
        })));
    }
    // The measurer is created first, because its creation needs temporary memory.
    let measurer = Box::new(cpu.run(|| Measurer::new(mesh)));
    let evolution = match snapshot {
        None => Evolution::new(cpu, mesh, patches, phi, terms, options)?,
        Some(snapshot) => Evolution::resume(cpu, mesh, patches, terms, options, snapshot)?,
    };
    Ok(MeshSolver::Cpu(Box::new(evolution), measurer))
}

/// Computes the distance of a case on a mesh.
///
/// # Errors
/// Returns the errors of the solver. Returns [`Error::Device`](crate::Error::Device) if the GPU
/// fails or runs out of memory.
pub(super) fn distance(
    setup: &MeshSetup,
    distance: &Distance,
    start: &DistanceStart,
    slowness: &Slowness<f64>,
) -> Result<Solved> {
    with_scalar!(setup.config, R => setup.solve::<R>(distance, start, slowness))
}

/// Creates a motion on tiles, or resumes it from the state of an interrupted run.
///
/// # Errors
/// Returns the same errors as [`TiledCase::begin`].
pub(super) fn tiled_motion<'a>(
    case: &'a TiledCase<'a>,
    stopped: Option<(&Stopped, checkpoint::State)>,
    report: &mut Report,
    stage: &mut Stages<'_>,
) -> Result<BegunTiles<'a>> {
    with_tiles!(case, R, S, E => case.begin::<R, S, E>(stopped, report, stage))
}

/// Checks a case on tiles and returns a line that states the number of tiles at the start and their
/// memory.
///
/// # Errors
/// Returns the same errors as [`TiledCase::check_start`].
pub(super) fn check_tiles(case: &TiledCase<'_>) -> Result<String> {
    with_tiles!(case, R, S, E => case.check_start::<R, S, E>())
}
