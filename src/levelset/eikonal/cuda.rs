//! nbFIM on a GPU: the same fixed point as on the CPU, with two ways to schedule the patch updates.
//!
//! Rounds ([`Organization::Rounds`]) follow the round rule: values read from other patches are
//! those of the previous round, and a grid barrier separates the rounds. Results are therefore
//! bitwise identical in every run, on GPUs of any size. A queue ([`Organization::Queue`]) has no
//! barrier and is faster, but its values differ between runs by rounding errors. The kernels are in
//! `kernels/eikonal.cu`.

mod gradient;
mod kernel_arguments;
mod shapes;

use std::sync::Arc;

use super::problem::endless;
use super::{EikonalSolver, EikonalState, Front, Problem, Slowness, Stats};
pub use gradient::DeviceGradient;

use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::patches::cuda::{DevicePatches, Indices, Readers, Shape};
use shapes::Shapes;

pub(crate) use kernel_arguments::EikonalArgument;

/// The largest number of times that a patch of triangles is updated before other patches are
/// notified, for rounds and for the queue. More repetitions would only use outdated values of
/// neighboring patches. Patches of tetrahedra are updated once.
const REPETITIONS: [u32; 2] = [3, 2];

/// Without a band, a patch waits if its pending value is later than the earliest pending value by
/// more than this. The unit is the longest time along an edge of a patch, averaged over all
/// patches.
///
/// With a uniform slowness, the queue repeats few updates, and a stricter order costs more than it
/// saves. With a slowness per cell, the values that arrive first are more often wrong.
const NEAR_ROUNDS: f64 = 3.0;
const NEAR_QUEUE: f64 = 256.0;
const NEAR_QUEUE_PER_CELL: f64 = 64.0;

/// The number of clock cycles that a block waits for work before it reports a broken queue: about
/// ten seconds.
const PATIENCE: i64 = 20_000_000_000;

/// How patch updates are scheduled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Organization {
    /// Rounds with a barrier: bitwise identical results in every run.
    #[default]
    Rounds,
    /// A queue without a barrier: faster, equal up to rounding.
    Queue,
}

impl<R> EikonalArgument<R> {
    /// Returns the argument of a solve that is skipped if the word at the GPU address `due` is 0.
    pub fn when(self, due: u64) -> Self {
        EikonalArgument { due, ..self }
    }
}

/// The error code of a solve that did not end; `FAILED_ENDLESS` in the kernels.
const ENDLESS: u32 = 2;

/// The sizes reserved for the kernels' `Queue` and `Stats` structures, in `u32` words.
const QUEUE: usize = 8;
const STATS: usize = 4;

/// A solver and its arrays on a GPU.
pub(crate) struct Solver<R: Real> {
    patches: Arc<DevicePatches<R>>,
    organization: Organization,
    is_circular: bool,
    solve: Kernel,
    seed: Kernel,
    reset: Kernel,
    launch: Launch,
    argument: EikonalArgument<R>,
    u: Array<R>,
    stats: Array<u32>,
    error: Array<u32>,
    caps: Array<R>,
    visited: Array<u32>,
    /// The GPU time of the last solve, in milliseconds.
    milliseconds: f64,
    /// Arrays that only kernels use.
    _words: Vec<Array<u32>>,
    _numbers: Vec<Array<R>>,
    _shapes: Option<Shapes<R>>,
    _indices: Indices,
}

impl<R: Real> Solver<R> {
    /// Returns the number of bytes that the solver needs on the GPU, not including
    /// [`DevicePatches`].
    pub fn bytes(shape: &Shape, problem: &Problem<R>) -> usize {
        let patches = &problem.patches;
        let (n, p) = (shape.n_vertices as usize, shape.n_patches as usize);
        let cells = match problem.slowness {
            Slowness::Uniform(_) => 0,
            Slowness::PerCell(_) => patches.n_patch_cells(),
            Slowness::Tensor(_) => 6 * patches.n_patch_cells(),
        };
        let index = if shape.wide { 4 } else { 2 };
        let seen = if shape.arity == 4 { patches.n_local() } else { 0 };
        size_of::<R>() * (2 * n + cells + 3 * p + seen)
            + Shapes::<R>::bytes(shape, patches)
            + 4 * (7 * p + ring_size(shape.n_patches))
            + patches.halo_len() * (4 + index)
    }

