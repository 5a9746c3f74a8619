//! Tests for cutting polygons in all positions.

use proptest::prelude::*;

use super::*;

fn flat(corners: &[[f64; 2]]) -> Vec<Vec3> {
    corners.iter().map(|x| Vec3::new(x[0], x[1], 0.0)).collect()
}

/// Returns the triangles of the cut, even if the cut is the fan.
fn triangles(corners: &[Vec3]) -> Vec<[u32; 3]> {
    let fan = || (1..corners.len() as u32 - 1).map(|k| [0, k, k + 1]).collect();
    cut_polygon(corners).unwrap().triangles.unwrap_or_else(fan)
}

fn area(corners: &[Vec3], t: [u32; 3]) -> Vec3 {
    let [a, b, c] = t.map(|k| corners[k as usize]);
    (b - a).cross(&(c - a)) * 0.5
}

/// Returns copies of the polygon that start at each of its corners, in both directions, both in the
/// plane z = 0 and rotated in space.
fn placements(corners: &[[f64; 2]]) -> Vec<Vec<Vec3>> {
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, 1.1, -0.7);
    let shift = Vec3::new(100.0, -3.0, 7.0);
    let mut all = Vec::new();
    for first in 0..corners.len() {
        let mut polygon = flat(corners);
        polygon.rotate_left(first);
        let mut reversed = polygon.clone();
        reversed.reverse();
        for polygon in [polygon, reversed] {
            all.push(polygon.iter().map(|x| turn * x + shift).collect());
            all.push(polygon);
        }
    }
    all
}

#[test]
fn good_convex_polygons_keep_their_fan() {
    let hexagon: Vec<[f64; 2]> = (0..6).map(|k| (f64::from(k)).sin_cos().into()).collect();
    let thin = [[0.0, 0.0], [1e7, 0.0], [1e7, 1.0], [0.0, 1.0]];
    let rectangle = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
    for polygon in [&hexagon[..], &thin, &rectangle] {
        for corners in placements(polygon) {
            assert_eq!(cut_polygon(&corners).unwrap().triangles, None, "{corners:?}");
        }
    }
}

#[test]
fn a_corner_in_the_middle_of_an_edge_is_used_without_a_flat_triangle() {
    let polygons = [
        vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [1.0, 1.0], [0.0, 1.0]],
        vec![[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.0, 1.0]],
        vec![[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.0, 0.5]],
        vec![[0.0, 0.0], [0.2, 0.0], [0.4, 1e-9], [0.7, -1e-9], [1.0, 0.0], [0.0, 1.0]],
    ];
    for polygon in &polygons {
        for corners in placements(polygon) {
            let found = triangles(&corners);
            assert_eq!(found.len(), corners.len() - 2);
            let least = found.iter().map(|&t| area(&corners, t).norm()).fold(1.0, f64::min);
            assert!(least > 0.01, "{corners:?}: {found:?}");
            let used = (0..corners.len() as u32).all(|k| found.iter().flatten().any(|&c| c == k));
            assert!(used, "{corners:?}");
        }
    }
}

#[test]
fn concave_polygons_keep_their_area() {
    let l = [[2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0]];
    let dart = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
    for (polygon, expected) in [(&l[..], 3.0), (&dart[..], 0.5)] {
        for corners in placements(polygon) {
            let found = triangles(&corners);
            let sum: f64 = found.iter().map(|&t| area(&corners, t).norm()).sum();
            assert!((sum - expected).abs() < 1e-9, "{sum} {expected}");
            let vector: Vec3 = found.iter().map(|&t| area(&corners, t)).sum();
            assert!((vector.norm() - expected).abs() < 1e-9, "one triangle is reversed");
        }
    }
}

#[test]
fn polygons_that_cross_themselves_are_refused() {
    let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    let uneven = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]];
    let star: Vec<[f64; 2]> = (0..5).map(|k| (f64::from(k) * 2.513_274).sin_cos().into()).collect();
    let twice: Vec<[f64; 2]> = (0..8).map(|k| (f64::from(k) * 1.6).sin_cos().into()).collect();
    for polygon in [&bow[..], &uneven, &star, &twice] {
        for corners in placements(polygon) {
            assert_eq!(cut_polygon(&corners), Err(PolygonFault::Crosses), "{corners:?}");
        }
    }
}

#[test]
fn degenerate_polygons_keep_their_fan() {
    let fan = |corners: &[Vec3]| cut_polygon(corners).unwrap().triangles;
    assert_eq!(fan(&flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.5, 0.0]])), None);
    assert_eq!(fan(&flat(&[[1.0, 1.0]; 5])), None);
    // A quad that is collapsed to a triangle, as at the pole of a globe.
    assert_eq!(fan(&flat(&[[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.5, 1.0]])), None);
    assert_eq!(fan(&[Vec3::zeros(); 2]), None);
    assert_eq!(fan(&[]), None);
}

#[test]
fn the_bend_is_measured() {
    let saddle = [[0.0, 0.0, 0.2], [1.0, 0.0, -0.2], [1.0, 1.0, 0.2], [0.0, 1.0, -0.2]];
    let bend = cut_polygon(&saddle.map(Vec3::from)).unwrap().bend;
    assert!((bend - 0.2 / 1.469_693_845).abs() < 1e-6, "{bend}");
}

#[test]
fn long_combs_are_cut_in_time() {
    let n = 5_000;
    let mut comb: Vec<[f64; 2]> = (0..n).map(|k| [f64::from(k), f64::from(k % 2)]).collect();
    comb.extend([[f64::from(n), -1.0], [0.0, -1.0]]);
    let corners = flat(&comb);
    assert_eq!(triangles(&corners).len(), corners.len() - 2);
    let zigzag: Vec<[f64; 2]> =
        (0..100_000).map(|k| [f64::from(k % 7), f64::from(k % 11)]).collect();
    assert!(cut_polygon(&flat(&zigzag)).is_err());
}

proptest! {
    /// A polygon that goes once around a point is simple, whatever the radii are.
    #[test]
    fn star_shaped_polygons_are_covered_once(radii in prop::collection::vec(0.05..1.0f64, 3..40)) {
        let step = std::f64::consts::TAU / radii.len() as f64;
        let corners: Vec<Vec3> = (0..).zip(&radii).map(|(k, r)| {
            let (sin, cos) = (f64::from(k) * step).sin_cos();
            Vec3::new(r * cos, r * sin, 3.0)
        }).collect();
        let found = triangles(&corners);
        let up: Vec<f64> = found.iter().map(|&t| area(&corners, t).z).collect();
        let expected: f64 = (0..corners.len())
            .map(|k| radii[k] * radii[(k + 1) % radii.len()] * step.sin() / 2.0)
            .sum();
        prop_assert_eq!(found.len(), corners.len() - 2);
        prop_assert!(up.iter().all(|&a| a > -1e-12));
        prop_assert!((up.iter().sum::<f64>() - expected).abs() < 1e-9);
    }
}
