//! Tests of distances from a surface at the points of a lattice.

use super::*;
use crate::mesh::Mesh;
use crate::mesh::generate::{Generate, Sphere, Torus, generate};
use crate::surface::SignedDistances;
use std::collections::{BTreeMap, BTreeSet};

fn sphere() -> Mesh {
    generate(&Generate::Sphere(Sphere { subdivisions: Some(3), ..Sphere::default() })).unwrap()
}

fn torus() -> Mesh {
    generate(&Generate::Torus(Torus::default())).unwrap()
}

/// Combines two meshes.
fn together(a: &Mesh, b: &Mesh, moved: [f64; 3]) -> Mesh {
    let mut all = a.clone();
    let shifted = b.vertices.iter().map(|x| std::array::from_fn(|k| x[k] + moved[k]));
    all.vertices.extend(shifted);
    all.cells.extend(b.cells.iter().map(|v| v + a.n_vertices() as u32));
    all
}

fn keep(mesh: &Mesh, chosen: impl Fn(usize) -> bool) -> Mesh {
    let cells = mesh.iter_cells().enumerate().filter(|(k, _)| chosen(*k));
    Mesh { cells: cells.flat_map(|(_, t)| t.to_vec()).collect(), ..mesh.clone() }
}

/// Compares the values of all voxels of a box around the mesh with distances that are computed one
/// by one. Returns the number of active blocks and the number of voxels whose side is undecided.
fn compare(mesh: &Mesh, voxels: i32, edge: i32, half_width: f64) -> (usize, usize) {
    let (low, high) = mesh.bounds();
    let spacing = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max) / f64::from(voxels);
    let origin = [0.123, -0.077, 0.031];
    let surface = LatticeDistance::new(&mesh.vertices, &mesh.cells, origin, spacing, half_width);
    let listed = surface.blocks(edge as usize).unwrap();
    assert!(listed.is_sorted_by_key(|c| (c[2], c[1], c[0])));
    let places: Vec<BTreeSet<i32>> = (0..3)
        .map(|k| {
            let block = |x: f64| ((x - origin[k]) / spacing / f64::from(edge)).floor() as i32;
            (block(low[k]) - 2..=block(high[k]) + 2).collect()
        })
        .collect();
    let listed: BTreeSet<[i32; 3]> = listed.into_iter().collect();
    let (mut active, mut seen, mut doubts, mut cut_down) = (0, 0, 0, 0);
    let span = f64::from(edge - 1);
    for &z in &places[2] {
        for &y in &places[1] {
            for &x in &places[0] {
                let corner = [x, y, z].map(|c| c * edge);
                let mut values = vec![0.0_f64; edge.pow(3) as usize];
                let filled = surface.fill(corner, edge as usize, &mut values);
                let points: Vec<[f64; 3]> = (0..edge.pow(3))
                    .map(|k| [k % edge, k / edge % edge, k / (edge * edge)])
                    .map(|p| std::array::from_fn(|k| f64::from(corner[k] + p[k])))
                    .collect();
                let expected: SignedDistances = surface.index.signed_distances(&points);
                for ((found, exact), p) in values.iter().zip(&expected.values).zip(&points) {
                    let clamped = exact.clamp(-half_width, half_width);
                    let winding = surface.index.winding_number(*p).abs();
                    let film = (winding - 0.5).abs() / surface.rims.steepest((*p).into(), 0.0);
                    let in_box = surface.film(Vec3::from(corner.map(f64::from)), span);
                    let size = if in_box { clamped.abs().min(film) } else { clamped.abs() };
                    let close = (found.abs() - size).abs() < 1e-13;
                    assert!(close, "{found} for {size} at {p:?} of block {corner:?}");
                    assert_eq!(*found < 0.0, *exact < 0.0, "at {p:?} of block {corner:?}");
                    cut_down += usize::from(size < clamped.abs());
                }
                assert_eq!(
                    (filled.undecided, filled.inverted),
                    (expected.undecided, expected.inverted)
                );
                // All voxels near the surface and all sign changes lie in the returned blocks.
                let near = values.iter().any(|v| v.abs() < half_width);
                let mixed = values.iter().any(|v| (*v < 0.0) != (values[0] < 0.0));
                assert_eq!(filled.active, near);
                assert!(near || !mixed);
                assert!(listed.contains(&corner) || !filled.active, "block {corner:?}");
                assert_eq!(surface.is_inside(corner), values[0] < 0.0);
                active += usize::from(filled.active);
                seen += 1;
                doubts += filled.undecided;
            }
        }
    }
    assert!(active > 0 && active < seen);
    assert_eq!(cut_down > 0, !surface.rims.is_empty());
    assert!(listed.len() <= 3 * active, "{} blocks for {active}", listed.len());
    (active, doubts)
}

