//! Level-set evolution on sparse tiles on a GPU, the counterpart of
//! [`TiledEvolution`](super::TiledEvolution).
//!
//! The host does not intervene between steps. In f64, the results are bitwise identical to those of
//! the CPU, except for functions in expressions that a GPU rounds differently. In f32, where
//! products and sums are fused, they agree up to rounding.
//!
//! The control data of the steps is on the GPU (`TileControl`): the tile set, the next time step
//! and the reason to stop. The host launches *cycles* of several steps, recorded as graphs. It
//! examines the control block of the previous cycle while the next one runs. A step that finds no
//! room for the tiles that it needs stops before it has changed anything. The host then makes room
//! and the step continues.
//!
//! ```text
//! terms                    coefficients
//! stationary_coefficients  coefficients stored with the tiles
//! range                    the surface and the range of phi, for output
//! steady_state             whether the interface has stopped
//! state                    kernel arguments
//! launch                   kernel launches
//! failure                  why steps stopped
//! snapshot                 saving and restoring the state
//! volumes                  coefficients sampled from volumes
//! ```

mod failure;
mod launch;
mod range;
mod snapshot;
mod state;
mod stationary_coefficients;
mod steady_state;
mod terms;
mod volumes;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::coefficients::{Coefficients, Place};
use super::motion::MARGIN;
use super::options::{Options, Reinitialize, Time};
use crate::error::{Error, Result};
use crate::expression::Sampling;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda, Element, Graph, Pinned};
use crate::grid::cuda::{
    DevicePool, DeviceTiledGrid, Halt, STIRRED, TileControl, TileGridArgument,
};
use crate::grid::{Band, Pool, Stored, TiledGrid};
use crate::levelset::evolution::{Advance, StepTarget};
use launch::Kernels;
pub use range::Range;
pub use state::{MotionArgument, StageArgument, ValuesArgument};
use stationary_coefficients::StationaryValues;
pub use stationary_coefficients::{KeepCoefficient, StationaryArgument};
pub use steady_state::{Crossed, DeviceInterface};
pub use terms::{DeviceCoefficient, DevicePart, DeviceTerms};
pub use volumes::{ComponentArgument, ComponentsArgument};

/// The time for which the GPU may continue before the host reports progress.
const PATIENCE: Duration = Duration::from_millis(200);

/// The largest number of steps of a cycle.
const MOST_STEPS: u64 = 32;

/// A level-set function that moves on sparse tiles of `E^3` voxels on a GPU.
pub struct DeviceTiledEvolution<R: Real, const E: usize, S = R>
where
    S: Stored<R> + Element,
{
    cuda: Arc<Cuda>,
    grid: DeviceTiledGrid,
    /// phi and the stages. The third array is allocated only if it is needed.
    values: [DevicePool<S, E>; 3],
    /// Velocity, normal speed and curvature, if they are stored.
    kept: [StationaryValues<R>; 3],
    /// The addresses of the stored coefficients, for kernels. Each coefficient has two addresses:
    /// one of its values and one of its extremes.
    places: Array<u64>,
    motion: MotionArgument<R>,
    options: Options,
    kernels: Kernels<R>,
    /// The recorded cycles, by the number of steps and whether reinitialization may follow.
    cycles: HashMap<(u64, bool), Graph>,
    /// The control blocks of the last two cycles.
    seen: [Pinned<TileControl>; 2],
    /// The control block that was read last.
    now: TileControl,
    /// The time spent in steps, in seconds of the GPU's clock.
    seconds: f64,
}

impl<R: Real, const E: usize, S: Stored<R> + Element> DeviceTiledEvolution<R, E, S> {
    /// Creates an evolution from tiles and their values of phi, which must be computed for a band
    /// of half width `options.gamma` and any reach. The capacity is `room` tiles, but at least the
    /// number of tiles. Without `room`, it is [somewhat larger](DeviceTiledGrid::roomy) than the
    /// number of tiles.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an option is out of range, and [`Error::Device`] if there is not
    /// enough memory or a kernel cannot be compiled.
    pub fn new(
        cuda: &Arc<Cuda>,
        grid: &TiledGrid<E>,
        phi: &Pool<S, E>,
        terms: &DeviceTerms,
        options: Options,
        room: Option<usize>,
    ) -> Result<Self> {
        let at = (options.start_time, 0);
        Self::starting_at(cuda, grid, phi, terms, options, room, at)
    }

