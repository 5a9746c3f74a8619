//! Points of volumes: those of the CPU.

use zeroset::backend::cuda::Cuda;
use zeroset::expression::Expression;
use zeroset::points::cuda::{counts_on, find_on, part_on};
use zeroset::points::{Blocks, Points, counts, find};
use zeroset::primitives::Order;
use zeroset::volume::{Condition, Placement, Samples, Scaling, Volume};

use crate::support;

/// Conditions without functions that cards round otherwise.
const CONDITIONS: [&str; 8] = [
    "v > 100",
    "v",
    "i + 10*j - 3*k == 7",
    "x > 5 && y < 40 && z > 3",
    "v*x",
    "sqrt(v) > 7.5 || abs(v - 30) < 2",
    "if(k > 1, v^2 < 400, x - y)",
    "0",
];

fn check(cuda: &Cuda, shape: [usize; 3], samples: Samples) {
    let kind = samples.type_name();
    let volume = Volume::new(shape, samples, Placement::identity()).unwrap();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.1], [0.0, 0.0, 1.5]];
    let volume = volume.placed([10.0, -3.0, 2.0], steps).unwrap();
    let scaled = volume.clone().with_scaling(Scaling { slope: 0.3, intercept: 1.7 }).unwrap();
    for volume in [volume, scaled] {
        for text in CONDITIONS {
            let expression: Expression = text.parse().unwrap();
            for order in [Order::Lines, Order::Blocks] {
                let condition = Condition::new(&volume, &expression).unwrap();
                let expected = find(&volume, &condition, order).unwrap();
                let found = find_on(cuda, &volume, &expression, order).unwrap();
                assert!(found.voxels == expected.voxels, "{kind} {shape:?} {text}");
                assert!(found.positions == expected.positions, "{kind} {shape:?} {text}");
                // As bits, since what is no number is not equal to itself.
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert!(bits(&found.values) == bits(&expected.values), "{kind} {shape:?} {text}");
            }
        }
    }
}

#[test]
fn lists_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for shape in [[1, 1, 1], [300, 3, 2], [65, 4, 3], [5, 40, 1], [130, 70, 33]] {
        let n = shape.iter().product::<usize>();
        let numbers = || (0..n).map(|k| (k * 7919 % 1000) as i16 - 500);
        check(&cuda, shape, Samples::from(numbers().collect::<Vec<i16>>()));
        check(&cuda, shape, Samples::from(numbers().map(|x| x as u8).collect::<Vec<u8>>()));
    }
    let shape = [33, 17, 5];
    let n = shape.iter().product::<usize>();
    let numbers = || (0..n).map(|k| (k * 7919 % 1000) as i64 - 500);
    check(&cuda, shape, Samples::from(numbers().map(|x| x as i8).collect::<Vec<i8>>()));
    check(&cuda, shape, Samples::from(numbers().map(|x| x as u16).collect::<Vec<u16>>()));
    check(&cuda, shape, Samples::from(numbers().map(|x| x as u32).collect::<Vec<u32>>()));
    check(&cuda, shape, Samples::from(numbers().map(|x| x as i32).collect::<Vec<i32>>()));
    check(&cuda, shape, Samples::from(numbers().map(|x| (x as u64) << 20).collect::<Vec<u64>>()));
    check(&cuda, shape, Samples::from(numbers().collect::<Vec<i64>>()));
    check(&cuda, shape, Samples::from(numbers().map(|x| x as f32 / 3.0).collect::<Vec<f32>>()));
    let broken = |x: i64| if x % 7 == 0 { f64::NAN } else { x as f64 / 7.0 };
    check(&cuda, shape, Samples::from(numbers().map(broken).collect::<Vec<f64>>()));
}

#[test]
fn parts_and_counts_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let shape = [130, 70, 33];
    let numbers: Vec<i16> = (0..130 * 70 * 33).map(|k| (k * 7919 % 1000) as i16 - 500).collect();
    let volume = Volume::new(shape, Samples::from(numbers), Placement::identity()).unwrap();
    for text in [CONDITIONS[0], CONDITIONS[2], "0"] {
        let expression: Expression = text.parse().unwrap();
        let condition = Condition::new(&volume, &expression).unwrap();
        for order in [Order::Lines, Order::Blocks] {
            let all = find(&volume, &condition, order).unwrap();
            let n = all.len();
            for range in [n / 3..n - n / 4, n / 2..n + 5, n..n + 1] {
                let here = range.start.min(n)..range.end.min(n);
                let part = part_on(&cuda, &volume, &expression, order, range);
                assert!(part.unwrap() == (Points::of(&volume, all.voxels[here].to_vec()), n));
            }
        }
        let mut boxes = Blocks::new(&volume, 3).unwrap().boxes().unwrap();
        boxes.push([[0; 3], shape.map(|n| n as u32)]);
        let expected = counts(&condition, &boxes).unwrap();
        assert!(counts_on(&cuda, &volume, &expression, &boxes).unwrap() == expected, "{text}");
    }
}

/// What compute-sanitizer runs.
#[test]
fn a_short_run() {
    let Some(cuda) = support::cuda() else { return };
    check(&cuda, [37, 5, 3], Samples::from((0..555).map(|k| k as i16).collect::<Vec<i16>>()));
}

#[test]
fn unknown_names_are_refused_before_anything_is_copied() {
    let Some(cuda) = support::cuda() else { return };
    let volume = Volume::new([2, 1, 1], vec![1_u8, 2].into(), Placement::identity()).unwrap();
    let error = find_on(&cuda, &volume, &"w > 1".parse().unwrap(), Order::Lines).unwrap_err();
    assert!(error.to_string().contains("`w` is not known here"), "{error}");
}
