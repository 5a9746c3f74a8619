//! Tests evolutions on sparse tiles: they are bitwise identical to the dense grid with any number
//! of threads, and invalid input is refused.

// The verification cases also use other parts of this module.
#[allow(dead_code)]
#[path = "support/dense.rs"]
mod dense;

use std::sync::Arc;

use dense::{DenseEvolution, DenseGrid};
use zeroset::Cpu;
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use zeroset::levelset::tiled::{Coefficient, Options, Reinitialize, Terms, TiledEvolution, Wide};

type Function = fn([f64; 3]) -> f64;

fn threads(n: usize) -> Arc<Cpu> {
    Arc::new(Cpu::new(n).unwrap())
}

fn norm(x: [f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns phi of a ball that is not centered in its box, which has 64 voxels along each axis.
fn ball([x, y, z]: [f64; 3]) -> f64 {
    norm([x - 25.3, y - 27.1, z - 24.6]) - 12.4
}

/// Returns an evolution on sparse tiles, which are selected from a box of voxels with the values of
/// `f`.
fn tiles<R: Wide, const E: usize, S: Stored<R>>(
    most: i32,
    f: Function,
    terms: &Terms<R>,
    options: Options,
    cpu: Arc<Cpu>,
) -> TiledEvolution<R, E, S> {
    let band = Band { gamma: R::of(options.gamma), reach: options.reach() };
    let last = (most - 1).div_euclid(E as i32);
    let (grid, phi) = TiledGrid::<E>::from_box::<R, S>([0; 3], [last; 3], band, |first, out| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            let x = [0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32));
            *value = R::of(f(x).clamp(-options.gamma, options.gamma));
        }
        Ok(())
    })
    .unwrap();
    TiledEvolution::new(grid, phi, terms, options, cpu).unwrap()
}

fn dense<R: Wide, const E: usize>(
    most: usize,
    f: Function,
    terms: &Terms<R>,
    options: Options,
) -> DenseEvolution<R, E> {
    let grid = DenseGrid::new([most; 3]).unwrap();
    let at = |n: usize| [n % most, n / most % most, n / (most * most)].map(|c| c as f64);
    let phi: Vec<R> = (0..most.pow(3)).map(|n| R::of(f(at(n)))).collect();
    DenseEvolution::new(grid, &phi, terms, options, threads(0)).unwrap()
}

/// Asserts that the values of all tiles are those of the dense grid. All other values of the dense
/// grid, and all values of tiles outside the box, must be gamma or -gamma.
fn assert_same<const E: usize>(
    sparse: &TiledEvolution<f64, E>,
    dense: &DenseEvolution<f64, E>,
    most: usize,
    gamma: f64,
) {
    let phi = dense.phi();
    let mut left = phi.clone();
    for (key, id) in sparse.grid().keys().iter().zip(sparse.grid().ids()) {
        let first = key.first_voxel(E);
        for (n, value) in sparse.phi().tile(*id).iter().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            let voxel = [0, 1, 2].map(|k| (first[k] + place[k] as i32) as usize);
            if voxel.iter().all(|&c| c < most) {
                let at = (voxel[2] * most + voxel[1]) * most + voxel[0];
                assert_eq!(value.to_bits(), phi[at].to_bits(), "voxel {voxel:?}");
                left[at] = gamma;
            } else {
                assert_eq!(value.abs(), gamma, "voxel {voxel:?}");
            }
        }
    }
    assert!(left.iter().all(|v| v.abs() == gamma));
}

/// Compares sparse tiles with the dense grid over 50 steps of a moving ball (V50).
fn sparse_is_dense<const E: usize>(options: Options, curved: bool) {
    let most = 64;
    let wind = Coefficient::of_voxel(|[x, y, z], t| {
        let [x, y, z] = [x, y, z].map(f64::from);
        [1.0 + 0.2 * (0.1 * y).sin(), 0.6 * (0.07 * z + t).cos(), 0.3 + 0.01 * x]
    });
    let mut terms = Terms::default().with_velocity(wind);
    if curved {
        terms = terms
            .with_curvature(Coefficient::Uniform([0.2]))
            .with_normal_speed(Coefficient::Uniform([0.1]));
    }
    let mut sparse = tiles::<f64, E, f64>(most, ball, &terms, options, threads(2));
    let mut held = dense::<f64, E>(most as usize, ball, &terms, options).held();
    let before = sparse.grid().n_tiles();
    let (mut blocks, mut center) = (0, 0.0);
    for _ in 0..50 {
        let (a, b) = (sparse.step(1.0).unwrap(), held.step(1.0).unwrap());
        assert_eq!((a.dt, a.blocks, a.active_voxels), (b.dt, b.blocks, b.active_voxels));
        blocks = a.blocks;
        center = a.time;
    }
    assert!(before > 0 && blocks > 0 && center > 5.0, "{before} {blocks} {center}");
    assert_same(&sparse, &held, most as usize, options.gamma);
    // Setting the other blocks to gamma or -gamma hardly changes the motion.
    let mut free = dense::<f64, E>(most as usize, ball, &terms, options);
    for _ in 0..50 {
        free.step(1.0).unwrap();
    }
    let near = |a: &f64, b: &f64| if a.abs() < 1.0 { (a - b).abs() } else { 0.0 };
    let (held, free) = (held.phi(), free.phi());
    let largest = held.iter().zip(&free).map(|(a, b)| near(a, b)).fold(0.0, f64::max);
    println!("difference from a run without tiles: {largest:e}");
    assert!(largest < 1e-4, "{largest}");
}

