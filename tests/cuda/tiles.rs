//! Tests steps on tiles. Tile sets and values are bitwise identical to those computed on the CPU in
//! f64, and agree within the tolerance of V43 (docs/verification-cuda.md) in f32. Storage grows as
//! needed, and repeated runs are bitwise identical.

use std::collections::HashMap;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::gpu::{Cuda, Element};
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use zeroset::levelset::evolution::StepTarget;
use zeroset::levelset::tiled::cuda::{DeviceCoefficient, DeviceTerms, DeviceTiledEvolution};
use zeroset::levelset::tiled::{
    Cause, Coefficient, Options, Reinitialize, SavedNumber, Scheme, Terms, TiledEvolution, Time,
    What, Wide,
};

use crate::support;
use crate::tiles_surface::look;

const VELOCITY: [f64; 3] = [0.7, -0.4, 0.2];

/// Returns phi of two balls that merge.
pub fn two(x: [f64; 3]) -> f64 {
    let ball = |c: [f64; 3], r: f64| (0..3).map(|k| (x[k] - c[k]).powi(2)).sum::<f64>().sqrt() - r;
    ball([16.3, 1.1, -0.4], 15.1).min(ball([-16.8, 0.3, 2.9], 16.8))
}

/// Returns phi of a ball on a few tiles, for tools that slow a GPU down by a factor of a hundred.
pub fn small(x: [f64; 3]) -> f64 {
    (0..3).map(|k| (x[k] - 0.3).powi(2)).sum::<f64>().sqrt() - 5.2
}

fn tiles<R: Real, const E: usize, S: Stored<R>>(options: &Options) -> (TiledGrid<E>, Pool<S, E>) {
    tiles_of(options, two)
}

pub fn tiles_of<R: Real, const E: usize, S: Stored<R>>(
    options: &Options,
    distance: fn([f64; 3]) -> f64,
) -> (TiledGrid<E>, Pool<S, E>) {
    let band = Band { gamma: R::of(options.gamma), reach: options.reach() };
    let most = 48 / E as i32;
    TiledGrid::from_box([-most; 3], [most; 3], band, |first: [i32; 3], out: &mut [R]| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            *value = R::of(distance([0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32))));
        }
        Ok(())
    })
    .unwrap()
}

/// Advances to step `n`.
pub fn steps<R: Real, const E: usize, S: Stored<R> + Element>(
    run: &mut DeviceTiledEvolution<R, E, S>,
    n: u64,
) {
    while run.n_steps() < n {
        let left = n - run.n_steps();
        let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: left };
        let done = run.advance(&until).unwrap();
        assert!(done.steps > 0);
    }
    assert_eq!(run.n_steps(), n);
}

/// Compares steps on the GPU with steps on the CPU. At the start, there is room for only a few
/// additional tiles, so the storage must grow.
fn check<R: Wide, const E: usize, S: Stored<R> + Element + PartialEq + std::fmt::Debug>(
    cuda: &Arc<Cuda>,
    options: Options,
    n: u64,
) {
    let start = tiles::<R, E, S>(&options);
    let (first, found) = check_from(cuda, options, n, start, 40);
    assert!(found > first + 40, "the initial room must be used up during the steps");
}

/// Compares steps from given tiles, with room for `more` additional tiles. Returns the numbers of
/// tiles before and after the steps.
fn check_from<R: Wide, const E: usize, S: Stored<R> + Element + PartialEq + std::fmt::Debug>(
    cuda: &Arc<Cuda>,
    options: Options,
    n: u64,
    (grid, phi): (TiledGrid<E>, Pool<S, E>),
    more: usize,
) -> (usize, usize) {
    let counts = |found: &TiledGrid<E>| (grid.n_tiles(), found.n_tiles());
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform(VELOCITY))
        .with_normal_speed(Coefficient::Uniform([0.3]))
        .with_curvature(Coefficient::Uniform([0.2]));
    let on_gpu = DeviceTerms::new([0.0; 3], 1.0)
        .with_velocity(DeviceCoefficient::Uniform(VELOCITY))
        .with_normal_speed(DeviceCoefficient::Uniform([0.3]))
        .with_curvature(DeviceCoefficient::Uniform([0.2]));
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut expected =
        TiledEvolution::<R, E, S>::new(grid.clone(), phi.clone(), &terms, options, cpu).unwrap();
    for _ in 0..n {
        expected.step(f64::INFINITY).unwrap();
    }
    let room = Some(grid.n_tiles() + more);
    let run = |looks: bool| {
        let mut run =
            DeviceTiledEvolution::<R, E, S>::new(cuda, &grid, &phi, &on_gpu, options, room)
                .unwrap();
        if looks {
            steps(&mut run, n / 2);
            look(cuda, &run);
        }
        steps(&mut run, n);
        run
    };
    let (first, again) = (run(false), run(true));
    look(cuda, &first);
    assert_eq!(first.time().to_bits(), expected.time().to_bits());
    let ((found, values), (twice, same)) = (first.download().unwrap(), again.download().unwrap());
    found.check().unwrap();
    assert!(twice.ids() == found.ids() && twice.keys() == found.keys());
    for &id in found.ids() {
        assert_eq!(values.tile(id), same.tile(id), "tile {id} of the second run");
    }
    if size_of::<R>() == 4 {
        compare_near(&found, &values, &expected, R::of(options.gamma));
        return counts(&found);
    }
    assert!(found.keys() == expected.grid().keys(), "tile sets differ");
    assert!(found.ids() == expected.grid().ids(), "ids differ");
    assert!(found.borders() == expected.grid().borders(), "borders differ");
    assert!(found.ages() == expected.grid().ages(), "ages differ");
    for &id in found.ids() {
        assert_eq!(values.tile(id), expected.phi().tile(id), "tile {id}");
    }
    counts(&found)
}

