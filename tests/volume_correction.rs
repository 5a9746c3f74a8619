//! Tests the correction of the volume during an evolution on meshes.

use std::f64::consts::PI;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Expression, Field};
use zeroset::geometry::shape::Shape;
use zeroset::levelset::eikonal::Fit;
use zeroset::levelset::evolution::{
    Coefficient, Evolution, HALO_EDGES, Options, StepTarget, Terms,
};
use zeroset::levelset::volume::VolumeCorrection;
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};
use zeroset::surface::Measurer;

fn square(n: u32, min: f64, max: f64) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.min, square.max, square.seed) = ([n; 2], [min; 2], [max; 2], 1);
    square.jitter = 0.2;
    clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
}

fn enclosed(mesh: &Mesh, phi: &[f64]) -> f64 {
    Measurer::new(mesh).measure(mesh, phi).enclosed
}

/// Returns the area or volume where only one of two functions is negative.
fn difference(mesh: &Mesh, a: &[f64], b: &[f64]) -> f64 {
    let join = |pick: fn(f64, f64) -> f64| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| pick(*a, *b)).collect()
    };
    enclosed(mesh, &join(f64::min)) - enclosed(mesh, &join(f64::max))
}

fn at(mesh: &Mesh, f: impl Fn([f64; 3]) -> f64) -> Vec<f64> {
    mesh.vertices.iter().map(|&x| f(x)).collect()
}

fn disk(center: [f64; 3], radius: f64) -> impl Fn([f64; 3]) -> f64 {
    move |x| (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt() - radius
}

fn velocity(mesh: &Mesh, a: impl Fn([f64; 3]) -> [f64; 3]) -> Terms {
    let rows = mesh.vertices.iter().map(|&x| a(x)).collect();
    Terms::default().with_velocity(Coefficient::PerVertex(rows))
}

fn varying(components: [&str; 3]) -> Terms {
    let field = |text: &str| -> Field {
        let expression = Expression::parse(text).unwrap();
        Field::bind(&expression, |name| panic!("no array {name}")).unwrap()
    };
    Terms::default().with_velocity(Coefficient::Varying(components.map(field)))
}

struct Run {
    threads: usize,
    fit: Fit,
    method: VolumeCorrection,
}

impl Run {
    fn with(method: VolumeCorrection) -> Self {
        Run { threads: 2, fit: Fit::Plane, method }
    }

    fn options(&self, mesh: &Mesh) -> Options {
        let edge = mean_edge(mesh);
        let halo = if self.fit == Fit::Quadratic { HALO_EDGES * edge } else { 0.0 };
        Options::new(Some(5.0 * edge)).with_fit(self.fit, halo).with_volume_correction(self.method)
    }

    fn begin(&self, mesh: &Mesh, phi: &[f64], terms: &Terms) -> Evolution<f64> {
        let options = self.options(mesh);
        let patches = Arc::new(Patches::new(mesh, Partition::Bisection, PATCH_SIZE).unwrap());
        let cpu = Arc::new(Cpu::new(self.threads).unwrap());
        Evolution::new(cpu, mesh, patches, phi, terms, options).unwrap()
    }

    fn to(&self, mesh: &Mesh, phi: &[f64], terms: &Terms, time: f64) -> Evolution<f64> {
        let mut evolution = self.begin(mesh, phi, terms);
        advance(&mut evolution, time);
        evolution
    }
}

fn advance(evolution: &mut Evolution<f64>, time: f64) {
    let mut clock = evolution.time();
    while !evolution.is_extinct() {
        let target = StepTarget { clock, target: time, steady: -1.0, steps: u64::MAX };
        let done = evolution.advance(&target).unwrap();
        clock = done.clock;
        if done.landed {
            break;
        }
    }
}

fn mean_edge(mesh: &Mesh) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for cell in mesh.iter_cells() {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[..i] {
                let [a, b] = [a, b].map(|v| mesh.vertices[v as usize]);
                sum += disk(a, 0.0)(b);
                count += 1.0;
            }
        }
    }
    sum / count
}

/// The velocity of the reversed vortex in the unit square, with the period `period`.
fn vortex(period: f64) -> Terms {
    let u = format!("-2*sin(pi*x)^2*sin(pi*y)*cos(pi*y)*cos(pi*t/{period})");
    let v = format!("2*sin(pi*y)^2*sin(pi*x)*cos(pi*x)*cos(pi*t/{period})");
    varying([&u, &v, "0"])
}

