//! Tests the warnings about coordinates that are rounded coarsely compared with the edges.

use zeroset_core::mesh::repair::{Repairs, Thinness, Weld, repair};
use zeroset_core::mesh::{Kind, Mesh};

const WITHOUT_REPAIR: Repairs = Repairs { weld: Weld::Auto, degenerate: None };

/// Returns the cells of a square grid of n by n vertices.
fn cells(n: u32) -> Vec<u32> {
    let corner = |i: u32, j: u32| j * n + i;
    let squares = (0..(n - 1) * (n - 1)).map(|k| (k % (n - 1), k / (n - 1)));
    squares
        .flat_map(|(i, j)| {
            let [a, b] = [corner(i, j), corner(i + 1, j)];
            let [c, d] = [corner(i + 1, j + 1), corner(i, j + 1)];
            [a, b, c, a, c, d]
        })
        .collect()
}

/// Returns a triangulated square with 12 by 12 vertices that are about `edge` apart, at random
/// places near a regular grid. Its lower corner is at (far, far).
fn square(edge: f64, far: f64, round: impl Fn(f64) -> f64) -> Mesh {
    let mut state = 7_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let mut vertices = Vec::new();
    for k in 0..144 {
        let mut near = |i: u32| edge * (f64::from(i) + 0.3 * (random() - 0.5)) + far;
        vertices.push([round(near(k % 12)), round(near(k / 12)), 0.0]);
    }
    Mesh::new(Kind::Planar, vertices, cells(12))
}

fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Rounds to a given number of decimals, as a text file does.
fn decimals(n: usize) -> impl Fn(f64) -> f64 {
    move |x| format!("{x:.n$}").parse().unwrap()
}

fn doubts(mesh: &Mesh) -> String {
    repair(mesh.clone(), Repairs::default()).unwrap().1.doubts().concat()
}

#[test]
fn singles_far_from_the_origin_are_doubtful() {
    // The spacing of 32-bit numbers is 1/128 at 1e5.
    let far = square(0.1, 1e5, single);
    let (_, done) = repair(far.clone(), Repairs::default()).unwrap();
    assert_eq!((done.coarse.spacing, done.coarse.share), (1.0 / 128.0, 1.0));
    assert!((done.coarse.edge / 0.1138 - 1.0).abs() < 0.05, "{:?}", done.coarse);
    let text = doubts(&far);
    assert!(text.contains("32-bit numbers with steps of 0.007812"), "{text}");
    assert!(text.contains("subtract an origin"), "{text}");
    for fine in [square(0.1, 1e3, single), square(0.1, 1e5, |x| x), square(1.0, 1e5, single)] {
        assert_eq!(doubts(&fine), "");
    }
}

#[test]
fn meshes_rounded_by_a_quarter_of_an_edge_are_refused() {
    // The spacing of 32-bit numbers is 1/32 at 5e5.
    let far = square(0.1, 5e5, single);
    for thinness in [Thinness::Degenerate, Thinness::Thin] {
        let repairs = Repairs { degenerate: Some(thinness), ..Repairs::default() };
        let message = repair(far.clone(), repairs).unwrap_err().to_string();
        assert!(message.contains("32-bit numbers with steps of 0.03125"), "{message}");
        assert!(message.contains("repair = \"never\""), "{message}");
    }
    for repairs in [WITHOUT_REPAIR, Repairs::NONE] {
        let (_, done) = repair(far.clone(), repairs).unwrap();
        assert!(done.coarse.is_unreliable, "{:?}", done.coarse);
        assert!(done.doubts().concat().contains("results are unreliable"));
    }
}

