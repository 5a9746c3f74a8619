//! Arrival times with conduction tensors: exact solutions, orders, files and messages.

#[path = "support/jittered.rs"]
mod jittered;

use std::sync::Arc;

use zeroset::api::{
    Conduction, Directions, DistanceOptions, Distances, Fibers, ReadOptions, Values,
};
use zeroset::config::DeviceKind;
use zeroset::levelset::eikonal::{EikonalState, Metric, Slowness, solve};
use zeroset::mesh::clean;
use zeroset::mesh::generate::{Cube, Generate, Square, generate};
use zeroset::patches::{Coordinates, Partition, Patches};
use zeroset::{Cpu, Error, Mesh, Source, distance_with};

use jittered::{cube, square};

fn solved(mesh: &Mesh, from: [f64; 3], conduction: Conduction) -> Result<Distances, Error> {
    let mut options = DistanceOptions::default();
    options.conduction = Some(conduction);
    options.snap = true;
    distance_with(mesh, &[Source::Point(from)], &options)
}

fn fibers(along: f64, across: f64, direction: [f64; 3]) -> Conduction {
    Conduction::Fibers(Box::new(Fibers::new(along, across, Directions::Constant(direction))))
}

/// The mean error relative to the largest exact time, and the largest negative error: how early a
/// front arrives at most, relative to that time.
fn errors(mesh: &Mesh, found: &Distances, exact: impl Fn([f64; 3]) -> f64) -> (f64, f64) {
    let exact: Vec<f64> = mesh.stored().vertices.iter().map(|&x| exact(x)).collect();
    let largest = exact.iter().copied().fold(0.0, f64::max);
    let off = || found.values.iter().zip(&exact).map(|(u, exact)| u - exact);
    let mean = off().map(f64::abs).sum::<f64>() / exact.len() as f64;
    (mean / largest, -off().fold(0.0, f64::min) / largest)
}

