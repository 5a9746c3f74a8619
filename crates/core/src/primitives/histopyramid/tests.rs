//! Tests of the pyramid against loops over all cells.

use super::*;
use crate::primitives::{Bits, Chosen, Flags};

const SHAPES: [[usize; 3]; 16] = [
    [1, 1, 1],
    [2, 1, 1],
    [8, 8, 1],
    [9, 7, 1],
    [15, 17, 1],
    [16, 16, 1],
    [64, 64, 1],
    [65, 63, 1],
    [1000, 1, 1],
    [1, 1000, 1],
    [4, 4, 4],
    [5, 3, 2],
    [8, 8, 8],
    [9, 16, 17],
    [1, 1, 70],
    [33, 2, 5],
];

/// Returns several patterns of flags for a grid: none set, all set, one set, scattered flags, and
/// the first third.
fn patterns(shape: [usize; 3]) -> Vec<Vec<u8>> {
    let n = shape.iter().product::<usize>();
    let of = |f: &dyn Fn(usize) -> bool| (0..n).map(|k| u8::from(f(k))).collect();
    let noise = |k: usize| (k as u32).wrapping_mul(2_654_435_761) >> 16;
    vec![
        of(&|_| false),
        of(&|_| true),
        of(&|k| k == n - 1),
        of(&|k| k == 0),
        of(&|k| noise(k) % 3 == 0),
        of(&|k| noise(k) % 97 == 0),
        of(&|k| k < n / 3),
    ]
}

/// Returns the position of a cell in the order of keys: interleaved bits of its coordinates, or its
/// index.
fn rank(shape: [usize; 3], order: Order, cell: [u32; 3]) -> u64 {
    let [x, y, z] = cell.map(u64::from);
    match order {
        Order::Lines => x + shape[0] as u64 * (y + shape[1] as u64 * z),
        Order::Blocks => {
            let axes = if shape[2] > 1 { vec![x, y, z] } else { vec![x, y] };
            let n = axes.len();
            let of_bit =
                |b: usize| axes.iter().enumerate().map(move |(k, a)| (a >> b & 1) << (b * n + k));
            (0..16).flat_map(of_bit).sum()
        }
    }
}

fn each(mut check: impl FnMut([usize; 3], &[u8], &HistoPyramid, &[[u32; 3]])) {
    for shape in SHAPES {
        for flags in patterns(shape) {
            for order in [Order::Blocks, Order::Lines] {
                for stored in [Stored::Sums, Stored::PartialSums] {
                    let n = flags.len();
                    let cell = |k| levels::unraster(shape, k).map(|c| c as u32);
                    let mut expected: Vec<[u32; 3]> =
                        (0..n).filter(|&k| flags[k] != 0).map(cell).collect();
                    expected.sort_by_key(|&c| rank(shape, order, c));
                    let pyramid =
                        HistoPyramid::new(&Flags::new(shape, &flags), order, stored).unwrap();
                    assert_eq!(
                        (pyramid.shape(), pyramid.order(), pyramid.stored()),
                        (shape, order, stored)
                    );
                    check(shape, &flags, &pyramid, &expected);
                }
            }
        }
    }
}

#[test]
fn every_key_has_its_cell_and_every_cell_its_key() {
    each(|shape, flags, pyramid, expected| {
        assert_eq!((pyramid.len(), pyramid.is_empty()), (expected.len(), expected.is_empty()));
        assert!(pyramid.list().unwrap() == expected, "{shape:?}");
        for (k, &cell) in expected.iter().enumerate() {
            assert_eq!(pyramid.cell(k), Some(cell), "{shape:?}, key {k}");
            assert_eq!(pyramid.key(cell), Some(k));
        }
        assert_eq!(pyramid.cell(expected.len()), None);
        for (k, &flag) in flags.iter().enumerate() {
            let cell = levels::unraster(shape, k).map(|c| c as u32);
            assert_eq!(pyramid.is_active(cell), flag != 0);
            assert_eq!(pyramid.key(cell).is_some(), flag != 0);
        }
        assert!(
            !pyramid.is_active(shape.map(|n| n as u32)) && pyramid.key([u32::MAX; 3]).is_none()
        );
    });
}

#[test]
fn ranges_are_parts_of_the_list() {
    each(|_, _, pyramid, expected| {
        let n = expected.len();
        for (a, b) in [(0, n), (0, 0), (n / 3, n / 2 + 1), (n.saturating_sub(1), n + 5), (n, n + 2)]
        {
            let here = a.min(n)..b.min(n).max(a.min(n));
            let found = pyramid.cells(a..b);
            assert_eq!(found.len(), here.len());
            assert_eq!(found.collect::<Vec<_>>(), expected[here]);
        }
    });
}

#[test]
fn boxes_have_the_counts_of_a_loop() {
    each(|shape, _, pyramid, expected| {
        let [x, y, z] = shape.map(|n| n as u32);
        for (low, high) in [
            ([0; 3], [x, y, z]),
            ([0; 3], [u32::MAX; 3]),
            ([x / 3, y / 4, z / 2], [x - x / 5, y - y / 7, z]),
            ([x / 2, 0, 0], [x / 2 + 1, y, z]),
            ([x, 0, 0], [x + 5, y, z]),
            ([1; 3], [1; 3]),
        ] {
            let inside = |c: &&[u32; 3]| (0..3).all(|k| (low[k]..high[k]).contains(&c[k]));
            let wanted = expected.iter().filter(inside).count();
            assert_eq!(pyramid.count(low, high), wanted, "{shape:?}: {low:?} to {high:?}");
        }
    });
}

