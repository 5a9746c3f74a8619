//! Exchange of phi and coefficients with arrays on the GPU of a motion. Their rows are those of the
//! stored vertices.

use std::sync::Arc;

use super::{Schedule, Stepping};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::gpu::primitives::{Examined, Renumbering};
use crate::gpu::{Array, Cuda};
use crate::levelset::eikonal::cuda::DeviceGradient;
use crate::levelset::evolution::cuda::{OnGpu, Rows};
use crate::mesh::DataArray;
use crate::output::Report;
use crate::run::CleanedMesh;
use crate::run::mesh_setup::MeshSetup;

/// The data for exchanges, which the first exchange creates.
#[derive(Default)]
pub(super) struct Exchange {
    vertices: Option<Arc<Renumbering>>,
    mesh: Option<Arc<DeviceGradient>>,
    /// phi of the beginning, as the caller gave it.
    given: Option<Array<f64>>,
}

impl Stepping {
    /// Begins a motion on a GPU whose phi is set by [`Stepping::read_phi`].
    ///
    /// # Errors
    /// Returns the errors of [`Stepping::new`], except for those about phi. Returns
    /// [`Error::Case`] if the motion is not on a GPU.
    pub fn without_phi(mut setup: MeshSetup, start_time: f64, report: &mut Report) -> Result<Self> {
        setup.note(report);
        setup.begin_at(start_time);
        if setup.gpu().is_none() {
            return Err(elsewhere());
        }
        Self::from_phi(setup, &[], report)
    }

    /// Returns the index of the GPU of the motion, or `None` on the CPU.
    pub fn gpu(&mut self) -> Option<u32> {
        self.motion.on_gpu().map(|gpu| gpu.cuda().info().ordinal)
    }

