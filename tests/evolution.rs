//! Tests evolutions beyond the verification table: coefficients that depend on time, boundaries,
//! weights and slivers.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Evolution, Options, Rule, Terms,
};
use zeroset::mesh::generate::{Generate, Sphere, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};
use zeroset::surface::{Measurer, extract};

/// Returns the square [-1, 1]^2 with n cells per side and slightly displaced vertices.
fn square(n: u32) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.min, square.max) = ([n; 2], [-1.0; 2], [1.0; 2]);
    (square.jitter, square.seed) = (0.2, 7);
    clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
}

fn field(text: &str) -> Field {
    let expression = Expression::parse(text).unwrap_or_else(|flaw| panic!("{flaw:?}"));
    Field::bind(&expression, |name| panic!("no array {name}")).unwrap()
}

fn at(mesh: &Mesh, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    mesh.vertices.iter().map(|x| f(x[0], x[1])).collect()
}

fn start<R: Real>(mesh: &Mesh, phi: &[f64], terms: &Terms, options: Options) -> Evolution<R> {
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let patches = Arc::new(Patches::new(mesh, Partition::Metis, PATCH_SIZE).unwrap());
    Evolution::new(cpu, mesh, patches, phi, terms, options).unwrap()
}

fn run(mesh: &Mesh, phi: &[f64], terms: &Terms, options: Options, end: f64) -> Vec<f64> {
    let mut evolution = start::<f64>(mesh, phi, terms, options);
    while evolution.time() < end && !evolution.is_extinct() {
        evolution.step(end - evolution.time()).unwrap();
    }
    evolution.phi()
}

/// Returns the mean of `|exact|` over the points where the interface crosses mesh edges.
fn error(mesh: &Mesh, phi: &[f64], exact: impl Fn(f64, f64) -> f64) -> f64 {
    let interface = extract(mesh, phi);
    assert!(!interface.vertices.is_empty(), "the interface has vanished");
    let errors = interface.vertices.iter().map(|x| exact(x[0], x[1]).abs());
    errors.sum::<f64>() / interface.vertices.len() as f64
}

fn enclosed(mesh: &Mesh, phi: &[f64]) -> f64 {
    Measurer::new(mesh).measure(mesh, phi).enclosed
}

#[test]
fn a_speed_of_time_grows_and_shrinks_a_circle() {
    let mesh = square(64);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.4);
    let terms = Terms::default().with_normal_speed(Coefficient::Varying([field("2*cos(10*t)")]));
    for options in [Options::new(None), Options::new(Some(0.2))] {
        // R = 0.4 + 0.2 sin(10 t). The radius is largest at the first end time. At the second end
        // time, it has passed its initial value again and is smallest.
        for (end, radius) in [(0.157, 0.6), (0.471, 0.2)] {
            let found = run(&mesh, &phi, &terms, options.clone(), end);
            let error = error(&mesh, &found, |x, y| x.hypot(y) - radius);
            assert!(error < 0.012, "{error} at {end}");
        }
    }
}

#[test]
fn a_front_that_starts_from_rest_is_not_stepped_over() {
    let mesh = square(64);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.3);
    let terms = Terms::default().with_normal_speed(Coefficient::Varying([field("4*t")]));
    for options in [Options::new(None), Options::new(Some(0.2))] {
        let found = run(&mesh, &phi, &terms, options, 0.4);
        let error = error(&mesh, &found, |x, y| x.hypot(y) - 0.62);
        assert!(error < 0.01, "{error}");
    }
}

#[test]
fn a_front_that_rests_at_both_ends_of_a_step_is_not_stepped_over() {
    // R = 0.3 + (1 - cos(2 pi t)) / (2 pi). The speed is 0 at 0, 0.5 and 1, and the radius returns
    // to its initial value at 1.
    let mesh = square(48);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.3);
    let terms = Terms::default().with_normal_speed(Coefficient::Varying([field("sin(2*pi*t)")]));
    for options in [Options::new(None), Options::new(Some(0.25))] {
        let found = run(&mesh, &phi, &terms, options.clone(), 0.5);
        let radius = 0.3 + 1.0 / std::f64::consts::PI;
        let half = error(&mesh, &found, |x, y| x.hypot(y) - radius);
        assert!(half < 0.01, "{half}");
        let mut evolution = start::<f64>(&mesh, &phi, &terms, options);
        evolution.step(1.0).unwrap();
        assert!(evolution.time() < 0.2, "a step to {}", evolution.time());
    }
}

