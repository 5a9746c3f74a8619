//! Tests exact distances against brute force and closed forms.

mod meshes;
mod unfolding;

use std::f64::consts::{PI, TAU};

use unfolding::{Origin, Unfolding};
use zeroset::Cpu;
use zeroset::geometry::Vec3;
use zeroset::levelset::eikonal::exact::{Exact, exact};
use zeroset::levelset::eikonal::path::Start;
use zeroset::levelset::eikonal::source::Part;
use zeroset::mesh::{Kind, Mesh};
use zeroset_testing::samples::Random;
use zeroset_testing::slivers;

fn x(mesh: &Mesh, v: u32) -> Vec3 {
    mesh.vertices[v as usize].into()
}

/// Returns a random number below `n`.
fn below(n: usize, random: &mut Random) -> usize {
    ((random.unit() * n as f64) as usize).min(n - 1)
}

/// Returns the origins of a vertex: one in each cell around it.
fn vertex(mesh: &Mesh, v: u32) -> Vec<Origin> {
    let around = mesh.iter_cells().enumerate().filter(|(_, cell)| cell.contains(&v));
    around.map(|(cell, _)| Origin { cell, points: vec![x(mesh, v)], start: 0.0 }).collect()
}

/// Returns a random point inside a cell.
fn point_in(mesh: &Mesh, cell: usize, random: &mut Random) -> Vec3 {
    let corners = &mesh.cells[3 * cell..][..3];
    let weights = [0, 1, 2].map(|_| 0.05 + random.unit());
    let sum: f64 = weights.iter().sum();
    corners.iter().zip(weights).map(|(&v, w)| x(mesh, v) * (w / sum)).sum()
}

fn parts(origins: &[Origin]) -> Vec<Part> {
    let parts = (0..).zip(origins).map(|(number, origin)| {
        let mut part = Part::new(origin.cell as u32, &origin.points);
        (part.source, part.start) = (number, origin.start);
        part
    });
    parts.collect()
}

fn solved(mesh: &Mesh, origins: &[Origin], starts: &[Start]) -> Exact {
    exact(mesh, 1.0, &parts(origins), starts, f64::INFINITY).unwrap()
}

/// Compares exact fronts with brute force, and the length of the path from every vertex with its
/// value.
fn check(name: &str, mesh: &Mesh, origins: &[Origin]) {
    let starts: Vec<Start> = (0..mesh.n_vertices() as u32).map(Start::Vertex).collect();
    let found = solved(mesh, origins, &starts);
    let expected = Unfolding::new(mesh).distances(origins);
    for (v, (u, expected)) in found.u.iter().zip(&expected).enumerate() {
        if *expected == f64::INFINITY {
            assert_eq!(*u, f64::INFINITY, "{name}: vertex {v} of {mesh:?} from {origins:?}");
            continue;
        }
        let error = (u - expected).abs();
        assert!(
            error <= 1e-12 * expected.max(1.0),
            "{name}: vertex {v}: {u} instead of {expected}, error {error:e}, {origins:?} {mesh:?}"
        );
        let path = &found.paths[v];
        let start = path.source.map(|source| origins[source as usize].start);
        let length = path.length + start.unwrap_or(f64::NAN);
        assert!((length - u).abs() <= 1e-9 * u.max(1.0), "{name}: vertex {v}: path {path:?}, {u}");
    }
}

#[test]
fn agrees_with_brute_force_from_vertices() {
    let mut random = Random::new(1);
    for k in 0..30 {
        let (shift, height) = (0.4 * random.unit(), 1.5 * random.unit());
        let holes = if k % 2 == 0 { 0.0 } else { 0.2 };
        let mesh = meshes::terrain(5, shift, height, holes, &mut random);
        let v = mesh.cells[below(mesh.cells.len(), &mut random)];
        check("terrain", &mesh, &vertex(&mesh, v));
        let mesh = meshes::ball(0.3 * random.unit(), &mut random);
        check("ball", &mesh, &vertex(&mesh, below(mesh.n_vertices(), &mut random) as u32));
        let mesh = meshes::three_sheets(&mut random);
        check("three sheets", &mesh, &vertex(&mesh, below(mesh.n_vertices(), &mut random) as u32));
    }
}

