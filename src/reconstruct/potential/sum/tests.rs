use super::*;
use crate::reconstruct::potential::frame::Frame;

const RULE: Rule = Rule { theta: 0.0, exponent: 3, softening: 1.0 };

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

/// Places inside, near and outside of a sphere that fills 2^depth voxels.
fn places(depth: u32) -> Vec<[f64; 3]> {
    let radius = f64::from(1_u32 << (depth - 1));
    let scaled = |r: f64| {
        move |n: i32| {
            let x = Vec3::new(f64::from(n % 7) - 2.7, f64::from(n % 5) - 1.9, f64::from(n) - 8.3);
            (x.normalize() * r * radius).into()
        }
    };
    [0.3, 0.7, 0.93, 1.06, 1.4, 2.0].into_iter().flat_map(|r| (0..17).map(scaled(r))).collect()
}

#[test]
fn with_every_node_opened_the_sums_are_those_over_all_samples() {
    // V51: one sample per leaf.
    let tree = sphere(3000, 9);
    assert_eq!(tree.n_cells(), tree.samples().len());
    for exponent in 2..=5 {
        let (rule, p) = (Rule { exponent, ..RULE }, f64::from(exponent));
        for x in places(9) {
            let (mut potential, mut weights, mut pull) = (0.0, 0.0, Vec3::zeros());
            for sample in tree.samples() {
                let away = Vec3::from(sample.map(f64::from)) - Vec3::from(x);
                let d = (away.norm_squared() + 1.0).sqrt();
                potential += d.powf(1.0 - p);
                weights += d.powf(-p);
                pull += away / d * d.powf(-p);
            }
            let sums = at(&tree, &rule, 9, x);
            assert!((sums.potential / potential - 1.0).abs() < 1e-10);
            assert!((Vec3::from(sums.pull) - pull / weights).norm() < 1e-10);
            let gradient = Vec3::from(sums.gradient) - pull * (p - 1.0);
            assert!(gradient.norm() < 1e-10 * weights);
        }
    }
}

#[test]
fn a_node_taken_as_one_errs_by_two_per_cent_at_most_in_the_mean() {
    // V51: theta = 0.5.
    let tree = sphere(20_000, 9);
    let (mut error, mut n) = (0.0, 0.0);
    for x in places(9) {
        let exact = at(&tree, &RULE, 9, x).potential;
        let near = at(&tree, &Rule { theta: 0.5, ..RULE }, 9, x).potential;
        error += (near / exact - 1.0).abs();
        n += 1.0;
    }
    assert!(error / n < 0.02 && error > 0.0, "{}", error / n);
}

#[test]
fn the_velocity_is_towards_the_samples_and_the_potential_grows_along_it() {
    // V52.
    let tree = sphere(20_000, 8);
    for x in places(8) {
        let sums = at(&tree, &RULE, 8, x);
        let outwards = Vec3::from(sums.pull).dot(&Vec3::from(x));
        let is_outside = Vec3::from(x).norm() > 128.0;
        assert!(if is_outside { outwards < 0.0 } else { outwards > 0.0 }, "{x:?} {sums:?}");
        assert!(Vec3::from(sums.pull).norm() < 1.0);
        let step = Vec3::from(sums.gradient).normalize() * 0.05;
        let further = at(&tree, &RULE, 8, (Vec3::from(x) + step).into());
        assert!(further.potential > sums.potential);
        // And by as much as the gradient says.
        let rise = (further.potential - sums.potential) / 0.05;
        let slope = Vec3::from(sums.gradient).norm();
        assert!((rise / slope - 1.0).abs() < 0.1, "{rise} {slope}");
    }
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
        // The edge of a voxel in finest ones.
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
                // Of its size before all that lies opposite has cancelled.
                let error = (Vec3::from(mean) - gradient).norm() / f64::from(totals.weight[n]);
                assert!(error < 1e-3, "p = {exponent}: {mean:?} {gradient:?}");
            }
            // A shared list opens more than the voxels would need.
            let all = sources.nodes.len();
            sources.gather(&tree, 0.5, level, middle, 2.6);
            assert!(sources.nodes.len() < all);
            assert_eq!(sources.nodes.iter().map(|node| node[3]).sum::<f32>(), 20_000.0);
            let (exact, mut near) = (std::mem::take(&mut totals), Totals::default());
            sources.sum(exponent, 1.0, &voxels, &mut near);
            let error = |n: usize| (near.weight[n] / exact.weight[n] - 1.0).abs();
            let mean = (0..64).map(error).sum::<f32>() / 64.0;
            // A weight of a higher power sees more of how a node extends.
            assert!(mean < 0.02 * exponent as f32, "level {level}, p = {exponent}: {mean}");
            totals = near;
        }
    }
}
