//! Table IV of Fu et al.: steps that sum the contributions of cells by atomic additions to global
//! memory, compared with the gathering steps of the program.
//!
//! The benchmark checks that both compute the same step up to rounding. Only the times of the
//! program include the choice of the next time step and its reductions.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::{Arguments, Array, Cuda, Launch, Plain};
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::StepTarget;
use zeroset::mesh::Kind;
use zeroset::patches::{Partition, Patches};

use crate::meshes::{Made, Meshes};
use crate::motion::{Case, median, step};
use crate::{Failed, units};

/// The number of steps per timed run.
const STEPS: u64 = 40;

/// Number of sums per vertex in `kernels/bench/atomics.cu`.
const SUMS: usize = 6;

/// The counterpart of `struct Atomics` in `kernels/bench/atomics.cu`.
#[derive(Clone, Copy)]
#[repr(C)]
struct AtomicsArgument<R> {
    active: u64,
    moving: u64,
    sums: u64,
    n_active: u32,
    largest_local: u32,
    dt: R,
    velocity: [R; 3],
    normal_speed: R,
    curvature: R,
}

// SAFETY: the struct has the C layout, and its size is compared with the size in the kernel.
unsafe impl<R: Real> Plain for AtomicsArgument<R> {}

pub fn table(cuda: &Arc<Cuda>, meshes: &mut Meshes, names: &[&str]) {
    println!("\nTable IV, all three terms, band of 10: microseconds per step\n");
    println!("| mesh | precision | atomics | gathering | ratio | difference after a step |");
    println!("|---|---|---|---|---|---|");
    for name in names {
        let rows = meshes.get(name).and_then(|made| {
            let cpu = &meshes.cpu;
            let patches = made.patches(cpu, Partition::Bisection, 64)?;
            Ok([row::<f64>(cuda, cpu, &made, &patches)?, row::<f32>(cuda, cpu, &made, &patches)?])
        });
        match rows {
            Ok(rows) => rows.iter().for_each(|row| println!("| {name} | {row} |")),
            Err(error) => println!("| {name} | failed: {error} |"),
        }
    }
}

fn row<R: Real>(
    cuda: &Arc<Cuda>,
    cpu: &Arc<Cpu>,
    made: &Made,
    patches: &Arc<Patches>,
) -> Result<String, Failed> {
    let case = Case { made, patches: patches.clone(), width: Some(10.0) };
    let gpu = Gpu { cuda: cuda.clone(), organization: Organization::Rounds };
    let mut gathering = case.on_gpu::<R>(&gpu, cpu)?;
    let start = patches.to_patch_order(&gathering.phi()?, R::of);
    let moving = patches.to_patch_order(&gathering.band()?, u8::from);
    let once = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: 1 };
    let dt = gathering.advance(&once)?.dt;
    let expected = patches.to_patch_order(&gathering.phi()?, R::of);
    let mut atomics = Atomics::new(cuda, made, patches, (&start, &moving), R::of(dt))?;
    let found = atomics.first_step(&start)?;
    let scale = start.iter().fold(0.0, |most: f64, phi| most.max(phi.to_f64().abs()));
    let apart = found.iter().zip(&expected).map(|(a, b)| (a.to_f64() - b.to_f64()).abs() / scale);
    let apart = apart.fold(0.0, f64::max);
    let limit = if size_of::<R>() == 8 { 1e-12 } else { 1e-5 };
    if apart.is_nan() || apart > limit {
        return Err(format!("{}: the two steps differ by {apart:.1e}", R::NAME).into());
    }
    let mut scattered = || atomics.seconds_per_step(&start);
    scattered()?;
    let scattered = median([scattered()?, scattered()?, scattered()?], |seconds| *seconds);
    step(&mut gathering, STEPS)?;
    let mut gathered = || step(&mut gathering, STEPS);
    let gathered = median([gathered()?, gathered()?, gathered()?], |took| took.per_step());
    Ok(format!(
        "{} | {:.2} | {:.2} | {:.2} | {apart:.1e}",
        R::NAME,
        scattered * 1e6,
        gathered.per_step() * 1e6,
        scattered / gathered.per_step()
    ))
}