#[test]
fn a_velocity_of_time_is_taken_in_the_middle_of_the_step() {
    let errors = [32, 64].map(|n| {
        let mesh = square(n);
        let phi = at(&mesh, |x, y| (x - 0.4).hypot(y) - 0.3);
        // The circle moves around the origin without rotating. The wind is the same everywhere.
        let turn = [field("-0.4*2*pi*sin(2*pi*t)"), field("0.4*2*pi*cos(2*pi*t)"), field("0")];
        let terms = Terms::default().with_velocity(Coefficient::Varying(turn));
        let found = run(&mesh, &phi, &terms, Options::new(None), 0.5);
        error(&mesh, &found, |x, y| (x + 0.4).hypot(y) - 0.3)
    });
    assert!(errors[1] < 1e-3 && errors[0] > 3.0 * errors[1], "order 2 expected: {errors:?}");
}

#[test]
fn inflow_is_held_or_given() {
    let mesh = square(48);
    let wave = |x: f64, t: f64| (4.0 * (x - t)).sin();
    let phi = at(&mesh, |x, _| wave(x, 0.0));
    let wind = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]));
    for advection in [Advection::TaylorGalerkin, Advection::PositiveCoefficient] {
        let options = Options::new(None).with_advection(advection);
        let given = wind.clone().with_inflow(field("sin(4*(x-t))"));
        let worst = |terms: &Terms| {
            let found = run(&mesh, &phi, terms, options.clone(), 0.5);
            let errors = found.iter().zip(&mesh.vertices).map(|(f, x)| (f - wave(x[0], 0.5)).abs());
            errors.fold(0.0, f64::max)
        };
        let most = if advection == Advection::TaylorGalerkin { 0.04 } else { 0.3 };
        let found = worst(&given);
        assert!(found < most, "{advection:?}: {found}");
        // Without inflow, the boundary keeps its initial values, which are wrong at this time.
        assert!(worst(&wind) > 0.4);
    }
}

#[test]
fn an_interface_enters_a_band_through_the_inflow() {
    let mesh = square(48);
    let phi = at(&mesh, |x, _| x - 0.5);
    // From t = 0.2 on, the outside enters: phi = t - 0.2 at x = -1.
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_inflow(field("t - 0.2"));
    let found = run(&mesh, &phi, &terms, Options::new(Some(0.2)), 0.9);
    // The inside fills the square to the right of x = -0.3, the position of the entering interface.
    // The original interface has left the square.
    let found = enclosed(&mesh, &found);
    assert!((found - 2.0 * 1.3).abs() < 0.02, "{found}");
}

#[test]
fn walls_along_the_flow_do_not_hold_the_interface() {
    let mesh = square(32);
    let phi = at(&mesh, |x, _| x + 0.5);
    let terms = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]));
    let found = run(&mesh, &phi, &terms, Options::new(None), 0.6);
    let interface = extract(&mesh, &found);
    let furthest = interface.vertices.iter().map(|x| (x[0] - 0.1).abs()).fold(0.0, f64::max);
    assert!(furthest < 1e-3, "{furthest}");
}

#[test]
fn under_curvature_the_interface_meets_the_boundary_at_a_right_angle() {
    // A half circle on the lower side remains a half circle: R^2 = R0^2 - 2 t.
    let mesh = square(64);
    let phi = at(&mesh, |x, y| x.hypot(y + 1.0) - 0.6);
    let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    for step in [CurvatureStep::Explicit, CurvatureStep::Implicit, CurvatureStep::Extrapolated] {
        let options = Options::new(Some(0.25)).with_curvature_step(step);
        let found = enclosed(&mesh, &run(&mesh, &phi, &terms, options, 0.1));
        let exact = std::f64::consts::PI / 2.0 * (0.36 - 0.2);
        assert!((found / exact - 1.0).abs() < 0.02, "{step:?}: {found}, not {exact}");
    }
}

