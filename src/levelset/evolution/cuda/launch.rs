//! Launches of the evolution kernels.

use std::sync::Arc;

use super::galerkin::{self, DeviceGalerkin};
use super::implicit::DeviceImplicit;
use super::inflow::{self, DeviceInflow};
use super::kernel_arguments::EvolutionArgument;
use super::neighbors::Neighbors;
use super::quadratic::{Call, DeviceQuadratic};
use super::shared_memory::{STATIC_SHARED, chunk, is_paired, lanes, step_shared};
use super::state::State;
use super::term_definitions::terms;
use super::varying::{self, DeviceVarying};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::gpu::{Arguments, Cuda, Kernel, Launch, Unit};
use crate::levelset::eikonal::Fit;
use crate::levelset::eikonal::cuda::{EikonalArgument, Organization, Solver};
use crate::levelset::evolution::StepTarget;
use crate::levelset::evolution::problem::Problem;
use crate::patches::cuda::{PatchesArgument, Shape};

/// The number of threads per block of the kernels that visit vertices and cells only once.
const PLAIN_BLOCK: u32 = 128;

/// The numbers of triangles per thread for which variants of the step kernel are compiled. With
/// more threads, a patch takes less time, but fewer patches run on the GPU at once.
const CELLS_PER_THREAD: [f64; 4] = [1.0, 1.5, 2.0, 2.5];

/// The number of triangles per thread if there are many more patches than fit on the GPU at once.
/// The registers then suffice for enough threads to hide each other's latency.
const CELLS_PER_LEAN_THREAD: f64 = 4.5;

/// The number of threads among which the registers of a multiprocessor are divided, for normal and
/// lean steps (first index), in f32 and f64 (second index).
const RESIDENT_THREADS: [[u32; 2]; 2] = [[1024, 768], [1024, 512]];

/// If the number of patches exceeds this multiple of the number that the GPU holds at once, a block
/// processes several patches in turn. The work at the start of a block is then not repeated for
/// each patch.
const MANY: u32 = 2;

/// A variant of the step kernel, with its number of threads and bytes of shared memory per block.
struct Candidate {
    unit: Unit,
    block: u32,
    shared: u32,
}

/// A compiled candidate.
struct Step {
    kernel: Kernel,
    block: u32,
    shared: u32,
    /// The number of patches that the GPU can process at once.
    resident: u32,
}

/// The kernels of one evolution, and the parameters of their launches.
pub(super) struct Kernels<R: Real> {
    cuda: Arc<Cuda>,
    patches: PatchesArgument,
    state: EvolutionArgument<R>,
    n_patches: u32,
    init: (Kernel, u32),
    finish: Kernel,
    mark: (Kernel, u32),
    begin: Kernel,
    /// The candidates for a step, from most to fewest threads per patch; the lean one is last.
    candidates: Vec<Candidate>,
    /// The candidates compiled so far, and the index of the one used for the steps of a cycle.
    made: Vec<Step>,
    chosen: usize,
    settle: Kernel,
    outcome: Kernel,
    block: u32,
    galerkin: Option<DeviceGalerkin<R>>,
    implicit: Option<DeviceImplicit<R>>,
    varying: Option<DeviceVarying<R>>,
    inflow: Option<DeviceInflow<R>>,
    quadratic: Option<DeviceQuadratic<R>>,
    _neighbors: Option<Neighbors>,
    /// Whether other kernels follow the step before its outcome is known.
    is_split: bool,
}

/// Returns whether there is a boundary where the inflow matters.
fn has_boundary<R: Real>(problem: &Problem<R>) -> bool {
    !problem.inflow.boundary().is_empty()
}

