//! Tests of the selection of voxels.

use super::*;
use crate::volume::{Condition, Placement, Samples, Scaling};

/// Creates a volume with scaled values and an oblique placement.
fn volume(shape: [usize; 3]) -> Volume {
    let n = shape.iter().product::<usize>();
    let numbers: Vec<i16> = (0..n).map(|k| (k * 7919 % 1000) as i16 - 500).collect();
    let volume = Volume::new(shape, Samples::from(numbers), Placement::identity()).unwrap();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.1], [0.0, 0.0, 1.5]];
    let volume = volume.placed([10.0, -3.0, 2.0], steps).unwrap();
    volume.with_scaling(Scaling { slope: 0.5, intercept: 1.0 }).unwrap()
}

#[test]
fn conditions_are_those_of_a_loop() {
    type Holds = fn(f64, [f64; 3], [usize; 3]) -> bool;
    let cases: [(&str, Holds); 6] = [
        ("v > 100", |v, _, _| v > 100.0),
        ("i + 10*j - 3*k == 7", |_, _, [i, j, k]| {
            i as f64 + 10.0 * j as f64 - 3.0 * k as f64 == 7.0
        }),
        ("x > 5 && y < 40 && z > 3", |_, [x, y, z], _| x > 5.0 && y < 40.0 && z > 3.0),
        ("v*x", |v, [x, ..], _| v * x != 0.0),
        ("sqrt(v)", |v, _, _| v > 0.0),
        ("0", |_, _, _| false),
    ];
    for shape in [[1, 1, 1], [300, 3, 2], [65, 4, 3], [5, 40, 1]] {
        let volume = volume(shape);
        for (text, holds) in cases {
            let condition = Condition::new(&volume, &text.parse().unwrap()).unwrap();
            let mut voxels = Vec::new();
            for k in 0..shape[2] {
                for (j, i) in (0..shape[1]).flat_map(|j| (0..shape[0]).map(move |i| (j, i))) {
                    let at = volume.placement().world([i, j, k].map(|n| n as f64));
                    if holds(volume.value(i, j, k), at, [i, j, k]) {
                        voxels.push([i, j, k].map(|n| n as u32));
                    }
                }
            }
            let expected = Points::of(&volume, voxels);
            let found = find(&volume, &condition, Order::Lines).unwrap();
            assert_eq!(found, expected, "{text} {shape:?}");
            let blocks = find(&volume, &condition, Order::Blocks).unwrap();
            let mut sorted = blocks.voxels.clone();
            sorted.sort_by_key(|v| [v[2], v[1], v[0]]);
            assert_eq!(sorted, expected.voxels, "{text} {shape:?}");
            assert_eq!(Points::of(&volume, blocks.voxels.clone()), blocks);
        }
    }
}
