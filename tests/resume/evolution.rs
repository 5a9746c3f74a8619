//! Tests that an evolution resumed from a snapshot takes the same steps as an uninterrupted one.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::levelset::evolution::{
    Coefficient, CurvatureStep, Evolution, Options, Rule, Snapshot, Terms,
};
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{Partition, Patches};

/// Returns irregular planar, curved and solid meshes with their names and approximate edge lengths.
fn meshes() -> Vec<(&'static str, Mesh, f64)> {
    let (mut square, mut sphere, mut cube) =
        (Square::default(), Sphere::default(), Cube::default());
    (square.cells, square.jitter) = ([20, 20], 0.2);
    sphere.subdivisions = Some(3);
    (cube.cells, cube.jitter) = ([8, 8, 8], 0.1);
    [
        ("square", Generate::Square(square), 0.055),
        ("sphere", Generate::Sphere(sphere), 0.15),
        ("cube", Generate::Cube(cube), 0.16),
    ]
    .into_iter()
    .map(|(name, made, edge)| (name, clean(generate(&made).unwrap()).unwrap().0, edge))
    .collect()
}

/// Returns all three terms of the equation. Two of them differ from vertex to vertex.
fn terms(mesh: &Mesh) -> Terms {
    let turn = |&[x, y, z]: &[f64; 3]| [0.3 - y, x + 0.1 * z, 0.2 * x];
    let speed = |&[x, y, _]: &[f64; 3]| [0.2 + 0.1 * (x - y)];
    Terms::default()
        .with_velocity(Coefficient::PerVertex(mesh.vertices.iter().map(turn).collect()))
        .with_normal_speed(Coefficient::PerVertex(mesh.vertices.iter().map(speed).collect()))
        .with_curvature(Coefficient::Uniform([0.01]))
}

/// Returns terms that change with time, and an inflow that may bring in an interface.
fn varying(mesh: &Mesh) -> Terms {
    let field = |text: &str| {
        let expression = Expression::parse(text).unwrap();
        Field::bind(&expression, |name| panic!("no array {name}")).unwrap()
    };
    let velocity = ["0.5 + sin(40*t) - y", "x*cos(50*t)", "0.2*x"].map(field);
    terms(mesh)
        .with_velocity(Coefficient::Varying(velocity))
        .with_normal_speed(Coefficient::Varying([field("0.2 + 0.3*sin(30*t)*x")]))
        .with_inflow(field("0.2 + 0.5*y - 2*t"))
}

