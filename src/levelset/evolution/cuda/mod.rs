//! The evolution on a GPU: the same steps as on the CPU, without host synchronization between them.
//!
//! The GPU holds all data that control the steps (`Control`): the length of the next step, whether
//! a reinitialization is due, and why steps stop. The host launches *batches*, recorded as graphs.
//! A batch consists of one or more *cycles*, and a cycle of one or more steps and a
//! reinitialization. Kernels with nothing to do return immediately. The host reads the control
//! block of one batch while the next one runs, so the GPU never waits for the host. The host stops
//! launching when the GPU reports that the steps have stopped, for example at the target.
//!
//! The kernels are `kernels/band.cu`, `kernels/evolution.cu` and `kernels/eikonal.cu`. Where
//! needed, `kernels/galerkin.cu`, `kernels/implicit.cu`, `kernels/varying.cu`, `kernels/inflow.cu`
//! and `kernels/quadratic.cu` are added.

mod batches;
pub mod coefficients;
mod control;
mod failure;
mod galerkin;
mod implicit;
mod inflow;
mod kernel_arguments;
mod launch;
mod neighbors;
mod quadratic;
mod replace;
mod shared_memory;
mod snapshot;
mod state;
mod term_definitions;
mod varying;
mod volume;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use batches::Batch;
use control::Halt;
use kernel_arguments::{Control, Due};
use launch::Kernels;
pub use replace::{OnGpu, Rows};
pub use snapshot::PendingSnapshot;
use state::State;

#[cfg(doc)]
use super::Evolution;
use super::problem::Problem;
use super::volume::Volume;
use super::{Breakdown, Choices, Options, Rule, Snapshot, Terms, Totals};
use crate::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::gpu::definitions::Code;
use crate::gpu::{Cuda, Graph, Pinned};
use crate::levelset::eikonal::cuda::{EikonalArgument, Gpu, Solver};
use crate::levelset::eikonal::{self, Slowness};
use crate::levelset::volume::VolumeTotals;
use crate::mesh::Mesh;
use crate::patches::Patches;
use crate::patches::cuda::{DevicePatches, TOO_LARGE};
use crate::surface::{DeviceMeasurer, Measures};

/// A moving level-set function on a GPU.
pub struct DeviceEvolution<R: Real> {
    cuda: Arc<Cuda>,
    /// Time-dependent coefficients have values on the host only while a failure is explained.
    problem: Problem<R>,
    eikonal: Solver<R>,
    solve: EikonalArgument<R>,
    state: State<R>,
    kernels: Kernels<R>,
    measurer: DeviceMeasurer<R>,
    /// The recorded graphs, by batch.
    batches: HashMap<Batch, Graph>,
    /// The control blocks of the last two batches.
    seen: [Pinned<Control<R>>; 2],
    /// The control block that was read last.
    now: Control<R>,
    /// The work done before the run was resumed.
    before: Totals,
    /// The failure of the last step, if it failed.
    breakdown: Option<Breakdown>,
    /// The snapshot that is being copied to the host, or was copied last.
    standing: Option<Arc<PendingSnapshot<R>>>,
    /// The correction of the volume, which the host computes, if there is one.
    volume: Option<Box<Volume>>,
}

