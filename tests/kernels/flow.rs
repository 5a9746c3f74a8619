//! Compares the kernels of an evolution (`band.cu`, `eikonal.cu`, `evolution.cu`) with the CPU: the
//! first narrow band, steps and reinitializations. Threads and blocks run in random order.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::{from_mut, null_mut};
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Evolution, NormalMotion, Options, Terms,
};

use crate::layouts::patches::PatchesArgument;
use crate::library::{Arg, Launch, Library, arg};
use crate::patches::HostPatches;

const BLOCK: u32 = 64;
const BLOCKS: u32 = 3;
const STEPS: usize = 16;
/// The halt code (control.cuh) after all requested steps have been taken.
const ARRIVED: u32 = 1;
/// The number of steps launched between two checks of the band. If a step requires a new band, the
/// steps after it do nothing.
const CYCLE: u32 = 4;
const VELOCITY: [f64; 3] = [0.6, -0.2, 0.3];
const NORMAL_SPEED: f64 = 0.2;
const CURVATURE: f64 = 0.02;

/// The counterpart of `Given` in flow.cu.
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
    largest_columns: u32,
    chunk: u32,
    measures_displacement: u32,
    half_width: f64,
    velocity: [f64; 3],
    normal_speed: f64,
    curvature: f64,
}

/// The active terms and their discretizations.
#[derive(Clone, Copy)]
struct Scheme {
    advection: Advection,
    normal_motion: NormalMotion,
    /// The form of the curvature term, as in the kernels: 0 for none, 1 for beta, 2 for a weight.
    curvature: u8,
    one_pass: bool,
    clip: bool,
    /// Whether the cells of a patch are processed in chunks.
    chunked: bool,
}

impl Scheme {
    fn published() -> Scheme {
        Scheme {
            advection: Advection::PositiveCoefficient,
            normal_motion: NormalMotion::PositiveCoefficient,
            curvature: 1,
            one_pass: false,
            clip: false,
            chunked: false,
        }
    }

    fn monotone() -> Scheme {
        Scheme {
            advection: Advection::Cone,
            normal_motion: NormalMotion::HopfLax,
            curvature: 2,
            ..Scheme::published()
        }
    }

    fn in_one_pass() -> Scheme {
        Scheme { curvature: 0, one_pass: true, clip: true, ..Scheme::published() }
    }

    fn defines(&self) -> Vec<String> {
        vec![
            format!("ADVECTION={}", 1 + u8::from(self.advection == Advection::Cone)),
            format!("NORMAL={}", 1 + u8::from(self.normal_motion == NormalMotion::HopfLax)),
            format!("CURVATURE={}", self.curvature),
            format!("ONE_PASS={}", u8::from(self.one_pass)),
            format!("CLIP={}", u8::from(self.clip)),
            format!("CHUNKED={}", u8::from(self.chunked)),
        ]
    }
}

/// The state of the evolution after a number of steps.
#[derive(PartialEq)]
struct Look {
    steps: u64,
    phi: Vec<f64>,
    time: f64,
    reinitializations: u64,
}

/// Returns a half width of two or three edges, so small that the interface soon moves by half of
/// it.
fn half_width(on: &HostPatches<f64>) -> f64 {
    if on.patches.arity() == 3 { 0.4 } else { 0.2 }
}

fn start(on: &HostPatches<f64>) -> Vec<f64> {
    let middle = if on.patches.arity() == 3 { 0.3 } else { 0.45 };
    on.mesh.vertices.iter().map(|x| x[2] - middle + 0.1 * x[0]).collect()
}

fn on_the_cpu(on: &HostPatches<f64>, scheme: &Scheme) -> Vec<Look> {
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform(VELOCITY))
        .with_normal_speed(Coefficient::Uniform([NORMAL_SPEED]));
    let curvature = Coefficient::Uniform([CURVATURE]);
    let terms = match scheme.curvature {
        0 => terms,
        1 => terms.with_curvature(curvature),
        _ => terms.with_weight(curvature),
    };
    let options = Options::new(Some(half_width(on)))
        .with_advection(scheme.advection)
        .with_normal_motion(scheme.normal_motion)
        .with_one_pass(scheme.one_pass)
        .with_clip(scheme.clip)
        .with_curvature_step(CurvatureStep::Explicit);
    let (cpu, patches) = (Arc::new(Cpu::new(1).unwrap()), on.patches.clone());
    let mut flow =
        Evolution::<f64>::new(cpu, &on.mesh, patches, &start(on), &terms, options).unwrap();
    let step = |k| {
        flow.step(f64::INFINITY).unwrap();
        let phi = on.patches.to_patch_order(&flow.phi(), |v| v);
        let reinitializations = flow.totals().reinitializations;
        Look { steps: k + 1, phi, time: flow.time(), reinitializations }
    };
    (0..STEPS as u64).map(step).collect()
}