/// Compares results in f32 with the tolerance of V43: in the half of the band next to the
/// interface, values may differ by up to 1e-3 voxels because the GPU rounds differently.
///
/// The tile set changes before a step that needs a missing tile. Because of rounding, this may be
/// one step earlier or later on the GPU. Until the next change, the tiles at the edge of the band
/// differ.
pub fn compare_near<R: Wide, const E: usize, S: Stored<R> + PartialEq>(
    found: &TiledGrid<E>,
    values: &Pool<S, E>,
    expected: &TiledEvolution<R, E, S>,
    gamma: R,
) {
    let grid = expected.grid();
    let ids: HashMap<_, _> = found.keys().iter().zip(found.ids()).collect();
    let (mut alike, mut largest) = (0, 0.0f64);
    for (key, &id) in grid.keys().iter().zip(grid.ids()) {
        let Some(&&other) = ids.get(key) else { continue };
        alike += 1;
        for (a, b) in expected.phi().tile(id).iter().zip(values.tile(other)) {
            let (a, b) = (a.load(gamma).to_f64(), b.load(gamma).to_f64());
            if a.abs() < 0.5 * gamma.to_f64() {
                largest = largest.max((a - b).abs());
            }
        }
    }
    assert!(largest < 1e-3, "{largest} voxels");
    let apart = grid.n_tiles().max(found.n_tiles()) - alike;
    assert!(apart * 20 < grid.n_tiles(), "{apart} of {} tiles differ", grid.n_tiles());
}

fn weno() -> Options {
    Options::new(3.0)
}

/// Takes a few steps on a few tiles with every scheme. This is fast enough for `compute-sanitizer`.
fn short<R: Wide, const E: usize, S: Stored<R> + Element + PartialEq + std::fmt::Debug>(
    options: Options,
) {
    let Some(cuda) = support::cuda() else { return };
    check_from(&cuda, options, 5, tiles_of::<R, E, S>(&options, small), 2);
}

#[test]
fn short_first_order() {
    let options = Options::new(1.5).first_order();
    short::<f32, 4, f32>(options);
    short::<f32, 8, Fixed16>(options.with_reinitialize(Reinitialize::Rescaling { factor: 0.25 }));
}

#[test]
fn short_weno() {
    short::<f32, 4, f32>(weno());
    short::<f64, 8, f64>(weno());
}

#[test]
fn short_reinitialization() {
    let equation = Reinitialize::Equation { iterations: 2, every: 2 };
    short::<f32, 4, f32>(weno().with_reinitialize(equation));
    short::<f32, 4, f32>(Options::new(1.5).first_order().with_reinitialize(equation));
    short::<f32, 8, f32>(weno().with_reinitialize(Reinitialize::Direct { every: 2 }));
    short::<f64, 4, f64>(weno().with_reinitialize(Reinitialize::Direct { every: 2 }));
}

#[test]
fn first_order_steps_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let options = Options::new(1.5).first_order();
    check::<f64, 4, f64>(&cuda, options, 60);
    check::<f64, 8, f64>(&cuda, options, 60);
    check::<f32, 4, f32>(&cuda, options, 60);
    check::<f32, 4, Fixed16>(&cuda, options, 60);
    let rescaled = options.with_reinitialize(Reinitialize::Rescaling { factor: 0.25 });
    check::<f32, 8, f32>(&cuda, rescaled, 60);
}