    /// Creates an evolution from tiles and phi that are already on the GPU, at time 0.
    ///
    /// # Errors
    /// See [`DeviceTiledEvolution::new`].
    ///
    /// # Panics
    /// Panics if phi has less room than the tile lists.
    pub fn of_gpu(
        cuda: &Arc<Cuda>,
        grid: DeviceTiledGrid,
        phi: DevicePool<S, E>,
        terms: &DeviceTerms,
        options: Options,
    ) -> Result<Self> {
        let kernels = Self::kernels(cuda, terms, &options)?;
        let room = grid.capacity();
        assert!(phi.n_tiles() >= room, "phi has room for each tile");
        Self::check_room(cuda, terms, &options, room, 0)?;
        Self::with_parts(cuda, grid, phi, terms, (options, kernels), (0.0, 0))
    }

    /// Creates an evolution like [`DeviceTiledEvolution::new`], but starts it at the given time and
    /// step number.
    fn starting_at(
        cuda: &Arc<Cuda>,
        grid: &TiledGrid<E>,
        phi: &Pool<S, E>,
        terms: &DeviceTerms,
        options: Options,
        room: Option<usize>,
        at: (f64, u64),
    ) -> Result<Self> {
        let kernels = Self::kernels(cuda, terms, &options)?;
        let (n, stages) = (grid.capacity(), Self::stage_bytes(terms, &options));
        let held = Pool::<S, E>::TILE * size_of::<S>() + stages;
        let capacity = room.unwrap_or_else(|| DeviceTiledGrid::roomy::<S, E>(n, held)).max(n);
        let on_gpu =
            capacity * DeviceTiledGrid::tile_bytes::<S, E>() + DevicePool::<S, E>::bytes(capacity);
        Self::check_room(cuda, terms, &options, capacity, on_gpu)?;
        let lists = DeviceTiledGrid::new::<S, E>(cuda, grid, capacity, kernels.manage_blocks())?;
        let gamma = R::of(options.gamma);
        let values = DevicePool::upload(cuda, phi, n, lists.capacity(), gamma)?;
        Self::with_parts(cuda, lists, values, terms, (options, kernels), at)
    }

    fn kernels(cuda: &Arc<Cuda>, terms: &DeviceTerms, options: &Options) -> Result<Kernels<R>> {
        options.check()?;
        if !options.gamma.is_finite() {
            let what = "sparse tiles need a band";
            return Err(Error::usage(what, "use a finite half width, such as 3 voxels"));
        }
        Kernels::new(cuda, terms, options, E, size_of::<S>() == 2)
    }

    /// Returns the number of bytes that the stages and coefficients of a tile take.
    fn stage_bytes(terms: &DeviceTerms, options: &Options) -> usize {
        let stages = if needs_third(options) { 2 } else { 1 };
        let kept = terms.kept_sizes(E).map(StationaryValues::<R>::bytes_per_tile);
        stages * Pool::<S, E>::TILE * size_of::<S>() + kept.iter().sum::<usize>()
    }

    /// Checks that the stages and coefficients of `capacity` tiles fit on the GPU in addition to
    /// `more` bytes.
    fn check_room(
        cuda: &Cuda,
        terms: &DeviceTerms,
        options: &Options,
        capacity: usize,
        more: usize,
    ) -> Result<()> {
        let need = more + capacity * Self::stage_bytes(terms, options);
        cuda.check_room(need as u64, format_args!("{capacity} tiles"), TOO_MANY)
    }