#[test]
fn a_fine_part_of_a_mesh_is_doubtful() {
    // One of eleven columns is 0.01 wide.
    let x = |i: u32| if i < 11 { f64::from(i) } else { 10.01 };
    let at = |k: u32| [single(1e5 + x(k % 12)), single(1e5 + 0.02 * f64::from(k / 12)), 0.0];
    let mesh = Mesh::new(Kind::Planar, (0..144).map(at).collect(), cells(12));
    let (_, done) = repair(mesh, Repairs::default()).unwrap();
    assert!((done.coarse.share - 1.0 / 11.0).abs() < 1e-9, "{:?}", done.coarse);
    assert!(!done.coarse.is_unreliable);
}

#[test]
fn exact_32_bit_numbers_are_not_doubtful() {
    let at = |k: u32| [5e6 + f64::from(k % 12), 5e6 + f64::from(k / 12), 0.0];
    assert_eq!(doubts(&Mesh::new(Kind::Planar, (0..144).map(at).collect(), cells(12))), "");
}

#[test]
fn few_decimals_are_doubtful_unless_they_look_exact() {
    for (edge, n) in [(1.0, 1), (10.0, 0), (0.01, 3)] {
        let text = doubts(&square(edge, 300.0, decimals(n)));
        assert!(text.contains("so they were probably rounded"), "{edge}: {text}");
        assert!(text.contains("if the coordinates are exact"), "{text}");
    }
    assert_eq!(doubts(&square(1.0, 300.0, decimals(2))), "");
    // 32-bit numbers with few decimals.
    assert!(doubts(&square(1.0, 3.0, |x| single(decimals(1)(x)))).contains("multiples of 0.1"));
    // A grid, and a square cut along its diagonals, both with one decimal.
    for steps in [[0.1, 0.1], [0.3, 0.4], [5.0, 7.0]] {
        let at = |k: u32| [steps[0] * f64::from(k % 12), steps[1] * f64::from(k / 12), 0.0];
        let vertices = (0..144).map(|k| at(k).map(decimals(1))).collect();
        assert_eq!(doubts(&Mesh::new(Kind::Planar, vertices, cells(12))), "");
    }
    // Six triangles are too few to tell.
    let few =
        Mesh::new(Kind::Planar, square(1.0, 0.0, decimals(1)).vertices, cells(12)[..18].into());
    assert_eq!(doubts(&few), "");
}

/// Returns two squares with separate vertices, one with edges twice as long as the other. Both are
/// rotated, so that rounding moves the hanging nodes off the edges.
fn two_sides(round: impl Fn(f64) -> f64) -> Mesh {
    let mut vertices = Vec::new();
    let mut all = Vec::new();
    for (n, left) in [(5, 0.0), (9, 1.0)] {
        let base = vertices.len() as u32;
        for k in 0..n * n {
            let step = 1.0 / f64::from(n - 1);
            let (x, y) = (left + step * f64::from(k % n), step * f64::from(k / n));
            vertices.push([round(0.8 * x - 0.6 * y + 0.11), round(0.6 * x + 0.8 * y), 0.0]);
        }
        all.extend(cells(n).iter().map(|v| v + base));
    }
    Mesh::new(Kind::Planar, vertices, all)
}

#[test]
fn gaps_within_the_rounding_are_closed_with_a_doubt() {
    let rounded = two_sides(|x| decimals(3)(x * 1.007));
    let (_, done) = repair(rounded.clone(), Repairs::default()).unwrap();
    assert_eq!(done.hanging.nodes, 4, "{:?}", done.hanging);
    assert!(done.hanging.rounded > 0 && done.hanging.rounded_distance < 2e-3);
    let text = done.doubts().concat();
    assert!(text.contains("cannot be told from rounding"), "{text}");
    let apart = Repairs { weld: Weld::Never, ..Repairs::default() };
    let (_, done) = repair(rounded, apart).unwrap();
    assert_eq!((done.hanging.nodes, done.hanging.rounded), (0, 0));
    let (_, done) = repair(two_sides(|x| x * 1.007), Repairs::default()).unwrap();
    assert_eq!((done.hanging.nodes, done.hanging.rounded), (4, 0));
}