    /// Lets later exchanges wait for the work that is now in a stream.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the motion is not on a GPU, and [`Error::Device`] if the driver
    /// refuses the stream.
    ///
    /// # Safety
    /// See [`Cuda::wait_for`].
    pub unsafe fn wait_for(&mut self, stream: u64) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { self.device()?.cuda().wait_for(stream) }
    }

    /// Examines an array with `width` numbers for each vertex.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the motion is not on a GPU, and [`Error::Device`] if the GPU
    /// fails.
    ///
    /// # Safety
    /// The address must be that of such an array of `f64`. No other work may change it.
    pub unsafe fn examine(&mut self, from: u64, width: u32) -> Result<Examined> {
        let vertices = self.vertices()?;
        let cuda = self.device()?.cuda().clone();
        // SAFETY: the caller guarantees the array.
        unsafe { vertices.examine(&cuda, from, width) }
    }

    /// Copies phi to an array.
    ///
    /// # Errors
    /// Returns the errors of [`OnGpu::write_phi`], and [`Error::Case`] if the motion is not on a
    /// GPU.
    ///
    /// # Safety
    /// See [`OnGpu::write_phi`].
    pub unsafe fn write_phi(&mut self, to: u64) -> Result<()> {
        let vertices = self.vertices()?;
        // SAFETY: the caller guarantees the array.
        unsafe { self.device()?.write_phi(&vertices, to) }
    }

    /// Copies the gradients of phi to an array.
    ///
    /// # Errors
    /// Returns the errors of [`OnGpu::write_gradient`], and [`Error::Case`] if the motion is not
    /// on a GPU.
    ///
    /// # Safety
    /// See [`OnGpu::write_gradient`].
    pub unsafe fn write_gradient(&mut self, to: u64) -> Result<()> {
        let vertices = self.vertices()?;
        let mesh = match &self.exchange.mesh {
            Some(mesh) => mesh.clone(),
            None => {
                let cuda = self.device()?.cuda().clone();
                let MeshSetup { cpu, cleaned, patches, .. } = &self.setup;
                let new = cpu.run(|| DeviceGradient::new(cuda, &cleaned.mesh, patches))?;
                self.exchange.mesh.insert(Arc::new(new)).clone()
            }
        };
        // SAFETY: the caller guarantees the array.
        unsafe { self.device()?.write_gradient(&vertices, &mesh, to) }
    }

    /// Begins again at the current time with the phi of an array and the schedule of a case. Steps
    /// are still counted from the beginning of the motion.
    ///
    /// # Errors
    /// Returns the errors of [`OnGpu::read_phi`], and [`Error::Case`] if the motion is not on a
    /// GPU.
    ///
    /// # Safety
    /// See [`OnGpu::read_phi`].
    pub unsafe fn read_phi(&mut self, from: u64, config: Config) -> Result<()> {
        let (time, steps) = (self.time(), self.steps());
        let vertices = self.vertices()?;
        let (n, cuda) = (self.setup.cleaned.stored_vertices.len(), self.device()?.cuda().clone());
        // SAFETY: the caller guarantees the array.
        unsafe {
            self.exchange.given = Some(cuda.copy_from(from, n)?);
            self.device()?.read_phi(&vertices, from, time)?;
        }
        self.set_config(config);
        self.setup.begin_at(time);
        let config = &self.setup.config;
        let evolve = config.evolve.clone().unwrap_or_default();
        let schedule = Schedule::new(&evolve, &config.output).starting(time);
        let next = schedule.next_output();
        self.schedule = schedule.at(next, time, steps);
        (self.start, self.dt, self.is_begun, self.end) = ((0, time), 0.0, false, None);
        self.identity = None;
        Ok(())
    }

    /// Returns the phi that [`Stepping::read_phi`] has read, if any, at the stored vertices.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn given_phi(&mut self) -> Result<Option<Vec<f64>>> {
        let Some(given) = &self.exchange.given else { return Ok(None) };
        let gpu = self.motion.on_gpu().ok_or_else(elsewhere)?;
        gpu.cuda().download(given).map(Some)
    }

    /// Replaces the rows of coefficients by arrays.
    ///
    /// # Errors
    /// Returns the errors of [`OnGpu::read_rows`], and [`Error::Case`] if the motion is not on a
    /// GPU.
    ///
    /// # Safety
    /// See [`OnGpu::read_rows`].
    pub unsafe fn read_rows(&mut self, arrays: &[(Rows, u64)]) -> Result<()> {
        let vertices = self.vertices()?;
        // SAFETY: the caller guarantees the arrays.
        unsafe { self.device()?.read_rows(&vertices, arrays) }
    }

    /// Replaces the case by one with the same terms and another schedule.
    pub fn set_config(&mut self, config: Config) {
        self.setup = self.setup.with_config(config);
        self.identity = None;
    }

    /// Sets the array of phi that the initial state of the case refers to.
    pub fn set_vertex_array(&mut self, array: DataArray) {
        self.setup.set_vertex_array(array);
    }

    /// Returns the rows of the stored vertices in the solver.
    fn vertices(&mut self) -> Result<Arc<Renumbering>> {
        if let Some(vertices) = &self.exchange.vertices {
            return Ok(vertices.clone());
        }
        let cuda = self.device()?.cuda().clone();
        let new = renumbering(&cuda, &self.setup)?;
        Ok(self.exchange.vertices.insert(Arc::new(new)).clone())
    }

    fn device(&mut self) -> Result<&mut dyn OnGpu> {
        self.motion.on_gpu().ok_or_else(elsewhere)
    }
}

/// Returns the correspondence between the stored vertices and those of the solver.
fn renumbering(cuda: &Cuda, setup: &MeshSetup) -> Result<Renumbering> {
    let MeshSetup { cleaned, patches, .. } = setup;
    let order = patches.mesh_vertices();
    let stored = |&v: &u32| CleanedMesh::stored_vertex(cleaned, v as usize);
    let of_solver: Vec<u32> = order.iter().map(stored).collect();
    let mut positions = vec![None; order.len()];
    for (k, &v) in (0..).zip(order) {
        positions[v as usize] = Some(k);
    }
    Renumbering::new(cuda, &of_solver, &cleaned.as_stored(&positions, None))
}

fn elsewhere() -> Error {
    Error::usage("the motion is not on a GPU", "set device = \"cuda\", or pass arrays of the host")
}