#[test]
fn a_weighted_flow_pulls_a_line_into_the_valley_of_its_weight() {
    // A straight line at height y moves with the velocity -w'(y). With w = 0.2 + y^2, this gives y
    // = 0.4 exp(-2 t).
    for step in [CurvatureStep::Explicit, CurvatureStep::Implicit, CurvatureStep::Extrapolated] {
        let errors = [24, 48].map(|n| {
            let mesh = square(n);
            let phi = at(&mesh, |_, y| y - 0.4);
            let w = field("0.2 + y^2").values(&mesh.vertices, 0.0);
            let weight = Coefficient::PerVertex(w.into_iter().map(|w| [w]).collect());
            let terms = Terms::default().with_weight(weight);
            let options = Options::new(Some(0.4)).with_curvature_step(step);
            let found = run(&mesh, &phi, &terms, options, 0.3);
            let height = 0.4 * (-0.6f64).exp();
            error(&mesh, &found, |_, y| y - height)
        });
        assert!(errors[1] < 4e-3 && errors[1] < 0.7 * errors[0], "{step:?}: {errors:?}");
    }
}

#[test]
fn the_same_weight_everywhere_is_curvature_flow() {
    let mesh = square(32);
    let phi = at(&mesh, |x, y| (1.3 * x).hypot(y) - 0.5);
    let two = || Coefficient::Uniform([2.0]);
    for step in [CurvatureStep::Explicit, CurvatureStep::Implicit, CurvatureStep::Extrapolated] {
        let options = Options::new(Some(0.4)).with_curvature_step(step);
        let plain =
            run(&mesh, &phi, &Terms::default().with_curvature(two()), options.clone(), 0.02);
        let weighted = run(&mesh, &phi, &Terms::default().with_weight(two()), options, 0.02);
        let difference = plain.iter().zip(&weighted).map(|(a, b)| (a - b).abs());
        let difference = difference.fold(0.0, f64::max);
        assert!(difference < 1e-7, "{step:?}: {difference}");
    }
}

#[test]
fn where_curvature_is_zero_implicit_steps_change_nothing() {
    let mesh = square(32);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.5);
    let beta = mesh.vertices.iter().map(|x| [x[0].max(0.0)]).collect();
    let terms = Terms::default().with_curvature(Coefficient::PerVertex(beta));
    let options = Options::new(None).with_curvature_step(CurvatureStep::Implicit);
    let found = run(&mesh, &phi, &terms, options, 0.05);
    let mut moved = 0.0f64;
    for ((new, old), x) in found.iter().zip(&phi).zip(&mesh.vertices) {
        if x[0] <= 0.0 {
            assert_eq!(new, old);
        }
        moved = moved.max((new - old).abs());
    }
    assert!(moved > 0.02, "the right half must move, but moved by {moved}");
}

/// Returns a square in which one vertex has been moved almost onto the opposite edge of one of its
/// triangles.
fn with_sliver(n: u32) -> Mesh {
    let mut mesh = square(n);
    let near = |x: &[f64; 3]| (x[0] - 0.4).hypot(x[1]);
    let vertices = mesh.vertices.iter().enumerate();
    let (v, _) = vertices.min_by(|a, b| near(a.1).total_cmp(&near(b.1))).unwrap();
    let cells: Vec<Vec<u32>> = mesh.iter_cells().map(|cell| cell.to_vec()).collect();
    let cell = cells.iter().find(|cell| cell.contains(&(v as u32))).unwrap();
    let others: Vec<usize> = cell.iter().map(|&w| w as usize).filter(|&w| w != v).collect();
    for k in 0..2 {
        let middle = 0.5 * (mesh.vertices[others[0]][k] + mesh.vertices[others[1]][k]);
        mesh.vertices[v][k] = middle + 1e-3 * (mesh.vertices[v][k] - middle);
    }
    mesh
}

#[test]
fn slivers_make_curvature_steps_implicit() {
    let mesh = with_sliver(48);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.6);
    let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    let options = Options::new(Some(0.3));
    let mut evolution = start::<f64>(&mesh, &phi, &terms, options);
    let choices = evolution.choices();
    assert!(choices.implicit && choices.slivers.unwrap().factor() > 1e3);
    while evolution.time() < 0.1 {
        evolution.step(0.1 - evolution.time()).unwrap();
    }
    // With explicit steps, the run would take hundreds of thousands of steps.
    assert!(evolution.n_steps() < 2000, "{} steps", evolution.n_steps());
    let rate = (0.36 - enclosed(&mesh, &evolution.phi()) / std::f64::consts::PI) / 0.2;
    assert!((rate - 1.0).abs() < 0.01, "{rate}");
    let regular = start::<f64>(
        &square(48),
        &at(&square(48), |x, y| x.hypot(y) - 0.6),
        &terms,
        Options::new(Some(0.3)),
    );
    assert!(!regular.choices().implicit, "steps on a good mesh must be explicit");
    assert_eq!(evolution.choices().slow, None, "curvature is reported separately");
}

