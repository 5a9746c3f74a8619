//! Tests coefficients that change over time, and inflow, on a GPU. Steps, values and messages match
//! those computed on the CPU.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::Error;
use zeroset::expression::{Expression, Field};
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Evolution, Options, StepTarget, Terms,
};
use zeroset::mesh::repair::{Repairs, repair};
use zeroset::mesh::{Mesh, clean_repaired};
use zeroset::patches::{Partition, Patches};

use zeroset_testing::slivers::cubes_with_slivers;

use crate::parity::{Setup, ball, stepped};
use crate::support::{self, difference};

/// Parses an expression of the coordinates and the time.
fn field(text: &str) -> Field {
    let expression: Expression = text.parse().unwrap();
    Field::bind(&expression, |name| Err(Error::usage(format!("no array {name}"), ""))).unwrap()
}

fn varying<const K: usize>(texts: [&str; K]) -> Coefficient<K> {
    Coefficient::Varying(texts.map(field))
}

fn explicit(half_width: f64) -> Options {
    Options::new(Some(half_width)).with_curvature_step(CurvatureStep::Explicit)
}

fn start(mesh: Mesh, terms: Terms, options: Options, patch_size: usize) -> Setup {
    let phi = ball(&mesh, [-0.1, 0.05, 0.0], 0.4);
    Setup { mesh, phi, terms, options, patch_size }
}

/// Disks that enter from the left, one per unit of time.
const DISCS: &str = "sqrt((t-floor(t)-0.5)^2 + y^2) - 0.25";

fn setups() -> Vec<(&'static str, Setup)> {
    let square = |jitter| support::square(48, jitter);
    let turning = || varying(["-y*(1+4*t)", "x*(1+4*t)", "0"]);
    let channel = |mesh: &Mesh| {
        let wind = mesh.vertices.iter().map(|x| [1.1 - x[1] * x[1], 0.0, 0.0]).collect();
        Terms::default().with_velocity(Coefficient::PerVertex(wind)).with_inflow(field(DISCS))
    };
    let first_order = explicit(0.25).with_advection(Advection::PositiveCoefficient);
    let jittered = square(0.2);
    let in_channel = channel(&jittered);
    let on_sphere = support::sphere(4);
    let crumpled = support::crumpled_sphere(4);
    vec![
        (
            "square, faster and faster rotation",
            start(square(0.2), Terms::default().with_velocity(turning()), explicit(0.25), 64),
        ),
        (
            "square, growing curvature",
            start(
                square(0.2),
                Terms::default().with_curvature(varying(["0.02*(1+t)"])),
                explicit(0.25),
                64,
            ),
        ),
        (
            "square, all terms change",
            start(
                square(0.1),
                Terms::default()
                    .with_velocity(turning())
                    .with_normal_speed(varying(["0.01 + 30*t^2 + 0.1*x"]))
                    .with_curvature(varying(["0.02*(1+t)*(2+y)"])),
                first_order.clone(),
                32,
            ),
        ),
        (
            "cube, nearly at rest at first",
            start(
                support::cube(12, 0.1),
                Terms::default().with_normal_speed(varying(["0.001 + t*(1+x)"])),
                explicit(0.5),
                64,
            ),
        ),
        (
            "sphere, growing weight",
            Setup {
                phi: ball(&on_sphere, [0.0, 0.0, 1.0], 0.9),
                mesh: on_sphere,
                terms: Terms::default().with_weight(varying(["(0.1 + 0.05*x)*(1+t)"])),
                options: explicit(0.3),
                patch_size: 64,
            },
        ),
        (
            "crumpled sphere, velocity that leaves the surface",
            Setup {
                phi: ball(&crumpled, [0.0, 0.0, 1.0], 0.9),
                mesh: crumpled,
                terms: Terms::default().with_velocity(varying(["-y*(1+4*t)", "x*(1+t)", "0.5*x"])),
                options: explicit(0.3),
                patch_size: 64,
            },
        ),
        ("square, inflow", start(jittered, in_channel, explicit(0.25), 64)),
        (
            "square, inflow that turns round",
            start(
                square(0.2),
                Terms::default()
                    .with_velocity(varying(["1 - 8*t", "0.1", "0"]))
                    .with_inflow(field("0.3 - abs(y) + 0.2*t")),
                first_order,
                32,
            ),
        ),
        (
            "cube, inflow",
            start(
                support::cube(10, 0.1),
                Terms::default()
                    .with_velocity(Coefficient::Uniform([1.0, 0.2, 0.0]))
                    .with_inflow(field("sqrt((t-0.5)^2 + y^2 + z^2) - 0.3")),
                explicit(0.5),
                16,
            ),
        ),
        (
            "cubes with gaps between them, inflow that turns",
            start(
                with_gaps(),
                Terms::default()
                    .with_velocity(varying(["1 - 8*t", "0.5 + 8*t", "0"]))
                    .with_inflow(field("x - 1.4 + 0.2*t")),
                explicit(0.5),
                16,
            ),
        ),
    ]
}