#[test]
fn v50_sparse_is_dense_weno() {
    sparse_is_dense::<8>(Options::new(3.0), false);
}

#[test]
fn v50_sparse_is_dense_first_order() {
    sparse_is_dense::<4>(Options::new(1.5).first_order(), true);
}

#[test]
fn v50_sparse_is_dense_reinitialized() {
    let equation = Reinitialize::Equation { iterations: 3, every: 2 };
    sparse_is_dense::<4>(Options::new(3.0).with_reinitialize(equation), true);
    let direct = Reinitialize::Direct { every: 5 };
    sparse_is_dense::<8>(Options::new(3.0).with_reinitialize(direct), false);
}

#[test]
fn bits_do_not_depend_on_threads() {
    let terms = Terms::default().with_velocity(Coefficient::Uniform([0.7, -0.4, 0.2]));
    let options = Options::new(3.0).with_reinitialize(Reinitialize::Direct { every: 3 });
    let run = |n| {
        let mut run = tiles::<f32, 8, f32>(56, ball, &terms, options, threads(n));
        for _ in 0..10 {
            run.step(f64::INFINITY).unwrap();
        }
        let ids = run.grid().ids().to_vec();
        let values = ids.iter().flat_map(|id| run.phi().tile(*id).to_vec());
        (run.grid().keys().to_vec(), values.map(f32::to_bits).collect::<Vec<_>>())
    };
    let one = run(1);
    assert!(one.0.len() > 20);
    for n in [2, 3] {
        assert!(run(n) == one, "{n} threads");
    }
}

#[test]
fn a_run_goes_on_to_the_same_bits() {
    let wind = Coefficient::of_voxel(|[x, ..], t| [0.5 + 0.01 * f64::from(x), t.sin(), 0.1]);
    let terms = Terms::default().with_velocity(wind);
    let equation = Reinitialize::Equation { iterations: 1, every: 4 };
    let options = Options::new(3.0).with_reinitialize(equation);
    let mut whole = tiles::<f64, 4, f64>(56, ball, &terms, options, threads(0));
    for _ in 0..6 {
        whole.step(1.0).unwrap();
    }
    let (grid, phi) = (whole.grid().clone(), whole.phi().clone());
    let mut rest: TiledEvolution<f64, 4> =
        TiledEvolution::new(grid, phi, &terms, options, threads(1)).unwrap();
    rest = rest.starting_at(whole.time(), whole.steps());
    for _ in 0..6 {
        whole.step(1.0).unwrap();
        rest.step(1.0).unwrap();
    }
    assert_eq!((whole.steps(), whole.time()), (rest.steps(), rest.time()));
    assert_eq!(whole.grid().keys(), rest.grid().keys());
    for (a, b) in whole.grid().ids().iter().zip(rest.grid().ids()) {
        assert!(whole.phi().tile(*a) == rest.phi().tile(*b));
    }
}

#[test]
fn sixteen_bits_follow_at_the_error_of_their_storage() {
    let terms = Terms::default().with_velocity(Coefficient::Uniform([0.7, -0.4, 0.2]));
    let options = Options::new(3.0);
    let mut plain = tiles::<f32, 4, f32>(56, ball, &terms, options, threads(0));
    let mut packed = tiles::<f32, 4, Fixed16>(56, ball, &terms, options, threads(0));
    for _ in 0..10 {
        plain.step(1.0).unwrap();
        packed.step(1.0).unwrap();
    }
    let mut largest = 0f32;
    for (key, a) in plain.grid().keys().iter().zip(plain.grid().ids()) {
        let Some(b) = packed.grid().find(*key) else { continue };
        let b = packed.grid().ids()[b];
        for (a, b) in plain.phi().tile(*a).iter().zip(packed.phi().tile(b)) {
            let b: f32 = b.load(3.0);
            // In the rest of the band, the slopes consist only of rounding errors.
            if a.abs() < 2.0 {
                largest = largest.max((a - b).abs());
            }
        }
    }
    assert!(largest > 0.0 && largest < 30.0 * 3.0 / 65534.0, "{largest}");
    assert!(packed.bytes() < plain.bytes() * 6 / 10);
}

