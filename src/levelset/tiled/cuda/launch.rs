//! Launches of the kernels of a motion on tiles.

use crate::gpu::blocks::DEFAULT_BLOCK;
use std::sync::Arc;

use super::state::{Differences, MotionArgument, StageArgument};
use super::stationary_coefficients::{KeepCoefficient, StationaryArgument};
use super::terms::DeviceTerms;
use super::volumes::Components;
use crate::error::Result;
use crate::expression::Generated;
use crate::geometry::Real;
use crate::gpu::definitions::{Code, Define};
use crate::gpu::{Arguments, Cuda, Kernel, Launch, Unit};
use crate::grid::cuda::{Storage, TileGridArgument};
use crate::levelset::evolution::StepTarget;
use crate::levelset::tiled::options::{Options, Reinitialize, Scheme, Time};

/// The kernels of one motion and their launch parameters.
pub(super) struct Kernels<R: Real> {
    cuda: Arc<Cuda>,
    manage: Kernel,
    look_up: Kernel,
    look: Kernel,
    begin: Kernel,
    /// The kernel that chooses the time step, if coefficients vary or are stored.
    length: Option<Kernel>,
    /// Whether the blocks of `length` synchronize with each other.
    meets: bool,
    /// The kernels that compute stored velocity, normal speed and curvature.
    kept: [Option<Arc<dyn KeepCoefficient>>; 3],
    /// The components of a velocity that combines volumes and expressions.
    components: Option<Components>,
    stage: Kernel,
    /// The stage with means of the coefficients and its number of blocks, if coefficients vary. In
    /// each step, either it or `stage` returns without doing any work.
    averages: Option<(Kernel, u32)>,
    relax: Option<Kernel>,
    reinitialize: Option<Kernel>,
    stages: Vec<StageArgument<R>>,
    relaxations: Vec<StageArgument<R>>,
    /// The largest number of passes of a direct reinitialization after the first pass.
    passes: u32,
    /// The number of threads per block of a stage. For each kernel, the fields below hold the
    /// number of blocks that can be resident at once.
    block: u32,
    grid: u32,
    manage_grid: u32,
    reinitialize_grid: u32,
    relax_grid: u32,
    length_grid: u32,
}

/// Returns the compilation unit for the given terms, tiles and storage format.
fn unit<R: Real>(
    file: &str,
    terms: &DeviceTerms,
    options: &Options,
    edge: usize,
    is_fixed: bool,
    block: u32,
) -> Result<Unit> {
    let scheme = match options.scheme {
        Scheme::FirstOrder => Differences::FirstOrder,
        _ => Differences::Weno5,
    };
    let rescales = matches!(options.reinitialize, Reinitialize::Rescaling { .. });
    let real = if size_of::<R>() == 8 { "double" } else { "float" };
    let number = |name: &'static str, n: usize| (name, n.to_string());
    let mut defines = vec![("REAL", real.to_string()), number("TILE_EDGE", edge)];
    if is_fixed {
        defines.push(Storage::Fixed16.define());
    }
    if file == "tiles/manage" {
        return Unit::with(file, defines);
    }
    let [velocity, normal_speed, curvature] = terms.kinds();
    defines.extend([
        number("BLOCK", block as usize),
        scheme.define(),
        number("VELOCITY", velocity.code() as usize),
        number("NORMAL", normal_speed.code() as usize),
        number("CURVATURE", curvature.code() as usize),
        number("SAMPLED", terms.velocity.sampled() as usize),
        number("RESCALING", usize::from(rescales)),
        number("EULER", usize::from(options.time == Time::Euler)),
    ]);
    let mut unit = Unit::with(file, defines)?;
    if terms.varies() {
        let all = [terms.velocity.fields(), terms.normal_speed.fields(), terms.curvature.fields()];
        let varying = all.iter().map(Vec::as_slice).filter(|fields| !fields.is_empty());
        let varying: Vec<_> = varying.collect();
        let text = Generated::new(&varying).text().to_string();
        unit.extra.push((Generated::NAME.into(), text));
    }
    Ok(unit)
}