impl<R: Real> Kernels<R> {
    /// Returns the number of bytes on the GPU that only certain terms need.
    pub fn bytes(problem: &Problem<R>, shape: &Shape) -> usize {
        let galerkin = problem
            .galerkin
            .as_ref()
            .map_or(0, |_| DeviceGalerkin::<R>::bytes(shape, &problem.patches));
        let (varies, has_boundary) = (problem.motion.varies(), has_boundary(problem));
        let part = |is: bool, bytes: usize| if is { bytes } else { 0 };
        let fits = problem.options.fit == Fit::Quadratic;
        galerkin
            + part(fits, DeviceQuadratic::<R>::bytes(shape))
            + part(
                problem.implicit,
                DeviceImplicit::<R>::bytes(shape, &problem.patches, problem.is_extrapolated()),
            )
            + part(varies, DeviceVarying::bytes(problem, shape))
            + part(has_boundary, DeviceInflow::bytes(problem, shape))
            + part(varies || has_boundary, Neighbors::bytes(&problem.patches))
    }

    pub fn new(
        patches: &crate::patches::cuda::DevicePatches<R>,
        problem: &Problem<R>,
        state: &State<R>,
        eikonal: &Solver<R>,
    ) -> Result<Self> {
        let (cuda, shape) = (patches.cuda().clone(), patches.shape());
        let limit = cuda.shared_memory()?.saturating_sub(STATIC_SHARED);
        let chunk = chunk(problem, shape, limit);
        let queued = eikonal.organization() == Organization::Queue;
        let variant = |file: &str, block: u32, lean: bool| {
            let mut defines = shape.defines::<R>();
            defines.extend(terms(problem));
            // In a plane, a step needs a third less arithmetic than in space.
            if problem.coordinates.is_planar() && ["evolution", "galerkin"].contains(&file) {
                defines.push(("PLANAR", "1".into()));
            }
            defines.push(("BLOCK", block.to_string()));
            // Limits the registers per thread so that a multiprocessor holds enough threads to stay
            // busy.
            let threads = RESIDENT_THREADS[usize::from(lean)][usize::from(size_of::<R>() == 8)];
            defines.push(("MIN_BLOCKS", (threads / block).max(1).to_string()));
            if file == "evolution" && shape.arity == 4 {
                defines.push(("LANES", lanes(shape).to_string()));
            }
            if lean {
                defines.push(("LEAN", "1".into()));
            }
            if chunk < shape.largest_cells {
                defines.push(("CHUNKED", "1".into()));
            }
            if queued && file == "band" {
                defines.push(("QUEUED_SOLVE", "1".into()));
            }
            if problem.options.fit == Fit::Quadratic && file == "band" {
                defines.push(("QUADRATIC", "1".into()));
            }
            Unit::with(file, defines)
        };
        let compiled = |file: &str, block: u32| variant(file, block, false);
        let band = compiled("band", PLAIN_BLOCK)?;
        let block = match shape.arity {
            3 => shape.threads(2.0, 256),
            _ => shape.threads(2.5, 256),
        };
        let sizes: Vec<u32> = match shape.arity {
            3 => CELLS_PER_THREAD.map(|cells| shape.threads(cells, 256)).to_vec(),
            _ => vec![block],
        };
        let candidate = |block: u32, lean: bool| -> Result<Candidate> {
            let mut unit = variant("evolution", block, lean)?;
            // With few terms, a lean step in f64 uses fewer registers than its limit, so the number
            // of threads for normal steps applies here.
            let wanted = RESIDENT_THREADS[0][usize::from(size_of::<R>() == 8)] / block;
            let paired = is_paired(problem, shape, chunk, wanted, limit);
            if paired {
                unit.defines.push(("PAIRED", "1".into()));
            }
            Ok(Candidate { unit, block, shared: step_shared(problem, shape, chunk, paired) })
        };
        let mut candidates: Vec<Candidate> = Vec::new();
        for threads in sizes {
            if candidates.last().is_none_or(|more| more.block > threads) {
                candidates.push(candidate(threads, false)?);
            }
        }
        if shape.arity == 3 {
            let threads = shape.threads(CELLS_PER_LEAN_THREAD, 256);
            candidates.push(candidate(threads, true)?);
        }
        // Reusing a candidate avoids compiling it twice.
        let evolution = match candidates.iter().find(|candidate| candidate.block == block) {
            Some(candidate) => candidate.unit.clone(),
            None => compiled("evolution", block)?,
        };
        let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
        let init = cuda.kernel(&band, "band_init")?;
        let init_shared =
            part(shape.largest_local, size_of::<R>()) + part(shape.largest_owned, size_of::<R>());
        init.allow_shared(init_shared)?;
        let mark = cuda.kernel(&band, "band_mark")?;
        let mark_shared = part(shape.largest_owned, 1);
        mark.allow_shared(mark_shared)?;
        let mut state = state.argument(problem, shape, chunk);
        let galerkin = match &problem.galerkin {
            None => None,
            Some(galerkin) => {
                let unit = |&block: &u32| Ok((compiled("galerkin", block)?, block));
                let units = galerkin::blocks(shape).iter().map(unit).collect::<Result<_>>()?;
                let of = (shape, &*problem.patches);
                let velocity = problem.motion.velocity.as_ref();
                let varies = velocity.is_some_and(|velocity| velocity.varies());
                Some(DeviceGalerkin::new(&cuda, galerkin, of, (units, chunk), varies)?)
            }
        };
        let implicit = match problem.implicit {
            false => None,
            true => {
                let unit = compiled("implicit", DeviceImplicit::<R>::block(shape))?;
                Some(DeviceImplicit::new(
                    &cuda,
                    shape,
                    &problem.patches,
                    &unit,
                    problem.is_extrapolated(),
                )?)
            }
        };
        let neighbors = match problem.motion.varies() || has_boundary(problem) {
            false => None,
            true => Some(Neighbors::new(&cuda, &problem.patches)?),
        };
        let varying = match &neighbors {
            Some(neighbors) if problem.motion.varies() => {
                let unit = compiled("varying", varying::BLOCK)?;
                Some(DeviceVarying::new(&cuda, problem, shape, neighbors, unit)?)
            }
            _ => None,
        };
        let inflow = match &neighbors {
            Some(neighbors) if has_boundary(problem) => {
                let unit = compiled("inflow", inflow::BLOCK)?;
                Some(DeviceInflow::new(&cuda, problem, shape, neighbors, unit)?)
            }
            _ => None,
        };
        let quadratic = match problem.options.fit {
            Fit::Plane => None,
            Fit::Quadratic => {
                Some(DeviceQuadratic::new(&cuda, problem, shape, eikonal.organization())?)
            }
        };
        if let Some(varying) = &varying {
            varying.fill(&mut state);
        }
        if let Some(inflow) = &inflow {
            inflow.fill(&mut state);
        }
        if let Some(galerkin) = &galerkin {
            galerkin.fill(&mut state);
            galerkin.measure(&cuda, patches.argument(), state, shape.n_patches)?;
        }
        if let Some(implicit) = &implicit {
            implicit.fill(&mut state);
        }
        Ok(Kernels {
            patches: patches.argument(),
            state,
            n_patches: shape.n_patches,
            init: (init, init_shared),
            finish: cuda.kernel(&band, "band_final")?,
            mark: (mark, mark_shared),
            begin: cuda.kernel(&evolution, "evolution_begin")?,
            candidates,
            made: Vec::new(),
            chosen: 0,
            settle: cuda.kernel(&evolution, "evolution_settle")?,
            outcome: cuda.kernel(&evolution, "evolution_outcome")?,
            block,
            galerkin,
            implicit,
            varying,
            inflow,
            quadratic,
            _neighbors: neighbors,
            is_split: problem.implicit || problem.inflow.has_values(),
            cuda,
        })
    }

