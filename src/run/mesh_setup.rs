//! What every task on a mesh starts from: the mesh read, cleaned and cut, and the device.

use std::sync::Arc;

use super::device::{Device, Size};
use super::task::Stages;
use super::{CleanedMesh, memory, picture, setup};
use crate::Cpu;
use crate::config::{Config, Precision};
use crate::error::Result;
use crate::levelset::eikonal::cuda::Gpu;
use crate::mesh::Kind;
use crate::output::{MeshCounts, Report, Seconds};
use crate::patches::{Coordinates, Partition, Patches};

/// A mesh that is read, cleaned and cut, the device that computes on it, and how long that took.
pub(super) struct MeshSetup<'a> {
    pub config: &'a Config,
    pub cpu: Arc<Cpu>,
    device: Device,
    pub cleaned: CleanedMesh,
    pub patches: Arc<Patches>,
    method: Partition,
    seconds: Seconds,
}

impl<'a> MeshSetup<'a> {
    /// # Errors
    /// Those of [`CleanedMesh::new`]; [`Error::Case`](crate::Error::Case) for keys that do not fit the kind of mesh;
    /// [`Error::Device`](crate::Error::Device) for a run that does not fit into memory.
    pub fn new(config: &'a Config, cpu: Arc<Cpu>, stage: &mut Stages<'_>) -> Result<Self> {
        stage.next("reading the mesh")?;
        let cleaned = cpu.run(|| read(config))?;
        let read = stage.next("cutting the mesh into patches")?;
        let (method, size) = partition(config, &cleaned)?;
        let (patches, device) = cpu.run(|| cut(config, &cleaned, method, size))?;
        let partition = stage.next("setting up")?;
        let seconds = Seconds { read, partition, ..Seconds::default() };
        Ok(MeshSetup { config, cpu, device, method, cleaned, patches: Arc::new(patches), seconds })
    }

    /// The GPU, if the case is computed on one.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.device.gpu.as_ref()
    }

    /// Says in the report what there is.
    pub fn note(&self, report: &mut Report) {
        let cleaned = &self.cleaned;
        report.mesh = Some(MeshCounts {
            kind: cleaned.mesh.kind,
            stored_vertices: cleaned.stored_vertices.len(),
            vertices: cleaned.mesh.n_vertices(),
            cells: cleaned.mesh.n_cells(),
            patches: self.patches.len(),
            partition: self.method,
            cleaning: cleaned.cleaning.clone(),
        });
        report.seconds = self.seconds;
        report.warnings.extend(cleaned.warnings.iter().cloned());
        report.backend = if self.device.gpu.is_some() { "cuda" } else { "cpu" };
        report.backend_reason = self.device.reason.clone();
    }
}

/// Reads the mesh of a case and refuses what does not fit it.
fn read(config: &Config) -> Result<CleanedMesh> {
    let cleaned = CleanedMesh::new(config)?;
    config.check_for(cleaned.mesh.kind)?;
    memory::check(config, &cleaned.mesh)?;
    picture::check_array(config, &cleaned)?;
    Ok(cleaned)
}

/// How the mesh is cut, and into patches of how many vertices.
fn partition(config: &Config, cleaned: &CleanedMesh) -> Result<(Partition, usize)> {
    let source = config.mesh_or_refuse()?;
    Ok((source.partition.unwrap_or(Partition::fit_for(&cleaned.mesh)), source.patch_size))
}

/// Finds what can be wrong with the mesh of a case, and with what `more` looks at; says what there is.
///
/// # Errors
/// As [`MeshSetup::new`] and those of `more`.
pub(super) fn check(
    config: &Config,
    task: &str,
    more: impl FnOnce(&CleanedMesh) -> Result<()>,
) -> Result<String> {
    let cleaned = read(config)?;
    more(&cleaned)?;
    if config.initial.is_some() {
        setup::initial_phi(config, &cleaned)?;
    }
    let mesh = &cleaned.mesh;
    let (method, size) = partition(config, &cleaned)?;
    let patches = Patches::new(mesh, method, size)?;
    if config.precision() == Precision::F32 {
        Coordinates::<f32>::new(mesh, &patches).check(&patches)?;
    }
    let cells = if mesh.kind == Kind::Volume { "tetrahedra" } else { "triangles" };
    let (vertices, n) = (mesh.n_vertices(), mesh.n_cells());
    Ok(format!("task    {task}\nmesh    {vertices} vertices, {n} {cells}\n"))
}

/// Cuts the mesh into patches and chooses the device.
fn cut(
    config: &Config,
    cleaned: &CleanedMesh,
    method: Partition,
    size: usize,
) -> Result<(Patches, Device)> {
    let (mesh, n) = (&cleaned.mesh, cleaned.mesh.n_vertices());
    // A GPU orders vertices along the curve itself, with the same patches.
    if method == Partition::Hilbert {
        let device = Device::choose(config, Size::Vertices(n))?;
        let patches = match &device.gpu {
            Some(gpu) => Patches::new_on(&gpu.cuda, mesh, method, size),
            None => Patches::new(mesh, method, size),
        };
        return Ok((patches?, device));
    }
    // The GPU's driver takes a while to start, which cutting need not wait for.
    let choose = || Device::choose(config, Size::Vertices(n));
    let (patches, device) = rayon::join(|| Patches::new(mesh, method, size), choose);
    Ok((patches?, device?))
}
