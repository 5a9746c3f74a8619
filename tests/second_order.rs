//! Tests reinitialization with a quadratic fit: errors of distances, shifts of the interface, and
//! the order of whole runs in bands.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::levelset::eikonal::Fit;
use zeroset::levelset::evolution::{Coefficient, Evolution, HALO_EDGES, Options, Terms};
use zeroset::mesh::generate::{Cube, Generate, Pattern, Square, generate};
use zeroset::mesh::{Kind, Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};
use zeroset::surface::extract;

/// The center of circles and spheres. It lies on no vertex, edge or symmetry axis of a mesh.
const CENTER: [f64; 3] = [0.03, 0.02, 0.01];

/// Returns a mesh with cells of the size 2 / n: the square [-1, 1]^2 or the cube [-1, 1]^3.
fn mesh(name: &str, n: u32) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.min, square.max, square.seed) = ([n; 2], [-1.0; 2], [1.0; 2], 1);
    let mut cube = Cube::default();
    (cube.cells, cube.min, cube.max, cube.seed) = ([n; 3], [-1.0; 3], [1.0; 3], 1);
    let spec = match name {
        "diag" => Generate::Square(square),
        "cross" => {
            square.pattern = Pattern::Cross;
            Generate::Square(square)
        }
        "jit" => {
            square.jitter = 0.25;
            Generate::Square(square)
        }
        "del" => {
            (square.jitter, square.delaunay) = (0.35, true);
            Generate::Square(square)
        }
        "kuhn" => Generate::Cube(cube),
        "tets" => {
            cube.jitter = 0.15;
            Generate::Cube(cube)
        }
        name => panic!("no mesh {name}"),
    };
    clean(generate(&spec).unwrap()).unwrap().0
}

fn mean_edge(mesh: &Mesh) -> f64 {
    let mut lengths = Vec::new();
    for cell in mesh.iter_cells() {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[..i] {
                lengths.push(distance(mesh.vertices[a as usize], mesh.vertices[b as usize]));
            }
        }
    }
    lengths.iter().sum::<f64>() / lengths.len() as f64
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Returns the signed distance from a circle in the plane or a sphere in space.
fn ball(mesh: &Mesh, radius: f64) -> impl Fn([f64; 3]) -> f64 {
    let is_planar = mesh.kind == Kind::Planar;
    move |x| {
        let center = if is_planar { [CENTER[0], CENTER[1], x[2]] } else { CENTER };
        distance(x, center) - radius
    }
}

fn start(mesh: &Mesh, fit: Fit, edges: f64, threads: usize, phi: &[f64]) -> Evolution<f64> {
    let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    start_with(mesh, fit, edges, threads, phi, &terms)
}

fn start_with(
    mesh: &Mesh,
    fit: Fit,
    edges: f64,
    threads: usize,
    phi: &[f64],
    terms: &Terms,
) -> Evolution<f64> {
    let edge = mean_edge(mesh);
    let halo = if fit == Fit::Quadratic { HALO_EDGES * edge } else { 0.0 };
    let options = Options::new(Some(edges * edge)).with_fit(fit, halo);
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    let cpu = Arc::new(Cpu::new(threads).unwrap());
    Evolution::new(cpu, mesh, patches, phi, terms, options).unwrap()
}

/// Returns the mean distance of the interface from the exact one.
fn error(mesh: &Mesh, phi: &[f64], exact: impl Fn([f64; 3]) -> f64) -> f64 {
    let crossings = extract(mesh, phi).vertices;
    crossings.iter().map(|&x| exact(x).abs()).sum::<f64>() / crossings.len() as f64
}

fn at(mesh: &Mesh, f: impl Fn([f64; 3]) -> f64) -> Vec<f64> {
    mesh.vertices.iter().map(|&x| f(x)).collect()
}

/// Returns the mean shift of the crossings of mesh edges after `calls` reinitializations.
fn shift(mesh: &Mesh, fit: Fit, calls: usize, shape: impl Fn([f64; 3]) -> f64) -> f64 {
    let phi = at(mesh, shape);
    let mut evolution = start(mesh, fit, 5.0, 2, &phi);
    (1..calls).for_each(|_| evolution.reinitialize());
    let found = evolution.phi();
    let (mut sum, mut count) = (0.0, 0);
    for cell in mesh.iter_cells() {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[..i] {
                let [a, b] = [a as usize, b as usize];
                if (phi[a] < 0.0) != (phi[b] < 0.0) && (found[a] < 0.0) != (found[b] < 0.0) {
                    let at = |phi: &[f64]| phi[a] / (phi[a] - phi[b]);
                    let length = distance(mesh.vertices[a], mesh.vertices[b]);
                    sum += (at(&found) - at(&phi)).abs() * length;
                    count += 1;
                }
            }
        }
    }
    sum / count as f64
}

