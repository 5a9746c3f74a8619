//! Sets up one step of an evolution for the kernels and computes the same step on the CPU.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::levelset::evolution::{Coefficient, Evolution, Options, Terms};
use zeroset::mesh::generate::{Cube, Generate, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::Patches;

use crate::layouts::evolution::{Control, EvolutionArgument, Limits, Progress, Trace};
use crate::layouts::patches::PatchesArgument;
use crate::library::{Launch, Library, arg};
use crate::patches::HostPatches;
use crate::random::Random;

/// The coefficient of a term in the form that the kernels take.
#[derive(Clone)]
pub enum Given<const K: usize> {
    Uniform([f64; K]),
    Rows(Vec<[f64; K]>),
}

impl<const K: usize> Given<K> {
    pub fn coefficient(&self) -> Coefficient<K> {
        match self {
            Given::Uniform(value) => Coefficient::Uniform(*value),
            Given::Rows(rows) => Coefficient::PerVertex(rows.clone()),
        }
    }

    pub fn has_rows(&self) -> bool {
        matches!(self, Given::Rows(_))
    }

    fn on_gpu<R: Real>(&self, patches: &Patches) -> ([R; K], Vec<R>) {
        match self {
            Given::Uniform(value) => (value.map(R::of), Vec::new()),
            Given::Rows(rows) => {
                let rows = patches.to_patch_order(rows, |row| row.map(R::of));
                ([R::zero(); K], rows.concat())
            }
        }
    }
}

/// A mesh, the terms that move the interface on it, the options and the patch size.
pub struct Case {
    pub mesh: Mesh,
    pub velocity: Given<3>,
    pub curvature: Given<1>,
    pub weighted: bool,
    pub options: Options,
    pub patch_size: usize,
}

/// The state of the kernels before a step, and phi after the same step on the CPU.
pub struct Bed<R: Real> {
    pub on: HostPatches<R>,
    pub control: Control<R>,
    chain: [Progress; 2],
    traces: [Trace<R>; 3],
    pub phi: Vec<R>,
    pub moving: Vec<u8>,
    pub active: Vec<u32>,
    velocity: ([R; 3], Vec<R>),
    curvature: ([R; 1], Vec<R>),
    near: R,
    least_slope: R,
    /// phi on the CPU after the step, in mesh order.
    pub expected: Vec<f64>,
    pub iterations: u64,
}

impl<R: Real + Default> Bed<R> {
    /// Prepares the kernels for a step and takes the same step on the CPU. phi is the signed
    /// distance to a ball.
    pub fn new(case: &Case, seed: u64) -> Bed<R> {
        let on = HostPatches::<R>::cut(case.mesh.clone(), case.patch_size);
        let (mesh, patches) = (&on.mesh, &on.patches);
        let terms = Terms::default().with_velocity(case.velocity.coefficient());
        let terms = match case.weighted {
            true => terms.with_weight(case.curvature.coefficient()),
            false => terms.with_curvature(case.curvature.coefficient()),
        };
        let distance = |x: &[f64; 3]| (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt() - 0.45;
        let phi: Vec<f64> = mesh.vertices.iter().map(distance).collect();
        let cpu = Arc::new(Cpu::new(1).unwrap());
        let options = case.options.clone();
        let mut evolution =
            Evolution::<R>::new(cpu, mesh, patches.clone(), &phi, &terms, options).unwrap();
        let start = patches.to_patch_order(&evolution.phi(), R::of);
        let moving = patches.to_patch_order(&evolution.band(), u8::from);
        let moves = |&p: &u32| moving[patches.patch(p as usize).owned()].contains(&1);
        let mut active: Vec<u32> = (0..patches.len() as u32).filter(moves).collect();
        // The order of patches in the active list is arbitrary on the GPU.
        let mut random = Random::new(seed);
        for k in (1..active.len()).rev() {
            active.swap(k, random.below(k as u32 + 1) as usize);
        }
        let dt = evolution.step(f64::INFINITY).unwrap().dt;
        let half_width = case.options.half_width.unwrap_or(f64::INFINITY);
        let limit = R::of(dt);
        let limits = Limits {
            first_order: limit,
            curvature: limit,
            speed: limit,
            inradius: limit,
            beta: limit,
        };
        let control = Control {
            target: f64::INFINITY,
            steady: -1.0,
            half_width,
            rule: 3,
            // With these settings, the next time step has the same length.
            cfl_first_order: 1.0,
            cfl_curvature: 1.0,
            longest: dt,
            limits,
            next_limits: limits,
            progress: Progress { steps_left: 10, dt, ..Progress::default() },
            n_patches: patches.len() as u32,
            n_active: active.len() as u32,
            ..Control::default()
        };
        active.resize(2 * patches.len(), u32::MAX);
        Bed {
            velocity: case.velocity.on_gpu(patches),
            curvature: case.curvature.on_gpu(patches),
            near: R::of(half_width) * R::of(0.5),
            least_slope: R::of(case.options.least_slope()),
            phi: [start.as_slice(), &start].concat(),
            control,
            chain: [Progress { step: u64::MAX, halt: u32::MAX, ..Progress::default() }; 2],
            traces: [Trace::default(); 3],
            moving,
            active,
            expected: evolution.phi(),
            iterations: evolution.totals().iterations,
            on,
        }
    }

    /// Returns the arguments of the kernels. Arrays that only second-order schemes need are null.
    pub fn arguments(&mut self) -> (PatchesArgument, EvolutionArgument<R>) {
        let address = |rows: &Vec<R>| if rows.is_empty() { 0 } else { rows.as_ptr() as u64 };
        let (largest_local, largest_owned) = self.largest();
        let state = EvolutionArgument {
            control: &raw mut self.control as u64,
            chain: self.chain.as_mut_ptr() as u64,
            traces: self.traces.as_mut_ptr() as u64,
            phi: self.phi.as_mut_ptr() as u64,
            inside: 0,
            moving: self.moving.as_ptr() as u64,
            active: self.active.as_ptr() as u64,
            is_active: 0,
            extra: 0,
            largest_local,
            largest_owned,
            largest_columns: self.on.largest_columns() as u32,
            chunk: self.on.largest_cells() as u32,
            near: self.near,
            width: R::of(2.0) * self.near,
            least_inradius: R::zero(),
            least_slope: self.least_slope,
            velocity: self.velocity.0,
            normal_speed: R::zero(),
            curvature: self.curvature.0[0],
            velocity_rows: address(&self.velocity.1),
            speed_rows: 0,
            curvature_rows: address(&self.curvature.1),
            growth: 0,
            mass: 0,
            measures: 0,
            residual: 0,
            increment: 0,
            flows_in: 0,
            diagonal: 0,
        };
        (self.on.argument(), state)
    }

    /// Launches the step kernel of evolution.cu for a cycle of one step.
    pub fn step(&mut self, library: &Library, seed: u64, state: EvolutionArgument<R>)
    where
        R: 'static,
    {
        let (largest_local, _) = self.largest();
        let shared_bytes = bytes(4 * largest_local, size_of::<R>())
            + bytes(largest_local, 1)
            + bytes(self.on.largest_columns() as u32, 2)
            + match state.increment == 0 {
                true => 0,
                // The step kernel also applies the last correction of the increments.
                false => {
                    let corners = self.on.patches.arity() as u32 * state.chunk;
                    bytes(largest_local, size_of::<R>()) + bytes(corners, size_of::<R>())
                }
            };
        let how = Launch { shared_bytes, seed, ..Launch::new(6, 64) };
        let args = [arg(self.on.argument()), arg(state), arg(0u32)];
        // SAFETY: the arrays are those of `arguments` and have the lengths that the kernel
        // requires.
        unsafe { library.launch("evolution_step", &how, &args) }.unwrap();
    }

    /// Launches the kernels of evolution.cu that finish a step.
    pub fn end(&mut self, library: &Library, seed: u64, state: EvolutionArgument<R>, split: bool)
    where
        R: 'static,
    {
        let how = Launch { seed, ..Launch::new(5, 64) };
        // SAFETY: the arrays are those of `arguments` and have the lengths that the kernels
        // require.
        unsafe {
            if split {
                let args = [arg(self.on.argument()), arg(state)];
                library.launch("evolution_outcome", &how, &args).unwrap();
            }
            let args = [arg(state), arg(1u32)];
            library.launch("evolution_settle", &Launch::new(1, 32), &args).unwrap();
        }
        let ready = |t: &Trace<R>| (t.change_near, t.broken, t.cut) == (R::zero(), 0, 0);
        assert!(self.traces.iter().all(ready), "the traces are not reset for the next step");
    }

    /// Returns the largest numbers of local and of owned vertices in any patch.
    pub fn largest(&self) -> (u32, u32) {
        let (local, owned) = self.on.largest();
        (local as u32, owned as u32)
    }

    /// Returns the phi that the kernels computed, in mesh order.
    pub fn found(&self) -> Vec<f64> {
        let n = self.on.patches.n_vertices();
        let phi = &self.phi[self.control.parity as usize * n..][..n];
        self.on.patches.to_mesh_order(phi, Real::to_f64)
    }
}

/// Returns the number of bytes that an array takes in shared memory: its size, rounded up to a
/// multiple of 16.
pub fn bytes(n: u32, size: usize) -> u32 {
    (n * size as u32).div_ceil(16) * 16
}

/// Returns the macro definition that selects the scalar type.
pub fn word<R>() -> &'static str {
    if size_of::<R>() == 8 { "REAL=double" } else { "REAL=float" }
}

pub fn square(n: u32, jitter: f64) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.jitter) = ([n, n], jitter);
    (square.min, square.max) = ([-1.0; 2], [1.0; 2]);
    clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
}

pub fn cube(n: u32, jitter: f64) -> Mesh {
    let mut cube = Cube::default();
    (cube.cells, cube.jitter) = ([n; 3], jitter);
    (cube.min, cube.max) = ([-1.0; 3], [1.0; 3]);
    clean(generate(&Generate::Cube(cube)).unwrap()).unwrap().0
}