    fn with_parts(
        cuda: &Arc<Cuda>,
        grid: DeviceTiledGrid,
        mut phi: DevicePool<S, E>,
        terms: &DeviceTerms,
        (options, kernels): (Options, Kernels<R>),
        at: (f64, u64),
    ) -> Result<Self> {
        phi.set_far(cuda, R::of(options.gamma))?;
        let capacity = grid.capacity();
        let third = if needs_third(&options) { capacity } else { 0 };
        let stage = |capacity| DevicePool::new(cuda, capacity, R::of(options.gamma));
        let values = [phi, stage(capacity)?, stage(third)?];
        let [velocity, normal_speed, curvature] = terms.kept_sizes(E);
        let kept = |size| StationaryValues::new(cuda, capacity, size);
        let kept = [kept(velocity)?, kept(normal_speed)?, kept(curvature)?];
        let places = cuda.zeros(2 * kept.len())?;
        let narrow = R::of;
        let per = 1.0 / terms.dx;
        let band = Band { gamma: narrow(options.gamma), reach: options.reach() };
        let motion = MotionArgument {
            values: [0; 3],
            origin: terms.origin,
            dx: terms.dx,
            gamma: narrow(options.gamma),
            core: narrow(options.gamma - MARGIN),
            rescaling: match options.reinitialize {
                Reinitialize::Rescaling { factor } => narrow(factor),
                _ => R::zero(),
            },
            velocity: terms.velocity.uniform().map(narrow),
            normal_speed: narrow(terms.normal_speed.uniform()[0]),
            curvature: narrow(terms.curvature.uniform()[0]),
            per_voxel: [per, per * per].map(narrow),
            keep: band.roomy::<E>().reach as u32,
            need: band.reach as u32,
            kept: places.address(),
            components: kernels.components(),
        };
        let seen = [cuda.pinned(1)?, cuda.pinned(1)?];
        let mut evolution = DeviceTiledEvolution {
            cuda: cuda.clone(),
            grid,
            values,
            kept,
            places,
            motion,
            options,
            kernels,
            cycles: HashMap::new(),
            seen,
            now: TileControl::default(),
            seconds: 0.0,
        };
        evolution.start(terms, at)?;
        Ok(evolution)
    }

    /// Sets the constant part of the control block and examines phi for the first time.
    fn start(&mut self, terms: &DeviceTerms, (time, steps): (f64, u64)) -> Result<()> {
        let options = self.options;
        let mut control = self.grid.look()?;
        (control.time, control.step, control.nu) = (time, steps, options.nu);
        control.max_step = if terms.uses_time() { options.max_step } else { f64::INFINITY };
        (control.at, control.stirred) = ([0, 1, 2], STIRRED);
        control.every = match options.reinitialize {
            Reinitialize::Equation { every, .. } | Reinitialize::Direct { every } => every,
            Reinitialize::Never | Reinitialize::Rescaling { .. } => 0,
        };
        control.uniform_speed = match terms.varies() {
            // Each voxel adds its own speed. The speed of the rescaling term is the same for all.
            true => (self.motion.rescaling * R::of(3f64.sqrt())).to_f64(),
            false => {
                let all = Coefficients::<R>::new(&terms.uniform(), &options, 1);
                let mut scratch = Vec::new();
                let (of_block, _) =
                    all.on_block(Place::EVERYWHERE, Sampling::At(0.0), &mut scratch);
                all.speed(&of_block, 3, None, &mut Vec::new()).checked(0.0)?
            }
        };
        self.grid.steer(control)?;
        self.locate()?;
        self.kernels.look_up(self.grid.argument())?;
        self.kernels.keep(self.grid.argument(), self.kept_places(), true)?;
        self.kernels.look(self.grid.argument(), self.motion)?;
        self.now = self.grid.look()?;
        Ok(())
    }

    /// Passes the addresses of the values to the kernels.
    fn locate(&mut self) -> Result<()> {
        self.motion.values = self.values.each_ref().map(DevicePool::address);
        let places = self.kept_places().map(|kept| [kept.values, kept.extremes]);
        self.cuda.write(&mut self.places, places.as_flattened())?;
        // Recorded cycles contain the old addresses.
        self.cycles.clear();
        Ok(())
    }