/// Returns two cubes of tetrahedra with different diagonals on their common face. The slivers
/// between them have been left out, so faces next to the gaps belong to only one cell.
fn with_gaps() -> Mesh {
    let (mesh, n_slivers) = cubes_with_slivers(4, 1e-9);
    let (mesh, repair) = repair(mesh, Repairs::default()).unwrap();
    let n_gaps = repair.degenerate.left_out;
    assert!(n_gaps > 2 && n_gaps + repair.degenerate.flips == n_slivers, "{repair:?}");
    let mut mesh = clean_repaired(mesh, &repair).unwrap().0;
    mesh.vertices.iter_mut().for_each(|x| *x = [x[0] - 1.0, x[1] - 0.5, x[2] - 0.5]);
    mesh
}

/// Returns evolutions that start without an interface, with their names.
fn empty_starts() -> Vec<(&'static str, Setup)> {
    let empty = |mesh: Mesh, terms: Terms, options: Options| {
        let phi = vec![1.0; mesh.n_vertices()];
        Setup { mesh, phi, terms, options, patch_size: 32 }
    };
    let wind = || Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.2, 0.0]));
    let square = || support::square(24, 0.2);
    vec![
        ("a drop", empty(square(), wind().with_inflow(field(DISCS)), explicit(0.25))),
        ("a jet", empty(square(), wind().with_inflow(field("abs(y) - 0.2")), explicit(0.25))),
        (
            "a drop, without a band",
            empty(square(), wind().with_inflow(field(DISCS)), Options::new(None)),
        ),
        (
            "a flow that turns round",
            empty(
                square(),
                Terms::default()
                    .with_velocity(varying(["-1 + 8*t", "0.1", "0"]))
                    .with_inflow(field("abs(y) - 0.3")),
                explicit(0.25),
            ),
        ),
        (
            "curvature, semi-implicit",
            empty(
                square(),
                wind().with_inflow(field(DISCS)).with_curvature(Coefficient::Uniform([0.01])),
                Options::new(Some(0.25)).with_curvature_step(CurvatureStep::Implicit),
            ),
        ),
        (
            "tetrahedra",
            empty(
                support::cube(8, 0.1),
                wind().with_inflow(field("sqrt((t-0.5)^2 + y^2 + z^2) - 0.3")),
                explicit(0.5),
            ),
        ),
    ]
}

#[test]
fn an_interface_enters_an_empty_mesh_as_on_the_cpu() {
    for (name, setup) in empty_starts() {
        // The number of steps is chosen so that the interface has entered on the CPU.
        let entered = |phi: &[f64]| phi.iter().any(|&value| value < 0.0);
        let steps = (1..20).map(|k| 10 * k).find(|&n| entered(&setup.on_cpu::<f64>(n).phi));
        let steps = steps.expect(name) + 10;
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, steps) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let apart = cpu.iter().zip(&gpu).filter(|(cpu, _)| cpu.abs() < near);
        let d = apart.map(|(cpu, gpu)| (cpu - gpu).abs()).fold(0.0, f64::max);
        assert!(d <= 1e-9 && entered(&gpu), "{name}: {d:e}");
    }
}