/// Returns a function whose zero set is that of the distance `d`, but whose slope is not 1.
fn warped(d: f64) -> f64 {
    2.0 * d + d * d
}

/// Returns the mean error of the distances within 3 edges of a circle or sphere, after one call.
fn error_of_distances(mesh: &Mesh) -> f64 {
    let exact = at(mesh, ball(mesh, 0.6));
    let phi: Vec<f64> = exact.iter().map(|&d| warped(d)).collect();
    let found = start(mesh, Fit::Quadratic, 5.0, 2, &phi).phi();
    let near = 3.0 * mean_edge(mesh);
    let errors = exact.iter().zip(&found).filter(|(d, _)| d.abs() < near);
    let errors: Vec<f64> = errors.map(|(d, u)| (d - u).abs()).collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

#[test]
fn distances_are_of_second_order() {
    for name in ["diag", "cross", "jit", "del", "kuhn", "tets"] {
        let sizes = if name == "kuhn" || name == "tets" { [12, 24] } else { [32, 128] };
        let [coarse, fine] = sizes.map(|n| error_of_distances(&mesh(name, n)));
        let order = (coarse / fine).ln() / (f64::from(sizes[1]) / f64::from(sizes[0])).ln();
        assert!(order > 2.0, "{name}: {coarse:.1e} {fine:.1e}, order {order:.2}");
    }
}

#[test]
fn a_straight_interface_is_exact() {
    for name in ["jit", "tets"] {
        let mesh = mesh(name, if name == "tets" { 12 } else { 32 });
        let plane = |x: [f64; 3]| {
            (2.0 * x[0] + x[1] + 2.0 * x[2] * f64::from(u8::from(name == "tets")) - 0.1)
                / if name == "tets" { 3.0 } else { 5f64.sqrt() }
        };
        let phi = at(&mesh, |x| 7.0 * plane(x));
        let found = start(&mesh, Fit::Quadratic, 5.0, 2, &phi).phi();
        let w = 3.0 * mean_edge(&mesh);
        for (x, u) in mesh.vertices.iter().zip(found) {
            let d = plane(*x);
            if d.abs() < w && x.iter().all(|c| c.abs() < 0.45) {
                assert!((u - d).abs() < 1e-10, "{name} at {x:?}: {u} not {d}");
            }
        }
    }
}

#[test]
fn twenty_calls_hardly_move_circles_and_spheres() {
    // The radius is 5 or 10 cells, so the shift falls at least as h^2 at a fixed radius.
    for (n, limit) in [(32, 1e-2), (64, 1e-3)] {
        for name in ["diag", "cross", "jit", "del"] {
            assert_stays(name, n, 10.0 / 32.0, limit);
        }
    }
    for name in ["kuhn", "tets"] {
        assert_stays(name, 16, 10.0 / 16.0, 1e-2);
    }
}

fn assert_stays(name: &str, n: u32, radius: f64, limit: f64) {
    let mesh = mesh(name, n);
    let shift = shift(&mesh, Fit::Quadratic, 20, ball(&mesh, radius)) * f64::from(n) / 2.0;
    assert!(shift < limit, "{name} {n}: {shift:.1e} cells");
}

#[test]
fn corners_stay_sharp() {
    for name in ["diag", "jit", "del"] {
        let mesh = mesh(name, 32);
        let h = 2.0 / 32.0;
        let square = |x: [f64; 3]| {
            let (c, s) = (0.4f64.cos(), 0.4f64.sin());
            let [x, y] = [x[0] - CENTER[0], x[1] - CENTER[1]];
            (c * x + s * y).abs().max((c * y - s * x).abs()) - 10.0 * h
        };
        let shift = shift(&mesh, Fit::Quadratic, 20, square) / h;
        assert!(shift < 3e-3, "{name}: {shift:.1e} h");
    }
}

/// Returns the mean error of a circle that shrinks from 0.6 to 0.4 by its curvature.
fn error_under_curvature(name: &str, n: u32, edges: f64) -> f64 {
    let mesh = mesh(name, n);
    let phi = at(&mesh, ball(&mesh, 0.6));
    let mut run = start(&mesh, Fit::Quadratic, edges, 2, &phi);
    while run.time() < 0.1 {
        run.step(0.1 - run.time()).unwrap();
    }
    error(&mesh, &run.phi(), ball(&mesh, 0.4))
}

#[test]
fn motion_by_curvature_is_of_second_order_in_every_band() {
    for (edges, least_order) in [(3.0, 1.0), (5.0, 1.8), (10.0, 1.8)] {
        let [coarse, fine] = [32, 128].map(|n| error_under_curvature("diag", n, edges));
        let order = (coarse / fine).log2() / 2.0;
        assert!(order >= least_order, "band {edges}: {coarse:.1e} {fine:.1e}, order {order:.2}");
        assert!(fine < 4e-5, "band {edges}: {fine:.1e}");
    }
}

#[test]
fn motion_by_curvature_converges_on_irregular_meshes() {
    let [coarse, fine] = [32, 64].map(|n| error_under_curvature("jit", n, 5.0));
    assert!(fine < 2e-4 && coarse / fine > 3.0, "{coarse:.1e} {fine:.1e}");
}

/// Returns the mean error of a circle that is carried from (-0.3, -0.2) to (0.2, 0.05).
fn error_under_velocity(name: &str, n: u32, edges: f64) -> f64 {
    let mesh = mesh(name, n);
    let circle = |x: f64, y: f64| move |at: [f64; 3]| (at[0] - x).hypot(at[1] - y) - 0.3;
    let phi = at(&mesh, circle(-0.3, -0.2));
    let terms = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.5, 0.0]));
    let mut run = start_with(&mesh, Fit::Quadratic, edges, 2, &phi, &terms);
    while run.time() < 0.5 {
        run.step(0.5 - run.time()).unwrap();
    }
    error(&mesh, &run.phi(), circle(0.2, 0.05))
}