    fn kept_places(&self) -> [StationaryArgument; 3] {
        self.kept.each_ref().map(StationaryValues::argument)
    }

    /// Advances until the steps stop, for example at the target, but returns at the latest after a
    /// fraction of a second. Rates are in voxels per time.
    ///
    /// # Errors
    /// Returns the errors of [`TiledEvolution::step`](super::TiledEvolution::step), but without the
    /// voxel, which [`DeviceTiledEvolution::breakdown`] finds. phi is then still the result of the
    /// previous step.
    pub fn advance(&mut self, until: &StepTarget) -> Result<Advance> {
        let begun = Instant::now();
        let first = self.now.step;
        self.kernels.begin(self.grid.argument(), until)?;
        let steps = until.steps;
        loop {
            self.launch_cycles(first.saturating_add(steps), begun)?;
            self.now = self.grid.look()?;
            if self.now.halt() != Halt::NoRoom {
                break;
            }
            self.make_room()?;
        }
        self.seconds += self.now.elapsed as f64 * 1e-9;
        let steps = self.now.step - first;
        // After successful steps, the error is returned by the next call.
        if steps == 0 {
            failure::check(&self.now)?;
        }
        let now = &self.now;
        let landed = now.clock == until.target;
        Ok(Advance { steps, clock: now.clock, dt: now.dt_done, rate: now.rate, landed })
    }

    /// Launches cycles until the step count reaches `last`, one cycle ahead of the one that the
    /// host examines. Stops early if the steps stop or time is up.
    fn launch_cycles(&mut self, last: u64, begun: Instant) -> Result<()> {
        let mut launched = self.now.step;
        for cycle in 0.. {
            let every = self.now.every;
            let to_due = if every == 0 { MOST_STEPS } else { every - launched % every };
            let n = to_due.min(MOST_STEPS).min(last.saturating_sub(launched));
            if n == 0 {
                break;
            }
            launched += n;
            self.launch_cycle(n, every != 0 && launched.is_multiple_of(every))?;
            let [even, odd] = &mut self.seen;
            let (this, other) = if cycle % 2 == 0 { (even, odd) } else { (odd, even) };
            self.cuda.fetch(self.grid.control(), this)?;
            // The GPU works on this cycle while the host examines the previous one.
            let is_over = cycle > 0 && other.get()?[0].halt() != Halt::Running;
            if is_over || begun.elapsed() > PATIENCE {
                break;
            }
        }
        Ok(())
    }

    fn launch_cycle(&mut self, steps: u64, reinitializes: bool) -> Result<()> {
        if !self.cycles.contains_key(&(steps, reinitializes)) {
            let (tiles, motion, kernels) = (self.grid.argument(), self.motion, &self.kernels);
            let kept = self.kept_places();
            let graph = self.cuda.record(|| {
                for _ in 0..steps {
                    kernels.step(tiles, motion, kept)?;
                }
                if reinitializes { kernels.reinitialize(tiles, motion) } else { Ok(()) }
            })?;
            self.cycles.insert((steps, reinitializes), graph);
        }
        self.cycles.get(&(steps, reinitializes)).map_or(Ok(()), Graph::launch)
    }

    /// Makes room for the tiles that the next step needs, and lets it continue.
    fn make_room(&mut self) -> Result<()> {
        let tile = Pool::<S, E>::TILE * size_of::<S>();
        let arrays = self.values.iter().filter(|values| values.n_tiles() > 0).count();
        // Arrays grow one by one, so the longest one briefly exists twice.
        let kept = self.kept.each_ref().map(StationaryValues::tile_bytes);
        let longest = kept.iter().fold(tile, |longest, bytes| longest.max(*bytes));
        let held = arrays * tile + kept.iter().sum::<usize>();
        let tiles = self.now.needed;
        let capacity = DeviceTiledGrid::roomy::<S, E>(tiles as usize, held);
        let more = capacity - self.grid.capacity();
        let need = more * (held + DeviceTiledGrid::tile_bytes::<S, E>()) + capacity * longest;
        self.cuda.check_room(need as u64, format_args!("{tiles} tiles"), TOO_MANY)?;
        for values in self.values.iter_mut().filter(|values| values.n_tiles() > 0) {
            *values = values.lengthened(&self.cuda, capacity)?;
        }
        for kept in &mut self.kept {
            kept.grow(&self.cuda, capacity)?;
        }
        self.grid.grow(capacity)?;
        self.locate()?;
        self.kernels.look_up(self.grid.argument())?;
        self.now.halt = Halt::Running as u32;
        self.grid.steer(self.now)
    }