/// A disk returns after a period of a vortex. Without a correction, its area changes by more than
/// the correction leaves.
#[test]
fn the_global_correction_keeps_the_area_and_improves_the_shape() {
    let mesh = square(48, 0.0, 1.0);
    let phi = at(&mesh, disk([0.5, 0.75, 0.0], 0.15));
    let area = enclosed(&mesh, &phi);
    let end = |method| {
        let found = Run::with(method).to(&mesh, &phi, &vortex(2.0), 2.0).phi();
        [enclosed(&mesh, &found) / area - 1.0, difference(&mesh, &found, &phi) / area]
    };
    let [without, with] = [VolumeCorrection::None, VolumeCorrection::Global].map(end);
    assert!(without[0].abs() > 5e-3, "{without:?}");
    assert!(with[0].abs() < 3e-4, "{with:?}");
    assert!(with[1] < 1.001 * without[1], "{with:?}, without correction {without:?}");
}

/// A reinitialization with planes shrinks a small disk. The local correction keeps its area.
#[test]
fn the_local_correction_keeps_the_area_in_reinitializations() {
    let mesh = square(24, -1.0, 1.0);
    let phi = at(&mesh, disk([0.03, 0.02, 0.0], 0.3));
    let area = enclosed(&mesh, &phi);
    let after = |method| {
        let mut evolution = Run::with(method).begin(&mesh, &phi, &Terms::default());
        (0..20).for_each(|_| evolution.reinitialize());
        let found = evolution.phi();
        [enclosed(&mesh, &found) / area - 1.0, difference(&mesh, &found, &phi) / area]
    };
    let [without, local] = [VolumeCorrection::None, VolumeCorrection::Local].map(after);
    assert!(without[0].abs() > 1e-4, "{without:?}");
    assert!(local[0].abs() < 1e-10, "{local:?}");
    assert!(local[1] < 1.05 * without[1], "{local:?}, without correction {without:?}");
}

/// The volume follows the divergence of the velocity: a disk grows with a radial flow.
#[test]
fn the_reference_contains_the_divergence() {
    let mesh = square(32, -1.0, 1.0);
    let phi = at(&mesh, disk([0.0; 3], 0.3));
    let area = enclosed(&mesh, &phi);
    for terms in [velocity(&mesh, |x| [0.5 * x[0], 0.5 * x[1], 0.0]), varying(["x*t", "y*t", "0"])]
    {
        let end = Run::with(VolumeCorrection::Global).to(&mesh, &phi, &terms, 1.0);
        let growth = enclosed(&mesh, &end.phi()) / area / 1f64.exp() - 1.0;
        assert!(growth.abs() < 3e-3, "{growth}");
    }
}

/// Half of a disk leaves through the boundary, and a strip enters through the opposite boundary.
#[test]
fn the_reference_contains_the_flux_through_the_boundary() {
    let [coarse, fine] = [32, 64].map(|n| {
        let mesh = square(n, -1.0, 1.0);
        let terms = velocity(&mesh, |_| [1.0, 0.0, 0.0]);
        let phi = at(&mesh, disk([0.5, 0.0, 0.0], 0.4));
        let end = Run::with(VolumeCorrection::Global).to(&mesh, &phi, &terms, 0.5);
        enclosed(&mesh, &end.phi()) / (0.5 * PI * 0.16) - 1.0
    });
    assert!(coarse.abs() < 2.5e-2 && fine.abs() < 0.4 * coarse.abs(), "{coarse} {fine}");
    let mesh = square(32, -1.0, 1.0);
    let terms = velocity(&mesh, |_| [1.0, 0.0, 0.0]);
    // A strip x < -0.8 + t is attached to the inflow boundary, where phi is held.
    let phi = at(&mesh, |x| x[0] + 0.8);
    let end = Run::with(VolumeCorrection::Global).to(&mesh, &phi, &terms, 1.0);
    let strip = enclosed(&mesh, &end.phi()) / 2.4 - 1.0;
    assert!(strip.abs() < 1e-3, "{strip}");
}