    /// Finds the inflow and the growth rates of a velocity whose rows have been replaced; see
    /// [`DeviceInflow::find`].
    pub fn follow_velocity(&self) -> Result<()> {
        if let Some(inflow) = &self.inflow {
            inflow.find(&self.cuda, self.patches, self.state)?;
        }
        match &self.galerkin {
            Some(galerkin) => galerkin.follow_everywhere(&self.cuda, self.patches, self.state),
            None => Ok(()),
        }
    }

    /// Passes the next step target to the GPU.
    pub fn begin(&self, until: &StepTarget) -> Result<()> {
        let launch = Launch { grid: 1, block: 1, shared: 0, cooperative: false };
        let arguments = Arguments::default()
            .with(self.state)
            .with(until.clock)
            .with(until.target)
            .with(until.steady)
            .with(until.steps);
        // SAFETY: the kernel takes these arguments, and their arrays live as long as `self`.
        unsafe { self.cuda.launch(&self.begin, launch, &arguments) }
    }

    /// Chooses the step kernel for `patches` patches: among the candidates with which all patches
    /// run on the GPU at once, the one with the most threads, or the last candidate if there is
    /// none.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the kernel cannot be compiled or does not fit on the GPU.
    pub fn prepare(&mut self, patches: u32) -> Result<()> {
        if let Some(galerkin) = &mut self.galerkin {
            galerkin.prepare(&self.cuda, patches)?;
        }
        for (k, &Candidate { ref unit, block, shared }) in self.candidates.iter().enumerate() {
            if self.made.len() == k {
                let kernel = self.cuda.kernel(unit, "evolution_step")?;
                kernel.allow_shared(shared)?;
                let resident = kernel.resident_blocks(block, shared)?;
                self.made.push(Step { kernel, block, shared, resident });
            }
            self.chosen = k;
            if self.made[k].resident >= patches {
                break;
            }
        }
        Ok(())
    }