fn phi(mesh: &Mesh) -> Vec<f64> {
    let (low, high) = mesh.bounds();
    let radius = 0.35 * (high[0] - low[0]);
    // The ball is off-center because a centered ball would not intersect the sphere.
    let center = [0, 1, 2].map(|k| [0.2, 0.45, 0.45][k] * (low[k] - high[k]) + high[k]);
    let distance = |x: &[f64; 3]| (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt();
    mesh.vertices.iter().map(|x| distance(x) - radius).collect()
}

/// Takes a step and returns the bits of everything that can be observed about it.
fn seen<R: Real>(run: &mut Evolution<R>) -> (Vec<u64>, Vec<bool>, Vec<u64>) {
    let step = run.step(0.01).unwrap();
    let totals = run.totals();
    let numbers = vec![
        step.step,
        step.time.to_bits(),
        step.dt.to_bits(),
        step.rate.to_bits(),
        u64::from(step.reinitialized),
        u64::from(run.is_extinct()),
        run.n_band_vertices() as u64,
        run.n_active_patches() as u64,
        totals.cell_updates,
        totals.reinitializations,
    ];
    (run.phi().iter().map(|x| x.to_bits()).collect(), run.band(), numbers)
}

/// Returns the snapshot with all measured times set to zero.
fn timeless(mut snapshot: Snapshot) -> Snapshot {
    snapshot.totals.evolve_seconds = 0.0;
    snapshot.totals.reinitialize_seconds = 0.0;
    snapshot
}

fn resumed_is_uninterrupted<R: Real>(name: &str, mesh: &Mesh, terms: &Terms, options: &Options) {
    const STEPS: usize = 60;
    let patches = Arc::new(Patches::new(mesh, Partition::Metis, 32).unwrap());
    let cpu = |threads| Arc::new(Cpu::new(threads).unwrap());
    let (one, two) = (cpu(1), cpu(2));
    let start = phi(mesh);
    let mut run =
        Evolution::<R>::new(one, mesh, patches.clone(), &start, terms, options.clone()).unwrap();
    let mut kept = vec![run.snapshot()];
    let mut steps = Vec::new();
    for _ in 0..STEPS {
        steps.push(seen(&mut run));
        kept.push(run.snapshot());
    }
    let is_new = |k: usize| steps[k].2[4] == 1;
    let renewed: Vec<usize> = (0..STEPS).filter(|&k| is_new(k)).collect();
    if options.rule == Rule::Never {
        assert!(renewed.is_empty());
    } else {
        assert!(renewed.len() >= 2, "{name}: phi was reinitialized {} times", renewed.len());
    }
    assert!(run.phi().iter().any(|&x| x < 0.0), "{name}: the interface has vanished");
    // The run is resumed just before, just after, and one step after each of the first three
    // reinitializations. It is also resumed at a few other steps, including the first and the last.
    let mut moments = vec![0, 1, STEPS / 2, STEPS - 1];
    for &k in renewed.iter().take(3) {
        moments.extend([k, k + 1, k + 2]);
    }
    moments.retain(|&k| k < STEPS);
    for k in moments {
        let snapshot = &kept[k];
        let mut again = Evolution::<R>::resume(
            two.clone(),
            mesh,
            patches.clone(),
            terms,
            options.clone(),
            snapshot,
        )
        .unwrap();
        assert!(again.snapshot() == *snapshot, "{name}, step {k}");
        for (j, expected) in steps.iter().enumerate().skip(k) {
            assert!(seen(&mut again) == *expected, "{name}: step {j} after resuming at {k}");
        }
        assert!(timeless(again.snapshot()) == timeless(run.snapshot()), "{name}, from {k}");
    }
}

#[test]
fn a_resumed_evolution_has_the_bits_of_an_uninterrupted_one() {
    for (name, mesh, edge) in meshes() {
        let band = Options::new(Some(3.0 * edge));
        for (what, options) in [
            ("band", band.clone()),
            ("band, every 7", band.with_rule(Rule::Every(7))),
            ("whole", Options::new(None)),
            ("whole, every 7", Options::new(None).with_rule(Rule::Every(7))),
        ] {
            let terms = terms(&mesh);
            let name = format!("{name}, {what}");
            resumed_is_uninterrupted::<f64>(&format!("{name}, f64"), &mesh, &terms, &options);
            resumed_is_uninterrupted::<f32>(&format!("{name}, f32"), &mesh, &terms, &options);
        }
    }
}

#[test]
fn terms_that_vary_and_implicit_steps_are_resumed_too() {
    for (name, mesh, edge) in meshes() {
        let band = Options::new(Some(3.0 * edge)).with_rule(Rule::Every(7));
        let implicit = band.clone().with_curvature_step(CurvatureStep::Implicit);
        let extrapolated = band.clone().with_curvature_step(CurvatureStep::Extrapolated);
        let name = |what: &str| format!("{name}, {what}");
        resumed_is_uninterrupted::<f64>(&name("extrapolated"), &mesh, &terms(&mesh), &extrapolated);
        resumed_is_uninterrupted::<f64>(&name("varying"), &mesh, &varying(&mesh), &band);
        resumed_is_uninterrupted::<f64>(&name("implicit"), &mesh, &terms(&mesh), &implicit);
        resumed_is_uninterrupted::<f32>(&name("both"), &mesh, &varying(&mesh), &implicit);
    }
}

#[test]
fn a_snapshot_that_does_not_fit_is_refused() {
    let (_, mesh, edge) = meshes().remove(0);
    let patches = Arc::new(Patches::new(&mesh, Partition::Metis, 32).unwrap());
    let cpu = Arc::new(Cpu::new(1).unwrap());
    let (terms, options) = (terms(&mesh), Options::new(Some(3.0 * edge)));
    let start = phi(&mesh);
    let run =
        Evolution::<f64>::new(cpu.clone(), &mesh, patches.clone(), &start, &terms, options.clone());
    let good = run.unwrap().snapshot();
    let refused = |snapshot: &Snapshot, message: &str| {
        let (patches, options) = (patches.clone(), options.clone());
        let again =
            Evolution::<f64>::resume(cpu.clone(), &mesh, patches, &terms, options, snapshot);
        let error = again.err().expect(message).to_string();
        assert!(error.contains(message), "{error}");
    };
    let mut other = good.clone();
    other.precision_bits = 32;
    refused(&other, "has 32-bit numbers, but the run uses 64 bits");
    let mut other = good.clone();
    other.phi.pop();
    refused(&other, "phi of the state to resume has 440 rows, the mesh has 441 vertices");
    let mut other = good.clone();
    other.in_band.push(true);
    refused(&other, "the band of the state to resume has 442 rows");
    let mut other = good;
    other.phi[7] = f64::NAN;
    refused(&other, "phi of the state to resume contains NaN");
}