/// A flow without divergence squeezes two disks together. They merge when the gap is thinner than a
/// cell.
#[test]
fn merged_components_have_the_sum_of_their_areas() {
    let mesh = square(24, -1.0, 1.0);
    // The flow stagnates between two columns of vertices.
    let axis = 1.0 / 24.0;
    let disks = [disk([axis + 0.31, 0.0, 0.0], 0.25), disk([axis - 0.26, 0.0, 0.0], 0.2)];
    let two = |x: [f64; 3]| disks[0](x).min(disks[1](x));
    let phi = at(&mesh, two);
    let area = enclosed(&mesh, &phi);
    let terms = velocity(&mesh, |x| [axis - x[0], x[1], 0.0]);
    let end = Run::with(VolumeCorrection::Global).to(&mesh, &phi, &terms, 0.6);
    let (found, totals) = (end.phi(), end.volume().unwrap());
    let components = |phi: &[f64]| Measurer::new(&mesh).measure(&mesh, phi).components;
    assert_eq!([components(&phi), components(&found)], [2, 1]);
    let change = enclosed(&mesh, &found) / area - 1.0;
    assert!(change.abs() < 3e-3, "{change}, {totals:?}");
    assert_eq!((totals.lost, totals.entered), (0.0, 0.0), "{totals:?}");
}

/// A dumbbell is pulled apart. The areas of its parts add up to its area.
#[test]
fn split_components_share_the_area() {
    let mesh = square(64, -1.0, 1.0);
    // The axis of the flow lies between two rows of vertices, so that the bar breaks.
    let axis = 1.0 / 64.0;
    let dumbbell = |x: [f64; 3]| {
        let x = [x[0], x[1] - axis, x[2]];
        let bar = x[1].abs().max(x[0].abs() - 0.25) - 0.03;
        disk([0.25, 0.0, 0.0], 0.18)(x).min(disk([-0.25, 0.0, 0.0], 0.13)(x)).min(bar)
    };
    let components = |phi: &[f64]| Measurer::new(&mesh).measure(&mesh, phi).components;
    let phi = at(&mesh, dumbbell);
    let area = enclosed(&mesh, &phi);
    let terms = velocity(&mesh, |x| [x[0], axis - x[1], 0.0]);
    let end = Run::with(VolumeCorrection::Global).to(&mesh, &phi, &terms, 0.75);
    let found = end.phi();
    assert_eq!([components(&phi), components(&found)], [1, 2]);
    let change = enclosed(&mesh, &found) / area - 1.0;
    assert!(change.abs() < 5e-3, "{change}, {:?}", end.volume());
}

/// The correction also works on tetrahedra and on surfaces.
#[test]
fn volumes_in_space_and_on_surfaces() {
    let mut cube = Cube::default();
    (cube.cells, cube.min, cube.max) = ([14; 3], [-1.0; 3], [1.0; 3]);
    let mesh = clean(generate(&Generate::Cube(cube)).unwrap()).unwrap().0;
    let turn = |x: [f64; 3]| [-x[1], x[0], 0.0];
    assert_keeps(&mesh, &at(&mesh, disk([0.3, 0.1, 0.0], 0.45)), &velocity(&mesh, turn), 1e-4);
    let mut sphere = Sphere::default();
    sphere.subdivisions = Some(4);
    let mesh = clean(generate(&Generate::Sphere(sphere)).unwrap()).unwrap().0;
    assert_keeps(&mesh, &at(&mesh, disk([0.8, 0.3, 0.5], 0.5)), &velocity(&mesh, turn), 1e-4);
}

fn assert_keeps(mesh: &Mesh, phi: &[f64], terms: &Terms, tolerance: f64) {
    let volume = enclosed(mesh, phi);
    let change = |method| {
        let end = Run::with(method).to(mesh, phi, terms, 1.0);
        enclosed(mesh, &end.phi()) / volume - 1.0
    };
    let [without, with] = [VolumeCorrection::None, VolumeCorrection::Global].map(change);
    assert!(with.abs() < tolerance && without.abs() > 2.0 * tolerance, "{with} {without}");
}

