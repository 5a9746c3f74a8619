//! Derivatives of arrival times against central differences.

use std::time::Instant;

use zeroset::api::{
    Conduction, Directions, DistanceOptions, Fibers, ReadOptions, Sensitivity, Values, sensitivity,
};
use zeroset::config::{DeviceKind, FrontShape};
use zeroset::mesh::generate::{Cube, Generate, Pattern, Square, generate};
use zeroset::{Mesh, Source, distance_with};

fn made(generator: Generate) -> Mesh {
    let mut options = ReadOptions::default();
    options.device.kind = DeviceKind::Cpu;
    Mesh::with_options(generate(&generator).unwrap(), &options).unwrap()
}

fn square(n: u32) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.pattern, square.jitter) = ([n, n], Pattern::Diagonal, 0.2);
    (square.min, square.max) = ([-1.0; 2], [1.0; 2]);
    made(Generate::Square(square))
}

fn cube(n: u32) -> Mesh {
    let mut cube = Cube::default();
    (cube.cells, cube.jitter) = ([n; 3], 0.15);
    (cube.min, cube.max) = ([-1.0; 3], [1.0; 3]);
    made(Generate::Cube(cube))
}

/// Numbers between -1 and 1 that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn list(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// The centroids of the cells.
fn centroids(mesh: &Mesh) -> Vec<[f64; 3]> {
    let stored = mesh.stored();
    let n = stored.kind.arity();
    let middle = |cell: &[u32]| {
        std::array::from_fn(|k| {
            cell.iter().map(|&v| stored.vertices[v as usize][k]).sum::<f64>() / n as f64
        })
    };
    stored.cells.chunks_exact(n).map(middle).collect()
}

/// Tensors with random directions and with speeds between 0.3 and 3.
fn random_tensors(mesh: &Mesh, seed: u64) -> Vec<[f64; 6]> {
    let mut random = Random(seed);
    let mut one = || {
        let turn = nalgebra::Rotation3::from_euler_angles(
            3.0 * random.next(),
            3.0 * random.next(),
            3.0 * random.next(),
        );
        let mut speeds = [0.0; 3].map(|_: f64| 9f64.powf(random.next()));
        if mesh.stored().kind.arity() == 3 {
            speeds[2] = 1.0;
        }
        let diagonal = nalgebra::Matrix3::from_diagonal(&speeds.into());
        let d = turn.matrix() * diagonal * turn.matrix().transpose();
        [d[(0, 0)], d[(1, 1)], d[(2, 2)], d[(0, 1)], d[(1, 2)], d[(0, 2)]]
    };
    (0..mesh.n_cells()).map(|_| one()).collect()
}

/// Fibers that turn smoothly, as an angle to the x axis.
fn smooth_fibers(mesh: &Mesh) -> Vec<[f64; 3]> {
    let along = |x: [f64; 3]| {
        let angle = 0.5 + x[0] * 0.6 - x[1] * 0.8 + 0.7 * x[2];
        [angle.cos(), angle.sin(), 0.0]
    };
    centroids(mesh).into_iter().map(along).collect()
}

/// A problem with parameters that can change: J is a weighted sum of the arrival times.
struct Problem {
    mesh: Mesh,
    weights: Vec<f64>,
}

impl Problem {
    fn new(mesh: Mesh) -> Self {
        let n = mesh.n_vertices();
        Problem { mesh, weights: Random(7).list(n) }
    }

    fn j(&self, sources: &[Source], options: &DistanceOptions) -> f64 {
        let found = distance_with(&self.mesh, sources, options).unwrap();
        found.values.iter().zip(&self.weights).map(|(u, w)| u * w).sum()
    }

    fn gradient(&self, sources: &[Source], options: &DistanceOptions) -> Sensitivity {
        sensitivity(&self.mesh, sources, options, &self.weights).unwrap()
    }