impl<R: Real> DeviceEvolution<R> {
    /// Starts an evolution on a GPU; see [`Evolution::new`].
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::new`], and [`Error::Device`] if the GPU has too little
    /// memory or fails.
    pub fn new(
        gpu: &Gpu,
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        phi: &[f64],
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        super::check::phi(mesh, phi)?;
        let problem = Problem::new(cpu, mesh, patches, terms, options)?;
        let phi = &*problem.start(phi)?;
        let mut evolution = Self::at_rest(gpu, problem, phi)?;
        evolution.begin_volume(mesh)?;
        let start_time = evolution.problem.options.start_time;
        evolution.change(|control| control.time = start_time)?;
        if evolution.problem.options.rule == Rule::Never {
            let problem = &evolution.problem;
            let width = problem.half_width();
            let is_inside = |phi: f64| u8::from(R::of(phi).abs() < width);
            let inside = problem.patches.to_patch_order(phi, is_inside);
            evolution.follow(&inside)?;
            evolution.change(|control| control.reinitializations = 0)?;
        } else {
            evolution.begin_from_phi()?;
        }
        Ok(evolution)
    }

    /// Reinitializes phi everywhere and finds the first band.
    fn begin_from_phi(&mut self) -> Result<()> {
        if self.volume.is_some() {
            return self.reinitialize_and_correct(u32::MAX);
        }
        self.kernels.reinitialize(&self.eikonal, self.solve, u32::MAX)?;
        self.look()
    }

    /// Resumes an evolution on a GPU; see [`Evolution::resume`].
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::resume`], and [`Error::Device`] if the GPU has too little
    /// memory or fails.
    pub fn resume(
        gpu: &Gpu,
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        terms: &Terms,
        options: Options,
        snapshot: &Snapshot,
    ) -> Result<Self> {
        snapshot.check::<R>(mesh)?;
        let problem = Problem::new(cpu, mesh, patches, terms, options)?;
        let mut evolution = Self::at_rest(gpu, problem, &snapshot.phi)?;
        let inside = evolution.problem.patches.to_patch_order(&snapshot.in_band, u8::from);
        evolution.follow(&inside)?;
        evolution.continue_at(snapshot)?;
        evolution.resume_volume(mesh, snapshot)?;
        Ok(evolution)
    }

    /// Continues at the time of a snapshot, of which only the numbers are used.
    fn continue_at(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.change(|control| {
            control.time = snapshot.time;
            control.step = snapshot.step;
            control.displacement = snapshot.displacement;
            control.steps_since = snapshot.steps_since;
            control.reinitializations = 0;
            if snapshot.gone && control.may_enter == 0 {
                control.halt = Halt::Gone as u32;
            }
        })?;
        self.before = snapshot.totals;
        Ok(())
    }

    /// Creates an evolution whose phi is zero until [`OnGpu::read_phi`] sets it.
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::new`], except for those about phi, and
    /// [`Error::Device`] if the GPU has too little memory or fails.
    pub fn without_phi(
        gpu: &Gpu,
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        let problem = Problem::new(cpu, mesh, patches, terms, options)?;
        Self::at_rest(gpu, problem, &vec![0.0; mesh.n_vertices()])
    }

    /// Creates an evolution from `phi` (mesh order) without computing its band.
    fn at_rest(gpu: &Gpu, mut problem: Problem<R>, phi: &[f64]) -> Result<Self> {
        if problem.triangulation.is_some() {
            return Err(Error::usage(
                "advection \"characteristic-map\" is computed on the CPU",
                "use the device \"auto\" or \"cpu\", or another scheme",
            ));
        }
        let Gpu { cuda, organization } = gpu.clone();
        let on_host = &problem.patches;
        let shape = crate::patches::cuda::Shape::of(on_host);
        let fronts = eikonal::Problem::new(
            on_host.clone(),
            problem.coordinates.clone(),
            Slowness::Uniform(R::one()),
        );
        let need = shape.bytes::<R>(on_host)
            + Solver::bytes(&shape, &fronts)
            + State::bytes(&problem, &shape)
            + Kernels::bytes(&problem, &shape)
            + DeviceMeasurer::<R>::bytes(on_host)
            + PendingSnapshot::<R>::bytes(on_host.n_vertices());
        cuda.check_room(need as u64, "the case", TOO_LARGE)?;
        let patches = Arc::new(DevicePatches::new(cuda.clone(), on_host, &problem.coordinates)?);
        let control = Control::new(&problem, shape.n_patches);
        let state = State::new(&cuda, &problem, phi, &shape, control)?;
        let eikonal = Solver::new(patches.clone(), &fronts, organization)?;
        let width = problem.options.half_width.map(|_| problem.half_width());
        let solve = eikonal.argument(width, &fronts).when(state.due());
        eikonal.reset(solve)?;
        let kernels = Kernels::new(&patches, &problem, &state, &eikonal)?;
        let measurer = DeviceMeasurer::new(patches.clone(), on_host)?;
        let seen = [cuda.pinned(1)?, cuda.pinned(1)?];
        problem.motion.release();
        Ok(DeviceEvolution {
            cuda,
            problem,
            eikonal,
            solve,
            state,
            kernels,
            measurer,
            batches: HashMap::new(),
            seen,
            now: control,
            before: Totals::default(),
            breakdown: None,
            standing: None,
            volume: None,
        })
    }

    /// Computes the band from `inside`, which is 1 for each vertex inside it and 0 for all others,
    /// in patch order.
    fn follow(&mut self, inside: &[u8]) -> Result<()> {
        self.cuda.write(&mut self.state.inside, inside)?;
        self.find_band()
    }

    /// Computes the band from the vertices inside it.
    fn find_band(&mut self) -> Result<()> {
        self.eikonal.visit_all()?;
        self.kernels.mark(self.solve, u32::MAX)?;
        self.look()
    }

    /// Copies the control block to the host, and checks that no eikonal solve has failed.
    fn look(&mut self) -> Result<()> {
        self.now = self.cuda.download(&self.state.control)?[0];
        self.eikonal.check()
    }

    /// Changes the control block, both the copy on the host and the one on the GPU.
    fn change(&mut self, change: impl FnOnce(&mut Control<R>)) -> Result<()> {
        change(&mut self.now);
        self.cuda.write(&mut self.state.control, &[self.now])
    }

    /// Returns the failure of the last step, if it failed.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown.as_ref()
    }

    /// Returns the time reached.
    pub fn time(&self) -> f64 {
        self.now.time
    }

    /// Returns the number of steps so far.
    pub fn n_steps(&self) -> u64 {
        self.now.step
    }

    /// Returns whether no interface is left and no inflow can bring one in later. No interface is
    /// left if no cell was cut at the start of the last step, or if the band is empty.
    pub fn is_extinct(&self) -> bool {
        self.now.may_enter == 0 && (self.now.halt() == Halt::Gone || self.now.n_active == 0)
    }

    /// Returns the range of the current phi in the array that holds both buffers.
    fn now_at(&self) -> Range<usize> {
        let n = self.problem.patches.n_vertices();
        let first = self.now.parity as usize * n;
        first..first + n
    }

    /// Returns phi in mesh order.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn phi(&self) -> Result<Vec<f64>> {
        let phi = self.cuda.download_part(&self.state.phi, self.now_at())?;
        Ok(self.problem.patches.to_mesh_order(&phi, Real::to_f64))
    }

    /// Returns, for each vertex, whether it moves (lies in the band), in mesh order.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn band(&self) -> Result<Vec<bool>> {
        let moving = self.cuda.download(&self.state.moving)?;
        Ok(self.problem.patches.to_mesh_order(&moving, |moving| moving != 0))
    }

    /// Computes the measures of phi on the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn measures(&mut self) -> Result<Measures> {
        self.measurer.measure(&self.state.phi, self.now_at().start)
    }

    /// Returns the number of vertices in the band.
    pub fn n_band_vertices(&self) -> usize {
        self.now.n_moving as usize
    }

    /// Returns the number of patches with a vertex in the band.
    pub fn n_active_patches(&self) -> usize {
        self.now.n_active as usize
    }

    /// Returns the time spent and the work done so far.
    pub fn totals(&self) -> Totals {
        let (now, before) = (&self.now, &self.before);
        Totals {
            evolve_seconds: before.evolve_seconds + now.evolve_time as f64 * 1e-9,
            reinitialize_seconds: before.reinitialize_seconds + now.reinitialize_time as f64 * 1e-9,
            cell_updates: before.cell_updates + now.cell_updates,
            reinitializations: before.reinitializations + now.reinitializations,
            iterations: before.iterations + now.iterations,
            map_restarts: before.map_restarts,
        }
    }

    /// Returns the results of the corrections of the volume, if there are any.
    pub fn volume(&self) -> Option<VolumeTotals> {
        self.volume.as_ref().map(|volume| volume.totals())
    }

    /// Returns the choices that depend on the mesh.
    pub fn choices(&self) -> Choices {
        self.problem.choices()
    }

    /// Returns a snapshot of the state, from which the evolution can be resumed.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        self.standing()?.snapshot()
    }

    /// Returns a [`Snapshot`] with the scalar values of the current state and empty arrays.
    fn numbers(&self) -> Snapshot {
        let now = &self.now;
        Snapshot {
            precision_bits: 8 * size_of::<R>() as u32,
            time: now.time,
            step: now.step,
            displacement: now.displacement,
            steps_since: now.steps_since,
            gone: now.halt() == Halt::Gone,
            phi: Vec::new(),
            in_band: Vec::new(),
            totals: self.totals(),
            volume: self.volume.as_ref().map(|volume| volume.state(&self.problem)),
            map: None,
        }
    }

    /// Reinitializes phi and updates the band around the interface.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn reinitialize(&mut self) -> Result<()> {
        let blocks = self.now.n_active;
        self.change(|control| control.due = Due::Everything.code())?;
        if self.volume.is_some() {
            return self.reinitialize_and_correct(blocks);
        }
        self.kernels.reinitialize(&self.eikonal, self.solve, blocks)?;
        self.look()
    }

    /// Returns the patches on which phi is defined.
    pub fn patches(&self) -> &Patches {
        &self.problem.patches
    }
}