    /// Downloads the tiles, and phi by tile id.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    pub fn download(&self) -> Result<(TiledGrid<E>, Pool<S, E>)> {
        let grid = self.grid.download::<E>()?;
        let mut phi = Pool::new();
        phi.grow(grid.capacity())?;
        let n = grid.capacity() * Pool::<S, E>::TILE;
        phi.values_mut()[..n].copy_from_slice(&self.phi().download(&self.cuda, grid.capacity())?);
        Ok((grid, phi))
    }

    /// Returns the tiles on the GPU, and phi by tile id.
    pub fn into_parts(self) -> (DeviceTiledGrid, DevicePool<S, E>) {
        let [first, second, third] = self.values;
        let phi = match self.now.at[0] {
            0 => first,
            1 => second,
            _ => third,
        };
        (self.grid, phi)
    }

    /// Returns the number of thread blocks that count tiles, which determines the layout of the
    /// tile set.
    pub fn manage_blocks(&self) -> u32 {
        self.kernels.manage_blocks()
    }

    /// Returns the tiles as a kernel argument.
    pub fn tiles(&self) -> TileGridArgument {
        self.grid.argument()
    }

    /// Returns phi by tile id, `[capacity][E^3]`, in voxels.
    pub fn phi(&self) -> &DevicePool<S, E> {
        &self.values[self.now.at[0] as usize]
    }

    /// Returns the band of active voxels: its limit on |phi|, and how far a step reads.
    pub fn band(&self) -> Band<R> {
        Band { gamma: self.motion.core, reach: self.options.reach() }
    }

    /// Returns the half width of the band in voxels. |phi| has this value in missing tiles and at
    /// voxels beyond the band.
    pub fn half_width(&self) -> R {
        self.motion.gamma
    }

    /// Returns the time reached.
    pub fn time(&self) -> f64 {
        self.now.time
    }

    /// Returns the number of steps so far.
    pub fn n_steps(&self) -> u64 {
        self.now.step
    }

    /// Returns whether no interface is left: all voxels have one sign.
    pub fn is_extinct(&self) -> bool {
        !self.now.has_interface::<E>()
    }

    /// Returns the control block that was read last: the numbers of tiles and voxels, and the work
    /// so far.
    pub fn control(&self) -> &TileControl {
        &self.now
    }

    /// Returns the time spent in steps, including reinitialization and tile management, in seconds
    /// of the GPU's clock.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns the number of bytes that tiles, values and coefficients take on the GPU.
    pub fn bytes(&self) -> usize {
        let values: usize =
            self.values.iter().map(|values| DevicePool::<S, E>::bytes(values.n_tiles())).sum();
        let kept: usize = self.kept.iter().map(StationaryValues::bytes).sum();
        values + kept + self.grid.capacity() * DeviceTiledGrid::tile_bytes::<S, E>()
    }
}

/// The remedy to suggest if the tiles do not fit on the GPU.
const TOO_MANY: &str = "use a larger domain.tiled.dx, a narrower band, precision = \"f32\", \
                        storage = \"16-bit\", or device.use = \"cpu\"";

/// Returns whether a step or a reinitialization needs three arrays.
fn needs_third(options: &Options) -> bool {
    let repeats =
        matches!(options.reinitialize, Reinitialize::Equation { iterations, .. } if iterations > 1);
    options.time == Time::Rk3 || repeats
}
