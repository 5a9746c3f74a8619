//! The kernels of an evolution (`band.cu`, `eikonal.cu`, `evolution.cu`) against that of the CPU:
//! the first band, steps and redistancings, threads and blocks in random order.

use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};
use std::sync::Arc;

use zeroset::backend::Cpu;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Evolution, Options, Terms,
};

use crate::library::{Arg, Launch, Library, arg};
use crate::patches::{HostPatches, PatchesArgument};

const BLOCK: u32 = 64;
const BLOCKS: u32 = 3;
const STEPS: usize = 16;
const VELOCITY: [f64; 3] = [0.6, -0.2, 0.3];
const NORMAL_SPEED: f64 = 0.2;
const CURVATURE: f64 = 0.02;

/// The twin of a struct in flow.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct Given {
    patches: PatchesArgument,
    phi: *const f64,
    reach: *const f64,
    wake_offsets: *const u32,
    wake_vertices: *const u16,
    wake_readers: *const u32,
    largest_local: u32,
    largest_owned: u32,
    largest_cells: u32,
    half_width: f64,
    velocity: [f64; 3],
    normal_speed: f64,
    curvature: f64,
}

/// What is there after a step.
#[derive(PartialEq)]
struct Look {
    phi: Vec<f64>,
    time: f64,
    reinitializations: u64,
}

/// Two or three edges, so that the interface soon crosses half of it.
fn half_width(on: &HostPatches<f64>) -> f64 {
    if on.patches.arity() == 3 { 0.4 } else { 0.2 }
}

fn start(on: &HostPatches<f64>) -> Vec<f64> {
    let middle = if on.patches.arity() == 3 { 0.3 } else { 0.45 };
    on.mesh.vertices.iter().map(|x| x[2] - middle + 0.1 * x[0]).collect()
}

fn on_the_cpu(on: &HostPatches<f64>) -> Vec<Look> {
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform(VELOCITY))
        .with_normal_speed(Coefficient::Uniform([NORMAL_SPEED]))
        .with_curvature(Coefficient::Uniform([CURVATURE]));
    let mut options =
        Options::new(Some(half_width(on))).with_advection(Advection::PositiveCoefficient);
    options.curvature_step = CurvatureStep::Explicit;
    let (cpu, patches) = (Arc::new(Cpu::new(1).unwrap()), on.patches.clone());
    let mut flow =
        Evolution::<f64>::new(cpu, &on.mesh, patches, &start(on), &terms, options).unwrap();
    let step = |_| {
        flow.step(f64::INFINITY).unwrap();
        let phi = on.patches.to_patch_order(&flow.phi(), |v| v);
        let reinitializations = flow.totals().reinitializations;
        Look { phi, time: flow.time(), reinitializations }
    };
    (0..STEPS).map(step).collect()
}

fn by_kernels(library: &Library, on: &HostPatches<f64>, seed: u64) -> Vec<Look> {
    let arity = on.patches.arity();
    let (largest_local, largest_owned) = on.largest();
    let largest_cells = on.patches.largest().1 / arity;
    let (wake_offsets, wake_vertices, wake_readers) = on.readers();
    let (reach, phi) = (on.reach(), on.patches.to_patch_order(&start(on), |v| v));
    let given = Given {
        patches: on.argument(),
        phi: phi.as_ptr(),
        reach: reach.as_ptr(),
        wake_offsets: wake_offsets.as_ptr(),
        wake_vertices: wake_vertices.as_ptr(),
        wake_readers: wake_readers.as_ptr(),
        largest_local: largest_local as u32,
        largest_owned: largest_owned as u32,
        largest_cells: largest_cells as u32,
        half_width: half_width(on),
        velocity: VELOCITY,
        normal_speed: NORMAL_SPEED,
        curvature: CURVATURE,
    };
    // Slots of three terms (three numbers per corner, four per cell), and values of vertices.
    let shared_bytes = 8 * ((3 * arity + 4) * largest_cells + 3 * largest_local) as u32 + 256;
    let all = Launch { shared_bytes, resident: BLOCKS, seed, ..Launch::new(BLOCKS, BLOCK) };
    let launch = |kernel: &str, how: Launch, args: &[Arg]| {
        // SAFETY: arrays have the lengths that the kernels' structs state.
        let done = unsafe { library.launch(kernel, &how, args) };
        done.unwrap_or_else(|e| panic!("{kernel}, seed {seed}: {e}"));
    };
    let mut flow: *mut c_void = null_mut();
    launch("flow_new", Launch::new(1, 1), &[arg(given), arg(from_mut(&mut flow))]);
    let redistance = || {
        for kernel in ["flow_band_init", "flow_solve", "flow_band_final", "flow_band_mark"] {
            launch(kernel, all, &[arg(flow)]);
        }
    };
    launch("flow_reset", all, &[arg(flow)]);
    redistance();
    launch("flow_begin", Launch::new(1, 1), &[arg(flow), arg(STEPS as u64 + 1)]);
    let step = |_| {
        launch("flow_step", all, &[arg(flow)]);
        redistance();
        let mut phi = vec![0.0; on.patches.n_vertices()];
        let (mut time, mut reinitializations, mut halt) = (0.0, 0u64, 0u32);
        let args = [
            arg(flow),
            arg(phi.as_mut_ptr()),
            arg(from_mut(&mut time)),
            arg(from_mut(&mut reinitializations)),
            arg(from_mut(&mut halt)),
        ];
        launch("flow_look", Launch::new(1, 1), &args);
        assert_eq!(halt, 0);
        Look { phi, time, reinitializations }
    };
    (0..STEPS).map(step).collect()
}

fn check(arity: usize) {
    let on = HostPatches::<f64>::small(arity);
    let defines = [
        "REAL=double",
        &format!("CELL_SIZE={arity}"),
        &format!("BLOCK={BLOCK}"),
        "ADVECTION=1",
        "NORMAL=1",
        "CURVATURE=1",
    ];
    let kernels = [
        "flow_new",
        "flow_reset",
        "flow_band_init",
        "flow_solve",
        "flow_band_final",
        "flow_band_mark",
        "flow_begin",
        "flow_step",
        "flow_look",
    ];
    let library = Library::compile("tests/kernels/flow.cu", &defines, &kernels);
    let expected = on_the_cpu(&on);
    assert!(expected[STEPS - 1].reinitializations > 1, "the band must be made anew in between");
    let first = by_kernels(&library, &on, 0);
    for (k, (found, cpu)) in first.iter().zip(&expected).enumerate() {
        assert_eq!(found.reinitializations, cpu.reinitializations, "step {k}");
        assert!((found.time - cpu.time).abs() < 1e-13, "step {k}: {} {}", found.time, cpu.time);
        let pairs = found.phi.iter().zip(&cpu.phi);
        let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-12, "step {k}: {difference}");
    }
    for seed in 1..4 {
        assert!(by_kernels(&library, &on, seed) == first, "seed {seed}: other bits");
    }
}

#[test]
fn a_flow_on_triangles_is_that_of_the_cpu_in_every_order() {
    check(3);
}

#[test]
fn a_flow_on_tetrahedra_is_that_of_the_cpu_in_every_order() {
    check(4);
}