    /// Launches `steps` steps with about `blocks` thread blocks, after `prepare`.
    pub fn steps(&self, steps: u32, blocks: u32) -> Result<()> {
        let launch = self.plain(blocks, self.block, 0);
        if self.has_others() {
            for _ in 0..steps {
                self.step_among_others(launch)?;
            }
            return Ok(());
        }
        for turn in 0..steps {
            self.explicit_step(launch, turn)?;
        }
        self.settle(steps)
    }

    /// Returns whether a step needs other kernels that read the progress from the control block.
    fn has_others(&self) -> bool {
        self.implicit.is_some()
            || self.varying.is_some()
            || self.inflow.is_some()
            || self.quadratic.is_some()
    }

    /// Launches step `turn` of a cycle, preceded by the increments of second-order advection.
    fn explicit_step(&self, launch: Launch, turn: u32) -> Result<()> {
        if let Some(galerkin) = &self.galerkin {
            galerkin.launch(&self.cuda, self.patches, self.state, (turn, launch.grid))?;
        }
        self.step(launch, turn)
    }

    /// Launches one step together with the kernels before and after it that read the progress from
    /// the control block.
    fn step_among_others(&self, launch: Launch) -> Result<()> {
        if let Some(varying) = &self.varying {
            varying.launch(&self.cuda, self.patches, self.state)?;
        }
        if let Some(inflow) = &self.inflow {
            inflow.follow(&self.cuda, self.patches, self.state)?;
        }
        if let Some(galerkin) = &self.galerkin {
            galerkin.follow(&self.cuda, self.patches, self.state)?;
        }
        self.explicit_step(launch, 0)?;
        if let Some(implicit) = &self.implicit {
            implicit.launch(&self.cuda, self.patches, self.state)?;
        }
        if let Some(inflow) = &self.inflow {
            inflow.apply(&self.cuda, self.patches, self.state)?;
        }
        if self.is_split {
            let arguments = Arguments::default().with(self.patches).with(self.state);
            // SAFETY: the kernel takes these two arguments.
            unsafe { self.cuda.launch(&self.outcome, launch, &arguments)? };
        }
        if let Some(quadratic) = &self.quadratic {
            quadratic.watch(&self.cuda, self.patches, self.state, launch.grid)?;
        }
        self.settle(1)
    }