    /// Asserts that a derivative along a direction agrees with the central difference of J.
    fn assert_agrees(&self, what: &str, found: f64, at: impl Fn(f64) -> f64) {
        let h = 1e-5;
        let difference = (at(h) - at(-h)) / (2.0 * h);
        let off = (found - difference).abs() / difference.abs().max(1.0);
        eprintln!("{what}: {found} {difference} {off:e}");
        assert!(off < 1e-6, "{what}: {found} against {difference}, off by {off:e}");
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn plane() -> DistanceOptions {
    DistanceOptions::default().front(FrontShape::Plane)
}

fn tensors(tensors: Vec<[f64; 6]>) -> DistanceOptions {
    plane().conduction(Conduction::Tensor(tensors))
}

/// A point inside a cell.
fn inside(mesh: &Mesh) -> [f64; 3] {
    let x = centroids(mesh)[mesh.n_cells() / 2 + 5];
    [x[0] + 0.003, x[1] - 0.002, if mesh.stored().kind.arity() == 3 { 0.0 } else { x[2] + 0.001 }]
}

#[test]
fn derivatives_by_random_tensors_agree_with_differences() {
    for mesh in [square(24), cube(8)] {
        let problem = Problem::new(mesh);
        let given = random_tensors(&problem.mesh, 3);
        let sources = [Source::Vertex(3)];
        let found = problem.gradient(&sources, &tensors(given.clone()));
        eprintln!("kinks {}", found.kinks.len());
        let change = Random(11).list(6 * given.len());
        let change = change.as_chunks::<6>().0;
        let at = |h: f64| {
            let moved = given.iter().zip(change);
            let moved = moved.map(|(d, c)| std::array::from_fn(|k| d[k] + 0.1 * h * c[k]));
            problem.j(&sources, &tensors(moved.collect()))
        };
        let by_tensor = found.tensor.unwrap();
        let along = 0.1 * dot(by_tensor.as_flattened(), change.as_flattened());
        problem.assert_agrees("tensors", along, at);
    }
}

#[test]
fn derivatives_by_speeds_of_smooth_fibers_agree_with_differences() {
    for mesh in [square(24), cube(8)] {
        let is_volume = mesh.stored().kind.arity() == 4;
        let problem = Problem::new(mesh);
        let mesh = &problem.mesh;
        let n = mesh.n_cells();
        let directions = smooth_fibers(mesh);
        let sources = [Source::Vertex(3)];
        let changes: [Vec<f64>; 3] = [1, 2, 3].map(|seed| Random(seed).list(n));
        let options = |h: [f64; 3]| {
            let speeds = |k: usize, speed: f64| {
                Values::PerCell(changes[k].iter().map(|c| speed * (1.0 + h[k] * c)).collect())
            };
            let direction = Directions::PerCell(directions.clone());
            let mut fibers = Fibers::new(speeds(0, 1.0), speeds(1, 0.1), direction);
            if is_volume {
                fibers = fibers.sheets(speeds(2, 0.3), Directions::Constant([0.0, 0.1, 1.0]));
            }
            plane().conduction(Conduction::Fibers(Box::new(fibers)))
        };
        let found = problem.gradient(&sources, &options([0.0; 3]));
        eprintln!("kinks {}", found.kinks.len());
        for (k, (by_cell, speed)) in
            [(found.along, 1.0), (found.across, 0.1), (found.sheet, 0.3)].into_iter().enumerate()
        {
            let Some(by_cell) = by_cell else {
                assert!(k == 2 && !is_volume);
                continue;
            };
            let along = speed * dot(&by_cell, &changes[k]);
            let at = |h: f64| {
                let mut all = [0.0; 3];
                all[k] = h;
                problem.j(&sources, &options(all))
            };
            problem.assert_agrees(["along", "across", "sheet"][k], along, at);
        }
    }
}

#[test]
fn derivatives_by_speeds_agree_with_differences() {
    for mesh in [square(24), cube(8)] {
        let problem = Problem::new(mesh);
        let n = problem.mesh.n_cells();
        let sources = [Source::Vertex(3)];
        let speeds: Vec<f64> = Random(5).list(n).iter().map(|x| 2f64.powf(*x)).collect();
        let change = Random(6).list(n);
        let options = |h: f64| {
            let moved = speeds.iter().zip(&change).map(|(s, c)| s + h * c).collect();
            plane().speed(Values::PerCell(moved))
        };
        let found = problem.gradient(&sources, &options(0.0));
        let along = dot(&found.speed.unwrap(), &change);
        problem.assert_agrees("speeds", along, |h| problem.j(&sources, &options(h)));
        // One speed for all cells.
        let options = |h: f64| plane().speed(1.5 + h);
        let found = problem.gradient(&sources, &options(0.0));
        let sum = found.speed.unwrap().iter().sum();
        problem.assert_agrees("one speed", sum, |h| problem.j(&sources, &options(h)));
    }
}

#[test]
fn derivatives_by_sources_agree_with_differences() {
    for mesh in [square(24), cube(8)] {
        let problem = Problem::new(mesh);
        let mesh = &problem.mesh;
        let at = inside(mesh);
        let speeds: Vec<f64> =
            Random(5).list(mesh.n_cells()).iter().map(|x| 2f64.powf(*x)).collect();
        let fibers = Fibers::new(1.0, 0.1, Directions::PerCell(smooth_fibers(mesh)));
        for mut options in [
            tensors(random_tensors(mesh, 3)),
            plane().conduction(Conduction::Fibers(Box::new(fibers))),
            plane().speed(Values::PerCell(speeds)),
        ] {
            let sources = |x: [f64; 3]| [Source::Point(x), Source::Vertex(3)];
            options.starts = vec![0.3, 0.1];
            let found = problem.gradient(&sources(at), &options);
            eprintln!("kinks {}", found.kinks.len());
            for k in 0..2 {
                let moved = |h: f64| {
                    let mut options = options.clone();
                    options.starts[k] += h;
                    problem.j(&sources(at), &options)
                };
                problem.assert_agrees("start", found.starts[k], moved);
            }
            assert!(found.positions[1].iter().all(|x| x.is_nan()));
            let dimensions = if mesh.stored().kind.arity() == 3 { 2 } else { 3 };
            for k in 0..dimensions {
                let moved = |h: f64| {
                    let mut x = at;
                    x[k] += 0.1 * h;
                    problem.j(&sources(x), &options)
                };
                problem.assert_agrees("position", 0.1 * found.positions[0][k], moved);
            }
        }
    }
}

/// `cargo test --release --test gradients -- --ignored --nocapture cost`
#[test]
#[ignore = "prints times"]
fn cost() {
    for mesh in [square(100), square(200), square(400), square(800), cube(20), cube(40), cube(60)] {
        let fibers = Fibers::new(1.0, 0.1, Directions::PerCell(smooth_fibers(&mesh)));
        for options in [
            plane(),
            plane().conduction(Conduction::Fibers(Box::new(fibers))),
            tensors(random_tensors(&mesh, 3)),
        ] {
            let sources = [Source::Vertex(3)];
            let solve = || distance_with(&mesh, &sources, &options).unwrap();
            solve();
            let begin = Instant::now();
            solve();
            let solved = begin.elapsed().as_secs_f64();
            let weights = vec![1.0; mesh.n_vertices()];
            let begin = Instant::now();
            let found = sensitivity(&mesh, &sources, &options, &weights).unwrap();
            let seconds = begin.elapsed().as_secs_f64();
            println!(
                "{} vertices: distance {solved:.3} s, derivatives {seconds:.3} s, {} kinks",
                mesh.n_vertices(),
                found.kinks.len()
            );
        }
    }
}
