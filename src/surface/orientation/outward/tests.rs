use std::f64::consts::PI;

use super::*;
use crate::mesh::generate::{Generate, Sphere, Torus, generate};
use crate::mesh::repair::{Repairs, Weld};
use crate::surface::repaired;

/// Returns the unit cube at `origin`, scaled by `size`: twelve triangles that face outward.
fn cube(origin: [f64; 3], size: f64) -> Mesh {
    let corner = |k: usize| [0, 1, 2].map(|a| origin[a] + size * ((k >> a) & 1) as f64);
    #[rustfmt::skip]
    let cells = vec![
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
    ];
    Mesh::new(Kind::Surface, (0..8).map(corner).collect(), cells)
}

fn sphere(radius: f64, center: [f64; 3]) -> Mesh {
    let sphere = Sphere { radius, center, subdivisions: Some(3), ..Sphere::default() };
    generate(&Generate::Sphere(sphere)).unwrap()
}

/// Puts surfaces into one mesh, without joining anything.
fn together(meshes: &[Mesh]) -> Mesh {
    let mut all = Mesh::new(Kind::Surface, Vec::new(), Vec::new());
    for mesh in meshes {
        let first = all.n_vertices() as u32;
        all.cells.extend(mesh.cells.iter().map(|v| v + first));
        all.vertices.extend(&mesh.vertices);
    }
    all
}

/// Gives each triangle its own vertices.
fn soup(mesh: &Mesh) -> Mesh {
    let vertices: Vec<_> = mesh.cells.iter().map(|&v| mesh.vertices[v as usize]).collect();
    let cells = (0..vertices.len() as u32).collect();
    Mesh::new(Kind::Surface, vertices, cells)
}

/// Reverses about half of the triangles.
fn shuffled(mut mesh: Mesh, seed: u64) -> Mesh {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for t in mesh.cells.chunks_exact_mut(3) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state & 64 > 0 {
            t.swap(1, 2);
        }
    }
    mesh
}

fn inverted(mut mesh: Mesh) -> Mesh {
    mesh.cells.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
    mesh
}

fn volume(mesh: &Mesh) -> f64 {
    let corner = |v: u32| Vec3::from(mesh.vertices[v as usize]);
    let of = |t: &[u32]| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2]))) / 6.0;
    mesh.iter_cells().map(of).sum()
}

fn oriented(mut mesh: Mesh) -> (Mesh, Outward) {
    let found = orient_outward(&mut mesh);
    (mesh, found)
}

#[test]
fn a_cube_faces_outward_for_every_winding_of_its_triangles() {
    for winding in 0_u32..1 << 12 {
        let mut mesh = cube([0.0; 3], 1.0);
        for (k, t) in mesh.cells.chunks_exact_mut(3).enumerate() {
            if winding >> k & 1 == 1 {
                t.swap(0, 1);
            }
        }
        let (mesh, found) = oriented(mesh);
        assert_eq!(found.turned, winding.count_ones() as usize);
        assert!((volume(&mesh) - 1.0).abs() < 1e-12, "{winding}: {}", volume(&mesh));
    }
}

#[test]
fn soups_face_outward_whether_they_are_joined_or_not() {
    for seed in 0..20 {
        let mixed = soup(&shuffled(cube([5.0, -3.0, 2.0], 1.0), seed));
        let (joined, done) = repaired(mixed.clone(), Repairs::default()).unwrap();
        assert_eq!((joined.n_vertices(), done.repair.join.vertices), (8, 28));
        assert!((volume(&joined) - 1.0).abs() < 1e-12, "{seed}: {}", volume(&joined));
        let (apart, _) = oriented(mixed);
        assert!((volume(&apart) - 1.0).abs() < 1e-12, "{seed}: {}", volume(&apart));
    }
    let torus = generate(&Generate::Torus(Torus::default())).unwrap();
    let right = volume(&torus);
    let (found, done) = oriented(soup(&shuffled(torus, 1)));
    assert!((volume(&found) - right).abs() < 1e-9 && done.turned > 100, "{}", volume(&found));
}

#[test]
fn cubes_that_touch_face_outward() {
    // The cubes share a vertex, an edge, or half of an edge.
    for other in [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.5]] {
        for seed in 0..8 {
            let both = together(&[cube([0.0; 3], 1.0), cube(other, 1.0)]);
            let within = Repairs { weld: Weld::Within(1e-9), ..Repairs::default() };
            let (mesh, _) = repaired(shuffled(both, seed), within).unwrap();
            assert!((volume(&mesh) - 2.0).abs() < 1e-12, "{other:?}: {}", volume(&mesh));
        }
    }
}

#[test]
fn cubes_with_a_wall_between_them_face_outward() {
    // The triangles of the wall occur twice, and the repair leaves one of each.
    let both = shuffled(together(&[cube([0.0; 3], 1.0), cube([1.0, 0.0, 0.0], 1.0)]), 3);
    let within = Repairs { weld: Weld::Within(1e-9), degenerate: None };
    let (mesh, done) = repaired(both, within).unwrap();
    assert_eq!((mesh.n_cells(), done.repair.duplicates.cells), (22, 2));
    let center = Vec3::new(1.0, 0.5, 0.5);
    for t in 0..22 {
        let [a, b, c] = corners(&mesh.vertices, &mesh.cells, t);
        let (normal, middle) = ((b - a).cross(&(c - a)), (a + b + c) / 3.0);
        let is_wall = [a, b, c].iter().all(|x| x.x == 1.0);
        assert!(is_wall || normal.dot(&(middle - center)) > 0.0, "{t}");
    }
}