fn by_kernels(library: &Library, on: &HostPatches<f64>, scheme: &Scheme, seed: u64) -> Vec<Look> {
    let arity = on.patches.arity();
    let (largest_local, largest_owned) = on.largest();
    let largest_cells = on.largest_cells();
    let chunk = if scheme.chunked { largest_cells / 3 } else { largest_cells };
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
        largest_columns: on.largest_columns() as u32,
        chunk: chunk as u32,
        measures_displacement: u32::from(scheme.curvature > 0),
        half_width: half_width(on),
        velocity: VELOCITY,
        normal_speed: NORMAL_SPEED,
        curvature: CURVATURE,
    };
    // Shared memory holds slots for three terms (up to six numbers per corner and four per cell),
    // values at vertices, and the partial sums of two lanes (seven numbers each).
    let numbers = (6 * arity + 4) * largest_cells + 20 * largest_local;
    let columns = 2 * on.largest_columns() as u32;
    let shared_bytes = 8 * numbers as u32 + columns + 256;
    let all = Launch { shared_bytes, resident: BLOCKS, seed, ..Launch::new(BLOCKS, BLOCK) };
    let launch = |kernel: &str, how: Launch, args: &[Arg]| {
        // SAFETY: the arrays have the lengths that the structs of the kernels document.
        let done = unsafe { library.launch(kernel, &how, args) };
        done.unwrap_or_else(|e| panic!("{kernel}, seed {seed}: {e}"));
    };
    let mut flow: *mut c_void = null_mut();
    launch("flow_new", Launch::new(1, 1), &[arg(given), arg(from_mut(&mut flow))]);
    let reinitialize = || {
        for kernel in ["flow_band_init", "flow_solve", "flow_band_final", "flow_band_mark"] {
            launch(kernel, all, &[arg(flow)]);
        }
    };
    launch("flow_shapes", all, &[arg(flow)]);
    launch("flow_reset", all, &[arg(flow)]);
    reinitialize();
    launch("flow_begin", Launch::new(1, 1), &[arg(flow), arg(STEPS as u64)]);
    let cycle = || {
        for turn in 0..CYCLE {
            // One more block than needed is launched. The last block does not process patches.
            let how = Launch { grid: BLOCKS + 1, resident: BLOCKS + 1, ..all };
            launch("flow_step", how, &[arg(flow), arg(turn)]);
        }
        launch("flow_settle", Launch::new(1, 32), &[arg(flow), arg(CYCLE)]);
        reinitialize();
        let mut phi = vec![0.0; on.patches.n_vertices()];
        let (mut steps, mut time, mut reinitializations, mut halt) = (0u64, 0.0, 0u64, 0u32);
        let args = [
            arg(flow),
            arg(phi.as_mut_ptr()),
            arg(from_mut(&mut steps)),
            arg(from_mut(&mut time)),
            arg(from_mut(&mut reinitializations)),
            arg(from_mut(&mut halt)),
        ];
        launch("flow_look", Launch::new(1, 1), &args);
        assert_eq!(halt, if steps < STEPS as u64 { 0 } else { ARRIVED });
        Look { steps, phi, time, reinitializations }
    };
    let mut looks: Vec<Look> = Vec::new();
    while looks.last().is_none_or(|look| look.steps < STEPS as u64) {
        looks.push(cycle());
    }
    looks
}

/// Checks both ways in which vertices gather the contributions of cells: with one lane per vertex,
/// and the faster way with several lanes or pairs.
fn check(arity: usize, scheme: &Scheme) {
    check_with(arity, scheme, None);
    check_with(arity, scheme, Some(if arity == 3 { "PAIRED=1" } else { "LANES=2" }));
}

fn check_with(arity: usize, scheme: &Scheme, gathering: Option<&str>) {
    let on = HostPatches::<f64>::small(arity);
    let mut defines = scheme.defines();
    defines.extend(gathering.map(String::from));
    defines.extend(["REAL=double".into(), format!("CELL_SIZE={arity}"), format!("BLOCK={BLOCK}")]);
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let kernels = [
        "flow_new",
        "flow_reset",
        "flow_shapes",
        "flow_band_init",
        "flow_solve",
        "flow_band_final",
        "flow_band_mark",
        "flow_begin",
        "flow_step",
        "flow_settle",
        "flow_look",
    ];
    let library = Library::compile("tests/kernels/flow.cu", &defines, &kernels);
    let expected = on_the_cpu(&on, scheme);
    assert!(expected[STEPS - 1].reinitializations > 1, "the band must be rebuilt during the steps");
    let first = by_kernels(&library, &on, scheme, 0);
    let lengths: BTreeSet<u64> = first.windows(2).map(|of| of[1].steps - of[0].steps).collect();
    assert!(lengths.iter().any(|&n| n < u64::from(CYCLE)), "no cycle ended early: {lengths:?}");
    for found in &first {
        let k = found.steps as usize - 1;
        let cpu = &expected[k];
        assert_eq!(found.reinitializations, cpu.reinitializations, "step {k}");
        assert!((found.time - cpu.time).abs() < 1e-13, "step {k}: {} {}", found.time, cpu.time);
        let pairs = found.phi.iter().zip(&cpu.phi);
        let difference = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-12, "step {k}: {difference}");
    }
    for seed in 1..4 {
        assert!(
            by_kernels(&library, &on, scheme, seed) == first,
            "seed {seed}: the result is not bitwise identical to the first"
        );
    }
}

#[test]
fn the_published_schemes_are_those_of_the_cpu_in_every_order() {
    check(3, &Scheme::published());
    check(4, &Scheme::published());
}

#[test]
fn the_monotone_schemes_are_those_of_the_cpu_in_every_order() {
    check(3, &Scheme::monotone());
    check(4, &Scheme::monotone());
}

#[test]
fn one_clipped_pass_is_that_of_the_cpu_in_every_order() {
    check(3, &Scheme::in_one_pass());
    check(4, &Scheme::in_one_pass());
}

#[test]
fn patches_in_parts_give_the_same() {
    check(3, &Scheme { chunked: true, ..Scheme::published() });
    check(4, &Scheme { chunked: true, ..Scheme::monotone() });
}