/// A solver that takes steps with atomic additions, from one copy of phi to the other.
struct Atomics<R: Real> {
    cuda: Arc<Cuda>,
    kernel: zeroset::gpu::Kernel,
    launch: Launch,
    patches: zeroset::patches::cuda::DevicePatches<R>,
    argument: AtomicsArgument<R>,
    phi: [Array<R>; 2],
    _sums: Array<R>,
    _moving: Array<u8>,
    _active: Array<u32>,
}

impl<R: Real> Atomics<R> {
    fn new(
        cuda: &Arc<Cuda>,
        made: &Made,
        on_host: &Patches,
        (start, moving): (&[R], &[u8]),
        dt: R,
    ) -> Result<Self, Failed> {
        let coordinates = zeroset::patches::Coordinates::<R>::new(made.mesh(), on_host);
        let patches =
            zeroset::patches::cuda::DevicePatches::new(cuda.clone(), on_host, &coordinates)?;
        let shape = *patches.shape();
        let block = shape.threads(if made.is_volume() { 3.0 } else { 2.0 }, 256);
        let threads = if size_of::<R>() == 8 { 768 } else { 1024 };
        let min_blocks = (threads / block).max(1);
        let bytes = size_of::<AtomicsArgument<R>>();
        let unit = units::atomics(shape.defines::<R>(), [block, min_blocks], bytes);
        let kernel = cuda.kernel(&unit, "atomics_step")?;
        let part = |size: usize| (shape.largest_local * size as u32).div_ceil(16) * 16;
        let shared = part(size_of::<R>()) + part(1);
        kernel.allow_shared(shared)?;
        let moves = |p: &u32| moving[on_host.patch(*p as usize).owned()].contains(&1);
        let active: Vec<u32> = (0..shape.n_patches).filter(moves).collect();
        let n_active = active.len() as u32;
        let sums = cuda.zeros::<R>(SUMS * start.len())?;
        let (moving, active) = (cuda.upload(moving)?, cuda.upload(&active)?);
        let on_surface = made.mesh().kind == Kind::Surface;
        let argument = AtomicsArgument {
            active: active.address(),
            moving: moving.address(),
            sums: sums.address(),
            n_active,
            largest_local: shape.largest_local,
            dt,
            velocity: [if on_surface { 1e-9 } else { 1.0 }, 0.0, 0.0].map(R::of),
            normal_speed: R::of(1e-3),
            curvature: R::of(if on_surface { 1.0 } else { 1e-3 }),
        };
        Ok(Atomics {
            cuda: cuda.clone(),
            kernel,
            launch: Launch { grid: n_active, block, shared, cooperative: false },
            patches,
            argument,
            phi: [cuda.upload(start)?, cuda.upload(start)?],
            _sums: sums,
            _moving: moving,
            _active: active,
        })
    }

    fn launch(&self, k: u64) -> zeroset::error::Result<()> {
        let arguments = Arguments::default()
            .with(self.patches.argument())
            .with(self.argument)
            .with_array(&self.phi[k as usize % 2])
            .with_array(&self.phi[(k as usize + 1) % 2]);
        // SAFETY: the kernel takes these four arguments, which belong to the same patches.
        unsafe { self.cuda.launch(&self.kernel, self.launch, &arguments) }
    }

    /// Returns phi after one step.
    fn first_step(&mut self, start: &[R]) -> Result<Vec<R>, Failed> {
        self.phi.iter_mut().try_for_each(|phi| self.cuda.write(phi, start))?;
        self.launch(0)?;
        Ok(self.cuda.download(&self.phi[1])?)
    }

    fn seconds_per_step(&mut self, start: &[R]) -> Result<f64, Failed> {
        self.phi.iter_mut().try_for_each(|phi| self.cuda.write(phi, start))?;
        let graph = self.cuda.record(|| (0..STEPS).try_for_each(|k| self.launch(k)))?;
        let begin = self.cuda.mark()?;
        graph.launch()?;
        let end = self.cuda.mark()?;
        end.wait()?;
        Ok(begin.milliseconds_to(&end)? * 1e-3 / STEPS as f64)
    }
}