#[test]
fn closed_surfaces_have_the_distances_of_a_search_voxel_by_voxel() {
    for (mesh, edge) in [(sphere(), 4), (torus(), 8), (torus(), 4)] {
        let (_, doubts) = compare(&mesh, 20, edge, 3.0);
        assert_eq!(doubts, 0);
    }
    compare(&sphere(), 6, 4, 1.5);
    // Triangles that are much larger than voxels.
    let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let cells = vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    compare(&Mesh::new(crate::mesh::Kind::Surface, corner.to_vec(), cells), 30, 4, 2.0);
}

#[test]
fn dirty_surfaces_have_the_signs_of_their_winding_numbers() {
    let ball = sphere();
    // Two overlapping balls, and a ball that contains a smaller ball with inward normals.
    compare(&together(&ball, &ball, [0.7, 0.2, 0.1]), 20, 4, 3.0);
    let mut shell = ball.clone();
    shell.vertices.iter_mut().for_each(|x| *x = x.map(|c| 0.5 * c));
    shell.cells.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
    compare(&together(&ball, &shell, [0.0; 3]), 20, 4, 2.0);
    // Scattered small holes, one large hole, and triangles with the wrong orientation.
    let holes = keep(&ball, |k| k % 97 > 2);
    let cap = keep(&ball, |k| ball.vertices[ball.cells[3 * k] as usize][2] < 0.6);
    let mut turned = ball.clone();
    turned.cells.as_chunks_mut::<3>().0.iter_mut().step_by(50).for_each(|t| t.swap(0, 1));
    for mesh in [holes, cap, turned] {
        let (_, doubts) = compare(&mesh, 20, 4, 2.0);
        assert!(doubts > 0);
    }
}

#[test]
fn phi_does_not_jump_over_a_wide_hole() {
    // Half a ball. Its film lies many voxels from all triangles.
    let ball = sphere();
    let half = keep(&ball, |k| ball.vertices[ball.cells[3 * k] as usize][2] < 0.0);
    compare(&half, 32, 4, 2.0);
    let surface = LatticeDistance::new(&half.vertices, &half.cells, [0.0; 3], 1.0 / 16.0, 2.0);
    let mut phi = BTreeMap::new();
    for corner in surface.blocks(4).unwrap() {
        let mut values = [0.0_f64; 64];
        surface.fill(corner, 4, &mut values);
        for (k, value) in values.into_iter().enumerate() {
            let place = place(k, 4);
            phi.insert([0, 1, 2].map(|a| corner[a] + place[a] as i32), value);
        }
    }
    let mut on_film = 0;
    for (&voxel, &value) in &phi {
        for a in 0..3 {
            let mut other = voxel;
            other[a] += 1;
            let Some(&next) = phi.get(&other) else {
                assert!(value.abs() >= 1.0, "{value} at {voxel:?}, by no block");
                continue;
            };
            assert!((next - value).abs() < 1.6, "{value} and {next} at {voxel:?}");
            let away = voxel[0].abs().max(voxel[1].abs()) < 8 && voxel[2] > -6;
            on_film += usize::from(away && (value < 0.0) != (next < 0.0));
        }
    }
    assert!(on_film > 100, "{on_film}");
}

#[test]
fn far_surfaces_and_none_are_told() {
    let ball = sphere();
    let tiny = LatticeDistance::new(&ball.vertices, &ball.cells, [0.0; 3], 1e-8, 2.0);
    let error = tiny.blocks(4).unwrap_err().to_string();
    assert!(error.contains("voxels from the origin"), "{error}");
    let none = LatticeDistance::new(&[], &[], [0.0; 3], 1.0, 2.0);
    assert_eq!(none.blocks(4).unwrap(), Vec::<[i32; 3]>::new());
    let mut values = [0.0_f32; 64];
    assert_eq!(none.fill([0; 3], 4, &mut values), Filled::default());
    assert_eq!(values, [2.0; 64]);
}

#[test]
fn lists_do_not_depend_on_threads() {
    let mesh = torus();
    let surface = LatticeDistance::new(&mesh.vertices, &mesh.cells, [0.0; 3], 0.02, 3.0);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| surface.blocks(4).unwrap())
    };
    assert_eq!(run(1), run(3));
}