#[test]
fn weno_steps_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    check::<f64, 4, f64>(&cuda, weno(), 40);
    check::<f64, 8, f64>(&cuda, weno(), 40);
    check::<f32, 4, f32>(&cuda, weno(), 40);
    check::<f32, 4, Fixed16>(&cuda, weno(), 40);
    check::<f32, 8, f32>(&cuda, weno().with_scheme(Scheme::FirstOrder).with_time(Time::Rk3), 40);
}

#[test]
fn reinitialization_is_that_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let equation = |iterations, every| Reinitialize::Equation { iterations, every };
    check::<f64, 4, f64>(&cuda, weno().with_reinitialize(equation(1, 5)), 42);
    check::<f32, 4, f32>(&cuda, weno().with_reinitialize(equation(3, 1)), 40);
    check::<f64, 4, f64>(&cuda, weno().with_reinitialize(Reinitialize::Direct { every: 4 }), 40);
    check::<f32, 8, f32>(&cuda, weno().with_reinitialize(Reinitialize::Direct { every: 1 }), 40);
}

#[test]
fn short_expressions() {
    let Some(cuda) = support::cuda() else { return };
    // With WENO5, the racecheck tool of the sanitizer needs more than 125 GiB of host memory.
    moved_by_expressions(&cuda, Options::new(1.5).first_order(), small, 0.5);
}

#[test]
fn expressions_move_as_functions_of_the_cpu_do_and_steps_land_on_time() {
    let Some(cuda) = support::cuda() else { return };
    moved_by_expressions(&cuda, weno(), two, 5.3);
}

fn moved_by_expressions(cuda: &Arc<Cuda>, options: Options, start: fn([f64; 3]) -> f64, end: f64) {
    let (grid, phi) = tiles_of::<f64, 4, f64>(&options, start);
    // These expressions contain no function that a GPU rounds differently.
    let texts = ["1 + 0.01*y", "0.5 - t*0.1", "if(isnan(x + 0/0), 0.02*x, 9)"];
    let on_gpu = DeviceTerms::new([0.0; 3], 1.0).with_velocity(fields(texts));
    let terms = Terms::default().with_velocity(Coefficient::of_voxel(|voxel, t| {
        let [x, y, _] = voxel.map(f64::from);
        [1.0 + 0.01 * y, 0.5 - t * 0.1, 0.02 * x]
    }));
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut expected =
        TiledEvolution::<f64, 4>::new(grid.clone(), phi.clone(), &terms, options, cpu).unwrap();
    let mut run =
        DeviceTiledEvolution::<f64, 4>::new(cuda, &grid, &phi, &on_gpu, options, None).unwrap();
    while expected.time() < end {
        if expected.step(end - expected.time()).unwrap().dt < 1e-12 {
            break;
        }
    }
    let until = StepTarget { clock: 0.0, target: end, steady: -1.0, steps: 1000 };
    let mut clock = 0.0;
    while clock < end {
        clock = run.advance(&StepTarget { clock, ..until }).unwrap().clock;
    }
    assert_eq!(clock, end);
    let (found, values) = run.download().unwrap();
    assert!(found.keys() == expected.grid().keys(), "tile sets differ");
    for &id in found.ids() {
        let mut pairs = values.tile(id).iter().zip(expected.phi().tile(id));
        assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-10), "tile {id}");
    }
}

/// An evolution that is saved and resumed is bitwise identical to an uninterrupted one.
#[test]
fn a_resumed_motion_has_the_same_bits() {
    let Some(cuda) = support::cuda() else { return };
    resumed::<f64, 4, f64>(&cuda);
    resumed::<f32, 8, f32>(&cuda);
    resumed::<f32, 4, Fixed16>(&cuda);
}

fn resumed<R: Wide, const E: usize, S: Stored<R> + SavedNumber>(cuda: &Arc<Cuda>) {
    let options = weno().with_reinitialize(Reinitialize::Equation { iterations: 1, every: 3 });
    let (grid, phi) = tiles::<R, E, S>(&options);
    let terms = DeviceTerms::new([0.0; 3], 1.0)
        .with_velocity(DeviceCoefficient::Uniform(VELOCITY))
        .with_curvature(fields(["0.2 + 0.1*t"]));
    let start =
        || DeviceTiledEvolution::<R, E, S>::new(cuda, &grid, &phi, &terms, options, None).unwrap();
    let (mut whole, mut first) = (start(), start());
    steps(&mut whole, 25);
    steps(&mut first, 11);
    let snapshot = first.snapshot().unwrap();
    let mut rest =
        DeviceTiledEvolution::<R, E, S>::resume(cuda, snapshot.clone(), &terms, options).unwrap();
    let again = rest.snapshot().unwrap();
    assert_eq!((again.tiles, again.phi), (snapshot.tiles, snapshot.phi));
    assert_eq!((again.time.to_bits(), again.steps), (snapshot.time.to_bits(), 11));
    steps(&mut rest, 25);
    let (a, b) = (whole.snapshot().unwrap(), rest.snapshot().unwrap());
    assert_eq!((a.time.to_bits(), a.steps), (b.time.to_bits(), b.steps));
    assert!(a.tiles == b.tiles && a.phi == b.phi, "bits differ");
}

