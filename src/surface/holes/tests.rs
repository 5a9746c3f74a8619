use std::f64::consts::PI;

use super::*;
use crate::mesh::generate::{Generate, Sphere, generate};
use crate::mesh::{Group, part};
use crate::surface::{Orientation, Topology, orient};

fn sphere() -> Mesh {
    let sphere = Sphere { subdivisions: Some(4), ..Sphere::default() };
    generate(&Generate::Sphere(sphere)).unwrap()
}

/// Returns the part of a mesh whose cells satisfy a condition on their corners.
fn where_all(mesh: Mesh, holds: impl Fn([f64; 3]) -> bool) -> Mesh {
    let keep: Vec<bool> =
        mesh.iter_cells().map(|t| t.iter().all(|&v| holds(mesh.vertices[v as usize]))).collect();
    part(mesh, &keep).0
}

fn area(mesh: &Mesh) -> f64 {
    Parts::new(mesh).areas(mesh).iter().sum()
}

fn volume(mesh: &Mesh) -> f64 {
    mesh.iter_cells()
        .map(|t| at(mesh, t[0]).dot(&at(mesh, t[1]).cross(&at(mesh, t[2]))))
        .sum::<f64>()
        / 6.0
}

/// Returns a grid of `n` by `n` squares over the unit square, with height `z`, and without the
/// squares for which `is_hole` is true.
fn grid(n: usize, z: impl Fn(f64, f64) -> f64, is_hole: impl Fn(usize, usize) -> bool) -> Mesh {
    let h = 1.0 / n as f64;
    let vertices = (0..(n + 1) * (n + 1))
        .map(|k| ((k % (n + 1)) as f64 * h, (k / (n + 1)) as f64 * h))
        .map(|(x, y)| [x, y, z(x, y)])
        .collect();
    let mut cells = Vec::new();
    for (i, j) in (0..n * n).map(|k| (k % n, k / n)).filter(|&(i, j)| !is_hole(i, j)) {
        let [a, b] = [j * (n + 1) + i, (j + 1) * (n + 1) + i].map(|v| v as u32);
        cells.extend([a, a + 1, b + 1, a, b + 1, b]);
    }
    Mesh::new(Kind::Surface, vertices, cells)
}

fn is_consistent(mesh: &Mesh) -> bool {
    let found = Topology::of(mesh);
    let mut cells = mesh.cells.clone();
    let oriented: Orientation = orient(&mesh.vertices, &mut cells);
    found.nonmanifold_edges == 0 && oriented.turned == 0 && oriented.one_sided == 0
}

#[test]
fn small_holes_of_a_sphere_are_closed() {
    let whole = sphere();
    for gap in [[0.9, 0.0, 0.0], [0.99, 0.0, 0.0], [0.9, 0.95, 0.99]] {
        let is_kept = |x: [f64; 3]| (0..3).all(|k| gap[k] == 0.0 || x[k] < gap[k]);
        let mut mesh = where_all(whole.clone(), is_kept);
        let n_holes = gap.iter().filter(|&&g| g > 0.0).count();
        assert_eq!(Topology::of(&mesh).holes.len(), n_holes);
        let before = (mesh.n_vertices(), mesh.n_cells());
        let found = fill_holes(&mut mesh, HoleSize::Any);
        let topology = Topology::of(&mesh);
        assert!(topology.closed && topology.genus == Some(0), "{topology}");
        assert_eq!((found.holes, found.unfit, found.left_open), (n_holes, 0, 0));
        assert_eq!(mesh.n_vertices() - before.0, found.vertices);
        assert_eq!(mesh.n_cells() - before.1, found.triangles);
        // The fillings are nearly flat, so the missing caps are the difference in volume.
        let cap = |g: f64| if g > 0.0 { PI * (1.0 - g) * (1.0 - g) * (2.0 + g) / 3.0 } else { 0.0 };
        let lost: f64 = gap.iter().map(|&g| cap(g)).sum();
        let missing = volume(&whole) - volume(&mesh);
        assert!(missing > 0.0 && missing < 2.0 * lost + 0.01, "{missing} {lost}");
        assert!((area(&mesh) * found.fraction - found.area).abs() < 1e-9);
    }
}