    /// Allocates the arrays on the GPU and compiles the kernels.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU has too little memory or compilation fails.
    pub fn new(
        patches: Arc<DevicePatches<R>>,
        problem: &Problem<R>,
        organization: Organization,
    ) -> Result<Self> {
        let on_host = &*problem.patches;
        let cuda = patches.cuda().clone();
        let shape = *patches.shape();
        let circular = problem.front == Front::Circular;
        // Circular fronts need rounds, because the order of updates affects their values by more
        // than rounding errors.
        let organization = if circular { Organization::Rounds } else { organization };
        let (n, p) = (shape.n_vertices as usize, shape.n_patches as usize);
        // In a tetrahedral mesh, only a few cells of a patch have work at a time. All threads of
        // the block share them.
        let cells_per_thread = if shape.arity == 3 { 0.9 } else { 3.3 };
        let block = shape.threads(cells_per_thread, 384);
        let mut defines = shape.defines::<R>();
        defines.push(("BLOCK", block.to_string()));
        // Limits the registers per thread so that a multiprocessor holds enough threads to stay
        // busy.
        let threads = match (shape.arity, size_of::<R>()) {
            (3, 4) => 1024,
            (4, 8) => 640,
            _ => 768,
        };
        defines.push(("MIN_BLOCKS", (threads / block).max(1).to_string()));
        defines.push(("CIRCULAR", u32::from(circular).to_string()));
        let has_metric = matches!(problem.slowness, Slowness::Tensor(_));
        defines.push(("METRIC", u32::from(has_metric).to_string()));
        defines.push(("QUEUED_SOLVE", u32::from(organization == Organization::Queue).to_string()));
        let unit = Unit::with("eikonal", defines)?;
        let name = match organization {
            Organization::Rounds => "eikonal_rounds",
            Organization::Queue => "eikonal_queue",
        };
        let solve = cuda.kernel(&unit, name)?;
        let seed = cuda.kernel(&unit, "eikonal_seed")?;
        let reset = cuda.kernel(&unit, "eikonal_reset")?;
        let shared = shared_bytes::<R>(&shape, circular, block);
        solve.allow_shared(shared)?;
        let grid = solve.resident_blocks(block, shared)?.min(shape.n_patches.max(1));
        let cooperative = organization == Organization::Rounds;
        let launch = Launch { grid, block, shared, cooperative };

        let readers = Readers::of(on_host);
        let wake_vertices = Indices::new(&cuda, &readers.vertices, shape.wide)?;
        let u = cuda.upload(&vec![R::INFINITY; 2 * n])?;
        let stats = cuda.zeros::<u32>(STATS)?;
        let error = cuda.zeros::<u32>(1)?;
        let ring = ring_size(shape.n_patches);
        let words = vec![
            cuda.upload(&readers.offsets)?,
            cuda.upload(&readers.patches)?,
            cuda.zeros::<u32>(p)?,
            cuda.zeros::<u32>(2 * p)?,
            cuda.zeros::<u32>(3)?,
            cuda.zeros::<u32>(1)?,
            cuda.zeros::<u32>(p)?,
            cuda.zeros::<u32>(ring)?,
            cuda.zeros::<u32>(QUEUE)?,
            cuda.zeros::<u32>(p)?,
        ];
        let visited = cuda.zeros::<u32>(p)?;
        let (uniform, per_cell) = match &problem.slowness {
            Slowness::Uniform(f) => (*f, None),
            Slowness::PerCell(of) => {
                let rows = |p| on_host.patch(p).cells.iter().map(|&c| of[c as usize]);
                let rows: Vec<R> = (0..on_host.len()).flat_map(rows).collect();
                (R::one(), Some(cuda.upload(&rows)?))
            }
            Slowness::Tensor(of) => {
                let mut rows = Vec::with_capacity(6 * on_host.n_patch_cells());
                for p in 0..on_host.len() {
                    let cells = on_host.patch(p).cells;
                    let metrics = || cells.iter().map(|&c| of[c as usize].entries());
                    (0..6).for_each(|k| rows.extend(metrics().map(|entries| entries[k])));
                }
                (R::one(), Some(cuda.upload(&rows)?))
            }
        };
        let numbers = vec![
            cuda.upload(&problem.reach)?,
            cuda.upload(&vec![R::INFINITY; 2 * p])?,
            cuda.upload(&[R::INFINITY; 3])?,
            cuda.zeros(if shape.arity == 4 { on_host.n_local() } else { 0 })?,
        ];
        let of_cells = per_cell.as_ref().map_or(0, Array::address);
        let shapes = if circular { None } else { Some(Shapes::new(&cuda, &shape, on_host)?) };
        let argument = EikonalArgument {
            n_patches: shape.n_patches,
            n_vertices: shape.n_vertices,
            largest_local: shape.largest_local,
            largest_owned: shape.largest_owned,
            repetitions: REPETITIONS[usize::from(organization == Organization::Queue)],
            most_rounds: problem.most_rounds(),
            ring_mask: ring as u32 - 1,
            patience: PATIENCE,
            width: R::INFINITY,
            near: R::INFINITY,
            slowness: uniform,
            slowness_of_cells: if has_metric { 0 } else { of_cells },
            metrics: if has_metric { of_cells } else { 0 },
            caps: 0,
            reach: numbers[0].address(),
            shapes: shapes.as_ref().map_or(0, Shapes::address),
            seen: numbers[3].address(),
            wake_offsets: words[0].address(),
            wake_vertices: wake_vertices.address(),
            wake_readers: words[1].address(),
            u: u.address(),
            news: numbers[1].address(),
            listed: words[2].address(),
            lists: words[3].address(),
            counts: words[4].address(),
            first_news: numbers[2].address(),
            arrived: words[5].address(),
            states: words[6].address(),
            ring: words[7].address(),
            queue: words[8].address(),
            visited: visited.address(),
            n_updates: words[9].address(),
            stats: stats.address(),
            due: 0,
            error: error.address(),
        };
        let caps = cuda.zeros(0)?;
        let mut numbers = numbers;
        numbers.extend(per_cell);
        let solver = Solver {
            patches,
            organization,
            is_circular: circular,
            solve,
            seed,
            reset,
            launch,
            argument,
            u,
            stats,
            error,
            caps,
            visited,
            milliseconds: 0.0,
            _words: words,
            _numbers: numbers,
            _shapes: shapes,
            _indices: wake_vertices,
        };
        if !circular {
            solver.find_shapes(&unit)?;
        }
        Ok(solver)
    }

