//! The setup that all tasks on a mesh share: reading, cleaning and partitioning the mesh and
//! choosing the device.

use std::sync::Arc;

use super::device::{Device, Size};
use super::setup::{self, Start};
use super::task::Stages;
use super::{CleanedMesh, ReadMesh, clock, memory, names, picture, speed_volume};
use crate::Cpu;
use crate::config::{Config, Precision};
use crate::error::{Error, Result};
use crate::levelset::eikonal::cuda::Gpu;
use crate::mesh::{DataArray, Kind, Values};
use crate::output::{MeshCounts, Report, Seconds};
use crate::parallel;
use crate::patches::{Coordinates, Partition, Patches};
use crate::volume::Volume;

/// A case on a cleaned and partitioned mesh, the device on which it is computed, and the time that
/// the setup took.
///
/// A copy shares the mesh and its patches.
#[derive(Clone)]
pub(crate) struct MeshSetup {
    pub config: Arc<Config>,
    pub cpu: Arc<Cpu>,
    device: Device,
    pub cleaned: Arc<CleanedMesh>,
    pub patches: Arc<Patches>,
    method: Partition,
    seconds: Seconds,
}

impl MeshSetup {
    /// Reads, cleans and partitions the mesh of a case and chooses the device.
    ///
    /// # Errors
    /// Returns the errors of [`CleanedMesh::new`]. Returns [`Error::Case`](crate::Error::Case) for
    /// keys that do not apply to the kind of mesh. Returns [`Error::Device`](crate::Error::Device)
    /// if the run does not fit in memory.
    pub fn new(config: &Config, cpu: Arc<Cpu>, stage: &mut Stages<'_>) -> Result<Self> {
        stage.next("reading the mesh")?;
        let read = cpu.run(|| ReadMesh::new(config))?;
        Self::of(config, cpu, read, stage)
    }

    /// Cleans and partitions a mesh that has been read, and chooses the device.
    ///
    /// # Errors
    /// Returns the same errors as [`MeshSetup::new`], except those of the reader.
    pub fn of(
        config: &Config,
        cpu: Arc<Cpu>,
        read: ReadMesh,
        stage: &mut Stages<'_>,
    ) -> Result<Self> {
        let cleaned = cpu.run(|| checked(config, read.inside_mask(config)?))?;
        let read = stage.next("partitioning the mesh")?;
        let (method, size) = partition(config, &cleaned)?;
        let (patches, device) = cpu.run(|| cut(config, &cleaned, method, size))?;
        let partition = stage.next("setting up")?;
        let seconds = Seconds { read, partition, ..Seconds::default() };
        Ok(MeshSetup {
            config: Arc::new(config.clone()),
            cpu,
            device,
            method,
            cleaned: Arc::new(cleaned),
            patches: Arc::new(patches),
            seconds,
        })
    }

    /// Returns the setup of another case on the same mesh and the same device.
    pub fn with_config(&self, config: Config) -> Self {
        MeshSetup { config: Arc::new(config), ..self.clone() }
    }

    /// Adds a vertex array in the order of the stored vertices, or replaces the array of the same
    /// name.
    pub fn set_vertex_array(&mut self, array: DataArray) {
        Arc::make_mut(&mut self.cleaned).set_vertex_array(array);
    }

    /// Adds a cell array in the order of the stored cells, or replaces the array of the same name.
    pub fn set_cell_array(&mut self, array: DataArray) {
        Arc::make_mut(&mut self.cleaned).set_cell_array(array);
    }

    /// Adds a cell array with the speeds that a volume has at the centroids of the cells. Returns a
    /// warning if the volume does not cover the mesh.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a value of the volume is not finite.
    pub fn set_speeds(&mut self, name: &str, volume: &Volume) -> Result<Option<String>> {
        let refused = |(what, remedy)| Error::usage(what, remedy);
        let found =
            speed_volume::interpolated(&self.cleaned.mesh, volume, "a speed").map_err(refused)?;
        let doubt = found.doubt();
        Arc::make_mut(&mut self.cleaned).mesh.cell_data.push(DataArray {
            name: name.to_string(),
            components: 1,
            values: Values::Float(found.values),
        });
        if let Some(warning) = &doubt {
            tracing::warn!("{warning}");
        }
        Ok(doubt)
    }

    /// Sets the time at which the run begins.
    pub fn begin_at(&mut self, time: f64) {
        if self.cleaned.start_time != time {
            Arc::make_mut(&mut self.cleaned).start_time = time;
        }
    }