/// The time of a straight step with speed `along` in a direction and `across` perpendicular to it.
fn straight(step: [f64; 3], along: f64, across: f64, direction: [f64; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let part = dot(step, direction).powi(2) / dot(direction, direction);
    let rest = (dot(step, step) - part).max(0.0);
    (part / along.powi(2) + rest / across.powi(2)).sqrt()
}

/// Returns the observed orders between successive errors on meshes, each twice as fine as the one
/// before.
fn orders(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

#[test]
fn fronts_in_the_plane_are_ellipses() {
    let direction = [0.8, 0.6, 0.0];
    let found: Vec<(f64, f64)> = [16, 32, 64]
        .map(|n| {
            let mesh = square(n);
            let found = solved(&mesh, [0.0; 3], fibers(0.6, 0.2, direction)).unwrap();
            errors(&mesh, &found, |x| straight(x, 0.6, 0.2, direction))
        })
        .to_vec();
    assert!(found.iter().all(|(_, early)| *early < 1e-12), "{found:?}");
    let means: Vec<f64> = found.iter().map(|(mean, _)| *mean).collect();
    assert!(means[2] < 0.01, "{means:?}");
    assert!(orders(&means).iter().all(|order| *order > 0.9), "{means:?} {:?}", orders(&means));
}

#[test]
fn fronts_in_space_are_ellipsoids() {
    let direction = [0.5, 0.5, 0.7];
    let found: Vec<(f64, f64)> = [8, 16, 32]
        .map(|n| {
            let mesh = cube(n);
            let found = solved(&mesh, [0.0; 3], fibers(0.6, 0.2, direction)).unwrap();
            errors(&mesh, &found, |x| straight(x, 0.6, 0.2, direction))
        })
        .to_vec();
    assert!(found.iter().all(|(_, early)| *early < 1e-12), "{found:?}");
    let means: Vec<f64> = found.iter().map(|(mean, _)| *mean).collect();
    assert!(orders(&means).iter().all(|order| *order > 0.8), "{means:?} {:?}", orders(&means));
}

/// The map (x, y) -> (sinh(a x) / a, y + b x) turns the tensor below into a constant speed of 1, so
/// arrival times are distances between mapped points.
#[test]
fn a_pulled_back_tensor_gives_mapped_distances() {
    let (a, b) = (0.8, 0.5);
    let map = |x: [f64; 3]| [(a * x[0]).sinh() / a, x[1] + b * x[0]];
    let at = [-0.25, 0.5, 0.0];
    let exact = |x: [f64; 3]| {
        let ([p, q], [r, s]) = (map(x), map(at));
        (p - r).hypot(q - s)
    };
    let solve = |n: u32| {
        let mesh = square(n);
        let stored = mesh.stored();
        let tensors = stored.cells.chunks_exact(3).map(|cell| {
            let x = cell.iter().map(|&v| stored.vertices[v as usize][0]).sum::<f64>() / 3.0;
            // D is the inverse of J^T J with J = [[cosh(a x), 0], [b, 1]].
            let j = (a * x).cosh();
            [1.0 / (j * j), 1.0 + b * b / (j * j), 1.0, -b / (j * j), 0.0, 0.0]
        });
        let found = solved(&mesh, at, Conduction::Tensor(tensors.collect())).unwrap();
        errors(&mesh, &found, exact).0
    };
    let means = [16, 32, 64].map(solve);
    assert!(means[2] < 0.01, "{means:?}");
    assert!(orders(&means).iter().all(|order| *order > 0.8), "{means:?} {:?}", orders(&means));
}

/// With the fibers of an annulus around its center, the front is faster along an inner circle than
/// along the rim: at radius 1, from angle 0 to pi, 4.8982 instead of 5.2360.
#[test]
fn circular_fibers_draw_the_front_inward() {
    let (along, across) = (0.6, 0.24);
    let n = 240;
    // The ring between the radii 0.6 and 1, cut into triangles.
    let rings = 48_u32;
    let turns = 8 * n;
    let mut vertices = Vec::new();
    let mut cells = Vec::new();
    for i in 0..=rings {
        for k in 0..turns {
            let radius = 0.6 + 0.4 * f64::from(i) / f64::from(rings);
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(turns);
            vertices.push([radius * angle.cos(), radius * angle.sin(), 0.0]);
        }
    }
    for i in 0..rings {
        for k in 0..turns {
            let at = |i: u32, k: u32| i * turns + k % turns;
            cells.extend([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
            cells.extend([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
        }
    }
    let mesh = zeroset::mesh::Mesh::new(zeroset::mesh::Kind::Planar, vertices, cells);
    let mut options = ReadOptions::default();
    options.device.kind = DeviceKind::Cpu;
    let mesh = Mesh::with_options(mesh, &options).unwrap();
    let direction = Directions::Expressions(["-y".into(), "x".into(), "0".into()]);
    let conduction = Conduction::Fibers(Box::new(Fibers::new(along, across, direction)));
    let found = solved(&mesh, [1.0, 0.0, 0.0], conduction).unwrap();
    let opposite = (rings * turns + turns / 2) as usize;
    let time = found.values[opposite];
    assert!((time / 4.8982 - 1.0).abs() < 0.01, "{time}");
}

/// The mesh in mapped coordinates, with speed 1, gives the same numbers.
#[test]
fn the_mapped_mesh_gives_the_same_times() {
    let mesh = cube(10);
    let (along, across) = (0.9, 0.3);
    // With a tensor, a source of one point starts with times along straight segments in a ball. The
    // uniform speed of the mapped mesh has no such ball, so the source has two vertices.
    let from = [Source::Vertices(vec![0, 700])];
    let mut options = DistanceOptions::default();
    options.conduction = Some(fibers(along, across, [1.0, 0.0, 0.0]));
    let found = distance_with(&mesh, &from, &options).unwrap();
    let mut mapped = mesh.stored().clone();
    for x in &mut mapped.vertices {
        *x = [x[0] / along, x[1] / across, x[2] / across];
    }
    let mut on_cpu = ReadOptions::default();
    on_cpu.device.kind = DeviceKind::Cpu;
    let mapped = Mesh::with_options(mapped, &on_cpu).unwrap();
    let expected = distance_with(&mapped, &from, &DistanceOptions::default()).unwrap();
    for (a, b) in found.values.iter().zip(&expected.values) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
}

#[test]
fn sheets_have_a_speed_of_their_own() {
    let mesh = cube(16);
    let sheet = Directions::Constant([0.3, 1.0, 0.0]);
    let all = Fibers::new(0.6, 0.2, Directions::Constant([2.0, 0.0, 0.0])).sheets(0.4, sheet);
    let found = solved(&mesh, [0.0; 3], Conduction::Fibers(Box::new(all))).unwrap();
    let exact = |x: [f64; 3]| (x[0] / 0.6).hypot(x[1] / 0.4).hypot(x[2] / 0.2);
    let (mean, early) = errors(&mesh, &found, exact);
    assert!(mean < 0.03 && early < 1e-12, "{mean} {early}");
    // Other directions in the sheets would give other times.
    let (other, _) = errors(&mesh, &found, |x| (x[0] / 0.6).hypot(x[1] / 0.2).hypot(x[2] / 0.4));
    assert!(other > 0.1, "{other}");
}

#[test]
fn equal_speeds_are_those_of_a_plain_speed() {
    let mesh = cube(8);
    let from = [Source::Vertices(vec![0, 5, 80])];
    let mut plain = DistanceOptions::default();
    plain.speed = Some(Values::Number(0.5));
    let plain = distance_with(&mesh, &from, &plain).unwrap();
    let mut options = DistanceOptions::default();
    options.conduction = Some(fibers(0.5, 0.5, [0.3, 0.2, 0.1]));
    let found = distance_with(&mesh, &from, &options).unwrap();
    for (a, b) in found.values.iter().zip(&plain.values) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn threads_change_no_bit() {
    let solve = |threads| {
        let mut options = ReadOptions::default();
        (options.device.kind, options.device.threads) = (DeviceKind::Cpu, threads);
        let mut cube = Cube::default();
        (cube.cells, cube.jitter) = ([12; 3], 0.15);
        let mesh = Mesh::with_options(generate(&Generate::Cube(cube)).unwrap(), &options).unwrap();
        let direction = Directions::Expressions(["cos(3*z)".into(), "sin(3*z)".into(), "0".into()]);
        let conduction = Conduction::Fibers(Box::new(Fibers::new(0.6, 0.1, direction)));
        solved(&mesh, [0.2, 0.3, 0.4], conduction).unwrap().values
    };
    let one: Vec<u64> = solve(1).into_iter().map(f64::to_bits).collect();
    for threads in [2, 3] {
        assert_eq!(one, solve(threads).into_iter().map(f64::to_bits).collect::<Vec<u64>>());
    }
}

#[test]
fn paths_follow_the_fast_direction() {
    let mesh = square(40);
    let mut options = DistanceOptions::default();
    options.conduction = Some(fibers(1.0, 0.3, [1.0, 0.2, 0.0]));
    options.paths_from = vec![Source::Point([0.7, -0.6, 0.0])];
    let found = distance_with(&mesh, &[Source::Point([-0.5, 0.4, 0.0])], &options).unwrap();
    // With a constant tensor, the fastest path is straight.
    let path = &found.paths[0];
    let length = 1.2_f64.hypot(1.0);
    assert_eq!(path.source, Some(0));
    assert!(path.length >= length - 1e-9 && path.length < 1.02 * length, "{}", path.length);
}

#[test]
fn large_ratios_are_solved_with_a_warning() {
    let mesh = cube(8);
    let found = solved(&mesh, [0.0; 3], fibers(1.0, 0.01, [1.0, 1.0, 0.2])).unwrap();
    assert!(found.values.iter().all(|u| u.is_finite()));
    assert!(found.warnings.iter().any(|w| w.contains("factor of more than 10")), "{found:?}");
    let calm = solved(&mesh, [0.0; 3], fibers(1.0, 0.2, [1.0, 1.0, 0.2])).unwrap();
    assert!(calm.warnings.iter().all(|w| !w.contains("factor")), "{:?}", calm.warnings);
}

#[test]
fn bad_input_is_named() {
    let mesh = cube(2);
    let n = mesh.n_cells();
    let refused = |conduction: Conduction, expected: &str| {
        let error = solved(&mesh, [0.0; 3], conduction).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}\nlacks {expected}");
    };
    let of = |cell: usize, tensor: [f64; 6]| {
        let mut all = vec![[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]; n];
        all[cell] = tensor;
        Conduction::Tensor(all)
    };
    refused(of(7, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), "cell 7 is not positive definite");
    refused(of(3, [1.0, -1.0, 1.0, 0.0, 0.0, 0.0]), "cell 3 is not positive definite");
    refused(of(5, [1.0, f64::NAN, 1.0, 0.0, 0.0, 0.0]), "cell 5");
    refused(of(5, [1.0, 1e-8, 1.0, 0.0, 0.0, 0.0]), "cell 5 differ by more than a factor of 1000");
    let mut directions = vec![[1.0, 0.0, 0.0]; n];
    directions[4] = [f64::NAN; 3];
    let nan = Fibers::new(1.0, 0.5, Directions::PerCell(directions.clone()));
    refused(Conduction::Fibers(Box::new(nan)), "cell 4");
    refused(fibers(0.0, 1.0, [1.0, 0.0, 0.0]), "distance.speed.along");
    let unknown = Fibers::new(1.0, 0.5, Directions::Array("grain".into()));
    refused(Conduction::Fibers(Box::new(unknown)), "grain");

    // A warning states lengths other than 1. Where the direction is zero, the speed is the one
    // across the fibers.
    directions[4] = [0.0; 3];
    directions[9] = [0.5, 0.0, 0.0];
    let odd = Fibers::new(1.0, 0.5, Directions::PerCell(directions));
    let found = solved(&mesh, [0.0; 3], Conduction::Fibers(Box::new(odd))).unwrap();
    let warning = "a length other than 1 in 1 cell (first: 0.500000 in cell 9)";
    assert!(found.warnings.iter().any(|w| w.contains(warning)), "{:?}", found.warnings);
}

/// The fixed point is unique: a different patch size changes values only by rounding, although the
/// value of a vertex may depend on larger values.
#[test]
fn patches_change_nothing() {
    let mut square = Square::default();
    (square.cells, square.jitter) = ([60, 60], 0.25);
    let (mesh, _) = clean(generate(&Generate::Square(square)).unwrap()).unwrap();
    let metric = |cell: &[u32]| {
        let x: f64 = cell.iter().map(|&v| mesh.vertices[v as usize][0]).sum();
        let (sin, cos) = (0.7 * x).sin_cos();
        Metric::new([
            0.04 + 0.96 * cos * cos,
            0.04 + 0.96 * sin * sin,
            1.0,
            0.96 * sin * cos,
            0.0,
            0.0,
        ])
    };
    let metrics = mesh.cells.chunks_exact(3).map(|cell| metric(cell).unwrap());
    let slowness = Slowness::Tensor(metrics.collect());
    let solve = |size, repetitions| {
        let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, size).unwrap());
        let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
        let state = EikonalState::new(patches, coordinates, slowness.clone());
        let mut state = state.with_inner_repetitions(repetitions);
        state.fix(&[(0, 0.0), (1860, 0.125)]);
        let stats = solve(&Cpu::new(2).unwrap(), &mut state, None).unwrap();
        println!("{size} {repetitions} {stats:?}");
        state.u_in_mesh_order()
    };
    let expected = solve(64, 8);
    for (size, repetitions) in [(64, 1), (16, 8), (300, 30), (4000, 8)] {
        let found = solve(size, repetitions);
        let worst = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{size} {repetitions}: {worst:e}");
        assert!(worst < 1e-11, "{size} {repetitions}: {worst:e}");
    }
}