impl<R: Real> Kernels<R> {
    pub fn new(
        cuda: &Arc<Cuda>,
        terms: &DeviceTerms,
        options: &Options,
        edge: usize,
        is_fixed: bool,
    ) -> Result<Self> {
        // The tiles of a block must fit in static shared memory.
        let block = if size_of::<R>() == 8 && edge == 4 { 64 } else { 128 };
        let compiled = |file| unit::<R>(file, terms, options, edge, is_fixed, block);
        let managing = compiled("tiles/manage")?;
        let step = compiled("tiles/step")?;
        let manage = cuda.kernel(&managing, "tiles_manage")?;
        let stage = cuda.kernel(&step, "tiles_stage")?;
        let resident = |kernel: &Kernel, block| kernel.resident_blocks(block, 0);
        let averages = match terms.varies() {
            false => None,
            true => {
                let mut averages = step.clone();
                averages.defines.push(("AVERAGES", "1".into()));
                let kernel = cuda.kernel(&averages, "tiles_stage")?;
                let grid = resident(&kernel, block)?;
                Some((kernel, grid))
            }
        };
        let mut kernels = Kernels {
            look_up: cuda.kernel(&managing, "tiles_look_up")?,
            look: cuda.kernel(&step, "tiles_look")?,
            begin: cuda.kernel(&step, "tiles_begin")?,
            length: None,
            meets: terms.varies(),
            kept: terms.keepers::<R>(cuda, edge)?,
            components: terms.components::<R>(cuda)?,
            relax: None,
            reinitialize: None,
            stages: match options.time {
                Time::Euler => vec![StageArgument::euler()],
                Time::Rk3 => StageArgument::rk3().to_vec(),
            },
            relaxations: Vec::new(),
            passes: 3 * options.gamma.min(1e4) as u32 + 16,
            block,
            grid: resident(&stage, block)?,
            manage_grid: resident(&manage, DEFAULT_BLOCK)?,
            reinitialize_grid: 0,
            relax_grid: 0,
            length_grid: 0,
            manage,
            stage,
            averages,
            cuda: cuda.clone(),
        };
        if terms.varies() || terms.is_kept() {
            let length = cuda.kernel(&step, "tiles_length")?;
            kernels.length_grid = resident(&length, block)?;
            kernels.length = Some(length);
        }
        match options.reinitialize {
            Reinitialize::Equation { iterations, .. } => {
                let mut relax = step;
                relax.defines.push(("RELAX", "1".into()));
                let relax = cuda.kernel(&relax, "tiles_stage")?;
                kernels.relax_grid = resident(&relax, block)?;
                kernels.relax = Some(relax);
                kernels.relaxations = StageArgument::relax(iterations);
            }
            Reinitialize::Direct { .. } => {
                let reinitialize =
                    cuda.kernel(&compiled("tiles/direct_reinitialization")?, "tiles_reinitialize")?;
                kernels.reinitialize_grid = resident(&reinitialize, block)?;
                kernels.reinitialize = Some(reinitialize);
            }
            Reinitialize::Never | Reinitialize::Rescaling { .. } => {}
        }
        Ok(kernels)
    }

    /// Returns the number of thread blocks that count tiles.
    pub fn manage_blocks(&self) -> u32 {
        self.manage_grid
    }

    /// Computes the neighbor look-up of an uploaded tile set.
    pub fn look_up(&self, tiles: TileGridArgument) -> Result<()> {
        let launch = plain(self.manage_grid, DEFAULT_BLOCK);
        // SAFETY: the argument matches the kernel.
        unsafe { self.cuda.launch(&self.look_up, launch, &Arguments::default().with(tiles)) }
    }

    /// Computes the requests of the tiles, and counts the voxels in the band and inside.
    pub fn look(&self, tiles: TileGridArgument, motion: MotionArgument<R>) -> Result<()> {
        let arguments = Arguments::default().with(tiles).with(motion);
        // SAFETY: the arguments match the kernel.
        unsafe { self.cuda.launch(&self.look, plain(self.grid, self.block), &arguments) }
    }

