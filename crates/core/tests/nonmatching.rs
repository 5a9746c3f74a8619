//! Tests for meshes whose two sides are divided differently: with separate vertices and rounded
//! coordinates, and with faces that are cut along different diagonals.

use std::collections::HashMap;

use zeroset_core::mesh::repair::{Repairs, Weld, repair};
use zeroset_core::mesh::{Group, Kind, Members, Mesh, boundary};
use zeroset_testing::cell_geometry::measures;

/// Rounds a number to the given significant digits, or to single precision if `digits` is 0.
fn rounded(x: f64, digits: usize) -> f64 {
    match digits {
        0 => f64::from(x as f32),
        n => format!("{x:.*e}", n - 1).parse().unwrap(),
    }
}

/// Returns two unit squares of n by n and m by m quads, side by side and with their own vertices.
/// They are rotated by 0.3, moved by `offset`, and rounded.
fn squares(n: u32, m: u32, offset: f64, digits: usize) -> Mesh {
    let (mut vertices, mut cells) = (Vec::new(), Vec::new());
    for (low, n) in [(0.0, n), (1.0, m)] {
        let first = vertices.len() as u32;
        for k in 0..(n + 1) * (n + 1) {
            let x = low + f64::from(k % (n + 1)) / f64::from(n);
            let y = f64::from(k / (n + 1)) / f64::from(n);
            let (s, c) = 0.3_f64.sin_cos();
            let at = [offset + c * x - s * y, offset + s * x + c * y, 0.0];
            vertices.push(at.map(|x| rounded(x, digits)));
        }
        for k in 0..n * n {
            let a = first + k / n * (n + 1) + k % n;
            let (b, c, d) = (a + 1, a + n + 2, a + n + 1);
            cells.extend([a, b, c, a, c, d]);
        }
    }
    Mesh::new(Kind::Planar, vertices, cells)
}

/// Returns the length of the edges that belong to only one triangle.
fn perimeter(mesh: &Mesh) -> f64 {
    let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
    for t in mesh.iter_cells() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            *uses.entry([a.min(b), a.max(b)]).or_default() += 1;
        }
    }
    let length = |[a, b]: [u32; 2]| {
        let [x, y] = [a, b].map(|v| mesh.vertices[v as usize]);
        (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>().sqrt()
    };
    uses.into_iter().filter(|(_, n)| *n == 1).map(|(edge, _)| length(edge)).sum()
}

#[test]
fn rounded_sides_with_separate_vertices_are_joined() {
    for (offset, digits) in
        [(1000.0, 0), (300.0, 0), (0.0, 0), (100.0, 6), (10.0, 6), (0.0, 6), (10.0, 5), (0.0, 5)]
    {
        for (n, m) in [(4, 4), (4, 5), (4, 8), (3, 7), (8, 9), (10, 30)] {
            let (whole, done) = repair(squares(n, m, offset, digits), Repairs::default()).unwrap();
            let (length, doubts) = (perimeter(&whole), done.doubts());
            let what = format!("{n} {m} {offset} {digits}: {length} {doubts:?} {:?}", done.hanging);
            assert!((length - 6.0).abs() < 0.02, "{what}");
            // The only doubt is that a slit as narrow as the rounding would look the same.
            let is_of_rounding = |doubt: &String| doubt.contains("cannot be told from rounding");
            assert!(doubts.iter().all(is_of_rounding), "{what}");
            assert_eq!(doubts.len(), usize::from(done.hanging.rounded > 0), "{what}");
        }
    }
}

#[test]
fn sides_that_are_too_far_apart_are_refused() {
    // The second square is moved by 0.001 to the right. Its coordinates are precise.
    let mut mesh = squares(4, 5, 0.0, 17);
    mesh.vertices[25..].iter_mut().for_each(|x| x[0] += 1e-3);
    let (apart, done) = repair(mesh.clone(), Repairs::default()).unwrap();
    assert!((perimeter(&apart) - 8.0).abs() < 1e-2);
    assert!(done.unmatched.apart >= 8, "{:?}", done.unmatched);
    assert!(done.refuse(Weld::Within(1e-9), apart.n_cells()).is_ok());
    let doubts = done.refuse(Weld::Auto, apart.n_cells()).unwrap_err().to_string();
    // With the length that the message states, `weld` joins the squares.
    let (_, length) = doubts.split_once("`weld = ").unwrap();
    let length: f64 = length.split_once('`').unwrap().0.parse().unwrap();
    let repairs = Repairs { weld: Weld::Within(length), ..Repairs::default() };
    let (whole, done) = repair(mesh, repairs).unwrap();
    assert!((perimeter(&whole) - 6.0).abs() < 1e-2, "{}", perimeter(&whole));
    assert!(done.doubts().is_empty(), "{:?}", done.doubts());
}