#[test]
fn shells_in_shells_keep_their_relation_or_become_cavities() {
    let (outer, inner) = (sphere(1.0, [0.1, 0.2, 0.3]), sphere(0.4, [0.3, 0.2, 0.3]));
    let (large, small) = (volume(&outer), volume(&inner));
    assert!(large < 4.0 / 3.0 * PI && small > 0.06 * large);
    let check = |meshes: [Mesh; 2], right: f64, cavities: usize| {
        let (mesh, found) = oriented(together(&meshes));
        assert!((volume(&mesh) - right).abs() < 1e-12, "{} for {right}", volume(&mesh));
        assert_eq!(found.cavities, cavities);
    };
    // A cavity, even if everything is inside out, and a solid in a solid.
    check([outer.clone(), inverted(inner.clone())], large - small, 1);
    check([inverted(outer.clone()), inner.clone()], large - small, 1);
    check([outer.clone(), inner.clone()], large + small, 0);
    check([inverted(outer.clone()), inverted(inner.clone())], large + small, 0);
    check([inner.clone(), outer.clone()], large + small, 0);
    // If a shell is not oriented, the inner one is a cavity.
    check([shuffled(outer.clone(), 4), shuffled(inner.clone(), 5)], large - small, 1);
    check([shuffled(outer.clone(), 4), inverted(inner.clone())], large - small, 1);
    check([outer.clone(), shuffled(inner.clone(), 6)], large - small, 1);
    // Shells that intersect or lie side by side are solids.
    for x in [0.9, 3.0] {
        let both = [shuffled(outer.clone(), 7), shuffled(sphere(0.4, [x, 0.2, 0.3]), 8)];
        check(both, large + small, 0);
    }
    let three = [0.2, 1.0, 0.5].map(|radius| shuffled(sphere(radius, [0.0; 3]), 9));
    let right = [0.2, 1.0, 0.5].map(|radius| volume(&sphere(radius, [0.0; 3])));
    let (mesh, _) = oriented(together(&three));
    assert!((volume(&mesh) - (right[1] - right[2] + right[0])).abs() < 1e-12);
}

#[test]
fn open_components_keep_the_orientation_of_most_of_their_area() {
    let mut bowl = sphere(1.0, [0.0; 3]);
    let is_low = |t: &[u32]| t.iter().all(|&v| bowl.vertices[v as usize][2] < 0.1);
    bowl.cells = bowl.iter_cells().filter(|t| is_low(t)).flatten().copied().collect();
    for whole in [bowl.clone(), inverted(bowl.clone())] {
        let mut few = whole.clone();
        few.cells.chunks_exact_mut(3).step_by(20).for_each(|t| t.swap(1, 2));
        let (found, done) = oriented(few);
        assert_eq!(done.turned, whole.n_cells().div_ceil(20));
        assert!((volume(&found) - volume(&whole)).abs() < 1e-12);
        // Two bowls apart from each other keep their orientations, too.
        let mut other = whole.clone();
        other.vertices.iter_mut().for_each(|x| x[0] += 5.0);
        let both = together(&[whole, other]);
        assert_eq!(oriented(both).1, Outward::default());
    }
    // Planar triangles have no outside.
    let mut square = Mesh::new(
        Kind::Planar,
        vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        vec![0, 2, 1, 0, 2, 3],
    );
    assert_eq!(orient_outward(&mut square).turned, 1);
    assert_eq!(square.cells, [0, 2, 1, 0, 3, 2]);
}

#[test]
fn a_moebius_strip_does_not_change_and_an_edge_is_named() {
    let vertices = (0..5).map(|k| [f64::from(k), f64::from(k * k), 0.3]).collect();
    let strip = vec![0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 0, 4, 0, 1];
    let mesh = Mesh::new(Kind::Surface, vertices, strip.clone());
    let (found, done) = oriented(mesh);
    assert_eq!((found.cells, done.turned, done.one_sided), (strip.clone(), 0, 1));
    let [a, b] = done.one_sided_edge.unwrap();
    assert!(strip.chunks_exact(3).filter(|t| t.contains(&a) && t.contains(&b)).count() == 2);
    let doubt = done.doubts().next().unwrap();
    assert!(doubt.contains("1 component has only one side, like a Moebius strip"), "{doubt}");
    assert!(doubt.contains(&format!("vertices {a} and {b}")), "{doubt}");
}

#[test]
fn a_fan_at_one_edge_takes_linear_time() {
    let n = 30_000_u32;
    let mut vertices = vec![[0.0; 3], [0.0, 0.0, 1.0]];
    let turn = |k: u32| 2.0 * PI * f64::from(k) / f64::from(n);
    vertices.extend((0..n).map(|k| [turn(k).cos(), turn(k).sin(), 0.5]));
    let cells = (0..n).flat_map(|k| [0, 1, k + 2]).collect();
    let fan = Mesh::new(Kind::Surface, vertices, cells);
    // Intersecting every ray with all triangles would take minutes.
    let (same, found) = oriented(fan.clone());
    assert_eq!(same.cells, fan.cells);
    assert!(found.undecided > 0 && found.doubts().next().unwrap().contains("may face inward"));
}
