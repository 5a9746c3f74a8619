//! Derivatives of arrival times against central differences.

#[path = "support/jittered.rs"]
mod jittered;

use std::time::Instant;

use zeroset::api::{
    Conduction, Directions, DistanceOptions, Fibers, ReadOptions, Sensitivity, Values, sensitivity,
};
use zeroset::config::{DeviceKind, FrontShape};
use zeroset::mesh::generate::{Cube, Generate, Pattern, Square, generate};
use zeroset::{Mesh, Source, distance_with};

use jittered::{cube, made, square};

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
        let reached = found.values.iter().zip(&self.weights).filter(|(u, _)| !u.is_nan());
        reached.map(|(u, w)| u * w).sum()
    }

    fn gradient(&self, sources: &[Source], options: &DistanceOptions) -> Sensitivity {
        let times = distance_with(&self.mesh, sources, options).unwrap().values;
        sensitivity(&self.mesh, sources, options, &times, &self.weights).unwrap()
    }

    /// Asserts that a derivative along a direction agrees with the central difference of J.
    fn assert_agrees(&self, what: &str, found: f64, at: impl Fn(f64) -> f64) {
        let h = 1e-5;
        let difference = (at(h) - at(-h)) / (2.0 * h);
        let off = (found - difference).abs() / difference.abs().max(1.0);
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

#[test]
fn negative_times_have_derivatives() {
    for mesh in [square(24), cube(8)] {
        let problem = Problem::new(mesh);
        let sources = [Source::Vertex(3)];
        // Some times are negative with the first start value, and all with the second one.
        for start in [-0.5, -5.0] {
            let found = problem.gradient(&sources, &plane().speed(1.5).starts(vec![start]));
            let at = |h: f64| problem.j(&sources, &plane().speed(1.5 + h).starts(vec![start]));
            problem.assert_agrees("one speed", found.speed.unwrap().iter().sum(), at);
            let at = |h: f64| problem.j(&sources, &plane().speed(1.5).starts(vec![start + h]));
            problem.assert_agrees("start", found.starts[0], at);
        }
    }
}

/// A limit, a mask, several sources with common fronts, and sources of several vertices.
#[test]
fn options_and_other_sources_have_derivatives() {
    let mut mesh = square(24);
    let n = mesh.n_cells();
    let near: Vec<f64> = mesh.stored().vertices.iter().map(|x| x[0] + 0.2 * x[1]).collect();
    mesh.set_vertex_array("near", 1, near).unwrap();
    let given = random_tensors(&mesh, 3);
    let change = Random(11).list(6 * n);
    let change = change.as_chunks::<6>().0;
    let problem = Problem::new(mesh);
    let folder = tempfile::tempdir().unwrap();
    let curve = folder.path().join("curve.txt");
    std::fs::write(&curve, "-0.71 -0.53 0\n0.12 0.37 0\n").unwrap();
    let curve = Source::Curve(curve);
    for (sources, limit, mask) in [
        (vec![Source::Vertices(vec![3, 4, 300])], None, None),
        (vec![Source::Vertex(3), Source::Vertex(310), Source::Vertex(600)], None, None),
        (vec![curve], None, None),
        (vec![Source::Vertex(3)], Some(0.7), None),
        (vec![Source::Vertex(3)], None, Some("near < 0.3")),
    ] {
        let options = |h: f64| {
            let moved = given.iter().zip(change);
            let moved = moved.map(|(d, c)| std::array::from_fn(|k| d[k] + 0.1 * h * c[k]));
            let mut options = tensors(moved.collect());
            (options.within, options.mask) = (limit, mask.map(String::from));
            options
        };
        let found = problem.gradient(&sources, &options(0.0));
        let along = 0.1 * dot(found.tensor.unwrap().as_flattened(), change.as_flattened());
        problem.assert_agrees("tensors", along, |h| problem.j(&sources, &options(h)));
        let sum: f64 = found.starts.iter().sum();
        let moved = |h: f64| problem.j(&sources, &options(0.0).starts(vec![h; sources.len()]));
        problem.assert_agrees("starts", sum, moved);
    }
}

#[test]
fn vertices_of_joined_copies_count_together() {
    // Two triangles with separate copies of their common edge.
    let corners = vec![
        [0.0; 3],
        [4.0, 0.0, 0.0],
        [4.0, 3.0, 0.0],
        [0.0; 3],
        [4.0, 3.0, 0.0],
        [0.0, 3.0, 0.0],
    ];
    let mesh = Mesh::triangles(corners, &[[0, 1, 2], [3, 4, 5]]).unwrap();
    let times = distance_with(&mesh, &[Source::Vertex(1)], &plane()).unwrap().values;
    assert_eq!(times[2], times[4]);
    let weights = [0.0, 0.0, 1.0, 0.0, 2.0, 0.0];
    let found = sensitivity(&mesh, &[Source::Vertex(1)], &plane(), &times, &weights).unwrap();
    assert_eq!((found.starts, found.speed), (vec![3.0], Some(vec![-9.0, 0.0])));
}

#[test]
fn bits_do_not_depend_on_threads() {
    let bits = |threads| {
        let mut options = ReadOptions::default();
        (options.device.kind, options.device.threads) = (DeviceKind::Cpu, threads);
        let mut cube = Cube::default();
        (cube.cells, cube.jitter) = ([8; 3], 0.15);
        let mesh = Mesh::with_options(generate(&Generate::Cube(cube)).unwrap(), &options).unwrap();
        let given = tensors(random_tensors(&mesh, 3));
        let problem = Problem::new(mesh);
        let sources = [Source::Vertex(3), Source::Vertex(200)];
        let found = problem.gradient(&sources, &given);
        let tensor = found.tensor.unwrap();
        tensor.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let one = bits(1);
    assert!(one.iter().any(|bits| *bits != 0));
    assert!([2, 3].iter().all(|&threads| bits(threads) == one));
}

#[test]
fn kinks_are_reported() {
    // The fronts from two vertices of one source meet in the middle column of vertices.
    let mut square = Square::default();
    (square.cells, square.pattern) = ([8, 8], Pattern::Diagonal);
    let mesh = made(Generate::Square(square));
    let source = [Source::Vertices(vec![36, 44])];
    let times = distance_with(&mesh, &source, &plane()).unwrap().values;
    let weights = vec![1.0; mesh.n_vertices()];
    let found = sensitivity(&mesh, &source, &plane(), &times, &weights).unwrap();
    assert!(found.kinks.contains(&40), "{:?}", found.kinks);
    assert!(found.kinks.iter().all(|v| v % 9 == 4), "{:?}", found.kinks);

    // Two sources, with a limit and without one.
    let sources = [Source::Vertex(36), Source::Vertex(44)];
    for within in [None, Some(0.6)] {
        let mut options = plane();
        options.within = within;
        let times = distance_with(&mesh, &sources, &options).unwrap().values;
        let found = |weights: &[f64]| {
            sensitivity(&mesh, &sources, &options, &times, weights).unwrap().kinks
        };
        let kinks = found(&weights);
        assert!(kinks.contains(&40), "{kinks:?}");
        assert!(kinks.iter().all(|&v| v % 9 == 4), "{kinks:?}");
        // The fronts of other vertices do not come from both sources.
        let mut weights = weights.clone();
        (0..9).for_each(|row| weights[9 * row + 4] = 0.0);
        assert_eq!(found(&weights), [0; 0]);
    }
    // A vertex next to both sources has initial values of both.
    let sources = [Source::Vertex(39), Source::Vertex(41)];
    let times = distance_with(&mesh, &sources, &plane()).unwrap().values;
    let found = sensitivity(&mesh, &sources, &plane(), &times, &weights).unwrap();
    assert!(found.kinks.contains(&40), "{:?}", found.kinks);
}

#[test]
fn what_has_no_derivative_is_refused() {
    let mesh = square(4);
    let weights = vec![1.0; mesh.n_vertices()];
    let refused = |sources: &[Source], options: &DistanceOptions, weights: &[f64], text: &str| {
        let times = vec![0.0; mesh.n_vertices()];
        let error = sensitivity(&mesh, sources, options, &times, weights).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    };
    let vertex = [Source::Vertex(0)];
    let circular = "not available for circular fronts";
    refused(&vertex, &DistanceOptions::default(), &weights, circular);
    let exact = DistanceOptions::default().front(FrontShape::Exact);
    refused(&vertex, &exact, &weights, "not available for exact fronts");
    let zero = [Source::Zero("x".into())];
    refused(&zero, &plane(), &weights, "not available for distances from a zero set");
    refused(&vertex, &plane(), &weights[1..], "there are 24 derivatives");
    let mut weights = weights.clone();
    weights[7] = f64::NAN;
    refused(&vertex, &plane(), &weights, "of vertex 7 is NaN");
}

#[test]
fn derivatives_of_regions_are_sums() {
    let found = Sensitivity::by_region(&[1.0, 2.0, 4.0], &[7, -1, 7]).unwrap();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(-1, 2.0), (7, 5.0)]);
    assert!(Sensitivity::by_region(&[1.0], &[]).is_err());
}