#[test]
fn squares_beside_each_other_or_folded_are_no_doubt() {
    // One square ends where the other begins, or lies above it.
    let mut mesh = squares(4, 5, 0.0, 17);
    mesh.vertices[25..].iter_mut().for_each(|x| x[1] += 1.5);
    let (_, done) = repair(mesh, Repairs::default()).unwrap();
    assert!(done.is_nothing() && done.doubts().is_empty(), "{:?}", done.doubts());
    let mut folded = squares(4, 5, 0.0, 17);
    folded.kind = Kind::Surface;
    let first = folded.vertices[..25].to_vec();
    let finer = squares(5, 5, 0.0, 17);
    let above = finer.vertices[..36].iter().map(|x| [x[0], x[1], 1e-4]);
    folded.vertices = first.into_iter().chain(above).collect();
    let (_, done) = repair(folded, Repairs::default()).unwrap();
    assert!(done.is_nothing() && done.doubts().is_empty(), "{:?}", done.doubts());
}

/// Returns two unit cubes of n^3 and m^3 hexahedra side by side, each divided into six tetrahedra.
/// The second cube is mirrored, so that the diagonals on the common side differ.
fn cubes(n: u32, m: u32, is_shared: bool) -> Mesh {
    const PATHS: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let (mut vertices, mut cells) = (Vec::new(), Vec::new());
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
    for (cube, n) in [n, m].into_iter().enumerate() {
        if !is_shared {
            numbers.clear();
        }
        let mut vertex = |i: [u32; 3]| {
            let mut x = i.map(|k| f64::from(k) / f64::from(n));
            if cube == 1 {
                x = [1.0 + x[0], 1.0 - x[1], x[2]];
            }
            *numbers.entry(x.map(f64::to_bits)).or_insert_with(|| {
                vertices.push(x);
                vertices.len() as u32 - 1
            })
        };
        for k in 0..n * n * n {
            let low = [k % n, k / n % n, k / n / n];
            for path in PATHS {
                let mut at = low;
                cells.push(vertex(at));
                for axis in path {
                    at[axis] += 1;
                    cells.push(vertex(at));
                }
            }
        }
    }
    Mesh::new(Kind::Volume, vertices, cells)
}

fn area(surface: &Mesh) -> f64 {
    measures(surface).iter().sum()
}

#[test]
fn faces_inside_a_mesh_are_a_doubt_and_not_on_its_boundary() {
    for (n, m, is_shared) in
        [(2, 2, true), (2, 4, true), (4, 2, true), (2, 2, false), (1, 3, false), (2, 3, false)]
    {
        let mesh = cubes(n, m, is_shared);
        // The boundary is correct both before and after the repair.
        let found = boundary(&mesh, Some(Weld::Auto)).unwrap();
        let what = format!("{n} {m} {is_shared} {}", area(&found.surface));
        assert!((area(&found.surface) - 10.0).abs() < 1e-9 && found.partial == 0, "{what}");
        assert!(found.left_out > 0 && found.doubts().count() == 1, "{what}");
        let (whole, done) = repair(mesh.clone(), Repairs::default()).unwrap();
        let found = boundary(&whole, Some(Weld::Auto)).unwrap();
        assert!((area(&found.surface) - 10.0).abs() < 1e-9, "{what} {}", area(&found.surface));
        assert_eq!((found.left_out, found.partial), (done.unmatched.faces, done.unmatched.partial));
        assert_eq!(done.unmatched.apart, 0, "{what}");
        let doubts = done.doubts().concat();
        assert!(doubts.contains("do not match"), "{what} {doubts}");
        // Without left-out faces, the surface is closed.
        let all = boundary(&mesh, None).unwrap();
        assert_eq!((all.left_out, area(&all.surface).round()), (0, 12.0));
    }
}

#[test]
fn sides_that_are_kept_apart_stay_on_the_boundary() {
    let mut mesh = cubes(2, 3, false);
    let never = boundary(&mesh, Some(Weld::Never)).unwrap();
    assert!((area(&never.surface) - 12.0).abs() < 1e-9 && never.left_out == 0);
    let members = Members::Cells((0..48).collect());
    mesh.groups.push(Group { name: "left".into(), members });
    let materials = boundary(&mesh, Some(Weld::Auto)).unwrap();
    assert!((area(&materials.surface) - 12.0).abs() < 1e-9 && materials.left_out == 0);
}

#[test]
fn matching_meshes_have_no_doubt() {
    let mut first = cubes(3, 3, true);
    first.cells.truncate(27 * 24);
    let (_, done) = repair(first.clone(), Repairs::default()).unwrap();
    assert!(done.is_nothing() && done.doubts().is_empty(), "{:?}", done.doubts());
    let found = boundary(&first, Some(Weld::Auto)).unwrap();
    assert!((area(&found.surface) - 6.0).abs() < 1e-9 && found.left_out == 0);
}