#[test]
fn many_thin_cells_are_named_as_the_reason_of_short_steps() {
    // Every third column of cells is a thousandth as wide as the others, and vertices are moved
    // along the columns.
    let mut grid = Square::default();
    (grid.cells, grid.min, grid.max, grid.jitter) = ([48; 2], [-1.0; 2], [1.0; 2], 0.2);
    let mut mesh = clean(generate(&Generate::Square(grid)).unwrap()).unwrap().0;
    let thinned = |x: f64| {
        let column = ((x + 1.0) * 24.0).round();
        (column / 3.0).floor() * 2.001 + column % 3.0
    };
    mesh.vertices.iter_mut().for_each(|x| x[0] = thinned(x[0]) / 16.0 - 1.0);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.6);
    let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    let many = |mesh: &Mesh, phi: &[f64]| {
        start::<f64>(mesh, phi, &terms, Options::new(Some(0.3))).choices().many_thin
    };
    let sizes = many(&mesh, &phi).unwrap();
    assert!(sizes.typical_is_thin && sizes.median_inradius > 100.0 * sizes.typical_inradius);
    let mesh = with_sliver(48);
    assert_eq!(many(&mesh, &at(&mesh, |x, y| x.hypot(y) - 0.6)), None);
}

#[test]
fn slivers_do_not_hurt_taylor_galerkin_advection() {
    let mesh = with_sliver(32);
    let phi = at(&mesh, |x, y| (x - 0.3).hypot(y) - 0.3);
    let rows = mesh.vertices.iter().map(|x| [-x[1], x[0], 0.0]).collect();
    let terms = Terms::default().with_velocity(Coefficient::PerVertex(rows));
    let mut evolution = start::<f64>(&mesh, &phi, &terms, Options::new(None));
    assert_eq!(evolution.choices().poor_cells, 0);
    let slow = evolution.choices().slow.unwrap();
    assert!(slow.first_order_factor() > 10.0, "{slow:?}");
    assert!(mesh.cells[3 * slow.cell as usize..][..3].iter().any(|&v| {
        let [x, y, _] = mesh.vertices[v as usize];
        (x - 0.4).hypot(y) < 0.1
    }));
    let size = |phi: &[f64]| phi.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for _ in 0..1000 {
        evolution.step(0.02).unwrap();
    }
    assert!(size(&evolution.phi()) <= 1.05 * size(&phi), "{}", size(&evolution.phi()));
}

/// Shape alone does not make the Taylor-Galerkin step unstable, so long thin cells keep second
/// order.
#[test]
fn thin_cells_do_not_lose_area() {
    let terms = Terms::default().with_velocity(Coefficient::Uniform([0.5, 0.5, 0.0]));
    let moved = |n: u32, options: Options| {
        let mut grid = Square::default();
        (grid.cells, grid.min, grid.max, grid.jitter) = ([10 * n, n], [-1.0; 2], [1.0; 2], 0.2);
        let mesh = clean(generate(&Generate::Square(grid)).unwrap()).unwrap().0;
        let disk = |c: f64| at(&mesh, |x, y| (x - c).hypot(y - c) - 0.3);
        let phi = run(&mesh, &disk(-0.25), &terms, options, 1.0);
        enclosed(&mesh, &phi) / enclosed(&mesh, &disk(0.25)) - 1.0
    };
    let [coarse, fine] = [10, 32].map(|n| moved(n, Options::new(None)).abs());
    assert!(coarse < 0.02 && fine < 0.002, "{coarse}, {fine}");
    // With the rule of version 0.1, all vertices use the positive-coefficient scheme.
    let before = moved(10, Options::new(None).with_least_quality(0.2)).abs();
    assert!(before > 0.3, "{before}");
}