    /// Returns the kernel argument of a solve in a band of this width, or without a band.
    pub fn argument(&self, width: Option<R>, problem: &Problem<R>) -> EikonalArgument<R> {
        // In a band, ordering does not pay off, because the few layers do not form a front.
        let near = match (width, self.organization) {
            (Some(_), _) => R::INFINITY,
            (None, Organization::Rounds) => problem.near * R::of(NEAR_ROUNDS),
            (None, Organization::Queue) => {
                let edges = match problem.slowness {
                    Slowness::Uniform(_) => NEAR_QUEUE,
                    Slowness::PerCell(_) | Slowness::Tensor(_) => NEAR_QUEUE_PER_CELL,
                };
                problem.near * R::of(edges)
            }
        };
        EikonalArgument { width: width.unwrap_or(R::INFINITY), near, ..self.argument }
    }

    /// Returns the schedule in use. Circular fronts always use rounds.
    pub fn organization(&self) -> Organization {
        self.organization
    }

    /// Launches a solve from pending values that are already on the GPU. Does not wait for it.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the launch fails.
    pub fn launch(&self, argument: EikonalArgument<R>) -> Result<()> {
        let arguments = Arguments::default().with(self.patches.argument()).with(argument);
        // SAFETY: the kernel takes these two arguments, and their arrays live as long as `self`.
        unsafe { self.patches.cuda().launch(&self.solve, self.launch, &arguments) }
    }

    /// Launches the computation of the cell shape data that a solve needs.
    fn find_shapes(&self, unit: &Unit) -> Result<()> {
        let cuda = self.patches.cuda();
        let kernel = cuda.kernel(unit, "eikonal_shapes")?;
        let arguments = Arguments::default().with(self.patches.argument()).with(self.argument);
        // SAFETY: the kernel takes these two arguments, and their arrays live as long as `self`.
        unsafe { cuda.launch(&kernel, self.plain(), &arguments) }
    }

    fn plain(&self) -> Launch {
        let grid = self.patches.shape().n_patches;
        Launch { grid, cooperative: false, ..self.launch }
    }

    /// Prepares all data of a solve except the values.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the launch fails.
    pub fn reset(&self, argument: EikonalArgument<R>) -> Result<()> {
        let arguments = Arguments::default().with(self.patches.argument()).with(argument);
        // SAFETY: the kernel takes these two arguments, and their arrays live as long as `self`.
        unsafe { self.patches.cuda().launch(&self.reset, self.plain(), &arguments) }
    }

