//! Tests advection by a characteristic map.

#[path = "support/place.rs"]
mod place;

use std::f64::consts::TAU;
use std::sync::Arc;

use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::levelset::evolution::{Advection, Coefficient, Evolution, Options, Rule, Terms};
use zeroset::levelset::volume::VolumeCorrection;
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset::mesh::{Kind, Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};
use zeroset::{Cpu, Error, Result};

use place::Place;

fn made(spec: &Generate) -> Mesh {
    clean(generate(spec).unwrap()).unwrap().0
}

fn square(n: u32) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.min, square.max) = ([n; 2], [-1.0; 2], [1.0; 2]);
    (square.jitter, square.seed) = (0.2, 1);
    made(&Generate::Square(square))
}

fn disk(mesh: &Mesh, center: [f64; 2], radius: f64) -> Vec<f64> {
    let distance = |x: &[f64; 3]| (x[0] - center[0]).hypot(x[1] - center[1]) - radius;
    mesh.vertices.iter().map(distance).collect()
}

fn flow(mesh: &Mesh, a: impl Fn([f64; 3]) -> [f64; 2]) -> Terms {
    let row = |&x: &[f64; 3]| [a(x)[0], a(x)[1], 0.0];
    let rows = mesh.vertices.iter().map(row).collect();
    Terms::default().with_velocity(Coefficient::PerVertex(rows))
}

fn varying(components: [&str; 2]) -> Terms {
    let field = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        Field::bind(&expression, |name| panic!("no array {name}")).unwrap()
    };
    let [x, y] = components.map(field);
    Terms::default().with_velocity(Coefficient::Varying([x, y, Field::constant(0.0)]))
}

fn options() -> Options {
    Options::new(None).with_advection(Advection::CharacteristicMap)
}

fn begin<R: Real>(
    threads: usize,
    mesh: &Mesh,
    phi: &[f64],
    terms: &Terms,
    options: Options,
) -> Result<Evolution<R>> {
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    Evolution::new(Arc::new(Cpu::new(threads).unwrap()), mesh, patches, phi, terms, options)
}

