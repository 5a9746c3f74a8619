//! The card against the processor (V43): the runs that `tests/cuda` compares, with numbers.

use zeroset::geometry::Real;

use crate::backend::Backend;
use crate::card;
use crate::case::{Case, Floor, Gate, Row, Series};
use crate::domains::Setting;
use crate::parity::{Setup, setups};
use crate::runs::{largest, redistance};
use crate::support::difference;

/// Steps of the long comparison.
const STEPS: u64 = 100;

const ROWS: &[Row] = &[
    Row::new("one step, relative", &[]).gate(Gate::AtMost(1e-13)).floor(Floor::Agreement),
    Row::new("100 steps", &[]).gate(Gate::AtMost(1e-10)).floor(Floor::Curvature),
    Row::count("redistancings, difference", 0.0),
    Row::new("redistancing, relative", &[]).gate(Gate::AtMost(1e-12)).floor(Floor::Agreement),
];

const fn one(name: &'static str, sizes: &'static [u32]) -> Series {
    Series { mesh: name, sizes, quick: 1, rows: ROWS }
}

pub const V43: Case = Case {
    id: "V43",
    title: "processor and GPU",
    exact: "phi on the GPU minus phi on the processor: after one step and one redistancing, \
            relative to the largest value; after 100 steps, where abs(phi) is less than half the \
            half width; and how many redistancings more there were",
    note: "The size is 2/h. Gates in f32: 2e-6, and 1e-3 h after 100 steps. Taylor-Galerkin and \
           semi-implicit steps are compared in `tests/cuda`.",
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
    let cuda = card::of_this_thread().cuda;
    let both = |steps| [setup.on_cpu::<R>(steps), setup.on_card::<R>(&cuda, steps)];

    let [cpu, card] = both(1);
    let one_step = difference(&cpu.phi, &card.phi);

    let [cpu, card] = both(STEPS);
    let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
    let pairs = cpu.phi.iter().zip(&card.phi).filter(|(cpu, _)| cpu.abs() < near);
    let steps = largest(pairs.map(|(cpu, card)| (cpu - card).abs()));
    let redistancings = card.redistancings as f64 - cpu.redistancings as f64;

    // No distance before.
    let start: Vec<f64> = setup.phi.iter().map(|phi| 2.0 * phi).collect();
    let [cpu, card] = [Backend::Cpu, Backend::Cuda].map(|backend| {
        let domain = Setting { backend, ..*setting }.place(setup.mesh.clone());
        redistance(&domain, &start, setup.options.half_width, 1).swap_remove(0).u
    });
    vec![one_step, steps, redistancings, difference(&cpu, &card)]
}