#[test]
fn results_do_not_depend_on_threads_or_on_a_resumption() {
    let mesh = square(32, 0.0, 1.0);
    let phi = at(&mesh, disk([0.5, 0.75, 0.0], 0.15));
    let steady = velocity(&mesh, |x| [0.5 - x[1], x[0] - 0.5, 0.0]);
    for (method, terms) in [
        (VolumeCorrection::Local, &steady),
        (VolumeCorrection::Global, &steady),
        (VolumeCorrection::Global, &vortex(2.0)),
    ] {
        let run = |threads| Run { threads, ..Run::with(method) };
        let [one, three] = [1, 3].map(|n| run(n).to(&mesh, &phi, terms, 0.7));
        assert_eq!(one.phi(), three.phi(), "{method:?}");
        assert_eq!(one.volume(), three.volume(), "{method:?}");
        let mut begun = run(2).begin(&mesh, &phi, terms);
        for _ in 0..13 {
            begun.step(0.01).unwrap();
        }
        let snapshot = begun.snapshot();
        let options = run(2).options(&mesh);
        let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
        let cpu = Arc::new(Cpu::new(1).unwrap());
        let resumed = Evolution::resume(cpu, &mesh, patches, terms, options, &snapshot);
        let mut resumed: Evolution<f64> = resumed.unwrap();
        advance(&mut begun, 0.7);
        advance(&mut resumed, 0.7);
        assert_eq!(begun.phi(), resumed.phi(), "{method:?}");
    }
}

#[test]
fn motions_with_unknown_changes_of_volume_are_refused() {
    let mesh = square(8, -1.0, 1.0);
    let phi = at(&mesh, disk([0.0; 3], 0.4));
    let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    for terms in [
        Terms::default().with_normal_speed(Coefficient::Uniform([1.0])),
        Terms::default().with_curvature(Coefficient::Uniform([1.0])),
        Terms::default().with_weight(Coefficient::Uniform([1.0])),
    ] {
        let begin = |method| {
            let (cpu, options) = (Arc::new(Cpu::new(1).unwrap()), Run::with(method).options(&mesh));
            Evolution::<f64>::new(cpu, &mesh, patches.clone(), &phi, &terms, options).map(drop)
        };
        let error = begin(VolumeCorrection::Global).unwrap_err().to_string();
        assert!(error.contains("velocity alone") && error.contains("\"local\""), "{error}");
        begin(VolumeCorrection::Local).unwrap();
    }
}

const METHODS: [VolumeCorrection; 3] =
    [VolumeCorrection::None, VolumeCorrection::Local, VolumeCorrection::Global];

/// Prints the rows of the table in docs/narrow-band.md.
#[test]
#[ignore = "takes minutes"]
fn rows_of_the_documentation() {
    let slotted =
        Shape::SlottedDisk { center: [0.0, 0.5, 0.0], radius: 0.3, slot_width: 0.1, slot_top: 0.7 };
    for n in [64, 128] {
        let unit = square(n, 0.0, 1.0);
        let ball = at(&unit, disk([0.5, 0.75, 0.0], 0.15));
        let wide = square(n, -1.0, 1.0);
        let shape = at(&wide, |x| slotted.signed_distance(x));
        let turn = velocity(&wide, |x| [-2.0 * PI * x[1], 2.0 * PI * x[0], 0.0]);
        for (fit, method) in
            [Fit::Plane, Fit::Quadratic].map(|fit| METHODS.map(|m| (fit, m))).concat()
        {
            let run = Run { fit, ..Run::with(method) };
            row(&format!("slotted disk, {n}"), &run, &wide, &shape, &turn, 1.0);
            for period in [2.0, 8.0] {
                let name = format!("vortex of period {period}, {n}");
                row(&name, &run, &unit, &ball, &vortex(period), period);
            }
        }
    }
}

fn row(name: &str, run: &Run, mesh: &Mesh, phi: &[f64], terms: &Terms, time: f64) {
    let area = enclosed(mesh, phi);
    let end = run.to(mesh, phi, terms, time);
    let found = end.phi();
    let [change, difference] =
        [enclosed(mesh, &found) / area - 1.0, difference(mesh, &found, phi) / area];
    let totals = end.totals();
    let seconds = [totals.evolve_seconds, totals.reinitialize_seconds];
    println!(
        "{name}, {:?}, {:?}: {change:+.2e}, {difference:.4}, {seconds:.2?} s, {:?}",
        run.fit,
        run.method,
        end.volume(),
    );
}
