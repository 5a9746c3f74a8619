//! The verification case that compares the GPU with the CPU (V43), on the problems of `tests/cuda`.

use zeroset::geometry::Real;

use crate::backend::Backend;
use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::Setting;
use crate::gpu;
use crate::parity::{Setup, setups};
use crate::runs::{largest, reinitialize};
use crate::support::difference;

/// The number of steps of the long comparison.
const STEPS: u64 = 100;

const ROWS: &[Row] = &[
    Row::new("one step, relative", &[]).gate(Gate::AtMost(1e-13)).floor(Floor::Agreement),
    Row::new("100 steps", &[]).gate(Gate::AtMost(1e-10)).floor(Floor::Curvature),
    Row::count("reinitializations, difference", 0.0),
    Row::new("reinitialization, relative", &[]).gate(Gate::AtMost(1e-12)).floor(Floor::Agreement),
];

const fn one(name: &'static str, sizes: &'static [u32]) -> Series {
    Series { mesh: name, sizes, quick: 1, rows: ROWS }
}

pub const V43: Case = Case {
    id: "V43",
    title: "CPU and GPU",
    exact: "The rows compare phi on the GPU with phi on the CPU after one step, after 100 steps, \
            and after one reinitialization. The differences after one step and after one \
            reinitialization are relative to the largest value of abs(phi). In a band, the \
            difference after 100 steps is taken where abs(phi) is less than half of the half \
            width. The number of reinitializations in these 100 steps must be the same on both \
            devices.",
    note: "The size is 2/h, where h is the approximate edge length of a cell. The gates in f32 are \
           2e-6, and 1e-3 h after 100 steps. Tests in `tests/cuda` compare Taylor-Galerkin and \
           semi-implicit steps.",
    deviation: "",
    measure: |setting, name, _| {
        let (_, setup) = setups().into_iter().find(|(found, _)| *found == name).unwrap();
        if setting.single { apart::<f32>(setting, &setup) } else { apart::<f64>(setting, &setup) }
    },
    series: &[
        one("square, whole domain", &[48]),
        one("square, band", &[48]),
        one("square, published rule", &[48]),
        one("square, every third", &[48]),
        one("square, varied in space", &[48]),
        one("square, cone and Hopf-Lax, clipped", &[48]),
        one("square, one pass", &[48]),
        one("sphere, band", &[28]),
        one("sphere, weighted", &[28]),
        one("cube, band", &[12]),
        one("cube, small patches, Hopf-Lax", &[10]),
    ],
};

fn apart<R: Real>(setting: &Setting, setup: &Setup) -> Vec<f64> {
    let cuda = gpu::of_this_thread().cuda;
    let both = |steps| [setup.on_cpu::<R>(steps), setup.on_gpu::<R>(&cuda, steps)];

    let [cpu, gpu] = both(1);
    let one_step = difference(&cpu.phi, &gpu.phi);

    let [cpu, gpu] = both(STEPS);
    let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
    let pairs = cpu.phi.iter().zip(&gpu.phi).filter(|(cpu, _)| cpu.abs() < near);
    let steps = largest(pairs.map(|(cpu, gpu)| (cpu - gpu).abs()));
    let reinitializations = gpu.reinitializations as f64 - cpu.reinitializations as f64;

    // phi is doubled, so that it is not a signed distance and the reinitialization must change it.
    let start: Vec<f64> = setup.phi.iter().map(|phi| 2.0 * phi).collect();
    let [cpu, gpu] = [Backend::Cpu, Backend::Cuda].map(|backend| {
        let domain = Setting { backend, ..*setting }.place(setup.mesh.clone());
        reinitialize(&domain, &start, setup.options.half_width, 1).swap_remove(0).u
    });
    vec![one_step, steps, reinitializations, difference(&cpu, &gpu)]
}