    /// Launches step `turn` of a cycle. Unless it is the first kernel of the cycle, it may start
    /// before the previous kernel has ended.
    fn step(&self, launch: Launch, turn: u32) -> Result<()> {
        let arguments = Arguments::default().with(self.patches).with(self.state).with(turn);
        let Some(step) = self.made.get(self.chosen) else {
            return Err(Error::device("a step was launched before its kernel was compiled", ""));
        };
        let workers = match launch.grid / MANY > step.resident {
            true => step.resident,
            false => launch.grid,
        };
        // One additional block passes on the progress of the steps. With Taylor-Galerkin advection,
        // the previous kernels have already done so.
        let launch = Launch { grid: workers + 1, block: step.block, shared: step.shared, ..launch };
        // SAFETY: the kernel takes these three arguments and waits for the previous step itself.
        unsafe {
            match turn {
                0 if self.galerkin.is_none() => self.cuda.launch(&step.kernel, launch, &arguments),
                _ => self.cuda.launch_overlapping(&step.kernel, launch, &arguments),
            }
        }
    }

    /// Updates the control block after `steps` steps.
    fn settle(&self, steps: u32) -> Result<()> {
        let launch = Launch { grid: 1, block: 32, shared: 0, cooperative: false };
        let arguments = Arguments::default().with(self.state).with(steps);
        // SAFETY: the kernel takes these two arguments and waits for the previous kernel itself.
        unsafe { self.cuda.launch_overlapping(&self.settle, launch, &arguments) }
    }

    /// Returns the name of the invalid coefficient that stopped the steps, and the vertex (patch
    /// order).
    pub fn bad_coefficient(&self) -> Result<(&'static str, usize)> {
        match &self.varying {
            Some(varying) => varying.flaw(&self.cuda),
            None => Err(Error::device("a constant coefficient was reported as invalid", "")),
        }
    }

    /// Returns the vertex (patch order) with the largest residual of the semi-implicit step.
    pub fn slowest(&self, moving: &[u8]) -> Result<usize> {
        self.implicit.as_ref().map_or(Ok(0), |implicit| implicit.slowest(&self.cuda, moving))
    }

    /// Reinitializes phi if that is due.
    pub fn reinitialize(
        &self,
        eikonal: &Solver<R>,
        solve: EikonalArgument<R>,
        blocks: u32,
    ) -> Result<()> {
        let arguments = || Arguments::default().with(self.patches).with(solve).with(self.state);
        let (init, shared) = &self.init;
        // SAFETY: the kernels take these three arguments.
        unsafe { self.cuda.launch(init, self.plain(blocks, PLAIN_BLOCK, *shared), &arguments())? };
        let call = Call { patches: self.patches, solve, state: self.state, blocks };
        if let Some(quadratic) = &self.quadratic {
            quadratic.fit(&self.cuda, call)?;
        }
        eikonal.launch(solve)?;
        if let Some(quadratic) = &self.quadratic {
            quadratic.bend(&self.cuda, call)?;
        }
        let launch = self.plain(blocks.saturating_mul(2), PLAIN_BLOCK, 0);
        // SAFETY: the kernel takes these three arguments.
        unsafe { self.cuda.launch(&self.finish, launch, &arguments())? };
        self.mark(solve, blocks)
    }

    /// Finds the moving vertices in the visited patches if that is due.
    pub fn mark(&self, solve: EikonalArgument<R>, blocks: u32) -> Result<()> {
        let arguments = Arguments::default().with(self.patches).with(solve).with(self.state);
        let (mark, shared) = &self.mark;
        let launch = self.plain(blocks.saturating_mul(2), PLAIN_BLOCK, *shared);
        // SAFETY: the kernel takes these three arguments.
        unsafe { self.cuda.launch(mark, launch, &arguments) }
    }

    fn plain(&self, blocks: u32, block: u32, shared: u32) -> Launch {
        Launch { grid: blocks.min(self.n_patches).max(1), block, shared, cooperative: false }
    }
}