#[test]
fn agrees_with_brute_force_from_points_and_segments() {
    let mut random = Random::new(2);
    for k in 0..30 {
        let mesh = match k % 3 {
            0 => meshes::terrain(4, 0.3, 1.0, 0.1, &mut random),
            1 => meshes::ball(0.3, &mut random),
            _ => meshes::three_sheets(&mut random),
        };
        let mut origins = Vec::new();
        for _ in 0..1 + k % 4 {
            let cell = below(mesh.n_cells(), &mut random);
            let n = 1 + below(2, &mut random);
            let points = (0..n).map(|_| point_in(&mesh, cell, &mut random)).collect();
            origins.push(Origin { cell, points, start: random.unit() });
        }
        check("points and segments", &mesh, &origins);
    }
}

#[test]
fn cube_cone_and_corner_have_closed_forms() {
    for n in [1, 2, 3, 7] {
        let mesh = meshes::cube(n);
        let corner = |x: [f64; 3]| mesh.vertices.iter().position(|y| *y == x).unwrap();
        let u = solved(&mesh, &vertex(&mesh, corner([0.0; 3]) as u32), &[]).u;
        assert!((u[corner([1.0; 3])] - 5f64.sqrt()).abs() < 1e-14, "{n}");
    }
    // Cones with k triangles between two points at distance 1 from the tip: the angle between them
    // is less than pi, or the path runs over the tip.
    for total in [0.5 * TAU, 0.9 * TAU, TAU, 1.1 * TAU, 1.4 * TAU] {
        let mesh = meshes::cone(12, total);
        let u = solved(&mesh, &vertex(&mesh, 1), &[]).u;
        for k in 0..12 {
            let angle = (f64::from(k) * total / 12.0).min(f64::from(12 - k) * total / 12.0);
            let expected = if angle < PI { 2.0 * (angle / 2.0).sin() } else { 2.0 };
            let found = u[1 + k as usize];
            assert!((found - expected).abs() < 1e-14, "{total} {k}: {found} {expected}");
        }
    }
}

#[test]
fn agrees_with_brute_force_where_many_triangles_share_edges() {
    let mut random = Random::new(3);
    for _ in 0..40 {
        let mesh = meshes::tangle(9, 14, &mut random);
        let v = mesh.cells[below(mesh.cells.len(), &mut random)];
        check("tangle", &mesh, &vertex(&mesh, v));
    }
}

#[test]
fn an_l_shape_is_passed_around_its_corner() {
    // The square of 4 x 4 squares without the quarter x > 2, y > 2. The corner is (2, 2).
    let mut random = Random::new(4);
    let square = meshes::terrain(4, 0.0, 0.0, 0.0, &mut random);
    let is_inside = |cell: &&[u32]| {
        let center: Vec3 = cell.iter().map(|&v| x(&square, v) / 3.0).sum();
        center.x < 2.0 || center.y < 2.0
    };
    let cells = square.iter_cells().filter(is_inside).flatten().copied().collect();
    let mesh = Mesh::new(Kind::Planar, square.vertices.clone(), cells);
    let at = |p: [f64; 3]| mesh.vertices.iter().position(|y| *y == p).unwrap();
    let from = [4.0, 1.0, 0.0];
    let u = solved(&mesh, &vertex(&mesh, at(from) as u32), &[]).u;
    for to in [[1.0, 4.0, 0.0], [2.0, 4.0, 0.0], [2.0, 3.0, 0.0], [0.0, 4.0, 0.0]] {
        // The line to (0, 4) misses the corner.
        let corner = Vec3::new(2.0, 2.0, 0.0);
        let [a, b] = [from, to].map(Vec3::from);
        let bends = (b - a).cross(&(corner - a)).z > 0.0;
        let expected =
            if bends { (a - corner).norm() + (b - corner).norm() } else { (a - b).norm() };
        assert!((u[at(to)] - expected).abs() < 1e-14, "{to:?}: {} {expected}", u[at(to)]);
    }
}

#[test]
fn the_nearest_of_several_sources_is_the_label_and_ties_go_to_the_first() {
    let mesh = meshes::terrain(6, 0.0, 0.0, 0.0, &mut Random::new(5));
    // The vertices (1, 3) and (5, 3): every vertex with x = 3 is equally far from both.
    let [a, b] = [3 * 7 + 1, 3 * 7 + 5];
    for (first, second) in [(a, b), (b, a)] {
        let mut sources = parts(&vertex(&mesh, first));
        sources.iter_mut().for_each(|part| part.source = 0);
        let more = parts(&vertex(&mesh, second));
        sources.extend(more.into_iter().map(|mut part| {
            part.source = 1;
            part
        }));
        let found = exact(&mesh, 1.0, &sources, &[], f64::INFINITY).unwrap();
        for (v, at) in mesh.vertices.iter().enumerate() {
            let gap = |w: u32| (Vec3::from(*at) - x(&mesh, w)).norm();
            let label = u32::from(gap(second) < gap(first) - 1e-9);
            assert_eq!(found.source[v], label, "{at:?}");
            assert!((found.u[v] - gap(first).min(gap(second))).abs() < 1e-14);
        }
    }
}