#[test]
fn new_triangles_are_as_large_as_those_around_them() {
    let mut mesh = where_all(sphere(), |x| x[2] < 0.8);
    let edge = (area(&mesh) / mesh.n_cells() as f64 / 0.433).sqrt();
    let found = fill_holes(&mut mesh, HoleSize::Any);
    let of_one = found.area / found.triangles as f64;
    assert!((of_one / (0.433 * edge * edge) - 1.0).abs() < 0.6, "{of_one} {edge}");
    // The boundary lies below z = 0.8, and a flat disk has the smallest area.
    assert!(found.area < 1.1 * PI * (1.0 - 0.75 * 0.75) && found.vertices > 20, "{found:?}");
    assert!(is_consistent(&mesh) && Topology::of(&mesh).closed);
    let warnings = found.warnings();
    assert!(warnings[0].starts_with("1 hole with "), "{warnings:?}");
    assert!(warnings[0].contains(" % of the surface, is invented"), "{warnings:?}");
}

#[test]
fn a_flat_hole_is_filled_exactly_for_any_shape() {
    // A C-shaped hole, which is far from convex, and a comb-shaped one, which has many edges.
    let c = |i: usize, j: usize| {
        (5..15).contains(&i) && (5..15).contains(&j) && !(8..12).contains(&j)
            || (5..8).contains(&i) && (8..12).contains(&j)
    };
    let comb =
        |i: usize, j: usize| (3..57).contains(&i) && (3..50).contains(&j) && (i % 2 == 1 || j < 5);
    for (n, is_hole) in [(20, &c as &dyn Fn(usize, usize) -> bool), (60, &comb)] {
        let mut mesh = grid(n, |_, _| 0.0, is_hole);
        let before = area(&mesh);
        assert_eq!(Topology::of(&mesh).holes.len(), 2);
        let found = fill_holes(&mut mesh, HoleSize::Any);
        assert_eq!((found.holes, found.left_open + found.unfit), (1, 1), "{found:?}");
        assert!((before + found.area - 1.0).abs() < 1e-9, "{} {}", before, found.area);
        assert!((area(&mesh) - 1.0).abs() < 1e-9 && is_consistent(&mesh));
        assert_eq!(Topology::of(&mesh).holes.len(), 1);
        // All triangles face up.
        let upward = |t: &[u32]| {
            let [a, b, c] = [t[0], t[1], t[2]].map(|v| at(&mesh, v));
            (b - a).cross(&(c - a)).z > 0.0
        };
        assert!(mesh.iter_cells().all(upward));
    }
}

#[test]
fn the_area_decides_which_holes_are_filled() {
    let is_hole =
        |i: usize, j: usize| (i, j) == (2, 2) || ((10..14).contains(&i) && (3..7).contains(&j));
    let bumpy = |x: f64, y: f64| 0.02 * (9.0 * x).sin() * (7.0 * y).cos();
    let mesh = grid(20, bumpy, is_hole);
    let sizes = [
        (HoleSize::UpTo(0.001), 0, 3),
        (HoleSize::UpTo(0.003), 1, 2),
        (HoleSize::UpTo(0.05), 2, 1),
        (HoleSize::Any, 2, 1),
    ];
    for (size, holes, open) in sizes {
        let mut filled = mesh.clone();
        let found = fill_holes(&mut filled, size);
        let left = (found.holes, found.left_open + found.unfit);
        assert_eq!(left, (holes, open), "{size:?}: {found:?}");
        assert_eq!(Topology::of(&filled).holes.len(), open);
    }
    let mut all = mesh;
    let found = fill_holes(&mut all, HoleSize::Any);
    let warnings = found.warnings();
    assert_eq!(found.edges, 4 + 16);
    assert!(warnings[1].contains("1 boundary loop is left open, the longest with 80 edges"));
}