/// Rotates a cap on the pial surface of fsaverage in 1,000 steps. Returns the largest `|phi|`
/// before and after these steps. Inradii range from 0.001 to 1.5 mm, and without the
/// positive-coefficient scheme at the vertices of folds, phi would grow by a factor of 2,400.
fn turned_on_a_cortex(options: Options) -> Option<(f64, f64)> {
    let file = zeroset_testing::data("cortex/fsaverage_pial_left.gii.gz")?;
    let mesh = clean(zeroset::io::read_mesh(&file).unwrap().mesh).unwrap().0;
    let ball = |x: &[f64; 3]| (x[0] + 55.0).hypot(x[1] + 20.0).hypot(x[2] - 10.0) - 30.0;
    let phi: Vec<f64> = mesh.vertices.iter().map(ball).collect();
    let turn = |x: &[f64; 3]| [-(x[1] + 15.0), x[0] + 35.0, 0.0].map(|v| v * std::f64::consts::TAU);
    let rows = mesh.vertices.iter().map(turn).collect();
    let terms = Terms::default().with_velocity(Coefficient::PerVertex(rows));
    let mut evolution = start::<f64>(&mesh, &phi, &terms, options);
    let size = |phi: Vec<f64>| phi.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let before = size(evolution.phi());
    for _ in 0..1000 {
        evolution.step(f64::INFINITY).unwrap();
    }
    Some((before, size(evolution.phi())))
}

#[test]
fn rotation_on_a_cortex_does_not_grow_in_a_band() {
    let Some((before, after)) = turned_on_a_cortex(Options::new(Some(3.9))) else { return };
    // At the edge of the band, the scheme may overshoot by up to 30 % of the half width.
    assert!(after < 1.3 * before, "{before} -> {after}");
}

#[test]
#[ignore = "slow"]
fn rotation_on_a_cortex_does_not_grow() {
    let Some((before, after)) = turned_on_a_cortex(Options::new(None)) else { return };
    assert!(after < 1.01 * before, "{before} -> {after}");
}

#[test]
fn results_do_not_depend_on_threads() {
    let mesh = clean(generate(&Generate::Sphere(Sphere::default())).unwrap()).unwrap().0;
    let phi = at(&mesh, |x, y| 0.3 + 0.8 * x - 0.4 * y);
    let turn = [field("-y*(1+t)"), field("x"), field("0")];
    let terms = Terms::default()
        .with_velocity(Coefficient::Varying(turn))
        .with_normal_speed(Coefficient::Varying([field("0.1*sin(20*t)")]))
        .with_curvature(Coefficient::Uniform([0.01]));
    let run = |threads: usize| {
        let cpu = Arc::new(Cpu::new(threads).unwrap());
        let patches = Patches::new(&mesh, Partition::Metis, 32).unwrap();
        let options = Options::new(Some(0.3)).with_curvature_step(CurvatureStep::Implicit);
        let mut run =
            Evolution::<f64>::new(cpu, &mesh, patches.into(), &phi, &terms, options).unwrap();
        for _ in 0..40 {
            run.step(0.01).unwrap();
        }
        run.phi()
    };
    let one = run(1);
    assert!(one.iter().zip(&run(3)).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn wrong_coefficients_are_found_in_the_step_they_appear_in() {
    let mesh = square(16);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.5);
    let terms = Terms::default().with_curvature(Coefficient::Varying([field("0.1 - t")]));
    let mut evolution = start::<f64>(&mesh, &phi, &terms, Options::new(None));
    let error = (0..1000).find_map(|_| evolution.step(0.01).err()).unwrap();
    assert_eq!(error.exit_code(), 4);
    assert!(error.to_string().contains("evolve.curvature is -0.0"), "{error}");
    assert!(evolution.time() > 0.09 && evolution.time() < 0.12);
}

#[test]
fn a_run_waits_for_an_interface_that_an_inflow_brings() {
    let mesh = square(32);
    // The inside, x > 0.8, leaves on the right. From t = 1 on, a new inside enters on the left.
    let phi = at(&mesh, |x, _| 0.8 - x);
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_inflow(field("1 - t"));
    for options in [Options::new(Some(0.3)), Options::new(None).with_rule(Rule::Every(4))] {
        let found = run(&mesh, &phi, &terms, options, 2.0);
        // The part of the interface that entered at time 1 has reached x = 0.
        let area = enclosed(&mesh, &found);
        assert!((area - 2.0).abs() < 0.1, "{area}");
    }
    // A constant inflow brings in no interface.
    let still = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_inflow(field("1"));
    let mut evolution = start::<f64>(&mesh, &phi, &still, Options::new(Some(0.3)));
    while !evolution.is_extinct() {
        evolution.step(0.1).unwrap();
        assert!(evolution.time() < 1.5);
    }
}