#[test]
fn start_values_speed_and_limit_count() {
    let mut random = Random::new(6);
    let mesh = meshes::terrain(6, 0.3, 0.5, 0.1, &mut random);
    let mut origins = vertex(&mesh, 24);
    origins.iter_mut().for_each(|origin| origin.start = 0.25);
    let parts = parts(&origins);
    let whole = exact(&mesh, 1.0, &parts, &[], f64::INFINITY).unwrap();
    let slow = exact(&mesh, 2.0, &parts, &[], f64::INFINITY).unwrap();
    let near = exact(&mesh, 1.0, &parts, &[], 1.75).unwrap();
    assert!(near.windows < whole.windows);
    for v in 0..mesh.n_vertices() {
        let [u, slow, near] = [whole.u[v], slow.u[v], near.u[v]];
        assert!(slow == u || (slow - 0.25 - 2.0 * (u - 0.25)).abs() < 1e-13, "{slow} {u}");
        assert!(near == u || near > 1.75 && near >= u, "{near} {u}");
    }
}

#[test]
fn hostile_meshes_end_with_values_that_are_not_too_small() {
    let mut random = Random::new(7);
    let mut all = vec![
        ("strip", slivers::strip(1e-5)),
        ("thin strip", slivers::strip(1e-9)),
        ("shear", slivers::sheared(100.0)),
        ("triangles without neighbors", meshes::tangle(300, 100, &mut random)),
        ("tangle", meshes::tangle(30, 400, &mut random)),
    ];
    // Flat triangles, vertices in the same place, and the same triangle twice.
    let mut flat = meshes::terrain(8, 0.0, 0.0, 0.0, &mut random);
    for v in 20..40 {
        flat.vertices[v] = flat.vertices[20 + v % 5];
    }
    flat.cells.extend_from_within(0..60);
    all.push(("collapsed", flat));
    for (name, mesh) in all {
        let v = mesh.cells[0];
        let found = solved(&mesh, &vertex(&mesh, v), &[Start::Vertex(mesh.cells[7])]);
        for (u, at) in found.u.iter().zip(&mesh.vertices) {
            let straight = (Vec3::from(*at) - x(&mesh, v)).norm();
            assert!(*u >= straight * (1.0 - 1e-12), "{name}: {u} {straight}");
            if mesh.kind == Kind::Planar {
                assert!(*u <= straight * (1.0 + 1e-9) + 1e-9, "{name}: {u} {straight}");
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let mut random = Random::new(8);
    let mesh = meshes::terrain(40, 0.3, 0.6, 0.02, &mut random);
    let origins = [vertex(&mesh, 5), vertex(&mesh, 900), vertex(&mesh, 1500)].concat();
    let bits = |threads: usize| {
        let found = Cpu::new(threads).unwrap().run(|| solved(&mesh, &origins, &[]));
        (found.u.iter().map(|u| u.to_bits()).collect::<Vec<u64>>(), found.source)
    };
    let one = bits(1);
    for threads in [2, 5] {
        assert_eq!(one, bits(threads));
    }
}

#[test]
fn paths_from_points_are_as_long_as_their_distance() {
    let mut random = Random::new(9);
    for _ in 0..20 {
        let mesh = meshes::terrain(4, 0.3, 1.0, 0.1, &mut random);
        let cell = below(mesh.n_cells(), &mut random);
        let (v, start) = (mesh.cells[0], point_in(&mesh, cell, &mut random));
        let there = solved(&mesh, &vertex(&mesh, v), &[Start::Point(start.into())]);
        let path = &there.paths[0];
        let back = solved(&mesh, &[Origin { cell, points: vec![start], start: 0.0 }], &[]);
        let expected = back.u[v as usize];
        if expected == f64::INFINITY {
            assert_eq!(path.source, None);
            continue;
        }
        assert!((path.length - expected).abs() < 1e-9, "{path:?} {expected}");
        let [first, last] = [path.points[0], path.points[path.points.len() - 1]].map(Vec3::from);
        assert!((first - start).norm() < 1e-12 && (last - x(&mesh, v)).norm() < 1e-12);
    }
}