    /// Returns the GPU if the case is computed on one.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.device.gpu.as_ref()
    }

    /// Writes the counts of the mesh, the device, the warnings and the seconds of the setup to the
    /// report.
    pub fn note(&self, report: &mut Report) {
        let cleaned = &*self.cleaned;
        report.mesh = Some(MeshCounts {
            kind: cleaned.mesh.kind,
            stored_vertices: cleaned.stored_vertices.len(),
            vertices: cleaned.mesh.n_vertices(),
            cells: cleaned.mesh.n_cells(),
            patches: self.patches.len(),
            partition: self.method,
            repair: cleaned.repair.counts(),
            cleaning: cleaned.cleaning.clone(),
        });
        report.units = cleaned.units.clone();
        report.seconds = self.seconds;
        report.warnings.extend(cleaned.warnings.iter().cloned());
        report.backend = if self.device.gpu.is_some() { "cuda" } else { "cpu" };
        report.backend_reason = self.device.reason.clone();
    }
}

/// Refuses a case that does not match the mesh or does not fit in memory.
fn checked(config: &Config, cleaned: CleanedMesh) -> Result<CleanedMesh> {
    config.check_for(cleaned.mesh.kind)?;
    memory::check(config, &cleaned.mesh)?;
    picture::check_array(config, &cleaned)?;
    Ok(cleaned)
}

/// Returns the partitioning method and the number of vertices per patch.
fn partition(config: &Config, cleaned: &CleanedMesh) -> Result<(Partition, usize)> {
    let source = config.mesh_or_refuse()?;
    Ok((source.partition.unwrap_or(Partition::fit_for(&cleaned.mesh)), source.patch_size))
}

/// Checks the mesh of a case and everything that `more` checks, given the initial level set if it
/// is valid. Returns a description of the task and the mesh.
///
/// # Errors
/// Returns all errors of [`MeshSetup::new`] and of `more`. If the run does not fit in memory,
/// checks that need memory are left out.
pub(super) fn check(
    config: &Config,
    task: &str,
    more: impl FnOnce(&CleanedMesh, Option<&Start>) -> Vec<Result<()>>,
) -> Result<String, Vec<Error>> {
    let mut cleaned = CleanedMesh::whole(config).map_err(|error| vec![error])?;
    let unknown = names::unknown(config, &cleaned);
    // An invalid mask is ignored, so that further problems can be found.
    let mask = match cleaned.mask(config) {
        Ok(Some(keep)) => {
            cleaned = cleaned.masked(&keep);
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(error) => Err(error),
    };
    let mesh = &cleaned.mesh;
    let mut checked =
        vec![mask, config.check_for(mesh.kind), picture::check_array(config, &cleaned)];
    // All further checks need memory.
    if let Err(error) = memory::check(config, mesh) {
        let problems = checked.into_iter().filter_map(Result::err);
        return Err(problems.chain([error]).collect());
    }
    let mut start = None;
    if config.initial.is_some() {
        let begun = setup::initial_phi(config, &cleaned).and_then(|found| {
            let dated = start.insert(found).dated.as_ref();
            clock::start_time(config, dated)
        });
        cleaned.start_time = *begun.as_ref().unwrap_or(&0.0);
        checked.push(begun.map(drop));
    }
    checked.extend(more(&cleaned, start.as_ref()));
    checked.push(check_patches(config, &cleaned));
    let mut problems: Vec<Error> = checked.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        // The other checks stop at the first unknown name of an expression.
        for (_, error) in unknown {
            let text = error.to_string();
            if problems.iter().all(|known| known.to_string() != text) {
                problems.push(error);
            }
        }
        return Err(problems);
    }
    let cells = if mesh.kind == Kind::Volume { "tetrahedra" } else { "triangles" };
    let (vertices, n) = (mesh.n_vertices(), mesh.n_cells());
    Ok(format!("task    {task}\nmesh    {vertices} vertices, {n} {cells}\n"))
}

/// Checks that the mesh can be partitioned, and that its coordinates fit the precision.
fn check_patches(config: &Config, cleaned: &CleanedMesh) -> Result<()> {
    let (method, size) = partition(config, cleaned)?;
    let patches = Patches::new(&cleaned.mesh, method, size)?;
    match config.precision() {
        Precision::F32 => Coordinates::<f32>::new(&cleaned.mesh, &patches).check(&patches),
        Precision::F64 => Ok(()),
    }
}

/// Partitions the mesh into patches and chooses the device.
fn cut(
    config: &Config,
    cleaned: &CleanedMesh,
    method: Partition,
    size: usize,
) -> Result<(Patches, Device)> {
    let (mesh, n) = (&cleaned.mesh, cleaned.mesh.n_vertices());
    // A GPU computes the Hilbert order of the vertices itself. The resulting patches are the same.
    if method == Partition::Hilbert {
        let device = Device::choose(config, Size::Vertices(n))?;
        let patches = match &device.gpu {
            Some(gpu) => Patches::new_on(&gpu.cuda, mesh, method, size),
            None => Patches::new(mesh, method, size),
        };
        return Ok((patches?, device));
    }
    // Starting the GPU driver takes a while, so the mesh is partitioned at the same time.
    let choose = || Device::choose(config, Size::Vertices(n));
    let (patches, device) = parallel::join(|| Patches::new(mesh, method, size), choose);
    Ok((patches?, device?))
}