#[test]
fn tubes_close_and_triangles_stay() {
    // A tube of 12 by 10 quads, whose ends are holes.
    let at = |k: usize| {
        let angle = PI * (k % 12) as f64 / 6.0;
        [angle.cos(), angle.sin(), 0.5 * (k / 12) as f64]
    };
    let mut cells = Vec::new();
    for (i, j) in (0..120).map(|k| (k % 12, k / 12)) {
        let [a, b] = [12 * j + i, 12 * j + (i + 1) % 12].map(|v| v as u32);
        cells.extend([a, b, b + 12, a, b + 12, a + 12]);
    }
    let mut tube = Mesh::new(Kind::Surface, (0..132).map(at).collect(), cells.clone());
    let found = fill_holes(&mut tube, HoleSize::Any);
    assert_eq!((found.holes, found.edges), (2, 24));
    assert!(Topology::of(&tube).closed && tube.cells[..cells.len()] == cells);
    let base = 12.0 * 0.5 * (PI / 6.0).sin();
    assert!((found.area - 2.0 * base).abs() < 1e-9, "{}", found.area);
    assert!((volume(&tube) - 5.0 * base).abs() < 1e-9, "{}", volume(&tube));
    // The filling of a single triangle would lie on the triangle.
    let mut one = Mesh::new(Kind::Surface, tube.vertices[..3].to_vec(), vec![0, 1, 2]);
    let found = fill_holes(&mut one, HoleSize::UpTo(1e9));
    assert_eq!((found.holes, found.unfit, one.n_cells()), (0, 1, 1));
}

#[test]
fn arrays_and_groups_follow() {
    let mut mesh = where_all(sphere(), |x| x[2] < 0.8);
    let array = |values: Values| DataArray { name: "a".into(), components: 1, values };
    mesh.vertex_data = vec![
        array(Values::Float(mesh.vertices.iter().map(|x| x[0]).collect())),
        array(Values::Int(vec![7; mesh.n_vertices()])),
    ];
    mesh.vertex_data.extend(crate::mesh::normal_arrays(&mesh));
    mesh.cell_data = vec![array(Values::Int(vec![3; mesh.n_cells()]))];
    let members = Members::Cells((0..mesh.n_cells() as u32).collect());
    mesh.groups = vec![Group { name: "all".into(), members }];
    let n = mesh.n_vertices();
    let found = fill_holes(&mut mesh, HoleSize::Any);
    assert!(found.vertices > 0 && crate::mesh::assess(&mesh).unwrap().is_nothing());
    let Values::Float(x) = &mesh.vertex_data[0].values else { panic!() };
    assert!((n..mesh.n_vertices()).all(|v| (x[v] - mesh.vertices[v][0]).abs() < 0.2));
    assert_eq!(mesh.vertex_data[1].values, Values::Int(vec![7; mesh.n_vertices()]));
    assert_eq!(mesh.cell_data[0].values, Values::Int(vec![3; mesh.n_cells()]));
    let Members::Cells(all) = &mesh.groups[0].members else { panic!() };
    assert_eq!(all.len(), mesh.n_cells());
    let up = mesh.vertex_array("nz").unwrap().values.to_f64();
    assert!(up[n..].iter().all(|&z| z > 0.8));
}

#[test]
fn long_loops_that_are_not_flat_are_filled() {
    // A wavy band between two loops of 2000 edges.
    let n = 2000_u32;
    let at = |k: u32| {
        let angle = 2.0 * PI * f64::from(k % n) / f64::from(n);
        let r = if k < n { 1.0 } else { 1.01 };
        [r * angle.cos(), r * angle.sin(), 0.4 * (3.0 * angle).sin()]
    };
    let ring = |k: u32| [k, k + n, (k + 1) % n + n, k, (k + 1) % n + n, (k + 1) % n];
    let cells = (0..n).flat_map(ring).collect();
    let mut mesh = Mesh::new(Kind::Surface, (0..2 * n).map(at).collect(), cells);
    // The filling of one of the loops lies on the band.
    let found = fill_holes(&mut mesh, HoleSize::UpTo(100.0));
    assert_eq!((found.holes, found.unfit), (1, 1), "{found:?}");
    assert!(is_consistent(&mesh) && (found.area / PI - 1.3).abs() < 0.2, "{}", found.area);
    assert!(found.triangles <= 42_000, "{found:?}");
}