/// Runs the program in a folder. Returns the exit code and both streams.
fn zeroset(folder: &std::path::Path, line: &str) -> (i32, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(line.split_whitespace()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn the_command_prints_a_misfit_and_writes_its_gradient() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("pair.obj", "v 0 0 0\nv 4 0 0\nv 4 3 0\nv 0 3 0\nf 1 2 3\nf 1 3 4\n");
    put("seen.csv", "vertex,time,sigma\n1,1,0.5\n2,2.5,1\n");
    let line = "distance pair.obj --from vertex:0 --front plane --speed 2 -o t.csv --device cpu";
    let (code, text) = zeroset(folder.path(), &format!("{line} --misfit seen.csv"));
    // The times are 4 / speed = 2 and 5 / speed = 2.5.
    assert!(code == 0 && text.contains("misfit    2, 2 observations\n"), "{text}");
    let written = std::fs::read_to_string(folder.path().join("t_misfit.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!((&written["misfit"], &written["observations"]), (&2.0.into(), &2.into()));
    assert_eq!(written["gradient"]["speed"], serde_json::json!([-4.0, 0.0]));
    assert_eq!(written["gradient"]["starts"], serde_json::json!([4.0]));

    put("times.csv", "vertex,times\n1,1\n");
    put("far.csv", "vertex,time\n9,1\n");
    put("wrong.csv", "vertex,time,sigma\n1,1,0\n");
    put("tiny.csv", "vertex,time,sigma\n1,1,1e-200\n");
    put("outside.csv", "vertex,time\n1,1\n3,1\n");
    for (name, message) in [
        ("times.csv", "there is no column \"time\""),
        ("far.csv", "row 0: there is no vertex 9"),
        ("tiny.csv", "row 0: (2 - 1) / 0.000"),
        ("wrong.csv", "row 0 has vertex 1, time 1 and sigma 0"),
    ] {
        let (code, text) = zeroset(folder.path(), &format!("{line} --misfit {name}"));
        assert!(code == 3 && text.contains(message), "{name}: {code} {text}");
    }
    for (option, message) in [
        ("--mask y<=x", "row 1: no front reaches vertex 3"),
        ("--width 1.5", "row 0: vertex 1 is not closer than the width"),
    ] {
        let (code, text) = zeroset(folder.path(), &format!("{line} --misfit outside.csv {option}"));
        assert!(code == 3 && text.contains(message), "{option}: {code} {text}");
    }
    let line = line.replace("--front plane", "");
    let (code, text) = zeroset(folder.path(), &format!("{line} --misfit seen.csv"));
    let message = "--misfit: circular fronts have no derivatives; use --front plane";
    assert!(code == 2 && text.contains(message), "{code} {text}");
    let (code, text) = zeroset(folder.path(), &format!("{line} --front exact --misfit seen.csv"));
    let message = "--misfit: exact fronts have no derivatives; use --front plane";
    assert!(code == 2 && text.contains(message), "{code} {text}");
    let line = line.replace("vertex:0", "levelset:x-1") + " --front plane";
    let (code, text) = zeroset(folder.path(), &format!("{line} --misfit seen.csv"));
    let message = "--misfit: distances from a zero set have no derivatives";
    assert!(code == 2 && text.contains(message), "{code} {text}");
}

/// `cargo test --test gradients -- --ignored --nocapture cost`
#[test]
#[ignore = "prints times"]
fn cost() {
    for mesh in [square(50), square(100), square(200), cube(10), cube(20), cube(40)] {
        let fibers = Fibers::new(1.0, 0.1, Directions::PerCell(smooth_fibers(&mesh)));
        for (name, options) in [
            ("uniform", plane()),
            ("fibers 10:1", plane().conduction(Conduction::Fibers(Box::new(fibers)))),
            ("random tensors", tensors(random_tensors(&mesh, 3))),
        ] {
            let sources = [Source::Vertex(3)];
            let begin = Instant::now();
            let times = distance_with(&mesh, &sources, &options).unwrap().values;
            let solved = begin.elapsed().as_secs_f64();
            let weights = vec![1.0; mesh.n_vertices()];
            let begin = Instant::now();
            let found = sensitivity(&mesh, &sources, &options, &times, &weights).unwrap();
            let seconds = begin.elapsed().as_secs_f64();
            eprintln!(
                "{} vertices, {name}: distance {solved:.3} s, derivatives {seconds:.3} s, {} kinks",
                mesh.n_vertices(),
                found.kinks.len()
            );
        }
    }
}
