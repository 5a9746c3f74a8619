//! Steps on tiles: tile sets and values of the CPU, bit by bit in f64 and within the tolerance of V43 in
//! f32; growth; the same bits twice.

use std::collections::HashMap;
use std::sync::Arc;

use zeroset::backend::Cpu;
use zeroset::backend::cuda::{Cuda, Element};
use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use zeroset::levelset::evolution::Stretch;
use zeroset::levelset::tiled::cuda::{DeviceCoefficient, DeviceTerms, DeviceTiledEvolution};
use zeroset::levelset::tiled::{
    Coefficient, Options, Reinitialize, Scheme, Terms, TiledEvolution, Time, Wide,
};

use crate::support;

const VELOCITY: [f64; 3] = [0.7, -0.4, 0.2];

/// Two balls that merge.
fn two(x: [f64; 3]) -> f64 {
    let ball = |c: [f64; 3], r: f64| (0..3).map(|k| (x[k] - c[k]).powi(2)).sum::<f64>().sqrt() - r;
    ball([16.3, 1.1, -0.4], 15.1).min(ball([-16.8, 0.3, 2.9], 16.8))
}

fn tiles<R: Real, const E: usize, S: Stored<R>>(options: &Options) -> (TiledGrid<E>, Pool<S, E>) {
    let band = Band { gamma: R::narrow(options.gamma), reach: options.reach() };
    let most = 48 / E as i32;
    TiledGrid::from_box([-most; 3], [most; 3], band, |first: [i32; 3], out: &mut [R]| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            *value = R::narrow(two([0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32))));
        }
        Ok(())
    })
    .unwrap()
}

fn steps<R: Real, const E: usize, S: Stored<R> + Element>(
    run: &mut DeviceTiledEvolution<R, E, S>,
    n: u64,
) {
    let mut left = n;
    while left > 0 {
        let stretch = Stretch { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: left };
        let done = run.advance(&stretch).unwrap();
        assert!(done.steps > 0);
        left -= done.steps;
    }
    assert_eq!(run.n_steps(), n);
}

/// Steps of the card, with room for few tiles more than at the start, are those of the CPU.
fn check<R: Wide, const E: usize, S: Stored<R> + Element + PartialEq + std::fmt::Debug>(
    cuda: &Arc<Cuda>,
    options: Options,
    n: u64,
) {
    let (grid, phi) = tiles::<R, E, S>(&options);
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform(VELOCITY))
        .with_normal_speed(Coefficient::Uniform([0.3]))
        .with_curvature(Coefficient::Uniform([0.2]));
    let on_card = DeviceTerms::new([0.0; 3], 1.0)
        .with_velocity(DeviceCoefficient::Uniform(VELOCITY))
        .with_normal_speed(DeviceCoefficient::Uniform([0.3]))
        .with_curvature(DeviceCoefficient::Uniform([0.2]));
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut expected =
        TiledEvolution::<R, E, S>::new(grid.clone(), phi.clone(), &terms, options, cpu).unwrap();
    for _ in 0..n {
        expected.step(f64::INFINITY).unwrap();
    }
    let room = Some(grid.n_tiles() + 40);
    let run = || {
        let mut run =
            DeviceTiledEvolution::<R, E, S>::new(cuda, &grid, &phi, &on_card, options, room)
                .unwrap();
        steps(&mut run, n);
        run
    };
    let (first, again) = (run(), run());
    assert_eq!(first.time().to_bits(), expected.time().to_bits());
    let ((found, values), (twice, same)) = (first.download().unwrap(), again.download().unwrap());
    found.check().unwrap();
    assert!(found.n_tiles() > grid.n_tiles() + 40, "room must run out in between");
    assert!(twice.ids() == found.ids() && twice.keys() == found.keys());
    for &id in found.ids() {
        assert_eq!(values.tile(id), same.tile(id), "tile {id} twice");
    }
    if size_of::<R>() == 4 {
        return compare_near(&found, &values, &expected, R::narrow(options.gamma));
    }
    assert!(found.keys() == expected.grid().keys(), "tile sets differ");
    assert!(found.ids() == expected.grid().ids(), "ids differ");
    assert!(found.borders() == expected.grid().borders(), "borders differ");
    assert!(found.ages() == expected.grid().ages(), "ages differ");
    for &id in found.ids() {
        assert_eq!(values.tile(id), expected.phi().tile(id), "tile {id}");
    }
}

/// V43 in f32, where the card rounds in its own way: 1e-3 voxels in the half of the band next to the
/// interface. At the border of the band a tile may come a step earlier or later.
fn compare_near<R: Wide, const E: usize, S: Stored<R> + PartialEq>(
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
            let (a, b) = (a.load(gamma).widen(), b.load(gamma).widen());
            if a.abs() < 0.5 * gamma.widen() {
                largest = largest.max((a - b).abs());
            }
        }
    }
    assert!(largest < 1e-3, "{largest} voxels");
    let apart = grid.n_tiles().max(found.n_tiles()) - alike;
    assert!(apart * 200 < grid.n_tiles(), "{apart} of {} tiles differ", grid.n_tiles());
}

fn weno() -> Options {
    Options::new(3.0)
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
fn expressions_move_as_functions_of_the_cpu_do_and_steps_land_on_time() {
    let Some(cuda) = support::cuda() else { return };
    let options = weno();
    let (grid, phi) = tiles::<f64, 4, f64>(&options);
    let field = |text: &str| {
        let expression: Expression = text.parse().unwrap();
        Field::bind(&expression, |name| panic!("{name}")).unwrap()
    };
    // Polynomials: no function that a card rounds in its own way.
    let texts = ["1 + 0.01*y", "0.5 - t*0.1", "0.02*x"];
    let fields = texts.map(field);
    let on_card =
        DeviceTerms::new([0.0; 3], 1.0).with_velocity(DeviceCoefficient::Fields(Box::new(fields)));
    let terms = Terms::default().with_velocity(Coefficient::of_voxel(|voxel, t| {
        let [x, y, _] = voxel.map(f64::from);
        [1.0 + 0.01 * y, 0.5 - t * 0.1, 0.02 * x]
    }));
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mut expected =
        TiledEvolution::<f64, 4>::new(grid.clone(), phi.clone(), &terms, options, cpu).unwrap();
    let mut run =
        DeviceTiledEvolution::<f64, 4>::new(&cuda, &grid, &phi, &on_card, options, None).unwrap();
    let end = 5.3;
    while expected.time() < end {
        if expected.step(end - expected.time()).unwrap().dt < 1e-12 {
            break;
        }
    }
    let stretch = Stretch { clock: 0.0, target: end, steady: -1.0, steps: 1000 };
    let mut clock = 0.0;
    while clock < end {
        clock = run.advance(&Stretch { clock, ..stretch }).unwrap().clock;
    }
    assert_eq!(clock, end);
    let (found, values) = run.download().unwrap();
    assert!(found.keys() == expected.grid().keys(), "tile sets differ");
    for &id in found.ids() {
        let mut pairs = values.tile(id).iter().zip(expected.phi().tile(id));
        assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-10), "tile {id}");
    }
}