    /// Computes the stored coefficients, for all tiles or for those that the last change created.
    pub fn keep(
        &self,
        tiles: TileGridArgument,
        kept: [StationaryArgument; 3],
        of_all: bool,
    ) -> Result<()> {
        let all = self.kept.iter().zip(kept);
        let mut all = all.filter_map(|(keeper, kept)| keeper.as_ref().map(|k| (k, kept)));
        all.try_for_each(|(keeper, kept)| keeper.launch(&self.cuda, tiles, kept, of_all))
    }

    /// Returns the address of the components of a velocity that combines volumes and expressions,
    /// or 0.
    pub fn components(&self) -> u64 {
        self.components.as_ref().map_or(0, Components::address)
    }

    /// Passes the next step target to the GPU.
    pub fn begin(&self, tiles: TileGridArgument, until: &StepTarget) -> Result<()> {
        let StepTarget { clock, target, steady, steps } = *until;
        let times = Arguments::default().with(tiles).with(clock).with(target);
        let arguments = times.with(steady).with(steps);
        // SAFETY: the arguments match the kernel.
        unsafe { self.cuda.launch(&self.begin, plain(1, 1), &arguments) }
    }

    /// Updates the tile set and takes a step.
    pub fn step(
        &self,
        tiles: TileGridArgument,
        motion: MotionArgument<R>,
        kept: [StationaryArgument; 3],
    ) -> Result<()> {
        let arguments = Arguments::default().with(tiles).with(motion.of_values());
        let together = Launch { cooperative: true, ..plain(self.manage_grid, DEFAULT_BLOCK) };
        // SAFETY: the arguments match the kernel, and all of its blocks are resident at once.
        unsafe { self.cuda.launch(&self.manage, together, &arguments)? };
        self.keep(tiles, kept, false)?;
        if let Some(length) = &self.length {
            let arguments = Arguments::default().with(tiles).with(motion);
            let launch = Launch { cooperative: self.meets, ..plain(self.length_grid, self.block) };
            // SAFETY: the arguments match the kernel. If its blocks synchronize, all are resident
            // at once.
            unsafe { self.cuda.launch(length, launch, &arguments)? };
        }
        let with = |stage| Arguments::default().with(tiles).with(motion).with(stage);
        for stage in &self.stages {
            let (arguments, launch) = (with(*stage), plain(self.grid, self.block));
            // SAFETY: the arguments match the kernel, which waits for the previous one.
            unsafe { self.cuda.launch_overlapping(&self.stage, launch, &arguments)? };
            if let Some((averages, grid)) = &self.averages {
                let launch = plain(*grid, self.block);
                // SAFETY: the arguments match the kernel, which waits for the previous one.
                unsafe { self.cuda.launch_overlapping(averages, launch, &arguments)? };
            }
        }
        Ok(())
    }

    /// Reinitializes phi if that is due.
    pub fn reinitialize(&self, tiles: TileGridArgument, motion: MotionArgument<R>) -> Result<()> {
        if let Some(relax) = &self.relax {
            for stage in &self.relaxations {
                let arguments = Arguments::default().with(tiles).with(motion).with(*stage);
                let launch = plain(self.relax_grid, self.block);
                // SAFETY: the arguments match the kernel, which waits for the previous one.
                unsafe { self.cuda.launch_overlapping(relax, launch, &arguments)? };
            }
        }
        if let Some(reinitialize) = &self.reinitialize {
            let arguments = Arguments::default().with(tiles).with(motion).with(self.passes);
            let together =
                Launch { cooperative: true, ..plain(self.reinitialize_grid, self.block) };
            // SAFETY: the arguments match the kernel, and all of its blocks are resident at once.
            unsafe { self.cuda.launch(reinitialize, together, &arguments)? };
        }
        Ok(())
    }
}

fn plain(grid: u32, block: u32) -> Launch {
    Launch { grid, block, shared: 0, cooperative: false }
}