    /// Marks all patches as updated by the last solve.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn visit_all(&mut self) -> Result<()> {
        let n = self.patches.shape().n_patches;
        let cuda = self.patches.cuda().clone();
        cuda.write(&mut self.visited, &(0..n).collect::<Vec<u32>>())?;
        cuda.write(&mut self.stats, &[0, 0, n])
    }

    /// Checks that no solve since the last reset has failed.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if a solve did not end, and [`Error::Device`] if the queue
    /// broke or the GPU fails.
    pub fn check(&self) -> Result<()> {
        match self.patches.cuda().download(&self.error)?[0] {
            0 => Ok(()),
            ENDLESS => Err(endless(self.argument.most_rounds, None)),
            _ => Err(Error::device(
                "the queue of patches has stalled",
                "please report this; device.reproducible = true avoids the queue",
            )),
        }
    }

    /// Propagates fronts from the given values (patch order) until nothing changes. Reads and
    /// writes the values in host memory.
    pub fn run(&mut self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats> {
        let cuda = self.patches.cuda().clone();
        let n = state.u.len();
        // The sign bit marks a given value.
        let give = |(&u, &fixed): (&R, &bool)| if fixed { -u } else { u };
        let stored: Vec<R> = state.u.iter().zip(&state.fixed).map(give).collect();
        cuda.write(&mut self.u, &[stored.as_slice(), &stored].concat())?;
        let mut argument = self.argument(width, &state.problem);
        if !state.caps.is_empty() {
            if self.caps.is_empty() {
                self.caps = cuda.zeros(n)?;
            }
            cuda.write(&mut self.caps, &state.caps)?;
            argument.caps = self.caps.address();
        }
        self.reset(argument)?;
        let arguments = Arguments::default().with(self.patches.argument()).with(argument);
        // SAFETY: the kernel takes these two arguments, and their arrays live as long as `self`.
        unsafe { cuda.launch(&self.seed, self.plain(), &arguments)? };
        let start = cuda.mark()?;
        self.launch(argument)?;
        let end = cuda.mark()?;
        let values = cuda.download(&self.u)?;
        let stats = cuda.download(&self.stats)?;
        self.check()?;
        self.milliseconds = start.milliseconds_to(&end)?;
        for (u, stored) in state.u.iter_mut().zip(values) {
            *u = stored.abs();
        }
        state.visited.clear();
        let reached = |p: &u32| {
            state.problem.patches.patch(*p as usize).owned().any(|v| state.u[v] < R::INFINITY)
        };
        state.visited.extend((0..state.problem.patches.len() as u32).filter(reached));
        Ok(Stats {
            rounds: stats[0] as usize,
            patch_updates: stats[1] as usize,
            visited_patches: stats[2] as usize,
        })
    }
}

/// Returns the number of bytes of shared memory that a block needs to update a patch.
fn shared_bytes<R>(shape: &Shape, circular: bool, block: u32) -> u32 {
    let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
    let real = size_of::<R>();
    let values = part(shape.largest_local, real)
        + part(shape.largest_owned, real)
        + part(shape.largest_owned, 1);
    let points = part(3 * shape.largest_local, real);
    if shape.arity == 3 {
        return if circular { values + points } else { values };
    }
    // The flags of new values, the candidates of two cells per thread, and the numbers of
    // candidates.
    let index = if shape.wide { 4 } else { 2 };
    values + points + part(shape.largest_local, 1) + part(8 * block, index) + part(2, 4)
}

/// Returns the number of entries of the queue: at least two per patch (waiting and running) and one
/// for each of up to 8192 blocks.
fn ring_size(n_patches: u32) -> usize {
    (2 * n_patches as usize + 8192).next_power_of_two()
}

/// Returns the GPU time of the last solve of a state in milliseconds, without copies; 0 before the
/// first solve.
pub fn last_milliseconds<R: Real>(state: &EikonalState<R>) -> f64 {
    state.device.as_ref().map_or(0.0, |solver| solver.milliseconds)
}

/// A GPU, and how patch updates are scheduled there.
#[derive(Clone)]
pub struct Gpu {
    /// The GPU.
    pub cuda: Arc<Cuda>,
    /// The schedule of the patch updates.
    pub organization: Organization,
}

impl EikonalSolver for Gpu {
    fn solve<R: Real>(&self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats> {
        // The compiled kernels depend on whether fronts are circular.
        let fits =
            |solver: &Solver<R>| solver.is_circular == (state.problem.front == Front::Circular);
        let mut solver = match state.device.take().filter(fits) {
            Some(solver) => solver,
            None => {
                let patches = Arc::new(DevicePatches::new(
                    self.cuda.clone(),
                    &state.problem.patches,
                    &state.problem.coordinates,
                )?);
                Solver::new(patches, &state.problem, self.organization)?
            }
        };
        let stats = solver.run(state, width)?;
        state.device = Some(solver);
        Ok(stats)
    }
}