/// Returns the mean error of a circle that grows from 0.3 to 0.65 at unit speed.
fn error_of_growth(name: &str, n: u32, edges: f64) -> f64 {
    let mesh = mesh(name, n);
    let phi = at(&mesh, ball(&mesh, 0.3));
    let terms = Terms::default().with_normal_speed(Coefficient::Uniform([1.0]));
    let mut run = start_with(&mesh, Fit::Quadratic, edges, 2, &phi, &terms);
    while run.time() < 0.35 {
        run.step(0.35 - run.time()).unwrap();
    }
    error(&mesh, &run.phi(), ball(&mesh, 0.65))
}

#[test]
fn motion_by_velocity_and_normal_speed_is_of_second_order_in_the_default_band() {
    for (what, error, most) in [
        ("velocity", error_under_velocity as fn(&str, u32, f64) -> f64, 5e-5),
        ("normal speed", error_of_growth, 7.5e-5),
    ] {
        let [coarse, fine] = [32, 128].map(|n| error("diag", n, 5.0));
        let order = (coarse / fine).log2() / 2.0;
        assert!(order > 1.8, "{what}: {coarse:.1e} {fine:.1e}, order {order:.2}");
        assert!(fine < most, "{what}: {fine:.1e}");
    }
}

#[test]
fn a_slope_that_has_drifted_is_restored() {
    // The flow moves every point toward the interface, which stays where it is. Without
    // reinitialization, the slope grows by a factor of e^2.
    let mesh = mesh("jit", 32);
    let phi = at(&mesh, |x| x[0] - CENTER[0]);
    let velocity = at(&mesh, |x| CENTER[0] - x[0]).into_iter().map(|a| [a, 0.0, 0.0]).collect();
    let terms = Terms::default().with_velocity(Coefficient::PerVertex(velocity));
    let mut run = start_with(&mesh, Fit::Quadratic, 5.0, 2, &phi, &terms);
    while run.time() < 2.0 {
        run.step(2.0 - run.time()).unwrap();
    }
    let near = 2.0 * mean_edge(&mesh);
    let values = mesh.vertices.iter().zip(run.phi());
    let slopes: Vec<f64> = values
        .filter(|(x, _)| (x[0] - CENTER[0]).abs() < near && x[1].abs() < 0.5)
        .map(|(x, phi)| phi / (x[0] - CENTER[0]))
        .collect();
    let mean = slopes.iter().sum::<f64>() / slopes.len() as f64;
    assert!((mean - 1.0).abs() < 0.35, "{mean}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for name in ["jit", "tets"] {
        let mesh = mesh(name, if name == "tets" { 8 } else { 32 });
        let phi = at(&mesh, ball(&mesh, 0.6));
        let of = |threads| {
            let mut run = start(&mesh, Fit::Quadratic, 3.0, threads, &phi);
            (0..40).for_each(|_| {
                run.step(1.0).unwrap();
            });
            run.reinitialize();
            run.phi()
        };
        assert_eq!(of(1), of(3), "{name}");
    }
}
