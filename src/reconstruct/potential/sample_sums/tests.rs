//! Tests of the sums for a tile. V51 and V52 in `tests/verification` verify the sums at one
//! position.

use super::*;
use crate::reconstruct::potential::octree_cube::Frame;

fn sphere(n: usize, depth: u32) -> Octree {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let on_sphere = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
        let (r, a) = ((1.0 - z * z).sqrt(), golden * k as f64);
        [r * a.cos(), r * a.sin(), z]
    };
    let points: Vec<[f64; 3]> = (0..n).map(on_sphere).collect();
    Octree::new(&points, Frame::new(&points, depth).unwrap()).unwrap()
}

#[test]
fn sums_of_a_tile_are_those_at_its_voxels() {
    let tree = sphere(20_000, 8);
    let (mut sources, mut totals) = (Sources::default(), Totals::default());
    let place = |n: usize| [n % 4, n / 4 % 4, n / 16].map(|c| c as f32 - 1.5);
    let voxels = [0, 1, 2].map(|k| (0..64).map(|n| place(n)[k]).collect::<Vec<f32>>());
    for (level, first) in [(8, [120, -6, 3]), (8, [10, 40, 20]), (6, [-32, 0, 4]), (6, [60, 9, 9])]
    {
        let middle = first.map(|c| c as f32 + 1.5);
        // The edge of a voxel, in voxels of the finest level.
        let edge = f64::from(1 << (8 - level));
        for exponent in 2..=5 {
            sources.gather(&tree, 0.0, level, middle, 2.6);
            sources.sum(exponent, 1.0, &voxels, &mut totals);
            let rule = Rule { theta: 0.0, exponent, softening: edge };
            for n in 0..64 {
                let x = std::array::from_fn(|k| edge * f64::from(middle[k] + place(n)[k]));
                let exact = at(&tree, &rule, level, x);
                let mean = [0, 1, 2].map(|k| f64::from(totals.pull[k][n]));
                let gradient = Vec3::from(exact.gradient) * edge.powi(exponent as i32)
                    / (f64::from(exponent) - 1.0);
                // The error is relative to B, because contributions from opposite sides cancel in
                // N.
                let error = (Vec3::from(mean) - gradient).norm() / f64::from(totals.weight[n]);
                assert!(error < 1e-3, "p = {exponent}: {mean:?} {gradient:?}");
            }
            // With theta = 0.5, distant nodes count as one sample, so the list is shorter than the
            // list with theta = 0.
            let all = sources.nodes.len();
            sources.gather(&tree, 0.5, level, middle, 2.6);
            assert!(sources.nodes.len() < all);
            assert_eq!(sources.nodes.iter().map(|node| node[3]).sum::<f32>(), 20_000.0);
            let (exact, mut near) = (std::mem::take(&mut totals), Totals::default());
            sources.sum(exponent, 1.0, &voxels, &mut near);
            let error = |n: usize| (near.weight[n] / exact.weight[n] - 1.0).abs();
            let mean = (0..64).map(error).sum::<f32>() / 64.0;
            // With a higher power, the weight depends more on the extent of a node.
            assert!(mean < 0.02 * exponent as f32, "level {level}, p = {exponent}: {mean}");
            totals = near;
        }
    }
}