fn run_to<R: Real>(motion: &mut Evolution<R>, end: f64) {
    while motion.time() < end {
        motion.step(end - motion.time()).unwrap();
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mesh = square(24);
    let terms = varying(["-sin(3*y) * cos(t)", "x * y + 0.5"]);
    let results = [1, 2, 5].map(|threads| {
        let phi = disk(&mesh, [0.1, 0.2], 0.4);
        let mut motion = begin::<f64>(threads, &mesh, &phi, &terms, options()).unwrap();
        run_to(&mut motion, 1.0);
        motion.phi()
    });
    assert!(results[0] == results[1] && results[1] == results[2]);
}

#[test]
fn a_resumed_motion_is_bitwise_identical() {
    let mesh = square(20);
    let terms = varying(["-y * cos(t)", "x"]);
    let mut whole =
        begin::<f32>(2, &mesh, &disk(&mesh, [0.3, 0.2], 0.4), &terms, options()).unwrap();
    run_to(&mut whole, 0.7);
    let snapshot = whole.snapshot();
    let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    let cpu = Arc::new(Cpu::new(3).unwrap());
    let mut resumed =
        Evolution::<f32>::resume(cpu.clone(), &mesh, patches.clone(), &terms, options(), &snapshot)
            .unwrap();
    assert_eq!(resumed.snapshot(), snapshot);
    run_to(&mut whole, 1.5);
    run_to(&mut resumed, 1.5);
    assert!(whole.phi() == resumed.phi());
    // Another scheme continues from phi, and begins with a distance.
    let band = Options::new(Some(0.3));
    let other = Evolution::<f32>::resume(cpu, &mesh, patches, &terms, band, &snapshot).unwrap();
    assert!(other.phi().iter().all(|phi| phi.abs() <= 0.3 + 1e-6));
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let mesh = square(6);
    let (terms, phi) = (varying(["1", "t"]), disk(&mesh, [0.0; 2], 0.4));
    let motion = begin::<f64>(1, &mesh, &phi, &terms, options()).unwrap();
    let resume = |change: fn(&mut zeroset::levelset::evolution::MapState)| {
        let mut snapshot = motion.snapshot();
        change(snapshot.map.as_mut().unwrap());
        let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
        let cpu = Arc::new(Cpu::new(1).unwrap());
        Evolution::<f64>::resume(cpu, &mesh, patches, &terms, options(), &snapshot).map(drop)
    };
    resume(|_| ()).unwrap();
    assert!(resume(|map| map.home[0] = 1 << 20).is_err());
    assert!(resume(|map| map.map.truncate(6)).is_err());
    assert!(resume(|map| map.map[3] = f64::NAN).is_err());
    assert!(resume(|map| map.start.push(1.0)).is_err());
}

#[test]
fn a_turned_disk_returns_and_f32_agrees() {
    let mesh = square(32);
    let phi = disk(&mesh, [0.0, 0.4], 0.3);
    let terms = flow(&mesh, |x| [-TAU * x[1], TAU * x[0]]);
    let mut double = begin::<f64>(2, &mesh, &phi, &terms, options()).unwrap();
    let mut single = begin::<f32>(2, &mesh, &phi, &terms, options()).unwrap();
    run_to(&mut double, 1.0);
    run_to(&mut single, 1.0);
    let near = |values: Vec<f64>| -> Vec<f64> {
        let is_near = |x: &[f64; 3]| x[0].hypot(x[1]) < 0.75;
        let values = values.into_iter().zip(&mesh.vertices);
        values.filter(|(_, x)| is_near(x)).map(|(value, _)| value).collect()
    };
    let (double, single) = (double.phi(), single.phi());
    // The velocity and the map are linear in x, so only the error in time is left.
    assert!(largest_difference(&near(double.clone()), &near(phi)) < 2e-3);
    assert!(largest_difference(&double, &single) < 1e-4);
}

#[test]
fn material_enters_without_an_interface_and_walls_keep_it() {
    let mesh = square(16);
    let phi = disk(&mesh, [0.4, 0.0], 0.3);
    let mut leaving =
        begin::<f64>(2, &mesh, &phi, &flow(&mesh, |_| [1.0, 0.3]), options()).unwrap();
    run_to(&mut leaving, 4.0);
    assert!(leaving.phi().iter().all(|&phi| phi > 0.0));
    assert!(leaving.is_extinct());
    // On a disk, a rotation moves along the boundary, whose edges cut off a part of each path.
    let mut round = square(24);
    for x in &mut round.vertices {
        let [a, b, _] = *x;
        (x[0], x[1]) = (a * (1.0 - 0.5 * b * b).sqrt(), b * (1.0 - 0.5 * a * a).sqrt());
    }
    round.lattice = None;
    let phi: Vec<f64> = round.vertices.iter().map(|x| x[1] - 0.1).collect();
    let terms = flow(&round, |x| [-TAU * x[1], TAU * x[0]]);
    let mut turned = begin::<f64>(2, &round, &phi, &terms, options()).unwrap();
    run_to(&mut turned, 1.0);
    assert!(largest_difference(&turned.phi(), &phi) < 5e-3);
}

/// Moves phi0 = `normal` . x - 0.5125 by a constant velocity on the part of the unit square that is
/// in `domain`, and checks phi at each vertex whose material started in the domain.
fn moves_past_walls(velocity: [f64; 2], normal: [f64; 2], domain: impl Fn([f64; 2]) -> bool) {
    let square = Square { cells: [40; 2], ..Square::default() };
    let square = made(&Generate::Square(square));
    let center = |cell: &[u32]| {
        [0, 1].map(|k| cell.iter().map(|&v| square.vertices[v as usize][k]).sum::<f64>() / 3.0)
    };
    let cells = square.iter_cells().filter(|cell| domain(center(cell))).flatten().copied();
    let mesh = Mesh::new(Kind::Planar, square.vertices.clone(), cells.collect());
    let mesh = clean(mesh).unwrap().0;
    let start = |x: [f64; 2]| normal[0] * x[0] + normal[1] * x[1] - 0.5125;
    let phi: Vec<f64> = mesh.vertices.iter().map(|&[x, y, _]| start([x, y])).collect();
    let terms = flow(&mesh, |_| velocity);
    let mut motion = begin::<f64>(2, &mesh, &phi, &terms, options()).unwrap();
    for k in 1..8 {
        run_to(&mut motion, 0.05 * f64::from(k));
    }
    let t = motion.time();
    let mut n = 0;
    for (phi, &[x, y, _]) in motion.phi().iter().zip(&mesh.vertices) {
        let xi = [x - t * velocity[0], y - t * velocity[1]];
        if domain(xi) {
            n += 1;
            assert!((phi - start(xi)).abs() < 1e-12, "{phi} at {x}, {y}");
        }
    }
    assert!(n > 400, "{n}");
}

#[test]
fn material_beyond_a_slit_is_found() {
    let square = |x: [f64; 2]| x[0].min(x[1]) > -1e-9 && x[0].max(x[1]) < 1.0 + 1e-9;
    // All vertices are outside of the slit or on its walls.
    let is_slit = |[x, y]: [f64; 2]| x < 0.6 && y > 0.5 + 1e-9 && y < 0.525 - 1e-9;
    moves_past_walls([1.0, 0.0], [0.0, 1.0], |x| square(x) && !is_slit(x));
    moves_past_walls([1.0, 0.0], [0.5, 1.0], |x| square(x) && !is_slit(x));
}

#[test]
fn material_beyond_a_hole_is_found() {
    let square = |x: [f64; 2]| x[0].min(x[1]) > -1e-9 && x[0].max(x[1]) < 1.0 + 1e-9;
    let is_hole = |x: [f64; 2]| (x[0] - 0.5).abs().max((x[1] - 0.5).abs()) < 0.1 - 1e-9;
    moves_past_walls([1.0, 0.0], [0.0, 1.0], |x| square(x) && !is_hole(x));
    moves_past_walls([0.9, 0.4], [0.5, 1.0], |x| square(x) && !is_hole(x));
}

#[test]
fn material_beyond_a_corner_is_found() {
    let square = |x: [f64; 2]| x[0].min(x[1]) > -1e-9 && x[0].max(x[1]) < 1.0 + 1e-9;
    let is_notch = |x: [f64; 2]| x[0].min(x[1]) > 0.5 + 1e-9;
    moves_past_walls([1.0, -1.0], [0.5, 0.5], |x| square(x) && !is_notch(x));
    moves_past_walls([1.0, -1.0], [0.75, 0.25], |x| square(x) && !is_notch(x));
}

#[test]
fn a_map_that_begins_again_is_reported() {
    let report = |speed: &str, end_time: f64| -> serde_json::Value {
        let place = Place::new();
        let case = format!(
            "version = 1\n[domain.mesh.generate.square]\ncells = [24, 24]\nmin = [-1, -1]\n\
             max = [1, 1]\n[initial]\nexpression = \"sqrt(x^2 + y^2) - 0.4\"\n[evolve]\n\
             velocity = [\"-y * {speed}\", \"x * {speed}\", 0]\n\
             advection = \"characteristic-map\"\nend_time = {end_time}\n"
        );
        place.put("c.toml", &case);
        place.good("run c.toml -o out");
        let text = std::fs::read_to_string(place.path("out/report.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let warning = "the characteristic map began again";
    let warned = |report: &serde_json::Value| {
        let all = report["warnings"].as_array().unwrap();
        all.iter().filter(|text| text.as_str().unwrap().starts_with(warning)).count()
    };
    let torn = report("2 * pi * exp(-(x^2 + y^2) / 0.16)", 5.0);
    assert!(torn["map_restarts"].as_u64().unwrap() > 1 && warned(&torn) == 1, "{torn}");
    let turned = report("1", 1.0);
    assert!(turned["map_restarts"] == 0 && warned(&turned) == 0, "{turned}");
}

/// Checks that a motion is refused with a message that contains `what`, and with a remedy.
fn refused(mesh: &Mesh, terms: &Terms, options: Options, what: &str) {
    let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[0] - 0.1).collect();
    let error = begin::<f64>(1, mesh, &phi, terms, options).map(drop).unwrap_err();
    let Error::Case { remedy, .. } = &error else { panic!("{error}") };
    assert!(!remedy.is_empty());
    assert!(error.to_string().contains(what), "{error}");
}

#[test]
fn other_motions_are_refused() {
    let mesh = square(8);
    let terms = || flow(&mesh, |_| [1.0, 0.0]);
    let one = Coefficient::Uniform([1.0]);
    let alone = "is for motion by velocity alone";
    refused(&mesh, &terms().with_normal_speed(one.clone()), options(), alone);
    refused(&mesh, &terms().with_curvature(one.clone()), options(), alone);
    refused(&mesh, &terms().with_weight(one), options(), alone);
    let inflow = terms().with_inflow(Field::constant(1.0));
    refused(&mesh, &inflow, options(), "cannot be combined with inflow");
    let band = Options::new(Some(0.5)).with_advection(Advection::CharacteristicMap);
    refused(&mesh, &terms(), band, "never reinitializes");
    refused(&mesh, &terms(), options().with_rule(Rule::Every(5)), "never reinitializes");
    let global = options().with_volume_correction(VolumeCorrection::Global);
    refused(&mesh, &terms(), global, "volume_correction");
    refused(&mesh, &terms(), options().with_clip(true), "clip");
    refused(&mesh, &terms(), options().with_least_quality(0.2), "least_quality");
    let wind = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]));
    let (mut sphere, mut cube) = (Sphere::default(), Cube::default());
    (sphere.subdivisions, cube.cells) = (Some(2), [3; 3]);
    let planar = "is for planar meshes";
    refused(&made(&Generate::Sphere(sphere)), &wind, options(), planar);
    refused(&made(&Generate::Cube(cube)), &wind, options(), planar);
}

#[test]
fn a_velocity_that_is_not_finite_is_named() {
    let mesh = square(8);
    let terms = varying(["1 / (0.3 - t)", "sqrt(0.31 - t)"]);
    let phi = disk(&mesh, [0.0; 2], 0.4);
    let mut motion = begin::<f64>(2, &mesh, &phi, &terms, options().with_max_step(0.1)).unwrap();
    let error = loop {
        match motion.step(0.1) {
            Ok(step) => assert!(step.time < 0.5),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("velocity"), "{error}");
}