/// Compares steps in both precisions. `double` and `single` bound the differences near the
/// interface.
fn compare(steps: u64, double: f64, single: f64) {
    for (name, setup) in setups() {
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let apart = |cpu: Vec<f64>, gpu: Vec<f64>| {
            let pairs = cpu.into_iter().zip(gpu).filter(|(cpu, _)| cpu.abs() < near);
            let (cpu, gpu): (Vec<f64>, Vec<f64>) = pairs.unzip();
            difference(&cpu, &gpu)
        };
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, steps) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let d = apart(cpu, gpu);
        assert!(d <= double, "{name}, f64: {d:e}");
        let Some([cpu, gpu, again]) = stepped::<f32>(&setup, steps) else { return };
        assert!(gpu == again, "{name}, f32: two runs differ");
        let d = apart(cpu, gpu);
        assert!(d <= single, "{name}, f32: {d:e}");
    }
}

#[test]
fn one_step_is_that_of_the_cpu() {
    compare(1, 1e-12, 4e-6);
}

#[test]
fn fifty_steps_are_those_of_the_cpu_next_to_the_interface() {
    compare(50, 1e-10, 2e-4);
}

/// Returns the error messages of the CPU and of the GPU when a step fails. Returns `None` if there
/// is no GPU.
fn messages(setup: &Setup) -> Option<[String; 2]> {
    let gpu = support::cuda()?;
    let Setup { mesh, phi, terms, options, patch_size } = setup;
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, *patch_size).unwrap());
    let mut on_cpu =
        Evolution::<f64>::new(cpu.clone(), mesh, patches.clone(), phi, terms, options.clone())
            .unwrap();
    let expected = (0..1000).find_map(|_| on_cpu.step(f64::INFINITY).err()).unwrap();
    let on = Gpu { cuda: gpu, organization: Organization::Rounds };
    let mut on_gpu =
        DeviceEvolution::<f64>::new(&on, cpu, mesh, patches, phi, terms, options.clone()).unwrap();
    let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: 1000 };
    let found = (0..1000).find_map(|_| on_gpu.advance(&until).err()).unwrap();
    assert_eq!(on_gpu.n_steps(), on_cpu.n_steps());
    assert!(on_cpu.n_steps() > 0, "the error must come after the first step: {expected}");
    Some([expected.to_string(), found.to_string()])
}

#[test]
fn what_goes_wrong_in_time_is_told_in_the_words_of_the_cpu() {
    let wind = || Coefficient::Uniform([1.0, 0.0, 0.0]);
    let wrong = [
        ("velocity", Terms::default().with_velocity(varying(["1", "sqrt(0.05 - t)", "0"]))),
        (
            "normal_speed",
            Terms::default()
                .with_velocity(varying(["1", "t", "0"]))
                .with_normal_speed(varying(["if(t > 0.05 && x > 0, 1/0, 0.1)"])),
        ),
        ("curvature", Terms::default().with_curvature(varying(["if(y > 0, 0.01 - t, 0.02)"]))),
        ("inflow", Terms::default().with_velocity(wind()).with_inflow(field("y + 0*log(0.05-t)"))),
        ("nothing moves", Terms::default().with_normal_speed(varying(["max(0, 0.02 - t)"]))),
    ];
    for (name, terms) in wrong {
        let setup = start(support::square(40, 0.2), terms, explicit(0.25), 64);
        let Some([expected, found]) = messages(&setup) else { return };
        assert!(expected.contains(name), "{expected}");
        assert_eq!(found, expected);
    }
}