fn fields<const K: usize>(texts: [&str; K]) -> DeviceCoefficient<K> {
    DeviceCoefficient::Fields(Box::new(texts.map(|text| {
        let expression: Expression = text.parse().unwrap();
        Field::bind(&expression, |name| panic!("{name}")).unwrap()
    })))
}

/// A step that would end just before an event is extended to the event.
#[test]
fn due_times_cost_no_step() {
    let Some(cuda) = support::cuda() else { return };
    let options = weno();
    let (grid, phi) = tiles::<f64, 8, f64>(&options);
    let terms =
        DeviceTerms::new([0.0; 3], 1.0).with_velocity(DeviceCoefficient::Uniform([10.0, 0.0, 0.0]));
    let mut run =
        DeviceTiledEvolution::<f64, 8>::new(&cuda, &grid, &phi, &terms, options, None).unwrap();
    let mut clock = 0.0;
    for target in [15.0, 30.0, 45.0] {
        while clock < target {
            let until = StepTarget { clock, target, steady: -1.0, steps: 10_000 };
            clock = run.advance(&until).unwrap().clock;
        }
    }
    assert_eq!((run.n_steps(), clock), (900, 45.0));
}

/// A breakdown is reported with its first voxel and its cause, and phi keeps the values from before
/// the step.
#[test]
fn a_breakdown_is_found_with_its_voxel() {
    let Some(cuda) = support::cuda() else { return };
    let options = weno();
    let (grid, phi) = tiles::<f32, 4, f32>(&options);
    let on_gpu = DeviceTerms::new([0.0; 3], 1.0)
        .with_normal_speed(fields(["1 + if(t > 1, sqrt(20 - x), 0)"]));
    let terms = Terms::default().with_normal_speed(Coefficient::of_voxel(|voxel, t| {
        [1.0 + if t > 1.0 { (20.0 - f64::from(voxel[0])).sqrt() } else { 0.0 }]
    }));
    let mut run =
        DeviceTiledEvolution::<f32, 4>::new(&cuda, &grid, &phi, &on_gpu, options, None).unwrap();
    let until = StepTarget { clock: 0.0, target: 5.0, steady: -1.0, steps: 1000 };
    let mut clock = 0.0;
    let error = loop {
        match run.advance(&StepTarget { clock, ..until }) {
            Ok(done) => clock = done.clock,
            Err(error) => break error,
        }
    };
    assert_eq!(error.exit_code(), 4, "{error}");
    assert!(clock < 1.0 && run.n_steps() > 0 && clock == run.time());
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let found = run.breakdown(&terms, cpu, 5.0 - clock).unwrap().unwrap();
    assert!(matches!(found.what, What::Coefficient("normal_speed", value) if value.is_nan()));
    assert!(found.voxel[0] > 20 && found.cause == Cause::Expression, "{found:?}");
    assert_eq!(found.step, run.n_steps() + 1);
    // The state is that of the last successful step.
    let (found, values) = run.download().unwrap();
    assert!(found.ids().iter().all(|&id| values.tile(id).iter().all(|v| v.abs() <= 3.0)));
}

/// If the GPU cannot hold all tiles, the error states the required and the available memory.
#[test]
fn what_is_larger_than_the_gpu_is_refused() {
    let Some(cuda) = support::cuda() else { return };
    let options = weno();
    let (grid, phi) = tiles::<f32, 8, f32>(&options);
    let terms = DeviceTerms::new([0.0; 3], 1.0).with_velocity(DeviceCoefficient::Uniform(VELOCITY));
    let room = Some(1 << 30);
    let Err(error) = DeviceTiledEvolution::<f32, 8>::new(&cuda, &grid, &phi, &terms, options, room)
    else {
        panic!("6 TB fit");
    };
    assert_eq!(error.exit_code(), 5, "{error}");
    let said = error.to_string();
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(said.contains("no memory on the GPU for 1073741824 tiles: "), "{said}");
    let [tiles, needed, free] = numbers[..] else { panic!("{said}") };
    assert!(tiles == (1u64 << 30) as f64 && needed > 4096.0 && free < 1024.0, "{said}");
}