#[test]
fn entries_are_cloned_in_succession() {
    let flags = [0, 1, 1, 0, 0, 1];
    let pyramid =
        HistoPyramid::new(&Flags::new([3, 2, 1], &flags), Order::Lines, Stored::Sums).unwrap();
    let entries: Vec<_> = (0..12).filter_map(|k| pyramid.entry(k, 3)).collect();
    let cells = [[1, 0, 0], [2, 0, 0], [2, 1, 0]];
    let expected: Vec<_> = cells.iter().flat_map(|&c| (0..3).map(move |k| (c, k))).collect();
    assert_eq!(entries, expected);
}

#[test]
fn a_kept_decision_gives_the_same_pyramid() {
    for shape in SHAPES {
        for flags in patterns(shape) {
            let bits = Bits::new(&Flags::new(shape, &flags)).unwrap();
            assert_eq!(bits.count(), flags.iter().filter(|f| **f != 0).count());
            let lines = HistoPyramid::new(&bits, Order::Lines, Stored::Sums).unwrap();
            assert_eq!(bits.list().unwrap(), lines.list().unwrap());
            let fused =
                HistoPyramid::new(&Flags::new(shape, &flags), Order::Blocks, Stored::Sums).unwrap();
            let kept = HistoPyramid::new(&bits, Order::Blocks, Stored::Sums).unwrap();
            assert_eq!(kept.list().unwrap(), fused.list().unwrap());
        }
    }
}

#[test]
fn more_words_than_a_task_and_any_number_of_threads() {
    let shape = [301, 207, 113];
    let active = |[x, y, z]: [usize; 3]| (x * 7 + y * 13 + z * 31) % 11 == 0 && x > 40;
    let chosen = Chosen { shape, choose: active };
    let on = |threads, order| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            HistoPyramid::new(&chosen, order, Stored::PartialSums).unwrap().list().unwrap()
        })
    };
    for order in [Order::Blocks, Order::Lines] {
        let list = on(1, order);
        assert!(list == on(3, order));
        assert!(list.is_sorted_by_key(|&c| rank(shape, order, c)));
        assert_eq!(list.len(), Bits::new(&chosen).unwrap().count());
        assert!(list.iter().all(|c| active(c.map(|c| c as usize))));
    }
}

#[test]
fn grids_without_cells_have_empty_lists() {
    for order in [Order::Blocks, Order::Lines] {
        for shape in [[0, 0, 0], [0, 5, 1], [5, 0, 3]] {
            let pyramid = HistoPyramid::new(&Flags::new(shape, &[]), order, Stored::Sums).unwrap();
            assert_eq!(
                (pyramid.len(), pyramid.cell(0), pyramid.list().unwrap()),
                (0, None, vec![])
            );
            assert_eq!(pyramid.count([0; 3], [9; 3]), 0);
        }
    }
}

#[test]
fn leaves_cover_the_grid_with_the_largest_blocks_of_one_value() {
    for shape in SHAPES {
        for values in patterns(shape) {
            let tree = Tree::new(shape, &values).unwrap();
            let leaves = tree.leaves().unwrap();
            let mut covered = vec![0; values.len()];
            let cells = |leaf: &Leaf| {
                let edge = |k: usize| {
                    let first = leaf.cell[k] as usize;
                    let flat = k == 2 && shape[2] == 1;
                    first..if flat { 1 } else { (first + (1 << leaf.level)).min(shape[k]) }
                };
                let (xs, ys, zs) = (edge(0), edge(1), edge(2));
                zs.flat_map(move |z| {
                    let (xs, ys) = (xs.clone(), ys.clone());
                    ys.flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
                })
                .map(|c| levels::raster(shape, c))
                .collect::<Vec<_>>()
            };
            for (k, leaf) in leaves.iter().enumerate() {
                assert_eq!(tree.leaf(k), Some(*leaf));
                let of_leaf = cells(leaf);
                assert!(
                    of_leaf.iter().all(|&c| values[c] == values[of_leaf[0]]),
                    "{shape:?}: {leaf:?}"
                );
                of_leaf.iter().for_each(|&c| covered[c] += 1);
                // A larger block around the leaf must contain other values.
                let up = Leaf {
                    cell: leaf.cell.map(|c| c >> (leaf.level + 1) << (leaf.level + 1)),
                    level: leaf.level + 1,
                };
                let above = cells(&up);
                let whole = above.len() == values.len();
                assert!(
                    whole && leaves.len() == 1
                        || above.iter().any(|&c| values[c] != values[of_leaf[0]])
                );
            }
            assert!(covered.iter().all(|&n| n == 1), "{shape:?}");
            assert_eq!((tree.len(), tree.leaf(leaves.len())), (leaves.len(), None));
        }
    }
    assert!(Tree::new([2, 2, 1], &[1, 2, 3]).is_err() && Tree::new([0, 2, 1], &[0u8; 0]).is_err());
}
