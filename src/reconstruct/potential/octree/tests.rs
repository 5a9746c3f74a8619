//! Tests of the octree over the samples.

use super::*;

/// Creates evenly distributed samples of the unit sphere.
pub(in super::super) fn cloud(n: usize) -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let on_sphere = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
        let (r, a) = ((1.0 - z * z).sqrt(), golden * k as f64);
        [r * a.cos(), r * a.sin(), z]
    };
    (0..n).map(on_sphere).collect()
}

fn tree(points: &[[f64; 3]], depth: u32) -> Octree {
    Octree::new(points, Frame::new(points, depth).unwrap()).unwrap()
}

/// Lists the level and the sample count of a cube and all its descendants by recursion. `corner` is
/// the lowest corner of the cube, in cells.
fn recursed(
    points: &[[f64; 3]],
    frame: &Frame,
    corner: [u32; 3],
    level: u32,
    found: &mut Vec<(u32, usize)>,
) {
    let edge = 1 << (frame.depth - level);
    let is_in = |x: &&[f64; 3]| {
        let cell = frame.cell(frame.voxel(**x));
        (0..3).all(|k| (corner[k]..corner[k] + edge).contains(&cell[k]))
    };
    let own: Vec<[f64; 3]> = points.iter().filter(is_in).copied().collect();
    let cells: std::collections::BTreeSet<[u32; 3]> =
        own.iter().map(|x| frame.cell(frame.voxel(*x))).collect();
    if own.is_empty() {
        return;
    }
    found.push((level, own.len()));
    if cells.len() > 1 {
        for part in 0..8u32 {
            let at = std::array::from_fn(|k| corner[k] + (part >> k & 1) * (edge / 2));
            recursed(&own, frame, at, level + 1, found);
        }
    }
}

#[test]
fn nodes_are_those_of_recursion_in_its_order() {
    for (n, depth) in [(1000, 4), (1000, 9), (37, 14), (2, 6)] {
        let mut points = cloud(n);
        points.extend([[0.1, 0.2, 0.3]; 5]);
        points.push([0.1, 0.2, 0.3 + 1e-3]);
        let tree = tree(&points, depth);
        let mut expected = Vec::new();
        recursed(&points, tree.frame(), [0; 3], 0, &mut expected);
        let found: Vec<_> = tree.nodes().iter().map(|n| (n.level, n.count as usize)).collect();
        assert!(found == expected, "{n} samples, depth {depth}");
        for (at, node) in tree.nodes().iter().enumerate() {
            // The node after the subtree is not deeper.
            let next = tree.nodes().get(node.next as usize);
            assert!(next.is_none_or(|next| next.level <= node.level) && node.next as usize > at);
        }
        assert_eq!(tree.nodes()[0].count as usize, points.len());
        assert!(tree.bytes() <= points.len() as u64 * 200 && tree.samples().len() == points.len());
    }
}

#[test]
fn a_traversal_reaches_each_leaf_once_and_each_sample_in_one_node() {
    let points = cloud(3000);
    let tree = tree(&points, 8);
    let (mut leaves, mut at) = (Vec::new(), 0);
    tree.visit(8, |_| true, |node| leaves.push(*node));
    for node in tree.nodes() {
        at += 1;
        if node.next as usize == at {
            assert_eq!(leaves.iter().filter(|leaf| *leaf == node).count(), 1);
        }
    }
    assert_eq!(leaves.len(), tree.n_cells());
    for level in 0..=8 {
        let (mut count, mut n) = (0.0, 0);
        let mut sum = [0.0; 3];
        tree.visit(
            level,
            |_| true,
            |node| {
                assert!(node.level <= level);
                count += node.count;
                n += 1;
                (0..3).for_each(|k| sum[k] += f64::from(node.count * node.center[k]));
            },
        );
        assert!(count as usize == points.len() && n == tree.n_cubes(level));
        for (k, sum) in sum.into_iter().enumerate() {
            let all: f64 = points.iter().map(|x| tree.frame().voxel(*x)[k]).sum();
            assert!((all - sum).abs() < 1e-4 * points.len() as f64);
        }
    }
    // For any choice of opened nodes, every sample is counted exactly once.
    for odd in [2, 3, 5] {
        let (mut count, mut opened) = (0.0, 0);
        let open = |node: &Node| {
            opened += 1;
            node.next.is_multiple_of(odd)
        };
        tree.visit(8, open, |node| count += node.count);
        assert!(count as usize == points.len() && opened > 0);
    }
}

#[test]
fn threads_change_nothing() {
    let points = cloud(20_000);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| tree(&points, 7))
    };
    let (one, five) = (on(1), on(5));
    assert!(one.nodes() == five.nodes() && one.samples() == five.samples());
}

#[test]
fn keys_interleave_all_bits() {
    assert_eq!(morton([1, 0, 0]), 1);
    assert_eq!(morton([0, 1, 0]), 2);
    assert_eq!(morton([0, 0, 1 << 20]), 1 << 62);
    let most = (1 << 21) - 1;
    assert_eq!(morton([most; 3]), (1 << 63) - 1);
    assert_eq!(morton([0b101, 0b011, 0b110]), 0b101_110_011);
}