#[test]
fn an_interface_may_vanish() {
    let terms = Terms::<f64>::default().with_curvature(Coefficient::Uniform([1.0]));
    let mut run = tiles::<f64, 4, f64>(56, ball, &terms, Options::new(3.0), threads(0));
    while run.step(1.0).unwrap().has_interface && run.time() < 60.0 {}
    // R^2 = R0^2 - 4 t. The last few voxels vanish more slowly because the grid cannot resolve
    // their curvature.
    let exact = 12.4 * 12.4 / 4.0;
    assert!(run.time() > 0.95 * exact && run.time() < 1.25 * exact, "{}", run.time());
    assert!(!run.step(1.0).unwrap().has_interface);
}

#[test]
fn what_cannot_be_computed_is_refused() {
    let run = |terms: Terms<f64>| {
        let mut run = tiles::<f64, 4, f64>(56, ball, &terms, Options::new(3.0), threads(1));
        run.step(1.0).unwrap_err().to_string()
    };
    let nan = Coefficient::of_voxel(|[x, _, _], _| [1.0 / f64::from(x - 25) * 0.0]);
    let message = run(Terms::default().with_normal_speed(nan));
    assert!(message.contains("evolve.normal_speed is NaN at voxel (25, "), "{message}");
    let message = run(Terms::default().with_curvature(Coefficient::Uniform([-1.0])));
    assert!(message.contains("evolve.curvature is -1 at voxel ("), "{message}");

    let refused = |options: Options| {
        let (grid, phi) = (TiledGrid::<4>::default(), Pool::<f64, 4>::new());
        TiledEvolution::<f64, 4>::new(grid, phi, &Terms::default(), options, threads(1)).is_err()
    };
    assert!(!refused(Options::new(3.0)));
    for gamma in [f64::NAN, 0.5, 21.0, f64::INFINITY] {
        assert!(refused(Options::new(gamma)), "{gamma}");
    }
    for nu in [0.0, -1.0, 1.5, f64::NAN] {
        assert!(refused(Options::new(3.0).with_nu(nu)), "{nu}");
    }
    assert!(refused(Options::new(3.0).with_reinitialize(Reinitialize::Direct { every: 0 })));
    assert!(DenseGrid::<8>::new([4, 0, 4]).is_err());
}

/// Reinitializes `warped` on a dense grid. Returns the mean and the largest error where the exact
/// distance d satisfies |d| < 2.5.
fn reinitialized<const E: usize>(n: usize, warped: Function, exact: Function) -> (f64, f64) {
    let options = Options::new(3.0);
    let mut run = dense::<f64, E>(n, warped, &Terms::default(), options);
    run.reinitialize();
    let phi = run.phi();
    let at = |i: usize| [i % n, i / n % n, i / (n * n)].map(|c| c as f64);
    let errors = (0..phi.len()).map(|i| (exact(at(i)), phi[i])).filter(|(d, _)| d.abs() < 2.5);
    let errors: Vec<f64> = errors.map(|(d, phi)| (phi - d).abs()).collect();
    let largest = errors.iter().fold(0f64, |a, b| a.max(*b));
    (errors.iter().sum::<f64>() / errors.len() as f64, largest)
}

#[test]
fn direct_reinitialization_is_accurate() {
    let exact: Function = |x| norm([x[0] - 23.7, x[1] - 24.2, x[2] - 24.4]) - 17.3;
    let warped: Function = |x| {
        let d = norm([x[0] - 23.7, x[1] - 24.2, x[2] - 24.4]) - 17.3;
        d * (1.0 + 0.4 * (0.21 * x[0]).sin() * (0.17 * x[1]).cos())
    };
    for f in [exact, warped] {
        let (mean, largest) = reinitialized::<8>(48, f, exact);
        println!("reinitialized: mean {mean:.2e}, largest {largest:.2e}");
        assert!(mean < 2e-3 && largest < 0.05, "{mean} {largest}");
    }
}
